"""Front matter: where it ends, what its scalars are, what is repaired and what is refused."""

from __future__ import annotations

import pytest

from assembler.adapters.frontmatter import (
    MAX_FRONT_MATTER_BYTES,
    quote_plain_values,
    read_front_matter,
    split_front_matter,
)
from assembler.errors import ConfigError

HEAD = b"---\nname: x\ndescription: y\n---\n"


def refused(data: bytes) -> tuple[str, str | None]:
    with pytest.raises(ConfigError) as caught:
        read_front_matter(data)
    return caught.value.code, caught.value.where


@pytest.mark.parametrize(
    "data",
    [
        HEAD + b"Body\n",
        HEAD.replace(b"\n", b"\r\n") + b"Body\n",
        b"\xef\xbb\xbf" + HEAD + b"Body\n",
        HEAD.replace(b"---\n", b"--- \t\n") + b"Body\n",
        HEAD.rstrip(b"\n"),
    ],
)
def test_split__offsets_are_bytes_of_the_whole_file(data: bytes) -> None:
    block = split_front_matter(data)

    assert data[block.start : block.end].split() == [b"name:", b"x", b"description:", b"y"]
    assert data[block.end : block.body].strip() == b"---"
    assert data[block.body :] in {b"Body\n", b""}
    assert block.has_bom == data.startswith(b"\xef")


def test_split__keeps_dashes_inside_values_and_rules_in_the_body() -> None:
    front = read_front_matter(b"---\nname: x\ndescription: a --- b\n---\none\n\n---\n\ntwo\n")

    assert front.members["description"] == "a --- b"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", "no_frontmatter"),
        (b"# Title\n", "no_frontmatter"),
        (b"\n" + HEAD, "no_frontmatter"),
        (b" " + HEAD, "no_frontmatter"),
        (b"-" + HEAD, "no_frontmatter"),
        (b"---name: x\n---\n", "no_frontmatter"),
        (HEAD.replace(b"\n", b"\r"), "no_frontmatter"),
        (b"\xef\xbb\xbf" * 2 + HEAD, "no_frontmatter"),
        (b"---", "frontmatter_unclosed"),
        (b"---\n", "frontmatter_unclosed"),
        (b"---\nname: x\n  ---\n", "frontmatter_unclosed"),
        (b"---\nname: x\n---Body\n", "frontmatter_unclosed"),
        (b"---\nname: x\n...\n", "frontmatter_unclosed"),
        (b"---\n---\nBody\n", "frontmatter_not_mapping"),
        (b"---\n# comment\n---\n", "frontmatter_not_mapping"),
        ("---\nname: x\n---\n".encode("utf-16"), "not_utf8"),
    ],
)
def test_split__refuses_what_is_no_block(data: bytes, kind: str) -> None:
    assert refused(data)[0] == kind


def test_scalars__stay_the_text_that_was_written() -> None:
    front = read_front_matter(
        b"---\nname: 007\ndescription: yes\nmetadata:\n  version: 1.10\n  on: 2026-01-01\n---\n"
    )

    assert front.members == {
        "name": "007",
        "description": "yes",
        "metadata": {"version": "1.10", "on": "2026-01-01"},
    }


def test_null__without_quotes_is_none_and_with_quotes_is_text() -> None:
    front = read_front_matter(b"---\na: ~\nb: null\nc:\nd: '~'\ne: \"null\"\nf: ''\n---\n")

    assert front.members == {"a": None, "b": None, "c": None, "d": "~", "e": "null", "f": ""}
    assert front.written_nulls == {"a": "~", "b": "null", "c": ""}


def test_positions__are_those_of_the_file() -> None:
    front = read_front_matter(b"---\n# comment\nname: x\n\ndescription: y\n---\n")

    assert front.positions == {"name": (3, 1), "description": (5, 1)}
    assert front.value_positions == {"name": (3, 7), "description": (5, 14)}
    assert (front.place_of("name"), front.place_of("license")) == ((3, 7), (1, 1))


def test_crlf__leaves_no_carriage_return_in_a_value() -> None:
    front = read_front_matter(b"---\r\nname: win\r\ndescription: |\r\n  a\r\n  b\r\n---\r\n")

    assert front.members == {"name": "win", "description": "a\nb\n"}


def test_repair__quotes_a_colon_and_says_where_and_how() -> None:
    front = read_front_matter(b'---\nname: x\ndescription: Use when: it\'s a "PDF"\n---\n')

    assert front.members["description"] == 'Use when: it\'s a "PDF"'
    assert front.repaired == (3, 22)
    assert front.repaired_line == 'description: "Use when: it\'s a \\"PDF\\""'
    assert front.repaired_why == 'value holds ": " unquoted'


@pytest.mark.parametrize(
    ("line", "value", "column"),
    [
        ("d: use: this # a note", "use: this", 7),
        ("d: @mention first", "@mention first", 4),
        ("d: `code` first", "`code` first", 4),
        ("d: %x", "%x", 4),
        ("d: [a", "[a", 4),
        ("d: [a] b", "[a] b", 4),
        ("d: ends in a colon:", "ends in a colon:", 19),
    ],
)
def test_repair__takes_top_level_plain_values(line: str, value: str, column: int) -> None:
    front = read_front_matter(f"---\nname: x\n{line}\n---\n".encode())

    assert front.members["d"] == value
    assert front.repaired == (3, column)


