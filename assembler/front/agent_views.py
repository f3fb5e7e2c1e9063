"""What declared agents load of a repository at one place in time, wherever they start in it.

Nothing of the user's machine counts here: neither HOME nor the machine's configuration, so that a
check gives one answer everywhere. A folder that asks for trust is taken for trusted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple

from assembler.agents.disk import Start
from assembler.agents.loaded import AgentInput
from assembler.agents.loading import load_input
from assembler.agents.rules import Added, AgentRules, FileHere, Walk
from assembler.authorize.read_scope import ReadScope, authorize_policy
from assembler.errors import ConfigError
from assembler.front.agent_inputs import PARSERS, find_rules
from assembler.front.chains import ChainsFound
from assembler.front.opening import OpenRepository
from assembler.model.finding import Finding, make_finding
from assembler.model.tree import Authorized, Denied, Entry, EntryKind, Unreadable
from assembler.ports import SourceTree

ROOT: Final = "/repository"
"""What the descriptions' absolute paths begin with; nothing of it is shown."""
CODEX: Final = "codex"
MAX_FILE_BYTES: Final = 8 << 20
MAX_FOLDER_NAMES: Final = 20_000


class TreeDisk:
    """Implements `Disk` for a tree; what lies outside of it is not there."""

    def __init__(self, tree: SourceTree, scope: ReadScope) -> None:
        """Look at a tree.

        Args:
            tree: of the repository.
            scope: what stays closed.
        """
        self._tree = tree
        self._scope = scope
        self._entries: dict[str, Entry] = {}
        self._contents: dict[str, bytes | Unreadable] = {}
        self._names: dict[str, tuple[str, ...] | None] = {}

    def look_up(self, paths: Sequence[str]) -> Mapping[str, Entry]:
        """What stands at each path; links out of the tree lead nowhere."""
        fresh = [path for path in dict.fromkeys(paths) if path not in self._entries]
        inside = {path: path[len(ROOT) :].lstrip("/") for path in fresh if _is_inside(path)}
        found = self._tree.look_up(list(dict.fromkeys(inside.values()))) if inside else {}
        for path in fresh:
            if path not in inside:
                self._entries[path] = Entry(path, EntryKind.MISSING)
                continue
            if path == f"{ROOT}/.git":  # no revision holds it, and every repository has it
                self._entries[path] = Entry(path, EntryKind.DIRECTORY, real_path=path)
                continue
            entry = found[inside[path]]
            real = entry.real_path
            place = None if real is None or real.startswith("/") else f"{ROOT}/{real}".rstrip("/")
            self._entries[path] = entry._replace(path=path, real_path=place)
        return {path: self._entries[path] for path in paths}

    def read(self, path: str) -> bytes | Unreadable:
        """The bytes of a file that no rule closes."""
        entry = self.look_up([path])[path]
        if entry.kind is not EntryKind.FILE:
            return Unreadable("not-a-file")
        real = (entry.real_path or path)[len(ROOT) + 1 :]
        if real not in self._contents:
            own = self._tree.look_up([real])[real]
            permission = authorize_policy(own, self._scope, "instructions")
            if isinstance(permission, Denied):
                self._contents[real] = Unreadable("access-denied")
            else:
                assert isinstance(permission, Authorized)  # it is one or the other
                read = self._tree.read([permission], limit_bytes=MAX_FILE_BYTES)
                self._contents[real] = read[real]
        return self._contents[real]

    def names_in(self, folder: str) -> tuple[str, ...] | None:
        """The names in a folder, sorted."""
        if not _is_inside(folder):
            return None
        if folder not in self._names:
            place = folder[len(ROOT) :].lstrip("/")
            found = self._tree.names_in([place], most_names=MAX_FOLDER_NAMES)[place]
            self._names[folder] = tuple(sorted(found))
        return self._names[folder]


def _is_inside(path: str) -> bool:
    return path == ROOT or path.startswith(f"{ROOT}/")


class AgentView(NamedTuple):
    """One agent in every folder where some agent's files stand."""

    rules: AgentRules
    by_folder: Mapping[str, AgentInput]


def agent_names(names: Iterable[str]) -> set[str]:
    """Names of files and folders by which a listing finds what the agents look for."""
    found: set[str] = set()
    for rules in described_agents(names):
        for step in rules.steps:
            if isinstance(step, Walk | Added):
                found |= {here.path.rpartition("/")[2] for here in step.here}
    return found


def view_agents(
    disk: TreeDisk, names: Iterable[str], listed: Iterable[str]
) -> tuple[AgentView, ...]:
    """What each agent loads in the root and in every folder with a file of some agent.

    Args:
        disk: of the repository.
        names: of the agents; codex is passed over, whose chains are those of `check`.
        listed: root-relative paths of a listing of `agent_names`.

    Raises:
        ConfigError: `agent-config`: settings in the repository that an agent can't read.
    """
    described = described_agents(names)
    paths = sorted(listed)
    places = {folder for path in paths for folder in _starts_of(path, described)}
    starts = sorted({"", *places})
    return tuple(
        AgentView(rules, {folder: _load(rules, folder, disk, paths) for folder in starts})
        for rules in described
    )


