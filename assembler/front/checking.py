"""`check`: everything that can be said of a repository's policy without running anything.

One list of findings of chains, skills, pins of tools and the lock. Paths narrow what is told and
never what is computed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from assembler.config.defaults import DEFAULT_PROFILE
from assembler.errors import UsageError
from assembler.front.opening import (
    OpenRepository,
    begin_listing,
    chain_names,
    open_repository,
)
from assembler.front.trees import PolicyRevision
from assembler.model.catalogue import RULES
from assembler.model.chain import Chain, folders_down_to, join_path, parent_folder
from assembler.model.finding import Finding, make_finding
from assembler.model.names import escape_bytes
from assembler.model.quieted import Quieted
from assembler.model.skill_places import all_roots, skill_names
from assembler.model.tree import EntryKind, NamedPaths

if TYPE_CHECKING:
    from assembler.front.chains import ChainsFound
    from assembler.front.check_others import OthersFound
    from assembler.front.seen_agents import SeenAgents

ALL_AGENTS: Final = "all"
OF_OTHER_AGENTS: Final = frozenset({"ASM116"})
WIDENS: Final = "profile-widens-host"


class CheckReport(NamedTuple):
    """What is wrong, and what was looked at."""

    findings: tuple[Finding, ...]
    """By place."""
    chains: int
    """Folders with instruction files whose chain was looked at."""
    skills: int
    catalogs: int
    """Pins of servers."""
    paths: tuple[str, ...]
    """What was asked about, root-relative; empty: all."""
    at: str
    revision: str | None
    profile: str
    policy_from: PolicyRevision | None = None
    """The revision that judged, where one was asked for."""
    quieted: tuple[Quieted, ...] = ()
    """What the profile excepts and the baseline knows, by place."""
    gone: int | None = None
    """Findings of the baseline that are not there any more; None: nobody can tell."""

    def count(self, severity: str) -> int:
        """The findings of one severity."""
        return sum(finding.severity == severity for finding in self.findings)


def check_repository(
    cwd: Path,
    *,
    environment: Mapping[str, str],
    at: str = "worktree",
    paths: Sequence[str] = (),
    profile: str | None = None,
    host: Path | None = None,
    codes: frozenset[str] = frozenset(RULES),
    policy_from: str | None = None,
    baseline: str | None = None,
    agents: Sequence[str] = (),
) -> CheckReport:
    """The findings of everything, or of what some paths have to do with.

    Args:
        cwd: absolute, links resolved; relative paths are read from it.
        environment: for the user's folders and the documented variables.
        at: `worktree`, `index` or a revision.
        paths: files or folders; everything is computed whatever they are.
        profile: a name or a file.
        host: the host manifest.
        codes: the findings that are wanted.
        policy_from: the revision whose profile, lock and pins judge what stands at `at`.
        baseline: a file with what is known already, relative to `cwd`.
        agents: names of agents beside those that the profile declares.

    Raises:
        UsageError, ConfigError: a path is missing, or something could not be looked at.
    """
    try:
        with open_repository(
            cwd,
            environment=environment,
            at=at,
            profile=profile,
            host=host,
            policy_from=policy_from,
        ) as repository:
            return _check(
                repository,
                cwd,
                at=at,
                paths=paths,
                codes=codes,
                baseline=baseline,
                agents=agents,
            )
    except UsageError as error:
        if error.code != WIDENS:
            raise
        return _only_widening(error, at, codes)


def _check(
    repository: OpenRepository,
    cwd: Path,
    *,
    at: str,
    paths: Sequence[str],
    codes: frozenset[str],
    baseline: str | None,
    agents: Sequence[str],
) -> CheckReport:
    roots = all_roots(repository.policy.skill_roots())
    declared = declared_agents(repository, agents)
    if declared:
        # Which agent reads a file, and which never does, is then told by agent.
        codes -= OF_OTHER_AGENTS
    names = {*chain_names(repository.rules), *skill_names(roots), *names_of_agents(declared)}
    begin_listing(repository, names)
    # While git walks the folders: whatever has to be loaded, and all that asks for no listing.
    from assembler.front.chains import find_chains
    from assembler.front.check_others import find_others, find_tools
    from assembler.front.check_telling import (
        all_chains,
        baseline_places,
        beside_baseline,
        find_unused_exceptions,
        load_known,
        tell_apart,
    )

    named = _look_at(repository, paths, cwd)
    revision = repository.tree.revision
    known = load_known(repository, baseline, cwd)
    tools = find_tools(repository)
    listed = repository.tree.list_named(names)
    found = find_chains(repository, named=tuple(named.values()), listed=listed)
    require_whole(found)
    chains = dict(_touched(found, named) if paths else all_chains(found))
    agents_seen = see_agents(repository, declared, listed)
    others = find_others(
        repository,
        found,
        listed,
        roots,
        codes,
        tools=tools,
        agents=agents_seen,
        declared=declared,
        judging=baseline_places(repository, baseline, cwd),
    )
    unused = find_unused_exceptions(repository, found, others, codes)
    if paths:
        others = _narrow(others._replace(findings=(*others.findings, *unused)), named)
        unused = ()
    told, quieted = tell_apart(repository, chains.values(), (*others.findings, *unused), codes)
    gone = None
    if known is not None:
        told, quieted, gone = beside_baseline(known, told, quieted, codes, str(baseline))
    return CheckReport(
        findings=told,
        chains=len(chains.keys() & found.by_folder.keys()),
        skills=len(others.skills),
        catalogs=len(others.pins),
        paths=tuple(named),
        at=at,
        revision=revision,
        profile=repository.profile,
        policy_from=repository.trees.policy_from,
        quieted=quieted,
        gone=None if paths else gone,
    )


def declared_agents(repository: OpenRepository, more: Sequence[str] = ()) -> tuple[str, ...]:
    """The agents that the profile declares, and others that the caller names, sorted."""
    loaded = repository.policy.loaded
    own = () if loaded is None else loaded.profile.agents
    if ALL_AGENTS in more:
        # Which ones are known is asked for by few.
        from assembler.front.agent_inputs import known_agents

        more = (*known_agents(), "codex")
    return tuple(sorted({*own, *more}))


def names_of_agents(agents: Sequence[str]) -> set[str]:
    """What a listing has to look for; most repositories declare no agent."""
    if not agents:
        return set()
    from assembler.front.agent_views import agent_names

    return agent_names(agents)


def see_agents(
    repository: OpenRepository, agents: Sequence[str], listed: NamedPaths
) -> SeenAgents | None:
    """The declared agents, not looked at yet; None: there are none."""
    if not agents:
        return None
    # Few repositories declare any.
    from assembler.front.seen_agents import SeenAgents

    return SeenAgents(repository, listed.paths)


def _only_widening(error: UsageError, at: str, codes: frozenset[str]) -> CheckReport:
    """What a profile that asks for too much leaves to say: no rule of it holds."""
    finding = make_finding(
        "ASM702",
        DEFAULT_PROFILE if error.where is None else error.where.partition(":")[0],
        f"{error.message}; nothing else was looked at",
        fix=error.next_step,
    )
    findings = (finding,) if finding.code in codes else ()
    return CheckReport(findings, 0, 0, 0, (), at, None, "")


def _narrow(others: OthersFound, named: Iterable[str]) -> OthersFound:
    """What is at or below some paths, and the skills whose files they are."""
    paths = tuple(named)

    def is_told(place: str) -> bool:
        return any(_is_at(place, path) for path in paths)

    skills = tuple(
        skill
        for skill in others.skills
        if is_told(skill.path)
        or (skill.folder and any(_is_at(path, skill.folder) for path in paths))
    )
    places = {place for skill in skills for place in (skill.path, skill.folder)}
    return others._replace(
        skills=skills,
        pins=tuple(pin for pin in others.pins if is_told(pin)),
        findings=tuple(
            finding
            for finding in others.findings
            if finding.path in places or is_told(finding.path or "")
        ),
    )


def _look_at(repository: OpenRepository, paths: Sequence[str], cwd: Path) -> dict[str, str]:
    """The named paths, root-relative, each with the folder that an agent would start in.

    Raises:
        UsageError: `path-missing`, `path-outside`.
    """
    from assembler.front.chains import leave_for_own_root

    workplace, tree = repository.workplace, repository.tree
    relative = {workplace.relative(path, base=cwd): path for path in paths}
    entries = tree.look_up([*relative, *map(parent_folder, relative)])
    named: dict[str, str] = {}
    for path, as_given in relative.items():
        if entries[path].kind is EntryKind.MISSING:
            from assembler.front.targets import path_missing

            raise path_missing(as_given, path, tree)
        is_folder = entries[path].kind is EntryKind.DIRECTORY
        # An agent that starts behind a link starts where the link leads.
        start = path if is_folder else parent_folder(path)
        real_path = entries[start].real_path
        folder = start if real_path is None else real_path
        named[folder if is_folder else join_path(folder, path.rpartition("/")[2])] = folder
        leave_for_own_root(repository, folder, as_given)
    return named


def require_whole(found: ChainsFound) -> None:
    """Refuse to call clean what could not be looked at."""
    if found.unnamable:
        raise UsageError(
            "path-not-utf8",
            "instructions on a path that is not UTF-8, so that no rule can speak of them",
            where=escape_bytes(found.unnamable[0]),
            next_step="rename the folder",
        )
    if found.truncated:
        raise UsageError(
            "size-limit",
            "the folder holds more files than are listed without git",
            next_step="start deeper with -C, or inside a repository",
        )


def _touched(found: ChainsFound, named: Mapping[str, str]) -> Iterator[tuple[str, Chain]]:
    """The chains that have a file at or below a path, and the one that holds for the path."""
    for folder in named.values():
        ways = folders_down_to(folder) if found.start == "root" else (folder,)
        nearest = next((way for way in reversed(ways) if way in found.by_folder), None)
        if nearest is not None:
            yield nearest, found.by_folder[nearest]
        if folder in found.bare:
            # The rest of it is what the nearest chain says.
            bare = found.bare[folder]
            own = tuple(one for one in bare.findings if _is_at(one.path or "", folder))
            yield folder, bare._replace(findings=own)
    for folder, chain in found.by_folder.items():
        if any(_is_at(row.path, path) for row in chain.rows for path in named):
            yield folder, chain


def _is_at(path: str, place: str) -> bool:
    return not place or path == place or path.startswith(f"{place}/")
