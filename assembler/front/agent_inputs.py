"""`chain --agent NAME` of the agents that have a description: what each would load here.

The real files of this machine are read, and nothing is run, asked of a network or written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, Final

import assembler.agents.known
from assembler.adapters.following_tree import FollowingTree
from assembler.adapters.repository import find_repository
from assembler.agents.disk import Start
from assembler.agents.loaded import AgentInput
from assembler.agents.loading import Parsers, load_input
from assembler.agents.rules import Added, AgentRules
from assembler.errors import ConfigError, UsageError
from assembler.front.default_grant import DEFAULT_DENIES
from assembler.front.places import home_folder, require_utf8
from assembler.model.tree import Authorized, Beginning, Entry, EntryKind, Unreadable

MAX_FILE_BYTES: Final = 64 * 1024 * 1024
MAX_FOLDER_NAMES: Final = 20_000


def known_agents() -> tuple[str, ...]:
    """The names of the agents that have a description, sorted."""
    return tuple(sorted(module.name for module in iter_modules(assembler.agents.known.__path__)))


def find_rules(name: str, version: str | None = None) -> AgentRules:
    """The description of an agent.

    Args:
        name: of the agent.
        version: one that was measured; None: the newest.

    Raises:
        UsageError: `agent-unknown`, `agent-version`.
    """
    if name not in known_agents():
        raise UsageError(
            "agent-unknown",
            f"no rules are known for the agent {name}",
            where=name,
            next_step=f"--agent {' or '.join((*known_agents(), 'codex', 'all'))}",
        )
    known = known_versions(name)
    newest = next(iter(known.values()))
    if version is not None and version not in known:
        raise UsageError(
            "agent-version",
            f"{newest.title} {version} was not measured",
            where=version,
            next_step=f"known: {', '.join(known)}; another version may differ from each",
        )
    return newest if version is None else known[version]


def known_versions(name: str) -> dict[str, AgentRules]:
    """The descriptions of an agent by the version that was measured, the newest first."""
    module = import_module(f"assembler.agents.known.{name}")
    described: tuple[AgentRules, ...] = (module.RULES, *getattr(module, "OLDER", ()))
    return {rules.version: rules for rules in described}


def option_names(rules: AgentRules) -> tuple[str, ...]:
    """The options of the agent's command line that decide what it loads, sorted."""
    names = {step.option for step in rules.steps if isinstance(step, Added)}
    names |= {switch.option for switch in rules.nothing if switch.option is not None}
    names |= {rules.sources_option} if rules.sources_option is not None else set()
    names |= {rules.trust.option} if rules.trust is not None else set()
    return tuple(sorted(names))


class MachineDisk:
    """Implements `Disk` on this machine; each path is looked at, and each file read, once."""

    def __init__(self, bases: Sequence[str], *, most_bytes: int = MAX_FILE_BYTES) -> None:
        """Read by our own grant.

        Args:
            bases: folders that patterns of denied paths are relative to, the first that holds a
                path; of others the whole path counts.
            most_bytes: of a file; a larger one is not read.
        """
        self._tree = FollowingTree(Path("/"))
        self._most_bytes = most_bytes
        self._bases = [base.rstrip("/") + "/" for base in bases]
        self._entries: dict[str, Entry] = {}
        self._contents: dict[str, bytes | Unreadable] = {}

    def look_up(self, paths: Sequence[str]) -> Mapping[str, Entry]:
        """What stands at each path, links followed wherever they lead."""
        fresh = [path for path in dict.fromkeys(paths) if path not in self._entries]
        if fresh:
            found = self._tree.look_up([path[1:] for path in fresh])
            for path in fresh:
                entry = found[path[1:]]
                real = entry.real_path
                real = None if real is None else f"/{real.lstrip('/')}"
                self._entries[path] = entry._replace(path=path, real_path=real)
        return {path: self._entries[path] for path in paths}

    def read(self, path: str) -> bytes | Unreadable:
        """The bytes of a file, where a default deny does not close it."""
        entry = self.look_up([path])[path]
        real = entry.real_path or path
        if real not in self._contents:
            self._contents[real] = self._read(entry, real)
        return self._contents[real]

    def names_in(self, folder: str) -> tuple[str, ...] | None:
        """The names in a folder, sorted; of bytes that are not UTF-8 none."""
        if _is_kernels(self.look_up([folder])[folder].real_path or folder):
            return None
        try:
            names = [path.name for path in Path(folder).iterdir()]
        except OSError:
            return None
        if len(names) > MAX_FOLDER_NAMES:
            return None
        return tuple(sorted(name for name in names if _is_text(name)))

    def _read(self, entry: Entry, real: str) -> bytes | Unreadable:
        if entry.kind is not EntryKind.FILE:
            return Unreadable("not-a-file")
        if _is_kernels(real) or DEFAULT_DENIES.match(self._relative(real)) is not None:
            return Unreadable("access-denied")
        place = entry._replace(path=real[1:], real_path=real[1:])
        file = Authorized(place, "agent")
        found = self._tree.read_beginnings([file], most_bytes=self._most_bytes)[real[1:]]
        return Unreadable("size-limit") if isinstance(found, Beginning) else found

    def _relative(self, path: str) -> str:
        for base in self._bases:
            if path.startswith(base):
                return path.removeprefix(base)
        return path.lstrip("/")


