"""Checks on the rows of the ledger against what the inventory decides.

Checks: ledger-rows, ledger-order, row-fields, consumed-by, decision, cost, states, span.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import TypeAlias

from assembler_verifier.envelope import Span
from assembler_verifier.folder import INVENTORY, LEDGER
from assembler_verifier.inventory import Candidate
from assembler_verifier.order import canonical_order
from assembler_verifier.package import Package
from assembler_verifier.record_shapes import ROW_MEMBERS_OF_INVENTORY
from assembler_verifier.report import OTHER_RENDERING, Claims, printable
from assembler_verifier.rerun import Outcome, uses_vocabulary
from assembler_verifier.selection import Decision
from assembler_verifier.strict_json import JsonObject, JsonValue, same

_INELIGIBLE = frozenset(
    {
        "access-denied",
        "path-not-utf8",
        "turned-away",
        "sealed-id",
        "sealed-lineage",
        "not-valid-then",
        "expired",
        "off-topic",
        "freshness-unknown",
        "stale",
    }
)
_ROW_CHECKS = ("ledger-rows", "ledger-order", "row-fields", "consumed-by")
_DERIVED_CHECKS = ("decision", "cost", "states", "span")

Problems: TypeAlias = Iterator[str]


def check_ledger(claims: Claims, package: Package, outcome: Outcome) -> None:
    """Run every check of this module."""
    if package.inventory is None or package.rows is None:
        for name in (*_ROW_CHECKS, *_DERIVED_CHECKS):
            claims.unchecked(name, package.why_not(INVENTORY, LEDGER))
        if package.rows is not None:
            _check_consumed(claims, package.rows)
        return
    ordered = canonical_order(package.inventory.candidates)
    _check_rows(claims, package.rows, ordered)
    candidates = {candidate.id: candidate for candidate in ordered}
    named = [(row, row.get("id")) for row in package.rows]
    rows = [(row, name) for row, name in named if isinstance(name, str) and name in candidates]
    _judge(claims, "row-fields", rows, lambda row, name: _field_problems(row, candidates[name]))
    _check_consumed(claims, package.rows)
    if outcome.derived is None:
        for name in _DERIVED_CHECKS:
            claims.unchecked(name, outcome.why)
        if outcome.lacks_cost is not None:
            claims.failed("cost", outcome.lacks_cost)
        return
    decisions = outcome.derived.selection.decisions
    _judge(claims, "decision", rows, lambda row, name: _decision_problems(row, decisions[name]))
    _judge(claims, "cost", rows, lambda row, name: _cost_problems(row, decisions[name]))
    if uses_vocabulary(package.inventory) and not claims.has_failed("cost"):
        counter = package.inventory.counter
        claims.unchecked("cost", f"taken from the ledger: {printable(counter)} is not at hand")
    _judge(claims, "states", rows, lambda row, name: _state_problems(row, decisions[name]))
    if outcome.rendering is None:
        claims.unchecked("span", outcome.why)
        return
    if claims.has_failed("rendered-bytes"):
        claims.unchecked("span", OTHER_RENDERING)
        return
    spans = outcome.rendering.spans
    _judge(claims, "span", rows, lambda row, name: _span_problems(row, spans.get(name)))


def _judge(
    claims: Claims,
    check: str,
    rows: list[tuple[JsonObject, str]],
    find: Callable[[JsonObject, str], Problems],
) -> None:
    problems = [
        f"row of {printable(name)}: {problem}" for row, name in rows for problem in find(row, name)
    ]
    claims.judge(check, problems)


def _check_rows(claims: Claims, rows: list[JsonObject], ordered: list[Candidate]) -> None:
    counts = Counter(name for row in rows if isinstance(name := row.get("id"), str))
    offered = {candidate.id for candidate in ordered}
    problems = [
        f"{printable(candidate.id)} has {counts[candidate.id]} rows"
        for candidate in ordered
        if counts[candidate.id] != 1
    ]
    problems += [f"{printable(name)} is no candidate" for name in counts if name not in offered]
    nameless = sum(not isinstance(row.get("id"), str) for row in rows)
    if nameless:
        problems.append(f"{nameless} rows name no candidate")
    claims.judge("ledger-rows", problems)
    claims.judge("ledger-order", list(_order_problems(rows, ordered)))


def _order_problems(rows: list[JsonObject], ordered: list[Candidate]) -> Problems:
    """Rows that do not stand after the one before; a row too few is another check's."""
    places = {candidate.id: place for place, candidate in enumerate(ordered)}
    last = -1
    for number, row in enumerate(rows, 1):
        name = row.get("id")
        place = places.get(name) if isinstance(name, str) else None
        if place is None:
            continue
        if place <= last:
            yield f"row {number} is not the next in canonical order"
        last = place


def _check_consumed(claims: Claims, rows: list[JsonObject]) -> None:
    filled = sum(row.get("consumed_by") is not None for row in rows)
    claims.judge("consumed-by", [f"{filled} rows name a consumption"] if filled else [])


def _differing(row: JsonObject, expected: JsonObject) -> Problems:
    for name, value in expected.items():
        if name not in row or not same(row[name], value):
            yield name


def _field_problems(row: JsonObject, candidate: Candidate) -> Problems:
    expected: JsonObject = {name: candidate.members[name] for name in ROW_MEMBERS_OF_INVENTORY}
    denied = candidate.absent in {"denied", "path-not-utf8"}
    expected["access"] = "denied" if denied else "granted"
    expected["content_sha256"] = candidate.digest
    expected["content_bytes"] = candidate.size_bytes
    expected["required"] = candidate.required
    for name in _differing(row, expected):
        yield f"{name} is not that of the inventory"


def _decision_problems(row: JsonObject, decision: Decision) -> Problems:
    expected: JsonObject = {"decision": decision.word, "reason": decision.reason}
    names = list(_differing(row, {**expected, "detail": decision.detail}))
    if names:
        yield f"{' and '.join(names)} differ: it is {decision.word} ({decision.reason})"


def _cost_problems(row: JsonObject, decision: Decision) -> Problems:
    for _ in _differing(row, {"cost": decision.cost}):
        yield f"the cost is {'null' if decision.cost is None else decision.cost}"


def _state_problems(row: JsonObject, decision: Decision) -> Problems:
    states: JsonObject = {
        "available": True,
        "eligible": decision.reason not in _INELIGIBLE,
        "selected": decision.selected,
        "rendered": decision.selected,
        "bound": decision.selected,
        "received": "not-observable",
    }
    given = row.get("states")
    for name in _differing(given if isinstance(given, dict) else {}, states):
        yield f"{name} is wrong"


def _span_problems(row: JsonObject, span: Span | None) -> Problems:
    expected: JsonValue = None
    if span is not None:
        expected = {
            "start": span.start,
            "end": span.end,
            "body_start": span.body_start,
            "body_end": span.body_end,
            "form": span.form,
        }
    for _ in _differing(row, {"span": expected}):
        if span is None:
            yield "it has no place in the rendering"
        else:
            body = f"{span.body_start}..{span.body_end}, {span.form}"
            yield f"it stands at bytes {span.start}..{span.end}, its body at {body}"
