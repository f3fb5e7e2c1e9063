"""The terms of one run: what was asked and granted, brought together from task, profile, host."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from assembler.model.candidate import Candidate
from assembler.model.catalog import ServerOffer, ToolDefinition
from assembler.model.chain import Surroundings, WalkRules
from assembler.model.dated_record import RecordTerms
from assembler.model.evidence import Artifact, ChangedListing, Discovered, SearchTerms
from assembler.model.inventory import Adapter, BudgetTerms, Seal, TaskIdentity
from assembler.model.server import ServerAddress
from assembler.model.skill_pin import SkillPin


class GlobalInstructions(NamedTuple):
    """The host's own instruction file."""

    label: str
    """How its row names it: as the host wrote it."""
    data: bytes


class PolicyTerms(NamedTuple):
    """Which instruction files are policy."""

    rules: WalkRules
    ends: tuple[str, ...]
    """Paths down to which the walk goes, root-relative."""
    surroundings: Surroundings = Surroundings()
    global_file: GlobalInstructions | None = None
    instruction: str | None = None
    """The invoker's own instruction."""
    configuration: tuple[str, ...] = ()
    """Files of the repository that say what is policy, there or not, root-relative."""


class TaskTerms(NamedTuple):
    """What the task says in words."""

    objective: str | None
    question: str | None
    examples: tuple[tuple[str, str], ...]
    targets: tuple[str, ...]
    proof: str | None
    work_changed: str | None
    work_next: str | None


class SkillResource(NamedTuple):
    """A file of a skill's folder that is asked for by name."""

    skill: str
    path: str
    """In the folder, as it was asked for."""
    reason: str


class CatalogCeiling(NamedTuple):
    """Most that the lines of the catalog may cost together."""

    amount: int
    unit: str
    """The counter's, in the singular."""


TASK_NAMES_IT: Final = "task names it"
"""Why a skill is active that the task lists."""


class SkillTerms(NamedTuple):
    """Where skills are looked for, which are active, and what holds for them."""

    roots: tuple[str, ...]
    """Folders beside `.agents/skills`, looked for in every folder down to `cwd`."""
    cwd: str
    active: tuple[tuple[str, str], ...]
    """Name and reason of each activation that task or profile ask for."""
    outside: tuple[str, ...] = ()
    """Folders outside the repository, by the label that their paths begin with."""
    resources: tuple[SkillResource, ...] = ()
    """Of active skills."""
    named: tuple[tuple[str, str], ...] = ()
    """Name and place of every skill that the profile speaks of, whether a rule holds or not."""
    always: frozenset[str] = frozenset()
    """Whose lines are the last to lose anything."""
    ceiling: CatalogCeiling | None = None
    """None: the catalog has no bound of its own."""
    pins: Mapping[str, SkillPin] = {}
    """By name, the host's before the repository's."""
    distrust: str | None = None
    """Why the repository's own skills are not used; None: they are."""


class ToolTerms(NamedTuple):
    """Resident tools, and what is known of each server with what is allowed of it."""

    resident: tuple[ToolDefinition, ...]
    withheld: tuple[str, ...]
    """Resident tools that the profile names and the host does not grant."""
    servers: tuple[tuple[ServerOffer, frozenset[str]], ...]
    declared_in: tuple[str, ...] = ()
    """Folders in which the repository may declare servers, root-relative."""
    known: Mapping[str, ServerAddress | None] = {}
    """How the host reaches each server of its manifest; None: it can only list."""


class EvidenceTerms(NamedTuple):
    """What evidence is wanted."""

    named: tuple[Discovered, ...]
    summaries: tuple[Discovered, ...]
    """Stored summaries, their candidates as the index gives them; `path` is the summary's."""
    artifacts: Mapping[str, Artifact]
    """The index, by candidate id."""
    unfound: tuple[Candidate, ...]
    """Rows of wanted things that no source has."""
    searches: tuple[SearchTerms, ...]
    trust: Mapping[str, str]
    """Trust word of each source class."""
    changed: ChangedListing | None = None
    """What is changed, where that is asked for."""
    lists_siblings: bool = False
    """Whether the files beside each target are listed."""
    required: frozenset[str] = frozenset()
    """Ids that the task requires: what is only listed is opened for them."""


class GrantedActions(NamedTuple):
    """What the host lets the agent do, as far as a text could ask for it; never rendered."""

    hosts: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()


class RunTerms(NamedTuple):
    """Everything one run is made under."""

    identity: TaskIdentity
    budget: BudgetTerms
    layout: str
    adapter: Adapter
    seal: Seal
    required: tuple[str, ...]
    policy: PolicyTerms
    task: TaskTerms
    skills: SkillTerms
    tools: ToolTerms
    evidence: EvidenceTerms
    records: RecordTerms = RecordTerms()
    granted: GrantedActions | None = None
    """None: neither host nor profile says what is granted."""
