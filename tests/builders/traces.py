"""Traces to diagnose: the good one, the bad one, and any inventory compiled and asked."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from assembler.diagnose.claim import Claim
from assembler.diagnose.diagnosis import Diagnosis
from assembler.diagnose.trace import Use
from assembler.front.diagnosing import diagnose_files
from assembler.model.catalogue import RULES
from tests.builders.inventories import compile_value, item
from tests.builders.vectors import load_vector

LOCAL = "packages/parser/AGENTS.md"
SUMMARY = "parser-summary"
ARCHIVE = "bench/archive.csv"
FAILURE = "test-17"
SIMILARITY = {
    SUMMARY: 97,
    ARCHIVE: 93,
    "packages/parser/src/tokenize.ts#L1-L24": 71,
    "issue-842": 55,
    LOCAL: 41,
    "packages/parser/tsconfig.json": 30,
    FAILURE: 12,
}
"""What a retriever that knows nothing but likeness to the task's words gives each."""


def good_trace() -> dict[str, Any]:
    """The parser example as it should be: its sizes are the published ones."""
    inventory: dict[str, Any] = copy.deepcopy(load_vector("raj-declared")["inventory"])
    return inventory


def bad_trace() -> dict[str, Any]:
    """The same material by likeness alone.

    The old summary stands above the local instructions, which are one hit among others; the whole
    archive fills the window; the failing assertion is out.
    """
    inventory = good_trace()
    inventory["order"] = "decision-value"
    inventory["required"].remove(LOCAL)
    for candidate in inventory["candidates"]:
        candidate["decision_value"] = SIMILARITY.get(candidate["id"])
    change(inventory, ARCHIVE, content={"text": "r1,10 ms\n" * 50}, size=declared(3_400))
    change(inventory, SUMMARY, freshness=[], refreshed_by=None)
    return inventory


def declared(size: int) -> dict[str, Any]:
    return {"value": size, "unit": "token", "basis": "declared"}


def change(inventory: dict[str, Any], identifier: str, **members: Any) -> None:
    (candidate,) = (each for each in inventory["candidates"] if each["id"] == identifier)
    candidate.update(members)


def instruction(path: str, size: int = 1, **members: Any) -> dict[str, Any]:
    """An instruction file that was offered as policy."""
    folder = path.rpartition("/")[0] or "."
    return item(
        f"policy:{path}",
        size,
        **{
            "kind": "instruction",
            "section": "policy",
            "trust": "authorized",
            "scope": folder,
            **members,
        },
    )


def file(path: str, size: int = 1, **members: Any) -> dict[str, Any]:
    """A file of the repository with its provenance."""
    facts = {"kind": "source", "discovered_by": "task", "revision": "r42"}
    return item(f"file:{path}", size, **{**facts, **members})


def failing_test(identifier: str = "test:1", size: int = 1, **members: Any) -> dict[str, Any]:
    """Test output as the product offers it."""
    facts = {
        "kind": "tool-observation",
        "trust": "observed",
        "decides": "failure",
        "discovered_by": "task",
        "revision": "r42",
    }
    return item(identifier, size, **{**facts, **members})


def diagnose_value(value: dict[str, Any], uses: Sequence[Use] | None = None) -> Diagnosis:
    """Compile an inventory, which has to work, and diagnose its package."""
    return diagnose_files(compile_value(value).files(b""), uses)


def claim_of(diagnosis: Diagnosis, code: str) -> Claim:
    (claim,) = (each for each in (*diagnosis.claims, *diagnosis.questions) if each.code == code)
    return claim


def firing(diagnosis: Diagnosis) -> list[str]:
    """Slugs of what fires, claims first."""
    asked = (*diagnosis.claims, *diagnosis.questions)
    return [RULES[claim.code][0] for claim in asked if claim.fires]


def roles(claim: Claim) -> list[tuple[str, str]]:
    return [(proof.role, proof.id) for proof in claim.proofs]
