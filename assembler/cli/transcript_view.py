"""What a transcript weighs and whether it fits, for people."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from assembler.cli.finding_view import to_lines
from assembler.cli.gate import exit_code_of
from assembler.cli.output import envelope, escape, lay_out, number, write_out
from assembler.cli.transcript_json import SCHEMA, checked_to_json, rung_to_json
from assembler.cli.transcript_options import DEFAULT_COUNTER
from assembler.errors import EXIT_FINDINGS, EXIT_REFUSED
from assembler.model.names import MOST_SHOWN, first_few
from assembler.model.withheld import withhold_all
from assembler.transcript.ladder import calibrate
from assembler.transcript.limits import SUMMARY_ALLOWANCE_TOKENS

if TYPE_CHECKING:
    from assembler.cli.session import Session
    from assembler.front.transcripts import Checked, Weighed
    from assembler.transcript.ladder import Rung
    from assembler.transcript.limits import Limits
    from assembler.transcript.outlook import Outlook

MOST_RUNGS: Final = 12
"""Of a ladder on one line; a longer one is told by its ends and by what fills it."""


def show_checked(session: Session, checked: Checked, *, named: str) -> int:
    """Print what a transcript weighs, and say the exit code.

    Args:
        session: where it goes.
        checked: what was found.
        named: the file, as it was given.
    """
    exit_code = _exit_of_check(checked)
    match session.output_format:
        case "json":
            inputs = {"file": checked.weighed.name}
            write_out(envelope(SCHEMA, exit_code, inputs, checked_to_json(checked)))
        case "jsonl":
            rows = [rung_to_json(checked.weighed, rung) for rung in checked.weighed.ladder.rungs]
            write_out("".join(json.dumps(withhold_all(row)) + "\n" for row in rows))
        case _:
            lines = [*_ladder_lines(checked), *_verdict_lines(checked, named)]
            lines += to_lines(checked.findings, color=session.color)
            write_out("\n".join(lines) + "\n")
    return exit_code


def _exit_of_check(checked: Checked) -> int:
    verdict = None if checked.outlook is None else checked.outlook.verdict
    if verdict == "overflow":
        return EXIT_REFUSED
    if verdict == "rewrite":
        return EXIT_FINDINGS
    return exit_code_of(checked.findings, "warning")


def _ladder_lines(checked: Checked) -> Iterator[str]:
    rungs = checked.weighed.ladder.rungs
    if not rungs:
        yield "nothing was said"
        return
    if len(rungs) <= MOST_RUNGS:
        yield " | ".join(_spell_rung(rung, is_first=not place) for place, rung in enumerate(rungs))
        return
    last = MOST_RUNGS // 2
    cells = [
        _spell_rung(rungs[0], is_first=True),
        f"{len(rungs) - last - 1:,} more",
        *(_spell_rung(rung, is_first=False) for rung in rungs[-last:]),
    ]
    yield " | ".join(cells)
    context = sum(checked.shares.values())
    rows = [
        (escape(name), number(tokens), _share(tokens, context))
        for name, tokens in [*checked.shares.items()][:MOST_SHOWN]
    ]
    yield from (f"  {line}" for line in lay_out(rows, right=(1, 2), color=False))
    if len(checked.shares) > MOST_SHOWN:
        yield f"  {first_few([*checked.shares])[-1]}: --format json"


def _spell_rung(rung: Rung, *, is_first: bool) -> str:
    label = escape(rung.label)
    if is_first:
        return f"{number(rung.context)} {label}"
    return f"{rung.increment:+,} {label} {number(rung.context)}"


def _verdict_lines(checked: Checked, named: str) -> Iterator[str]:
    weighed = checked.weighed
    limits, outlook = checked.limits, checked.outlook
    largest = _largest(checked)
    if limits is None or outlook is None:
        size = f"{number(weighed.ladder.context)}{spell_basis(weighed)}"
        yield f"{size}, held to no ceiling. {largest}".rstrip()
    elif outlook.verdict == "fits":
        yield f"Fits: {_send_words(checked)}. {of_ceiling(weighed, limits)}. {largest}".rstrip()
    elif outlook.verdict == "rewrite":
        is_over = weighed.ladder.context > limits.ceiling
        bound = "the ceiling" if is_over else f"the trigger of {number(limits.trigger)}"
        yield f"Rewrite: {of_ceiling(weighed, limits)}, over {bound}. {largest}".rstrip()
        left, room = number(outlook.after_rewrite), number(limits.allowance)
        yield f"next: {_next_command(named, weighed.counter, limits)}"
        yield f"      leaves {left}, {room} of it for a summary"
    else:
        yield f"Overflow: {of_ceiling(weighed, limits)}. {largest}".rstrip()
        yield from _overflow_lines(checked, limits, outlook, named)
    yield from waiting_lines(weighed, checked.waiting)
    yield from _estimator_lines(weighed)
    if weighed.transcript.parts_dropped:
        kinds = weighed.transcript.parts_dropped
        told = first_few([f"{count:,} {escape(kind)}" for kind, count in kinds.items()])
        yield f"not read, and in no figure of ours: {', '.join(told)}"


def _send_words(checked: Checked) -> str:
    """Whether it can be sent: what was parted, or waits, is refused."""
    if any(finding.code == "ASM503" for finding in checked.findings):
        return "mend it first"
    return "send it with what it waits for" if checked.waiting else "send"


def waiting_lines(weighed: Weighed, waiting: Sequence[int]) -> Iterator[str]:
    """The calls of the newest message that have no result yet, by index."""
    frames = weighed.transcript.frames
    calls = [
        f"{escape(frames[index].tool or 'a tool')} (entry {frames[index].entry:,})"
        for index in waiting
    ]
    if calls:
        yield f"Waits for the result of {', '.join(first_few(calls))}."


def _next_command(named: str, counter: str, limits: Limits) -> str:
    """The rewrite that is due, as it can be typed; with what made it due."""
    # What a terminal can't show can't be typed from it either.
    file = named if escape(named) == named else "FILE"
    if file.startswith("-") and file != "-":
        file = f"./{file}"
    words = ["assembler", "transcript", "compact", file, "--ceiling", str(limits.ceiling)]
    if limits.trigger < limits.ceiling:
        words += ["--trigger", str(limits.trigger)]
    if limits.allowance != SUMMARY_ALLOWANCE_TOKENS:
        words += ["--allowance", str(limits.allowance)]
    if counter != DEFAULT_COUNTER:
        words += ["--counter", counter]
    return " ".join(shlex.quote(word) for word in words)


def _overflow_lines(
    checked: Checked, limits: Limits, outlook: Outlook, named: str
) -> Iterator[str]:
    """Why nothing that may be dropped is enough, and what would be."""
    if outlook.after_rewrite is None:
        yield "no rewrite helps: there is nothing but the task and the newest turn"
        return
    left = number(outlook.after_rewrite)
    yield (
        f"what stays and {number(limits.allowance)} for a summary are {left}: "
        f"{number(outlook.after_rewrite - limits.ceiling)} over"
    )
    room = limits.ceiling - (outlook.after_rewrite - limits.allowance)
    if room > 0:
        less = limits._replace(allowance=room)
        yield f"next: {_next_command(named, checked.weighed.counter, less)}"
        yield f"      leaves room for a summary of {number(room)}"
    else:
        yield "no rewrite helps: what stays is over the ceiling without a summary"


def of_ceiling(weighed: Weighed, limits: Limits) -> str:
    """`6,352 of 7,000 (91%)`."""
    context = weighed.ladder.context
    share = _share(context, limits.ceiling)
    return f"{number(context)}{spell_basis(weighed)} of {number(limits.ceiling)} ({share})"


def spell_basis(weighed: Weighed) -> str:
    """Who counted, where it was not the provider."""
    match weighed.ladder.basis:
        case "provider-reported":
            return ""
        case "measured":
            return f" (measured, {weighed.counter})"
        case _:
            return " (estimated)"


def _share(part: int, whole: int) -> str:
    """A whole percentage that says 100% of the whole alone."""
    if not whole:
        return "0%"
    rounded = (200 * part + whole) // (2 * whole)
    return f"{min(rounded, 99) if part < whole else rounded}%"


def _largest(checked: Checked) -> str:
    """What fills the most of it, and the most that came in at once, on one line."""
    context = sum(checked.shares.values())
    if not checked.shares or checked.turn is None:
        return ""
    name, tokens = next(iter(checked.shares.items()))
    turn = checked.turn
    share = f"{escape(name)}, {number(tokens)} ({_share(tokens, context)})"
    if (turn.label, turn.tokens) == (name, tokens):
        return f"Largest share and largest turn: {share}."
    return f"Largest share: {share}. Largest turn: {escape(turn.label)}, {number(turn.tokens)}."


def _estimator_lines(weighed: Weighed) -> Iterator[str]:
    """How far our counts were off, where the answer rests on them."""
    told = calibrate(weighed.ladder)
    if told is None or weighed.ladder.basis == "provider-reported":
        return
    yield (
        f"our counts read {told.error_per_mille / 10:+.1f}% beside {told.rungs} of the "
        f"provider's ({weighed.counter})"
    )
