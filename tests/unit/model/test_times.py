from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assembler.model.times import is_date, is_time


@given(st.dates())
def test_date__every_day_of_the_calendar_is_one(day: datetime.date) -> None:
    assert is_date(day.isoformat())


@pytest.mark.parametrize(
    "text",
    ["2026-02-29", "2100-02-29", "2026-02-30", "2026-13-01", "2026-00-01", "2026-04-31",
     "0000-01-01", "2026-1-01", "2026-01-01 ", "\uff12\uff10\uff12\uff16-01-01", "2026-01-00", ""],
)  # fmt: skip
def test_date__anything_else_is_none(text: str) -> None:
    assert not is_date(text)


def test_date__leap_years() -> None:
    assert is_date("2024-02-29")
    assert is_date("2000-02-29")


@pytest.mark.parametrize("text", ["2026-09-14T00:00:00Z", "0001-01-01T23:59:59Z"])
def test_time__whole_seconds_in_utc(text: str) -> None:
    assert is_time(text)


@pytest.mark.parametrize(
    "text",
    ["2026-09-14T24:00:00Z", "2026-09-14T00:60:00Z", "2026-09-14T00:00:60Z",
     "2026-09-14T00:00:00", "2026-09-14T00:00:00+00:00", "2026-09-14 00:00:00Z",
     "2026-02-30T00:00:00Z", "2026-09-14T00:00:00.5Z"],
)  # fmt: skip
def test_time__anything_else_is_none(text: str) -> None:
    assert not is_time(text)