def _is_kernels(path: str) -> bool:
    """Whether the kernel makes it up: processes with their environments, devices; no end of it."""
    return f"{path}/".startswith(("/proc/", "/sys/"))


def _is_text(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def find_start(
    rules: AgentRules,
    cwd: Path,
    *,
    environment: Mapping[str, str],
    options: Mapping[str, tuple[str, ...]],
    system_folder: Path | None,
) -> Start:
    """Where and how an agent is started.

    Args:
        rules: of the agent.
        cwd: absolute, links resolved.
        environment: for HOME and the agent's variables.
        options: the agent's own command line options.
        system_folder: in place of the machine's configuration folder of the agent.

    Raises:
        UsageError: a path is not UTF-8.
    """
    require_utf8(str(cwd))
    home = home_folder(environment)
    if rules.home_variable is not None and (named := environment.get(rules.home_variable)):
        home = cwd / named
    repository, main = _repository(cwd)
    return Start(
        cwd=str(cwd),
        home=None if home is None else str(home),
        system_folder=str(system_folder or rules.system_folder),
        environment=environment,
        options=options,
        repository=repository,
        on_words=rules.on_words,
        main_checkout=main,
    )


def _repository(cwd: Path) -> tuple[str | None, str | None]:
    """The root of the repository, and of a linked worktree that of its main checkout."""
    try:
        places = find_repository(cwd)
    except UsageError:
        return None, None
    if places is None:
        return None, None
    root = str(places.root)
    common = places.common_dir
    is_linked = common is not None and common != places.git_dir and common.name == ".git"
    return root, str(common.parent) if is_linked and common is not None else None


def load_agent(
    rules: AgentRules,
    cwd: Path,
    *,
    environment: Mapping[str, str],
    options: Mapping[str, tuple[str, ...]] | None = None,
    system_folder: Path | None = None,
    below: Iterable[str] = (),
    reads: Sequence[str] = (),
) -> AgentInput:
    """What an agent would load in a folder; arguments as `find_start` and `load_input`.

    Raises:
        UsageError: a path is not UTF-8.
        ConfigError: `agent-config`: settings that the agent does not start with.
    """
    start = find_start(
        rules,
        cwd,
        environment=environment,
        options=options or {},
        system_folder=system_folder,
    )
    bases = [base for base in (start.repository, start.cwd, start.home) if base is not None]
    return load_input(rules, start, MachineDisk(bases), PARSERS, below=below, reads=reads)


def _read_yaml(text: str) -> Mapping[str, Any]:
    """The members of a block; ValueError for what is no mapping."""
    from assembler.adapters.frontmatter import read_front_matter

    try:
        return read_front_matter(f"---\n{text.rstrip()}\n---\n".encode()).members
    except ConfigError as error:
        raise ValueError(error.message) from None


def _compile_paths(patterns: Sequence[str]) -> Callable[[str], bool]:
    """Whether one of the patterns means an absolute path."""
    from assembler.adapters.patterns import compile_patterns

    compiled = []
    for pattern in filter(None, patterns):
        # A pattern that can't be understood means nothing to the agent either.
        with suppress(ConfigError):
            where = "patterns of the agent"
            compiled.append((pattern, compile_patterns([_anchored(pattern)], where=where)))
    return lambda path: any(
        path == pattern or rules.match(path.lstrip("/")) is not None for pattern, rules in compiled
    )


def _anchored(pattern: str) -> str:
    return pattern if pattern.startswith(("/", "**")) else f"**/{pattern}"


PARSERS: Final = Parsers(_read_yaml, _compile_paths)
"""What settings and rules of the agents are read by."""
