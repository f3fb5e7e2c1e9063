"""Calls and results: which belong together, and where a cut may fall."""

from __future__ import annotations

import pytest

from assembler.model.transcript import Transcript
from assembler.transcript.pairs import (
    MESSAGE_BOUNDARY,
    PAIR_BOUNDARY,
    CutMove,
    allowed_cuts,
    move_cut,
    pair_frames,
)
from tests.builders.transcripts import assistant, call, read, read_chat, result, user


def cuts(transcript: Transcript) -> list[int]:
    return list(allowed_cuts(transcript.frames, transcript.entries))


@pytest.mark.parametrize(
    ("words", "allowed"),
    [
        (("u",), [0, 1]),
        (("u", "a"), [0, 1, 2]),
        (("u", "aAB", "rA", "rB", "a"), [0, 1, 4, 5]),
        (("u", "aAB", "rB", "rA", "a"), [0, 1, 4, 5]),
        (("u", "aA", "rA", "aB", "rB"), [0, 1, 3, 5]),
        (("u", "aABC", "rA", "rB", "rC", "aD", "rD", "u", "a"), [0, 1, 5, 7, 8, 9]),
        # A call that can still be answered keeps the cut in front of it.
        (("u", "aA"), [0, 1]),
        (("u", "aAB", "rA"), [0, 1]),
        # One that nobody answered while the talk went on holds nothing.
        (("u", "aA", "u", "a"), [0, 1, 2, 3, 4]),
        # A result that came late, behind other words.
        (("u", "aA", "u", "rA", "a"), [0, 1, 4, 5]),
        # An id that is used again.
        (("u", "aA", "rA", "aA", "rA", "a"), [0, 1, 3, 5, 6]),
        # Two results of one call.
        (("u", "aA", "rA", "rA", "a"), [0, 1, 4, 5]),
    ],
)
def test_cut__parts_no_call_from_its_results(words: tuple[str, ...], allowed: list[int]) -> None:
    assert cuts(read_chat(*words)) == allowed


def test_cut__parts_no_message_of_a_trace() -> None:
    transcript = read(
        user(), assistant(), call("A"), call("B"), result("A"), result("B"), assistant()
    )
    assert cuts(transcript) == [0, 1, 6, 7]


def test_cut__parts_no_message_with_results_between_its_frames() -> None:
    frames = read(
        user(), call("A"), result("A"), call("B"), result("B"), assistant(), user()
    ).frames
    split = [*frames[:3], frames[3]._replace(message=frames[1].message), *frames[4:]]
    assert allowed_cuts(frames, 7) == (0, 1, 3, 5, 6, 7)
    assert allowed_cuts(split, 7) == (0, 1, 5, 6, 7)
    assert move_cut(split, 7, 3) == (CutMove(1, MESSAGE_BOUNDARY), CutMove(5, MESSAGE_BOUNDARY))
    assert move_cut(split, 7, 2) == (CutMove(1, PAIR_BOUNDARY), CutMove(5, PAIR_BOUNDARY))


def test_call_of_a_trace__begins_a_message_where_the_model_said_nothing() -> None:
    assert cuts(read(user(), call("A"), result("A"), call("B"), result("B"))) == [0, 1, 3, 5]


@pytest.mark.parametrize(
    ("asked", "before", "behind"),
    [
        (0, CutMove(0, None), CutMove(0, None)),
        (1, CutMove(1, None), CutMove(1, None)),
        (2, CutMove(1, PAIR_BOUNDARY), CutMove(4, PAIR_BOUNDARY)),
        (3, CutMove(1, PAIR_BOUNDARY), CutMove(4, PAIR_BOUNDARY)),
        (4, CutMove(4, None), CutMove(4, None)),
        (5, CutMove(5, None), CutMove(5, None)),
    ],
)
def test_asked_cut__moves_to_its_neighbours(asked: int, before: CutMove, behind: CutMove) -> None:
    transcript = read_chat("u", "aAB", "rA", "rB", "a")
    assert move_cut(transcript.frames, transcript.entries, asked) == (before, behind)


def test_asked_cut__has_none_behind_it_while_a_call_is_open() -> None:
    transcript = read_chat("u", "aAB", "rA")
    assert move_cut(transcript.frames, transcript.entries, 3) == (CutMove(1, PAIR_BOUNDARY), None)


def test_cut_between_words_and_calls_of_one_message__names_the_message() -> None:
    transcript = read(user(), assistant(), call("A"), result("A"))
    before, behind = move_cut(transcript.frames, transcript.entries, 2)
    assert before == CutMove(1, MESSAGE_BOUNDARY)
    assert behind == CutMove(4, MESSAGE_BOUNDARY)


@pytest.mark.parametrize(
    ("words", "broken"),
    [
        (("u", "aAB", "rA", "rB", "a"), []),
        (("u", "rA", "a"), [(1, False)]),
        (("u", "aAB", "rA", "u"), [(2, True)]),
        # The result stands in front of its call: both are alone.
        (("u", "rA", "aA", "a"), [(1, False), (2, True)]),
        (("u", "aA"), []),
    ],
)
def test_what_stands_alone__is_told(words: tuple[str, ...], broken: list[object]) -> None:
    assert [*pair_frames(read_chat(*words).frames).broken] == broken


def test_cut__of_nothing_is_at_0_alone() -> None:
    assert cuts(read()) == [0]
