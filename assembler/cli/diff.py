"""`diff`: two runs or packages side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from assembler.cli.main import Command, common_options
from assembler.cli.output import envelope, escape, lay_out, number, write_out
from assembler.cli.row_view import row_note, row_state
from assembler.cli.session import Session, open_session
from assembler.errors import EXIT_FINDINGS, EXIT_OK
from assembler.model.counting import plural

if TYPE_CHECKING:
    from assembler.compare import Change, Comparison

FORMATS = ("text", "json")
_MARKS: Final = {"added": "A", "removed": "D"}
"""Of the other kinds of change it is M."""


@click.command(
    cls=Command,
    short_help="two runs or packages side by side",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.argument("old", metavar="RUN")
@click.argument("new", metavar="RUN")
@click.option("--exit-code", is_flag=True, help="exit 1 where they differ")
@common_options(*FORMATS)
def command(**options: Any) -> int:
    """Compare two runs: a RUN is a number, `last`, or a package folder."""
    from assembler.compare import compare

    session = open_session(options, formats=FORMATS)
    old, new = (_read(session, options[name]) for name in ("old", "new"))
    found = compare(*old, *new)
    code = EXIT_FINDINGS if options["exit_code"] and not found.is_identical else EXIT_OK
    names = (options["old"], options["new"])
    if session.output_format == "json":
        write_out(envelope("assembler/diff/1", code, {}, _body(found, names)))
    else:
        unit = plural(new[0]["budget"]["unit"])
        write_out("\n".join(_lines(found, names, unit, color=session.color)) + "\n")
    return code


def _read(session: Session, name: str) -> tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]]:
    """Manifest and rows of a run that has a package."""
    from assembler.front.reading import read_any_run, require_package

    record = require_package(read_any_run(name, cwd=session.cwd, environment=session.environment))
    assert record.manifest is not None  # required just now
    return record.manifest, record.rows


def _lines(found: Comparison, names: tuple[str, str], unit: str, *, color: bool) -> list[str]:
    old, new = (f"run {name}" if name.isdecimal() else escape(name) for name in names)
    identities = [
        (name, f"{one[:12]} =" if one == other else f"{one[:12]} -> {other[:12]}")
        for name, (one, other) in found.identities.items()
    ]
    lines = [
        f"{old} -> {new}: {found.verdict}",
        *(f"  {line}" for line in lay_out(identities, color=False)),
    ]
    rows = [
        (_MARKS.get(change.what, "M"), escape(change.id), _words(change, unit))
        for change in found.changes
    ]
    lines += lay_out(rows, color=color) if rows else []
    lines += [f"=  {found.unchanged} the same"] if found.unchanged else []
    lines += [
        f"budget {name}: {_figure(one)} -> {_figure(other)}"
        for name, (one, other) in found.budget.items()
    ]
    return lines


def _words(change: Change, unit: str) -> str:
    old, new = change.old, change.new
    if old is None or new is None:
        row = new if old is None else old
        assert row is not None  # one of the two is there
        return f"{change.what}: {row_state(row)}, {escape(row_note(row, {}))}".rstrip(", ")
    match change.what:
        case "moved":
            came_in = new["decision"] == "selected"
            note = escape(row_note(old if came_in else new, {}))
            return f"{row_state(old)} -> {row_state(new)}; {'was ' if came_in else ''}{note}"
        case "content":
            text = f"content {_short(old)} -> {_short(new)}"
            text += f", {_bytes(old)} -> {_bytes(new)} bytes"
            same = old["cost"] == new["cost"]
            return text if same else text + f", {_cost(old)} -> {_cost(new)} {unit}"
        case "reason":
            return f"{old['reason']} -> {escape(row_note(new, {}))}"
        case "size":
            return f"size {_size(old)} -> {_size(new)}, cost {_cost(old)} -> {_cost(new)} {unit}"
        case "sums":
            if old["reason"] == "fits":
                return f"sums {_sum(old)} -> {_sum(new)} {unit}"
            return f"sums {escape(row_note(old, {}))} -> {escape(row_note(new, {}))}"
        case _:
            return f"metadata: {', '.join(change.members)}"


def _short(row: Mapping[str, Any]) -> str:
    return "none" if row["content_sha256"] is None else str(row["content_sha256"][:12])


def _bytes(row: Mapping[str, Any]) -> str:
    return number(row["content_bytes"])


def _cost(row: Mapping[str, Any]) -> str:
    return number(row["cost"])


def _size(row: Mapping[str, Any]) -> str:
    size = row["size"]
    return "measured" if size is None else f"{number(size['value'])} {size['basis']}"


def _sum(row: Mapping[str, Any]) -> str:
    detail = row["detail"]
    return f"{number(detail['used_after'])} of {number(detail['limit'])}"


def _figure(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_figure(item)}" for name, item in value.items()) or "none"
    return number(value) if isinstance(value, int) else escape(str(value))


def _body(found: Comparison, names: tuple[str, str]) -> dict[str, Any]:
    return {
        "from": names[0],
        "to": names[1],
        "verdict": found.verdict,
        "identities": {
            name: {"from": one, "to": other, "same": one == other}
            for name, (one, other) in found.identities.items()
        },
        "changes": [_change_body(change) for change in found.changes],
        "unchanged": found.unchanged,
        "budget": {name: {"from": one, "to": other} for name, (one, other) in found.budget.items()},
    }


def _change_body(change: Change) -> dict[str, Any]:
    return {
        "what": change.what,
        "id": change.id,
        "members": list(change.members),
        "from": None if change.old is None else _side(change.old),
        "to": None if change.new is None else _side(change.new),
    }


def _side(row: Mapping[str, Any]) -> dict[str, Any]:
    names = ("decision", "reason", "detail", "cost", "content_sha256", "content_bytes")
    return {"state": row_state(row), **{name: row[name] for name in names}}
