"""What the model reads of each item of a run, out of the rendered bytes and the ledger's spans."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def item_texts(rendered: bytes, rows: Iterable[Mapping[str, Any]]) -> dict[str, bytes]:
    """The bytes between an item's header and its end, as the model reads them, by id.

    Args:
        rendered: the whole input.
        rows: of its ledger.
    """
    return {row["id"]: rendered[slice(*span)] for row in rows if (span := _body(row)) is not None}


def _body(row: Mapping[str, Any]) -> tuple[int, int] | None:
    """Where the body stands; None where nothing is rendered, or a foreign row says nothing of it.

    `verify` is what judges a package; a comparison takes it as it is.
    """
    span = row["span"]
    if not isinstance(span, dict):
        return None
    start, end = span.get("body_start"), span.get("body_end")
    return (start, end) if isinstance(start, int) and isinstance(end, int) else None
