"""`explain`: an item of a run, a path of the present tree, or a finding code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from assembler.cli.event_view import consumption_lines
from assembler.cli.main import Command, common_options
from assembler.cli.output import envelope, escape, number, write_out
from assembler.cli.row_view import row_code, row_note, row_state
from assembler.cli.session import Session, open_session
from assembler.errors import EXIT_OK, UsageError
from assembler.model.catalogue import Explanation, explain_code
from assembler.model.reason_texts import REASONS

if TYPE_CHECKING:
    from assembler.front.consuming import Consumption
    from assembler.front.records import RunRecord

FORMATS = ("text", "json")
_STATES = ("available", "eligible", "selected", "rendered", "bound")


@click.command(
    cls=Command,
    short_help="why an item or a path is in or out",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.argument("name", metavar="[ITEM|PATH|CODE]", required=False)
@click.option("--run", metavar="RUN", help="ask a recorded run: number, `last`, or a folder")
@click.option("-t", "--target", "targets", multiple=True, metavar="PATH", help="a file to work on")
@click.option("-p", "--profile", metavar="NAME|FILE", help="whose read grant to ask")
@click.option("--host", metavar="FILE", help="the host manifest")
@click.option("--at", default="worktree", metavar="worktree|index|REV", help="what is read")
@common_options(*FORMATS)
def command(**options: Any) -> int:
    """Say why something is in or out: an item of a run, a path here, or a finding's code.

    With --run alone: what was available, what was selected, what text stands in the request.
    """
    session = open_session(options, formats=FORMATS)
    name = options["name"]
    if name is None:
        if options["run"] is None:
            raise UsageError(
                "item-missing", "explain what?", next_step="assembler explain ITEM --run last"
            )
        _show_lists(session, options["run"])
        return EXIT_OK
    explanation = explain_code(name) if options["run"] is None else None
    reason = _explain_word(name) if options["run"] is None else None
    if explanation is not None:
        _show_code(session, explanation)
    elif reason is not None:
        _show_word(session, name, *reason)
    elif options["run"] is not None:
        _show_item(session, name, options["run"])
    else:
        _show_path(session, options)
    return EXIT_OK


def _show_code(session: Session, found: Explanation) -> None:
    if session.output_format == "json":
        write_out(envelope("assembler/explain/1", EXIT_OK, {}, {"finding": found._asdict()}))
        return
    write_out(
        f"{found.code} {found.slug}   {found.severity}\n"
        f"  meaning   {found.meaning}\n"
        f"  why       {found.why}\n"
        f"  example   {found.example}\n"
        f"  fix       {found.fix}\n"
    )


def _explain_word(name: str) -> tuple[str, str, str] | None:
    """What kind of word it is, its meaning and its fix: of a reason of rows, or of a refusal."""
    from assembler.model.refusal_texts import REFUSALS

    if name in REASONS:
        return ("reason", *REASONS[name])
    return ("refusal", *REFUSALS[name]) if name in REFUSALS else None


def _show_word(session: Session, name: str, kind: str, meaning: str, fix: str) -> None:
    if session.output_format == "json":
        body = {kind: {"name": name, "meaning": meaning, "fix": fix}}
        write_out(envelope("assembler/explain/1", EXIT_OK, {}, body))
        return
    label = "a reason of ledger rows" if kind == "reason" else "a refusal (exit 3)"
    write_out(f"{name}   {label}\n  meaning   {meaning}\n  fix       {fix}\n")


def _show_lists(session: Session, run: str) -> None:
    from assembler.cli.run_lists import lists_text, run_lists
    from assembler.front.reading import read_objective

    record, _ = _read_record(session, run)
    objective = read_objective(run, cwd=session.cwd, environment=session.environment)
    if session.output_format == "json":
        body = {"run": record.number, **run_lists(record.rows, objective)}
        write_out(envelope("assembler/explain/1", EXIT_OK, {"run": run}, body))
        return
    label = escape(run) if record.number is None else f"Run {record.number}"
    assert record.manifest is not None  # it has a package
    heading = f"{label}   package {record.manifest['package_id'][:12]}"
    write_out(lists_text(record.rows, objective, heading=heading, color=session.color))


def _read_record(session: Session, run: str) -> tuple[RunRecord, Sequence[Consumption]]:
    """The record of a run that has a package, and what later decisions used of it."""
    from assembler.front.reading import read_with_consumptions, require_package

    record, consumptions = read_with_consumptions(
        run, cwd=session.cwd, environment=session.environment
    )
    require_package(record)
    return record, consumptions


def _show_item(session: Session, name: str, run: str) -> None:
    from assembler.front import records

    record, consumptions = _read_record(session, run)
    rows = records.find_rows(record.rows, name)
    if len(rows) != 1:
        raise _no_single_row(name, run, [row["id"] for row in rows or record.rows], found=rows)
    row = rows[0]
    if session.output_format == "json":
        consumed = [item._asdict() for item in consumptions if item.id == row["id"]]
        body = {**_item_body(row), "consumed": consumed}
        write_out(envelope("assembler/explain/1", EXIT_OK, {"run": run}, body))
    else:
        position = [other["id"] for other in record.rows].index(row["id"]) + 1
        label = "" if record.number is None else f"run {record.number}, "
        text = item_text(row, f"{label}ledger row {position}")
        used = [item for item in consumptions if item.id == row["id"]]
        text += "".join(f"  {line}\n" for line in consumption_lines(used))
        write_out(text)


def _item_body(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "item": row["id"],
        "states": row["states"],
        "state": row_state(row),
        "decision": row["decision"],
        "reason": row["reason"],
        "code": row_code(row),
        "detail": row["detail"],
        "instead": row["refreshed_by"],
        "row": dict(row),
    }


def item_text(row: Mapping[str, Any], place: str) -> str:
    """The five states, each answered; then what stands in its place."""
    head = f"{escape(row['id'])}   {row_state(row).upper()}   {row_code(row)}"
    states = row["states"]
    notes = {
        "available": row["discovered_by"] or "offered",
        "eligible": "" if states["eligible"] else row_note(row, {}),
        "selected": row_note(row, {}) if states["eligible"] else "",
        "rendered": _place(row["span"]),
        "bound": "" if row["bound"] is None else str(row["bound"]["pointer"]),
    }
    told = [state for state in _STATES if states[state] or notes[state]]
    lines = [f"{head}   {place}"]
    for state in told:
        answer = "yes" if states[state] else "no"
        lines.append(f"  {state:<11} {answer:<4} {escape(notes[state])}".rstrip())
    rest = [f"{state} no" for state in _STATES if state not in told]
    lines.append("  " + "   ".join([*rest, "received not observable from here"]))
    if row["cost"] is not None:
        lines.append(f"  cost        {number(row['cost'])}")
    if row["refreshed_by"] is not None:
        lines.append(f"  instead     {escape(row['refreshed_by'])}")
    if row_state(row) != "in" and row["refreshed_by"] is None:
        finding = explain_code(row_code(row))
        reason = REASONS.get(row_code(row)) or REASONS.get(row["reason"])
        fix = finding.fix if finding is not None else reason[1] if reason is not None else None
        lines += [] if fix is None else [f"fix: {fix}"]
    return "\n".join(lines) + "\n"


def _place(span: Mapping[str, Any] | None) -> str:
    return "" if span is None else f"bytes {span['start']:,} to {span['end']:,}"


def _no_single_row(
    name: str, run: str, ids: list[str], *, found: list[dict[str, Any]]
) -> UsageError:
    from assembler.front.records import not_offered

    if found:
        return UsageError(
            "item-ambiguous",
            f"{name} names {len(found)} items: {', '.join(ids)}",
            where=name,
            next_step="give the whole id",
        )
    return not_offered(name, run, ids)


def _show_path(session: Session, options: Mapping[str, Any]) -> None:
    from assembler.front.explaining import explain_path

    answer = explain_path(
        options["name"],
        session.cwd,
        environment=session.environment,
        at=options["at"],
        targets=options["targets"],
        profile=options["profile"],
        host=session.resolve(options["host"]),
    )
    if session.output_format == "json":
        body = {
            "item": answer.path,
            "state": answer.state,
            "reason": answer.reason,
            "detail": {"text": answer.text},
            "fix": answer.fix,
        }
        inputs = {"at": options["at"], "revision": answer.revision}
        write_out(envelope("assembler/explain/1", EXIT_OK, inputs, body))
        return
    lines = [f"{escape(answer.path)}   {answer.state.upper()}   {answer.reason}"]
    lines.append(f"  {escape(answer.text)}")
    if answer.fix is not None:
        lines.append(f"fix: {escape(answer.fix)}")
    write_out("\n".join(lines) + "\n")
