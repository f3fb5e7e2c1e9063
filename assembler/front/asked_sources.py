"""Which sources of evidence a task asks, and which of them name a path: told by the rows of a run.

In: a task, its rows, a path. Out: one line a source. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from assembler.config.task import Search, Task
from assembler.discover.evidence import ASKER
from assembler.model.evidence import SearchTerms

TARGETS: Final = "targets"
FILES: Final = "evidence: file, symbol"
PAYLOADS: Final = "evidence: test, observation, issue"
SUMMARIES: Final = "artifact index"
PROOF: Final = "proof"
SEARCHES: Final = "search"
CHANGED: Final = "changed paths"
FOLDERS: Final = "folders of targets"
RECORDS: Final = "records"
SOURCES: Final = (
    TARGETS, FILES, PAYLOADS, SUMMARIES, RECORDS, PROOF, SEARCHES, CHANGED, FOLDERS,
)  # fmt: skip
"""What a task can ask for a path."""

_LISTINGS: Final = (
    (RECORDS, "records "),
    (CHANGED, "changed since "),
    (FOLDERS, "target's folder"),
)
_PAYLOAD_KINDS: Final = ("test", "observation", "issue")


class AskedSource(NamedTuple):
    """One source, whether the task asks it, and whether it names the path."""

    source: str
    asked: bool
    found: bool
    note: str
    """What was asked for, and what came of it."""


def sources_without_task() -> tuple[AskedSource, ...]:
    """Every source, none of them asked."""
    return tuple(AskedSource(name, False, False, "no task was given") for name in SOURCES)


def ask_sources(
    path: str,
    task: Task,
    targets: Sequence[str],
    rows: Sequence[Mapping[str, Any]],
    paths: Mapping[str, str] = MappingProxyType({}),
) -> tuple[AskedSource, ...]:
    """What each source of the task says of a path.

    Args:
        path: root-relative.
        task: what is asked.
        targets: those of the command line and of the task, root-relative.
        rows: of the whole run, as it would be made.
        paths: file of each row that has one, by id, as far as it is known.
    """
    about = rows_about(path, rows, paths)
    found_by = _parts(about)
    files = [entry for entry in task.evidence if entry.evidence_class in ("file", "symbol")]
    handed_in = [entry for entry in task.evidence if entry.evidence_class in _PAYLOAD_KINDS]
    summaries = [entry for entry in task.evidence if entry.evidence_class == "summary"]
    files_found_by = _parts([row for row in about if row["id"].startswith("file:")])
    is_again = any(part.startswith("summary:") for part in found_by)
    sources = [
        AskedSource(TARGETS, bool(targets), path in targets, ", ".join(targets[:3])),
        AskedSource(FILES, bool(files), ASKER in files_found_by, _count(files, "entry", "entries")),
        AskedSource(
            PAYLOADS,
            bool(handed_in),
            any(entry.file == path for entry in handed_in),
            _count(handed_in, "entry", "entries"),
        ),
        AskedSource(
            SUMMARIES,
            bool(summaries),
            is_again or any(row["kind"] == "summary" for row in about),
            _count(summaries, "summary", "summaries"),
        ),
        AskedSource(
            PROOF,
            task.proof is not None,
            any(part.startswith("proof: ") for part in found_by),
            task.proof or "",
        ),
        *(
            _ask_search(number, search, about, rows)
            for number, search in enumerate(task.search, start=1)
        ),
    ]
    if not task.search:
        sources.append(AskedSource(SEARCHES, False, False, ""))
    sources += [_ask_listing(name, beginning, about, rows) for name, beginning in _LISTINGS]
    return (*sources, *_others(found_by, about))


def _ask_listing(
    name: str, beginning: str, about: Sequence[Mapping[str, Any]], rows: Sequence[Mapping[str, Any]]
) -> AskedSource:
    """A source that lists by name: what it said stands in every row that it made."""
    told = [part for part in _parts(rows) if part.startswith(beginning)]
    found = any(part.startswith(beginning) for part in _parts(about))
    return AskedSource(name, bool(told), found, told[0] if told else "")


def rows_about(
    path: str,
    rows: Iterable[Mapping[str, Any]],
    paths: Mapping[str, str] = MappingProxyType({}),
) -> list[Mapping[str, Any]]:
    """The rows of a file: the file itself, lines or a definition of it, or what was made of it.

    Args:
        path: root-relative.
        rows: all of them.
        paths: file of each row that has one, by id, as far as it is known; of others it is told
            by their ids, which a file can be called like.
    """
    return [
        row
        for row in rows
        if (paths[row["id"]] == path if row["id"] in paths else _is_about(path, row))
    ]


def _is_about(path: str, row: Mapping[str, Any]) -> bool:
    kind, _, name = row["id"].partition(":")
    if kind in ("file", "policy") and name.startswith(path):
        # Behind the path of a file stand its lines or a name, and the revision it was seen at.
        return name == path or name[len(path)] in "#@"
    return row["source"] is not None and row["source"].partition("#")[0] == path


def _parts(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """What found them, each source once."""
    words = (part for row in rows for part in (row["discovered_by"] or "").split("; "))
    return [word for word in dict.fromkeys(words) if word]


def _ask_search(
    number: int,
    search: Search,
    about: Sequence[Mapping[str, Any]],
    rows: Sequence[Mapping[str, Any]],
) -> AskedSource:
    terms = SearchTerms(search.text, search.name, search.in_, search.limit)
    # The query may hold what stands between two parts, so it is looked for whole.
    words = f"{terms.describe()}: "
    told = (row["discovered_by"] for row in rows if words in (row["discovered_by"] or ""))
    result = next(told, f"{words}0 hits").partition(words)[2].partition("; ")[0]
    return AskedSource(
        f"{SEARCHES} {number}",
        True,
        any(words in (row["discovered_by"] or "") for row in about),
        words.removeprefix("search ") + result,
    )


def _others(found_by: Sequence[str], about: Sequence[Mapping[str, Any]]) -> list[AskedSource]:
    """Whatever else the rows say that found it: policy, skills, and sources without a line."""
    known = (
        *(ASKER, "target", "proof: ", "summary:", "artifact index", "search "),
        *(beginning for _, beginning in _LISTINGS),
    )
    evidence = [row for row in about if row["section"] == "evidence"]
    told = _parts([row for row in about if row["section"] != "evidence"])
    told += [part for part in _first_parts(evidence) if not part.startswith(known)]
    return [AskedSource(part, True, True, "") for part in dict.fromkeys(told) if part in found_by]


def _first_parts(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """What found each row first; what stands behind may be words about its content."""
    return [str(row["discovered_by"]).partition("; ")[0] for row in rows if row["discovered_by"]]


def _count(entries: Sequence[object], one: str, several: str) -> str:
    return f"{len(entries)} {one if len(entries) == 1 else several}"
