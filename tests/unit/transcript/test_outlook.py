"""Send, rewrite or stop; and what one turn can bring. Each edge exactly full and one over."""

from __future__ import annotations

import pytest

from assembler.config.trace import read_trace
from assembler.model.finding import Finding
from assembler.model.transcript import Transcript
from assembler.transcript.faults import find_faults
from assembler.transcript.ladder import build_ladder
from assembler.transcript.limits import SUMMARY_ALLOWANCE_TOKENS, Limits
from assembler.transcript.outlook import Outlook, judge
from assembler.transcript.shares import largest_step, possible_turn, shares_of
from tests.builders.transcripts import (
    assistant,
    call,
    counted,
    read,
    result,
    user,
    worked_example,
)

LONG = (user(), assistant(), assistant(), assistant())


def outlook(transcript: Transcript, counts: list[int], limits: Limits) -> Outlook:
    return judge(transcript, build_ladder(transcript, counts), limits)


@pytest.mark.parametrize(
    ("ceiling", "trigger", "allowance", "verdict"),
    [
        (100, 100, 10, "fits"),
        (99, 99, 10, "rewrite"),
        # 10 for the task, 30 for the newest turn, and the allowance.
        (50, 50, 10, "rewrite"),
        (49, 49, 10, "overflow"),
        (50, 50, 11, "overflow"),
        (100, 99, 10, "rewrite"),
        # Over the trigger, and no rewrite would make it smaller: it fits the ceiling, so send.
        (100, 50, 60, "fits"),
        (99, 50, 60, "overflow"),
    ],
)
def test_verdict__at_each_edge(ceiling: int, trigger: int, allowance: int, verdict: str) -> None:
    limits = Limits(ceiling, trigger, allowance)
    assert outlook(read(*LONG), [10, 30, 30, 30], limits).verdict == verdict


def test_task_alone__has_nothing_to_drop() -> None:
    assert outlook(read(user()), [10], Limits(9, 9, 0)) == Outlook("overflow", None)
    assert outlook(read(user(), assistant()), [1, 9], Limits(9, 9, 0)).after_rewrite is None


def test_policy_said_on_the_way__stays_behind_a_rewrite() -> None:
    policy = {"frame": "policy", "text": "rule"}
    told = read(user(), assistant(), policy, assistant(), assistant())
    # 10 for the task, 40 for the policy, 30 for the newest turn.
    assert outlook(told, [10, 30, 40, 30, 30], Limits(80, 80, 0)) == Outlook("rewrite", 80)
    assert outlook(told, [10, 30, 40, 30, 30], Limits(79, 79, 0)) == Outlook("overflow", 80)


def test_cut_by_the_rule_between_a_late_pair__keeps_the_newest_turn() -> None:
    # The newest turn is call B and the two results: in front of it, call A still waits for one.
    told = read(user(), assistant(), user(), call("A"), user(), call("B"), result("A"), result("B"))
    counts = [1, 10, 1, 20, 1, 20, 20, 20]
    assert outlook(told, counts, Limits(82, 82, 0)) == Outlook("rewrite", 82)
    assert outlook(told, counts, Limits(81, 81, 0)) == Outlook("overflow", 82)


def faults(data: bytes, ceiling: int, allowance: int, calls: int | None) -> tuple[Finding, ...]:
    transcript = read_trace(data, path="run.jsonl")
    ladder = build_ladder(transcript, [10] * len(transcript.frames))
    limits = Limits(ceiling, ceiling, allowance)
    turn = possible_turn(transcript, ladder, calls)
    return find_faults(transcript, ladder, limits, turn, path="run.jsonl")


def test_three_reads_in_one_turn__leave_no_room_for_a_summary_under_16_000() -> None:
    (finding,) = faults(worked_example(), 16_000, SUMMARY_ALLOWANCE_TOKENS, 3)
    assert finding.slug == "turn-exceeds-window"
    assert "708 + 15,132 = 15,840" in finding.message
    assert finding.data["needed"] == 16_840


def test_one_read_in_a_turn__leaves_room() -> None:
    assert not faults(worked_example(), 16_000, SUMMARY_ALLOWANCE_TOKENS, None)
    assert not faults(worked_example(), 16_000, SUMMARY_ALLOWANCE_TOKENS, 2)


def test_turn_that_fills_the_ceiling__is_no_finding_and_one_token_more_is() -> None:
    assert not faults(worked_example(), 15_840, 0, 3)
    assert faults(worked_example(), 15_839, 0, 3)


def test_fewer_calls_than_were_made__do_not_make_a_turn_smaller_than_it_was() -> None:
    transcript = read(user(), call("A"), call("B"), result("A"), result("B"))
    ladder = build_ladder(transcript, [1, 1, 1, 40, 50])
    step = possible_turn(transcript, ladder, 1)
    assert step is not None
    assert (step.label, step.tokens) == ("2 read", 90)


def test_what_the_model_wrote_at_once__can_be_the_largest_turn() -> None:
    transcript = read(user(), assistant(), call("A"), result("A"))
    step = largest_step(transcript, build_ladder(transcript, [1, 50, 40, 10]))
    assert step is not None
    assert (step.label, step.tokens, step.entry) == ("model", 90, 2)


def test_nothing_but_the_task__is_no_turn() -> None:
    transcript = read(user())
    ladder = build_ladder(transcript, [5])
    assert possible_turn(transcript, ladder, 7) is None


def test_shares__add_up_to_what_the_next_request_holds() -> None:
    transcript = read(user(context=counted(708)), call("A"), result("A"), user("more"), assistant())
    ladder = build_ladder(transcript, [8, 2, 90, 5, 3])
    assert shares_of(transcript, ladder) == {
        "policy and tools": 700, "read": 90, "task": 8, "model": 5, "user": 5,
    }  # fmt: skip
    assert sum(shares_of(transcript, ladder).values()) == ladder.context


def test_parted_pair__is_an_error_with_its_entry() -> None:
    transcript = read(user(), result("A"), assistant())
    ladder = build_ladder(transcript, [1, 1, 1])
    (finding,) = find_faults(transcript, ladder, None, None, path="run.jsonl")
    assert (finding.slug, finding.severity) == ("tool-pair-parted", "error")
    assert finding.data == {"entry": 2, "is_call": False, "cut": 2}
    assert finding.fix is not None
    assert "--cut 2" in finding.fix
