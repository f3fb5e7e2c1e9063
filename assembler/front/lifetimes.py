"""When evidence expires that does not say so itself: a rule of the profile, by class."""

from __future__ import annotations

from datetime import date, timedelta

from assembler.config.profile import Lifetimes
from assembler.model.evidence import Discovered


def with_lifetime(item: Discovered, lifetimes: Lifetimes) -> Discovered:
    """The piece with the end that the profile's rule gives it.

    What has no time of its own has no end either: nothing says from when to count. What the
    entry itself says goes first. Only tests, observations and issues have such a rule.
    """
    days = None if item.payload is None else getattr(lifetimes, item.payload.kind)
    candidate = item.candidate
    since = "retrieved_at" if candidate.retrieved_at is not None else "observed_at"
    start = getattr(candidate, since)
    if days is None or start is None or candidate.expires_at is not None:
        return item
    rule = f"{days} {'day' if days == 1 else 'days'} after {since}"
    words = rule if candidate.refresh is None else f"{candidate.refresh}; {rule}"
    return item._replace(
        candidate=candidate._replace(expires_at=add_days(start, days), refresh=words)
    )


def add_days(time: str, days: int) -> str | None:
    """The time so many days later; None behind the year 9999.

    Args:
        time: one that `is_time` takes.
        days: >= 0.
    """
    try:
        day = date.fromisoformat(time[:10]) + timedelta(days=days)
    except OverflowError:
        return None
    return f"{day.isoformat()}{time[10:]}"
