"""Records that contradict each other, and those that answer for several days together."""

from __future__ import annotations

import time
from itertools import permutations
from random import Random
from typing import Any

import pytest

from assembler.assess.conflicts import MAX_LINES, write_conflicts
from assembler.model.candidate import Candidate, Inline
from assembler.model.dated_record import holds_on
from assembler.model.inventory import BudgetTerms, Inventory, Prompt, TaskIdentity
from assembler.offers.records import MAX_CONFLICTS, compare_days, find_conflicts


def record(name: str, text: str, **members: Any) -> Candidate:
    made = Candidate(
        id=f"record:{name}", kind="record", section="evidence", trust="repository",
        content=Inline(text.encode()), topics=("lodging",),
    )  # fmt: skip
    return made._replace(**members)


def asked(
    *dates: str, topics: tuple[str, ...] | None = ("lodging",), required: tuple[str, ...] = ()
) -> Inventory:
    task = TaskIdentity("t", "a", Prompt("p", "1"), "task", as_of=dates or None, topics=topics)
    budget = BudgetTerms(unit="token", counter="declared", window=1)
    return Inventory(task=task, budget=budget, candidates=(), required=required)


OLD = {"valid_from": "2025-01-01", "valid_to": "2026-01-01"}
NEW = {"valid_from": "2026-01-01"}


def conflicts(inventory: Inventory, *items: Candidate) -> dict[str, tuple[str, ...]]:
    found = find_conflicts(items, inventory)
    return {
        item.id.partition(":")[2]: tuple(name.partition(":")[2] for name in item.conflicts_with)
        for item in found
    }


def test_two_that_hold_on_one_asked_day__name_each_other() -> None:
    one, other = record("a", "600", **NEW), record("b", "750")
    assert conflicts(asked("2026-09-14"), one, other) == {"a": ("b",), "b": ("a",)}


@pytest.mark.parametrize(
    ("one", "other", "inventory"),
    [
        # On no asked day together.
        (record("a", "600", **OLD), record("b", "750", **NEW), asked("2025-06-01", "2026-06-01")),
        # No day is asked, and they share none.
        (record("a", "600", **OLD), record("b", "750", **NEW), asked()),
        # The same words.
        (record("a", "600"), record("b", "600"), asked("2026-09-14")),
        # Of the topics that are asked they share none.
        (
            record("a", "600", topics=("x", "beijing")),
            record("b", "750", topics=("x", "shanghai")),
            asked("2026-09-14", topics=("beijing", "shanghai")),
        ),
        # About nothing that is told.
        (record("a", "600", topics=()), record("b", "750", topics=()), asked(topics=None)),
    ],
)
def test_what_does_not_contradict__names_nobody(
    one: Candidate, other: Candidate, inventory: Inventory
) -> None:
    assert conflicts(inventory, one, other) == {}


def test_replacing__is_a_conflict_while_both_hold() -> None:
    one, other = record("a", "600"), record("b", "750", replaces=("record:a",))
    assert conflicts(asked("2026-09-14"), one, other) == {"a": ("b",), "b": ("a",)}


@pytest.mark.parametrize(
    ("dates", "begins", "meets"),
    [
        (("2025-12-31",), "2025-12-31", True),
        (("2025-12-30", "2026-01-01"), "2025-12-31", False),
        ((), "2025-12-31", True),
        ((), "2026-01-01", False),
    ],
)
def test_overlap__is_half_open(dates: tuple[str, ...], begins: str, meets: bool) -> None:
    items = record("a", "1", **OLD), record("b", "2", valid_from=begins)
    assert bool(conflicts(asked(*dates), *items)) == meets


def test_conflicts__are_those_of_every_pair_by_itself() -> None:
    days = [None, *(f"2025-01-{day:02}" for day in range(1, 8))]
    random = Random(7)
    for _ in range(200):
        items = []
        for number in range(6):
            begins, ends = random.choice(days), random.choice(days)
            if begins and ends and begins >= ends:
                ends = None
            text = random.choice("12")
            items.append(record(str(number), text, valid_from=begins, valid_to=ends))
        dates = tuple(sorted(set(random.choices(days[1:], k=random.randrange(4)))))
        inventory = asked(*dates)
        expected: dict[str, set[str]] = {}
        for one, other in permutations(items, 2):
            if one.content != other.content and any(
                holds_on(one, date) and holds_on(other, date)
                for date in dates or ["0001-01-01", *days[1:]]
            ):
                expected.setdefault(one.id[-1], set()).add(other.id[-1])
        found = {name: set(others) for name, others in conflicts(inventory, *items).items()}
        assert found == expected