def _load(rules: AgentRules, folder: str, disk: TreeDisk, listed: Sequence[str]) -> AgentInput:
    prefix = f"{folder}/" if folder else ""
    below = [f"{ROOT}/{path}" for path in listed if path.startswith(prefix)]
    with telling_place():
        return load_input(rules, start_in(rules, folder), disk, PARSERS, below=below)


def start_in(rules: AgentRules, folder: str) -> Start:
    """A start in a folder of the repository, on a machine without a HOME."""
    return Start(
        cwd=f"{ROOT}/{folder}".rstrip("/"),
        home=None,
        system_folder=rules.system_folder,
        environment={} if rules.trust is None else {rules.trust.variable: "true"},
        repository=ROOT,
        on_words=rules.on_words,
    )


@contextmanager
def telling_place() -> Iterator[None]:
    """Errors of settings name their place below the repository."""
    try:
        yield
    except ConfigError as error:
        place = plain_path(error.where or "")
        raise ConfigError(
            error.code, error.message, where=place, next_step=error.next_step
        ) from None


def plain_path(path: str) -> str:
    """A path below the repository; one outside stays absolute."""
    return path.removeprefix(f"{ROOT}/")


def described_agents(names: Iterable[str]) -> tuple[AgentRules, ...]:
    """The descriptions of agents by name, sorted; without codex."""
    return tuple(find_rules(name) for name in sorted({*names} - {CODEX}))


def _starts_of(path: str, described: Iterable[AgentRules]) -> set[str]:
    """The folders that a file of an agent belongs to; none for what only has such a name."""
    found: set[str] = set()
    for rules in described:
        for step in rules.steps:
            if isinstance(step, Walk | Added):
                for here in step.here:
                    if path == here.path or path.endswith(f"/{here.path}"):
                        found.add(path[: -len(here.path)].rstrip("/"))
    return found


def instruction_files(
    listed: Iterable[str], views: Iterable[AgentView], chains: ChainsFound
) -> tuple[str, ...]:
    """Files that one of the agents reads or, as the walk of `check`, has a name for."""
    names = {
        here.path
        for view in views
        for step in view.rules.steps
        if isinstance(step, Walk)
        for here in step.here
        if isinstance(here, FileHere)
    }
    found = {
        path for path in listed if any(path == name or path.endswith(f"/{name}") for name in names)
    }
    found |= {path for chain in chains.by_folder.values() for path in chain.texts}
    read = {path for view in views for path in files_read(view)}
    found |= {path for path in read if not path.startswith("/")}
    return tuple(sorted(found))


def find_agent_findings(
    repository: OpenRepository,
    names: Sequence[str],
    views: Sequence[AgentView],
    listed: Iterable[str],
    chains: ChainsFound,
) -> list[Finding]:
    """What the declared agents leave out in silence, and what one of them never loads.

    Args:
        repository: as opened.
        names: of the agents.
        views: of the agents, by `view_agents`.
        listed: root-relative paths of a listing of `agent_names` and the names of the walk.
        chains: of the repository, for codex.
    """
    found: dict[tuple[str, str | None, str], Finding] = {}
    for view in views:
        for loaded in view.by_folder.values():
            for finding in loaded.findings:
                key = finding.code, finding.path, str(finding.data.get("agent"))
                found.setdefault(key, _plain(finding))
    files = instruction_files(listed, views, chains)
    return [*found.values(), *_never_loaded(repository, files, views, names, chains)]


def _plain(finding: Finding) -> Finding:
    """The finding without the root that no repository has."""

    def clean(value: object) -> object:
        if isinstance(value, str):
            return plain_path(value)
        if isinstance(value, list):
            return [clean(one) for one in value]
        return value

    data = {name: clean(value) for name, value in finding.data.items()}
    data.pop("absolute_path", None)
    return finding._replace(data=data)


def _never_loaded(
    repository: OpenRepository,
    files: Sequence[str],
    views: Sequence[AgentView],
    names: Sequence[str],
    chains: ChainsFound,
) -> list[Finding]:
    """A finding for each file that an agent reads nowhere, neither at a start nor later."""
    entries = repository.tree.look_up(files)
    real = {path: entries[path].real_path or path for path in files}
    reads = {view.rules.name: files_read(view) for view in views}
    if CODEX in names:
        loaded = {path for chain in chains.by_folder.values() for path in chain.texts}
        reads[CODEX] = {real.get(path, path) for path in loaded}
    findings = []
    for path in files:
        if entries[path].kind is not EntryKind.FILE:
            continue
        without = [name for name in sorted(reads) if real[path] not in reads[name]]
        if without:
            verb = "loads" if len(without) == 1 else "load"
            findings.append(
                make_finding(
                    "ASM150",
                    path,
                    f"{', '.join(without)} never {verb} it, wherever the agent starts",
                    fix="import or link it from a file that the agent reads, or take the agent out "
                    "of `agents`",
                    data={"agents": without},
                )
            )
    return findings


def files_read(view: AgentView) -> set[str]:
    """Real paths of everything that the agent reads somewhere, root-relative."""
    found: set[str] = set()
    for loaded in view.by_folder.values():
        for entry in loaded.entries:
            found |= {entry.target, *entry.imports}
        found |= {later.path for later in loaded.later}
    return {plain_path(path) for path in found}
