"""Whether a section of a file still has the bytes that it had, and what of it is to be read again.

Pure. By digest, never by date. Same bytes are current wherever the file has them once; other
bytes are stale; bytes that can't be read leave it unknown, and unknown is not fresh.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from assembler.assess.excerpts import Excerpt, NoExcerpt, cut_section
from assembler.assess.line_map import LineMap, LineMaps, OverBoundError, says_something
from assembler.assess.moved_lines import SectionSearch, find_copies
from assembler.model.digest import sha256_hex
from assembler.model.evidence import ArtifactSource, Section
from assembler.model.lines import whole_lines
from assembler.model.symbols import LineRange, write_ranges
from assembler.ports import SymbolReader

MIN_TELLING_LINES: Final = 3
"""Lines with a letter or digit that a section must have to be known again by its text alone."""
MAX_COPIES: Final = 100
"""Places of one section that are looked at in either version."""
MAX_TOLD_PLACES: Final = 3


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


class _Copies(NamedTuple):
    """The places of a section's bytes in both versions of its file."""

    old: list[LineRange]
    new: list[LineRange]

    @property
    def only_new(self) -> LineRange | None:
        """The place now, of a section that either version has just once."""
        return self.new[0] if len(self.old) == len(self.new) == 1 else None

    def unclaimed(self, line_map: LineMap) -> list[LineRange]:
        """New places that none of the old ones became."""
        claimed = {line_map.find_kept(place) for place in self.old}
        return [place for place in self.new if place not in claimed]


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
    if digest == source.sha256:
        return _stands_at(lines, source, lines, data, now_path)
    section = _old_section(source, lines, old)
    if old is None or section is None:
        place = _find_by_digest(source, lines, data, tools.moved)
        why = "the file that it was made from is not at hand: lines of the same numbers"
        verdict = Verdict(digest, again=Section(now_path, lines, why=why))
        return verdict if place is None else _stands_at(place, source, lines, data, now_path)
    named_now = Verdict(digest, again=Section(now_path, lines))
    return _follow_lines(source, lines, data, tools.maps, old=old, section=section, named=named_now)


def _follow_lines(
    source: ArtifactSource,
    lines: LineRange,
    data: bytes,
    maps: LineMaps,
    *,
    old: OldFile,
    section: bytes,
    named: Verdict,
) -> Verdict:
    """What became of a section whose old file is known.

    A place that the old file had already is no move, nor is a copy while lines of the section
    are left where it stood: of these the comparison of both versions tells which one it is.
    """
    assert named.again is not None  # at the same numbers, as it is handed in
    now_path = named.again.path
    copies = _Copies(
        old=find_copies(old.data, section, most=MAX_COPIES),
        new=find_copies(data, section, most=MAX_COPIES),
    )
    try:
        line_map = maps.compare(old.data, data)
    except OverBoundError:
        place = copies.only_new
        if place is not None and data.endswith(b"".join(old.data.partition(section)[1:])):
            return _stands_at(place, source, lines, data, now_path)
        why = "its old version is too unlike it to be compared: lines of the same numbers"
        return named._replace(again=named.again._replace(why=why))
    place = line_map.find_kept(lines) or _moved_to(lines, section, copies, line_map)
    if place is not None:
        return _stands_at(place, source, lines, data, now_path)
    found = line_map.find(lines)
    if found is None:
        return _judge_lost(source, named.digest, copies.unclaimed(line_map))
    was, now = (f"{first}-{last}" for first, last in (lines, found))
    told = f"lines {was} at {old.at} stand at {now} now" if found != lines else None
    return named._replace(again=named.again._replace(lines=found, why=told))


def _moved_to(
    lines: LineRange, section: bytes, copies: _Copies, line_map: LineMap
) -> LineRange | None:
    """The place that a section was moved to as a whole; a short one by nothing but a move."""
    place = copies.only_new
    if place is None or line_map.keeps_apart(lines, place):
        return None
    return place if _is_telling(section) or not line_map.adds_beside(place) else None


def _stands_at(
    place: LineRange, source: ArtifactSource, lines: LineRange, data: bytes, now_path: str
) -> Verdict:
    """The section is current, whether it has moved or not."""
    excerpt = Excerpt(whole_lines(data, *place) or b"", (place,))
    moved_to = "" if now_path == source.path else f"{now_path}#"
    note = f"{source.name} stands at {moved_to}{write_ranges([place])} now"
    return Verdict(source.sha256, excerpt, note if moved_to or place != lines else None)


def _find_by_digest(
    source: ArtifactSource, lines: LineRange, data: bytes, moved: SectionSearch
) -> LineRange | None:
    """The one place of a section whose old file nobody knows, where its text is no common one."""
    number = lines[1] - lines[0] + 1
    if number < MIN_TELLING_LINES:
        return None
    place = moved.find(data, lines=number, sha256=source.sha256)
    found = None if place is None else whole_lines(data, *place)
    return place if found is not None and _is_telling(found) else None


def _is_telling(section: bytes) -> bool:
    """Whether a text is long enough that it stands nowhere by chance."""
    telling = sum(1 for line in section.split(b"\n") if says_something(line))
    return telling >= MIN_TELLING_LINES


def _old_section(source: ArtifactSource, lines: LineRange, old: OldFile | None) -> bytes | None:
    """The bytes that were seen, if the old file has them: a name can lead to another file."""
    section = None if old is None else whole_lines(old.data, *lines)
    return section if section is not None and sha256_hex(section) == source.sha256 else None


def _judge_lost(source: ArtifactSource, digest: str | None, unclaimed: list[LineRange]) -> Verdict:
    """Nothing is left where the section stood; its bytes may still stand at other places."""
    if not unclaimed:
        return Verdict(digest, is_lost=True)
    more = "" if len(unclaimed) <= MAX_TOLD_PLACES else ", …"
    places = ", ".join(write_ranges([place]) for place in unclaimed[:MAX_TOLD_PLACES])
    note = f"{places}{more} have the bytes of {source.name}; which of them it is can't be told"
    if len(unclaimed) == 1:
        note = f"{places} has the bytes of {source.name}; whether it is that can't be told"
    return Verdict(digest, note=note)
