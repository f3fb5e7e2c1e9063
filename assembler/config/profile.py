"""`assembler/profile/1`: what goes into a run, written by hand. Digests never stand here."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from assembler.config.defaults import COUNTER, DEFINITIONS, INDEX
from assembler.config.records import Meta, Struct, field, msgspec
from assembler.model.limits import MAX_KEYWORD_CHARACTERS

SCHEMA: Final = "assembler/profile/1"

Amount = Annotated[int, Meta(ge=0, le=10**11)]
"""An amount in the budget's unit."""
Days = Annotated[int, Meta(ge=0, le=100_000)]
"""Days; some 270 years at most."""
Share = (
    Annotated[float, Meta(ge=0, le=1)]
    | Annotated[str, Meta(pattern=r"^(0(\.[0-9]{1,9})?|1(\.0{1,9})?)$")]
)
"""A part of a whole; YAML text keeps the digits as they are written."""
Keyword = Annotated[str, Meta(pattern=r"\S", max_length=MAX_KEYWORD_CHARACTERS)]
EvidenceTrust = Literal["observed", "repository", "derived", "untrusted"]
"""Trust words that evidence may have; policy alone is authorized."""


class Reserve(Struct, frozen=True, forbid_unknown_fields=True):
    """What is kept back from the window, in the counter's unit."""

    response: Amount = 0
    """Room for the model's answer; also the request's output limit."""
    observations: Amount = 0
    """Room for tool results to come."""


class Instructions(Struct, frozen=True, forbid_unknown_fields=True, rename={"global_": "global"}):
    """Which instruction files are policy."""

    global_: bool = False
    """Load the host's global file first (`instructions.global` of the host manifest)."""
    walk: Literal["target", "cwd"] = "target"
    """Where the walk from the root ends: each target's folder, or the working directory."""
    fallbacks: list[str] = []
    """Other file names, tried after AGENTS.override.md and AGENTS.md."""
    limit_bytes: Annotated[int, Meta(ge=0, le=10**9)] = 32_768
    """Most bytes of all project files together."""
    on_overflow: Literal["refuse", "cut"] = "refuse"
    """What a run does with a chain over the limit: refuse, or cut it there, on record."""


class Server(Struct, frozen=True, forbid_unknown_fields=True):
    """One MCP server whose catalog is pinned in `.assembler/pins/SERVER.json`."""

    allow: list[str]
    """Exact names of the tools that may enter."""
    listing: str | None = None
    """A saved `tools/list` result that must still be what was pinned."""


class Tools(Struct, frozen=True, forbid_unknown_fields=True):
    """Resident tools and MCP servers."""

    resident: list[str] = []
    """Names out of `definitions`."""
    definitions: str = DEFINITIONS
    """A JSON array of `{name, description, inputSchema}`."""
    servers: dict[str, Server] = {}
    """MCP servers by name."""


class Activation(Struct, frozen=True, forbid_unknown_fields=True):
    """A rule that activates a skill: if any of its conditions holds, and always without one."""

    skill: str
    """Name of the skill."""
    when: str | None = None
    """A glob over the targets, and over changed paths where `changed` is true."""
    keywords: list[Keyword] = []
    """Words of the objective or the question."""
    changed: bool = False
    """Ask of changed paths: those that `when` matches; without `when`, any."""
    resources: list[Annotated[str, Meta(min_length=1)]] = []
    """Files of the skill's folder that enter with it, by their paths in the folder."""


class CatalogBudget(Struct, frozen=True, forbid_unknown_fields=True):
    """A ceiling for the lines of the catalog; of two the lower one holds."""

    tokens: Amount | None = None
    """In the counter's unit."""
    share: Share | None = None
    """Of the window, 0 to 1; what is left of a unit does not count."""

    def __post_init__(self) -> None:
        """Refuse a ceiling that is none."""
        if self.tokens is None and self.share is None:
            raise ValueError("wants `tokens`, `share` or both")

    def ceiling(self, window: int) -> int:
        """The ceiling in the counter's unit, rounded down."""
        from decimal import Decimal

        amounts = [] if self.tokens is None else [self.tokens]
        if self.share is not None:
            amounts.append(int(Decimal(str(self.share)) * window))
        return min(amounts)


class Skills(Struct, frozen=True, forbid_unknown_fields=True):
    """Which skills are listed and which are active."""

    roots: list[str] = []
    """Folders of skills beside `.agents/skills`: root-relative, looked for in every folder down to
    the working directory; or `~/…` or absolute, which the host grants."""
    activate: list[Activation] = []
    """Rules that activate skills."""
    budget: CatalogBudget | None = None
    """A ceiling for the lines of the catalog; left out: none."""
    always: list[str] = []
    """Skills whose lines are the last to be shortened or dropped."""


