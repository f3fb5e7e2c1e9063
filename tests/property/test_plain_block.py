"""The plainest YAML, read without a parser: what it answers is what the parser answers."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from assembler.adapters.plain_block import read_plain_block
from assembler.adapters.yaml_nodes import read_text_block

_KEYS = st.sampled_from(["name", "a", "b-c", "metadata", "null", "y", "x_1", "é", "1", "a b"])
_TEXTS = st.lists(
    st.sampled_from(
        [
            "word",
            "1.10",
            "yes",
            "null",
            "~",
            "(x)",
            "http://x/y",
            *" ,#:-'\"[]{}|>&*!%@`?<=.\\\t",
            ": ",
            " #",
            " - ",
            "  ",
            "...",
            "---",
            "é",
            "\u2028",
        ]
    ),
    max_size=5,
).map("".join)
_VALUES = st.one_of(
    _TEXTS,
    _TEXTS.map(lambda text: f'"{text}"'),
    _TEXTS.map(lambda text: f"'{text}'"),
    st.just(""),
)
_LINES = st.tuples(
    st.sampled_from(["", "", "  ", "   ", "\t"]),
    _KEYS,
    st.sampled_from([": ", ":  ", ":", ":\t"]),
    _VALUES,
    st.sampled_from(["\n", "\n", " \n", "\n\n"]),
).map("".join)
_ANSWERED = ["name: a\n", "a: 'x'\n", "metadata:\n  a: b\n", 'a: "x: #"\n', "a: b c, d.\n"]


@given(st.lists(_LINES, min_size=1, max_size=5).map("".join))
@settings(max_examples=2_000)
def test_block__that_is_answered_is_the_parsers(text: str) -> None:
    found = read_plain_block(text, first_line=2)

    if found is not None:
        assert found == read_text_block(text, limit_bytes=4_096, first_line=2)


@given(st.lists(st.sampled_from(_ANSWERED), min_size=1, max_size=5, unique=True).map("".join))
def test_block__of_plain_lines_is_answered(text: str) -> None:
    found = read_plain_block(text, first_line=2)

    names = [line.partition(":")[0] for line in text.splitlines() if not line.startswith(" ")]
    assert (found is not None) == (len(set(names)) == len(names))
