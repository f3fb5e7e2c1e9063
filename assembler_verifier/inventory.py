"""Read an inventory: every member checked, defaults filled in, sets and candidates sorted.

In: the parsed JSON of `inventory.json`, or of an inventory as a host gives it.
Out: an `Inventory` in normal form, or `DefectError` with one of its defects.
Whether a file already *was* the normal form is for the caller to compare.
Rules: FORMATS 4.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from assembler_verifier.inventory_schema import INVENTORY
from assembler_verifier.schema import DefectError
from assembler_verifier.strict_json import JsonObject, JsonValue
from assembler_verifier.values import int_of, object_of, text_of, texts_of

TOOL_KINDS = frozenset({"tool", "mcp-tool"})
MEASURED_UNITS = {"code-points": "code-point", "utf8-bytes": "byte"}
"""Counters that this package can count with, and the unit of each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One offered item. `members` is its whole normal form."""

    id: str
    kind: str
    section: str
    trust: str
    required: bool
    position: int
    group: str | None
    digest: str | None
    size_bytes: int | None
    absent: str | None
    members: JsonObject

    def text(self, name: str) -> str | None:
        """A member that is a string or null."""
        value = self.members[name]
        return value if isinstance(value, str) else None

    def texts(self, name: str) -> list[str]:
        """A member that is a set of strings."""
        return texts_of(self.members[name])

    def integer(self, name: str) -> int | None:
        """A member that is an integer or null."""
        value = self.members[name]
        return value if isinstance(value, int) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """An inventory in normal form; `candidates` are sorted by id."""

    members: JsonObject
    candidates: tuple[Candidate, ...]
    required: tuple[str, ...]
    layout: str
    order: str
    adapter: str
    model: str | None
    max_output: int | None
    unit: str
    counter: str
    window: int
    overhead: int | None
    reserves: dict[str, int]
    seals: dict[str, frozenset[str]]
    asked_days: tuple[str, ...]
    asked_topics: frozenset[str]

    def task(self, name: str) -> JsonValue:
        """A member of `task`."""
        return object_of(self.members["task"])[name]


def read_inventory(value: JsonValue) -> Inventory:
    """Read an inventory in any form that a host may give.

    Raises:
        DefectError: it is malformed.
    """
    members = object_of(INVENTORY(value, ""))
    budget = object_of(members["budget"])
    _check_budget(object_of(value)["budget"], budget)
    if object_of(members["task"])["as_of"] == []:
        raise DefectError("dates-empty", "task.as_of")
    required = tuple(texts_of(members["required"]))
    candidates = _read_candidates(members, frozenset(required))
    members["candidates"] = [candidate.members for candidate in candidates]
    adapter = object_of(members["adapter"])
    task = object_of(members["task"])
    seal = object_of(members["seal"])
    return Inventory(
        members=members,
        candidates=candidates,
        required=required,
        layout=text_of(members["layout"]),
        order=text_of(members["order"]),
        adapter=text_of(adapter["name"]),
        model=None if adapter["model"] is None else text_of(adapter["model"]),
        max_output=None if adapter["max_output"] is None else int_of(adapter["max_output"]),
        unit=text_of(budget["unit"]),
        counter=text_of(budget["counter"]),
        window=int_of(budget["window"]),
        overhead=None if budget["overhead"] is None else int_of(budget["overhead"]),
        reserves={name: int_of(item) for name, item in object_of(budget["reserves"]).items()},
        seals={name: frozenset(texts_of(ids)) for name, ids in seal.items()},
        asked_days=tuple(texts_of(task["as_of"])),
        asked_topics=frozenset(texts_of(task["topics"])),
    )


def has_path(inventory: Inventory) -> bool:
    """Whether a content is named by a path, which no package keeps."""
    return any("path" in object_of(item.members["content"]) for item in inventory.candidates)


def _check_budget(given: JsonValue, budget: JsonObject) -> None:
    counter, unit = text_of(budget["counter"]), text_of(budget["unit"])
    if counter == "declared":
        if budget["overhead"] is None:
            # Left out it is 0; null is for counters that measure it.
            if "overhead" in object_of(given):
                raise DefectError("limit", "budget.overhead")
            budget["overhead"] = 0
        return
    if budget["overhead"] is not None:
        raise DefectError("limit", "budget.overhead")
    if unit != MEASURED_UNITS.get(counter, "token"):
        raise DefectError("unit-counter", "budget")


def _read_candidates(members: JsonObject, required: frozenset[str]) -> tuple[Candidate, ...]:
    listed = members["candidates"]
    records = listed if isinstance(listed, list) else []
    candidates = [_candidate(object_of(item), required) for item in records]
    for index, candidate in enumerate(candidates):
        _check_candidate(candidate, f"candidates[{index}]")
    repeated = Counter(candidate.id for candidate in candidates)
    if len(repeated) != len(candidates):
        raise DefectError("duplicate-id", "candidates")
    _check_groups(candidates)
    return tuple(sorted(candidates, key=lambda candidate: candidate.id))


def _candidate(members: JsonObject, required: frozenset[str]) -> Candidate:
    content = object_of(members["content"])
    digest, size_bytes, absent = (content.get(name) for name in ("sha256", "bytes", "absent"))
    name = text_of(members["id"])
    return Candidate(
        id=name,
        kind=text_of(members["kind"]),
        section=text_of(members["section"]),
        trust=text_of(members["trust"]),
        required=name in required,
        position=int_of(members["position"]),
        group=None if members["group"] is None else text_of(members["group"]),
        digest=None if digest is None else text_of(digest),
        size_bytes=None if size_bytes is None else int_of(size_bytes),
        absent=None if absent is None else text_of(absent),
        members=members,
    )


def _check_candidate(candidate: Candidate, place: str) -> None:
    if candidate.section == "evidence" and candidate.position != 0:
        raise DefectError("position-in-evidence", place)
    if candidate.kind in TOOL_KINDS and (candidate.section, candidate.trust) != (
        "tools",
        "authorized",
    ):
        raise DefectError("tool-misplaced", place)
    if candidate.section == "policy" and candidate.trust != "authorized":
        raise DefectError("policy-untrusted", place)


def _check_groups(candidates: list[Candidate]) -> None:
    required_by_group: dict[str, bool] = {}
    for candidate in candidates:
        if candidate.group is None:
            continue
        if required_by_group.setdefault(candidate.group, candidate.required) != candidate.required:
            raise DefectError("group-mixed", "candidates")
