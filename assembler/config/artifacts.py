"""`assembler/artifacts/1`: the index of stored summaries and what they were made from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, Literal

from assembler.config.decoding import config_error, decode
from assembler.config.records import Meta, Struct
from assembler.model.document import Document
from assembler.model.evidence import Artifact, ArtifactSource
from assembler.model.symbols import is_symbol_name

SCHEMA: Final = "assembler/artifacts/1"

Sha256 = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$")]
Line = Annotated[int, Meta(ge=1, le=10**11)]


class SourceEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """One source of an artifact; the digest is of its lines, its symbol, else the whole file."""

    path: Annotated[str, Meta(min_length=1, max_length=4096)]
    """The source, root-relative."""
    sha256: Sha256
    """Digest of the lines, else of the symbol's lines, else of the whole file, when it was made."""
    lines: tuple[Line, Line] | None = None
    """First and last line, from 1."""
    symbol: str | None = None
    """A definition of the file; where lines are named too, these say which bytes are meant."""
    blob: str | None = None
    """git's id of the whole file as it was: says which old file is meant, and decides nothing."""


class ArtifactEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """One stored artifact."""

    id: Annotated[str, Meta(min_length=1, max_length=400)]
    """How a task names it."""
    kind: Literal["summary"]
    """What it is."""
    file: Annotated[str, Meta(min_length=1, max_length=4096)]
    """Where its text is, root-relative."""
    revision: Annotated[str, Meta(min_length=1, max_length=128)]
    """At which revision it was made, as its maker calls it."""
    sources: list[SourceEntry]
    """What it was made from."""


class ArtifactIndex(Struct, frozen=True, forbid_unknown_fields=True, rename={"schema_": "schema"}):
    """Stored summaries, each with the digests of what it was made from."""

    schema_: Literal["assembler/artifacts/1"]
    artifacts: list[ArtifactEntry]
    """The stored artifacts, each id once."""


def read_artifacts(document: Document, *, path: str) -> dict[str, Artifact]:
    """The artifacts by id.

    Raises:
        ConfigError: not such an index, an id twice, lines that end before they begin.
    """
    index = decode(document, ArtifactIndex, path=path, schema=SCHEMA)
    artifacts: dict[str, Artifact] = {}
    for number, entry in enumerate(index.artifacts):
        if entry.id in artifacts:
            at = ("artifacts", number, "id")
            raise config_error(document, path, at, "stands twice")
        for position, source in enumerate(entry.sources):
            if source.lines is not None and source.lines[0] > source.lines[1]:
                at_lines = ("artifacts", number, "sources", position, "lines")
                raise config_error(document, path, at_lines, "ends before it begins")
            named = source.symbol if source.lines is None else None
            if named is not None and not is_symbol_name(named):
                at_symbol = ("artifacts", number, "sources", position, "symbol")
                raise config_error(document, path, at_symbol, "is no name of a definition")
        sources = tuple(
            ArtifactSource(
                path=source.path,
                lines=source.lines,
                sha256=source.sha256,
                blob=source.blob,
                symbol=source.symbol,
            )
            for source in entry.sources
        )
        other = _find_contradiction(sources)
        if other is not None:
            at_source = ("artifacts", number, "sources", other)
            raise config_error(
                document, path, at_source, "has the name of an earlier source and is not the same"
            )
        artifacts[entry.id] = Artifact(
            id=entry.id, file=entry.file, revision=entry.revision, sources=sources
        )
    return artifacts


def _find_contradiction(sources: Sequence[ArtifactSource]) -> int | None:
    """The first source that has the name of an earlier one and is not the same."""
    known: dict[str, ArtifactSource] = {}
    for position, source in enumerate(sources):
        # Beside lines a symbol says nothing about which bytes are meant.
        meant = source._replace(symbol=None) if source.lines is not None else source
        if known.setdefault(source.name, meant) != meant:
            return position
    return None
