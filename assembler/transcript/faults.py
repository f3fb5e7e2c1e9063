"""What is wrong with a transcript: calls and results apart, a turn that no rewrite makes fit.

Source: docs/formats/trace.md, section "Findings".
"""

from __future__ import annotations

from collections.abc import Sequence

from assembler.model.finding import Finding, make_finding
from assembler.model.transcript import Frame, Transcript
from assembler.transcript.ladder import Ladder, base_tokens
from assembler.transcript.limits import Limits
from assembler.transcript.pairs import allowed_cuts, pair_frames
from assembler.transcript.shares import Step
from assembler.transcript.visible import Shown, positions_of


def find_faults(
    transcript: Transcript, ladder: Ladder, limits: Limits | None, turn: Step | None, *, path: str
) -> tuple[Finding, ...]:
    """What is wrong with a transcript: calls and results apart, a turn that no rewrite makes fit.

    Args:
        transcript: the run.
        ladder: its sizes.
        limits: None: there is no ceiling.
        turn: the most that one turn may bring.
        path: the file, as named.
    """
    findings = find_parted(transcript, ladder.shown, ladder.shown.indexes, path=path)
    if limits is not None and turn is not None:
        findings += _too_large_turn(transcript, ladder, limits, turn, path)
    return findings


def find_parted(
    transcript: Transcript, shown: Shown, kept: Sequence[int], *, path: str
) -> tuple[Finding, ...]:
    """Calls and results that stand alone, each with the cut that takes it away.

    Args:
        transcript: the run.
        shown: what the next request would hold.
        kept: indexes of the frames that are looked at, in the order of a request.
        path: the file, as named.
    """
    frames = [transcript.frames[index] for index in kept]
    broken = pair_frames(frames).broken
    if not broken:
        return ()
    positions = positions_of(shown)
    last = max(positions[kept[place]] for place, _ in broken)
    allowed = allowed_cuts(shown.frames, shown.entries)
    cut = next((cut for cut in allowed if cut >= last), None)
    return tuple(_parted(frames[place], is_call, cut, path) for place, is_call in broken)


def _parted(frame: Frame, is_call: bool, cut: int | None, path: str) -> Finding:
    what = (
        f"the call {frame.tool or 'of a tool'} has no result behind it"
        if is_call
        else f"a result of {frame.tool or 'a tool'} has no call in front of it"
    )
    fix = "give the call a result, or take it out" if is_call else "take it out of the history"
    if cut is not None:
        fix += f"; `transcript compact --cut {cut}` drops it with all in front but the task"
    return make_finding(
        "ASM503",
        path,
        f"entry {frame.entry:,}: {what}, and providers refuse it",
        fix=fix,
        data={"entry": frame.entry, "is_call": is_call, "cut": cut},
    )


def find_waiting(shown: Shown) -> tuple[int, ...]:
    """Indexes of calls of the newest message that nothing answered yet."""
    end = len(shown.frames)
    return tuple(
        shown.indexes[pair.call] for pair in pair_frames(shown.frames).pairs if pair.last == end
    )


def _too_large_turn(
    transcript: Transcript, ladder: Ladder, limits: Limits, turn: Step, path: str
) -> tuple[Finding, ...]:
    base = base_tokens(transcript, ladder)
    needed = base + turn.tokens + limits.allowance
    if needed <= limits.ceiling:
        return ()
    message = (
        f"one turn can bring {turn.tokens:,} ({turn.label}): {base:,} + {turn.tokens:,} = "
        f"{base + turn.tokens:,}, with {limits.allowance:,} for a summary {needed:,}, "
        f"{needed - limits.ceiling:,} over the ceiling of {limits.ceiling:,}"
    )
    data = {
        "base": base,
        "turn": turn.tokens,
        "label": turn.label,
        "allowance": limits.allowance,
        "needed": needed,
        "ceiling": limits.ceiling,
    }
    fix = "allow fewer calls in one turn, or smaller results"
    if turn.label in ("model", "user"):
        fix = "a higher ceiling, a lower --allowance, or smaller messages"
    return (make_finding("ASM502", path, message, fix=fix, data=data),)
