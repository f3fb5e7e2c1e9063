"""`lock`: what a repository's policy is now, beside what its lock file records.

A digest is recorded as somebody saw it: pins of tools are moved by `tools approve` alone, so an
entry of a catalog that the lock has stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from assembler.assess.lock_changes import compare_lock, tell_changes
from assembler.authorize.read_scope import ReadScope
from assembler.config.defaults import LOCK
from assembler.config.lock import Lock, read_lock
from assembler.config.pin import read_pin
from assembler.discover.pins import find_pins
from assembler.errors import RefusedError, UsageError
from assembler.front.chains import ChainsFound, find_chains
from assembler.front.counting import counters
from assembler.front.opening import OpenRepository, open_repository
from assembler.front.pin_writing import replace_lock
from assembler.front.policy_changes import find_policy_changes
from assembler.front.profiles import read_document, read_policy_file
from assembler.front.skill_check_pins import find_answers
from assembler.front.skill_looking import see_all_skills
from assembler.front.skill_search import SeenSkills
from assembler.front.tool_terms import MAX_LISTING_BYTES
from assembler.front.trees import PolicyRevision, named_in
from assembler.model.chain import Chain, parent_folder
from assembler.model.digest import sha256_hex
from assembler.model.finding import Finding, make_finding
from assembler.model.limits import is_countable
from assembler.model.locked import LockChange, Locked, chain_name
from assembler.model.skill import folder_sha256
from assembler.model.skill_places import SKILL_FILE, all_roots
from assembler.model.tree import EntryKind, Unreadable
from assembler.offers.skill_folders import digest_folders
from assembler.ports import Counter, SourceTree
from assembler.record.lock import write_lock

if TYPE_CHECKING:
    from assembler.front.seen_agents import SeenAgents

PROFILES_FOLDER: Final = parent_folder(LOCK)
PROFILE_ENDINGS: Final = (".yaml", ".yml")
MAX_PROFILES: Final = 1_000


class LockReport(NamedTuple):
    """What is locked, what is there, and how the two differ."""

    locked: tuple[Locked, ...] | None
    """None: there is no lock file."""
    current: tuple[Locked, ...]
    changes: tuple[LockChange, ...]
    """All of them; against no lock everything is new."""
    findings: tuple[Finding, ...]
    """What can't be locked, and a change of the lock by what it is to judge."""
    root: Path
    at: str
    revision: str | None
    profile: str
    counter: str
    policy_from: PolicyRevision | None
    judge: str | None
    """The revision whose lock it is, where that is another place than `at`."""


def report_lock(
    cwd: Path,
    *,
    environment: Mapping[str, str],
    at: str = "worktree",
    profile: str | None = None,
    host: Path | None = None,
    policy_from: str | None = None,
) -> LockReport:
    """The policy of a repository beside its lock.

    Args:
        cwd: absolute, links resolved.
        environment: for the user's folders and the documented variables.
        at: `worktree`, `index` or a revision; policy and lock are both read there.
        profile: a name or a file; its `instructions`, `skills.roots`, `counter` and denies count.
        host: the host manifest.
        policy_from: the revision whose profile and lock judge what stands at `at`, instead.

    Raises:
        UsageError, ConfigError: what was named is missing, the lock says nothing usable, or
            something could not be looked at.
    """
    with (
        open_repository(
            cwd,
            environment=environment,
            at=at,
            profile=profile,
            host=host,
            policy_from=policy_from,
        ) as repository,
        counters(environment) as open_counter,
    ):
        trees = repository.trees
        with named_in(trees.policy_from):
            locked = load_lock_entries(trees.policy, repository.policy.read_scope())
        chains = find_chains(repository)
        _require_whole(chains)
        roots = all_roots(repository.policy.skill_roots())
        seen = see_all_skills(repository.reader, roots)
        found = find_lockable(
            repository, chains, seen, roots, counter=open_counter(repository.counter)
        )
        return LockReport(
            locked=locked,
            current=found.entries,
            changes=compare_lock(locked or (), found.entries),
            findings=(*found.findings, *find_policy_changes(repository, paths=[LOCK])),
            root=repository.workplace.root,
            at=at,
            revision=repository.tree.revision,
            profile=repository.profile,
            counter=repository.counter,
            policy_from=trees.policy_from,
            judge=trees.judge,
        )


class Lockable(NamedTuple):
    """What a lock of a repository would hold, and what it can't."""

    entries: tuple[Locked, ...]
    findings: tuple[Finding, ...]


