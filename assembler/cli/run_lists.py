"""A run as three lists: what was available, what was selected, what text stands in the request.

And the channels that no seal covers: a seal sees ids and declared lineage, never words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from assembler.cli.output import escape, lay_out, number
from assembler.cli.row_view import row_note, row_state

_CHANNELS: Final = (
    ("objective", "task", ("task",)),
    ("question", "task", ("question",)),
    ("work record", "work", None),
    ("examples", "task", ("example",)),
)
"""Name, section and kinds of what people write in words; None: every kind of the section."""


def run_lists(rows: Sequence[Mapping[str, Any]], objective: str | None) -> dict[str, Any]:
    """The three lists and the open channels, as JSON values.

    Args:
        rows: of the ledger, in canonical order.
        objective: the id of the run's objective, where it is known.
    """
    return {
        "available": [_available(row) for row in rows],
        "selected": [
            {"id": row["id"], "section": row["section"], "cost": row["cost"]}
            for row in rows
            if row["states"]["selected"]
        ],
        "in_request": [
            {"id": row["id"], "span": row["span"], "bound": row["bound"]}
            for row in rows
            if row["states"]["bound"]
        ],
        "received": "not-observable",
        "channels_no_seal_covers": {
            name: _items_of(rows, section, kinds, objective if name == "objective" else None)
            for name, section, kinds in _CHANNELS
        },
    }


def lists_text(
    rows: Sequence[Mapping[str, Any]], objective: str | None, *, heading: str, color: bool
) -> str:
    """The same for a person."""
    lists = run_lists(rows, objective)
    stopped = {row["id"]: row for row in rows if not row["states"]["selected"]}
    available = [
        (
            row_state(row),
            escape(row["id"]),
            row["kind"],
            "-" if row["size"] is None else f"{number(row['size']['value'])} {_unit(row['size'])}",
            "" if row["id"] not in stopped else escape(row_note(row, {})),
        )
        for row in rows
    ]
    selected = [("in", escape(row["id"]), number(row["cost"])) for row in lists["selected"]]
    bound = [("in", escape(row["id"]), _place(row)) for row in lists["in_request"]]
    blocks = [
        heading,
        f"available   {len(rows)} offered",
        *_indented(available, right=(3,), color=color),
        f"selected    {len(selected)}",
        *_indented(selected, right=(2,), color=color),
        f"in the request   {len(bound)} as text or tools, at these bytes",
        *_indented(bound, color=color),
        "received    not observable from here",
        "no seal covers what people write in words: "
        + "; ".join(
            f"{name} ({', '.join(map(escape, ids)) if ids else 'none here'})"
            for name, ids in lists["channels_no_seal_covers"].items()
        ),
    ]
    return "\n".join(blocks) + "\n"


def _available(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": row["id"],
        "kind": row["kind"],
        "section": row["section"],
        "trust": row["trust"],
        "size": row["size"],
        "lineage": row["lineage"],
        "required": row["required"],
        "state": row_state(row),
    }


def _items_of(
    rows: Sequence[Mapping[str, Any]],
    section: str,
    kinds: Sequence[str] | None,
    identifier: str | None,
) -> list[str]:
    """Ids of the selected items through which words of a person reach the model."""
    return [
        row["id"]
        for row in rows
        if row["states"]["selected"]
        and (
            row["id"] == identifier
            or (row["section"] == section and (kinds is None or row["kind"] in kinds))
        )
    ]


def _unit(size: Mapping[str, Any]) -> str:
    """The unit, and whether somebody declared or only estimated it."""
    return f"{size['unit']}s {size['basis']}"


def _place(row: Mapping[str, Any]) -> str:
    bound = row["bound"]
    if bound["start"] is None:
        return str(bound["pointer"])
    return f"{bound['pointer']} bytes {number(bound['start'])} to {number(bound['end'])}"


def _indented(
    rows: Sequence[Sequence[str]], *, right: Sequence[int] = (), color: bool
) -> list[str]:
    return [f"  {line}" for line in lay_out(rows, right=right, color=color)] if rows else []
