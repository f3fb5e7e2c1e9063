"""What `check` says beside instruction chains: skills, pins of tools, the lock, agents."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from assembler.config.defaults import INDEX, LOCK
from assembler.discover.pins import find_pins
from assembler.front.chains import ChainsFound
from assembler.front.opening import OpenRepository
from assembler.front.skill_looking import SkillGround, SkillsFound, look_at_skills
from assembler.front.skill_search import SeenSkills
from assembler.front.trees import named_in
from assembler.model.finding import Finding
from assembler.model.skill import Skill
from assembler.model.tree import EntryKind, NamedPaths

if TYPE_CHECKING:
    from assembler.front.seen_agents import SeenAgents
    from assembler.model.locked import LockChange


class OthersFound(NamedTuple):
    """What was looked at, and what is wrong with it."""

    skills: tuple[Skill, ...]
    pins: tuple[str, ...]
    """Path of each pin that could be read."""
    findings: tuple[Finding, ...]
    seen: SeenSkills
    """The skills before any of them is hidden by another one."""


class ToolsSeen(NamedTuple):
    """The pins that could be read, by path, and what is wrong with them."""

    pins: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()


def find_tools(repository: OpenRepository) -> ToolsSeen:
    """Every finding of pins and allowlists; no listing of the repository is asked for.

    Raises:
        UsageError, ConfigError: something could not be looked at, the artifact index and the
            records file among it.
    """
    _require_readable(repository)
    faults = _find_definition_faults(repository)
    if not repository.policy.servers and not any(map(find_pins, set(repository.trees[:2]))):
        return ToolsSeen(findings=faults)
    # Reading pins loads more than all the rest: most repositories have none.
    from assembler.front.tool_findings import find_tool_findings
    from assembler.front.tool_place import make_tool_work

    work = make_tool_work(
        repository.workplace, repository.tree.at, repository.trees, repository.policy
    )
    found = find_tool_findings(work)
    return ToolsSeen(found.pins, (*found.findings, *faults))


def _find_definition_faults(repository: OpenRepository) -> tuple[Finding, ...]:
    """Why no run could have the resident tools that the profile names, where that is so."""
    policy = repository.policy
    if not policy.resident:
        return ()
    from assembler.front.tool_findings import find_definition_faults
    from assembler.front.tool_terms import ToolPlace

    place = ToolPlace(policy, repository.trees.policy, policy.read_scope(), {})
    return tuple(find_definition_faults(place))


def find_others(
    repository: OpenRepository,
    chains: ChainsFound,
    listed: NamedPaths,
    roots: tuple[str, ...],
    codes: Collection[str],
    *,
    tools: ToolsSeen,
    agents: SeenAgents | None,
    declared: Sequence[str] = (),
    judging: Sequence[str] = (),
) -> OthersFound:
    """Every finding of skills, pins and the lock, and what declared agents leave out.

    Args:
        repository: as opened.
        chains: all of them.
        listed: where SKILL.md and the folders of skills stand.
        roots: the folders of skills that every level may have.
        codes: those that are wanted; what none of them is about is not computed.
        tools: of `find_tools`.
        agents: those that are looked at, by the same listing.
        declared: those among them that findings are about.
        judging: files that judge beside those that policy is made of.

    Raises:
        UsageError, ConfigError: something could not be looked at.
    """
    lock = repository.trees.policy.look_up([LOCK])[LOCK].kind is not EntryKind.MISSING
    skills = _find_skills(repository, listed, roots, is_locked=lock)
    findings = [_judged(finding, repository.trees.judge) for finding in skills.findings]
    findings += tools.findings
    if repository.trees.policy is not repository.tree:
        from assembler.front.policy_changes import find_policy_changes

        findings += find_policy_changes(repository, more=judging)
    if lock and "ASM701" in codes:
        findings += _find_stale(repository, chains, skills, roots, agents)
    if agents is not None and declared:
        from assembler.front.agent_views import find_agent_findings

        loads = agents.loads(declared)
        findings += find_agent_findings(repository, declared, loads, listed.paths, chains)
    return OthersFound(skills.skills, tools.pins, tuple(findings), skills.seen)


def _judged(finding: Finding, judge: str | None) -> Finding:
    """The same; a pin that another revision has is mended by nothing that is written here."""
    if judge is None or finding.code != "ASM210":
        return finding
    return finding._replace(fix=f"review the change; it is locked once the lock of {judge} has it")


def _require_readable(repository: OpenRepository) -> None:
    """Refuse to call clean what no run could read: the artifact index and the records file.

    Raises:
        ConfigError: one of them says nothing usable.
    """
    profile = None if repository.policy.loaded is None else repository.policy.loaded.profile
    index = INDEX if profile is None else profile.evidence.index
    tree, scope = repository.tree, repository.policy.read_scope()
    if tree.look_up([index])[index].kind is not EntryKind.MISSING:
        from assembler.config.artifacts import read_artifacts
        from assembler.front.profiles import read_document, read_policy_file

        data = read_policy_file(tree, index, scope)
        if data is not None:
            read_artifacts(read_document(data, index), path=index)
    if profile is not None and profile.records is not None:
        from assembler.front.record_terms import read_records_file

        read_records_file(profile.records.file, tree, scope)


def _find_skills(
    repository: OpenRepository, listed: NamedPaths, roots: tuple[str, ...], *, is_locked: bool
) -> SkillsFound:
    policy, tree = repository.policy, repository.tree
    pins = {}
    if is_locked:
        from assembler.front.skills import load_locked

        with named_in(repository.trees.policy_from):
            pins = load_locked(repository.trees.policy, policy.read_scope())
    ground = SkillGround(tree, roots, repository.reader, repository.workplace.root.name)
    return look_at_skills(
        ground,
        listed,
        pins=pins,
        resident=policy.resident,
        may_be_outside=policy.looks_outside,
        environment=repository.environment,
    )


def _has_own_code(change: LockChange, servers: Collection[str]) -> bool:
    """Whether another finding tells it: of a skill or pin that is another one or gone.

    A pin that is gone is missed where the profile names its server.
    """
    if change.kind == "catalog" and change.state == "D":
        return change.name in servers
    return change.state != "A" and change.kind in ("skill", "catalog")


def _find_stale(
    repository: OpenRepository,
    chains: ChainsFound,
    skills: SkillsFound,
    roots: Sequence[str],
    agents: SeenAgents | None,
) -> Iterator[Finding]:
    """What is not locked; of skills and catalogs their own codes tell what is another one."""
    from assembler.assess.lock_changes import compare_lock, find_stale
    from assembler.front.lockable import find_lockable
    from assembler.front.locking import load_lock_entries

    trees = repository.trees
    with named_in(trees.policy_from):
        locked = load_lock_entries(trees.policy, repository.policy.read_scope()) or ()
    found = find_lockable(repository, chains, skills.seen, roots, counter=None, agents=agents)
    changes = compare_lock(locked, found.entries)
    servers = repository.policy.servers
    yield from find_stale(
        [change for change in changes if not _has_own_code(change, servers)],
        lock=LOCK,
        judge=trees.judge,
    )
    yield from found.findings
