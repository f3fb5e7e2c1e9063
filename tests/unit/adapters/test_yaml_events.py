from __future__ import annotations

import sys

import pytest

from assembler.adapters import yaml_events
from assembler.adapters.yaml_events import read_yaml
from assembler.errors import ConfigError
from assembler.model.document import Document

CANARY = "sk_live_" + "a" * 24


@pytest.fixture(params=["libyaml", "python"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both parsers: the second is what is used where PyYAML was built without libyaml."""
    if request.param == "python":
        monkeypatch.setattr(yaml_events, "_parser", yaml_events._pure_parser)
    else:
        pytest.importorskip("yaml._yaml")
    return str(request.param)


def refusal(data: bytes | str, **options: object) -> tuple[str, str | None]:
    raw = data.encode() if isinstance(data, str) else data
    with pytest.raises(ConfigError) as caught:
        read_yaml(raw, **options)  # type: ignore[arg-type]
    error = caught.value
    assert error.__context__ is None
    assert CANARY not in f"{error} {error.args} {error.message}"
    return error.code, error.where


def value_of(text: str) -> object:
    return read_yaml(text.encode()).value


# ---- values


@pytest.mark.usefixtures("parser")
def test_read_yaml__types_plain_words_and_integers_only() -> None:
    text = """\
nothing:
tilde: ~
word: null
yes: true
no: false
zero: 0
minus: -17
big: 999999999999999
date: 2026-01-01
norway: no
version: 1.10
octal: 010
hex: 0x10
sexagesimal: 1:30
plus: +1
under: 1_000
loud: True
infinite: .inf
quoted: "1"
single: 'true'
empty: ""
block: |
  12
folded: >-
  null
"""
    assert value_of(text) == {
        "nothing": None,
        "tilde": None,
        "word": None,
        "yes": True,
        "no": False,
        "zero": 0,
        "minus": -17,
        "big": 999_999_999_999_999,
        "date": "2026-01-01",
        "norway": "no",
        "version": "1.10",
        "octal": "010",
        "hex": "0x10",
        "sexagesimal": "1:30",
        "plus": "+1",
        "under": "1_000",
        "loud": "True",
        "infinite": ".inf",
        "quoted": "1",
        "single": "true",
        "empty": "",
        "block": "12\n",
        "folded": "null",
    }


@pytest.mark.usefixtures("parser")
def test_read_yaml__keys_stay_text() -> None:
    assert value_of("1: a\ntrue: b\n~: c\non: d\n") == {"1": "a", "true": "b", "~": "c", "on": "d"}


@pytest.mark.usefixtures("parser")
def test_read_yaml__as_text_types_nothing() -> None:
    data = b"name: 010\ndescription: no\nempty:\nlist: [1, true]\n"
    assert read_yaml(data, scalars="text").value == {
        "name": "010",
        "description": "no",
        "empty": "",
        "list": ["1", "true"],
    }


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("# only a comment\n", None),
        ("---\n", None),
        ("text", "text"),
        ("- 1\n- [a, {b: c}]\n", [1, ["a", {"b": "c"}]]),
        ("{}", {}),
        ("[]", []),
        ("\ufeffa: 1", {"a": 1}),
        ("a: 1\r\nb: 2\r\n", {"a": 1, "b": 2}),
        ("a: é 😀", {"a": "é 😀"}),
        ("a: |\n  ---\n  x\n", {"a": "---\nx\n"}),
        ("--- \na: 1\n...\n", {"a": 1}),
    ],
)
def test_read_yaml__reads_every_shape(text: str, value: object) -> None:
    assert value_of(text) == value


@pytest.mark.usefixtures("parser")
def test_read_yaml__knows_where_everything_stands() -> None:
    data = b"""\
schema: x/1
reserve:
  response: 5
evidence:
  - file: a
    lines: [1, 2]
  -   b
"""
    document = read_yaml(data)
    assert document.positions == {
        (): (1, 1),
        ("schema",): (1, 1),
        ("reserve",): (2, 1),
        ("reserve", "response"): (3, 3),
        ("evidence",): (4, 1),
        ("evidence", 0): (5, 5),
        ("evidence", 0, "file"): (5, 5),
        ("evidence", 0, "lines"): (6, 5),
        ("evidence", 0, "lines", 0): (6, 13),
        ("evidence", 0, "lines", 1): (6, 16),
        ("evidence", 1): (7, 7),
    }


def test_document__falls_back_to_the_nearest_part() -> None:
    document = Document({}, {(): (1, 1), ("a",): (2, 1), ("a", 0): (3, 5)})
    assert document.position(("a", 0, "b", "c")) == (3, 5)
    assert document.position(("a", 7)) == (2, 1)
    assert document.where(("z",)) == "1:1"
    assert Document(None, {}).position(("a",)) == (1, 1)


# ---- refusals


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    ("text", "code", "where"),
    [
        ("a: &x 1\n", "yaml-alias", "1:4"),
        ("&x a: 1\n", "yaml-alias", "1:1"),
        ("&a [*a]", "yaml-alias", "1:1"),
        ("b: *x\n", "yaml-alias", "1:4"),
        ("a: !!python/object/apply:os.system [x]", "yaml-tag", "1:4"),
        ("a: !!str 1", "yaml-tag", "1:4"),
        ("! a", "yaml-tag", "1:1"),
        ("%TAG !e! tag:example.org,2000:\n---\na: 1", "yaml-tag", "1:1"),
        ("a: 1\nb: 2\na: 3\n", "yaml-duplicate-key", "3:1"),
        ("x:\n  a: 1\n  'a': 3\n", "yaml-duplicate-key", "3:3"),
        ("[{a: 1, a: 2}]", "yaml-duplicate-key", "1:9"),
        ("a: {}\na: []\n", "yaml-duplicate-key", "2:1"),
        ("<<: {a: 1}", "yaml-invalid", "1:1"),
        ("? [a, b]\n: c", "yaml-invalid", "1:3"),
        ("? {a: b}\n: c", "yaml-invalid", "1:3"),
        ("a: 1\n---\nb: 2\n", "yaml-invalid", "2:1"),
        ("a: 1234567890123456", "yaml-invalid", "1:4"),
        ('a: "\\x1b[2J"', "yaml-invalid", "1:4"),
        ("a: b\n\tc: d: e", "yaml-invalid", None),
        ("a: b: c", "yaml-invalid", "1:5"),
        ("a: [1", "yaml-invalid", None),
        ("a: 'x", "yaml-invalid", None),
        ("a: \x1b[2J", "yaml-invalid", "1:4"),
        ("a: b\n  c\x00", "yaml-invalid", "2:4"),
        ('a: "\\ud800"', "yaml-invalid", None),
        (f"a: {CANARY}: {CANARY}", "yaml-invalid", None),
        (f"a: !{CANARY} {CANARY}", "yaml-tag", "1:4"),
        (f"{CANARY}: 1\n{CANARY}: 2", "yaml-duplicate-key", "2:1"),
        (f"a: @{CANARY}", "yaml-invalid", None),
    ],
)
def test_read_yaml__refuses_with_a_position_and_without_the_text(
    text: str, code: str, where: str | None
) -> None:
    found_code, found_where = refusal(text)
    assert found_code == code
    assert where is None or found_where == where
    assert found_where is not None


@pytest.mark.parametrize(
    ("data", "where"),
    [(b"\xff", "1:1"), (b"a: 1\nb: \xe9t\xe9", "2:4"), ("a: 1".encode("utf-16"), "1:1")],
)
def test_read_yaml__says_where_the_bytes_are_not_utf8(data: bytes, where: str) -> None:
    assert refusal(data) == ("not-utf8", where)


def test_read_yaml__refuses_utf16_that_is_ascii_in_utf8() -> None:
    assert refusal("a: 1".encode("utf-16-le"))[0] == "yaml-invalid"


@pytest.mark.usefixtures("parser")
def test_read_yaml__defuses_the_alias_bomb_at_its_first_anchor() -> None:
    lines = ["a0: &a0 [x]"]
    for number in range(1, 9):
        lines.append(f"a{number}: &a{number} [{', '.join([f'*a{number - 1}'] * 9)}]")
    assert refusal("\n".join(lines)) == ("yaml-alias", "1:5")


def test_read_yaml__takes_exactly_its_limits() -> None:
    assert read_yaml(b"[[1]]", max_depth=2).value == [[1]]
    assert refusal(b"[[1]]", max_depth=1) == ("yaml-too-deep", "1:2")
    assert read_yaml(b"a: [1]", max_nodes=4).value == {"a": [1]}
    assert refusal(b"a: [1]", max_nodes=3) == ("size-limit", "1:5")
    assert read_yaml(b"a: 1", limit_bytes=4).value == {"a": 1}
    assert refusal(b"a: 1", limit_bytes=3) == ("size-limit", "1:1")


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("text", ["[" * 20_000, "{a: " * 20_000, "- " * 5_000, "? " * 5_000])
def test_read_yaml__refuses_deep_nesting_without_recursion(text: str) -> None:
    code, _ = refusal(text)
    assert code in {"yaml-too-deep", "yaml-invalid"}


def test_read_yaml__does_not_parse_what_is_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_events, "_parser", lambda _: pytest.fail("it was parsed"))
    assert refusal(b"a" * 1_048_577)[0] == "size-limit"


def test_read_yaml__says_a_known_reason_and_no_other() -> None:
    with pytest.raises(ConfigError, match="mapping values are not allowed"):
        read_yaml(b"a: b: c")
    with pytest.raises(ConfigError) as caught:
        read_yaml(b"a: *")
    assert caught.value.message == "not valid YAML"


def test_yaml_events__imports_yaml_only_to_read() -> None:
    import subprocess

    code = "import sys, assembler.adapters.yaml_events; sys.exit('yaml' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
