"""Questions beside the three claims: provenance, precedence, the budget, policy shown twice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from assembler.diagnose.claim import HOLDS, NOT_CHECKED, Claim, Proof, fired, proof
from assembler.diagnose.places import is_instruction, path_of
from assembler.diagnose.trace import Item, Trace
from assembler.model.counting import plural

PROVENANCE: Final = "ASM405"
PRECEDENCE: Final = "ASM406"
BUDGET: Final = "ASM407"
DUPLICATE: Final = "ASM408"

_AUTHORITY: Final = {"authorized": 2, "observed": 3, "repository": 4, "derived": 5, "untrusted": 6}
"""By trust, highest first; sections 1 and 2 stand above all of it."""
_PASSED_OVER: Final = frozenset(
    {"no-decision-value", "layout-excludes", "group-incomplete", "budget-exceeded"}
)
"""Reasons of an item that could have been in."""


def find_lost_provenance(trace: Trace) -> Claim:
    """Evidence that is in and says neither whence, nor of when, nor who found it."""
    lost = [item for item in trace.evidence_in if _has_no_provenance(item)]
    if not lost:
        return Claim(PROVENANCE, HOLDS, f"{len(trace.evidence_in)} items of evidence say theirs")
    statements = [f"{item.id} has no source, revision or discovered_by" for item in lost]
    return fired(PROVENANCE, statements, [proof("without provenance", item) for item in lost])


def _has_no_provenance(item: Item) -> bool:
    return all(
        fact is None for fact in (item.source, item.revision, item.discovered_by, item.address)
    )


def find_wrong_precedence(trace: Trace) -> Claim:
    """A lower authority is in over or before a higher one that decides the same."""
    statements, proofs = [], []
    for statement, lower, higher in [*_same_decision(trace), *_declared_conflicts(trace)]:
        statements.append(statement)
        proofs += [proof("lower authority", lower), proof("higher authority", higher)]
    if statements:
        return fired(PRECEDENCE, statements, proofs)
    return Claim(PRECEDENCE, HOLDS, "no lower authority over a higher one")


def _authority(item: Item) -> int:
    """The smaller, the higher."""
    return {"policy": 0, "task": 1}.get(item.section, _AUTHORITY[item.trust])


def _same_decision(trace: Trace) -> Iterator[tuple[str, Item, Item]]:
    """Items passed over for a decision that only lower ones are in for."""
    best: dict[str, Item] = {}
    for item in trace.evidence_in:
        known = best.get(item.decides or "")
        if item.decides and (known is None or _authority(item) < _authority(known)):
            best[item.decides] = item
    for item in trace.items:
        winner = best.get(item.decides or "")
        if winner is None or item.section != "evidence" or item.reason not in _PASSED_OVER:
            continue
        if _authority(item) < _authority(winner):
            said = f"{winner.id} ({winner.trust}) is in, {item.id} ({item.trust}) is out"
            yield f"{said}, both decide {item.decides}", winner, item


def _declared_conflicts(trace: Trace) -> Iterator[tuple[str, Item, Item]]:
    """Pairs that say they disagree: the lower one in alone, or before the higher one."""
    seen = set()
    for item in trace.items:
        for name in item.conflicts_with:
            other = trace.by_id.get(name)
            if other is None or _authority(other) == _authority(item):
                continue
            lower, higher = sorted((item, other), key=_authority, reverse=True)
            is_over = higher.reason in _PASSED_OVER or (higher.is_in and lower.row < higher.row)
            if lower.is_in and is_over and (lower.id, higher.id) not in seen:
                seen.add((lower.id, higher.id))
                where = f"stands before {higher.id}" if higher.is_in else f"is in, {higher.id} out"
                yield f"{lower.id} ({lower.trust}) {where} ({higher.trust})", lower, higher


def find_overdrawn(trace: Trace) -> Claim:
    """The input is over its envelope, or leaves no room for the answer that is asked for."""
    budget = trace.budget
    unit, total, envelope = plural(budget["unit"]), budget["total"], budget["envelope"]
    if total > envelope:
        return fired(BUDGET, [f"{total:,} {unit} over an envelope of {envelope:,}"], [])
    reserves = budget["reserves"]
    if trace.max_output is None or budget["unit"] != "token":
        return Claim(BUDGET, HOLDS, f"{total:,} of {envelope:,} {unit}")
    kept = sum(size for name, size in reserves.items() if name != "response")
    needed = total + kept + max(trace.max_output, reserves.get("response", 0))
    if needed > budget["window"]:
        said = f"{total:,} of input, {kept:,} kept back and {trace.max_output:,} of output are"
        return fired(BUDGET, [f"{said} {needed:,} {unit}, the window has {budget['window']:,}"], [])
    return Claim(BUDGET, HOLDS, f"{total:,} of {envelope:,} {unit}")


def find_policy_twice(trace: Trace) -> Claim:
    """Evidence that shows again what stands in the policy."""
    policy = [item for item in trace.selected if is_instruction(item)]
    if not policy:
        return Claim(DUPLICATE, NOT_CHECKED, "no instructions are in")
    by_digest = {item.sha256: item for item in reversed(policy) if item.sha256 is not None}
    by_file = {
        (path, item.revision): item
        for item in reversed(policy)
        if (path := path_of(item)) is not None and item.revision is not None
    }
    statements: list[str] = []
    proofs: list[Proof] = []
    for item in trace.evidence_in:
        first = by_digest.get(item.sha256) or by_file.get((path_of(item) or "", item.revision))
        if first is not None and first.id != item.id:
            statements.append(f"{item.id} is in again as evidence, {first.id} is policy")
            proofs += [proof("again", item), proof("resident", first)]
    if statements:
        return fired(DUPLICATE, statements, proofs)
    return Claim(DUPLICATE, HOLDS, f"{len(policy)} instructions in, none twice")
