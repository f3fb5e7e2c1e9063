"""What a summary says that nobody said, and what it leaves unsaid.

Numbers, dates, addresses and quotations of a summary must stand in what it replaces, a number with
its unit, and a sentence that was negated stays so. Both sides are read in one rendering. This finds
what is made up of such marks; whether the rest is true, no rule can tell.
Source: docs/formats/trace.md, section "Summaries".
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Set
from typing import Final, Literal, NamedTuple, TypeAlias

MarkKind: TypeAlias = Literal["number", "date", "address", "name", "quotation"]
Problem: TypeAlias = Literal["not-said", "other-unit", "other-negation"]

_URL: Final = r"https?://[^\s<>\"'`|\\^{}\[\]]+"
_DATE: Final = r"(?<![\w.-])\d{4}-\d{2}-\d{2}(?![\w-])"
_QUOTED: Final = r'"[^"\n]{3,500}"|“[^”\n]{3,500}”|«[^»\n]{3,500}»|`[^`\n]{3,500}`'
_UNIT: Final = (
    "%|(?:ms|s|sec|seconds?|min|minutes?|h|hours?|days?|weeks?|months?|years?|bytes?|bits?|[KMGTkmgt]i?[Bb]|"
    "tokens?|characters?|lines?|files?|tests?|rows?|requests?|calls?|errors?|usd|USD|eur|EUR|yuan|"
    "dollars?|euros?|km|m|cm|mm|kg|g|mg|percent)"
)
"""Words behind a number that say what is counted; any other word says nothing of it."""
_NUMBER: Final = rf"(?<![\w.,])[+\-\u2212]?\d[\d.,]*+(?:\s?(?:{_UNIT})(?!\w))?+(?!\w)"
_NAME: Final = r"(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])\w[\w-]*+"
_MARK: Final = re.compile(
    f"(?P<address>{_URL})|(?P<quotation>{_QUOTED})|(?P<date>{_DATE})|(?P<number>{_NUMBER})"
    f"|(?P<name>{_NAME})"
)
_PLURAL: Final = re.compile(r"(?<=[a-z][a-z])s\Z")
"""`days` is `day`; `ms` and `s` are what they are."""
_NEGATION: Final = re.compile(
    r"\b(?:not|no|never|none|nothing|nobody|neither|nor|without|cannot|\w{1,12}n['\u2019]t)\b",
    re.IGNORECASE,
)
_ADVERSE: Final = re.compile(
    r"\b(?:un(?!der|til|i)[a-z]{4,}|fail\w*|wrong|missing|lack\w*|den(?:y|ied|ies)|refus\w*|forb\w+"
    r"|invalid|incorrect|impossible|broken|absent|deprecated|exclud\w*|skip\w*|stop\w*|instead)\b",
    re.IGNORECASE,
)
"""Words that deny by themselves: `not reachable` and `unreachable` say the same."""
_CLAUSE_END: Final = re.compile(
    r"(?<=[.!?,;:])\s+|\s?\(|\)\s?|\s(?:but|and|while|although|because|which)\s|\n"
)
_LIST_MARK: Final = re.compile(r"(?:[-*+]\s|[\s#>*_])*+\d{1,2}[.)][*_]*\s")
"""`1. ` in front of a line of a list."""
_HASH: Final = re.compile(r"[0-9a-f]{7,64}")
MAX_CLAUSE_CHARACTERS: Final = 300
"""Of a longer one nobody can tell by a word what is negated in it."""
MAX_FAULTS: Final = 100
"""Told of one summary."""
MAX_LOST: Final = 100
"""Named of one summary."""
MAX_QUOTATIONS: Final = 500
"""Of one summary: each is looked for in all that was dropped."""


class Mark(NamedTuple):
    """A part of a text that can be compared."""

    kind: MarkKind
    text: str
    """In its one spelling: no separators of thousands, no quotes, blanks made one."""
    unit: str | None = None


class Fault(NamedTuple):
    """A mark of a summary that what it replaces does not bear out."""

    mark: Mark
    problem: Problem
    line: int
    """Of the summary, from 1."""


class Carried(NamedTuple):
    """How many different marks of what was dropped a summary still has."""

    dropped: int
    carried: int
    lost: tuple[str, ...] = ()
    """The first of those that it lost, in the order in which they were said."""


def count_quotations(summary: str) -> int:
    """How many different quotations a summary has."""
    return len({mark.text for mark in iter_marks(summary) if mark.kind == "quotation"})


def find_unsupported(summary: str, said: str) -> tuple[Fault, ...]:
    """What a summary says and the history does not.

    Args:
        summary: as handed in.
        said: the rendering of what it replaces, and of what stays beside it.

    Returns:
        In the order of the summary, each mark once, at most `MAX_FAULTS`.
    """
    history = _Said(said)
    faults: dict[tuple[Mark, Problem], Fault] = {}
    for number, line in enumerate(summary.split("\n"), 1):
        mark_of_list = _LIST_MARK.match(line)
        for clause in _CLAUSE_END.split(line[mark_of_list.end() :] if mark_of_list else line):
            for mark in iter_marks(clause):
                problem = history.problem_of(mark, clause)
                if problem is not None and len(faults) < MAX_FAULTS:
                    faults.setdefault((mark, problem), Fault(mark, problem, number))
    return tuple(faults.values())


def count_carried(summary: str, dropped: str) -> Carried:
    """How much of what was dropped a summary still has: numbers, dates, addresses, names.

    Args:
        summary: as handed in.
        dropped: the rendering that a summarizer is given.
    """
    before, after = _facts(_without_headers(dropped)), _facts(summary)
    lost = [text for kind, text in before if (kind, text) not in after]
    return Carried(len(before), len(before) - len(lost), tuple(lost[:MAX_LOST]))


def iter_marks(text: str) -> Iterator[Mark]:
    """The marks of a text, in order."""
    for match in _MARK.finditer(text):
        kind = match.lastgroup
        found = match.group()
        if kind == "address":
            yield Mark("address", found.rstrip(".,;:!?)'\""))
        elif kind == "quotation":
            yield Mark("quotation", _one_blank(found[1:-1]))
        elif kind == "date":
            yield Mark("date", found)
        elif kind == "name":
            yield Mark("name", found)
        else:
            yield _number(found)


def _number(found: str) -> Mark:
    digits = re.match(r"[+\-\u2212]?[\d.,]*", found)
    assert digits is not None  # it matches nothing too
    text = digits.group().rstrip(".,").replace(",", "").replace("\u2212", "-").lstrip("+")
    word = found[digits.end() :].strip().lower()
    return Mark("number", text, _PLURAL.sub("", word) or None)


def _facts(text: str) -> dict[tuple[MarkKind, str], None]:
    """Each mark that is no quotation, once, in order; those inside of quotations too."""
    return {(mark.kind, mark.text): None for mark in _iter_inside(text) if mark.kind != "quotation"}


def _iter_inside(text: str) -> Iterator[Mark]:
    """The marks of a text, and those of what stands in quotes."""
    for mark in iter_marks(text):
        yield mark
        if mark.kind == "quotation":
            yield from _iter_inside(mark.text)


def _without_headers(rendering: str) -> str:
    """What was said, without the lines that say who did."""
    lines = (line for line in rendering.split("\n") if not line.startswith("== "))
    return "\n".join(line.removeprefix("| ") for line in lines)


def _one_blank(text: str) -> str:
    return " ".join(text.split())


class _Said:
    """What was dropped, ready to be asked."""

    def __init__(self, dropped: str) -> None:
        plain = _without_headers(dropped)
        self._plain = _one_blank(plain)
        self._units: dict[str, set[str | None]] = {}
        self._marks: dict[tuple[MarkKind, str], set[_Stance | None]] = {}
        for clause in _CLAUSE_END.split(plain):
            stance = _stance_of(clause)
            for mark in _iter_inside(clause):
                self._marks.setdefault((mark.kind, mark.text), set()).add(stance)
                if mark.kind == "number":
                    self._units.setdefault(mark.text, set()).add(mark.unit)
        texts = {text for _, text in self._marks}
        self._hashes = sorted(text for text in texts if _HASH.fullmatch(text))

    def problem_of(self, mark: Mark, clause: str) -> Problem | None:
        """What is wrong with a mark of the summary; None: nothing that a rule can see."""
        said = self._marks.get((mark.kind, mark.text))
        if mark.kind == "quotation":
            # A quotation is of any words that were said, in quotes or not.
            return None if mark.text in self._plain else "not-said"
        if said is None:
            return None if self._begins_hash(mark.text) else "not-said"
        if mark.unit is not None and not _bears_unit(mark.unit, self._units[mark.text]):
            return "other-unit"
        stance = _stance_of(clause)
        if stance is None or said != {stance._replace(is_negated=not stance.is_negated)}:
            return None
        return "other-negation"

    def _begins_hash(self, text: str) -> bool:
        """Whether it is a hash that was said in full, shortened as people do."""
        place = bisect_left(self._hashes, text)
        found = self._hashes[place : place + 1]
        return bool(_HASH.fullmatch(text) and found and found[0].startswith(text))


def _bears_unit(unit: str, said: Set[str | None]) -> bool:
    """Whether a number was said with this unit, or once without any."""
    return unit in said or None in said


class _Stance(NamedTuple):
    """How a clause stands to what it speaks of."""

    is_negated: bool
    is_adverse: bool
    """Whether it has a word that denies by itself: only clauses alike in this can be compared."""


def _stance_of(clause: str) -> _Stance | None:
    """Whether a clause denies something; None: it is too long to tell."""
    if len(clause) > MAX_CLAUSE_CHARACTERS:
        return None
    return _Stance(_NEGATION.search(clause) is not None, _ADVERSE.search(clause) is not None)


def spell_fault(fault: Fault) -> str:
    """A fault in words."""
    mark = fault.mark
    words: Mapping[Problem, str] = {
        "not-said": "stands nowhere in the history",
        "other-unit": f"was said with another unit, and not with {mark.unit}",
        "other-negation": "is denied on one side, and not on the other",
    }
    text = f'"{mark.text}"' if mark.kind == "quotation" else mark.text
    return f"{mark.kind} {text} {words[fault.problem]}"
