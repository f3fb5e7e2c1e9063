from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assembler.model.canonical import (
    MAX_SAFE_INTEGER,
    Numbers,
    StrictJsonError,
    canonical_bytes,
    canonical_line,
    canonical_record,
    canonical_text,
    format_number,
    read_strict,
)

# RFC 8785 appendix B, and spellings that Python's repr has otherwise.
NUMBERS = [
    (0.0, "0"),
    (-0.0, "0"),
    (5e-324, "5e-324"),
    (-5e-324, "-5e-324"),
    (1.7976931348623157e308, "1.7976931348623157e+308"),
    (9007199254740992.0, "9007199254740992"),
    (295147905179352830000.0, "295147905179352830000"),
    (9.999999999999997e22, "9.999999999999997e+22"),
    (1e23, "1e+23"),
    (999999999999999700000.0, "999999999999999700000"),
    (1e21, "1e+21"),
    (1e-7, "1e-7"),
    (0.000001, "0.000001"),
    (333333333.3333332, "333333333.3333332"),
    (-0.0000033333333333333333, "-0.0000033333333333333333"),
    (1e16, "10000000000000000"),
]


@pytest.mark.parametrize(("number", "text"), NUMBERS)
def test_number__is_written_as_ecmascript_writes_it(number: float, text: str) -> None:
    assert format_number(number) == text


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_number__not_finite_is_refused(number: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        canonical_text({"a": number})


def test_keys__are_sorted_by_utf16_units_not_by_code_points() -> None:
    # U+1F600 is D83D DE00 in UTF-16 and so comes before U+FB33.
    assert canonical_text({"\ufb33": 1, "\U0001f600": 2}) == '{"\U0001f600":2,"\ufb33":1}'


def test_strings__escape_what_rfc_8785_escapes_and_nothing_else() -> None:
    text = canonical_text('\x00\x08\t\n\x0c\r"\\/\x7f\u2028é')
    assert text == '"\\u0000\\b\\t\\n\\f\\r\\"\\\\/\x7f\u2028é"'


def test_integer__beyond_2_53_is_refused() -> None:
    assert canonical_text(MAX_SAFE_INTEGER) == "9007199254740991"
    with pytest.raises(ValueError, match="2\\^53"):
        canonical_text(MAX_SAFE_INTEGER + 1)
    with pytest.raises(ValueError, match="2\\^53"):
        canonical_text({"é": [MAX_SAFE_INTEGER + 1]})


scalars = (
    st.none()
    | st.booleans()
    | st.integers(-MAX_SAFE_INTEGER, MAX_SAFE_INTEGER)
    | st.text(st.characters(exclude_categories=["Cs"]))
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=4), inner)
    ),
    max_leaves=12,
)


@given(values)
def test_value__survives_writing_and_reading(value: object) -> None:
    data = canonical_bytes(value)
    assert read_strict(data) == value
    assert canonical_bytes(read_strict(data)) == data


records = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.from_regex(r"[a-z_][a-z0-9_-]{0,8}", fullmatch=True), inner)
    ),
    max_leaves=12,
)


@given(records)
def test_record__of_our_own_is_the_canonical_line(value: object) -> None:
    assert canonical_record(value) == canonical_line(value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_float__reads_back_as_the_same_number(number: float) -> None:
    text = format_number(number)
    assert float(text) == number
    assert read_strict(text.encode(), numbers=Numbers.FINITE) == number


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b'{"a":1,"a":1}',
        b'{"a":{"b":1,"b":2}}',
        b"NaN",
        b"[Infinity]",
        b"1.0",
        b"1e3",
        b"-0",
        b"9007199254740992",
        b"123456789012345678901234567890",
        b'"\\ud800"',
        b'{"\\udc00":1}',
        b"\xef\xbb\xbf{}",
        b'"\xff"',
        b"[" * 65 + b"]" * 65,
        b"[" * 100_000,
        b'{"a":' * 65 + b"1" + b"}" * 65,
        b"{} {}",
        b"'a'",
    ],
)
def test_reader__refuses_what_two_readers_could_read_differently(data: bytes) -> None:
    with pytest.raises(StrictJsonError) as caught:
        read_strict(data)
    assert len(str(caught.value)) < 60


def test_reader__counts_depth_from_the_top_and_outside_strings() -> None:
    assert read_strict(b"[" * 64 + b"]" * 64)
    assert read_strict(b'"' + b"[" * 200 + b'"') == "[" * 200
    assert read_strict(b'["' + b'\\"[' * 100 + b'"]') == ['"[' * 100]


def test_reader__names_the_place() -> None:
    with pytest.raises(StrictJsonError) as caught:
        read_strict(b'{"a": 1,\n "b": x}')
    assert (caught.value.line, caught.value.column) == (2, 7)
    with pytest.raises(StrictJsonError) as caught:
        read_strict('{"é":\n"'.encode() + b'\xff"}')
    assert (caught.value.line, caught.value.column) == (2, 2)


def test_numbers__are_admitted_by_kind_of_document() -> None:
    assert read_strict(b"1.5", numbers=Numbers.FINITE) == 1.5
    assert read_strict(b"100000000000000000000", numbers=Numbers.FINITE) == 1e20
    assert read_strict(b"-0", numbers=Numbers.EXACT) == 0
    with pytest.raises(StrictJsonError):
        read_strict(b"9007199254740992", numbers=Numbers.EXACT)
    for kind in (Numbers.FINITE, Numbers.EXACT):
        with pytest.raises(StrictJsonError):
            read_strict(b"1e400", numbers=kind)
