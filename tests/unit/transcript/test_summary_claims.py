"""What a summary says beyond what it replaces, and what it lost of it."""

from __future__ import annotations

import pytest

from assembler.transcript.rendering import render_frames
from assembler.transcript.summary_claims import (
    MAX_FAULTS,
    Carried,
    Mark,
    count_carried,
    find_unsupported,
    iter_marks,
)
from tests.builders.transcripts import call, read, result, user

SAID = (
    "The limit is 600 yuan a night from 2026-09-01, see https://example.org/limits?v=2.",
    "Order A-104 must not be cancelled.",
    'It took 1,226 ms in 3 of 17 tests; "no such file" was told.',
)


def dropped(*texts: str) -> str:
    return render_frames(read(*(user(text) for text in texts)).frames)


def problems(summary: str, *texts: str) -> list[tuple[str, str]]:
    faults = find_unsupported(summary, dropped(*(texts or SAID)))
    return [(fault.mark.text, fault.problem) for fault in faults]


def test_summary_of_quotations__is_borne_out() -> None:
    assert problems("\n".join(SAID)) == []
    assert problems("\n".join(f'"{text}"' for text in SAID[:2])) == []


@pytest.mark.parametrize(
    ("changed", "by", "told"),
    [
        ("600", "601", "601"),
        ("2026-09-01", "2026-09-02", "2026-09-02"),
        ("v=2", "v=3", "https://example.org/limits?v=3"),
        ("A-104", "A-105", "A-105"),
        ("1,226", "1,227", "1227"),
        ('"no such file"', '"no such folder"', "no such folder"),
    ],
)
def test_summary_with_one_mark_changed__is_not(changed: str, by: str, told: str) -> None:
    summary = "\n".join(SAID).replace(changed, by)
    assert problems(summary) == [(told, "not-said")]


@pytest.mark.parametrize("unit", ["s", "minutes", "%", "MB", "tokens"])
def test_number_with_another_unit__is_told(unit: str) -> None:
    assert problems(f"It took 1,226 {unit}.") == [("1226", "other-unit")]


def test_unit_in_another_number__is_the_same_unit() -> None:
    assert problems("3 test failed", "of 17 tests 3 tests failed") == []
    assert problems("60%", "it was 60 %") == []


def test_number_that_was_said_without_a_unit__bears_any() -> None:
    assert problems("6 tokens", "6, said the counter") == []


@pytest.mark.parametrize("summary", ["Order A-104 must be cancelled.", "It's fine: cancel A-104."])
def test_negation_that_is_gone__is_told(summary: str) -> None:
    assert problems(summary) == [("A-104", "other-negation")]


def test_negation_that_came_in__is_told() -> None:
    assert problems("The limit is not 600 yuan") == [("600", "other-negation")]


@pytest.mark.parametrize("word", ["never", "can't", "cannot", "won\u2019t", "without", "No"])
def test_negation__is_one_by_any_of_its_words(word: str) -> None:
    assert problems(f"Order A-104 {word} be cancelled.") == []


@pytest.mark.parametrize(
    ("said", "summary"),
    [
        ("It could not reach 10.0.0.5.", "10.0.0.5 was unreachable."),
        ("Node 18 isn't supported; 20 is.", "Supported: Node 20. Node 18 is unsupported."),
        ("The threshold is 10, not 11.", "It stays at 10; 11 would be wrong."),
        ("Retry 3 of 5 failed without output.", "Retry 3 of 5 failed with nothing printed."),
        ("Budget: 20k tokens, don't go over 25k.", "The budget is 20k tokens (never over 25k)."),
        ("It does not exist (code 42703) at line 17.", "Code 42703 at line 17."),
        ("Order A-104 was never shipped.", "A-104 is not shipped."),
    ],
)  # fmt: skip
def test_negation_in_other_words__is_the_same(said: str, summary: str) -> None:
    assert [fault for fault in problems(summary, said) if fault[1] == "other-negation"] == []


