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
from assembler.model.reason_texts import REASONS, fix_of_denial

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
@click.option("-m", "--message", metavar="TEXT", help="the objective of a task to ask about")
@click.option("--task", "task_file", metavar="FILE|-", help="a task, whose sources are asked")
@click.option("--now", metavar="TIME", help="with a task: reference time for expiry")
@click.option("--source", is_flag=True, help="with --run: the item's source, read again")
@click.option("-p", "--profile", metavar="NAME|FILE", help="whose read grant to ask")
@click.option("--host", metavar="FILE", help="the host manifest")
@click.option("--at", default="worktree", metavar="worktree|index|REV", help="what is read")
@common_options(*FORMATS)
def command(**options: Any) -> int:
    """Say why something is in or out: an item of a run, a path here, or a finding's code.

    With --run alone: what was available, what was selected, what text stands in the request.
    With --task or -m: what a run of that task would make of it; nothing is recorded.
    """
    session = open_session(options, formats=FORMATS)
    name = options["name"]
    _require_fitting(options)
    if name is None:
        if options["run"] is None:
            raise UsageError(
                "item-missing", "explain what?", next_step="assembler explain ITEM --run last"
            )
        _show_lists(session, options["run"])
        return EXIT_OK
    is_word = options["run"] is None and not _has_task(options)
    explanation = explain_code(name) if is_word else None
    reason = _explain_word(name) if is_word else None
    if explanation is not None:
        _show_code(session, explanation)
    elif reason is not None:
        _show_word(session, name, *reason)
    elif options["source"]:
        _show_source(session, options)
    elif options["run"] is not None:
        _show_item(session, name, options["run"])
    else:
        _show_path_or_hint(session, options)
    return EXIT_OK


def _has_task(options: Mapping[str, Any]) -> bool:
    return options["message"] is not None or options["task_file"] is not None


def _require_fitting(options: Mapping[str, Any]) -> None:
    """Refuse options that would be passed over without a word."""
    if options["source"] and (options["run"] is None or options["name"] is None):
        raise UsageError(
            "option-conflict",
            "--source is of an item of a run",
            next_step="assembler explain ITEM --run last --source",
        )
    if options["now"] is not None and not _has_task(options):
        raise UsageError(
            "option-conflict",
            "--now is for a task: what is recorded has its own time",
            next_step="give --task FILE or -m TEXT",
        )
    if options["run"] is not None and _has_task(options):
        raise UsageError(
            "option-conflict",
            "a recorded run has a task of its own",
            next_step="leave --run out, or --task and -m",
        )


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
    record, consumptions = _read_record(session, run)
    row = _find_row(record, name, run)
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


def _find_row(record: RunRecord, name: str, run: str) -> dict[str, Any]:
    """The one row that a name means.

    Raises:
        UsageError: `item-missing`, `item-ambiguous`.
    """
    from assembler.front import records

    rows = records.find_rows(record.rows, name)
    if len(rows) != 1:
        raise _no_single_row(name, run, [row["id"] for row in rows or record.rows], found=rows)
    return rows[0]


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
    return "\n".join([f"{head}   {place}", *row_lines(row)]) + "\n"


def row_lines(row: Mapping[str, Any]) -> list[str]:
    """The five states, the cost, what stands in its place, and the fix; a line each."""
    states = row["states"]
    notes = {
        "available": row["discovered_by"] or "offered",
        "eligible": "" if states["eligible"] else row_note(row, {}),
        "selected": row_note(row, {}) if states["eligible"] else "",
        "rendered": _place(row["span"]),
        "bound": "" if row["bound"] is None else str(row["bound"]["pointer"]),
    }
    told = [state for state in _STATES if states[state] or notes[state]]
    lines = []
    for state in told:
        answer = "yes" if states[state] else "no"
        lines.append(f"  {state:<11} {answer:<4} {escape(notes[state])}".rstrip())
    rest = [f"{state} no" for state in _STATES if state not in told]
    lines.append("  " + "   ".join([*rest, "received not observable from here"]))
    if row["cost"] is not None:
        lines.append(f"  cost        {number(row['cost'])}")
    if row["refreshed_by"] is not None:
        lines.append(f"  instead     {escape(row['refreshed_by'])}")
    fix = fix_of(row)
    lines += [] if fix is None else [f"fix: {fix}"]
    return lines


def fix_of(row: Mapping[str, Any]) -> str | None:
    """What to do about a row that is out, with nothing in its place."""
    if row_state(row) == "in" or row["refreshed_by"] is not None:
        return None
    if row["reason"] == "access-denied":
        return fix_of_denial(row["detail"]["rule"])
    finding = explain_code(row_code(row))
    reason = REASONS.get(row_code(row)) or REASONS.get(row["reason"])
    return finding.fix if finding is not None else reason[1] if reason is not None else None


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


def _show_path_or_hint(session: Session, options: Mapping[str, Any]) -> None:
    """A path; what is none and begins as a code does is told as one that nobody has.

    Raises:
        UsageError: `code-unknown`, or as the path says.
    """
    name = options["name"]
    try:
        _show_path(session, options)
    except UsageError as error:
        if error.code != "path-missing" or not name.upper().startswith("ASM"):
            raise
        from assembler.front.finding_codes import hint_at_codes

        raise UsageError(
            "code-unknown",
            f"no such code, and no such path: {name}",
            where=name,
            next_step=hint_at_codes(name),
        ) from None


def _show_path(session: Session, options: Mapping[str, Any]) -> None:
    from assembler.cli.path_view import path_body, path_text
    from assembler.cli.task_input import read_task_input
    from assembler.front.explaining import explain_path

    answer = explain_path(
        options["name"],
        session.cwd,
        environment=session.environment,
        at=options["at"],
        targets=options["targets"],
        profile=options["profile"],
        host=session.resolve(options["host"]),
        task=read_task_input(session, options) if _has_task(options) else None,
        now=options["now"],
    )
    if session.output_format == "json":
        inputs = {"at": options["at"], "revision": answer.revision}
        write_out(envelope("assembler/explain/1", EXIT_OK, inputs, path_body(answer)))
        return
    write_out(path_text(answer))


def _show_source(session: Session, options: Mapping[str, Any]) -> None:
    from assembler.cli.source_view import source_body, source_text
    from assembler.front.item_source import read_item_source

    row = _find_row(_read_record(session, options["run"])[0], options["name"], options["run"])
    found = read_item_source(
        row,
        options["run"],
        session.cwd,
        environment=session.environment,
        profile=options["profile"],
        host=session.resolve(options["host"]),
    )
    if session.output_format == "json":
        inputs = {"run": options["run"]}
        write_out(envelope("assembler/explain/1", EXIT_OK, inputs, source_body(row, found)))
        return
    write_out(source_text(row, found))
