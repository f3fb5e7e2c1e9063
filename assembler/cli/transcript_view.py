"""A transcript's sizes, verdict and rewrite, for people and programs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from assembler.cli.finding_view import to_lines
from assembler.cli.gate import exit_code_of
from assembler.cli.output import envelope, escape, lay_out, number, write_bytes, write_out
from assembler.errors import EXIT_FINDINGS, EXIT_OK, EXIT_REFUSED
from assembler.model.digest import sha256_hex
from assembler.model.names import MOST_SHOWN, first_few
from assembler.model.withheld import withhold_all

if TYPE_CHECKING:
    from assembler.cli.session import Session
    from assembler.front.transcripts import Checked, Compacted, Weighed
    from assembler.transcript.ladder import Rung
    from assembler.transcript.outlook import Limits, Outlook

SCHEMA: Final = "assembler/transcript/1"
MOST_RUNGS: Final = 12
"""Of a ladder on one line; a longer one is told by its ends and by what fills it."""


def show_checked(session: Session, checked: Checked) -> int:
    """Print what a transcript weighs, and say the exit code."""
    exit_code = _exit_of_check(checked)
    match session.output_format:
        case "json":
            inputs = {"file": checked.weighed.name}
            write_out(envelope(SCHEMA, exit_code, inputs, _checked_to_json(checked)))
        case "jsonl":
            rows = [_rung_to_json(checked.weighed, rung) for rung in checked.weighed.ladder.rungs]
            write_out("".join(json.dumps(withhold_all(row)) + "\n" for row in rows))
        case _:
            lines = [*_ladder_lines(checked), *_verdict_lines(checked)]
            lines += to_lines(checked.findings, color=session.color)
            write_out("\n".join(lines) + "\n")
    return exit_code


def show_compacted(session: Session, compacted: Compacted) -> int:
    """Print a rewrite, and say the exit code."""
    from assembler.front.transcripts import render_kept, swept_dropped, write_trace

    exit_code = _exit_of_rewrite(compacted)
    match session.output_format:
        case "json":
            inputs = {"file": compacted.checked.weighed.name}
            write_out(envelope(SCHEMA, exit_code, inputs, _compacted_to_json(compacted)))
        case "jsonl":
            write_bytes(write_trace(compacted))
        case "input":
            write_bytes(render_kept(compacted).encode("utf-8"))
        case "dropped":
            write_bytes(swept_dropped(compacted).encode("utf-8"))
        case _:
            lines = [*_rewrite_lines(compacted), *to_lines(compacted.findings, color=session.color)]
            write_out("\n".join(lines) + "\n")
    return exit_code


def _exit_of_check(checked: Checked) -> int:
    verdict = None if checked.outlook is None else checked.outlook.verdict
    if verdict == "overflow":
        return EXIT_REFUSED
    if verdict == "rewrite":
        return EXIT_FINDINGS
    return exit_code_of(checked.findings, "warning")


def _exit_of_rewrite(compacted: Compacted) -> int:
    if compacted.overflows:
        return EXIT_REFUSED
    return exit_code_of(compacted.findings, "warning") if compacted.findings else EXIT_OK


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


def _verdict_lines(checked: Checked) -> Iterator[str]:
    weighed = checked.weighed
    ladder = weighed.ladder
    limits, outlook = checked.limits, checked.outlook
    largest = _largest(checked)
    if limits is None or outlook is None:
        yield f"{number(ladder.context)}{_basis(weighed)}, held to no ceiling. {largest}".rstrip()
    elif outlook.verdict == "fits":
        yield f"Fits: send. {_of_ceiling(weighed, limits)}. {largest}".rstrip()
    elif outlook.verdict == "rewrite":
        due = (
            "over the ceiling"
            if ladder.context > limits.ceiling
            else f"over the trigger of {number(limits.trigger)}"
        )
        yield f"Rewrite: {_of_ceiling(weighed, limits)}, {due}. {largest}".rstrip()
        yield (
            f"next: assembler transcript compact {escape(weighed.name)} --ceiling {limits.ceiling}"
            f"  leaves about {number(outlook.after_rewrite)}"
        )
    else:
        yield f"Overflow: {_of_ceiling(weighed, limits)}. {largest}".rstrip()
        yield _overflow_words(limits, outlook)
    yield from _estimator_lines(weighed)
    if weighed.transcript.parts_dropped:
        kinds = weighed.transcript.parts_dropped
        told = first_few([f"{count:,} {escape(kind)}" for kind, count in kinds.items()])
        yield f"not read, being of no known shape: {', '.join(told)}"


def _overflow_words(limits: Limits, outlook: Outlook) -> str:
    """Why nothing that may be dropped is enough."""
    if outlook.after_rewrite is None:
        return "no rewrite helps: there is nothing but the task and the newest turn"
    left = number(outlook.after_rewrite)
    room = number(limits.allowance)
    return f"no rewrite helps: the task, the newest turn and {room} for a summary are {left}"


def _of_ceiling(weighed: Weighed, limits: Limits) -> str:
    context = weighed.ladder.context
    share = _share(context, limits.ceiling)
    return f"{number(context)}{_basis(weighed)} of {number(limits.ceiling)} ({share})"


def _basis(weighed: Weighed) -> str:
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
    told = calibrate(weighed)
    if told is None or weighed.ladder.basis == "provider-reported":
        return
    yield (
        f"our counts read {told['error_per_mille'] / 10:+.1f}% beside {told['rungs']} of the "
        f"provider's ({weighed.counter})"
    )


def calibrate(weighed: Weighed) -> dict[str, int] | None:
    """Our counts beside the provider's, where both are known: sums, and the error with its sign.

    Returns:
        None where the provider counted nothing that we could count too.
    """
    pairs = [
        (rung.estimated_increment, rung.increment)
        for rung in weighed.ladder.rungs
        if rung.estimated_increment is not None and rung.increment > 0
    ]
    counted = sum(increment for _, increment in pairs)
    if not counted:
        return None
    estimated = sum(estimate for estimate, _ in pairs)
    return {
        "rungs": len(pairs),
        "estimated": estimated,
        "counted": counted,
        "error_per_mille": round(1000 * (estimated - counted) / counted),
    }


def _checked_to_json(checked: Checked) -> dict[str, Any]:
    weighed, turn = checked.weighed, checked.turn
    limits, outlook = checked.limits, checked.outlook
    return {
        **_weighed_to_json(weighed),
        "limits": None if limits is None else limits._asdict(),
        "verdict": None if outlook is None else outlook.verdict,
        "after_rewrite": None if outlook is None else outlook.after_rewrite,
        "ladder": [_rung_to_json(weighed, rung) for rung in weighed.ladder.rungs],
        "shares": [{"class": name, "tokens": tokens} for name, tokens in checked.shares.items()],
        "largest_turn": None if turn is None else turn._asdict(),
        "estimator": calibrate(weighed),
        "findings": [finding.to_json() for finding in checked.findings],
    }


def _weighed_to_json(weighed: Weighed) -> dict[str, Any]:
    transcript, ladder = weighed.transcript, weighed.ladder
    return {
        "form": transcript.form,
        "entries": transcript.entries,
        "parts_dropped": dict(transcript.parts_dropped),
        "counter": weighed.counter,
        "resident": ladder.resident,
        "context": {"tokens": ladder.context, "basis": ladder.basis},
    }


def _rung_to_json(weighed: Weighed, rung: Rung) -> dict[str, Any]:
    frames = weighed.transcript.frames
    return {
        "entries": sorted({frames[index].entry for index in rung.frames}),
        "label": rung.label,
        "increment": rung.increment,
        "context": rung.context,
        "basis": rung.basis,
        "estimated_increment": rung.estimated_increment,
    }


def _rewrite_lines(compacted: Compacted) -> Iterator[str]:
    weighed, rewrite = compacted.checked.weighed, compacted.rewrite
    limits = compacted.checked.limits
    if rewrite is None:
        assert limits is not None  # without a ceiling a cut was asked for
        yield f"Fits: nothing to rewrite. {_of_ceiling(weighed, limits)}."
        return
    yield _cut_line(compacted)
    rows = [*_frame_rows(weighed, "kept", rewrite.head)]
    if rewrite.dropped:
        rows += _frame_rows(weighed, "dropped", rewrite.dropped)
        words = "none given" if compacted.summary is None else "derived, stands as data"
        rows.append(("summary", "-", words, number(compacted.summary_tokens)))
    rows += _frame_rows(weighed, "kept", rewrite.tail)
    if rows:
        yield from (f"  {line}" for line in lay_out(rows, right=(1, 3), color=False))
    carried = compacted.carried
    if carried is not None:
        lost = carried.dropped - carried.carried
        yield (
            f"Of {number(carried.dropped)} numbers, dates, addresses and names that were dropped "
            f"the summary has {number(carried.carried)}; lost: {number(lost)}."
        )


def _cut_line(compacted: Compacted) -> str:
    rewrite = compacted.rewrite
    assert rewrite is not None  # asked by the caller
    weighed, limits = compacted.checked.weighed, compacted.checked.limits
    cut = rewrite.cut
    moved = (
        f" (asked for {cut.asked:,}: {cut.reason})" if cut.reason and cut.asked is not None else ""
    )
    moved = moved or (f" ({cut.reason})" if cut.reason else "")
    if not rewrite.dropped:
        size = f"{number(rewrite.after)} tokens"
        head = f"Cut at {cut.at:,}{moved}: nothing in front of it but the task; {size} stay"
    else:
        sizes = f"{number(rewrite.before)} -> {number(rewrite.after)} tokens"
        head = f"Cut at {cut.at:,}{moved}: {sizes}{_basis(weighed)}"
    match rewrite.fits(limits):
        case None:
            return f"{head}."
        case True:
            assert limits is not None  # it fits something
            return f"{head}. Fits {number(limits.ceiling)}."
        case _:
            assert limits is not None  # it is over something
            over = rewrite.after - limits.ceiling
            return f"{head}. Overflow: {number(over)} over {number(limits.ceiling)}."


def _frame_rows(
    weighed: Weighed, state: str, indexes: Sequence[int]
) -> list[tuple[str, str, str, str]]:
    """The first few frames, and how many more there are."""
    frames, sizes = weighed.transcript.frames, weighed.ladder.sizes
    rows = []
    for index in indexes[:MOST_SHOWN]:
        frame = frames[index]
        words = frame.kind if frame.tool is None else f"{frame.kind} {escape(frame.tool)}"
        rows.append((state, number(frame.entry), words, number(sizes[index])))
    more = indexes[MOST_SHOWN:]
    if more:
        tokens = sum(sizes[index] for index in more)
        rows.append((state, "", f"{len(more):,} more: --format json", number(tokens)))
    return rows


def _compacted_to_json(compacted: Compacted) -> dict[str, Any]:
    from assembler.transcript.rewrite import runs_of

    weighed, rewrite = compacted.checked.weighed, compacted.rewrite
    limits, carried = compacted.checked.limits, compacted.carried
    return {
        **_weighed_to_json(weighed),
        "limits": None if limits is None else limits._asdict(),
        "allowed_cuts": [list(run) for run in _runs(compacted.allowed)],
        "rewrite": None
        if rewrite is None
        else {
            "cut": rewrite.cut._asdict(),
            "before": rewrite.before,
            "after": rewrite.after,
            "fits": rewrite.fits(limits),
            "kept": [_frame_to_json(weighed, index) for index in (*rewrite.head, *rewrite.tail)],
            "dropped": [_frame_to_json(weighed, index) for index in rewrite.dropped],
            "dropped_frames": [list(run) for run in runs_of(rewrite.dropped)],
        },
        "summary": None
        if compacted.summary is None
        else {
            "sha256": sha256_hex(compacted.summary.encode("utf-8")),
            "tokens": compacted.summary_tokens,
            "trust": "derived",
            "carried": None if carried is None else carried._asdict(),
        },
        "findings": [finding.to_json() for finding in compacted.findings],
    }


def _runs(cuts: Sequence[int]) -> list[tuple[int, int]]:
    """First and last of each run of whole numbers."""
    runs: list[tuple[int, int]] = []
    for cut in cuts:
        if runs and runs[-1][1] == cut - 1:
            runs[-1] = (runs[-1][0], cut)
        else:
            runs.append((cut, cut))
    return runs


def _frame_to_json(weighed: Weighed, index: int) -> Mapping[str, Any]:
    """Where a frame stands, and its digest: what was dropped can be found and checked again."""
    frame = weighed.transcript.frames[index]
    return {
        "entry": frame.entry,
        "kind": frame.kind,
        "tool": frame.tool,
        "tokens": weighed.ladder.sizes[index],
        "sha256": sha256_hex(frame.text.encode("utf-8")),
    }
