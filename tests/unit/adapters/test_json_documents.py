from __future__ import annotations

import json

import pytest

from assembler.adapters.json_documents import read_json
from assembler.errors import ConfigError

CANARY = "sk_live_" + "a" * 24


def test_read_json__gives_the_value_and_where_its_parts_stand() -> None:
    data = b'{\n "a": {"b": [1, "x,]\\"{", {"c\\u00e9": null}]},\n\t"": [],\n "t": true}'
    document = read_json(data)
    assert document.value == json.loads(data)
    assert document.positions == {
        (): (1, 1),
        ("a",): (2, 2),
        ("a", "b"): (2, 8),
        ("a", "b", 0): (2, 14),
        ("a", "b", 1): (2, 17),
        ("a", "b", 2): (2, 27),
        ("a", "b", 2, "cé"): (2, 28),
        ("",): (3, 2),
        ("t",): (4, 2),
    }
    assert read_json(b' "x"').positions == {(): (1, 2)}
    assert read_json(b"[[], [[1]]]").positions == {
        (): (1, 1),
        (0,): (1, 2),
        (1,): (1, 6),
        (1, 0): (1, 7),
        (1, 0, 0): (1, 8),
    }


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b'{"a": 1, "a": 2}', "json-invalid"),
        (b"{'a': 1}", "json-invalid"),
        (b"NaN", "json-invalid"),
        (b"", "json-invalid"),
        (b"[" * 100, "json-invalid"),
        (b'"\\ud800"', "json-invalid"),
        (b"\xef\xbb\xbf{}", "json-invalid"),
        (b'"\xff"', "not-utf8"),
        (b'"' + b"x" * 99 + b'"', "size-limit"),
        (f'{{"a": {CANARY}}}'.encode(), "json-invalid"),
    ],
)
def test_read_json__refuses_what_is_not_strict(data: bytes, code: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_json(data, limit_bytes=100)
    assert caught.value.code == code
    assert caught.value.__context__ is None
    assert CANARY not in str(caught.value)
    assert caught.value.where is not None
