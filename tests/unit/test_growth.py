"""Growth without a clock: ten times the candidates, at most about ten times the work.

What is counted is calls into the product's own functions, and bytes handed to the counter. Work
that grew with the square would be a hundred times as much.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from types import FrameType
from typing import Any

import pytest

from assembler.adapters.vocabulary import open_counter
from assembler.pipeline import compile_inventory
from assembler.ports import Counter
from assembler.record.package import Package
from tests.builders.inventories import inventory_value, item, normal_form
from tests.builders.many import CONTRACT_LAYOUT, TEXT_LAYOUT, many_candidates

SMALL = 120
FACTOR = 10
MOST = FACTOR * 1.6
"""n log n from 120 to 1,200 is 14.8 times; the square would be 100."""


class CountingCounter:
    """Counts code points, and how many bytes it was asked about."""

    def __init__(self, counter: Counter) -> None:
        self._counter = counter
        self.name, self.unit = counter.name, counter.unit
        self.vocabulary_sha256, self.library = counter.vocabulary_sha256, counter.library
        self.asked_bytes = 0

    def count(self, text: bytes) -> int:
        self.asked_bytes += len(text)
        return self._counter.count(text)

    def count_all(self, texts: Sequence[bytes]) -> list[int]:
        return [self.count(text) for text in texts]


def calls_of(work: Callable[[], Any]) -> int:
    """How often functions were called and lines of Python were run meanwhile."""
    steps = 0

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal steps
        steps += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return steps


def compile_counting(value: dict[str, Any]) -> tuple[Package, int]:
    inventory, contents = normal_form(value)
    counter = CountingCounter(open_counter(inventory.budget.counter, None))
    package = compile_inventory(inventory, contents, lambda _: counter)
    return package, counter.asked_bytes


ORDERS = ("canonical", "decision-value")


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("layout", [TEXT_LAYOUT, CONTRACT_LAYOUT])
@pytest.mark.parametrize("counter", ["declared", "code-points"])
def test_compile__takes_steps_as_candidates_grow(counter: str, layout: str, order: str) -> None:
    steps = []
    for number in (SMALL, SMALL * FACTOR):
        value = many_candidates(number, counter=counter, layout=layout, order=order)
        steps.append(calls_of(partial(compile_counting, value)))
    small, large = steps
    assert small > SMALL
    assert large < small * MOST


@pytest.mark.parametrize("layout", [TEXT_LAYOUT, CONTRACT_LAYOUT])
def test_counter__is_asked_about_each_byte_a_few_times(layout: str) -> None:
    for number in (SMALL, SMALL * FACTOR):
        value = many_candidates(number, counter="code-points", layout=layout)
        package, asked_bytes = compile_counting(value)
        offered = sum(len(data) for data in package.objects.values())
        assert len(package.rendering.data) < asked_bytes
        assert asked_bytes < 6 * (offered + len(package.rendering.data))


def control_value(number: int) -> dict[str, Any]:
    rows = (
        item(f"p{index:05}", None, section="policy", trust="authorized",
             content={"text": f"Rule {index}."})
        for index in range(number)
    )  # fmt: skip
    budget = {"unit": "code-point", "counter": "code-points", "window": number * 10}
    return inventory_value(*rows, budget=budget, layout="control/1")


def test_control__is_priced_without_counting_the_whole_text_each_time() -> None:
    for number in (SMALL, SMALL * FACTOR):
        package, asked_bytes = compile_counting(control_value(number))
        assert 0 < len(package.selection.selected) < number
        assert asked_bytes < 6 * sum(len(data) for data in package.objects.values())


@pytest.mark.parametrize(
    "members",
    [
        {"seal": {"artifacts": ["e{}"], "lineage": ["x{}"], "calls": ["y{}"], "events": ["z{}"]}},
        {"required": ["e{}"]},
        {"task": {"topics": ["t{}"], "as_of": None}},
    ],
    ids=lambda members: next(iter(members)),
)
def test_checks__do_not_walk_a_list_of_the_terms_for_each_candidate(
    members: dict[str, Any],
) -> None:
    def value(number: int) -> dict[str, Any]:
        def filled(part: Any) -> Any:
            if isinstance(part, dict):
                return {name: filled(inner) for name, inner in part.items()}
            if isinstance(part, list):
                return [text.format(index) for text in part for index in range(number)]
            return part

        given = filled(members)
        rows = (item(f"e{index}", topics=["t0"], lineage=["l"]) for index in range(number))
        given["required"] = tuple(given.get("required", ()))
        return inventory_value(*rows, window=number, **given)

    asked: list[int] = []
    for number in (SMALL, SMALL * FACTOR):
        inventory, contents = normal_form(value(number))
        watched = Watched.of(inventory)
        compile_inventory(watched, contents, lambda name: open_counter(name, None))
        asked.append(Watched.seen)
    assert asked[1] <= asked[0] * MOST


class WatchedTuple(tuple[str, ...]):
    """A tuple that says how many of its members were looked at."""

    def __iter__(self):  # type: ignore[no-untyped-def]
        Watched.seen += len(self)
        return super().__iter__()

    def __contains__(self, value: object) -> bool:
        Watched.seen += len(self)
        return super().__contains__(value)


class Watched:
    seen = 0

    @classmethod
    def of(cls, inventory: Any) -> Any:
        cls.seen = 0
        seal = inventory.seal._replace(
            **{name: WatchedTuple(ids) for name, ids in inventory.seal.lists()}
        )
        topics = inventory.task.topics
        task = inventory.task._replace(topics=None if topics is None else WatchedTuple(topics))
        required = WatchedTuple(inventory.required)
        return inventory._replace(seal=seal, task=task, required=required)
