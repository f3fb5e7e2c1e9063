"""What an agent makes of skills, commands and subagents, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

from assembler.agents.rules import AgentRules
from assembler.agents.skill_rules import SkillScope
from assembler.model.digest import sha256_hex

SkillKind: TypeAlias = Literal["skill", "command", "subagent"]
SkillState: TypeAlias = Literal[
    "listed", "bare", "race", "shadowed", "hidden", "rejected", "unread"
]
"""`listed` with a description; `bare` by its name alone, for the budget; `race` one of equal names
of which nobody knows the winner, the first with a line; `shadowed` another one of its name is
listed; `hidden` by its own word, or because the agent lists none of its kind; `rejected` the agent
passes it over or can't read it; `unread` not read here, and what the agent does is not known."""


class SkillRow(NamedTuple):
    """One file."""

    kind: SkillKind
    state: SkillState
    name: str
    """As it is listed; of a rejected one that of its folder."""
    scope: SkillScope
    path: str
    """Absolute, by the way that the search took."""
    source: str
    """Absolute, links resolved."""
    root: str
    """The folder that was searched."""
    description: str = ""
    """As it is listed."""
    description_units: int = 0
    """Of the whole one, before any cut, in UTF-16 units."""
    slug: str | None = None
    """Why it is not listed whole, or what the agent made of it without a word."""
    reason: str | None = None
    line: str | None = None
    """In the model's input; of several lines for some agents."""
    by: str | None = None
    """The file that is listed in its place."""
    ignored: tuple[str, ...] = ()
    """Fields that keep it out of other agents' lists, and do nothing here."""

    @property
    def size_bytes(self) -> int:
        """Of its line with the line feed; 0 without one."""
        return 0 if self.line is None else len(self.line.encode("utf-8", "surrogatepass")) + 1

    @property
    def is_listed(self) -> bool:
        """Whether it stands in the list, or may; of a race each candidate."""
        return self.state in ("listed", "bare", "race")

    def to_json(self) -> Mapping[str, object]:
        """The members as the JSON output has them; the description is told by its length."""
        line = self.line
        data = None if line is None else line.encode("utf-8", "surrogatepass")
        return {
            "kind": self.kind,
            "state": self.state,
            "name": self.name,
            "scope": self.scope,
            "source": self.source,
            "path": self.path,
            "root": self.root,
            "slug": self.slug,
            "reason": self.reason,
            "by": self.by,
            "line": line,
            "line_sha256": None if data is None else sha256_hex(data),
            "bytes": self.size_bytes,
            "description_characters": self.description_units,
        }


class SkillSpending(NamedTuple):
    """What a list costs against its budget, in UTF-16 units."""

    limit: int
    used: int
    """With what is assumed of the agent's own skills."""
    own: int
    least_own: int
    most_own: int
    bare: int
    """Lines that are a name alone."""
    open: int
    """Lines that would be another one within the bounds of the assumption."""


class SkillAnswer(NamedTuple):
    """All that one agent lists when it is started."""

    rules: AgentRules
    exit_code: int
    """Of the agent itself: not 0 where it refuses to start, and then nothing is listed."""
    top: str
    rows: tuple[SkillRow, ...] = ()
    """Skills, then what joins their list, then the rest; each in the order of its lines, and what
    has none behind it by path."""
    spending: SkillSpending | None = None
    """None: no budget."""
    bounds: tuple[tuple[str, str], ...] = ()
    """Folders that were not searched to the end, each with the reason."""
