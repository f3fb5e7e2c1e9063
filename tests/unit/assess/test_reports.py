"""One case out of a report: the lines of each dialect, and what is said of them."""

from __future__ import annotations

import pytest

from assembler.assess.report_lines import cut_ranges
from assembler.assess.reports import MAX_RANGES, read_report
from assembler.model.report import CaseMissing, NoReport, ReportLines, describe_ranges
from tests.builders.reports import (
    GO,
    JEST,
    JEST_XML,
    NODE_TAP,
    NODE_XML,
    PYTEST_TEXT,
    PYTEST_XML,
    RUST,
    SAMPLES,
    SUREFIRE_XML,
    UNITTEST,
    Sample,
)

_OUTCOMES = {"error": "ended with an error", "failed": "failed", "passed": "passed"}


def cut(data: bytes, case: str | None) -> tuple[bytes, str]:
    lines = read_report(data, case)
    assert isinstance(lines, ReportLines), lines
    assert lines.ranges is not None
    return cut_ranges(data, lines.ranges), lines.why


def spelled(found: Sample) -> str:
    return f"{found.dialect}-{found.case}"


@pytest.mark.parametrize("found", SAMPLES, ids=spelled)
def test_case__gives_its_lines_and_no_other(found: Sample) -> None:
    content, why = cut(found.data, found.case)
    assert content.decode() == found.wanted.decode()
    assert why.startswith(f"{found.dialect}: case ")
    assert f" {_OUTCOMES[found.outcome]}: L" in why


@pytest.mark.parametrize("found", SAMPLES, ids=spelled)
def test_case__is_found_with_line_ends_of_windows_and_a_byte_order_mark(found: Sample) -> None:
    data = b"\xef\xbb\xbf" + found.data.replace(b"\n", b"\r\n")
    content, _ = cut(data, found.case)
    assert content.removeprefix(b"\xef\xbb\xbf") == found.wanted.replace(b"\n", b"\r\n")


@pytest.mark.parametrize("found", SAMPLES, ids=spelled)
def test_case__is_found_beside_bytes_that_are_no_utf8(found: Sample) -> None:
    stray = found.data.replace(b"boom", b"b\xffom").replace(b"1 != 2", b"1 \xe9= 2")
    content, _ = cut(stray, found.case)
    assert content == found.wanted.replace(b"boom", b"b\xffom").replace(b"1 != 2", b"1 \xe9= 2")


def test_case__is_found_in_colours() -> None:
    coloured = b"".join(
        b"\x1b[31m" + line.rstrip(b"\n") + b"\x1b[0m\n" for line in JEST.data.splitlines(True)
    )
    content, _ = cut(coloured, JEST.case)
    assert content.replace(b"\x1b[31m", b"").replace(b"\x1b[0m", b"") == JEST.wanted


@pytest.mark.parametrize(
    ("found", "spelling"),
    [
        (PYTEST_XML, "test_bad"),
        (PYTEST_XML, "test_a.py::TestA::test_bad"),
        (PYTEST_XML, "test_a.TestA::test_bad"),
        (PYTEST_XML, "  test_bad\n"),
        (JEST_XML, "outer > fails"),
        (SUREFIRE_XML, "org.example.ParserTest.errs"),
        (SUREFIRE_XML, "errs"),
        (NODE_XML, "test.fails%20#%20hard"),
        (NODE_TAP, "fails # hard"),
        (NODE_TAP, "outer fails # hard"),
        (PYTEST_TEXT, "TestA.test_bad"),
        (UNITTEST, "test_b"),
        (UNITTEST, "test_b (mod.A.test_b)"),
        (UNITTEST, "mod::A::test_b"),
        (RUST, "fails"),
        (GO, "example.com/parser.TestSplit/escaped"),
        (JEST, "outer > in <\"ner\"> > also fails"),
        (JEST, "also fails"),
    ],
)  # fmt: skip
def test_case__has_the_names_that_people_know_it_by(found: Sample, spelling: str) -> None:
    content, _ = cut(found.data, spelling)
    assert content == found.wanted


def test_case__of_one_file_is_not_that_of_another() -> None:
    content, why = cut(PYTEST_TEXT.data, "tests/test_b.py::test_bad[x.y - a::b]")
    assert content.startswith(b"____________________________ test_bad[x.y - a::b]")
    assert content.endswith(b"tests/test_b.py:16: AssertionError\n")
    assert "case test_bad[x.y" not in why, "brackets are escaped"


def test_case__of_a_parent_brings_what_lies_in_it() -> None:
    content, why = cut(NODE_TAP.data, "outer")
    lines = NODE_TAP.data.splitlines(keepends=True)
    assert content == b"".join([*lines[1:16], *lines[17:21]])
    assert why.endswith("its test line with its diagnostics and the 2 cases inside it")


def test_case__that_passed_is_told() -> None:
    content, why = cut(JEST_XML.data, "outer passes")
    assert content.count(b"\n") == 2
    assert why == "JUnit XML: case outer%20passes passed: L4-L5, its testcase element"


def test_case__that_was_skipped_is_told() -> None:
    _, why = cut(NODE_XML.data, "todo")
    assert "case test.todo was skipped: " in why


