"""`log`: recorded runs, the tables of one, its package, and the chained events."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from assembler.cli.main import Command, common_options
from assembler.cli.output import envelope, escape, lay_out, number, write_out, write_talk
from assembler.cli.run_view import (
    budget_lines,
    headline,
    ledger_lines,
    of_record,
    run_body,
    total_basis,
)
from assembler.cli.session import Session, open_session
from assembler.errors import EXIT_OK, UsageError
from assembler.front.places import find_workplace, state_folder
from assembler.model.counting import plural
from assembler.model.failure import spell_failure

FORMATS = ("text", "json", "jsonl")


@click.command(
    cls=Command,
    short_help="recorded runs, their tables and events",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.argument("run", required=False)
@click.option("--files", metavar="DIR", help="write the run's package to a new folder")
@click.option("--events", is_flag=True, help="the chained record, event by event; RUN: its own")
@click.option("--consume", metavar="DECISION", help="record that a later decision used items")
@click.option("--item", "items", multiple=True, metavar="ID", help="an item that it used")
@click.option("--all", "all_chains", is_flag=True, help="the runs of every repository")
@common_options(*FORMATS)
def command(**options: Any) -> int:
    """Show recorded runs; RUN is a number, `last`, or a package folder."""
    from assembler.adapters.store import Store

    session = open_session(options, formats=FORMATS)
    _refuse_conflicts(options)
    workplace = find_workplace(session.cwd)
    name = options["run"]
    with Store(state_folder(session.environment, workplace)) as store:
        if options["consume"] is not None or options["items"]:
            return _consume(session, store, workplace.chain_key, options)
        if options["events"]:
            return _show_events(session, store, workplace.chain_key, name)
        if name is None:
            if options["files"]:
                raise UsageError("run-missing", "--files wants a RUN", next_step="assembler log")
            chains = store.chains() if options["all_chains"] else (workplace.chain_key,)
            return _list_runs(session, store, chains, named=options["all_chains"])
        if options["files"] is not None:
            return _write_files(session, store, workplace.chain_key, name, options["files"])
        return _show_run(session, name)


def _refuse_conflicts(options: dict[str, Any]) -> None:
    """An option that would be dropped is refused."""
    given = {
        "--files": options["files"] is not None,
        "--events": options["events"],
        "--consume": options["consume"] is not None or bool(options["items"]),
        "--all": options["all_chains"],
    }
    named = [name for name, is_given in given.items() if is_given]
    if options["all_chains"] and options["run"] is not None:
        named.append("a RUN")
    if len(named) > 1:
        raise UsageError(
            "option-conflict", f"{' and '.join(named)} are two answers", next_step="give one"
        )


def _list_runs(session: Session, store: Any, chains: tuple[str, ...], *, named: bool) -> int:
    from assembler.front.records import list_runs, read_run

    documents: list[dict[str, Any]] = []
    cells: list[tuple[str, ...]] = [("", "run", "recorded", "input", "size", "note")]
    for chain in chains:
        for run in list_runs(store, chain):
            record = read_run(store, run)
            document = _document(run, record)
            documents.append({**document, "repository": chain} if named else document)
            cells.append(_cells(document, chain if named else None))
    if session.output_format == "json":
        write_out(envelope("assembler/log/1", EXIT_OK, {}, {"runs": documents}))
    elif session.output_format == "jsonl":
        write_out("".join(json.dumps(document) + "\n" for document in documents))
    elif documents:
        write_out("\n".join(lay_out(cells, right=(1, 4), color=session.color)) + "\n")
    else:
        write_out("No run on record here.\n")
    return EXIT_OK


def _document(run: Any, record: Any) -> dict[str, Any]:
    manifest, failure = record.manifest, record.failure
    return {
        "run": run.number,
        "state": run.state,
        "recorded_at": run.requested.recorded_at,
        "package_id": None if manifest is None else manifest["package_id"],
        "rendered_sha256": None if manifest is None else manifest["rendered"]["sha256"],
        "total": None if manifest is None else manifest["budget"]["total"],
        "envelope": None if manifest is None else manifest["budget"]["envelope"],
        "unit": None if manifest is None else manifest["budget"]["unit"],
        "basis": None if manifest is None else total_basis(of_record(record)),
        "failure": None if failure is None else {k: failure[k] for k in ("code", "detail")},
        "events": [event.to_json() for event in (run.requested, run.outcome) if event is not None],
    }


def _cells(document: dict[str, Any], chain: str | None) -> tuple[str, ...]:
    note = "" if chain is None else escape(chain)
    if document["failure"] is not None:
        note = f"{escape(spell_failure(document['failure']))}  {note}".rstrip()
    rendered = document["rendered_sha256"]
    return (
        document["state"],
        str(document["run"]),
        document["recorded_at"],
        "-" if rendered is None else rendered[:12],
        "-" if rendered is None else _spell_total(document),
        note,
    )


def _spell_total(document: dict[str, Any]) -> str:
    """A total never goes without its unit, and without how anybody came by it."""
    return f"{number(document['total'])} {plural(document['unit'])} {document['basis']}"


def _show_run(session: Session, name: str) -> int:
    from assembler.cli.event_view import consumption_lines
    from assembler.front.consuming import find_unseen
    from assembler.front.reading import read_with_consumptions

    record, consumptions = read_with_consumptions(
        name, cwd=session.cwd, environment=session.environment
    )
    if record.manifest is None:
        return _show_failure(session, record)
    unseen = find_unseen(consumptions)
    facts = of_record(record, findings=[finding.to_json() for finding in unseen])
    if session.output_format == "json":
        consumed = [item._asdict() for item in consumptions]
        body = {**run_body(facts, None), "consumed": consumed}
        write_out(envelope("assembler/run/1", EXIT_OK, {}, body))
    elif session.output_format == "jsonl":
        write_out("".join(json.dumps(row) + "\n" for row in record.rows))
    else:
        lines = [headline(facts), *budget_lines(facts), ""]
        lines += ledger_lines(facts, color=session.color, whole=True)
        lines += ["", *consumption_lines(consumptions), *map(_finding_line, unseen)]
        lines += [*([""] if consumptions else []), *_identity_lines(record.manifest)]
        write_out("\n".join(lines) + "\n")
    return EXIT_OK


def _identity_lines(manifest: dict[str, Any]) -> list[str]:
    names = ("package_id", "trace_id", "content_id")
    lines = [f"{name:<12} {manifest[name]}" for name in names]
    for name in ("rendered", "request"):
        lines.append(f"{name:<12} {manifest[name]['sha256']}  {manifest[name]['file']}")
    return lines


def _show_failure(session: Session, record: Any) -> int:
    if session.output_format == "text":
        if record.failure is None:
            write_out(f"Run {record.number} was interrupted: it has a request and no outcome.\n")
        else:
            words = escape(spell_failure(record.failure))
            write_out(f"Run {record.number} failed: {words}\nNo package was made.\n")
    else:
        body = {"run": record.number, "failure": record.failure}
        write_out(_spell_body(session, "assembler/run/1", body))
    return EXIT_OK


def _show_events(session: Session, store: Any, chain: str, name: str | None) -> int:
    from assembler.cli.event_view import events_of_run, show_events
    from assembler.front.records import find_run, runs_of

    events = store.events(chain)
    if name is not None:
        events = events_of_run(store, events, find_run(runs_of(events), name))
    return show_events(store, events, session.output_format)


def _consume(session: Session, store: Any, chain: str, options: dict[str, Any]) -> int:
    from assembler.adapters.clock import utc_now
    from assembler.cli.event_view import consumption_lines
    from assembler.front.consuming import consume, find_unseen

    name, ids = options["run"], options["items"]
    if name is None or options["consume"] is None or not ids:
        raise UsageError(
            "option-conflict",
            "--consume DECISION and --item ID go together, with a RUN",
            next_step='assembler log RUN --consume "what was decided" --item ID',
        )
    consumptions = consume(
        store, chain, name, identifiers=ids, decision=options["consume"], clock=utc_now
    )
    findings = find_unseen(consumptions)
    if session.output_format == "text":
        lines = [*consumption_lines(consumptions), *map(_finding_line, findings)]
        write_out("\n".join(lines) + "\n")
        return EXIT_OK
    body = {
        "consumed": [item._asdict() for item in consumptions],
        "findings": [finding.to_json() for finding in findings],
    }
    write_out(_spell_body(session, "assembler/consumed/1", body))
    return EXIT_OK


def _spell_body(session: Session, schema: str, body: dict[str, Any]) -> str:
    """One document, or one line where lines were asked for."""
    if session.output_format == "jsonl":
        return json.dumps(body) + "\n"
    return envelope(schema, EXIT_OK, {}, body)


def _finding_line(finding: Any) -> str:
    return escape(f"{finding.code} {finding.slug}   {finding.message}")


def _write_files(session: Session, store: Any, chain: str, name: str, folder: str) -> int:
    from assembler.front.package_folder import write_folder
    from assembler.front.records import find_run, list_runs, package_files

    files = package_files(store, find_run(list_runs(store, chain), name))
    write_folder(Path(session.cwd / folder), files)
    if not session.quiet:
        write_talk(f"Wrote {len(files)} files to {escape(folder)}")
    return EXIT_OK
