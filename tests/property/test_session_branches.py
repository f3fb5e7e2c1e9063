"""Trees of lines: whatever was branched off, what is read is what leads to the last line."""

from __future__ import annotations

import random

import pytest

from assembler.transcript.pairs import allowed_cuts, pair_frames
from assembler.transcript.visible import show
from tests.builders.session_logs import Line, block, outcome, prompt, read_log, said, use


@pytest.mark.parametrize("seed", range(40))
def test_live_branch__is_read_whole_and_in_order(seed: int) -> None:
    log, told = random_log(random.Random(seed))
    transcript = read_log(*log)
    heard = [frame.call or frame.text for frame in transcript.frames]
    assert [frame.kind for frame in transcript.frames] == [kind for kind, _ in told]
    assert heard == [word for _, word in told]
    shown = show(transcript)
    assert not pair_frames(shown.frames).broken
    kept = {frame.entry: frame.message for frame in shown.frames}
    for cut in allowed_cuts(shown.frames, shown.entries):
        front = {message for entry, message in kept.items() if entry <= cut}
        behind = {message for entry, message in kept.items() if entry > cut}
        assert not front & behind


def random_log(source: random.Random) -> tuple[list[Line], list[tuple[str, str]]]:
    """Turns with calls side by side, some left by going back to an earlier one."""
    log: list[Line] = []
    ends: list[tuple[str | None, list[tuple[str, str]]]] = [(None, [])]
    told: list[tuple[str, str]] = []
    for turn in range(source.randrange(1, 9)):
        parent, told = ends[-1] if source.random() < 0.7 else source.choice(ends)
        parent, said_now = _turn(source, log, turn, parent)
        told = [*told, *said_now]
        ends.append((parent, told))
    return log, told


def _turn(
    source: random.Random, log: list[Line], turn: int, parent: str | None
) -> tuple[str, list[tuple[str, str]]]:
    log.append(prompt(f"u{turn}", parent, f"words {turn}"))
    last, blocks, waiting = f"u{turn}", [("assistant", f"so {turn}")], []
    log.append(block(f"s{turn}", last, f"m{turn}", said(f"so {turn}")))
    last = f"s{turn}"
    results: list[tuple[str, str]] = []
    calls = source.randrange(4)
    for number in range(calls):
        name = f"{turn}.{number}"
        log.append(block(f"c{name}", last, f"m{turn}", use(name)))
        blocks.append(("tool_call", name))
        last = f"c{name}"
        waiting.append(name)
        while waiting and (number == calls - 1 or source.random() < 0.3):
            done = waiting.pop(source.randrange(len(waiting)))
            log.append(outcome(f"r{done}", f"c{done}", done))
            results.append(("tool_result", done))
    if results:
        last = f"r{results[-1][1]}"
    log.append(block(f"e{turn}", last, f"n{turn}", said(f"done {turn}")))
    told = [("user", f"words {turn}"), *blocks, *results, ("assistant", f"done {turn}")]
    return f"e{turn}", told
