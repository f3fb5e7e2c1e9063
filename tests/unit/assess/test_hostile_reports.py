"""Reports that want to open, to expand, to nest or to be long."""

from __future__ import annotations

from pathlib import Path

import pytest

from assembler.assess.junit_report import MAX_DEPTH, MAX_ELEMENTS, read_junit
from assembler.assess.report_lines import cut_ranges
from assembler.assess.reports import read_report
from assembler.model.limits import MAX_ITEM_BYTES
from assembler.model.report import MAX_CASES, NoReport, Report, ReportLines, UnreadReport

LAUGHS = (
    b'<?xml version="1.0"?>\n<!DOCTYPE testsuite [\n <!ENTITY a "ha">\n'
    + b"".join(
        b' <!ENTITY %c "%s">\n' % (letter, b"&%c;" % (letter - 1) * 10) for letter in b"bcdefghij"
    )
    + b']>\n<testsuite><testcase name="&j;"><failure>&j;</failure></testcase></testsuite>'
)


@pytest.mark.parametrize(
    "data",
    [
        LAUGHS,
        b"<!DOCTYPE testsuite><testsuite/>",
        b'<!DOCTYPE testsuite SYSTEM "http://127.0.0.1:9/x.dtd"><testsuite/>',
        b'<!DOCTYPE t [<!ENTITY % x SYSTEM "file:///etc/passwd"> %x;]><testsuite/>',
        b'\xef\xbb\xbf<?xml version="1.0" standalone="no"?>\n<!-- x --><!DOCTYPE t><testsuite/>',
    ],
)
def test_document_type__ends_the_reading(data: bytes) -> None:
    assert read_junit(data) == UnreadReport("XML with a document type")


def test_external_entity__is_never_opened(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("canary")
    data = (
        f'<?xml version="1.0"?><!DOCTYPE t [<!ENTITY x SYSTEM "{secret.as_uri()}">]>'
        '<testsuite><testcase name="&x;"/></testsuite>'
    )
    reading = read_report(data.encode(), "canary")
    assert reading == NoReport("XML with a document type, read as text")
    undeclared = b'<testsuite><testcase name="&x;"/></testsuite>'
    assert read_junit(undeclared) == UnreadReport("XML that is not well formed at line 1")


def test_depth__is_bounded() -> None:
    def nested(depth: int) -> bytes:
        inner = depth - 2
        return b"<testsuite>" + b"<a>" * inner + b"<testcase/>" + b"</a>" * inner + b"</testsuite>"

    assert isinstance(read_junit(nested(MAX_DEPTH)), Report)
    deep = UnreadReport("XML with more than 100 elements in one another")
    assert read_junit(nested(MAX_DEPTH + 1)) == deep
    assert read_junit(b"<testsuite>" + b"<a>" * 1_000_000) == deep


def test_size__is_bounded() -> None:
    head, tail = b"<testsuite><!--", b"-->\n<testcase/></testsuite>"
    full = head + b"x" * (MAX_ITEM_BYTES - len(head) - len(tail)) + tail
    assert isinstance(read_junit(full), Report)
    over = read_junit(full + b"\n")
    assert over == UnreadReport("XML of more than 8,388,608 bytes")


def test_elements_and_cases__are_bounded() -> None:
    most = b"<testsuite>" + b"<a/>" * (MAX_ELEMENTS - 1) + b"</testsuite>"
    assert isinstance(read_junit(most), Report)
    more = most.replace(b"<testsuite>", b"<testsuite><a/>", 1)
    assert read_junit(more) == UnreadReport("XML of more than 500,000 elements")
    cases = b"<testsuite>" + b"<testcase/>" * (MAX_CASES + 1) + b"</testsuite>"
    assert read_junit(cases) == UnreadReport("a report of more than 100,000 cases")


@pytest.mark.parametrize(
    "element",
    [
        b"<testcase/>",
        b"<testcase></testcase>",
        b"<testcase a='/>'/>",
        b'<testcase a="/>"></testcase\n>',
        b"<testcase\na='>'\n>\n<failure/></testcase>",
        b"<testcase><![CDATA[</testcase>]]><a/></testcase>",
        b"<testcase><!-- </testcase> --></testcase  >",
        b"<testcase><?x </testcase>?></testcase>",
        b"<x:testcase xmlns:x='y'><x:testcase/>\n</x:testcase>",
    ],
)
@pytest.mark.parametrize("before", [b"", b"\n", b"\r\n<!--\xff-->\r\n", b"\xc3\xa9\n"])
def test_element__ends_where_its_tag_does(element: bytes, before: bytes) -> None:
    data = b"<testsuite>" + before + b"\n" + element + b"\n<b/></testsuite>"
    report = read_junit(data)
    assert isinstance(report, Report)
    (case,) = report.cases
    assert cut_ranges(data, case.ranges) == element + b"\n"


@pytest.mark.parametrize(
    "line",
    [
        b"a.py::" * 300,
        b"FAILED " + b"a.py::" * 300,
        b"_ " * 1_000,
        b"= " * 1_000,
        b"not ok # # #" + b"#" * 2_000,
        b"ok 1" + b" " * 2_000 + b"x",
        b"test " + b" ... " * 400,
        b"thread '" + b"' panicked " * 180,
        b"--- FAIL: " + b"a/" * 900,
        b"\x1b[" + b"1;" * 900,
        "  ✓ ".encode() * 300,
        b"a (b) ... " * 200,
    ],
)
def test_lines__that_nearly_fit_take_their_length_alone(line: bytes) -> None:
    anchors = b"1..2\n= FAILURES =\n  \xe2\x97\x8f x\n" + b"=" * 70 + b"\nFAIL: x (y)\n"
    data = anchors + (line + b"\n") * 2_000
    assert isinstance(read_report(data, None), ReportLines)
