from __future__ import annotations

import json
import math
import random
import struct

import pytest

from assembler_verifier.strict_json import (
    MAX_DEPTH,
    JsonValue,
    UnreadableError,
    canonical,
    read_integers,
    read_numbers,
    same,
)
from tests.verifier.vectors import load


@pytest.mark.parametrize("case", load("malformed")["texts"], ids=lambda case: case["name"])
def test_read_integers__refuses_every_unreadable_text(case: dict[str, str]) -> None:
    with pytest.raises(UnreadableError):
        read_integers(case["text"].encode())


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" ",
        b"\xff",
        b'{"a":"\xc3"}',
        b'{"a":1,"\\u0061":2}',
        b'{"\\udc00":1}',
        b'["\\ud800\\ud800"]',
        b"[1e400]",
        b"[-0.0]",
        b"[" + b"9" * 5_000_000 + b"]",
        b"[" * 1_000_000,
        b'{"a":' * 100_000,
        b"[Infinity]",
        b'["\n"]',
        b"{} {}",
    ],
    ids=range(15),
)
def test_read_integers__refuses_hostile_bytes_without_showing_them(data: bytes) -> None:
    with pytest.raises(UnreadableError) as caught:
        read_integers(data)
    assert len(caught.value.why) < 80


def test_read_integers__accepts_the_deepest_value_and_the_largest_integers() -> None:
    deepest = b"[" * MAX_DEPTH + b"1" + b"]" * MAX_DEPTH
    assert canonical(read_integers(deepest)) == deepest
    edge = b"[-9007199254740991,9007199254740991]"
    assert canonical(read_integers(edge)) == edge


@pytest.mark.parametrize(
    ("literal", "written"),
    [
        ("1e21", "1e+21"),
        ("100000000000000000000", "100000000000000000000"),
        ("0.000001", "0.000001"),
        ("0.0000001", "1e-7"),
        ("5e-324", "5e-324"),
        ("1.7976931348623157e308", "1.7976931348623157e+308"),
        ("-0", "0"),
        ("1.0", "1"),
        ("123456789.125", "123456789.125"),
        ("9007199254740993", "9007199254740992"),
        ("333333333.33333329", "333333333.3333333"),
        ("4.50", "4.5"),
        ("2e-3", "0.002"),
    ],
)
def test_canonical__writes_numbers_as_ecmascript_does(literal: str, written: str) -> None:
    assert canonical(read_numbers(literal.encode())) == written.encode()


def test_canonical__of_random_doubles_reads_back_and_is_stable() -> None:
    chance = random.Random(8785)
    for _ in range(2_000):
        (number,) = struct.unpack("<d", chance.randbytes(8))
        if not math.isfinite(number):
            continue
        written = canonical(number)
        assert float(written) == number
        assert canonical(read_numbers(written)) == written


def test_canonical__sorts_members_by_utf16() -> None:
    value: JsonValue = {"\ufb33": 1, "\U0001f600": 2, "a": 3}
    assert canonical(value) == '{"a":3,"\U0001f600":2,"\ufb33":1}'.encode()


def test_canonical__escapes_only_what_must_be_escaped() -> None:
    text = "".join(map(chr, range(0x21))) + '"\\\x7f\u2028é'
    written = canonical(text)
    assert json.loads(written) == text
    assert b"\\u001f" in written
    assert b"\x7f" in written


def test_same__tells_true_from_one() -> None:
    assert same({"a": [1, None]}, {"a": [1, None]})
    assert not same([True], [1])
    assert not same({"a": 1}, {"b": 1})
    assert not same([1], [1, 1])
