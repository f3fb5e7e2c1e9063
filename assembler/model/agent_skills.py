"""What an agent itself does with skills, as data: roots, limits, models, framing; and its answers.

A description names rules as measured on a stated version; the scan, the reader and the budget
carry them out. Framing sentences are known by size and digest alone: their text is the vendor's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

AgentSkillScope: TypeAlias = Literal["repo", "user", "system", "admin"]

RootPlace: TypeAlias = Literal[
    "project-configuration", "agent-home", "home", "bundled", "system-folder", "walk"
]
"""Where a root stands: below each configuration folder of the project, nearest first; in the
agent's own folder; in HOME; the skills that the agent brings along; in the system's folder; below
each folder from the project's root down to the working directory."""

AgentSkillState: TypeAlias = Literal[
    "listed", "shortened", "dropped", "hidden", "rejected", "shadowed"
]
"""`listed` whole; `shortened` with less of its description, `dropped` without a line, both by the
budget; `hidden` by a setting or by its own policy; `rejected` by the reader; `shadowed` the same
file was met before."""


class SkillRoot(NamedTuple):
    """A kind of folder that is searched for skills."""

    place: RootPlace
    folder: str
    """Below its place."""
    scope: AgentSkillScope
    follows_links: bool = True
    """Into folders; a link to a file is never a skill."""


class KnownModel(NamedTuple):
    """A model of the agent's own catalogue, as far as the list of skills depends on it."""

    slug: str
    window_tokens: int
    most_window_tokens: int
    """What a setting may raise it to."""
    has_usage: bool = False
    """Whether a text on the use of skills follows the list."""


class FramingPiece(NamedTuple):
    """A text of the vendor around the list: its size and digest."""

    name: Literal["introduction", "usage"]
    size_bytes: int
    sha256: str


class SkillFraming(NamedTuple):
    """What stands around the lines; nothing inside is escaped."""

    opening: str
    heading: str
    roots_heading: str
    list_heading: str
    closing: str
    with_roots: tuple[FramingPiece, ...]
    """Introduction and usage where the table of roots stands."""
    without_roots: tuple[FramingPiece, ...]
    """The same where no line is in, which leaves the table out."""


class AgentSkillRules(NamedTuple):
    """How one agent finds, reads and lists skills."""

    roots: tuple[SkillRoot, ...]
    """In the order of search: of one file met twice the first counts."""
    file_name: str
    policy_path: str
    """Beside the file: what the author says of its use."""
    product: str
    """The agent's own name in that file."""
    manifest_paths: tuple[str, ...]
    """Below a folder: whose name goes before those of the skills below it."""
    bundled_marker: str
    """In the folder of the agent's own skills, once it has written them."""
    max_depth: int
    """Folders below a root."""
    max_folders: int
    """Of one root, itself counted."""
    max_entries: int
    """Names of one root that lead somewhere."""
    max_name_characters: int
    max_qualified_name_characters: int
    max_description_characters: int
    """A longer one is cut to this length, with dots at its end."""
    prompt_order: tuple[AgentSkillScope, ...]
    listing_order: tuple[AgentSkillScope, ...]
    budget_percent: int
    """Of the model's window."""
    bytes_per_token: int
    """A line costs its bytes, line feed counted, divided by this and rounded up."""
    fallback_characters: int
    """The budget where no window is known; a line then costs its characters."""
    models: tuple[KnownModel, ...]
    """The first one is used where none is configured."""
    unknown_model: KnownModel
    framing: SkillFraming


class SkillBudget(NamedTuple):
    """What the lines may cost, and why."""

    limit: int
    unit: Literal["token", "character"]
    window_tokens: int | None
    """None: no window is known."""
    model: str
    window_from: str
    """The place of the setting, `model` for the model's own, `unknown-model`."""
    used: int = 0


