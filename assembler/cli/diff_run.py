"""What `diff` does, once its options are known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from assembler.cli.diff_texts import ItemTexts, text_lines
from assembler.cli.output import envelope, write_out
from assembler.cli.session import Session
from assembler.errors import EXIT_FINDINGS, EXIT_OK, UsageError
from assembler.front.differing import compare_places, split_range
from assembler.front.records import is_package_folder, is_run_name

if TYPE_CHECKING:
    from assembler.config.task import Task
    from assembler.front.differing import SightPair
    from assembler.front.run_pairs import RunPair

SCHEMA: Final = "assembler/diff/1"
WITHOUT_WORDS: Final = "what a task would be given"
"""The objective of a run that is only compared, where nobody gives one."""


def show_diff(session: Session, options: Mapping[str, Any]) -> int:
    """Print what differs; exit 0 unless the code is asked for.

    Raises:
        UsageError: the words name no two things that can be compared, or one is missing.
    """
    words = tuple(options["words"])
    if len(words) > 2:
        raise UsageError(
            "range-unknown",
            f"{len(words)} things are named, and two can be compared",
            next_step="assembler diff A..B",
        )
    has_task = any(options[name] for name in ("targets", "message", "task_file"))
    are_runs = [is_run_name(word) or is_package_folder(word, session.cwd) for word in words]
    if len(words) == 2 and any(are_runs):
        _require_runs(session, words, are_runs)
        if has_task or options["profile"] or options["host"]:
            raise UsageError(
                "options-exclude",
                "a run has its task and profile already",
                next_step="leave out -t, -m, --task, -p and --host",
            )
        from assembler.front.run_pairs import compare_runs

        return _show_runs(
            session,
            options,
            compare_runs(session.cwd, *words, environment=session.environment),
        )
    old, new = split_range(words)
    if has_task and options["agents"]:
        raise UsageError(
            "options-exclude",
            "--agent compares what agents load by themselves, and a task is a run of ours",
            next_step="leave one of the two out",
        )
    if has_task:
        return _show_runs(session, options, _compare_tasks(session, options, old, new))
    pair = compare_places(
        session.cwd,
        old,
        new,
        environment=session.environment,
        profile=options["profile"],
        host=session.resolve(options["host"]),
        agents=options["agents"],
    )
    return _show_places(session, options, pair)


def _require_runs(session: Session, words: Sequence[str], are_runs: Sequence[bool]) -> None:
    """Refuse a run beside a revision; a folder that is no package says so when it is read."""
    for word, is_run in zip(words, are_runs, strict=True):
        if not is_run and not (session.cwd / word).is_dir():
            run = words[are_runs.index(True)]
            raise UsageError(
                "range-unknown",
                f"{run} is a run, and {word} is none",
                where=word,
                next_step=f"two runs, or A..B; a branch called {run} is heads/{run}",
            )


def _compare_tasks(session: Session, options: Mapping[str, Any], old: str, new: str) -> RunPair:
    from assembler.front.run_pairs import compare_tasks

    return compare_tasks(
        session.cwd,
        old,
        new,
        _read_task(session, options),
        targets=options["targets"],
        environment=session.environment,
        profile=options["profile"],
        host=session.resolve(options["host"]),
    )


def _read_task(session: Session, options: Mapping[str, Any]) -> Task:
    if options["message"] is None and options["task_file"] is None:
        from assembler.config.task import Task

        return Task(objective=WITHOUT_WORDS)
    from assembler.cli.task_input import read_task_input

    return read_task_input(session, options)


def _show_runs(session: Session, options: Mapping[str, Any], pair: RunPair) -> int:
    from assembler.cli.diff_runs import texts_of, to_body, to_lines

    code = _exit_code(options, is_identical=pair.is_identical)
    match session.output_format:
        case "json":
            write_out(envelope(SCHEMA, code, {}, to_body(pair)))
        case "markdown":
            from assembler.cli.diff_markdown import runs_to_markdown

            write_out(runs_to_markdown(pair, _texts(options, texts_of(pair))))
        case _:
            lines = to_lines(pair, color=session.color)
            _write(session, lines, _texts(options, texts_of(pair)))
    return code


def _show_places(session: Session, options: Mapping[str, Any], pair: SightPair) -> int:
    from assembler.cli.diff_places import place_of, texts_of, to_body, to_lines
    from assembler.cli.diff_settings import judging_lines

    code = _exit_code(options, is_identical=pair.changes.is_identical)
    match session.output_format:
        case "json":
            inputs = {"profile": options["profile"], "host": options["host"]}
            write_out(envelope(SCHEMA, code, inputs, to_body(pair)))
        case "markdown":
            from assembler.cli.diff_markdown import places_to_markdown

            write_out(places_to_markdown(pair, _texts(options, texts_of(pair))))
        case _ if pair.changes.is_identical:
            places = f"{place_of(pair.old)} and {place_of(pair.new)}"
            session.hint(f"an agent would see the same at {places}")
            for line in judging_lines(pair):
                session.hint(line)
        case _:
            lines = to_lines(pair, color=session.color)
            _write(session, lines, _texts(options, texts_of(pair)))
    return code


def _exit_code(options: Mapping[str, Any], *, is_identical: bool) -> int:
    return EXIT_FINDINGS if options["exit_code"] and not is_identical else EXIT_OK


def _texts(options: Mapping[str, Any], items: list[ItemTexts]) -> list[ItemTexts]:
    return [] if options["no_text"] else items


def _write(session: Session, lines: Iterable[str], items: list[ItemTexts]) -> None:
    text = [*text_lines(items, color=session.color)]
    write_out("\n".join([*lines, *(["", *text] if text else [])]) + "\n")
