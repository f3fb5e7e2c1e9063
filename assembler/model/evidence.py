"""Evidence on its way: named by a source, allowed or denied, then judged.

`Discovered` knows where something is and why it was looked for. Nothing of it was opened.
"""

from __future__ import annotations

from typing import NamedTuple

from assembler.model.candidate import Candidate


class Discovered(NamedTuple):
    """A piece of evidence that a source names, before anything of it was read."""

    candidate: Candidate
    """All that is known of it; its content is absent as yet."""
    path: str
    """Root-relative path that its bytes come from."""
    lines: tuple[int, int] | None = None
    around: str | None = None
    """Keep only the lines around the first one that holds this text."""
    symbol: str | None = None
    """Keep only the lines of this definition."""
    imports: bool = False
    """Keep the imports that these lines use, too."""
    is_payload: bool = False
    """Handed in by the invoker: read as it is now, whatever revision the run reads."""


class SearchTerms(NamedTuple):
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


class ArtifactSource(NamedTuple):
    """What a stored summary was made from.

    The digest is of the lines, else of the lines of the symbol, else of the file.
    """

    path: str
    lines: tuple[int, int] | None
    sha256: str
    blob: str | None
    symbol: str | None = None
    """A definition of the file; where lines are named too, these say which bytes are meant."""

    @property
    def name(self) -> str:
        """`path#Lfirst-Llast`, `path#NAME`, or the path."""
        if self.lines is not None:
            return f"{self.path}#L{self.lines[0]}-L{self.lines[1]}"
        return self.path if self.symbol is None else f"{self.path}#{self.symbol}"


class Artifact(NamedTuple):
    """One entry of the artifact index."""

    id: str
    file: str
    revision: str
    sources: tuple[ArtifactSource, ...]
