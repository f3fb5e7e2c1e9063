"""What `assemble` does with a call that was read: one run, and what is printed of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from assembler.cli.output import escape, write_bytes, write_out, write_talk
from assembler.cli.row_view import row_note
from assembler.cli.session import Session
from assembler.cli.task_input import read_stdin, read_task_input
from assembler.errors import EXIT_OK, UsageError

if TYPE_CHECKING:
    from assembler.front.assembling import AssembledRun
    from assembler.front.continuing import Continuation
    from assembler.front.recording import Wanted

FORMATS = ("text", "json", "jsonl", "input", "request")
APIS = ("text", "openai-responses", "openai-chat", "anthropic-messages")


def show_run(session: Session, options: Mapping[str, Any]) -> int:
    """Compile the run and print it; its exit code. `options` as the command line has them."""
    if options["inventory_file"] is not None:
        return _from_inventory(session, options)
    return _from_repository(session, options)


def _from_repository(session: Session, options: Mapping[str, Any]) -> int:
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


def _from_inventory(session: Session, options: Mapping[str, Any]) -> int:
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