def find_lockable(
    repository: OpenRepository,
    chains: ChainsFound,
    seen: SeenSkills,
    roots: Sequence[str],
    *,
    counter: Counter | None,
    agents: SeenAgents | None = None,
) -> Lockable:
    """The entries of what is there now.

    Args:
        repository: as opened.
        chains: all of them.
        seen: all skills.
        roots: the folders of skills that a run from the root looks in.
        counter: None: nothing is counted, which a comparison does not need.
        agents: the declared ones, where they are seen already.
    """
    scope = repository.policy.read_scope()
    skills, findings = _skills(repository, seen, roots, counter)
    instructions = [*_instructions(chains, counter)]
    others, unlockable = _others(repository, [*instructions, *skills], counter, agents)
    findings = (*findings, *unlockable)
    return Lockable(
        (
            *instructions,
            *others,
            *skills,
            *_catalogs(repository.tree, scope, counter),
            *_profiles(repository.tree, scope),
        ),
        findings,
    )


def write_report(report: LockReport) -> bool:
    """Write the lock of what is there; False where it says so already.

    Entries of catalogs that the lock has stay as they are.

    Raises:
        UsageError: `path-outside` where the lock or its folder is a link, `path-unwritable`.
    """
    kept = {entry.name: entry for entry in report.locked or () if entry.kind == "catalog"}
    entries = [
        kept.get(entry.name, entry) if entry.kind == "catalog" else entry
        for entry in report.current
    ]
    data = write_lock([entry.to_json() for entry in entries])
    return replace_lock(report.root, data)


def load_lock_entries(tree: SourceTree, scope: ReadScope) -> tuple[Locked, ...] | None:
    """The entries of the lock file of a tree; None: there is none.

    Raises:
        ConfigError: it is there and says nothing usable.
    """
    data = read_policy_file(tree, LOCK, scope)
    if data is None:
        return None
    return _entries_of(read_lock(data, path=LOCK, read_document=read_document))


def _entries_of(lock: Lock) -> tuple[Locked, ...]:
    return tuple(
        Locked(entry.kind, entry.name, entry.sha256, entry.tokens, entry.instructions, entry.files)
        for entry in lock.entries
    )


def _require_whole(chains: ChainsFound) -> None:
    if chains.truncated or chains.unnamable:
        raise UsageError(
            "size-limit" if chains.truncated else "path-not-utf8",
            "not every instruction file can be looked at, so no lock would be whole",
            next_step="assembler check",
        )


def _instructions(chains: ChainsFound, counter: Counter | None) -> Iterator[Locked]:
    """Each instruction file that some chain loads, and each chain."""
    files: dict[str, Locked] = {}
    loaded = list(
        dict.fromkeys(text for chain in chains.by_folder.values() for text in chain.texts.values())
    )
    tokens = dict(zip(loaded, _count(loaded, counter), strict=True))
    for folder, chain in chains.by_folder.items():
        for row in chain.rows:
            text = chain.texts.get(row.path)
            if text is not None and row.sha256 is not None:
                path = row.path
                files[path] = Locked("instruction", path, row.sha256, tokens[text], place=path)
        if chain.texts:
            yield Locked(
                "chain",
                chain_name(folder),
                folder_sha256({path: sha256_hex(text) for path, text in chain.texts.items()}),
                _sum(tokens[text] for text in chain.texts.values()),
                place=[*chain.texts][-1],
            )
    yield from files.values()


def _count(texts: Sequence[bytes], counter: Counter | None) -> Sequence[int | None]:
    return [None] * len(texts) if counter is None else counter.count_all(texts)


