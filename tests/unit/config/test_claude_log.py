"""Session logs of Claude Code, as its requests held what they say."""

from __future__ import annotations

import pytest

from assembler.model.transcript import Transcript
from assembler.transcript.pairs import allowed_cuts, pair_frames
from assembler.transcript.visible import show
from tests.builders.session_logs import (
    Line,
    attachment,
    block,
    boundary,
    claude,
    outcome,
    prompt,
    read_log,
    said,
    side_by_side,
    spell,
    summary_line,
    usage,
    use,
)


def contexts(transcript: Transcript) -> list[tuple[str, int]]:
    return [
        (frame.call or frame.text, frame.context.tokens)
        for frame in transcript.frames
        if frame.context is not None
    ]


def test_turn__is_told_in_the_order_of_the_request() -> None:
    transcript = read_log(*side_by_side())
    assert transcript.form == "session-log"
    assert spell(transcript.frames) == [
        "user <system-reminder>\nrules\n</system-reminder>",
        "user go",
        "policy env",
        "tool_call A",
        "tool_call B",
        "tool_result B",
        "tool_result A",
        "policy hook",
        "assistant done",
    ]
    assert dict(transcript.parts_dropped) == {"thinking": 1}


def test_blocks_of_one_message__are_one_message_and_an_entry_each() -> None:
    transcript = read_log(*side_by_side())
    calls = [frame for frame in transcript.frames if frame.kind == "tool_call"]
    assert len({frame.message for frame in calls}) == 1
    assert [frame.entry for frame in calls] == [5, 6]
    assert transcript.entries == 10
    shown = show(transcript)
    assert not pair_frames(shown.frames).broken
    # 4 is the thinking, of which no frame was made: in front of it nothing of the message stands.
    assert allowed_cuts(shown.frames, shown.entries) == (0, 1, 2, 3, 4, 8, 9, 10)


def test_result_logged_between_two_calls__stands_behind_both() -> None:
    transcript = read_log(
        prompt("u1", None),
        block("a1", "u1", "m1", use("A")),
        outcome("r1", "a1", "A"),
        block("a2", "a1", "m1", use("B")),
        outcome("r2", "a2", "B"),
    )
    assert spell(transcript.frames)[1:] == [
        "tool_call A", "tool_call B", "tool_result A", "tool_result B"
    ]  # fmt: skip
    shown = show(transcript)
    assert allowed_cuts(shown.frames, shown.entries) == (0, 1, 5)


def test_counts__are_in_front_of_a_message_and_behind_it() -> None:
    assert contexts(read_log(*side_by_side())) == [
        ("env", 1_000), ("B", 1_050), ("hook", 1_200), ("done", 1_210)
    ]  # fmt: skip


@pytest.mark.parametrize(
    "told",
    [
        {"input_tokens": 0, "output_tokens": 0},
        {"input_tokens": -1, "output_tokens": 5},
        {"input_tokens": "9", "output_tokens": 5},
        {"input_tokens": True, "output_tokens": 5},
        {"input_tokens": 10**12, "output_tokens": 1},
        "many",
        None,
    ],
)
def test_counts_that_are_none__are_passed_over(told: Line) -> None:
    line = block("a1", "u1", "m1", said("so"))
    line["message"]["usage"] = told
    assert contexts(read_log(prompt("u1", None), line)) == []


def test_last_block__has_the_count_of_the_whole_message() -> None:
    transcript = read_log(
        prompt("u1", None),
        block("a1", "u1", "m1", said("one"), usage(100, 1)),
        block("a2", "a1", "m1", said("two"), usage(100, 40)),
    )
    assert contexts(transcript) == [("go", 100), ("two", 140)]


def test_branch_that_was_left__is_counted_and_not_read() -> None:
    transcript = read_log(
        prompt("u1", None),
        block("a1", "u1", "m1", said("one")),
        prompt("u2", "a1", "left"),
        block("a2", "u2", "m2", use("A")),
        outcome("r1", "a2", "A"),
        prompt("u3", "a1", "taken"),
        block("a3", "u3", "m3", said("two")),
    )
    assert spell(transcript.frames) == ["user go", "assistant one", "user taken", "assistant two"]
    assert dict(transcript.parts_dropped) == {"of another branch": 3}


def test_answer_that_was_asked_for_anew__is_of_another_branch() -> None:
    transcript = read_log(
        prompt("u1", None),
        block("a1", "u1", "m1", said("one")),
        block("a2", "a1", "m2", said("left")),
        prompt("u2", "a1", "more"),
    )
    assert spell(transcript.frames) == ["user go", "assistant one", "user more"]


def test_id_of_a_message_that_is_used_again__joins_nothing() -> None:
    transcript = read_log(
        prompt("u1", None),
        block("a1", "u1", "m1", said("one")),
        prompt("u2", "a1", "again"),
        block("a2", "u2", "m1", said("two")),
    )
    assert spell(transcript.frames) == ["user go", "assistant one", "user again", "assistant two"]


def test_loop_of_parents__ends() -> None:
    transcript = read_log(prompt("u1", "u2", "one"), prompt("u2", "u1", "two"))
    assert spell(transcript.frames) == ["user one", "user two"]