class AgentSkill(NamedTuple):
    """One SKILL.md as the agent takes it."""

    state: AgentSkillState
    name: str
    """With the prefix of a plugin; of a rejected one that of its folder."""
    scope: AgentSkillScope
    source: str
    """Absolute, links resolved."""
    path: str
    """Absolute, by the way that the search took."""
    root: str
    """Absolute, links resolved."""
    description: str = ""
    """Whole, white space collapsed."""
    reason: str | None = None
    """The slug of a finding, a setting, or the budget."""
    is_enabled: bool = True
    """False where a setting turns it off."""
    line: str | None = None
    """In the model's input."""
    cost: int = 0
    """Of that line, in units of the budget."""

    def to_json(self) -> Mapping[str, object]:
        """The members as the JSON output has them; the description is told by its length."""
        return {
            "state": self.state,
            "name": self.name,
            "scope": self.scope,
            "source": self.source,
            "path": self.path,
            "root": self.root,
            "reason": self.reason,
            "enabled": self.is_enabled,
            "line": self.line,
            "cost": self.cost,
            "description_characters": len(self.description),
        }


_CODEX_FRAMING: Final = SkillFraming(
    opening="<skills_instructions>",
    heading="## Skills",
    roots_heading="### Skill roots",
    list_heading="### Available skills",
    closing="</skills_instructions>",
    with_roots=(
        FramingPiece(
            "introduction",
            261,
            "1e24ced81a2ad9e9b1ae49124c2a7dbafce3d4bbdac215eab60e310811af0140",
        ),
        FramingPiece(
            "usage", 2_553, "84fcff6bfa48cd401ec8e5eaab0fda82dd76d253005c3322156dc1d7bbe6607a"
        ),
    ),
    without_roots=(
        FramingPiece(
            "introduction",
            418,
            "fbbf22e992dd5c52e3c939b4351ecbce342669e247ecf3550e2e5b97b2a95a27",
        ),
        FramingPiece(
            "usage", 3_053, "a0d0541bac88fb65490c87b382066a7ef3159ee144ae688cd6b0811d06a8bd2e"
        ),
    ),
)

CODEX_SKILLS: Final = AgentSkillRules(
    roots=(
        SkillRoot("project-configuration", "skills", "repo"),
        SkillRoot("agent-home", "skills", "user"),
        SkillRoot("home", ".agents/skills", "user"),
        SkillRoot("bundled", "skills/.system", "system", follows_links=False),
        SkillRoot("system-folder", "skills", "admin"),
        SkillRoot("walk", ".agents/skills", "repo"),
    ),
    file_name="SKILL.md",
    policy_path="agents/openai.yaml",
    product="codex",
    manifest_paths=(".codex-plugin/plugin.json", ".claude-plugin/plugin.json"),
    bundled_marker=".codex-system-skills.marker",
    max_depth=6,
    max_folders=2_000,
    max_entries=20_000,
    max_name_characters=64,
    max_qualified_name_characters=128,
    max_description_characters=1_024,
    prompt_order=("system", "admin", "repo", "user"),
    listing_order=("repo", "user", "system", "admin"),
    budget_percent=2,
    bytes_per_token=4,
    fallback_characters=8_000,
    models=(
        KnownModel("gpt-6.2-sol", 500_000, 872_000),
        KnownModel("gpt-6.2-astra", 272_000, 872_000),
        KnownModel("gpt-6.1-terra", 500_000, 872_000),
        KnownModel("gpt-6.1-sol", 500_000, 872_000),
        KnownModel("gpt-6-astra", 272_000, 872_000),
        KnownModel("gpt-6-sol", 272_000, 872_000),
        KnownModel("gpt-6-luna", 272_000, 872_000),
        KnownModel("gpt-5.6-sol", 272_000, 872_000),
        KnownModel("gpt-5.6-terra", 272_000, 872_000),
        KnownModel("gpt-5.6-luna", 272_000, 872_000),
        KnownModel("gpt-daybreak-blue-latest", 272_000, 872_000),
        KnownModel("gpt-daybreak-red-latest", 372_000, 372_000),
        KnownModel("gpt-5.5", 272_000, 272_000, has_usage=True),
        KnownModel("codex-auto-review", 272_000, 872_000),
    ),
    unknown_model=KnownModel("", 272_000, 272_000),
    framing=_CODEX_FRAMING,
)

AGENT_SKILLS: Final = {"codex": CODEX_SKILLS}
"""By the name that `--agent` takes."""
