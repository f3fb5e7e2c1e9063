from __future__ import annotations

import pytest

from assembler.config.profile import Lifetimes
from assembler.front.lifetimes import add_days, with_lifetime
from assembler.model.candidate import Absent, Candidate
from assembler.model.evidence import Discovered, Payload


def piece(kind: str = "issue", **members: str | None) -> Discovered:
    item = Candidate("i", kind, "evidence", "untrusted", Absent("unread"))._replace(**members)  # type: ignore[arg-type]
    payload = None if kind == "source" else Payload(kind)
    return Discovered(candidate=item, path="a", payload=payload)


@pytest.mark.parametrize(
    ("time", "days", "later"),
    [
        ("2026-01-31T10:11:12Z", 0, "2026-01-31T10:11:12Z"),
        ("2024-02-28T23:59:59Z", 1, "2024-02-29T23:59:59Z"),
        ("0001-01-01T00:00:00Z", 1, "0001-01-02T00:00:00Z"),
        ("9999-12-30T00:00:00Z", 1, "9999-12-31T00:00:00Z"),
        ("9999-12-31T00:00:00Z", 1, None),
    ],
)
def test_days__are_added_by_the_calendar(time: str, days: int, later: str | None) -> None:
    assert add_days(time, days) == later


def test_retrieval__goes_before_observation() -> None:
    item = piece(retrieved_at="2026-01-02T00:00:00Z", observed_at="2020-01-01T00:00:00Z")
    found = with_lifetime(item, Lifetimes(issue=0)).candidate
    assert (found.expires_at, found.refresh) == (
        "2026-01-02T00:00:00Z",
        "0 days after retrieved_at",
    )


@pytest.mark.parametrize(
    ("item", "lifetimes"),
    [
        (piece(retrieved_at="2026-01-01T00:00:00Z"), Lifetimes()),
        (piece(retrieved_at="2026-01-01T00:00:00Z"), Lifetimes(test=1, observation=1)),
        (piece(), Lifetimes(issue=1)),
        (piece("source", retrieved_at="2026-01-01T00:00:00Z"), Lifetimes(1, 1, 1)),
        (
            piece(retrieved_at="2026-01-01T00:00:00Z", expires_at="2020-01-01T00:00:00Z"),
            Lifetimes(issue=1),
        ),
    ],
    ids=["no rule", "other classes", "no time", "a file", "an end of its own"],
)
def test_piece__that_the_rule_is_not_for_stays_as_it_is(
    item: Discovered, lifetimes: Lifetimes
) -> None:
    assert with_lifetime(item, lifetimes) == item
