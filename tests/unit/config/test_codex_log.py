"""Session logs of Codex, as its requests held what they say."""

from __future__ import annotations

from assembler.model.transcript import Transcript
from assembler.transcript.pairs import allowed_cuts
from assembler.transcript.visible import show
from tests.builders.session_logs import (
    Line,
    answered,
    asked,
    codex,
    event,
    item,
    meta,
    read_log,
    record,
    rewritten_codex,
    spell,
    token_count,
    words,
)


def contexts(transcript: Transcript) -> list[tuple[str, int]]:
    return [
        (frame.call or frame.text, frame.context.tokens)
        for frame in transcript.frames
        if frame.context is not None
    ]


def test_base_instructions__stand_in_front_of_every_request() -> None:
    transcript = read_log(meta(), item(**words("user", "go")), meta("of another log"))
    assert [(frame.entry, frame.text) for frame in transcript.frames] == [(0, "base"), (1, "go")]


def test_items_of_one_response__are_one_message() -> None:
    transcript = read_log(*rewritten_codex()[:16])
    assert spell(transcript.frames) == [
        "policy base", "policy rules", "policy skills", "user env", "user go", "tool_call A",
        "tool_call B", "tool_result A", "tool_result B", "assistant done",
    ]  # fmt: skip
    first, second = (frame for frame in transcript.frames if frame.kind == "tool_call")
    assert first.message == second.message
    # Entry 4 is the reasoning, of which no frame was made.
    shown = show(transcript)
    assert allowed_cuts(shown.frames, shown.entries) == (0, 1, 2, 3, 4, 8, 9)
    assert dict(transcript.parts_dropped) == {"reasoning": 1}


def test_responses_in_a_row__are_messages_of_their_own() -> None:
    transcript = read_log(
        meta(), item(**words("assistant", "one")), record(9, 1), item(**words("assistant", "two"))
    )
    assert [frame.message for frame in transcript.frames] == [0, 1, 2]


def test_counts__are_of_the_response_in_front_of_them() -> None:
    assert contexts(read_log(*rewritten_codex()[:16])) == [
        ("go", 1_000), ("B", 1_050), ("B", 1_200), ("done", 1_210)
    ]  # fmt: skip


def test_counts_of_a_screen__stand_in_where_no_record_is_logged() -> None:
    lines = [line for line in rewritten_codex()[:16] if line["type"] != "token_usage_record"]
    assert contexts(read_log(*lines)) == contexts(read_log(*rewritten_codex()[:16]))


def test_counts_that_are_told_again__are_of_no_later_response() -> None:
    again = token_count(100, 5, total=105, whole=105)
    transcript = read_log(
        item(**words("user", "go")), item(**words("assistant", "one")), again,
        item(**words("user", "more")), item(**words("assistant", "two")), again,
    )  # fmt: skip
    assert contexts(transcript) == [("go", 100), ("one", 105)]


def test_counts_that_are_none__are_passed_over() -> None:
    lines = [item(**words("user", "go")), item(**words("assistant", "one"))]
    for told in (None, "x", {}, {"input_tokens": -4, "output_tokens": 1}, {"input_tokens": 5}):
        lines += [codex("token_usage_record", {"usage": told}), event("token_count", info=told)]
    assert contexts(read_log(*lines)) == []


def test_rewrite__leaves_what_its_history_repeats() -> None:
    transcript = read_log(*rewritten_codex())
    assert spell(show(transcript).frames) == [
        "policy rules", "policy skills", "user go", "compaction Another model said: what was",
        "user env, a day later", "user more", "assistant said",
    ]  # fmt: skip
    (made,) = [frame.compaction for frame in transcript.frames if frame.compaction]
    # Frame 1 is the base; 4 the old surroundings; the words of the summary's own request are none.
    assert made == (1_210, 700, ((4, 4), (6, 10)), None, True)
    assert contexts(transcript)[-2:] == [("more", 800), ("said", 805)]


