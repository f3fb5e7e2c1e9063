"""Whether a section of a file still has the bytes that it had, and what of it is to be read again.

Pure. By digest, never by date. Same bytes are current wherever the file has them once; other
bytes are stale; bytes that can't be read leave it unknown, and unknown is not fresh.
"""

from __future__ import annotations

from typing import NamedTuple

from assembler.assess.excerpts import Excerpt, NoExcerpt, cut_section
from assembler.assess.line_map import LineMaps, OverBoundError
from assembler.assess.moved_lines import SectionSearch, find_section
from assembler.model.digest import sha256_hex
from assembler.model.evidence import ArtifactSource, Section
from assembler.model.lines import whole_lines
from assembler.model.symbols import LineRange, write_ranges
from assembler.ports import SymbolReader


class Tools(NamedTuple):
    """What sections are looked for with; each has a bound of its own."""

    symbols: SymbolReader
    moved: SectionSearch
    maps: LineMaps


class OldFile(NamedTuple):
    """The whole file that a section was seen in."""

    data: bytes
    at: str
    """The revision, as its maker calls it."""


class Verdict(NamedTuple):
    """What became of one section."""

    digest: str | None
    """Of its bytes where the run reads; None: it can't be read."""
    section: Excerpt | None = None
    """Those bytes, where they are the ones that were seen."""
    note: str | None = None
    """Where it stands now, or why it can't be told."""
    again: Section | None = None
    """What is to be read in its place, where its bytes are others."""
    is_lost: bool = False
    """Nothing of it is left where its file is."""


def judge_section(
    source: ArtifactSource,
    data: bytes | None,
    tools: Tools,
    *,
    path: str | None = None,
    old: OldFile | None = None,
    with_imports: bool = False,
) -> Verdict:
    """Compare a section with what it was.

    Args:
        source: the section and the digest that it had.
        data: the file as it is now; None: it could not be read.
        tools: what it is looked for with.
        path: where the file stands now, if that is another place.
        old: the file as it was, where it is at hand.
        with_imports: a symbol was seen with the imports that it uses.
    """
    if data is None:
        return Verdict(None)
    now_path = source.path if path is None else path
    moved_to = None if now_path == source.path else now_path
    if source.lines is not None:
        return _judge_lines(source, source.lines, data, tools, now_path=now_path, old=old)
    found = cut_section(
        now_path, data, tools.symbols, lines=None, symbol=source.symbol, with_imports=with_imports
    )
    if isinstance(found, NoExcerpt):
        return Verdict(None, note=f"{source.name}: {found.why}")
    digest = sha256_hex(found.data)
    if digest != source.sha256:
        again = Section(now_path, symbol=source.symbol, imports=with_imports)
        return Verdict(digest, again=again)
    if moved_to is None:
        return Verdict(digest, found)
    symbol = "" if source.symbol is None else f"#{source.symbol}"
    return Verdict(digest, found, f"{source.name} stands at {moved_to}{symbol} now")


def _judge_lines(
    source: ArtifactSource,
    lines: LineRange,
    data: bytes,
    tools: Tools,
    *,
    now_path: str,
    old: OldFile | None,
) -> Verdict:
    named = whole_lines(data, *lines)
    # Lines past the end are bytes that differ: the section is no longer what it was.
    digest = sha256_hex(b"" if named is None else named)
    moved_to = "" if now_path == source.path else f"{now_path}#"
    section = _old_section(source, lines, old)
    place: LineRange | None = lines
    if digest != source.sha256:
        place = _find_moved(source, lines, data, section, tools.moved)
    if place is not None:
        excerpt = Excerpt(whole_lines(data, *place) or b"", (place,))
        note = f"{source.name} stands at {moved_to}{write_ranges([place])} now"
        return Verdict(source.sha256, excerpt, note if moved_to or place != lines else None)
    if old is None or section is None:
        why = "the file that it was made from is not at hand: lines of the same numbers"
        return Verdict(digest, again=Section(now_path, lines, why=why))
    verdict = Verdict(digest, again=Section(now_path, lines))
    return _map_lines(lines, old, data, verdict, tools.maps)


def _find_moved(
    source: ArtifactSource,
    lines: LineRange,
    data: bytes,
    section: bytes | None,
    moved: SectionSearch,
) -> LineRange | None:
    """The one other place where the section stands."""
    if section is not None:
        return find_section(data, section)
    return moved.find(data, lines=lines[1] - lines[0] + 1, sha256=source.sha256)


def _old_section(source: ArtifactSource, lines: LineRange, old: OldFile | None) -> bytes | None:
    """The bytes that were seen, if the old file has them: a name can lead to another file."""
    section = None if old is None else whole_lines(old.data, *lines)
    return section if section is not None and sha256_hex(section) == source.sha256 else None


def _map_lines(
    lines: LineRange, old: OldFile, data: bytes, verdict: Verdict, maps: LineMaps
) -> Verdict:
    """The verdict with the lines that stand where the section stood."""
    assert verdict.again is not None  # at the same numbers, as it is handed in
    try:
        found = maps.find(old.data, data, lines)
    except OverBoundError:
        why = "its old version is too unlike it to be compared: lines of the same numbers"
        return verdict._replace(again=verdict.again._replace(why=why))
    if found is None:
        return verdict._replace(again=None, is_lost=True)
    was, now = (f"{first}-{last}" for first, last in (lines, found))
    told = f"lines {was} at {old.at} stand at {now} now" if found != lines else None
    return verdict._replace(again=verdict.again._replace(lines=found, why=told))