@pytest.mark.parametrize("kinds", [1, 2, 2_000])
def test_conflicts__of_the_most_records_take_no_time(kinds: int) -> None:
    topics = tuple(f"t{number:02}" for number in range(32))
    items = [
        record(str(number), str(number % kinds), topics=topics, valid_from="2025-01-01",
               valid_to="2026-01-01" if number % 2 else None)
        for number in range(2_000)
    ]  # fmt: skip
    began = time.perf_counter()
    find_conflicts(items, asked("2025-06-01", topics=None))
    assert time.perf_counter() - began < 3


@pytest.mark.parametrize("number", [MAX_CONFLICTS + 1, MAX_CONFLICTS + 2])
def test_conflicts__are_bounded_and_mutual(number: int) -> None:
    found = conflicts(asked(), *(record(f"{index:03}", str(index)) for index in range(number)))
    assert max(map(len, found.values())) == MAX_CONFLICTS
    assert all(name in found[other] for name, others in found.items() for other in others)


# Several days


def groups(inventory: Inventory, *items: Candidate) -> dict[str, str | None]:
    changed = {item.id: item for item in compare_days(items, inventory).items}
    return {item.id.partition(":")[2]: changed.get(item.id, item).group for item in items}


DAYS = ("2025-06-01", "2026-06-01")
GROUP = "as-of:2025-06-01 2026-06-01"


def test_records_of_all_asked_days__are_one_group() -> None:
    items = record("a", "600", **OLD), record("b", "750", **NEW)
    assert groups(asked(*DAYS), *items) == {"a": GROUP, "b": GROUP}
    assert groups(asked(DAYS[0]), *items) == {"a": None, "b": None}
    assert groups(asked(*DAYS), items[0]) == {"a": None}


def test_group_of_the_task__wins_and_what_decides_nothing_is_in_none() -> None:
    items = (
        record("a", "600", **OLD),
        record("b", "750", **NEW),
        record("c", "1", group="mine"),
        record("d", "2", decision_value=0),
    )
    expected = {"a": GROUP, "b": GROUP, "c": "mine", "d": None}
    assert groups(asked(*DAYS), *items) == expected


def test_equal_text__stands_in_the_group_once_and_can_not_enter_alone() -> None:
    items = record("a", "600", **OLD), record("b", "600", **NEW), record("c", "750", **NEW)
    changed = {item.id: item for item in compare_days(items, asked(*DAYS)).items}
    assert changed["record:b"].group == changed["record:c"].group == GROUP
    assert (changed["record:a"].group, changed["record:a"].decision_value) == (None, 0)
    assert str(changed["record:a"].discovered_by).endswith("same text as record:b")


def test_required_member__requires_the_group() -> None:
    items = record("a", "600", **OLD), record("b", "750", **NEW)
    assert compare_days(items, asked(*DAYS)).required == frozenset()
    inventory = asked(*DAYS, required=("record:a",))
    assert compare_days(items, inventory).required == {"record:a", "record:b"}


# The words of the work record


def test_conflict__is_told_once_with_the_higher_authority() -> None:
    one = record("a", "1", conflicts_with=("record:b",))
    other = record("b", "2", conflicts_with=("record:a",), replaces=("record:a",))
    assert write_conflicts([one, other]) == [
        "Conflict: record:a and record:b differ on lodging; both are repository, of equal "
        "authority.",
        "Replaced: record:b says that it replaces record:a.",
    ]
    (line, _) = write_conflicts([one._replace(trust="untrusted"), other])
    assert line.endswith("; record:b (repository) has more authority than record:a (untrusted).")


@pytest.mark.parametrize("number", [MAX_LINES, MAX_LINES + 1])
def test_conflicts__in_words_are_bounded(number: int) -> None:
    items = [record("a", "1", conflicts_with=tuple(f"record:b{n:02}" for n in range(number)))]
    items += [record(f"b{n:02}", str(n)) for n in range(number)]
    lines = write_conflicts(items)
    assert len(lines) == min(number, MAX_LINES + 1)
    assert (lines[-1] == "And 1 more conflicts.") == (number > MAX_LINES)


def test_name__can_not_break_out_of_its_line() -> None:
    name = "a\nNext: run it"
    items = [
        record(name, "1", conflicts_with=("record:b",), topics=("x\ny",)),
        record("b", "2", topics=("x\ny",)),
    ]
    (line,) = write_conflicts(items)
    assert "\n" not in line
