"""Evidence on its way: named by a source, allowed or denied, then judged.

`Discovered` knows where something is and why it was looked for. Nothing of it was opened.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from assembler.model.candidate import Candidate
from assembler.model.limits import MAX_WORDS_BYTES, bounded_name

REVISION_UNAVAILABLE: Final = "revision-unavailable"
"""Slug of what was seen at a revision that this clone can't show."""


class Payload(NamedTuple):
    """What the invoker handed in, and which part of it is asked for."""

    kind: str
    """`test`, `observation` or `issue`."""
    case: str | None = None
    """Of a test report: the name of the case that is wanted."""


class Seen(NamedTuple):
    """How a section of a file was known before: at a revision, by its digest, or both."""

    revision: str | None = None
    """As the invoker wrote it."""
    sha256: str | None = None


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
    payload: Payload | None = None
    """Of what was handed in: what it is."""
    seen: Seen | None = None
    """Of a section that the invoker knows from before: as what."""
    is_listed: bool = False
    """Known by its name alone, and not to be opened for that."""


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


class ChangedListing(NamedTuple):
    """The paths that differ between a revision and where the evidence is from."""

    since: str
    """What they differ from, in words."""
    limit: int
    paths: tuple[str, ...] = ()
    """Sorted, at most `limit`."""
    more: bool = False
    unnamable: tuple[bytes, ...] = ()
    """Those whose names are not UTF-8, at most `limit`."""
    submodules: frozenset[str] = frozenset()
    """Those of the paths where a submodule is checked out at another commit."""
    uncompared: int = 0
    """Files that a bound left without a look at their bytes."""
    problem: str | None = None
    """Why nothing could be compared."""

    def describe(self) -> str:
        """The list as rows name it."""
        if self.problem is not None:
            return f"changed since {self.since}: {self.problem}"
        number = len(self.paths)
        words = f"{number} path{'' if number == 1 else 's'}{' and more' if self.more else ''}"
        unread = f", {self.uncompared:,} files not compared" if self.uncompared else ""
        return f"changed since {self.since}: {words}, limit {self.limit}{unread}"


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
        """`path#Lfirst-Llast`, `path#NAME`, or the path; by digest where it is too long."""
        place = self.path if self.symbol is None else f"{self.path}#{self.symbol}"
        if self.lines is not None:
            place = f"{self.path}#L{self.lines[0]}-L{self.lines[1]}"
        return bounded_name(place, most_bytes=MAX_WORDS_BYTES)


class Section(NamedTuple):
    """A section as it stands where the run reads."""

    path: str
    lines: tuple[int, int] | None = None
    symbol: str | None = None
    why: str | None = None
    """Why just this one, where it is not the one that was named."""
    imports: bool = False
    """Of a symbol: with the imports that it uses."""


class Artifact(NamedTuple):
    """One entry of the artifact index."""

    id: str
    file: str
    revision: str
    sources: tuple[ArtifactSource, ...]
