"""TOML as Codex reads it; every place was measured on Codex 0.171.0."""

from __future__ import annotations

import math

import pytest

from assembler.config.codex_scalars import TomlError, TomlTime
from assembler.config.codex_toml import Table, line_and_column, read_toml

DEEP = "x=" + "[" * 80 + "]" * 80


def place(text: str) -> str:
    with pytest.raises(TomlError) as caught:
        read_toml(text)
    line, column = line_and_column(text, caught.value.offset)
    return f"{line}:{column}"


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('a"b = 1', "1:2"),
        ('"""a""" = 1', "1:1"),
        ("x = abc", "1:5"),
        ("x = 1 2", "1:5"),
        ("x = 2020-13-01", "1:5"),
        ("x = 1979-02-30", "1:5"),
        ("x = 24:00:00", "1:5"),
        ("x = 1979-05-27T07:32:00.1+25:00", "1:5"),
        ("x = 99999999999999999999", "1:5"),
        ("x = 9223372036854775808", "1:5"),
        ("x = 1e400", "1:5"),
        ("x = 0x", "1:5"),
        ("x = 0xg", "1:7"),
        ("x = +0x1", "1:5"),
        ("x = 01", "1:5"),
        ("x = 1__0", "1:6"),
        ("x = 1_", "1:6"),
        ("x = _1", "1:5"),
        ("x = 1.", "1:7"),
        ("x = .5", "1:5"),
        ("x = 1.e5", "1:7"),
        ("x = -", "1:5"),
        ("x = True", "1:5"),
        ("x = infx", "1:5"),
        ('x = "a', "1:7"),
        ('x = "a\\"\n', "1:8"),
        ('x = "\\q"', "1:7"),
        ('x = "\\u12"', "1:10"),
        ('x = "\\uD800"', "1:8"),
        ('x = """a\\ b"""', "1:11"),
        ('x = """a\rb"""', "1:10"),
        ("x = '''a\x00'''", "1:9"),
        ('x = "\x00\x01b"', "1:6"),
        ("[a", "1:3"),
        ("[a b]", "1:3"),
        ("[[a]", "1:5"),
        ("[[a] ]", "1:5"),
        ("[]", "1:2"),
        ("[a.]", "1:4"),
        ("[.a]", "1:2"),
        ("a. = 1", "1:4"),
        (".a = 1", "1:1"),
        ("a..b = 1", "1:3"),
        ("= 1", "1:1"),
        ("a", "1:2"),
        ("a b = 1", "1:3"),
        ("a = 1\na = 2", "2:1"),
        ("[a]\n[a]", "2:2"),
        ("[a]\nb=1\n[[a]]\nc=1", "3:3"),
        ("a={}\n[a.b]", "2:2"),
        ("a=1\na.b=1", "2:1"),
        ("a=[]\n[[a]]", "2:3"),
        ("[[a]]\n[a]", "2:2"),
        ("a.b=1\n[a]", "2:2"),
        ("[a.b]\n[a]\n[a.b]", "3:4"),
        ("x = {a=1,a=2}", "1:10"),
        ("x={a={},a.b=1}", "1:9"),
        ("x=[1", "1:5"),
        ("x=[\n", "1:4"),
        ("x=[1,,2]", "1:6"),
        ("x={a=1", "1:7"),
        ("x={a}", "1:5"),
        ("x={a=1,,}", "1:8"),
        ("x=" + "[" * 81, "1:83"),
        ("a = 1\n\tb = é", "2:6"),
        ("é = 1", "1:1"),
        ('x = "é\\q"', "1:8"),
        ("x = 1 # \x01", "1:9"),
        ("# \x7f", "1:3"),
        ("]", "1:1"),
        ("}", "1:1"),
        ("[a]]", "1:4"),
        ("x = 1, 2", "1:6"),
        ("x == 1", "1:4"),
        ("x = ]", "1:5"),
        ("\ufeff\ufeffa=5", "1:4"),
        ("1.\r9", "1:3"),
    ],
)
def test_error__is_told_at_codex_place(text: str, where: str) -> None:
    assert place(text) == where


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", {}),
        ("\ufeffa = 1", {"a": 1}),
        ("a.b = 1\r\na.c = 2 # x", {"a": {"b": 1, "c": 2}}),
        ("[a.b]\nc = 1\n[a]\nd = 2", {"a": {"b": {"c": 1}, "d": 2}}),
        ("[[a]]\nb = 1\n[[a]]\n[a.c]\nd = 2", {"a": [{"b": 1}, {"c": {"d": 2}}]}),
        ("a = 0x1F\nb = 0o17\nc = 0b11\nd = 1_000\ne = +9\nf = -0", None),
        ("a = [1, 2,\n # c\n 3,\n]", {"a": [1, 2, 3]}),
        ("a = -9223372036854775808", {"a": -(2**63)}),
        ("a = 1e3\nb = -inf\nc = 6.5_0", {"a": 1000.0, "b": -math.inf, "c": 6.5}),
        ("a = '''\n'x''''", {"a": "'x'"}),
        ('a = """x\\\n   y"""', {"a": "xy"}),
        ('a = "\\u00e9\\U0001F600\\"\\\\"', {"a": 'é\U0001f600"\\'}),
        ("'a.b'.\"c\" = true", {"a.b": {"c": True}}),
        ("x={a.b=1,a.c=2}", {"x": {"a": {"b": 1, "c": 2}}}),
    ],
)
def test_text__is_read(text: str, value: object) -> None:
    if value is None:
        value = {"a": 31, "b": 15, "c": 3, "d": 1000, "e": 9, "f": 0}
    assert read_toml(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("x = {\n a = 1, # c\n}\n", {"x": {"a": 1}}),
        ('x = "\\e\\x41"', {"x": "\x1bA"}),
        ("x = 07:32", {"x": "07:32"}),
        ("x = 1979-05-27T07:32Z", {"x": "1979-05-27T07:32Z"}),
    ],
)
def test_version_1_1__is_read(text: str, value: object) -> None:
    assert read_toml(text) == value


def test_date__is_told_from_a_text() -> None:
    assert isinstance(read_toml("x = 1979-05-27 07:32:00")["x"], TomlTime)
    assert not isinstance(read_toml("x = '1979-05-27'")["x"], TomlTime)


def test_depth__is_eighty() -> None:
    assert read_toml(DEEP)["x"]


def test_starts__are_where_values_stand() -> None:
    table = read_toml("a = 1\n[b]\nc = [2,\n 3]\n")
    assert table.starts == {"a": 4, "b": 6}
    inner = table["b"]
    assert isinstance(inner, Table)
    assert inner.starts == {"c": 14}
    assert inner["c"].starts == [15, 19]


def test_column__counts_characters_and_bytes_where_the_place_is_none() -> None:
    assert line_and_column("é=é", 3) == (1, 4)
    assert line_and_column("é=é", 2) == (1, 4)
    assert line_and_column("a\n", 2) == (1, 3)
    assert line_and_column("", 0) == (1, 1)


def test_error__does_not_tell_a_value() -> None:
    with pytest.raises(TomlError) as caught:
        read_toml("key = secret")
    assert "secret" not in caught.value.problem