def test_subagent_and_unknown_lines__are_counted_by_name() -> None:
    side = prompt("s1", None, "secret-words") | {"isSidechain": True}
    transcript = read_log(
        prompt("u1", None),
        side,
        claude("content-replacement", None, None, text="secret-words"),
        claude("system", "y1", "u1", subtype="microcompact_boundary", content="secret-words"),
        claude("system", "y2", "y1", subtype="turn_duration", content="secret-words"),
        claude("<b>", None, None),
    )
    assert spell(transcript.frames) == ["user go"]
    assert dict(transcript.parts_dropped) == {
        "content-replacement": 1,
        "of a subagent": 1,
        "microcompact_boundary": 1,
        "of no type": 1,
    }


def test_log_of_a_subagent__is_read_as_one() -> None:
    lines = [line | {"isSidechain": True} for line in side_by_side()]
    transcript = read_log(*lines, prompt("u9", None, "secret-words"))
    assert transcript.frames == read_log(*side_by_side()).frames
    assert dict(transcript.parts_dropped) == {"of no subagent": 1, "thinking": 1}


def test_output_of_a_local_command__is_sent_in_the_users_name() -> None:
    transcript = read_log(
        prompt("u1", None, "caveat", isMeta=True),
        claude("system", "y1", "u1", subtype="local_command", content="output"),
    )
    assert spell(transcript.frames) == ["user caveat", "user output"]


def test_error_of_the_provider__is_in_no_request() -> None:
    refused = block("a1", "u1", "x", said("too long"), usage(30, 0)) | {"isApiErrorMessage": True}
    transcript = read_log(prompt("u1", None), refused, prompt("u2", "a1", "again"))
    assert spell(transcript.frames) == ["user go", "refusal too long", "user again"]
    assert spell(show(transcript).frames) == ["user go", "user again"]


def rewritten(*kept: str, **metadata: object) -> list[Line]:
    return [
        prompt("u1", None),
        block("a1", "u1", "m1", said("one")),
        prompt("u2", "a1", "next"),
        block("a2", "u2", "m2", use("A")),
        outcome("r1", "a2", "A"),
        boundary("c1", "r1", kept, **metadata),
        attachment("h1", "c1", "date"),
        summary_line("c2", "h1"),
        attachment("h2", "c2", "env"),
        block("a3", "h2", "m3", said("two"), usage(400, 10)),
    ]


def test_rewrite__leaves_the_lines_that_it_names_and_no_task() -> None:
    transcript = read_log(*rewritten("a2", "r1"))
    assert spell(show(transcript).frames) == [
        "compaction what was", "tool_call A", "tool_result A", "policy date", "policy env",
        "assistant two",
    ]  # fmt: skip
    (made,) = [frame.compaction for frame in transcript.frames if frame.compaction]
    assert made == (900, 300, ((1, 3),), None, True)


def test_rewrite_by_segment__leaves_what_is_between_its_ends() -> None:
    segment = {"headUuid": "a2", "tailUuid": "r1"}
    lines = rewritten(preservedSegment=segment)
    del lines[5]["compactMetadata"]["preservedMessages"]
    assert spell(show(read_log(*lines)).frames)[:3] == [
        "compaction what was", "tool_call A", "tool_result A"
    ]  # fmt: skip


def test_rewrite_that_says_nothing_of_sizes__is_estimated() -> None:
    lines = rewritten()
    lines[5]["compactMetadata"] = {}
    (made,) = [frame.compaction for frame in read_log(*lines).frames if frame.compaction]
    # "go", "one", "next", the arguments and "of A": 30 bytes; "what was": 8.
    assert (made.before_tokens, made.after_tokens) == (8, 2)
    assert made.dropped == ((1, 5),)


def test_rewrite_without_its_summary__has_none() -> None:
    lines = [line for line in rewritten() if line.get("uuid") != "c2"]
    lines[7]["parentUuid"] = "h1"
    assert spell(show(read_log(*lines)).frames)[:2] == ["compaction", "policy date"]


def test_summary_without_its_rewrite__stands_for_all_in_front() -> None:
    transcript = read_log(prompt("u1", None), summary_line("c1", "u1"), prompt("u2", "c1", "more"))
    assert spell(show(transcript).frames) == ["compaction what was", "user more"]


def test_rewrite__carries_no_count_of_the_provider() -> None:
    transcript = read_log(
        prompt("u1", None), summary_line("c1", "u1"),
        block("a1", "c1", "m1", said("so"), usage(100, 5)),
    )  # fmt: skip
    assert contexts(transcript) == [("so", 105)]


def test_shape_of_the_last_request__stands_in_front_of_all() -> None:
    shapes = [
        claude("api-request-shape", None, None, shapeHash=name, shape={
            "system": [{"type": "text", "text": f"system {name}"}],
            "tools": [{"name": f"tool {name}"}],
        })
        for name in ("x", "y")
    ]  # fmt: skip
    requests = [
        claude("api-request", None, None, id="request-m1", shapeHash="y"),
        claude("api-request", None, None, id="request-other", shapeHash="x"),
    ]
    transcript = read_log(*shapes, *requests, *side_by_side()[:-1])
    assert spell(transcript.frames)[:2] == ["policy system y", 'policy {"name":"tool y"}']
    assert [frame.entry for frame in transcript.frames][:3] == [0, 0, 1]


def test_prompt_snapshot__stands_in_where_no_shape_is_logged() -> None:
    snapshots = [
        claude("attachment", f"p{number}", None, attachment={
            "type": "prompt_snapshot", "systemPrompt": [f"rules {number}", "more"],
        })
        for number in (1, 2)
    ]  # fmt: skip
    transcript = read_log(*snapshots, prompt("u1", "p2"))
    assert spell(transcript.frames) == ["policy rules 2", "policy more", "user go"]