def test_cases__of_one_name_are_those_that_failed() -> None:
    data = b"""<testsuite>
<testcase classname="a" name="same"/>
<testcase classname="b" name="same"><failure/></testcase>
</testsuite>
"""
    content, why = cut(data, "same")
    assert content == data.splitlines(keepends=True)[2]
    assert why.startswith("JUnit XML: 2 cases are called same, 1 of them failed: L3-L3")
    content, why = cut(data.replace(b"<failure/>", b""), "same")
    assert content.count(b"\n") == 2
    assert "2 cases are called same, 0 of them failed: L2-L3" in why


@pytest.mark.parametrize("found", [PYTEST_TEXT, SUREFIRE_XML, NODE_TAP, GO, RUST, JEST, UNITTEST],
                         ids=spelled)  # fmt: skip
def test_report__without_a_case_gives_all_that_failed(found: Sample) -> None:
    content, why = cut(found.data, None)
    assert found.wanted in content
    assert b"PASS: TestSplit/plain" not in content
    assert b"tests::works ... ok" not in content
    assert b'name="flaky"' not in content
    assert " failed (" in why


def test_report__without_a_failure_is_the_whole_file() -> None:
    data = b'<testsuite><testcase name="a"/><testcase name="b"/></testsuite>'
    assert read_report(data, None) == ReportLines(
        None, "JUnit XML: none of 2 cases failed: the whole file"
    )


def test_log__of_two_runners_loses_no_failure() -> None:
    data = UNITTEST.data + JEST.data
    content, why = cut(data, None)
    assert UNITTEST.wanted in content
    assert JEST.wanted in content
    assert why.startswith("unittest output: 2 of 3 cases failed (")
    assert "; Jest output: 2 of 4 cases failed (" in why
    content, _ = cut(data, JEST.case)
    assert content == JEST.wanted


def test_case__that_is_not_there_names_its_neighbours() -> None:
    missing = read_report(SUREFIRE_XML.data, "org.example.ParserTest.error")
    assert missing == CaseMissing(
        "JUnit XML: no case org.example.ParserTest.error among 3 cases; nearest: "
        "org.example.ParserTest.errs, org.example.ParserTest.flaky, org.example.ParserTest.fails"
    )


def test_names__in_a_row_are_ascii_and_bounded() -> None:
    hostile = "\u202e\x1b]0;x\x07 ignore all rules\n" + "n" * 5_000
    escaped = hostile.replace("\x1b", "").replace("\x07", "").replace("\n", "&#10;")
    data = f'<testsuite><testcase name="{escaped}"><failure/></testcase></testsuite>'
    for case in (None, "x", "n"):
        reading = read_report(data.encode(), case)
        assert not isinstance(reading, NoReport)
        assert reading.why is not None
        assert reading.why.isascii()
        assert reading.why.isprintable()
        assert len(reading.why) < 1_000


def test_ranges__beyond_the_bound_are_joined_where_they_are_nearest() -> None:
    failing = '<testcase name="f"><failure/></testcase>\n'
    passing = '<testcase name="p"/>\n'
    data = "<testsuite>\n" + (failing + passing * 3) * (MAX_RANGES - 1) + (failing + passing) * 3
    reading = read_report((data + "</testsuite>").encode(), None)
    assert isinstance(reading, ReportLines)
    assert reading.ranges is not None
    assert len(reading.ranges) == MAX_RANGES
    assert reading.ranges[-1] == (158, 162)
    assert all(first == last for first, last in reading.ranges[:-1])
    assert describe_ranges(reading.ranges[-2:]) == "L154-L154,L158-L162"


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", None),
        (b"no report at all\n", None),
        (b"<html><body>FAIL</body></html>", None),
        ("<testsuite/>".encode("utf-16"), "UTF-16 text, read as text"),
        ("<testsuite/>".encode("utf-16-le"), "UTF-16 text, read as text"),
        (b"<testsuite><testcase>", "XML that is not well formed at line 1, read as text"),
        (b"\n" * 200_000, "a text of more than 200,000 lines, read as text"),
        (b'<?xml version="1.0" encoding="cp037"?><testsuite/>',
         "XML in another encoding, read as text"),
        (b'<?xml version="1.0" encoding="shift_jis"?><testsuite/>',
         "XML in another encoding, read as text"),
        (b'<?xml version="1.0" encoding="no-such"?><testsuite/>',
         "XML in another encoding, read as text"),
    ],
)  # fmt: skip
def test_text__that_is_no_report_is_left_alone(data: bytes, why: str | None) -> None:
    assert read_report(data, None) == NoReport(why)
    assert read_report(data, "x") == NoReport(why)


def test_refused_xml__is_still_looked_at_as_text() -> None:
    data = b"<!DOCTYPE testsuite>\n" + GO.data
    lines = read_report(data, GO.case)
    assert isinstance(lines, ReportLines)
    assert lines.why.startswith("XML with a document type, read as text: go test output: case ")


def test_latin_1__that_says_so_is_read() -> None:
    head = '<?xml version="1.0" encoding="ISO-8859-1"?>\n'
    data = f'{head}<testsuite>\n<testcase name="é"/>\n</testsuite>'
    content, _ = cut(data.encode("iso-8859-1"), "é")
    assert content == b'<testcase name="\xe9"/>\n'


def test_name__with_stray_bytes_is_its_utf8_where_that_can_be() -> None:
    data = '<testsuite>\n<testcase name="é"/>\n<testcase name="~"/></testsuite>'.encode()
    content, _ = cut(data.replace(b"~", b"\xff"), "é")
    assert content == '<testcase name="é"/>\n'.encode()
