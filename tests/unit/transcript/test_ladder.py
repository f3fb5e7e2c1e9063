"""Sizes of frames: a provider's counts are trusted, and our own fill what it did not count."""

from __future__ import annotations

from assembler.config.trace import read_trace
from assembler.model.transcript import Transcript
from assembler.transcript.ladder import Ladder, base_tokens, build_ladder, spell_tools
from tests.builders.transcripts import (
    assistant,
    call,
    counted,
    read,
    read_chat,
    result,
    rewrite,
    user,
    worked_example,
)


def ladder_of(transcript: Transcript, *counts: int) -> Ladder:
    return build_ladder(transcript, counts or [10] * len(transcript.frames))


def steps(ladder: Ladder) -> list[tuple[str, int, int]]:
    return [(rung.label, rung.increment, rung.context) for rung in ladder.rungs]


def test_worked_example__is_its_own_ladder() -> None:
    ladder = ladder_of(read_trace(worked_example(), path="run.jsonl"))
    assert steps(ladder) == [
        ("task and tools", 708, 708),
        ("web_search", 518, 1_226),
        ("model", 82, 1_308),
        ("fetch_page", 5_044, 6_352),
    ]
    assert ladder.basis == "provider-reported"
    assert sum(ladder.sizes) + ladder.resident == 6_352


def test_nothing_said__weighs_nothing() -> None:
    ladder = ladder_of(read())
    assert (ladder.rungs, ladder.context, ladder.basis) == ((), 0, "measured")


def test_nothing_counted__is_measured_a_rung_a_message() -> None:
    transcript = read(user(), assistant(), call("A"), result("A"))
    ladder = ladder_of(transcript, 5, 1, 2, 7)
    assert steps(ladder) == [("task", 5, 5), ("model", 3, 8), ("read", 7, 15)]
    assert {rung.basis for rung in ladder.rungs} == {"measured"}


def test_stated_resident__stands_in_front_of_everything() -> None:
    transcript = read(user(), resident=counted(100, "measured"))
    ladder = ladder_of(transcript, 5)
    assert (ladder.resident, ladder.context, ladder.basis) == (100, 105, "measured")


def test_first_count__less_what_was_said_is_policy_and_tools() -> None:
    ladder = ladder_of(read(user(context=counted(708))), 8)
    assert (ladder.resident, ladder.sizes) == (700, (8,))


def test_first_count_below_our_own__is_spread_and_leaves_nothing_for_tools() -> None:
    ladder = ladder_of(read(user(), user(context=counted(5))), 8, 2)
    assert (ladder.resident, ladder.sizes) == (0, (4, 1))


def test_count_of_several_frames__is_spread_by_our_own_and_adds_up() -> None:
    transcript = read(
        user(context=counted(10)),
        call("A"),
        call("B"),
        result("A"),
        result("B", context=counted(110)),
    )
    ladder = ladder_of(transcript, 10, 1, 1, 1, 4)
    # Of 100 a seventh each, and four for the last: what is left over goes to the first.
    assert ladder.sizes == (10, 15, 14, 14, 57)
    assert sum(ladder.sizes) + ladder.resident == 110
    assert ladder.rungs[-1].estimated_increment == 7


def test_frames_behind_the_last_count__are_estimated_on_top() -> None:
    ladder = ladder_of(read(user(context=counted(708)), assistant()), 8, 4)
    assert (ladder.context, ladder.basis) == (712, "estimated")


def test_count_that_fell__is_told_as_it_is() -> None:
    transcript = read(user(context=counted(50)), assistant(context=counted(40)))
    ladder = ladder_of(transcript, 5, 5)
    assert steps(ladder)[-1] == ("model", -10, 40)
    assert ladder.sizes == (5, 0)


