"""What an item costs, in the unit of the budget.

Declared sizes are read, code points and bytes are counted, and the tokens of a vocabulary,
which is not at hand here, are taken from the ledger as given.
Rules: FORMATS 2.7, 3 and 5.4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from assembler_verifier.counting import Count, counter_of
from assembler_verifier.envelope import SKELETON, render_item
from assembler_verifier.inventory import Candidate, Inventory
from assembler_verifier.objects import Objects
from assembler_verifier.places import CONTRACT, CONTROL, read_example
from assembler_verifier.plain_layouts import (
    CONTROL_SEPARATOR,
    EMPTY_CONTRACT,
    evidence_record,
    string_bytes,
)
from assembler_verifier.static_checks import RefusedError
from assembler_verifier.strict_json import canonical_string
from assembler_verifier.values import int_of, object_of


class MissingCostError(Exception):
    """A cost that only the package could give is not in it.

    Attributes:
        item: the item, or nothing for the overhead.
    """

    def __init__(self, item: str | None) -> None:
        """Keep the item."""
        super().__init__(item)
        self.item = item


class Costs(Protocol):
    """Costs of items, given what has been admitted so far."""

    overhead: int

    def measure(self, members: Sequence[Candidate]) -> list[int]:
        """Cost of each, taken in turn after all that was admitted."""
        ...

    def admit(self, members: Sequence[Candidate]) -> None:
        """Note that these are in."""
        ...


def costs_of(
    inventory: Inventory,
    objects: Objects,
    given: Mapping[str, int],
    given_overhead: int | None,
) -> Costs:
    """The costs of a run.

    Args:
        inventory: names counter and layout.
        objects: contents to be measured.
        given: costs as the ledger has them, used for a vocabulary only.
        given_overhead: overhead as the manifest has it, used for a vocabulary only.
    """
    if inventory.counter == "declared":
        return _DeclaredCosts(inventory)
    count = counter_of(inventory.counter)
    if count is None:
        return _GivenCosts(inventory, given, given_overhead)
    if inventory.layout == CONTRACT:
        return _ContractCosts(count, objects)
    if inventory.layout == CONTROL:
        return _ControlCosts(count, objects)
    return _EnvelopeCosts(count, objects)


class _DeclaredCosts:
    """Sizes as declared."""

    def __init__(self, inventory: Inventory) -> None:
        self.overhead = inventory.overhead or 0
        self._unit = inventory.unit

    def measure(self, members: Sequence[Candidate]) -> list[int]:
        return [self._size(candidate) for candidate in members]

    def admit(self, members: Sequence[Candidate]) -> None:
        """A declared size depends on nothing else."""

    def _size(self, candidate: Candidate) -> int:
        size = candidate.members["size"]
        if size is None or object_of(size)["unit"] != self._unit:
            raise RefusedError("size-undeclared", {"id": candidate.id})
        return int_of(object_of(size)["value"])


class _GivenCosts:
    """Costs that the package states and that nothing here can count."""

    def __init__(
        self, inventory: Inventory, given: Mapping[str, int], given_overhead: int | None
    ) -> None:
        if inventory.layout == CONTROL:
            given_overhead = 0
        if given_overhead is None:
            raise MissingCostError(None)
        self.overhead = given_overhead
        self._given = given

    def measure(self, members: Sequence[Candidate]) -> list[int]:
        for candidate in members:
            if candidate.digest is None:
                raise RefusedError("content-unresolved", {"id": candidate.id})
            if candidate.id not in self._given:
                raise MissingCostError(candidate.id)
        return [self._given[candidate.id] for candidate in members]

    def admit(self, members: Sequence[Candidate]) -> None:
        """A given cost depends on nothing else."""


class _EnvelopeCosts:
    """Counts of whole items, header to end line."""

    def __init__(self, count: Count, objects: Objects) -> None:
        self._count = count
        self._objects = objects
        self.overhead = count(SKELETON)

    def measure(self, members: Sequence[Candidate]) -> list[int]:
        return [
            self._count(render_item(candidate, _content(self._objects, candidate)).data)
            for candidate in members
        ]

    def admit(self, members: Sequence[Candidate]) -> None:
        """Whole items add up exactly, so none depends on another."""


class _ContractCosts:
    """Difference that an item makes to the count of the contract."""

    def __init__(self, count: Count, objects: Objects) -> None:
        self._count = count
        self._objects = objects
        self._has_evidence = False
        self.overhead = count(EMPTY_CONTRACT)

    def measure(self, members: Sequence[Candidate]) -> list[int]:
        costs = []
        has_evidence = self._has_evidence
        for candidate in members:
            content = _content(self._objects, candidate)
            if candidate.section == "evidence":
                before, quote = evidence_record(candidate, content)
                comma = b"," if has_evidence else b""
                costs.append(self._count(comma + before + quote + b"}"))
                has_evidence = True
            elif candidate.kind == "example" and candidate.section == "task":
                costs.append(self._example(content))
            else:
                costs.append(self._grown(string_bytes(content)))
        return costs

    def admit(self, members: Sequence[Candidate]) -> None:
        if any(candidate.section == "evidence" for candidate in members):
            self._has_evidence = True

    def _example(self, content: bytes) -> int:
        example = read_example(content)
        if example is None:
            return 0
        strings = (example.question, example.answer)
        return sum(self._grown(canonical_string(text).encode()) for text in strings)

    def _grown(self, string: bytes) -> int:
        # An absent part stands there as an empty string already.
        return self._count(string) - self._count(b'""')


class _ControlCosts:
    """Counts of contents, each after the first with the separator before it."""

    def __init__(self, count: Count, objects: Objects) -> None:
        self._count = count
        self._objects = objects
        self._has_items = False
        self.overhead = 0

    def measure(self, members: Sequence[Candidate]) -> list[int]:
        costs = []
        has_items = self._has_items
        for candidate in members:
            separator = CONTROL_SEPARATOR if has_items else b""
            costs.append(self._count(separator + _content(self._objects, candidate)))
            has_items = True
        return costs

    def admit(self, members: Sequence[Candidate]) -> None:
        self._has_items = self._has_items or bool(members)


def _content(objects: Objects, candidate: Candidate) -> bytes:
    content = objects.content(candidate)
    if content is None:
        raise RefusedError("content-unresolved", {"id": candidate.id})
    return content
