"""Evidence on its way: named by a source, allowed or denied, then judged.

`Discovered` knows where something is and why it was looked for. Nothing of it was opened.
"""

from __future__ import annotations

from dataclasses import dataclass

from assembler.model.candidate import Candidate


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovered:
    """A piece of evidence that a source names, before anything of it was read."""

    candidate: Candidate
    """All that is known of it; its content is absent as yet."""
    path: str
    """Root-relative path that its bytes come from."""
    lines: tuple[int, int] | None = None
    around: str | None = None
    """Keep only the lines around the first one that holds this text."""
    is_payload: bool = False
    """Handed in by the invoker: read as it is now, whatever revision the run reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchTerms:
    """One bounded search: for a literal text, or for a glob over file names."""

    text: str | None
    name: str | None
    scope: str
    """A glob over paths."""
    limit: int

    def describe(self) -> str:
        """The query and its scope, as rows name it."""
        what = f'text "{self.text}"' if self.text is not None else f"name {self.name}"
        return f"search {what} in {self.scope}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactSource:
    """What a stored summary was made from: the digest is of the lines, else of the file."""

    path: str
    lines: tuple[int, int] | None
    sha256: str
    blob: str | None

    @property
    def name(self) -> str:
        """`path#Lfirst-Llast`, or the path."""
        if self.lines is None:
            return self.path
        return f"{self.path}#L{self.lines[0]}-L{self.lines[1]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """One entry of the artifact index."""

    id: str
    file: str
    revision: str
    sources: tuple[ArtifactSource, ...]


@dataclass(frozen=True, slots=True)
class Denied:
    """A path that may not be read, and the rule that says so; it is never opened."""

    path: str
    rule: str
