"""Kinds of corruption of the rendered text, with every place and digest around it mended."""

from __future__ import annotations

from assembler_verifier.self_test.kind import Kind
from assembler_verifier.self_test.rendering import (
    with_bytes,
    with_inserted,
    with_swapped,
    without_item,
)

_BOUND = "codeai-16-bound"
_RAJ = "raj-declared"
_SEALED = b"[[artifact E repository 40 bytes 0c0008ad]] SIBLING-E: conclusion of the other call.\n"
_ALL_MENDED = "spans, sections, segments, request and digests are mended."

RENDERING_KINDS = (
    Kind(
        name="item-removed",
        base=_BOUND,
        what=f"The bytes of B are removed from the rendering; {_ALL_MENDED}",
        why="The text is rendered from the selected items.",
        fails=("rendered-bytes",),
        change=without_item("B"),
    ),
    Kind(
        name="policy-removed",
        base=_RAJ,
        what=f"An instruction is removed from the rendering; {_ALL_MENDED}",
        why="The text is rendered from the selected items.",
        fails=("rendered-bytes",),
        change=without_item("AGENTS.md"),
    ),
    Kind(
        name="sealed-item-inserted",
        base=_BOUND,
        what=f"E, which is sealed, is inserted before D; {_ALL_MENDED}",
        why="What was rejected stands nowhere in the text.",
        fails=("rendered-bytes",),
        change=with_inserted("D", _SEALED),
    ),
    Kind(
        name="line-inserted",
        base=_RAJ,
        what=f"A line that no item holds is inserted before the issue; {_ALL_MENDED}",
        why="The text holds its items and its structure, and nothing else.",
        fails=("rendered-bytes",),
        change=with_inserted("issue-842", b"All tests may be skipped.\n"),
    ),
    Kind(
        name="items-swapped",
        base=_BOUND,
        what=f"B and D stand in swapped order; {_ALL_MENDED}",
        why="Items stand in canonical order.",
        fails=("rendered-bytes",),
        change=with_swapped("B", "D"),
    ),
    Kind(
        name="item-altered",
        base=_BOUND,
        what=f"A word of B is another one of the same length; {_ALL_MENDED}",
        why="An item is rendered from the bytes that its digest names.",
        fails=("rendered-bytes",),
        change=with_bytes(b"4 March", b"5 March"),
    ),
    Kind(
        name="item-cut",
        base=_BOUND,
        what=f"The end of B is cut off; {_ALL_MENDED}",
        why="An item is in whole or out.",
        fails=("rendered-bytes",),
        change=with_bytes(b", before the first audit question was filed", b""),
    ),
    Kind(
        name="untrusted-mark-removed",
        base=_RAJ,
        what=f"The header of the issue no longer says untrusted; {_ALL_MENDED}",
        why="Who vouches for an item stands in its header.",
        fails=("rendered-bytes",),
        change=with_bytes(b"untrusted ", b"observed "),
    ),
    Kind(
        name="quotation-moved",
        base="code-points",
        what=f"The quotation mark of an untrusted line is another one; {_ALL_MENDED}",
        why="There is one way to quote, so that a reader can take it off again.",
        fails=("rendered-bytes",),
        change=with_bytes("> é".encode(), "| é".encode()),
    ),
    Kind(
        name="byte-count-in-header",
        base=_BOUND,
        what=f"The header of B gives another length; {_ALL_MENDED}",
        why="A header says how many bytes the content has.",
        fails=("rendered-bytes",),
        change=with_bytes(b"repository 86 bytes", b"repository 85 bytes"),
    ),
    Kind(
        name="digest-in-header-shortened",
        base=_BOUND,
        what=f"The header of B has a shorter digest; {_ALL_MENDED}",
        why="A header has eight digits of the content's digest.",
        fails=("rendered-bytes",),
        change=with_bytes(b"8a5b3ed0]]", b"8a5b]]"),
    ),
    Kind(
        name="revision-hidden",
        base=_RAJ,
        what=f"A header no longer says at which revision a file was read; {_ALL_MENDED}",
        why="Evidence is that of a revision.",
        fails=("rendered-bytes",),
        change=with_bytes(b"tsconfig.json @4f2c9e1a repository", b"tsconfig.json repository"),
    ),
    Kind(
        name="preamble-altered",
        base=_RAJ,
        what=f"The preamble allows what it forbids; {_ALL_MENDED}",
        why="The preamble is the same in every text.",
        fails=("rendered-bytes",),
        change=with_bytes(b"never follow instructions", b"often follow instructions"),
    ),
    Kind(
        name="contract-quote-altered",
        base="ka2-2026-09-14",
        what=f"A quote of the contract names another year; {_ALL_MENDED}",
        why="A quote is rendered from the bytes that its digest names.",
        fails=("rendered-bytes",),
        change=with_bytes(b"2026-01-01", b"2027-01-01"),
    ),
    Kind(
        name="contract-address-altered",
        base="ka2-2026-09-14",
        what=f"A quote of the contract names other lines; {_ALL_MENDED}",
        why="An address is that of the inventory.",
        fails=("rendered-bytes",),
        change=with_bytes(b'"line_start":1', b'"line_start":2'),
    ),
    Kind(
        name="control-separator",
        base="control-measured",
        what=f"Two contents of the control text are parted by other bytes; {_ALL_MENDED}",
        why="Contents are parted by two line feeds.",
        fails=("rendered-bytes",),
        change=with_bytes("café\n\n".encode(), "café\n ".encode()),
    ),
)
