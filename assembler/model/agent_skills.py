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


WHY_NOT: Final = {
    "same-file": "the same file was met before, by another way",
    "turned-off": "`skills.config` turns it off",
    "not-offered": "its own policy keeps it from being chosen unasked",
    "other-product": "its own policy names other products",
    "list-off": "a setting keeps the whole list out",
    "catalog-over-budget": "the list is over its budget",
}
"""Slugs that are no finding of the file, each in words."""


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


PathForm: TypeAlias = Literal["aliased", "absolute"]
"""How lines name their files: below the alias of a root, which a table explains, or in full."""


class FramingPiece(NamedTuple):
    """A text of the vendor around the list: its size and digest. All of it is ASCII."""

    name: Literal["introduction", "usage"]
    paths: PathForm
    """Of the lines that it stands with."""
    has_descriptions: bool
    """Whether those lines have any; a feature leaves them all out."""
    size_bytes: int
    sha256: str


class SkillFraming(NamedTuple):
    """What stands around the lines; nothing inside is escaped."""

    opening: str
    heading: str
    roots_heading: str
    list_heading: str
    closing: str
    pieces: tuple[FramingPiece, ...]

    def pick(self, paths: PathForm, *, has_descriptions: bool) -> tuple[FramingPiece, ...]:
        """The introduction and the text on usage that go with such lines."""
        return tuple(
            piece
            for piece in self.pieces
            if piece.paths == paths and piece.has_descriptions is has_descriptions
        )


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
    bundled_fingerprint: str
    """What the marker holds at this version; with another one the agent writes them anew."""
    max_depth: int
    """Folders below a root."""
    max_folders: int
    """Of one root, itself counted."""
    max_entries: int
    """Names of one root that lead somewhere."""
    max_name_characters: int
    max_qualified_name_characters: int
    lost_path_characters: str
    """A skill whose path, by the way that it was found, holds one of them is dropped."""
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
    """By the lines, and by the table of roots as far as it is counted."""
    table_cost: int = 0
    """Of the table of roots, in `used`: what it adds to the sentences of the other form."""


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
    slug: str | None = None
    """Why it is not listed whole: the slug of a finding, or of `WHY_NOT`."""
    reason: str | None = None
    """The same in words."""
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
            "slug": self.slug,
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
    pieces=(
        FramingPiece(
            "introduction",
            "aliased",
            True,
            261,
            "1e24ced81a2ad9e9b1ae49124c2a7dbafce3d4bbdac215eab60e310811af0140",
        ),
        FramingPiece(
            "introduction",
            "aliased",
            False,
            247,
            "98b51176b0400064c8dad40a5950e4346eade8f89e7060ee6cd746908485db15",
        ),
        FramingPiece(
            "introduction",
            "absolute",
            True,
            418,
            "fbbf22e992dd5c52e3c939b4351ecbce342669e247ecf3550e2e5b97b2a95a27",
        ),
        FramingPiece(
            "introduction",
            "absolute",
            False,
            404,
            "ba81e74b98830c9ce48a68d4ab6795cfd881fe09362df84358fd8412c7438802",
        ),
        FramingPiece(
            "usage",
            "aliased",
            True,
            2_553,
            "84fcff6bfa48cd401ec8e5eaab0fda82dd76d253005c3322156dc1d7bbe6607a",
        ),
        FramingPiece(
            "usage",
            "aliased",
            False,
            2_532,
            "0fcfa5e0e4f4bd567199d2c2d12035709faeec6523689a1aab63776f4198db8d",
        ),
        FramingPiece(
            "usage",
            "absolute",
            True,
            3_053,
            "a0d0541bac88fb65490c87b382066a7ef3159ee144ae688cd6b0811d06a8bd2e",
        ),
        FramingPiece(
            "usage",
            "absolute",
            False,
            3_032,
            "7d69772ba77d0676bdf73b54e456662d66309b5203775a420e472d4e87667c13",
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
    bundled_fingerprint="c97ed5ddabec1e4",
    max_depth=6,
    max_folders=2_000,
    max_entries=20_000,
    max_name_characters=64,
    max_qualified_name_characters=128,
    lost_path_characters="\t\n\r",
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