class ReadGrant(Struct, frozen=True, forbid_unknown_fields=True):
    """Which paths evidence may be read from; patterns as in `.gitignore`, deny wins."""

    allow: list[str] = field(default_factory=lambda: ["**"])
    """Patterns of what may be read as evidence."""
    deny: list[str] = []
    """Patterns that stay closed, whatever is allowed."""


class Trust(Struct, frozen=True, forbid_unknown_fields=True):
    """The trust word of each class of evidence; never taken from a text."""

    source: EvidenceTrust = "repository"
    """Files of the repository."""
    test: EvidenceTrust = "observed"
    """Output of a test."""
    observation: EvidenceTrust = "observed"
    """Result of a tool."""
    issue: EvidenceTrust = "untrusted"
    """Text of an issue."""
    summary: EvidenceTrust = "derived"
    """A stored summary."""


class Lifetimes(Struct, frozen=True, forbid_unknown_fields=True):
    """How long evidence holds that does not say so itself, in days."""

    issue: Days | None = None
    """From its retrieval, else its observation."""
    observation: Days | None = None
    """The same, of a tool's result."""
    test: Days | None = None
    """The same, of a test's output."""


class Evidence(Struct, frozen=True, forbid_unknown_fields=True):
    """Where stored evidence is found, and how long evidence holds."""

    index: str = INDEX
    """The artifact index (`assembler/artifacts/1`)."""
    lifetime_days: Lifetimes = Lifetimes()
    """Of entries without `expires_at`; left out: no end."""
    siblings: bool = False
    """List the files beside each target that is a file."""


class Records(Struct, frozen=True, forbid_unknown_fields=True):
    """Where dated records are found."""

    file: Annotated[str, Meta(min_length=1)]
    """The records file (`assembler/records/1`)."""


class Executor(Struct, frozen=True, forbid_unknown_fields=True):
    """What the host lets the agent do. Host state: never rendered."""

    write: list[str] = []
    """Writable paths."""
    hosts: list[str] = []
    """Outbound hosts."""
    tools: list[str] = []
    """Tools that may run."""


class Exempt(Struct, frozen=True, forbid_unknown_fields=True):
    """Findings of `check` that are known and meant."""

    code: Annotated[str, Meta(min_length=1)]
    """A code, a slug or the beginning of codes."""
    reason: Annotated[str, Meta(pattern=r"\S", max_length=1_000)]
    """Why they stay; on record wherever findings are listed."""
    path: Annotated[str, Meta(min_length=1)] | None = None
    """A glob over the files that they are about; left out: everywhere. An error needs one."""


class Profile(Struct, frozen=True, forbid_unknown_fields=True, rename={"schema_": "schema"}):
    """How the input of a run is made."""

    schema_: Literal["assembler/profile/1"]
    window: Annotated[int, Meta(ge=1, le=10**11)] = 128_000
    """The model's window, in the counter's unit."""
    reserve: Reserve = field(default_factory=lambda: Reserve(response=8_192, observations=4_096))
    """What is kept back from it; naming one member leaves the other at 0."""
    counter: Literal["o200k_base", "cl100k_base", "code-points", "utf8-bytes"] = COUNTER
    """What is counted, and by which vocabulary."""
    layout: Literal["assembler-input/1", "context-contract/1", "control/1"] = "assembler-input/1"
    """The form of the input."""
    instructions: Instructions = Instructions()
    """Which instruction files are policy."""
    tools: Tools = Tools()
    """Resident tools and MCP servers."""
    skills: Skills = Skills()
    """Where skills are found beside `.agents/skills`, and which are active or listed first."""
    read: ReadGrant = ReadGrant()
    """What evidence may be read."""
    trust: Trust = Trust()
    """Trust of each class of evidence."""
    evidence: Evidence = Evidence()
    """Where stored evidence is found, and how long evidence holds."""
    records: Records | None = None
    """Records that hold from one day to another; left out: there are none."""
    executor: Executor = Executor()
    """What the host lets the agent do; never rendered."""
    agents: list[Literal["claude", "codex", "gemini", "opencode"]] = []
    """Agents that work in the repository: `check` and `diff` tell what each of them loads."""
    ignore: Annotated[list[Exempt], Meta(max_length=1_000)] = []
    """Findings that `check` does not tell, each with its reason."""


BUILT_IN: Final = Profile(schema_=SCHEMA)
"""The profile of a run without one."""


def to_plain(record: Struct) -> object:
    """The record as plain values, defaults included; for its digest."""
    return msgspec.to_builtins(record)
