"""Inventories of any size, in which every rule that compares candidates has work to do."""

from __future__ import annotations

from typing import Any

from tests.builders.inventories import inventory_value

UNITS = {"declared": "token", "o200k_base": "token", "code-points": "code-point"}
GROUP_MEMBERS = 5
TEXT_LAYOUT = "assembler-input/1"
CONTRACT_LAYOUT = "context-contract/1"


def many_candidates(
    number: int, *, counter: str = "declared", layout: str = TEXT_LAYOUT, **members: Any
) -> dict[str, Any]:
    """An inventory of that many candidates; about half of what could enter fits.

    One in ten is sealed by id, one in ten by lineage, one in ten has another's content, one in
    five stands in a group, and each conflicts with the one before it.
    """
    fixed = [_policy(number), _question(number)]
    if layout == TEXT_LAYOUT:
        fixed += [_tool(index) for index in range(number // 20)]
    evidence = [_evidence(index) for index in range(number - len(fixed))]
    return inventory_value(
        *fixed,
        *evidence,
        budget={"unit": UNITS[counter], "counter": counter, "window": number * 60 + 1_000},
        required=("policy", "question"),
        seal={
            "artifacts": [f"e{index:06}" for index in range(0, number, 10)],
            "lineage": [f"call-{index:06}" for index in range(1, number, 10)],
        },
        task={"topics": ["parser"], "as_of": ["2026-09-14"], "now": "2026-09-14T00:00:00Z"},
        layout=layout,
        **members,
    )


def _policy(number: int) -> dict[str, Any]:
    return _item("policy", "instruction", "policy", f"Rules for {number} things.\n", "authorized")


def _question(number: int) -> dict[str, Any]:
    return _item("question", "question", "task", f"Which of {number} holds?", "authorized")


def _tool(index: int) -> dict[str, Any]:
    text = f'{{"description":"Reads {index}.","inputSchema":{{"type":"object"}},"name":"t{index}"}}'
    return _item(f"tool:{index:06}", "tool", "tools", text, "authorized")


def _evidence(index: int) -> dict[str, Any]:
    # Every tenth says what the one before it says.
    told = index - 1 if index % 10 == 5 else index
    grouped = {"group": f"g{index // 25}"} if index % 25 < GROUP_MEMBERS else {}
    return {
        **_item(
            f"e{index:06}",
            "artifact",
            "evidence",
            f"Line {told} of the parser, said plainly.\nAnd a second line, {told * 7}.\n",
            "repository",
        ),
        "lineage": [f"call-{index:06}", "run-1"],
        "topics": ["parser", f"topic-{index % 7}"],
        "conflicts_with": [f"e{max(index - 1, 0):06}"],
        "valid_from": f"2025-{index % 12 + 1:02}-01",
        "decision_value": index * 7919 % 1000 + 1,
        "address": {
            "source_id": f"s{index}",
            "version": "1",
            "line_start": 1,
            "line_end": 2,
        },
        **grouped,
    }


def _item(identifier: str, kind: str, section: str, text: str, trust: str) -> dict[str, Any]:
    return {
        "id": identifier,
        "kind": kind,
        "section": section,
        "trust": trust,
        "content": {"text": text},
        "size": {"value": 100, "unit": "token", "basis": "declared"},
    }
