"""`assemble`: compile the input of one run, from a repository or from an inventory."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from assembler.cli.main import Command, common_options
from assembler.cli.output import escape, write_bytes, write_out, write_talk
from assembler.cli.row_view import row_note
from assembler.cli.session import Session, open_session
from assembler.cli.task_input import read_stdin, read_task_input
from assembler.errors import EXIT_OK, UsageError

if TYPE_CHECKING:
    from assembler.front.assembling import AssembledRun
    from assembler.front.continuing import Continuation
    from assembler.front.recording import Wanted

FORMATS = ("text", "json", "jsonl", "input", "request")
APIS = ("text", "openai-responses", "openai-chat", "anthropic-messages")


@click.command(
    cls=Command,
    short_help="compile the input of one run",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option("-t", "--target", "targets", multiple=True, metavar="PATH", help="file to work on")
@click.option("-m", "--message", metavar="TEXT", help="the objective")
@click.option("--task", "task_file", metavar="FILE|-", help="a task file, or plain text")
@click.option("--inventory", "inventory_file", metavar="FILE|-", help="the second door")
@click.option("-p", "--profile", metavar="NAME|FILE", help="how the input is made")
@click.option("--host", metavar="FILE", help="the host manifest")
@click.option("--at", metavar="worktree|index|REV", help="what is read; default: worktree")
@click.option("--policy-from", metavar="REV", help="policy of exactly REV; default: as --at")
@click.option("--locked", is_flag=True, help="refuse where policy is not what the lock has")
@click.option("--now", metavar="TIME", help="reference time for expiry")
@click.option("--api", type=click.Choice(APIS), help="the request's form; default: text")
@click.option("--model", metavar="NAME", help="the model, for the request")
@click.option("--out", metavar="DIR", help="a folder for the package, new or empty")
@click.option("--variants", metavar="DIR", help="a contract's evidence in other places, to compare")
@click.option("--continue", "continued", metavar="RUN", help="keep the pins of an earlier run")
@click.option("--because", metavar="TEXT", help="why changed pins may enter a continued run")
@common_options(*FORMATS)
def command(**options: Any) -> int:
    """Compile the input of one run, with a ledger of everything that is in or out.

    The task is -m TEXT, --task FILE, or standard input.
    """
    session = open_session(options, formats=FORMATS)
    if options["inventory_file"] is not None:
        return _from_inventory(session, options)
    return _from_repository(session, options)


def _from_repository(session: Session, options: dict[str, Any]) -> int:
    from assembler.front.assembling import assemble_repository

    task = read_task_input(session, options)
    run = assemble_repository(
        session.cwd,
        task,
        environment=session.environment,
        at=options["at"] or "worktree",
        policy_from=options["policy_from"],
        targets=options["targets"],
        profile=options["profile"],
        host=session.resolve(options["host"]),
        now=options["now"],
        api=options["api"] or "text",
        model=options["model"],
        locked=options["locked"],
        wanted=_wanted(session, options),
    )
    from assembler.cli import run_view

    view = run_view.of_assembled(run)
    _print(session, view, out=options["out"], variants=options["variants"])
    for line in left_out_lines(run):
        write_talk(line)
    if session.output_format != "text":
        for line in run_view.loss_lines(view.facts):
            write_talk(f"warning: {line}")
        for line in finding_lines(run):
            write_talk(line)
    if session.output_format == "text" and options["profile"] is None:
        session.hint("`--format input` prints exactly these bytes, to pipe into your agent")
    return EXIT_OK


def left_out_lines(run: AssembledRun) -> list[str]:
    """What the invoker named and the input does not hold: said on stderr, whatever the format."""
    rows = run.recorded.package.rows
    lines = []
    for target in run.targets:
        about = [row for row in rows if _is_of(row, target)]
        if not about:
            lines.append(f"warning: target {escape(target)} is no file: its files are only listed")
        elif all(row["decision"] != "selected" for row in about):
            lines.append(f"warning: target {escape(target)} is not in: {row_note(about[0], {})}")
    for row in rows:
        if _is_wanted_and_gone(row):
            lines.append(f"warning: {escape(row['id'])} is not in: {escape(row_note(row, {}))}")
    ids = {row["id"] for row in rows} | {name for row in rows for name in row["lineage"]}
    for name, sealed in run.recorded.package.inventory.seal.lists():
        for identifier in sealed:
            if identifier not in ids:
                lines.append(f"warning: seal {name}: {escape(identifier)} names nothing offered")
    return lines


def finding_lines(run: AssembledRun) -> list[str]:
    """What goes ahead and was probably not meant, where the output is no text that says it."""
    return [
        f"warning: {escape(place)}{escape(finding.message)} ({finding.code} {finding.slug})"
        for finding in run.offer.findings
        if finding.severity == "warning"
        for place in ("" if finding.path is None else f"{finding.path}: ",)
    ]


def _is_wanted_and_gone(row: Mapping[str, Any]) -> bool:
    """Whether it is evidence that the task asks for by name, and that no source has."""
    return bool(
        row["reason"] == "content-absent"
        and row["section"] == "evidence"
        and row["kind"] != "search"
    )


def _is_of(row: Mapping[str, Any], path: str) -> bool:
    """Whether it is the row of a file, or of lines or a definition of it."""
    identifier = row["id"]
    return bool(identifier == f"file:{path}" or identifier.startswith(f"file:{path}#"))


def _from_inventory(session: Session, options: dict[str, Any]) -> int:
    for name in ("message", "task_file", "profile", "model", "now", "api", "at", "policy_from"):
        if options[name] is not None:
            option = name.replace("_file", "").replace("_", "-")
            raise UsageError(
                "option-conflict",
                f"--inventory holds all of a run; --{option} says it again",
                next_step="leave one of the two out",
            )
    if options["targets"]:
        raise UsageError("option-conflict", "--inventory has no targets", next_step="leave -t out")
    if options["locked"]:
        raise UsageError(
            "option-conflict", "--inventory has no lock", next_step="leave --locked out"
        )
    from assembler.cli import run_view
    from assembler.front.inventories import compile_inventory_file
    from assembler.model.limits import MAX_INVENTORY_BYTES

    named = options["inventory_file"]
    path = None if named == "-" else session.resolve(named)
    if path is not None and path.is_dir():
        path = path / "inventory.json"
    data = read_stdin(MAX_INVENTORY_BYTES) if path is None else None
    recorded = compile_inventory_file(
        path,
        data,
        cwd=session.cwd,
        environment=session.environment,
        host=session.resolve(options["host"]),
        wanted=_wanted(session, options),
    )
    view = run_view.of_recorded(recorded)
    _print(session, view, out=options["out"], variants=options["variants"])
    return EXIT_OK


def _wanted(session: Session, options: Mapping[str, Any]) -> Wanted:
    from assembler.front.recording import Wanted

    return Wanted(
        out=session.resolve(options["out"]),
        variants=session.resolve(options["variants"]),
        continued=_continuation(options),
    )


def _continuation(options: Mapping[str, Any]) -> Continuation | None:
    """The run to carry on, and why it may change."""
    name, reason = options["continued"], options["because"]
    if name is None and reason is None:
        return None
    from assembler.front.continuing import Continuation, check_reason

    check_reason(reason, run=name)
    return None if name is None else Continuation(run=name, reason=reason)


def _print(session: Session, view: Any, *, out: str | None, variants: str | None) -> None:
    package = view.recorded.package
    if variants is not None and not session.quiet:
        write_talk(f"Variants: {escape(variants)}/variants.json names each, with its size")
    if view.recorded.transition is not None and not session.quiet:
        seq = view.recorded.transition.seq
        write_talk(f"Transition: event {seq}; what changed is in `assembler log --events`")
    match session.output_format:
        case "input":
            write_bytes(package.rendering.data)
        case "request":
            write_bytes(package.request.body)
        case "jsonl":
            write_out("".join(json.dumps(row) + "\n" for row in package.rows))
        case "json":
            write_out(view.to_json(out))
        case _:
            write_out(view.to_text(out, color=session.color, verbose=session.verbose))
