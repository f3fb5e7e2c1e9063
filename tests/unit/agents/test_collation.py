"""Names in the order of `localeCompare`."""

from __future__ import annotations

import pytest

from assembler.agents.collation import collation_key


@pytest.mark.parametrize(
    "ordered",
    [
        ["a", "B", "c"],
        ["a", "A", "b"],
        [".hid", "bad"],
        ["_x", "-x", ".x", "1x", "x"],
        ["a_b", "a-b", "a1", "aa"],
        ["s1", "s10", "s2"],
        ["cafe", "café", "caff"],
        ["resume", "Resume", "résumé"],
        ["strasse", "straße", "stratus"],
    ],
)
def test_order__is_that_of_locale_compare(ordered: list[str]) -> None:
    backwards = list(reversed(ordered))

    assert sorted(backwards, key=collation_key) == ordered


def test_order__tells_names_apart_that_look_the_same() -> None:
    assert collation_key("e\u0301") != collation_key("\u00e9")
