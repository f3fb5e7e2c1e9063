"""Whatever a report holds, an excerpt is exactly the lines of its address."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from assembler.assess.report_lines import cut_ranges
from assembler.assess.reports import MAX_RANGES, read_report
from assembler.model.report import ReportLines
from assembler.model.symbols import merge_ranges
from tests.builders.reports import SAMPLES, addressed

_LINES = [line for found in SAMPLES for line in found.data.splitlines(keepends=True)]
_PIECES = st.one_of(
    st.sampled_from(_LINES),
    st.sampled_from(_LINES).map(lambda line: line.replace(b"\n", b"\r\n")),
    st.sampled_from([b"\n", b"\xff\n", b"<testcase name='a'>", b"</testcase>\n", b"<failure/>"]),
    st.binary(max_size=20),
)
_NAMES = st.sampled_from([None, "a", "outer", *sorted({found.case for found in SAMPLES})])


def check(data: bytes, case: str | None) -> None:
    reading = read_report(data, case)
    assert reading.why is None or (reading.why.isascii() and reading.why.isprintable())
    if not isinstance(reading, ReportLines) or reading.ranges is None:
        return
    ranges = reading.ranges
    assert 1 <= len(ranges) <= MAX_RANGES
    assert all(1 <= first <= last for first, last in ranges)
    assert all(one[1] + 1 < other[0] for one, other in pairwise(ranges))
    assert ranges[-1][1] <= data.count(b"\n") + 1
    content = cut_ranges(data, ranges)
    assert content == addressed(data, ranges)
    assert content


@settings(max_examples=300, deadline=None)
@given(st.lists(_PIECES, max_size=40).map(b"".join), _NAMES)
def test_excerpt__of_mixed_lines_is_the_lines_of_its_address(data: bytes, case: str | None) -> None:
    check(data, case)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["", "\n", "\r\n", "  <!-- x -->\n", "<a>é</a>"]),
            st.sampled_from(["", "<failure/>", "<error>\n</error>", "<skipped/>", "\n\n"]),
            st.sampled_from("ab"),
        ),
        max_size=12,
    ),
    st.sampled_from([None, "a", "b"]),
    st.sampled_from(["", "\ufeff", "<?xml version='1.0'?>", "\n"]),
)
def test_excerpt__of_xml_is_the_lines_of_its_address(
    cases: list[tuple[str, str, str]], asked: str | None, head: str
) -> None:
    elements = "".join(
        f"{before}<testcase name='{name}'>{inside}</testcase>" for before, inside, name in cases
    )
    data = f"{head}<testsuite>{elements}</testsuite>".encode()
    check(data, asked)
    reading = read_report(data, asked)
    fails = {name for _, inside, name in cases if "failure" in inside or "error" in inside}
    if isinstance(reading, ReportLines) and reading.ranges and (asked is None or asked in fails):
        content = cut_ranges(data, reading.ranges)
        assert b"<failure/>" in content or b"<error>" in content


@given(st.lists(st.tuples(st.integers(1, 60), st.integers(0, 5)), min_size=1, max_size=20))
def test_join__keeps_exactly_the_lines(pairs: list[tuple[int, int]]) -> None:
    ranges = [(first, first + more) for first, more in pairs]
    joined = merge_ranges(ranges)
    lines = [line for first, last in joined for line in range(first, last + 1)]
    assert lines == sorted({line for first, last in ranges for line in range(first, last + 1)})
