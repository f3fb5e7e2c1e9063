"""Misses and stale decisions: two measures, each event of the record in at most one of them.

A miss is a needed item that was not shown. A stale decision used an item that was stale then.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from assembler.diagnose.claim import Claim
from assembler.diagnose.trace import Item, Trace, Use

ABSENT: Final = "absent"
IGNORED: Final = "ignored"

MECHANISMS: Final = {
    "stale": "stale",
    "freshness-unknown": "stale",
    "expired": "stale",
    "not-valid-then": "stale",
    "sealed-id": "provenance",
    "sealed-lineage": "provenance",
    "off-topic": "ranking",
    "no-decision-value": "ranking",
    "layout-excludes": "precedence",
    "budget-exceeded": "budget",
    "group-incomplete": "budget",
    "chain-cut": "budget",
    "chain-lost": "budget",
}
"""By the word of a row; what was never opened, refused or not found was not retrieved."""

_STALE_WORDS: Final = frozenset({"stale", "freshness-unknown", "expired"})


class Miss(NamedTuple):
    """A needed item that was not shown."""

    id: str
    need: str
    """`policy`, `failure`, or `consumed`: what proves that it was needed."""
    seq: int | None
    """Of the event that used it; None where the rows alone prove it."""
    reason: str
    mechanism: str
    triage: str

    def to_json(self) -> dict[str, Any]:
        """The members of the JSON form."""
        return self._asdict()


class StaleDecision(NamedTuple):
    """A decision that used an item which was stale."""

    id: str
    decision: str
    seq: int
    reason: str
    mechanism: str
    triage: str
    """`ignored` where what was read in its place was shown, else `absent`."""

    def to_json(self) -> dict[str, Any]:
        """The members of the JSON form."""
        return self._asdict()


def find_misses(trace: Trace, policy: Claim, displaced: Claim, stale: Claim) -> tuple[Miss, ...]:
    """What the claims prove to be missing, then what decisions used and nobody was shown."""
    found = [
        Miss(each.id, need, None, *_why_out(each.item))
        for claim, need, role in (
            (policy, "policy", "missing"),
            (displaced, "failure", "displaced"),
        )
        for each in claim.proofs
        if each.role == role
    ]
    stale_ids = _stale_ids(stale)
    for use, item in _used(trace):
        is_shown = item.is_rendered or item.shown_as is not None
        if not is_shown and not _is_stale(item, stale_ids):
            found.append(Miss(item.id, "consumed", use.seq, *_why_out(item)))
    return tuple(found)


def find_stale_decisions(trace: Trace, stale: Claim) -> tuple[StaleDecision, ...] | None:
    """Decisions of the record that used a stale item; None where there is no record to ask."""
    if trace.uses is None:
        return None
    stale_ids = _stale_ids(stale)
    return tuple(
        StaleDecision(
            item.id,
            use.decision,
            use.seq,
            item.word if item.word in _STALE_WORDS else "stale_source_selected",
            "stale",
            IGNORED if _is_newer_shown(item, trace) else ABSENT,
        )
        for use, item in _used(trace)
        if _is_stale(item, stale_ids)
    )


def _used(trace: Trace) -> Iterator[tuple[Use, Item]]:
    return ((use, trace.by_id[use.id]) for use in trace.uses or () if use.id in trace.by_id)


def _stale_ids(stale: Claim) -> frozenset[str]:
    return frozenset(each.id for each in stale.proofs if each.role == "stale")


def _is_stale(item: Item, stale_ids: frozenset[str]) -> bool:
    return item.word in _STALE_WORDS or item.id in stale_ids


def _is_newer_shown(item: Item, trace: Trace) -> bool:
    again = trace.by_id.get(item.refreshed_by or "")
    newer = [*trace.replaced_by.get(item.id, ()), *([] if again is None else [again])]
    return any(other.is_rendered and other.id != item.id for other in newer)


def _why_out(item: Item | None) -> tuple[str, str, str]:
    """Reason, mechanism and triage of what was not shown."""
    reason = "not-offered" if item is None else item.word
    return reason, MECHANISMS.get(reason, "retrieval"), ABSENT
