"""Find the cases of a JUnit XML report, with the lines that hold each.

Pure, and safe on any bytes: a document type ends the reading before anything of it is read, so
there are no entities, and nothing outside the bytes is ever asked for. Depth and number of
elements are bounded, so the time grows with the bytes alone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from assembler.model.limits import MAX_ITEM_BYTES
from assembler.model.report import MAX_CASES, LineRange, Outcome, Report, ReportCase, UnreadReport

if TYPE_CHECKING:
    from xml.parsers.expat import XMLParserType

MAX_DEPTH: Final = 100
"""Elements inside one another; reports of real tools have fewer than 20."""
MAX_ELEMENTS: Final = 500_000

_ENCODINGS: Final = frozenset({"utf-8", "us-ascii", "ascii", "iso-8859-1", "windows-1252"})
"""In each of them a line feed is one byte, and no part of another character."""

_ONE_BYTE: Final = frozenset({"iso-8859-1", "windows-1252"})

_START_TAG: Final = re.compile(rb"<(?:[^\"'>]++|\"[^\"]*+\"|'[^']*+')*+>")
"""A whole start tag; the parser has said that it is one."""

_ROOTS: Final = frozenset({"testsuites", "testsuite"})
_OUTCOMES: Final[dict[str, Outcome]] = {
    "failure": "failed",
    "error": "error",
    "skipped": "skipped",
}


class _UnreadError(Exception):
    """Ends the reading from inside the parser; holds our own words."""


class _NoReportError(Exception):
    """The root is another one."""


def read_junit(data: bytes) -> Report | UnreadReport | None:
    """The report, why it is read as text instead, or None where it is no JUnit XML at all."""
    if data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] != b"<":
        return None
    if len(data) > MAX_ITEM_BYTES:
        return UnreadReport(f"XML of more than {MAX_ITEM_BYTES:,} bytes")
    from xml.parsers import expat

    # Bytes that are not UTF-8 are read one by one, so that positions and names stay theirs.
    is_utf8 = _is_utf8(data)
    reading = _Reading(data, expat.ParserCreate(None if is_utf8 else "iso-8859-1"), is_utf8)
    try:
        reading.read()
    except _NoReportError:
        return None
    except _UnreadError as error:
        return UnreadReport(str(error))
    except expat.ExpatError as error:
        return UnreadReport(f"XML that is not well formed at line {error.lineno}")
    except (LookupError, ValueError):
        # The parser asks for the codec before it tells of the declaration.
        return UnreadReport("XML in another encoding")
    return Report("JUnit XML", "testcase element", tuple(reading.cases))


class _Reading:
    """One walk through one document; the parser calls it for each element."""

    def __init__(self, data: bytes, parser: XMLParserType, is_text: bool) -> None:
        self.cases: list[ReportCase] = []
        self._data = data
        self._parser = parser
        self._is_text = is_text
        """Whether what the parser gives is text; else it is bytes, one a character."""
        self._depth = 0
        self._elements = 0
        self._case: dict[str, str] | None = None
        self._case_depth = 0
        self._case_start = 0
        self._outcome: Outcome = "passed"
        self._counted: LineRange = (0, 1)
        """A position, and the line that it is on."""

    def read(self) -> None:
        parser = self._parser
        parser.XmlDeclHandler = self._declare
        parser.StartDoctypeDeclHandler = self._refuse_document_type
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.Parse(self._data, True)

    def _declare(self, version: str, encoding: str | None, standalone: int) -> None:
        if encoding is None:
            return
        if encoding.lower() not in _ENCODINGS:
            raise _UnreadError("XML in another encoding")
        self._is_text = self._is_text or encoding.lower() in _ONE_BYTE

    def _refuse_document_type(self, *_: object) -> None:
        raise _UnreadError("XML with a document type")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        self._elements += 1
        if self._depth > MAX_DEPTH:
            raise _UnreadError(f"XML with more than {MAX_DEPTH} elements in one another")
        if self._elements > MAX_ELEMENTS:
            raise _UnreadError(f"XML of more than {MAX_ELEMENTS:,} elements")
        local = name.rpartition(":")[2]
        if self._depth == 1 and local not in _ROOTS:
            raise _NoReportError
        if self._case is not None:
            if self._depth == self._case_depth + 1:
                self._judge(local)
        elif local == "testcase":
            self._case = attributes
            self._case_depth = self._depth
            self._case_start = self._parser.CurrentByteIndex
            self._outcome = "passed"

    def _judge(self, name: str) -> None:
        # A case that was left out, or is still to do, stays that even where it failed as well.
        found = _OUTCOMES.get(name)
        if found is not None and self._outcome != "skipped":
            self._outcome = found

    def _end(self, _: str) -> None:
        if self._case is not None and self._depth == self._case_depth:
            if len(self.cases) >= MAX_CASES:
                raise _UnreadError(f"a report of more than {MAX_CASES:,} cases")
            attributes, self._case = self._case, None
            self.cases.append(
                ReportCase(
                    name=self._text(attributes.get("name", "")).strip(),
                    outcome=self._outcome,
                    ranges=(self._lines(self._case_start, self._end_position()),),
                    group=self._text(attributes.get("classname", "")).strip(),
                )
            )
        self._depth -= 1

    def _end_position(self) -> int:
        """The position of the last byte of the element that ends."""
        tag = _START_TAG.match(self._data, self._case_start)
        if tag is not None and tag.group().endswith(b"/>"):
            return tag.end() - 1
        return self._data.index(b">", self._parser.CurrentByteIndex)

    def _lines(self, start: int, end: int) -> LineRange:
        return self._line(start), self._line(end)

    def _line(self, position: int) -> int:
        """Positions are asked in ascending order, so each byte is looked at once."""
        counted, line = self._counted
        line += self._data.count(b"\n", counted, position)
        self._counted = (position, line)
        return line

    def _text(self, text: str) -> str:
        """A text as UTF-8 has it, with escapes for stray bytes."""
        if self._is_text:
            return text
        try:
            return text.encode("iso-8859-1").decode("utf-8", "backslashreplace")
        except UnicodeEncodeError:
            return text  # it holds a character reference, so it is text already


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