def test_rewrite_without_a_history__leaves_what_people_and_the_host_said() -> None:
    lines = rewritten_codex()[:16]
    transcript = read_log(*lines, codex("compacted", {"message": "what was"}))
    assert spell(show(transcript).frames) == [
        "policy rules", "policy skills", "user env", "user go", "compaction what was"
    ]  # fmt: skip
    (made,) = [frame.compaction for frame in transcript.frames if frame.compaction]
    # "base", "rules", "skills", "env", "go" and "what was": 28 bytes, four a token.
    assert (made.before_tokens, made.after_tokens, made.drops_task) == (1_210, 7, False)


def test_rewrite_by_the_provider__has_no_text() -> None:
    history = [words("user", "go"), {"type": "compaction", "encrypted_content": "never read"}]
    transcript = read_log(
        *rewritten_codex()[:16], codex("compacted", {"message": "", "replacement_history": history})
    )
    assert spell(show(transcript).frames) == ["user go", "compaction"]
    assert dict(transcript.parts_dropped) == {"compaction": 1, "reasoning": 1}


def test_second_rewrite__may_keep_the_first_ones_words() -> None:
    lines = rewritten_codex()
    again = {"message": "all in all", "replacement_history": lines[19]["payload"][
        "replacement_history"
    ]}  # fmt: skip
    transcript = read_log(*lines, codex("compacted", again))
    assert spell(show(transcript).frames) == [
        "policy rules", "policy skills", "user go", "compaction all in all",
        "compaction Another model said: what was", "user env, a day later",
    ]  # fmt: skip


def test_item_of_which_a_part_is_new__is_new_as_a_whole() -> None:
    history = [words("developer", "rules", "other"), words("developer", "rules")]
    transcript = read_log(
        *rewritten_codex()[:16],
        codex("compacted", {"message": "s", "replacement_history": history}),
    )
    assert spell(show(transcript).frames) == [
        "policy rules", "compaction s", "policy rules", "policy other"
    ]  # fmt: skip


def test_same_words_said_twice__are_kept_as_often_as_they_are_repeated() -> None:
    said = [item(**words("user", "go")), item(**words("assistant", "a"))] * 2
    history = [words("user", "go")]
    once = codex("compacted", {"message": "s", "replacement_history": history})
    twice = codex("compacted", {"message": "s", "replacement_history": history * 3})
    assert spell(show(read_log(*said, once)).frames) == ["user go", "compaction s"]
    assert spell(show(read_log(*said, twice)).frames) == [
        "user go", "compaction s", "user go", "user go"
    ]  # fmt: skip


def test_failed_turn_and_stopped_turn__are_in_no_request() -> None:
    transcript = read_log(
        item(**words("user", "go")),
        event("task_complete", error={"message": "too long", "codex_error_info": "other"}),
        event("turn_aborted", reason="interrupted"),
        event("task_complete", error=None),
    )
    assert spell(transcript.frames) == ["user go", "refusal too long", "end"]
    assert transcript.frames[-1].how == "stopped"
    assert spell(show(transcript).frames) == ["user go"]


def test_call_of_the_built_in_shell__has_its_result() -> None:
    transcript = read_log(
        item(type="local_shell_call", call_id="A", action={"command": ["ls"]}), answered("A")
    )
    assert spell(transcript.frames) == ["tool_call A", "tool_result A"]
    assert transcript.frames[0].tool == "local_shell"


def test_unknown_lines_events_and_items__are_counted_by_name() -> None:
    lines: list[Line] = [
        item(**words("user", "go")),
        codex("brand_new", {"text": "secret-words"}),
        event("thread_rolled_back", num_turns=1),
        event("user_message", message="secret-words"),
        item(type="web_search_call", query="secret-words"),
        item(type="ghost_snapshot", ghost_commit="secret-words"),
        {"timestamp": "t", "type": "no_payload"},
    ]
    transcript = read_log(*lines)
    assert spell(transcript.frames) == ["user go"]
    assert dict(transcript.parts_dropped) == {
        "brand_new": 1, "no_payload": 1, "thread_rolled_back": 1, "web_search_call": 1
    }  # fmt: skip


def test_call_without_its_name__is_counted() -> None:
    transcript = read_log(item(**words("user", "go")), item(type="function_call", call_id="A"))
    assert dict(transcript.parts_dropped) == {"tool call without id or name": 1}
    assert spell(read_log(asked("A"), answered("A")).frames) == ["tool_call A", "tool_result A"]
