"""Kinds of corruption of states and places in the rows of the ledger."""

from __future__ import annotations

from assembler_verifier.folder import LEDGER
from assembler_verifier.self_test.changes import edit_row, in_turn, mended, more, put_row
from assembler_verifier.self_test.draft import Draft
from assembler_verifier.self_test.kind import Kind

_BOUND = "codeai-16-bound"
_RAJ = "raj-declared"


def _place_of_d(draft: Draft) -> None:
    row = next(row for row in draft.read(LEDGER) if row["id"] == "D")
    in_turn(
        put_row("E", ("span",), row["span"]),
        put_row("E", ("bound",), row["bound"]),
        Draft.mend,
    )(draft)


STATE_KINDS = (
    Kind(
        name="state-rendered",
        base=_BOUND,
        what="The row of E says that it was rendered, and every digest is mended.",
        why="States follow from the decision.",
        fails=("states",),
        change=mended(put_row("E", ("states", "rendered"), True)),
    ),
    Kind(
        name="state-eligible",
        base=_BOUND,
        what="The row of E says that it was eligible, and every digest is mended.",
        why="What a seal rejects was not eligible.",
        fails=("states",),
        change=mended(put_row("E", ("states", "eligible"), True)),
    ),
    Kind(
        name="state-received",
        base=_BOUND,
        what="A row says that the provider received its item, and every digest is mended.",
        why="Receipt is never observable from here.",
        fails=("states",),
        change=mended(put_row("B", ("states", "received"), True)),
    ),
    Kind(
        name="state-not-bound",
        base=_RAJ,
        what="A row says that a rendered item was not bound, and every digest is mended.",
        why="All that is rendered stands in the request.",
        fails=("states",),
        change=mended(put_row("issue-842", ("states", "bound"), False)),
    ),
    Kind(
        name="span-start",
        base=_BOUND,
        what="The row of D lets its item begin one byte later, and every digest is mended.",
        why="A span is where the item stands.",
        fails=("span",),
        change=mended(edit_row("D", ("span", "start"), more)),
    ),
    Kind(
        name="span-form",
        base=_RAJ,
        what="The row of an untrusted issue says that it was not quoted; mended.",
        why="The form says whether text could pass for structure.",
        fails=("span",),
        change=mended(put_row("issue-842", ("span", "form"), "block")),
    ),
    Kind(
        name="span-of-a-sealed-item",
        base=_BOUND,
        what="The row of E has the place of D, and every digest is mended.",
        why="What was not rendered has no place.",
        fails=("span",),
        change=_place_of_d,
    ),
    Kind(
        name="bound-moved",
        base=_BOUND,
        what="A row gives another place in the request, and every digest is mended.",
        why="A place in the request follows from span and segment.",
        fails=("bound",),
        change=mended(edit_row("B", ("bound", "start"), more)),
    ),
    Kind(
        name="bound-elsewhere",
        base=_RAJ,
        what="A row of the evidence points to the system text, and every digest is mended.",
        why="Evidence stands in the text of the user; to say otherwise raises its rank.",
        fails=("bound",),
        change=mended(put_row("issue-842", ("bound", "pointer"), "/system/0/text")),
    ),
    Kind(
        name="bound-left-out",
        base="ka2-2026-09-14",
        what="A row of a rendered item has no place in the request, and every digest is mended.",
        why="All that is rendered stands in the request.",
        fails=("bound",),
        change=mended(put_row("travel-v2", ("bound",), None)),
    ),
)
