"""The static checks: those that no other candidate's admission can change.

They are tried in one fixed order and the first that fails is the reason
(docs/formats/decisions.md). Facts come from the candidate, never from its content.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

from assembler.model.candidate import Absent, Candidate
from assembler.model.decision import Reason
from assembler.model.inventory import Inventory

Verdict = tuple[Reason, dict[str, Any]]


def check_facts(candidate: Candidate, inventory: Inventory) -> Verdict | None:
    """The first reason against a candidate that its facts alone give, or None.

    `content-absent` is left out for required candidates: what has no bytes behind it is
    refused later, when its bytes are needed.
    """
    required = candidate.id in inventory.required_ids
    return (
        _check_access(candidate)
        or _check_seal(candidate, inventory)
        or _check_validity(candidate, inventory)
        or _check_topics(candidate, inventory)
        or _check_freshness(candidate)
        or _check_value(candidate)
        or (None if required else _check_content(candidate))
    )


def _check_access(candidate: Candidate) -> Verdict | None:
    match candidate.content:
        case Absent(word="denied", rule=rule):
            return Reason.ACCESS_DENIED, {"rule": rule}
        case Absent(word="path-not-utf8"):
            return Reason.PATH_NOT_UTF8, {}
        case Absent(word="turned-away", code=code, where=where):
            return Reason.TURNED_AWAY, {"code": code, "where": where}
        case _:
            return None


def _check_seal(candidate: Candidate, inventory: Inventory) -> Verdict | None:
    """A seal sees ids and declared lineage only; `seal.lineage` seals no id of its own."""
    lists = inventory.sealed_ids
    for name, ids in lists:
        if name != "lineage" and candidate.id in ids:
            return Reason.SEALED_ID, {"list": name, "id": candidate.id}
    for name, ids in lists:
        shared = sorted(ids.intersection(candidate.lineage))
        if shared:
            return Reason.SEALED_LINEAGE, {"list": name, "lineage": shared}
    return None


def _check_validity(candidate: Candidate, inventory: Inventory) -> Verdict | None:
    asked, now = inventory.task.as_of, inventory.task.now
    if asked is not None and not _holds_on_any(candidate, asked):
        return Reason.NOT_VALID_THEN, {
            "as_of": list(asked),
            "valid_from": candidate.valid_from,
            "valid_to": candidate.valid_to,
        }
    if now is not None and candidate.expires_at is not None and candidate.expires_at <= now:
        return Reason.EXPIRED, {"now": now, "expires_at": candidate.expires_at}
    return None


def _holds_on_any(candidate: Candidate, dates: tuple[str, ...]) -> bool:
    """Whether the first date from `valid_from` on comes before `valid_to`; dates are sorted."""
    first = bisect_left(dates, candidate.valid_from or "")
    return first < len(dates) and (candidate.valid_to is None or dates[first] < candidate.valid_to)


def _check_topics(candidate: Candidate, inventory: Inventory) -> Verdict | None:
    asked = inventory.task.topics
    if candidate.section != "evidence" or asked is None or not candidate.topics:
        return None
    if not inventory.asked_topics.isdisjoint(candidate.topics):
        return None
    return Reason.OFF_TOPIC, {"topics": list(candidate.topics), "asked": list(asked)}


def _check_freshness(candidate: Candidate) -> Verdict | None:
    for entry in candidate.freshness:
        if entry.current is None:
            return Reason.FRESHNESS_UNKNOWN, {"source": entry.source, "seen": entry.seen}
        if entry.current != entry.seen:
            detail = {"source": entry.source, "seen": entry.seen, "current": entry.current}
            return Reason.STALE, detail
    return None


def _check_value(candidate: Candidate) -> Verdict | None:
    if candidate.decision_value == 0:
        return Reason.NO_DECISION_VALUE, {"decision_value": 0}
    return None


def _check_content(candidate: Candidate) -> Verdict | None:
    match candidate.content:
        case Absent(word=word):
            return Reason.CONTENT_ABSENT, {"absent": word}
        case _:
            return None
