"""The single places of the layout `context-contract/1`, and the example's form.

Source: docs/formats/layouts.md.
"""

from __future__ import annotations

from typing import Final

from assembler.model.candidate import Candidate
from assembler.model.canonical import Numbers, StrictJsonError, read_strict

SINGLE_PLACES: Final = ("policy", "question", "example")


def single_place(candidate: Candidate) -> str | None:
    """The single place of `context-contract/1` that a candidate would take."""
    if candidate.section == "policy":
        return "policy"
    if candidate.section == "task" and candidate.kind in ("question", "example"):
        return candidate.kind
    return None


def read_example(content: bytes) -> dict[str, str] | None:
    """An example's two strings, or None where it is anything else."""
    try:
        value = read_strict(content, numbers=Numbers.FINITE)
    except StrictJsonError:
        return None
    if not isinstance(value, dict) or set(value) != {"question", "answer"}:
        return None
    if not all(isinstance(text, str) for text in value.values()):
        return None
    return {"question": value["question"], "answer": value["answer"]}
