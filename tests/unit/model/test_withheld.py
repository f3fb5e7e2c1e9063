"""Names and messages are shown without secrets, and otherwise as they are."""

from __future__ import annotations

import json

import pytest

from assembler.model.withheld import WITHHELD, withhold, withhold_all
from tests.builders.secrets import make_tokens

TOKENS = [token for tokens in make_tokens(5).values() for token in tokens]
SHORT = next(token for token in TOKENS if token.startswith("ghp_"))


@pytest.mark.parametrize("token", TOKENS)
def test_withhold__leaves_nothing_of_a_secret(token: str) -> None:
    told = withhold(f"no such path: src/{token}; see above")
    core = max(token.replace('"', " ").replace("=", " ").split(), key=len)
    assert core not in told
    assert told.startswith("no such path: src/")
    assert told.endswith("see above")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "src/x.py",
        "4e07408562bedb8b60ce05c1decfe3ad16b72230967de01f640b7e4729b49fce",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "password: ${DB_PASSWORD}",
        "naïve café 規則",
    ],
)
def test_withhold__leaves_other_text_as_it_is(text: str) -> None:
    assert withhold(text) == text


def test_withhold__sees_a_secret_behind_a_character_that_nobody_sees() -> None:
    assert withhold(f"use {SHORT[:9]}\u200b{SHORT[9:]}") == WITHHELD


def test_withhold_all__looks_into_names_and_values_and_keeps_the_form() -> None:
    document = {"a": [1, None, True, {SHORT: f"x {SHORT}"}], "b": "plain"}
    told = withhold_all(document)
    assert SHORT not in json.dumps(told)
    assert (told["a"][:3], told["b"]) == ([1, None, True], "plain")
