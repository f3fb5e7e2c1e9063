"""Which candidates have a place in the layout of a run, and which of several keeps it.

Rules: FORMATS 3, the paragraph on `layout-excludes`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assembler_verifier.inventory import Candidate
from assembler_verifier.objects import Objects
from assembler_verifier.strict_json import UnreadableError, read_numbers

CONTRACT = "context-contract/1"
CONTROL = "control/1"

SINGLE_PLACES = ("policy", "question", "example")
"""Places of the contract that hold one item, in the order in which they refuse."""


@dataclass(frozen=True, slots=True)
class Example:
    """The two strings of an example."""

    question: str
    answer: str


def missing_place(layout: str, candidate: Candidate, objects: Objects) -> str | None:
    """Why the candidate alone has no place in the layout; nothing if it has one.

    Raises:
        BrokenObjectError: its bytes are needed and not at hand.
    """
    if layout == CONTRACT:
        return _missing_in_contract(candidate, objects)
    if layout == CONTROL:
        return _missing_in_control(candidate, objects)
    return None


def single_place(candidate: Candidate) -> str | None:
    """The single place of the contract that the candidate asks for."""
    if candidate.section == "policy":
        return "policy"
    if candidate.section == "task":
        return candidate.kind
    return None


def keeper(candidates: Sequence[Candidate]) -> Candidate | None:
    """Who keeps a single place, of candidates in canonical order: the required one, or the first.

    The caller refuses two required ones.
    """
    first = next(iter(candidates), None)
    return next((candidate for candidate in candidates if candidate.required), first)


def read_example(content: bytes) -> Example | None:
    """Read the content of an example; nothing if it is not exactly two strings."""
    try:
        value = read_numbers(content)
    except UnreadableError:
        return None
    if not isinstance(value, dict) or value.keys() != {"question", "answer"}:
        return None
    question, answer = value["question"], value["answer"]
    if not isinstance(question, str) or not isinstance(answer, str):
        return None
    return Example(question, answer)


def _missing_in_contract(candidate: Candidate, objects: Objects) -> str | None:
    kinds = ("question", "example")
    in_task = candidate.section == "task" and candidate.kind in kinds
    if not in_task and candidate.section not in {"policy", "evidence"}:
        return "section"
    if candidate.section == "evidence" and candidate.members["address"] is None:
        return "address"
    content = objects.content(candidate)
    if content is None:
        return None
    if not _is_text(content):
        return "text"
    if in_task and candidate.kind == "example" and read_example(content) is None:
        return "example"
    return None


def _missing_in_control(candidate: Candidate, objects: Objects) -> str | None:
    if candidate.section not in {"policy", "task"}:
        return "section"
    content = objects.content(candidate)
    if content is None:
        return None
    return None if _is_text(content) and b"\0" not in content else "text"


def _is_text(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True
