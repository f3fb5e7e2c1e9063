"""The checks that need no trial: the first that fails is the reason of a rejection.

Out: for each rejected candidate one `Rejection`. What refuses the whole run is raised.
Rules: FORMATS 5.1 and steps 1 and 3 of FORMATS 5.4.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from assembler_verifier.inventory import Candidate, Inventory
from assembler_verifier.objects import Objects
from assembler_verifier.places import (
    CONTRACT,
    SINGLE_PLACES,
    keeper,
    missing_place,
    single_place,
)
from assembler_verifier.strict_json import JsonObject, JsonValue
from assembler_verifier.values import object_of, text_of


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why a candidate is out."""

    reason: str
    detail: JsonObject


class RefusedError(Exception):
    """The inventory does not compile.

    Attributes:
        code: the code of FORMATS 5.4.
        detail: the detail that its failure has.
    """

    def __init__(self, code: str, detail: JsonObject) -> None:
        """Keep code and detail."""
        super().__init__(code)
        self.code = code
        self.detail = detail

    @property
    def item(self) -> str | None:
        """The item that the detail names, if it names one."""
        name = self.detail.get("id")
        return name if isinstance(name, str) else None


def reject_statically(
    inventory: Inventory, ordered: Sequence[Candidate], objects: Objects
) -> dict[str, Rejection]:
    """Settle every static check, for candidates in canonical order.

    Raises:
        RefusedError: a required candidate is missing, rejected or without a single place.
        BrokenObjectError: bytes that decide a place are not at hand.
    """
    offered = {candidate.id for candidate in ordered}
    missing = sorted(name for name in inventory.required if name not in offered)
    if missing:
        raise RefusedError("required-missing", {"ids": [*missing]})
    rejections: dict[str, Rejection] = {}
    for candidate in ordered:
        rejection = _check_one(inventory, candidate, objects)
        if rejection is None:
            continue
        if candidate.required:
            named: JsonObject = {"id": candidate.id, "reason": rejection.reason}
            raise RefusedError("required-rejected", {**named, "detail": rejection.detail})
        rejections[candidate.id] = rejection
    if inventory.layout == CONTRACT:
        left = [candidate for candidate in ordered if candidate.id not in rejections]
        rejections.update(_fill_single_places(left))
    return rejections


def _check_one(inventory: Inventory, candidate: Candidate, objects: Objects) -> Rejection | None:
    for rejection in (
        _check_access(candidate),
        _check_seal(inventory, candidate),
        _check_dates(inventory, candidate),
        _check_topics(inventory, candidate),
        _check_freshness(candidate),
        _check_use(candidate),
    ):
        if rejection is not None:
            return rejection
    why = missing_place(inventory.layout, candidate, objects)
    if why is None:
        return None
    return Rejection("layout-excludes", {"layout": inventory.layout, "why": why})


def _check_access(candidate: Candidate) -> Rejection | None:
    content = object_of(candidate.members["content"])
    match candidate.absent:
        case "denied":
            return Rejection("access-denied", {"rule": content["rule"]})
        case "path-not-utf8":
            return Rejection("path-not-utf8", {})
        case "turned-away":
            return Rejection("turned-away", {"code": content["code"], "where": content["where"]})
        case _:
            return None


def _check_seal(inventory: Inventory, candidate: Candidate) -> Rejection | None:
    own_lists = ("artifacts", "calls", "events")
    for name in own_lists:
        if candidate.id in inventory.seals[name]:
            return Rejection("sealed-id", {"list": name, "id": candidate.id})
    lineage = set(candidate.texts("lineage"))
    for name in (*own_lists, "lineage") if lineage else ():
        shared = sorted(lineage & inventory.seals[name])
        if shared:
            return Rejection("sealed-lineage", {"list": name, "lineage": list(shared)})
    return None


def _check_dates(inventory: Inventory, candidate: Candidate) -> Rejection | None:
    asked = inventory.task("as_of")
    valid_from, valid_to = candidate.text("valid_from"), candidate.text("valid_to")
    if asked is not None and not _meets(inventory.asked_days, valid_from, valid_to):
        return Rejection(
            "not-valid-then", {"as_of": asked, "valid_from": valid_from, "valid_to": valid_to}
        )
    now, expires_at = inventory.task("now"), candidate.text("expires_at")
    if now is not None and expires_at is not None and expires_at <= text_of(now):
        return Rejection("expired", {"now": now, "expires_at": expires_at})
    return None


def _meets(days: Sequence[str], valid_from: str | None, valid_to: str | None) -> bool:
    # The days are sorted: if the first one not before `valid_from` is too late, all are.
    first = bisect_left(days, valid_from or "")
    return first < len(days) and (valid_to is None or days[first] < valid_to)


def _check_topics(inventory: Inventory, candidate: Candidate) -> Rejection | None:
    asked = inventory.task("topics")
    topics = candidate.texts("topics")
    if candidate.section != "evidence" or asked is None or not topics:
        return None
    if not inventory.asked_topics.isdisjoint(topics):
        return None
    return Rejection("off-topic", {"topics": candidate.members["topics"], "asked": asked})


def _check_freshness(candidate: Candidate) -> Rejection | None:
    entries = candidate.members["freshness"]
    for entry in entries if isinstance(entries, list) else []:
        members = object_of(entry)
        named: JsonObject = {"source": members["source"], "seen": members["seen"]}
        current: JsonValue = members["current"]
        if current is None:
            return Rejection("freshness-unknown", named)
        if current != members["seen"]:
            return Rejection("stale", {**named, "current": current})
    return None


def _check_use(candidate: Candidate) -> Rejection | None:
    if candidate.integer("decision_value") == 0:
        return Rejection("no-decision-value", {"decision_value": 0})
    if not candidate.required and candidate.absent in {"unread", "unreadable"}:
        return Rejection("content-absent", {"absent": candidate.absent})
    return None


def _fill_single_places(left: Sequence[Candidate]) -> dict[str, Rejection]:
    rejections: dict[str, Rejection] = {}
    for place in SINGLE_PLACES:
        asking = [candidate for candidate in left if single_place(candidate) == place]
        required = sorted(candidate.id for candidate in asking if candidate.required)
        if len(required) > 1:
            raise RefusedError("layout-cannot-hold", {"ids": [*required]})
        kept = keeper(asking)
        for candidate in asking:
            if candidate is not kept:
                detail: JsonObject = {"layout": CONTRACT, "why": "slot"}
                rejections[candidate.id] = Rejection("layout-excludes", detail)
    return rejections
