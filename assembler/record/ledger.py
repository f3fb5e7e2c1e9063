"""One row for each offered candidate: offered = selected + rejected, nothing vanishes.

Rules: docs/formats/ledger.md.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any

from assembler.model.candidate import Candidate, address_to_json, size_to_json
from assembler.model.decision import INELIGIBLE, Decision, Reason, Selected, decision_word
from assembler.model.rendered import Rendering, Segment, Span

_DENIALS = (Reason.ACCESS_DENIED, Reason.PATH_NOT_UTF8)


def write_rows(
    decisions: Sequence[Decision],
    rendering: Rendering,
    segments: Sequence[Segment],
    required: frozenset[str],
) -> list[dict[str, Any]]:
    """The rows in canonical order, as plain values."""
    spans = {item.candidate.id: item.span for item in rendering.items}
    places = _Places(segments)
    return [_row(decision, spans, places, required) for decision in decisions]


def _row(
    decision: Decision,
    spans: Mapping[str, Span],
    places: _Places,
    required: frozenset[str],
) -> dict[str, Any]:
    candidate = decision.candidate
    span = spans.get(candidate.id)
    bound = None if span is None else places.of(span)
    return {
        **_facts(candidate),
        "access": "denied" if decision.reason in _DENIALS else "granted",
        "content_sha256": candidate.sha256,
        "content_bytes": candidate.size_bytes,
        "required": candidate.id in required,
        "decision": decision_word(decision),
        "reason": decision.reason.value,
        "detail": decision.detail,
        "cost": decision.cost,
        "states": {
            "available": True,
            "eligible": decision.reason not in INELIGIBLE,
            "selected": isinstance(decision, Selected),
            "rendered": span is not None,
            "bound": bound is not None,
            "received": "not-observable",
        },
        "span": None if span is None else span.to_json(),
        "bound": bound,
        "consumed_by": None,
    }


def _facts(candidate: Candidate) -> dict[str, Any]:
    return {
        "id": candidate.id,
        "kind": candidate.kind,
        "section": candidate.section,
        "source": candidate.source,
        "scope": candidate.scope,
        "revision": candidate.revision,
        "version": candidate.version,
        "discovered_by": candidate.discovered_by,
        "observed_at": candidate.observed_at,
        "retrieved_at": candidate.retrieved_at,
        "valid_from": candidate.valid_from,
        "valid_to": candidate.valid_to,
        "expires_at": candidate.expires_at,
        "refresh": candidate.refresh,
        "refreshed_by": candidate.refreshed_by,
        "replaces": list(candidate.replaces),
        "conflicts_with": list(candidate.conflicts_with),
        "decides": candidate.decides,
        "address": address_to_json(candidate.address),
        "trust": candidate.trust,
        "lineage": list(candidate.lineage),
        "size": size_to_json(candidate.size),
    }


class _Places:
    """Where rendered bytes stand in a request; segments cover them once, in order."""

    def __init__(self, segments: Sequence[Segment]) -> None:
        # An empty segment holds no item that one beside it does not hold as well.
        self._segments = [item for item in segments if item.start < item.end or len(segments) == 1]
        self._starts = [item.start for item in self._segments]

    def of(self, span: Span) -> dict[str, Any] | None:
        """The body's place; a tool place holds the whole item, without offsets."""
        index = bisect_right(self._starts, span.start) - 1
        if index < 0 or span.end > self._segments[index].end:
            return None
        segment = self._segments[index]
        if segment.at is None:
            return {"pointer": segment.pointer, "start": None, "end": None}
        shift = segment.at - segment.start
        return {
            "pointer": segment.pointer,
            "start": span.body_start + shift,
            "end": span.body_end + shift,
        }
