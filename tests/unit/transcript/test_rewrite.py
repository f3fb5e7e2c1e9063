"""Where a rewrite cuts, what it leaves, and what it chooses where two cuts may be made."""

from __future__ import annotations

import json

from assembler.config.client_messages import read_messages
from assembler.model.transcript import CutRecord, Transcript, runs_of
from assembler.transcript.ladder import build_ladder
from assembler.transcript.limits import Limits
from assembler.transcript.rewrite import Rewrite, plan_rewrite
from tests.builders.transcripts import assistant, call, chat, read, read_chat, result, rewrite, user

BATCH = ("u", "aAB", "rA", "rB", "a")


def plan(
    transcript: Transcript, *, asked: int | None, ceiling: int | None = None, summary: int = 0
) -> Rewrite:
    ladder = build_ladder(transcript, [10] * len(transcript.frames))
    limits = None if ceiling is None else Limits(ceiling, ceiling, 0)
    return plan_rewrite(transcript, ladder, asked=asked, summary_tokens=summary, limits=limits)


def test_moved_cut__drops_nothing_that_was_not_asked() -> None:
    made = plan(read_chat(*BATCH), asked=3)
    assert made.cut == CutRecord(3, 1, "pair-boundary")
    assert made.dropped == ()


def test_moved_cut__goes_behind_where_only_that_fits() -> None:
    # Six frames of 10; behind the batch the task, the last words and a summary of 5 are left.
    assert plan(read_chat(*BATCH), asked=2, ceiling=60, summary=5).cut.at == 1
    made = plan(read_chat(*BATCH), asked=2, ceiling=59, summary=5)
    assert made.cut == CutRecord(2, 4, "pair-boundary")
    assert made.after == 25


def test_moved_cut__that_fits_on_neither_side_stays_in_front() -> None:
    made = plan(read_chat(*BATCH), asked=2, ceiling=24, summary=5)
    assert made.cut.at == 1
    assert made.fits(Limits(24, 24, 0)) is False


def test_what_is_left__fits_at_the_ceiling_and_not_below() -> None:
    made = plan(read_chat(*BATCH), asked=4, summary=5)
    assert made.after == 25
    assert made.fits(Limits(25, 25, 0)) is True
    assert made.fits(Limits(24, 24, 0)) is False
    assert made.fits(None) is None


def test_rule__cuts_in_front_of_the_newest_turn() -> None:
    made = plan(read_chat("u", "aA", "rA", "aBC", "rC", "rB"), asked=None)
    assert made.cut == CutRecord(None, 3, None)
    assert (made.head, made.dropped, made.tail) == ((0,), (1, 2), (3, 4, 5, 6))


def test_rule__keeps_what_a_person_said_behind_the_newest_turn() -> None:
    made = plan(read_chat("u", "a", "a", "u"), asked=None)
    assert (made.dropped, made.tail) == ((1,), (2, 3))


def test_rule__drops_nothing_where_the_model_said_nothing() -> None:
    assert plan(read_chat("u", "u"), asked=None).dropped == ()


def test_policy_that_was_said_between__is_never_dropped() -> None:
    messages = [*chat(["u", "a"]), {"role": "system", "content": "rule"}, *chat(["a", "a"])]
    transcript = read_messages(json.dumps(messages).encode(), path="m.json")
    made = plan(transcript, asked=4)
    assert (made.dropped, made.tail) == ((1, 3), (2, 4))
    assert runs_of(made.dropped) == ((2, 2), (4, 4))


def test_newest_prompt__stays_behind_the_summary() -> None:
    made = plan(read_chat("u", "aA", "rA", "a", "u", "aB", "rB", "aC", "rC"), asked=None)
    assert (made.head, made.dropped, made.tail) == ((0,), (1, 2, 3, 5, 6), (4, 7, 8))
    # Of 9 frames of 10 the task, the prompt and the newest turn are left.
    assert made.after == 40


def test_newest_prompt__is_all_that_was_said_in_a_row() -> None:
    made = plan(read_chat("u", "a", "u", "u", "a", "a"), asked=None)
    assert (made.dropped, made.tail) == ((1, 4), (2, 3, 5))


def test_prompt__that_another_one_followed_goes() -> None:
    # The newest one stands behind the cut, and is kept there.
    made = plan(read_chat("u", "a", "u", "a", "u"), asked=None)
    assert (made.dropped, made.tail) == ((1, 2), (3, 4))


def test_words_beside_results__stay_with_the_prompt_that_they_steer() -> None:
    steering = {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "A", "content": "x"},
            {"type": "text", "text": "keep the licence"},
        ],
    }
    called = {"role": "assistant", "content": [{"type": "tool_use", "id": "A", "name": "t"}]}
    messages = [*chat(["u", "a", "u"]), called, steering, *chat(["a", "a"])]
    transcript = read_messages(json.dumps(messages).encode(), path="m.json")
    made = plan(transcript, asked=None)
    assert [transcript.frames[index].kind for index in made.dropped] == [
        "assistant", "tool_call", "tool_result", "assistant",
    ]  # fmt: skip
    assert [transcript.frames[index].text for index in made.tail] == [
        "words", "keep the licence", "said",
    ]  # fmt: skip


def test_second_rewrite__counts_entries_as_the_next_request_has_them() -> None:
    transcript = read(
        user(), call("A"), result("A"), assistant(), rewrite(40, 30), assistant(), assistant()
    )
    # Task, summary, the turn that stayed, two more.
    made = plan(transcript, asked=3)
    assert (made.head, made.dropped, made.tail) == ((0,), (4, 3), (5, 6))
    assert runs_of(made.dropped) == ((4, 5),)


def test_runs__are_counted_from_1_in_order() -> None:
    assert runs_of([]) == ()
    assert runs_of([5, 0, 1, 3]) == ((1, 2), (4, 4), (6, 6))
