"""Dates and times as the formats spell them; their order as text is their order in time."""

from __future__ import annotations

import re
from typing import Final

_DATE: Final = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})\Z")
_TIME: Final = re.compile(r"(.{10})T([0-9]{2}):([0-9]{2}):([0-9]{2})Z\Z")
_DAYS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def is_date(text: str) -> bool:
    """Whether the text is `YYYY-MM-DD` and a day of the calendar, years 0001-9999."""
    match = _DATE.match(text)
    if match is None:
        return False
    year, month, day = (int(part) for part in match.groups())
    if year < 1 or not 1 <= month <= 12:
        return False
    leap = month == 2 and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 1 <= day <= _DAYS[month - 1] + (1 if leap else 0)


def is_time(text: str) -> bool:
    """Whether the text is `YYYY-MM-DDThh:mm:ssZ`, seconds 00-59."""
    match = _TIME.match(text)
    if match is None or not is_date(match.group(1)):
        return False
    hours, minutes, seconds = (int(part) for part in match.groups()[1:])
    return hours <= 23 and minutes <= 59 and seconds <= 59
