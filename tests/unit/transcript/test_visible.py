"""What the next request holds of a trace."""

from __future__ import annotations

from assembler.transcript.visible import head_length, newest_turn, show, visible_frames
from tests.builders.transcripts import assistant, call, read, result, rewrite, user

RUN = (user(), call("A"), result("A"), assistant(), call("B"), result("B"))


def test_without_a_rewrite__it_is_all_that_was_said() -> None:
    frames = read(*RUN, {"frame": "end", "how": "finished"}).frames
    assert visible_frames(frames) == (0, 1, 2, 3, 4, 5)


def test_rewrite_without_a_list__keeps_the_task_and_the_newest_turn() -> None:
    assert visible_frames(read(*RUN, rewrite(9, 5)).frames) == (0, 6, 3, 4, 5)


def test_rewrite_with_a_list__drops_exactly_that() -> None:
    assert visible_frames(read(*RUN, rewrite(9, 5, dropped=[[2, 3]])).frames) == (0, 6, 3, 4, 5)
    assert visible_frames(read(*RUN, rewrite(9, 5, dropped=[[2, 6]])).frames) == (0, 6)
    assert visible_frames(read(*RUN, rewrite(9, 5, dropped=[])).frames) == (0, 6, 1, 2, 3, 4, 5)


def test_task__stays_even_where_a_rewrite_names_it() -> None:
    assert visible_frames(read(*RUN, rewrite(9, 5, dropped=[[1, 6]])).frames) == (0, 6)


def test_task__goes_where_a_rewrite_says_that_it_did() -> None:
    gone = rewrite(9, 5, dropped=[[1, 3]], drops_task=True)
    transcript = read(*RUN, gone)
    assert visible_frames(transcript.frames) == (6, 3, 4, 5)
    assert (show(transcript).entries, show(transcript).head) == (4, 0)
    assert visible_frames(read(user(), *RUN, gone).frames) == (7, 3, 4, 5, 6)


def test_part_of_the_task__may_go() -> None:
    transcript = read(user(), *RUN, rewrite(9, 5, dropped=[[2, 5]], drops_task=True))
    assert visible_frames(transcript.frames) == (0, 7, 5, 6)
    assert show(transcript).head == 1


def test_drops_task__says_nothing_without_a_list() -> None:
    frames = read(*RUN, rewrite(9, 5, drops_task=True)).frames
    assert visible_frames(frames) == (0, 6, 3, 4, 5)


def test_second_rewrite__drops_the_first_summary() -> None:
    frames = read(*RUN, rewrite(9, 5), assistant(), rewrite(9, 4)).frames
    assert visible_frames(frames) == (0, 8, 7)


def test_policy_between__is_dropped_by_no_rule() -> None:
    frames = read(
        user(), assistant(), {"frame": "policy", "text": "rule"}, assistant(), rewrite(9, 5)
    ).frames
    assert visible_frames(frames) == (0, 4, 2, 3)


def test_entries__are_numbered_anew_behind_a_rewrite() -> None:
    shown = show(read(*RUN, rewrite(9, 5), user("more")))
    assert shown.indexes == (0, 6, 3, 4, 5, 7)
    assert [frame.entry for frame in shown.frames] == [1, 2, 3, 4, 5, 6]
    assert (shown.entries, shown.head) == (6, 1)


def test_newest_turn__begins_where_its_message_does_though_results_stand_between() -> None:
    frames = read(user(), assistant(), call("A"), result("A"), call("B"), result("B")).frames
    split = [*frames[:4], frames[4]._replace(message=frames[1].message), frames[5]]
    assert newest_turn(frames, range(6)) == 4
    assert newest_turn(split, range(6)) == 1
    assert newest_turn(frames[:1], range(1)) == 1


def test_head__ends_where_the_model_begins() -> None:
    assert head_length(read(user(), user(), assistant(), user()).frames) == 2
    assert head_length(read(user(), user()).frames) == 2
    assert head_length(read().frames) == 0
