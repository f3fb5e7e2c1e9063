"""What an agent has loaded, as plain values: entries, what is missing and why, what follows."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

from assembler.agents.rules import AgentRules, Kind
from assembler.model.digest import sha256_hex
from assembler.model.finding import Finding

AbsentState: TypeAlias = Literal["off", "lost", "blank", "hidden", "denied"]
"""`off` a rule leaves it out; `lost` it could not be read; `hidden` another name of its kind is
taken; `denied` our own read grant closes it, and what the agent would load is not known here."""


class LoadedEntry(NamedTuple):
    """One text in the model's input."""

    path: str
    """As the agent shows it."""
    target: str
    """Where it really is, absolute."""
    kind: Kind
    text: str
    size_bytes: int
    """Of the file as it is on disk; of a text of the settings that of the text."""
    imported_by: str | None = None
    """The path of the entry that names it."""
    imports: tuple[str, ...] = ()
    """Absolute paths of files whose text stands inside."""

    def to_json(self) -> dict[str, Any]:
        """The members as the output formats have them."""
        data = self.text.encode("utf-8", "surrogatepass")
        return {
            "path": self.path,
            "target": self.target,
            "kind": self.kind.name,
            "role": self.kind.role,
            "source": self.kind.source,
            "text_sha256": sha256_hex(data),
            "bytes": len(data),
            "text": self.text,
            "imported_by": self.imported_by,
            "imports": list(self.imports),
        }


class AbsentFile(NamedTuple):
    """A file that stands where the agent looks, or that is named, and is not in the input."""

    path: str
    state: AbsentState
    reason: str
    """Slug of the finding, where there is one."""
    note: str
    by: str | None = None
    """The file whose doing it is."""

    def to_json(self) -> dict[str, Any]:
        """The members as the output formats have them."""
        return dict(self._asdict())


class LaterFile(NamedTuple):
    """A file that joins the input when something below is read."""

    path: str
    trigger: str
    """Patterns of paths, with commas: of a rule as it has them, else relative to the start."""
    kind: Kind
    patterns: tuple[str, ...] = ()
    """Of a rule."""
    base: str = ""
    """The folder that the patterns are relative to."""

    def to_json(self) -> dict[str, Any]:
        """The members as the output formats have them."""
        return {"path": self.path, "trigger": self.trigger, "kind": self.kind.name}


class AgentInput(NamedTuple):
    """Everything that one agent loads at its start in a folder."""

    rules: AgentRules
    exit_code: int
    """Of the agent itself: not 0 where it refuses to start, and then nothing is loaded."""
    entries: tuple[LoadedEntry, ...] = ()
    """Those of the first user message in their order, then those of the system message."""
    absent: tuple[AbsentFile, ...] = ()
    """By path."""
    later: tuple[LaterFile, ...] = ()
    """What a read of something below would add."""
    on_read: tuple[LoadedEntry, ...] = ()
    """What the reads that were asked about add, in their order."""
    findings: tuple[Finding, ...] = ()
    cut: tuple[tuple[str, str], ...] = ()
    """Entries that end early, each with how much is missing."""
    unscoped: tuple[str, ...] = ()
    """Rules whose front matter names paths and can't be read."""
    order_is_open: tuple[tuple[str, ...], ...] = ()
    """Groups of paths that the agent takes in the order of the file system, which nobody knows
    beforehand; here they stand by name."""
