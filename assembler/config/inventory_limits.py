"""Refuse an inventory that is too much for one run, before anything of it is on record.

In: a normal form and its contents. Out: nothing, or the defect `limit` with its place.
Never here: choosing, shortening.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from assembler.config.inventory import parse_inventory
from assembler.config.members import fail
from assembler.model.inventory import Inventory
from assembler.model.limits import MAX_ITEM_BYTES, MAX_REASON_BYTES, is_countable


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


def _check_reasons(inventory: Inventory) -> None:
    """Some reasons repeat a list of the inventory in each row: bound them before they are made.

    A row of a group names the group's rejected members, at worst each half the other; a row may
    name every asked date, or every asked topic.
    """
    members: dict[str, list[str]] = {}
    for candidate in inventory.candidates:
        if candidate.group is not None:
            members.setdefault(candidate.group, []).append(candidate.id)
    room = MAX_REASON_BYTES
    for group, ids in members.items():
        room -= len(ids) * _size_bytes(ids) // 4
        if room < 0:
            _fail_reasons("$.candidates", f"group {group} of {len(ids):,} members")
    for name in ("as_of", "topics"):
        asked = getattr(inventory.task, name) or ()
        room -= len(inventory.candidates) * _size_bytes(asked)
        if room < 0:
            _fail_reasons(f"$.task.{name}", f"{len(asked):,} of them")


def _size_bytes(texts: Iterable[str]) -> int:
    """As a list of strings in JSON takes, near enough for a bound."""
    return sum(len(text.encode("utf-8")) + 3 for text in texts)


def _fail_reasons(where: str, named: str) -> None:
    problem = f"the reasons of its rows could take over {MAX_REASON_BYTES:,} bytes"
    fail("limit", where, problem, named)