@pytest.mark.parametrize(
    ("said", "summary"),
    [
        ("3 tests failed.", "3 tests did not fail."),
        ("Port 80 is unreachable.", "Port 80 is never unreachable."),
        ("Order A-104 must not be cancelled.", "Order A-104 must be cancelled."),
        ("Order A-104 must be cancelled (today).", "Order A-104 must not be cancelled (today)."),
    ],
)
def test_negation_of_the_same_words__is_told(said: str, summary: str) -> None:
    assert [fault[1] for fault in problems(summary, said)] == ["other-negation"]


def test_negation_of_another_clause__counts_for_that_alone() -> None:
    assert problems("nothing was cancelled, the limit is 600 yuan") == []
    assert problems("the limit is 600 yuan and A-104 was not touched") == []


def test_number_that_was_said_both_ways__bears_both() -> None:
    said = ("use 600", "don't use 600")
    assert problems("use 600", *said) == problems("never use 600", *said) == []


def test_spelling_of_a_number__does_not_matter() -> None:
    assert problems("1226 ms") == []
    assert problems("\u22125 degrees", "it had -5 degrees") == []


def test_part_of_a_number_or_date__is_not_the_number() -> None:
    assert problems("60", "600") == [("60", "not-said")]
    assert problems("2026", "2026-09-01") == [("2026", "not-said")]
    assert problems("104", "A-104") == [("104", "not-said")]


def test_header_of_a_frame__bears_nothing_out() -> None:
    frames = read(user(), call("A", "f7", arguments=""), result("A", "x")).frames
    assert find_unsupported("1 and f7", render_frames(frames))


def test_quotation__may_be_broken_over_lines() -> None:
    assert problems('it said "one two"', "one\n  two") == []


def test_fault__names_the_line_of_the_summary_and_each_mark_once() -> None:
    faults = find_unsupported("fine\n7 and 7\n7", dropped("x"))
    assert [(fault.line, fault.mark) for fault in faults] == [(2, Mark("number", "7"))]


@pytest.mark.parametrize("mark", ["1. ", "2) ", "  12. ", "## 3. ", "- **4.** ", "> 5. "])
def test_number_of_a_line_of_a_list__is_no_number(mark: str) -> None:
    assert problems(f"{mark}The limit is 600 yuan") == []


@pytest.mark.parametrize("line", ["7 files", "7.5 days", "123. ", "The 7. day", "-7. "])
def test_number_in_front_of_a_line__is_one_all_the_same(line: str) -> None:
    assert problems(line) != []


@pytest.mark.parametrize(
    ("short", "told"),
    [
        ("9f8e7d6", []),
        ("9f8e7d6c5b4a", []),
        ("9f8e7d", ["not-said"]),
        ("9f8e7d7", ["not-said"]),
        ("9f8e7d6c5b4a1", ["not-said"]),
        ("ffffff9", ["not-said"]),
    ],
)
def test_hash__may_be_shortened_to_seven_digits(short: str, told: list[str]) -> None:
    said = dropped("at 9f8e7d6c5b4a")
    assert [fault.problem for fault in find_unsupported(f"It is {short}", said)] == told


def test_faults__are_bounded() -> None:
    summary = "\n".join(str(number) for number in range(MAX_FAULTS + 50))
    assert len(find_unsupported(summary, dropped("x"))) == MAX_FAULTS


def test_nothing_said__needs_nothing() -> None:
    assert find_unsupported("", dropped("x")) == ()
    assert count_carried("", dropped("x")) == Carried(0, 0)


def test_carried__counts_each_mark_once_and_no_quotation() -> None:
    text = dropped('600 yuan, 600 again, 17, A-104, 2026-09-01 and "a quotation"')
    assert count_carried("600 and 18", text) == Carried(4, 1, ("17", "A-104", "2026-09-01"))


def test_mark_inside_of_quotes__is_said_and_carried_all_the_same() -> None:
    said = '{"limit": "600 yuan", "order": "A-104"}'
    assert problems("The limit is 600 yuan for A-104.", said) == []
    assert problems("The limit is 601 yuan.", said) == [("601", "not-said")]
    assert count_carried("`600` and `A-104`", dropped(said)) == Carried(2, 2)


def test_marks__of_hostile_text_take_no_time() -> None:
    for text in ("1," * 200_000, "a1" * 200_000, '"' * 200_000, "http://" * 50_000, "-1" * 200_000):
        assert sum(1 for _ in iter_marks(text)) >= 0
