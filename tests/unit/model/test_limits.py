"""Which bytes every counter can take: exactly full, one over, and against the plain reading."""

from __future__ import annotations

import random
import re

import pytest

from assembler.model import limits
from assembler.model.limits import MAX_WHITE_SPACE_RUN, is_countable


@pytest.mark.parametrize("around", [b"", b"a", "規".encode(), b"\n\n a"])
@pytest.mark.parametrize("blank", [" ", "\n", "\u2003"])
def test_is_countable__takes_a_run_below_the_bound_and_no_longer_one(
    blank: str, around: bytes
) -> None:
    run = blank.encode() * (MAX_WHITE_SPACE_RUN - 1)
    assert is_countable(b"a" + run + b"a" + around)
    assert not is_countable(around + run + blank.encode())
    assert not is_countable(b"x" * 250_000 + run + blank.encode() + around)


def test_is_countable__agrees_with_the_plain_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_WHITE_SPACE_RUN", 10)
    chooser = random.Random(4)
    for _ in range(20_000):
        letters = "a \t\n\u2003\x85" if chooser.random() < 0.5 else "a     "
        text = "".join(chooser.choice(letters) for _ in range(chooser.randrange(60)))
        runs = [run for run in re.findall(r"\s+", text) if len(run) >= 10]
        assert is_countable(text.encode()) == (not runs), text
