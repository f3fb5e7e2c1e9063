"""What fills the input by class, and the most that came in at once.

Source: docs/formats/trace.md, sections "Sizes" and "Verdict".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from assembler.model.transcript import MODEL_KINDS, SAID_KINDS, Frame, Transcript
from assembler.transcript.ladder import Ladder, front_tokens, spell_tools
from assembler.transcript.visible import head_length


class Step(NamedTuple):
    """What came in between two words of the model, or what the model wrote at once."""

    label: str
    tokens: int
    entry: int
    """Where it begins."""


def shares_of(transcript: Transcript, ladder: Ladder) -> Mapping[str, int]:
    """Tokens of what the next request holds by class, the largest first.

    Classes: `policy and tools`, `task`, `user`, `model`, `summary`, and each tool by its name.
    """
    frames = transcript.frames
    head = head_length(frames)
    shares: Counter[str] = Counter()
    shares["policy and tools"] = front_tokens(transcript, ladder)
    for index in ladder.shown.indexes:
        shares[_class_of(frames, index, ladder.tools, head)] += ladder.sizes[index]
    ordered = sorted(shares.items(), key=lambda pair: (-pair[1], pair[0]))
    return {name: tokens for name, tokens in ordered if tokens}


def _class_of(frames: Sequence[Frame], index: int, tools: Mapping[int, str], head: int) -> str:
    frame = frames[index]
    if index in tools:
        return tools[index]
    if frame.kind in MODEL_KINDS:
        return "model"
    if frame.kind == "policy":
        return "policy and tools"
    if frame.compaction is not None:
        return "summary"
    return "task" if index < head else "user"


def largest_step(transcript: Transcript, ladder: Ladder) -> Step | None:
    """The most that came in at once: results of one turn, or what the model wrote in it.

    Also of what a rewrite dropped since: what one turn brought, the next may bring again.
    """
    return max(
        _iter_steps(transcript.frames, ladder),
        key=lambda step: (step.tokens, -step.entry),
        default=None,
    )


def _iter_steps(frames: Sequence[Frame], ladder: Ladder) -> list[Step]:
    tools = ladder.tools
    groups: list[list[int]] = []
    for index in range(head_length(frames), len(frames)):
        if frames[index].kind not in SAID_KINDS:
            groups.append([])
        elif groups and groups[-1] and _is_one_step(frames[groups[-1][-1]], frames[index]):
            groups[-1].append(index)
        else:
            groups.append([index])
    return [
        Step(
            spell_tools([tools[index] for index in group if index in tools])
            or ("model" if frames[group[0]].kind in MODEL_KINDS else "user"),
            sum(ladder.brought[index] for index in group),
            frames[group[0]].entry,
        )
        for group in groups
        if group
    ]


def _is_one_step(before: Frame, behind: Frame) -> bool:
    return (before.kind in MODEL_KINDS) == (behind.kind in MODEL_KINDS)


def largest_result(transcript: Transcript, ladder: Ladder) -> Step | None:
    """The largest single result of a tool."""
    results = (
        Step(name, ladder.brought[index], transcript.frames[index].entry)
        for index, name in ladder.tools.items()
    )
    return max(results, key=lambda step: (step.tokens, -step.entry), default=None)


def possible_turn(transcript: Transcript, ladder: Ladder, calls: int | None) -> Step | None:
    """The most that one turn may bring.

    Args:
        transcript: the run.
        ladder: its sizes.
        calls: that one turn may make; None: as it was.
    """
    seen = largest_step(transcript, ladder)
    result = largest_result(transcript, ladder)
    if calls is None or result is None:
        return seen
    label = result.label if calls == 1 else f"{calls} {result.label}"
    planned = Step(label, calls * result.tokens, result.entry)
    return planned if seen is None or planned.tokens > seen.tokens else seen
