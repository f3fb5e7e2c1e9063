"""JSON as editors write it: what is blanked, and what is refused after that."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assembler.config.declarations import blank_comments, read_declaration
from assembler.errors import ConfigError

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(alphabet='"\\/*,}] \na', max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=9,
)


@given(VALUES)
def test_json__without_comments_is_left_as_it_is(value: Any) -> None:
    text = json.dumps(value, indent=1)
    assert blank_comments(text) == text


@given(VALUES)
def test_json__means_the_same_with_comments_between_its_lines(value: Any) -> None:
    lines = json.dumps(value, indent=1, ensure_ascii=True).splitlines()
    text = "/* a ] \n */".join(f"{line} // {line}\n" for line in lines)
    assert json.loads(blank_comments(text)) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": "//", "b": "/*", "c": "*/", "d": "\\"//"}',
         {"a": "//", "b": "/*", "c": "*/", "d": '"//'}),
        ('{"a": [1, 2, /* x */ ], // y\n}', {"a": [1, 2]}),
        ('{"a": ",]", "b": ",}",}', {"a": ",]", "b": ",}"}),
        ('{"a": 1} // "', {"a": 1}),
        ('/* { */ {"a": /**/ 1}', {"a": 1}),
        ('{"a": 1}//\r\n', {"a": 1}),
    ],
)  # fmt: skip
def test_comments__and_last_commas_are_no_part_of_it(text: str, value: Any) -> None:
    assert read_declaration(text.encode(), "a.json") == value


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('{"a": 1,,}', "a.json:1"),
        ('// x\n/* y\n*/ {"a" 1}', "a.json:3"),
        ("{} /* no end", "a.json:1"),
        ("{} /*/", "a.json:1"),
        ('{"a": "no end', "a.json:1"),
        ("{} {}", "a.json:1"),
        ("{'a': 1}", "a.json:1"),
        ('{"a": 1 / 2}', "a.json:1"),
    ],
)
def test_text__that_is_no_json_is_refused_with_its_line(text: str, where: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_declaration(text.encode(), "a.json")
    assert (caught.value.code, caught.value.where) == ("server-declaration-invalid", where)


def test_toml__is_told_by_its_name() -> None:
    assert read_declaration(b"[a]\nb = 1\n", "d/config.toml") == {"a": {"b": 1}}
    for data, line in ((b"\n[a\n", 2), (b"\n\n\xff", 3)):
        with pytest.raises(ConfigError) as caught:
            read_declaration(data, "d/config.toml")
        assert caught.value.where == f"d/config.toml:{line}"