def test_count_that_fell__takes_reasoning_first_then_what_was_said_first_and_the_task_last() -> (
    None
):
    # Reasoning of 40 in the call, 30 in the answer; of both no later request has anything.
    told = [
        user(context=counted(100)),
        call("A", context=counted(150)),
        result("A", context=counted(250)),
        assistant(context=counted(290)),
    ]

    def sizes(tokens: int) -> tuple[int, ...]:
        transcript = read(*told, user(context=counted(tokens)), resident=counted(90))
        ladder = ladder_of(transcript, 10, 10, 100, 10, 0)
        assert ladder.brought == (10, 50, 100, 40, 0)
        return (ladder.resident, *ladder.sizes)

    assert sizes(290) == (90, 10, 50, 100, 40, 0)
    assert sizes(260) == (90, 10, 50, 100, 10, 0)
    assert sizes(259) == (90, 10, 49, 100, 10, 0)
    assert sizes(220) == (90, 10, 10, 100, 10, 0)
    assert sizes(200) == (90, 10, 0, 90, 10, 0)
    assert sizes(100) == (90, 10, 0, 0, 0, 0)
    assert sizes(99) == (89, 10, 0, 0, 0, 0)
    assert sizes(9) == (0, 9, 0, 0, 0, 0)


def test_count_behind_a_rewrite__is_of_the_summary_or_of_what_nobody_counted_before() -> None:
    later = [user(), assistant(), rewrite(90, 50, dropped=[[2, 2]]), user(context=counted(80))]
    known = ladder_of(read(*later, resident=counted(20)), 5, 5, 5, 5)
    assert (known.resident, known.sizes) == (20, (5, 5, 50, 5))
    unknown = ladder_of(read(*later), 5, 5, 5, 5)
    assert (unknown.resident, unknown.sizes) == (25, (5, 5, 45, 5))


def test_label_of_many_tools__names_the_first_few() -> None:
    names = [f"t{number:02}" for number in range(9)]
    assert spell_tools([*names, "t00"]) == "2 t00, t01, t02, t03, t04, t05, t06, t07, and 1 more"
    assert spell_tools(names[:8]).count(",") == 7


def test_rewrite__voids_the_count_in_front_of_it() -> None:
    transcript = read(
        user(context=counted(700)),
        call("A"),
        result("A", context=counted(5_700)),
        assistant(),
        call("B"),
        result("B", context=counted(5_900)),
        rewrite(5_900, 1_000),
        assistant(),
    )
    ladder = ladder_of(transcript, 10, 5, 95, 10, 10, 80, 30, 7)
    # Resident 690, task 10, kept turn 200: the summary is what is left of 1,000.
    assert ladder.sizes[6] == 100
    assert steps(ladder)[-2:] == [("rewrite", -4_900, 1_000), ("model", 7, 1_007)]
    assert ladder.basis == "estimated"


def test_count_behind_a_rewrite__corrects_the_estimate_and_not_the_new_frames() -> None:
    transcript = read(
        user(context=counted(700)),
        call("A"),
        result("A", context=counted(5_700)),
        call("B"),
        result("B"),
        rewrite(5_900, 1_000),
        assistant(context=counted(1_100)),
    )
    ladder = ladder_of(transcript, 10, 5, 95, 10, 90, 30, 7)
    rung = ladder.rungs[-1]
    assert (rung.increment, rung.estimated_increment, rung.context) == (100, None, 1_100)
    assert ladder.sizes[-1] == 7
    assert ladder.basis == "provider-reported"


def test_what_no_request_holds__has_no_size() -> None:
    transcript = read(
        user(), {"frame": "refusal", "text": "too long"}, {"frame": "end", "how": "overflow"}
    )
    ladder = ladder_of(transcript, 5, 5, 5)
    assert (ladder.sizes, ladder.context) == ((5, 0, 0), 5)


def test_results_of_one_tool__are_counted_in_its_label() -> None:
    transcript = read(
        user(context=counted(1)), call("A"), call("B"), call("C", "list"),
        result("A"), result("B"), result("C", context=counted(9)),
    )  # fmt: skip
    assert ladder_of(transcript).rungs[-1].label == "list, 2 read"


def test_result_that_nobody_called__has_a_label_all_the_same() -> None:
    assert steps(ladder_of(read_chat("u", "rA")))[-1] == ("tool", 10, 20)


def test_base__is_without_a_task_that_a_rewrite_dropped() -> None:
    told = [user(), assistant()]
    kept = read(*told, rewrite(90, 50, dropped=[[1, 1]]), resident=counted(40))
    gone = read(*told, rewrite(90, 50, dropped=[[1, 1]], drops_task=True), resident=counted(40))
    assert base_tokens(kept, build_ladder(kept, [7, 3, 5])) == 47
    assert base_tokens(gone, build_ladder(gone, [7, 3, 5])) == 40
