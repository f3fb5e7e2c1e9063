"""Render the two layouts without envelope: `context-contract/1` and `control/1`.

Rules: FORMATS 3.
"""

from __future__ import annotations

from collections.abc import Sequence

from assembler_verifier.envelope import Rendering, Span
from assembler_verifier.inventory import Candidate
from assembler_verifier.places import Example, read_example, single_place
from assembler_verifier.strict_json import canonical, canonical_string
from assembler_verifier.values import object_of

CONTROL_SEPARATOR = b"\n\n"
EMPTY_CONTRACT = (
    b'{"template":"context-contract/1","instruction":"","example":{"question":"","answer":""},'
    b'"evidence":[],"question":""}'
)
"""The contract without items."""


def render_control(items: Sequence[tuple[Candidate, bytes]]) -> Rendering:
    """Join the contents of items, given in canonical order."""
    spans: dict[str, Span] = {}
    offset = 0
    for candidate, content in items:
        end = offset + len(content)
        spans[candidate.id] = Span(offset, end, offset, end, "block")
        offset = end + len(CONTROL_SEPARATOR)
    data = CONTROL_SEPARATOR.join(content for _, content in items)
    return Rendering(data, (), spans)


def render_contract(items: Sequence[tuple[Candidate, bytes]]) -> Rendering:
    """Render the contract from items, given in canonical order."""
    writer = _Writer()
    singles = {single_place(candidate): (candidate, content) for candidate, content in items}
    writer.put(b'{"template":"context-contract/1","instruction":')
    writer.put_string(singles.get("policy"))
    writer.put(b',"example":')
    writer.put_example(singles.get("example"))
    writer.put(b',"evidence":[')
    separator = b""
    for candidate, content in items:
        if candidate.section == "evidence":
            writer.put(separator)
            writer.put_evidence(candidate, content)
            separator = b","
    writer.put(b'],"question":')
    writer.put_string(singles.get("question"))
    writer.put(b"}")
    return Rendering(b"".join(writer.parts), (), writer.spans)


def evidence_record(candidate: Candidate, content: bytes) -> tuple[bytes, bytes]:
    """One evidence record up to its quote, and the quote with its quotation marks."""
    address = object_of(candidate.members["address"])
    members = b",".join(
        b'"%s":%s' % (name.encode(), canonical(address[name]))
        for name in ("source_id", "version", "line_start", "line_end")
    )
    return b"{%s," % members + b'"quote":', string_bytes(content)


def example_bytes(example: Example) -> bytes:
    """An example as the contract writes it."""
    question, answer = canonical_string(example.question), canonical_string(example.answer)
    return f'{{"question":{question},"answer":{answer}}}'.encode()


def string_bytes(content: bytes) -> bytes:
    """A content as a JSON string, with its quotation marks."""
    return canonical_string(content.decode()).encode()


class _Writer:
    """Collects parts and notes where items stand."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.spans: dict[str, Span] = {}
        self._offset = 0

    def put(self, part: bytes) -> None:
        self.parts.append(part)
        self._offset += len(part)

    def put_string(self, item: tuple[Candidate, bytes] | None) -> None:
        if item is None:
            self.put(b'""')
            return
        self._put_whole(item[0], string_bytes(item[1]), "json-string")

    def put_example(self, item: tuple[Candidate, bytes] | None) -> None:
        example = None if item is None else read_example(item[1])
        if item is None or example is None:
            self.put(example_bytes(Example("", "")))
            return
        self._put_whole(item[0], example_bytes(example), "json-object")

    def put_evidence(self, candidate: Candidate, content: bytes) -> None:
        start = self._offset
        before, quote = evidence_record(candidate, content)
        self.put(before)
        body_start = self._offset
        self.put(quote)
        body_end = self._offset
        self.put(b"}")
        self.spans[candidate.id] = Span(start, self._offset, body_start, body_end, "json-string")

    def _put_whole(self, candidate: Candidate, part: bytes, form: str) -> None:
        start = self._offset
        self.put(part)
        self.spans[candidate.id] = Span(start, self._offset, start, self._offset, form)