@pytest.mark.parametrize(
    "line", ['d: "open', "d: *alias", "d: - x", "\td: x", "d: 'a' b: c", "- a\nb: c"]
)
def test_repair__does_not_guess_further(line: str) -> None:
    assert refused(f"---\nname: x\n{line}\n---\n".encode())[0] == "invalid_yaml"


def test_repair__is_not_tried_on_good_yaml() -> None:
    front = read_front_matter(b"---\nd: 'a: b'\ne: [a, b]\nf: http://x\n---\n")

    assert front.members == {"d": "a: b", "e": ["a", "b"], "f": "http://x"}
    assert (front.repaired, front.repaired_line) == (None, None)


def test_quote_plain_values__changes_no_other_line() -> None:
    text = "a: b\n  c: d: e\nf: 'g: h'\ni: |\n  j: k\n"

    assert quote_plain_values(text) is None


@pytest.mark.parametrize(
    ("block", "where"),
    [
        ("a: &x 1\nb: *x", "2:4"),
        ("a: !!python/object:os.system x", "2:4"),
        ("a: 1\na: 2", "3:1"),
        ("a: *bold* words", "2:4"),
        ('a: "\\0"', "2:4"),
        ('a: "\\ud800"', "2:7"),
        ("a: b\rc: d", "2:5"),
        ("a: \x07", "2:4"),
        ("a: {b: " + "[" * 300 + "]" * 300 + "}", "2:262"),
    ],
)
def test_yaml__refuses_what_clients_read_differently(block: str, where: str) -> None:
    assert refused(f"---\n{block}\n---\n".encode()) == ("invalid_yaml", where)


@pytest.mark.parametrize("block", ["just text", "- a\n- b", "~", "''"])
def test_yaml__of_something_else_is_no_mapping(block: str) -> None:
    assert refused(f"---\n{block}\n---\n".encode()) == ("frontmatter_not_mapping", "2:1")


@pytest.mark.parametrize(
    ("block", "fix"),
    [
        ("a: *bold* words", 'a: "*bold* words"'),
        ("a: 1\na: 2", "delete one of the two lines"),
        ("a:\n\tb: c", "indent with spaces"),
        ("a: b\rc: d", "end lines with a line feed"),
    ],
)
def test_yaml__says_how_to_mend_it(block: str, fix: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_front_matter(f"---\n{block}\n---\n".encode())

    assert caught.value.next_step == fix


def test_escape__of_a_control_character_is_read_and_left_to_the_rules() -> None:
    front = read_front_matter(b'---\na: "x\\x07\\e[31m"\n---\n')

    assert front.members == {"a": "x\x07\x1b[31m"}


@pytest.mark.parametrize("mark", ["\x85", "\u2028", "\u2029", "\ufeff"])
def test_old_line_breaks__are_part_of_a_value(mark: str) -> None:
    front = read_front_matter(f"---\na: x{mark}y\nb: z\n---\n".encode())

    assert (front.members, front.positions["b"]) == ({"a": f"x{mark}y", "b": "z"}, (3, 1))


@pytest.mark.parametrize(
    ("block", "places"),
    [
        ("a:\tb", [(2, 3)]),
        ("a: b\tc", [(2, 5)]),
        ("a: b\t# c", [(2, 5)]),
        ("m:\n  a:\n    b: c\n  d:\n      e: f", [(6, 7)]),
        ("a: 'b\tc'\nd: |\n  e\tf\n# g\th", []),
        ("a: {b: {c: d}, e:  {f: g}}", []),
        ("m:\n  a:\n    b: c\n  d:\n    e: f", []),
    ],
)
def test_irregular__is_what_strict_readers_refuse(
    block: str, places: list[tuple[int, int]]
) -> None:
    front = read_front_matter(f"---\n{block}\n---\n".encode())

    assert [place for place, _ in front.irregular] == places


def test_depth__of_200_is_read() -> None:
    lines = "\n".join(f"{'  ' * depth}k{depth}:" for depth in range(200))

    assert read_front_matter(f"---\n{lines}\n---\n".encode()).members


def test_yaml__has_a_limit() -> None:
    fits = MAX_FRONT_MATTER_BYTES - len("a: \n")
    assert len(str(read_front_matter(b"---\na: " + b"x" * fits + b"\n---\n").members["a"])) == fits
    assert refused(b"---\na: " + b"x" * (fits + 1) + b"\n---\n")[0] == "invalid_yaml"


def test_encoding__counts_in_the_body_too() -> None:
    assert refused(HEAD + b"one\ncaf\xe9\n") == ("not_utf8", "6:4")


def test_error__never_quotes_the_file() -> None:
    with pytest.raises(ConfigError) as caught:
        read_front_matter(b'---\nname: "SENTINEL\n---\n')

    assert "SENTINEL" not in str(caught.value)
    assert caught.value.__context__ is None
