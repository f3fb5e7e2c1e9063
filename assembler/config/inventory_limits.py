"""Refuse an inventory that is too much for one run, before anything of it is on record.

In: a normal form and its contents. Out: nothing, or the defect `limit` with its place.
Never here: choosing, shortening.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from assembler.config.inventory import parse_inventory
from assembler.config.members import fail
from assembler.model.inventory import Inventory
from assembler.model.limits import MAX_ITEM_BYTES, MAX_REASON_BYTES, MAX_REASON_ITEMS, is_countable


def check_limits(inventory: Inventory, contents: Mapping[str, bytes]) -> None:
    """Refuse a normal form that its own reader would refuse, or that is too much.

    Both doors come through here, so that what a run writes can always be compiled again.

    Raises:
        ConfigError: `inventory-limit`, or another defect, with the candidate's id.
    """
    parse_inventory(inventory.to_json())
    _check_contents(inventory, contents)
    _check_reasons(inventory)


def _check_contents(inventory: Inventory, contents: Mapping[str, bytes]) -> None:
    checked: set[str] = set()
    for candidate in inventory.candidates:
        digest = candidate.sha256
        data = contents.get(digest or "")
        if digest is None or data is None or digest in checked:
            continue
        checked.add(digest)
        if len(data) > MAX_ITEM_BYTES:
            fail("limit", "$.candidates", f"content over {MAX_ITEM_BYTES:,} bytes", candidate.id)
        if not is_countable(data):
            fail("limit", "$.candidates", "content with too long a run of blanks", candidate.id)


class _Repeated(NamedTuple):
    """What reasons could repeat of one list, at worst."""

    where: str
    named: str
    items: int
    size_bytes: int


def _check_reasons(inventory: Inventory) -> None:
    """Some reasons repeat a list of the inventory in each row: bound them before they are made."""
    items, size_bytes = MAX_REASON_ITEMS, MAX_REASON_BYTES
    for repeated in _repeated_lists(inventory):
        items -= repeated.items
        size_bytes -= repeated.size_bytes
        if items < 0 or size_bytes < 0:
            problem = (
                f"the reasons of its rows could name over {MAX_REASON_ITEMS:,} things,"
                f" or take over {MAX_REASON_BYTES:,} bytes"
            )
            fail("limit", repeated.where, problem, repeated.named)


def _repeated_lists(inventory: Inventory) -> Iterator[_Repeated]:
    """A row of a group names the group's rejected members: at worst each half the other.

    A row may name every asked date or every asked topic, and each forbidden id of its lineage.
    """
    members: dict[str, list[str]] = {}
    for candidate in inventory.candidates:
        if candidate.group is not None:
            members.setdefault(candidate.group, []).append(candidate.id)
    for group, ids in members.items():
        number = len(ids)
        named = f"group {group} of {number:,} members"
        yield _Repeated("$.candidates", named, number**2 // 4, number * _size_bytes(ids) // 4)
    rows = len(inventory.candidates)
    for name in ("as_of", "topics"):
        asked = getattr(inventory.task, name) or ()
        size_bytes = rows * _size_bytes(asked)
        yield _Repeated(f"$.task.{name}", f"{len(asked):,} of them", rows * len(asked), size_bytes)
    sealed = frozenset[str]().union(*(ids for _, ids in inventory.sealed_ids))
    shared = sum(len(sealed.intersection(item.lineage)) for item in inventory.candidates)
    # Its bytes stand in the inventory as often, whose own limit holds them.
    yield _Repeated("$.seal", f"{shared:,} times an id of a declared lineage", shared, 0)


def _size_bytes(texts: Iterable[str]) -> int:
    """As a list of strings in JSON takes, near enough for a bound."""
    return sum(len(text.encode("utf-8")) + 3 for text in texts)