def _sum(counts: Iterable[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def _skills(
    repository: OpenRepository, seen: SeenSkills, roots: Sequence[str], counter: Counter | None
) -> tuple[list[Locked], tuple[Finding, ...]]:
    """The skill of each name that a run from the root lists, else the first of deeper ones."""
    reader = repository.reader
    names = {skill.name for skill in seen.skills if skill.state == "listed" and skill.name}
    chosen = [find_answers(name, seen.skills, roots)[0] for name in sorted(names)]
    folders = digest_folders(chosen, seen.search, reader, wanted=lambda _: True)
    counts = _count([reader.contents.get(skill.path, b"") for skill in chosen], counter)
    entries: list[Locked] = []
    findings: list[Finding] = []
    for skill, tokens in zip(chosen, counts, strict=True):
        folder = folders[skill.path]
        if folder.sha256 is None:
            findings.append(_unlockable(skill.path, *folder.untold[0]))
            continue
        entries.append(
            Locked(
                "skill",
                str(skill.name),
                folder.sha256,
                tokens,
                skill.instructions_sha256,
                folder.files,
                place=skill.path,
            )
        )
    return entries, tuple(findings)


def _unlockable(place: str, path: str, reason: str) -> Finding:
    what = f"{path} ({reason})" if path else reason
    return make_finding(
        "ASM701", place, f"can't be locked: {what}", fix="make its folder readable and smaller"
    )


def _others(
    repository: OpenRepository,
    known: Sequence[Locked],
    counter: Counter | None,
    agents: SeenAgents | None,
) -> tuple[list[Locked], tuple[Finding, ...]]:
    """Each file that steers one of the declared agents and that no other entry is about."""
    loaded = repository.policy.loaded
    if loaded is None or not loaded.profile.agents:
        return [], ()
    if agents is None:
        # Few repositories declare any.
        from assembler.front.agent_views import agent_names
        from assembler.front.seen_agents import SeenAgents

        listed = repository.tree.list_named({*agent_names(loaded.profile.agents), SKILL_FILE})
        agents = SeenAgents(repository, listed.paths)
    instructions = {entry.name for entry in known if entry.kind == "instruction"}
    folders = tuple(
        f"{parent_folder(str(entry.place))}/" for entry in known if entry.kind == "skill"
    )
    texts: dict[str, bytes] = {}
    findings: list[Finding] = []
    for path, data in agents.read_policy(loaded.profile.agents).items():
        if path in instructions or path.startswith(folders):
            continue
        if isinstance(data, Unreadable):
            findings.append(_unlockable(path, "", data.reason))
        else:
            texts[path] = data
    countable = [data for data in dict.fromkeys(texts.values()) if is_countable(data)]
    tokens = dict(zip(countable, _count(countable, counter), strict=True))
    entries = [
        Locked("instruction", path, sha256_hex(data), tokens.get(data), place=path)
        for path, data in texts.items()
    ]
    return entries, tuple(findings)


def _catalogs(tree: SourceTree, scope: ReadScope, counter: Counter | None) -> Iterator[Locked]:
    for server, entry in sorted(find_pins(tree).items()):
        data = read_policy_file(tree, entry.path, scope, limit_bytes=MAX_LISTING_BYTES)
        if data is None:
            continue
        pin = read_pin(data, server=server, where=entry.path)
        rendered = [tool.rendered() for tool in pin.tools.values()] if counter else []
        digest = pin.catalog.removeprefix("sha256:")
        tokens = _sum(_count(rendered, counter))
        yield Locked("catalog", pin.server, digest, tokens, place=entry.path)


def read_profiles(tree: SourceTree, scope: ReadScope) -> dict[str, str]:
    """The digest of each profile of the repository, by path.

    Raises:
        ConfigError: one is there and can't be read.
    """
    return {str(entry.place): entry.sha256 for entry in _profiles(tree, scope)}


def _profiles(tree: SourceTree, scope: ReadScope) -> Iterator[Locked]:
    listing = tree.list_under([PROFILES_FOLDER], max_depth=0, max_entries=MAX_PROFILES)
    paths = [entry.path for entry in listing.entries if entry.path.endswith(PROFILE_ENDINGS)]
    for path, entry in sorted(tree.look_up(paths).items()):
        if entry.kind is EntryKind.FILE:
            data = read_policy_file(tree, path, scope)
            if data is not None:
                yield Locked("profile", path, sha256_hex(data), place=path)


def require_locked(
    cwd: Path,
    *,
    environment: Mapping[str, str],
    at: str,
    profile: str | None,
    host: Path | None,
) -> tuple[Locked, ...]:
    """Refuse a run whose policy is not what is locked; arguments as `report_lock`.

    Returns:
        The entries of the lock.

    Raises:
        UsageError, ConfigError: as `report_lock`; `lock-missing`.
        RefusedError: `lock-stale`, naming the first thing.
    """
    report = report_lock(cwd, environment=environment, at=at, profile=profile, host=host)
    if report.locked is None:
        raise no_lock()
    told = tell_changes(report.changes)
    if told:
        more = f" and {len(told) - 1:,} more" if len(told) > 1 else ""
        raise RefusedError(
            "lock-stale",
            f"policy is not what is locked: {told[0].shown_name}{more}",
            where=LOCK,
            next_step="assembler lock --check; then `assembler lock`, after a review",
        )
    return report.locked


def require_chain_locked(chain: Chain, locked: Iterable[Locked]) -> None:
    """Refuse a chain with a file that is not locked, wherever it stands.

    The lock has the files of every folder that git lists; a run may start or aim elsewhere, in a
    folder that git ignores.

    Raises:
        RefusedError: `lock-stale`, naming the first of them.
    """
    known = {(entry.name, entry.sha256) for entry in locked if entry.kind == "instruction"}
    for row in chain.rows:
        if row.path in chain.texts and (row.path, row.sha256) not in known:
            raise RefusedError(
                "lock-stale",
                f"the run would load instructions that are not locked: {row.path}",
                where=LOCK,
                next_step=f"remove {row.path}, or track it in git, then `assembler lock`",
            )


def no_lock(judge: str | None = None) -> UsageError:
    """There is no lock file, in the revision that is to judge if one is."""
    return UsageError(
        "lock-missing",
        f"no {LOCK}{f' in {judge}' if judge else ''}",
        where=LOCK,
        next_step=f"make one{' there' if judge else ''}: assembler lock",
    )
