"""Laws of rewrites: nothing that belongs together is parted, and nothing vanishes."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from assembler.config.client_messages import read_messages
from assembler.config.trace import read_trace
from assembler.model.transcript import Frame, Transcript
from assembler.transcript.ladder import build_ladder
from assembler.transcript.limits import Limits
from assembler.transcript.outlook import judge
from assembler.transcript.pairs import allowed_cuts, pair_frames
from assembler.transcript.rewrite import plan_rewrite
from assembler.transcript.shares import shares_of
from assembler.transcript.trace_lines import write_frames, write_rewrite
from assembler.transcript.visible import show
from tests.builders.transcripts import (
    assistant,
    call,
    chat,
    counted,
    read,
    result,
    rewrite,
    user,
)

CALLS = "ABCD"
BATCH = st.text(CALLS, min_size=1, max_size=3).map(lambda names: "".join(dict.fromkeys(names)))
PLAIN = st.sampled_from(["u", "a"]).map(lambda word: [word])
TURN = BATCH.flatmap(
    lambda names: st.permutations([f"r{name}" for name in names]).map(
        lambda results: [f"a{names}", *results]
    )
)
HISTORIES = st.lists(st.one_of(PLAIN, TURN), max_size=8).map(
    lambda parts: ["u", *(word for part in parts for word in part)]
)
WILD = st.lists(
    st.one_of(
        st.sampled_from(["u", "a"]),
        st.sampled_from(CALLS).map(lambda name: f"r{name}"),
        BATCH.map(lambda names: f"a{names}"),
    ),
    max_size=14,
)

COUNT = st.one_of(st.none(), st.integers(0, 60).map(counted))
FRAME = st.one_of(
    st.builds(lambda count: user(context=count), COUNT),
    st.builds(lambda count: {"frame": "policy", "text": "rule", "context": count}, COUNT),
    st.builds(lambda count: assistant(context=count), COUNT),
    st.builds(lambda name, count: call(name, context=count), st.sampled_from(CALLS), COUNT),
    st.builds(lambda name, count: result(name, context=count), st.sampled_from(CALLS), COUNT),
    st.builds(lambda after: rewrite(90, after), st.integers(0, 60)),
)
FRAMES = st.lists(FRAME, max_size=14)


def load(words: list[str]) -> Transcript:
    messages = [*chat(words), {"role": "user", "content": ""}]
    return read_messages(json.dumps(messages).encode(), path="m.json")


def kept_pairs_are_whole(before: list[Frame], kept: list[Frame]) -> bool:
    """For each kept result its call, and for each kept call all results that it had."""
    alone = {(frame.kind, frame.call) for frame in _alone(before)}
    return all((frame.kind, frame.call) in alone for frame in _alone(kept))


def _alone(frames: list[Frame]) -> list[Frame]:
    return [frames[place] for place, _ in pair_frames(frames).broken]


@given(HISTORIES, st.integers(0, 40), st.one_of(st.none(), st.integers(1, 60)))
def test_rewrite__parts_no_pair_wherever_it_is_asked(
    words: list[str], asked: int, ceiling: int | None
) -> None:
    transcript = load(words)
    ladder = build_ladder(transcript, [3] * len(transcript.frames))
    limits = None if ceiling is None else Limits(ceiling, ceiling, 0)
    asked = min(asked, transcript.entries)

    rewrite = plan_rewrite(transcript, ladder, asked=asked, summary_tokens=1, limits=limits)

    frames = [*transcript.frames]
    kept = [frames[index] for index in (*rewrite.head, *rewrite.tail)]
    assert not _alone(kept)
    assert sorted((*rewrite.head, *rewrite.tail, *rewrite.dropped)) == [*range(len(frames))]
    assert rewrite.cut.at in allowed_cuts(transcript.frames, transcript.entries)
    if rewrite.cut.reason is None:
        assert rewrite.cut.at == asked
    sizes = sum(ladder.sizes[index] for index in (*rewrite.head, *rewrite.tail))
    assert rewrite.after == ladder.resident + sizes + bool(rewrite.dropped)


@given(WILD, st.integers(0, 20))
def test_rewrite__makes_nothing_alone_that_was_not(words: list[str], asked: int) -> None:
    transcript = load(words)
    ladder = build_ladder(transcript, [1] * len(transcript.frames))
    asked = min(asked, transcript.entries)
    rewrite = plan_rewrite(transcript, ladder, asked=asked, summary_tokens=0, limits=None)
    frames = [*transcript.frames]
    kept = [frames[index] for index in (*rewrite.head, *rewrite.tail)]
    assert kept_pairs_are_whole(frames, kept)


@given(HISTORIES, st.integers(0, 40), st.text(max_size=20))
def test_trace__that_is_written_reads_as_the_rewrite_said(
    words: list[str], asked: int, summary: str
) -> None:
    transcript = load(words)
    ladder = build_ladder(transcript, [2] * len(transcript.frames))
    asked = min(asked, transcript.entries)
    rewrite = plan_rewrite(transcript, ladder, asked=asked, summary_tokens=5, limits=None)
    written = write_frames(transcript, ladder)

    again = read_trace(written, path="t.jsonl")
    told = [(frame.kind, frame.text, frame.tool, frame.call) for frame in transcript.frames]
    assert [(frame.kind, frame.text, frame.tool, frame.call) for frame in again.frames] == told

    if rewrite.dropped:
        after = read_trace(written + write_rewrite(rewrite, summary, overflows=False), path="t")
        shown = show(after).indexes
        assert shown == (*rewrite.head, len(transcript.frames), *rewrite.tail)
        assert after.frames[-1].text == summary


@given(HISTORIES)
def test_rewrite_by_the_rule__keeps_the_task_and_the_newest_turn(words: list[str]) -> None:
    transcript = load(words)
    ladder = build_ladder(transcript, [1] * len(transcript.frames))
    rewrite = plan_rewrite(transcript, ladder, asked=None, summary_tokens=0, limits=None)
    model = [
        index
        for index, frame in enumerate(transcript.frames)
        if frame.kind in ("assistant", "tool_call")
    ]
    assert 0 in rewrite.head
    if model:
        newest = transcript.frames[model[-1]].entry
        behind = [index for index, frame in enumerate(transcript.frames) if frame.entry >= newest]
        assert {*behind} <= {*rewrite.tail}


@given(FRAMES, st.one_of(st.none(), st.integers(0, 60).map(counted)))
def test_what_the_next_request_holds__weighs_what_was_counted_last(
    frames: list[dict[str, Any]], resident: dict[str, Any] | None
) -> None:
    transcript = read(*frames, resident=resident)
    ladder = build_ladder(transcript, [7] * len(transcript.frames))
    assert min((ladder.resident, *ladder.sizes)) >= 0
    kinds = [("context" if frame.get("context") else frame["frame"]) for frame in frames]
    if "compaction" not in kinds or "context" in kinds[kinds.index("compaction") :]:
        last = [kind for kind in kinds if kind in ("context", "compaction")]
        if not last or last[-1] == "context":
            assert sum(shares_of(transcript, ladder).values()) == ladder.context


@given(FRAMES, st.integers(1, 120), st.integers(0, 20))
def test_verdict__promises_what_the_rewrite_by_the_rule_leaves(
    frames: list[dict[str, Any]], ceiling: int, allowance: int
) -> None:
    transcript = read(*frames)
    ladder = build_ladder(transcript, [7] * len(transcript.frames))
    limits = Limits(ceiling, ceiling, allowance)
    outlook = judge(transcript, ladder, limits)
    made = plan_rewrite(transcript, ladder, asked=None, summary_tokens=allowance, limits=limits)
    if outlook.verdict == "rewrite":
        assert (made.after, made.fits(limits)) == (outlook.after_rewrite, True)
    if outlook.verdict == "overflow" and made.dropped:
        assert not made.fits(limits)


@given(WILD)
def test_trace_that_is_written__has_the_messages_that_were_read(words: list[str]) -> None:
    transcript = load(words)
    ladder = build_ladder(transcript, [1] * len(transcript.frames))
    again = read_trace(write_frames(transcript, ladder), path="t.jsonl")
    assert _joints(again) == _joints(transcript)


def _joints(transcript: Transcript) -> list[bool]:
    """Whether each frame is of the message in front of it."""
    frames = transcript.frames
    return [one.message == other.message for one, other in pairwise(frames)]
