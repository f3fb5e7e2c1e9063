"""`-c KEY=VALUE`; every expectation was measured on Codex 0.171.0."""

from __future__ import annotations

import pytest

from assembler.config.codex_overrides import read_overrides
from assembler.errors import ConfigError


@pytest.mark.parametrize(
    ("argument", "table"),
    [
        ("a=7", {"a": 7}),
        (" a =7 ", {"a": 7}),
        ("\u00a0a\u3000=\u00a07\u3000", {"a": 7}),
        ("a=0x10", {"a": 16}),
        ("a=7 # c", {"a": 7}),
        ("a=7\nx=3", {"a": 7}),
        ("a=7\n_x_=3", {"a": "7\n_x_=3"}),
        ("a==7", {"a": "=7"}),
        ("a=", {"a": ""}),
        ("a=9223372036854775808", {"a": "9223372036854775808"}),
        ("a.b=1", {"a": {"b": 1}}),
        ("a.=1", {"a": {"": 1}}),
        (".a=1", {"": {"a": 1}}),
        ('"a"=1', {'"a"': 1}),
        ('a."b.c"=1', {"a": {'"b': {'c"': 1}}}),
        ("a. b=1", {"a": {" b": 1}}),
        ('a={"b.c"={d=1}}', {"a": {"b.c": {"d": 1}}}),
    ],
)
def test_argument__is_read(argument: str, table: object) -> None:
    assert read_overrides([argument]) == table


@pytest.mark.parametrize("value", ["abc", '"abc', 'abc"', "'abc", " abc ", "\"'abc", "'\"abc"])
def test_value__that_is_no_toml_is_text_without_its_quotes(value: str) -> None:
    assert read_overrides([f"a={value}"]) == {"a": "abc"}


def test_later__replaces_a_table_and_makes_one_of_a_value() -> None:
    assert read_overrides(["a={b=1}", "a={c=2}"]) == {"a": {"c": 2}}
    assert read_overrides(["a=1", "a.b=2"]) == {"a": {"b": 2}}
    assert read_overrides(["a={b=1}", "a.c=2"]) == {"a": {"b": 1, "c": 2}}


@pytest.mark.parametrize("argument", ["", "a", "=7", " =7", "="])
def test_argument__without_key_or_sign_is_refused(argument: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_overrides(["a=1", argument])
    assert (caught.value.code, caught.value.where) == ("agent-config", "-c")
