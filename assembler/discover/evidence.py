"""What a task asks for as evidence: names, paths and reasons, before anything is opened.

In: the task's words and a listing of names. Out: `Discovered` pieces. Never here: contents.
Each says which decision it can change; a bare search hit can change none.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from assembler.model.candidate import Absent, Candidate
from assembler.model.evidence import Discovered, SearchTerms, Section, Seen
from assembler.model.limits import MAX_WORDS_BYTES, bounded_name
from assembler.model.tree import Entry, EntryKind
from assembler.ports import PatternSet

UNREAD: Final = Absent("unread")
PROJECT_FILES: Final = (
    "AGENTS.md",
    "Cargo.toml",
    "Makefile",
    "go.mod",
    "package.json",
    "pyproject.toml",
    "setup.cfg",
    "tox.ini",
    "tsconfig.json",
)
"""Files of a folder that say how a command in it behaves."""

ASKED: Final = "asked by the task"
"""What a named file decides where no source says it better."""

ASKER: Final = "task"
"""Who asked for a piece that the task names."""

SHOWN_DIGITS: Final = 12
"""Of a digest in an id."""

MAX_SEARCHED_FILES: Final = 5_000
MAX_SEARCHED_BYTES: Final = 64 * 1024 * 1024


def source_id(path: str, lines: tuple[int, int] | None, symbol: str | None = None) -> str:
    """`file:PATH`, `file:PATH#Lfirst-Llast` or `file:PATH#NAME`.

    A place too long for an id stands there by its digest.
    """
    return bounded_name(place_of(path, lines, symbol), prefix="file:")


def place_of(path: str, lines: tuple[int, int] | None, symbol: str | None) -> str:
    """`PATH`, `PATH#Lfirst-Llast` or `PATH#NAME`."""
    part = symbol if lines is None else f"L{lines[0]}-L{lines[1]}"
    return path if part is None else f"{path}#{part}"


def source_by_digest(identifier: str, place: str) -> str | None:
    """The place, where an id has it by digest and so does not say it; None: the id says it."""
    if identifier == f"file:{place}":
        return None
    return bounded_name(place, most_bytes=MAX_WORDS_BYTES)


def discover_file(
    path: str,
    *,
    trust: str,
    found_by: str,
    lines: tuple[int, int] | None = None,
    symbol: str | None = None,
    decides: str | None = None,
) -> Discovered:
    """A file of the repository, lines or a definition of it. What decides nothing has no value."""
    identifier = source_id(path, lines, symbol)
    candidate = Candidate(
        id=identifier,
        kind="source",
        section="evidence",
        trust=trust,
        content=UNREAD,
        source=source_by_digest(identifier, place_of(path, lines, symbol)),
        discovered_by=bounded_name(found_by, most_bytes=MAX_WORDS_BYTES),
        decides=decides,
        decision_value=0 if decides is None else None,
        refresh="digest",
    )
    return Discovered(candidate=candidate, path=path, lines=lines, symbol=symbol)


def discover_targets(
    targets: Sequence[str],
    named: Iterable[Discovered],
    entries: Mapping[str, Entry],
    trust: str,
) -> list[Discovered]:
    """Each target that no other entry names, as one whole file; a folder is no file to show."""
    covered = {item.path for item in named if not item.is_payload}
    covered |= {path for path in targets if entries[path].kind is EntryKind.DIRECTORY}
    return [
        discover_file(target, trust=trust, found_by="target", decides="edit target")
        for target in targets
        if target not in covered
    ]


def proof_words(command: str) -> list[str]:
    """The words of a command that could be paths."""
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    values = [word.partition("=")[2] if "=" in word else word for word in words]
    # `tests/x.py::test_y` and `src/a.ts:12` name a file and a place in it.
    values = [re.sub(r"(?:::.*|(?::\d+)+)\Z", "", value) for value in values]
    paths = [re.sub(r"^\./", "", word).rstrip("/") for word in values if not word.startswith("-")]
    return [
        path
        for path in dict.fromkeys(paths)
        if path and not path.startswith("/") and ".." not in path.split("/")
    ]


def proof_paths(command: str) -> list[str]:
    """Every path that a command may name: its words, and project files of named folders."""
    words = proof_words(command)
    return [*words, *(f"{word}/{name}" for word in words for name in PROJECT_FILES)]


def discover_proof(command: str, entries: Mapping[str, Entry], trust: str) -> list[Discovered]:
    """The files that a proof command names, and the project files of a folder it names."""
    found: list[str] = []
    for word in proof_words(command):
        entry = entries.get(word)
        if entry is None:
            continue
        if entry.kind is EntryKind.FILE:
            found.append(word)
        elif entry.kind is EntryKind.DIRECTORY:
            inside = (f"{word}/{name}" for name in PROJECT_FILES)
            found.extend(path for path in inside if _is_file(entries.get(path)))
    return [
        discover_file(path, trust=trust, found_by=f"proof: {command}", decides="proof")
        for path in dict.fromkeys(found)
    ]


def proof_not_found(command: str) -> Candidate:
    """The row of a proof command that names no file here."""
    return Candidate(
        id="proof",
        kind="search",
        section="evidence",
        trust="repository",
        content=Absent("unreadable"),
        discovered_by=bounded_name(f"proof: {command}: 0 files", most_bytes=MAX_WORDS_BYTES),
    )


def match_names(
    search: SearchTerms, paths: Iterable[str], names: PatternSet, scope: PatternSet
) -> tuple[list[str], bool]:
    """Paths that a name search finds, at most its limit, and whether there were more."""
    found = [
        path
        for path in paths
        if scope.match(path) is not None and names.match(path.rpartition("/")[2]) is not None
    ]
    return found[: search.limit], len(found) > search.limit


def discover_hits(
    search: SearchTerms,
    paths: Sequence[str],
    more: bool,
    trust: str,
    *,
    unread: int = 0,
    note: str = "",
) -> list[Discovered]:
    """The hits of a search; they decide nothing, and their number is on record."""
    hits = "1 hit" if len(paths) == 1 else f"{len(paths)} hits"
    found_by = (
        f"{search.describe()}: {hits}{' and more' if more else ''}{note}, limit {search.limit}"
    )
    found_by += _unread(unread)
    return [discover_file(path, trust=trust, found_by=found_by) for path in paths]


def not_found(search: SearchTerms, number: int, *, unread: int = 0, note: str = "") -> Candidate:
    """The row of a search without a hit."""
    return Candidate(
        id=f"search:{number}",
        kind="search",
        section="evidence",
        trust="repository",
        content=Absent("unreadable"),
        discovered_by=bounded_name(
            f"{search.describe()}: 0 hits{note}, limit {search.limit}{_unread(unread)}",
            most_bytes=MAX_WORDS_BYTES,
        ),
    )


def _unread(files: int) -> str:
    """What a search did not look into; a file beyond a bound may hold the text."""
    what = "1 file" if files == 1 else f"{files:,} files"
    return f", {what} beyond the bounds not looked into" if files else ""


def discover_refreshed(
    stale: str, sections: Sequence[Section], *, trust: str, decides: str
) -> list[Discovered]:
    """Each section that is read in place of a stale item.

    Args:
        stale: id of the item.
        sections: what is to be read.
        trust: of files.
        decides: what a section decides, being the source of such an item.
    """
    refreshed = []
    for section in sections:
        why = "" if section.why is None else f": {section.why}"
        item = discover_file(
            section.path,
            lines=section.lines,
            symbol=section.symbol if section.lines is None else None,
            trust=trust,
            found_by=f"{stale} is stale: read again{why}",
            decides=decides,
        )
        candidate = item.candidate._replace(replaces=(stale,))
        refreshed.append(item._replace(candidate=candidate, imports=section.imports))
    return refreshed


def discover_seen(item: Discovered, seen: Seen) -> Discovered:
    """The section as it is known from before: `file:PATH@REV`, or `@sha256:` and 12 digits."""
    at = seen.revision
    if at is None:
        at = f"sha256:{str(seen.sha256)[:SHOWN_DIGITS]}"
    place = f"{place_of(item.path, item.lines, item.symbol)}@{at}"
    identifier = bounded_name(place, prefix="file:")
    candidate = item.candidate._replace(
        id=identifier, revision=seen.revision, source=source_by_digest(identifier, place)
    )
    return item._replace(candidate=candidate, seen=seen)


def join_words(found_by: str | None, *more: str) -> str:
    """How a candidate was found, and what was found then."""
    words = "; ".join([found_by or ASKER, *more])
    return bounded_name(words, most_bytes=MAX_WORDS_BYTES)


def merge_discovered(items: Iterable[Discovered]) -> list[Discovered]:
    """One piece for each id: the first keeps its facts, what others add is kept too."""
    merged: dict[str, Discovered] = {}
    for item in items:
        known = merged.get(item.candidate.id)
        if known is None:
            merged[item.candidate.id] = item
            continue
        one, other = known.candidate, item.candidate
        known_better = one.decides is not None and one.decides != ASKED
        decides = one.decides if known_better else other.decides or one.decides
        candidate = one._replace(
            decides=decides,
            decision_value=None if decides is not None else one.decision_value,
            replaces=tuple(sorted({*one.replaces, *other.replaces})),
            discovered_by=_join(one.discovered_by, other.discovered_by),
        )
        is_listed = known.is_listed and item.is_listed
        merged[one.id] = known._replace(candidate=candidate, is_listed=is_listed)
    return list(merged.values())


def _join(one: str | None, other: str | None) -> str | None:
    texts = [text for text in (one, other) if text is not None]
    joined = "; ".join(dict.fromkeys(texts))
    return bounded_name(joined, most_bytes=MAX_WORDS_BYTES) if joined else None


def _is_file(entry: Entry | None) -> bool:
    return entry is not None and entry.kind is EntryKind.FILE
