"""What is wrong with a transcript: calls and results apart, a turn that no rewrite makes fit.

Source: docs/formats/trace.md, section "Findings".
"""

from __future__ import annotations

from assembler.model.finding import Finding, make_finding
from assembler.model.transcript import Transcript
from assembler.transcript.ladder import Ladder, base_tokens
from assembler.transcript.limits import Limits
from assembler.transcript.pairs import pair_frames
from assembler.transcript.shares import Step
from assembler.transcript.visible import show


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
    findings = _broken_pairs(transcript, path)
    if limits is not None and turn is not None:
        findings += _too_large_turn(transcript, ladder, limits, turn, path)
    return tuple(findings)


def _broken_pairs(transcript: Transcript, path: str) -> list[Finding]:
    shown = show(transcript)
    findings = []
    for place, is_call in pair_frames(shown.frames).broken:
        frame = transcript.frames[shown.indexes[place]]
        what = (
            f"the call {frame.tool or 'of a tool'} has no result behind it"
            if is_call
            else f"a result of {frame.tool or 'a tool'} has no call in front of it"
        )
        findings.append(
            make_finding(
                "ASM503",
                path,
                f"entry {frame.entry:,}: {what}, and providers refuse it",
                fix="cut where no pair is parted: assembler transcript compact --cut N",
                data={"entry": frame.entry, "is_call": is_call},
            )
        )
    return findings


def _too_large_turn(
    transcript: Transcript, ladder: Ladder, limits: Limits, turn: Step, path: str
) -> list[Finding]:
    base = base_tokens(transcript, ladder)
    needed = base + turn.tokens + limits.allowance
    if needed <= limits.ceiling:
        return []
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
    return [make_finding("ASM502", path, message, fix=fix, data=data)]
