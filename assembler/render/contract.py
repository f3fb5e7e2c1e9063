"""`context-contract/1` and `control/1`: the two layouts without an envelope.

The contract is one compact JSON object with named places, so that evidence cannot make a
second instruction; the control is instruction and question alone, for comparison.
Rules: docs/formats/layouts.md.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final

from assembler.model.candidate import Address, Candidate
from assembler.model.contract import read_example, single_place
from assembler.model.rendered import PlacedItem, Rendering, Span

CONTRACT_FIELDS: Final = ("instruction", "example", "evidence", "question")
"""The members behind `template`, in the format's order."""
_PLACES: Final = {"instruction": "policy"}
CONTRACT_FILE_NAME: Final = "input.json"
CONTROL_FILE_NAME: Final = "input.txt"
CONTROL_SEPARATOR: Final = b"\n\n"
RECORD_CUT: Final = b'{"source'
"""How each record of evidence begins, as far as a count can be cut."""

_OPENING: Final = '{"template":"context-contract/1"'
_EMPTY_EXAMPLE: Final = '{"question":"","answer":""}'


def render_contract(
    items: Sequence[Candidate],
    contents: Mapping[str, bytes],
    *,
    fields: Sequence[str] = CONTRACT_FIELDS,
) -> Rendering:
    """The contract of the selected candidates.

    Args:
        items: in canonical order.
        contents: bytes by digest.
        fields: the order of the members behind `template`; the format's own, but for an
            experiment that asks what the order does (docs/formats/layouts.md).
    """
    writer = _Writer()
    single = {single_place(item): item for item in items if single_place(item) is not None}
    writer.add(_OPENING)
    for field in fields:
        writer.add(_member(field))
        if field == "evidence":
            writer.add_evidence(items, contents)
        else:
            writer.add_single(field, single.get(_PLACES.get(field, field)), contents)
    writer.add("}")
    placed = {entry.candidate.id: entry for entry in writer.placed}
    return Rendering(
        file_name=CONTRACT_FILE_NAME,
        data=b"".join(writer.parts),
        items=tuple(placed[item.id] for item in items),
        sections=(),
    )


def write_contract_head(policy: bytes | None, example: bytes | None) -> bytes:
    """The contract up to its evidence; None: nothing stands in the place."""
    instruction = '""' if policy is None else _string(policy)
    shown = _EMPTY_EXAMPLE if example is None else _example(example)
    return (
        f"{_OPENING}{_member('instruction')}{instruction}"
        f"{_member('example')}{shown}{_member('evidence')}["
    ).encode()


def write_record(item: Candidate, content: bytes) -> bytes:
    """One record of evidence."""
    assert item.address is not None  # without an address it has no place
    return f"{_record_head(item.address)}{_string(content)}}}".encode()


def write_contract_tail(question: bytes | None) -> bytes:
    """The contract from behind its evidence; None: nothing is asked."""
    asked = '""' if question is None else _string(question)
    return f"]{_member('question')}{asked}}}".encode()


def render_control(items: Sequence[Candidate], contents: Mapping[str, bytes]) -> Rendering:
    """The contents alone, two line feeds between them."""
    placed: list[PlacedItem] = []
    parts: list[bytes] = []
    position = 0
    for item in items:
        if parts:
            parts.append(CONTROL_SEPARATOR)
            position += len(CONTROL_SEPARATOR)
        content = contents[item.sha256 or ""]
        end = position + len(content)
        span = Span(start=position, end=end, body_start=position, body_end=end, form="block")
        placed.append(PlacedItem(candidate=item, span=span))
        parts.append(content)
        position = end
    return Rendering(
        file_name=CONTROL_FILE_NAME, data=b"".join(parts), items=tuple(placed), sections=()
    )


class _Writer:
    """Grows the text and remembers where each item stands."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.placed: list[PlacedItem] = []
        self._position = 0

    def add(self, text: str) -> None:
        data = text.encode("utf-8")
        self.parts.append(data)
        self._position += len(data)

    def add_item(self, item: Candidate, text: str, form: str) -> None:
        start = self._position
        self.add(text)
        self._place(item, (start, self._position), (start, self._position), form)

    def add_single(self, field: str, item: Candidate | None, contents: Mapping[str, bytes]) -> None:
        """The one item of a place, or what stands for none."""
        if item is None:
            self.add(_EMPTY_EXAMPLE if field == "example" else '""')
        elif field == "example":
            self.add_item(item, _example(contents[item.sha256 or ""]), "json-object")
        else:
            self.add_item(item, _string(contents[item.sha256 or ""]), "json-string")

    def add_evidence(self, items: Sequence[Candidate], contents: Mapping[str, bytes]) -> None:
        """The list of every piece of evidence, in the order of the items."""
        self.add("[")
        evidence = [item for item in items if item.section == "evidence"]
        for index, item in enumerate(evidence):
            self.add("," if index else "")
            self.add_record(item, contents[item.sha256 or ""])
        self.add("]")

    def add_record(self, item: Candidate, content: bytes) -> None:
        """A piece of evidence with its address; the body is the quotation's string."""
        assert item.address is not None  # without an address it has no place
        start = self._position
        self.add(_record_head(item.address))
        body_start = self._position
        self.add(_string(content))
        body = (body_start, self._position)
        self.add("}")
        self._place(item, (start, self._position), body, "json-string")

    def _place(
        self, item: Candidate, whole: tuple[int, int], body: tuple[int, int], form: str
    ) -> None:
        span = Span(start=whole[0], end=whole[1], body_start=body[0], body_end=body[1], form=form)
        self.placed.append(PlacedItem(candidate=item, span=span))


def _member(name: str) -> str:
    """What stands before the value of a member."""
    return f',"{name}":'


def _record_head(address: Address) -> str:
    return (
        f'{{"source_id":{_quoted(address.source_id)},"version":{_quoted(address.version)}'
        f',"line_start":{address.line_start},"line_end":{address.line_end},"quote":'
    )


def _example(content: bytes) -> str:
    example = read_example(content)
    assert example is not None  # any other content has no place
    return f'{{"question":{_quoted(example["question"])},"answer":{_quoted(example["answer"])}}}'


def _string(content: bytes) -> str:
    return _quoted(content.decode("utf-8"))


def _quoted(text: str) -> str:
    """A JSON string as RFC 8785 escapes it."""
    return json.dumps(text, ensure_ascii=False)
