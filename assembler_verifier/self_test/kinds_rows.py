"""Kinds of corruption of the rows of the ledger, and of what they say of their items."""

from __future__ import annotations

from typing import Any

from assembler_verifier.folder import LEDGER
from assembler_verifier.self_test.changes import (
    edit_row,
    mended,
    other_digit,
    put_row,
)
from assembler_verifier.self_test.draft import Draft
from assembler_verifier.self_test.kind import Change, Kind

_BOUND = "codeai-16-bound"
_RAJ = "raj-declared"


def _rows(change: Any) -> Change:
    def apply(draft: Draft) -> None:
        draft.write(LEDGER, change(draft.read(LEDGER)))

    return mended(apply)


def _without(item: str) -> Change:
    return _rows(lambda rows: [row for row in rows if row["id"] != item])


def _stranger(rows: Any) -> Any:
    sealed = next(row for row in rows if row["id"] == "E")
    return [*rows, {**sealed, "id": "Z"}]


def _last_two_exchanged(rows: Any) -> Any:
    return [*rows[:-2], rows[-1], rows[-2]]


ROW_KINDS = (
    Kind(
        name="row-of-a-required-item-left-out",
        base=_BOUND,
        what="The row of B, which is required and was rendered, is gone; digests are mended.",
        why="Every offered item has a row; nothing vanishes.",
        fails=("ledger-rows",),
        change=_without("B"),
    ),
    Kind(
        name="row-of-a-denied-item-left-out",
        base=_RAJ,
        what="The row of a denied file is gone, and every digest is mended.",
        why="That access was denied is part of the account.",
        fails=("ledger-rows",),
        change=_without(".env.production"),
    ),
    Kind(
        name="row-of-a-stranger",
        base=_BOUND,
        what="A row stands there for an item that was never offered; digests are mended.",
        why="Offered is selected plus rejected, and no more.",
        fails=("ledger-rows",),
        change=_rows(_stranger),
    ),
    Kind(
        name="row-twice",
        base=_BOUND,
        what="The row of C stands there twice, and every digest is mended.",
        why="An item is decided once.",
        fails=("ledger-order", "ledger-rows"),
        because="a second row is neither the one row of its item nor in order",
        change=_rows(lambda rows: [*rows, rows[-1]]),
    ),
    Kind(
        name="rows-exchanged",
        base=_BOUND,
        what="Two rows stand in another order, and every digest is mended.",
        why="Rows stand in canonical order, so that one run has one ledger.",
        fails=("ledger-order",),
        change=_rows(_last_two_exchanged),
    ),
    Kind(
        name="rows-reversed",
        base="ka2-2026-09-14",
        what="All rows stand in reversed order, and every digest is mended.",
        why="Rows stand in canonical order, so that one run has one ledger.",
        fails=("ledger-order",),
        change=_rows(lambda rows: rows[::-1]),
    ),
    Kind(
        name="row-digest",
        base=_BOUND,
        what="A row names another content, and every digest is mended.",
        why="A row says of an item what the inventory says of it.",
        fails=("row-fields",),
        change=mended(edit_row("B", ("content_sha256",), other_digit)),
    ),
    Kind(
        name="row-trust-raised",
        base=_RAJ,
        what="A row calls an untrusted issue authorized, and every digest is mended.",
        why="Who vouches for an item is told by its source, not by its row.",
        fails=("row-fields",),
        change=mended(put_row("issue-842", ("trust",), "authorized")),
    ),
    Kind(
        name="row-not-required",
        base=_BOUND,
        what="A row says that B was not required, and every digest is mended.",
        why="A row says of an item what the inventory says of it.",
        fails=("row-fields",),
        change=mended(put_row("B", ("required",), False)),
    ),
    Kind(
        name="denied-item-granted",
        base=_RAJ,
        what="The row of a denied file says that access was granted; digests are mended.",
        why="Access follows from why the content is absent.",
        fails=("row-fields",),
        change=mended(put_row(".env.production", ("access",), "granted")),
    ),
    Kind(
        name="denied-item-measured",
        base=_RAJ,
        what="The row of a denied file has a digest and a length; digests are mended.",
        why="A denied file is never opened, so nothing of it is known.",
        fails=("row-fields",),
        change=mended(
            put_row(".env.production", ("content_sha256",), "0" * 64),
            put_row(".env.production", ("content_bytes",), 7),
        ),
    ),
    Kind(
        name="consumed-by-filled",
        base=_BOUND,
        what="A row says what consumed its item, and every digest is mended.",
        why="Consumption is an event of its own; rows are never rewritten.",
        fails=("consumed-by",),
        change=mended(put_row("B", ("consumed_by",), "0" * 64)),
    ),
)
