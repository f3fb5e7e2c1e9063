"""What changed between two runs of a task: the pins of both, and the event that lets it in.

A run pins its instruction files, skills and tools. Rules: docs/formats/events.md.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from assembler.model.canonical import canonical_record

TRANSITION_SCHEMA: Final = "assembler/transition/1"
_LINE_KIND: Final = "skill-entry"
_TOOL_KINDS: Final = frozenset({"tool", "mcp-tool", _LINE_KIND})
_ACTIVE_KINDS: Final = frozenset({"skill", "skill-reference"})
_NAMED_DIGEST: Final = re.compile(r"sha256:([0-9a-f]{64})")


class Pin(NamedTuple):
    """One pinned thing: its content, and the digest of what stands behind it."""

    content_sha256: str | None
    """None for a line of the catalog that a ceiling dropped."""
    named_sha256: str | None
    """The last digest that its version names: a tool's definition, a skill's folder."""


class Change(NamedTuple):
    """A pin that differs; a digest that is None was not there, or is no longer."""

    what: str
    """The kind of the candidate."""
    name: str
    """Its id."""
    old_sha256: str | None
    new_sha256: str | None


def find_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[Change, ...]:
    """The pins that differ between two inventories in normal form.

    An active skill counts where both runs have it: to activate one that is in the catalog
    already changes no pin.

    Returns:
        Sorted by `what`, then `name`.
    """
    before, after = _pins_of(old), _pins_of(new)
    changes = []
    for key in sorted({*before, *after}):
        one, other = before.get(key), after.get(key)
        if key[0] in _ACTIVE_KINDS and (one is None or other is None):
            continue
        # What stands behind the two says more than what is shown of it.
        pairs = ((_named(one), _named(other)), (_content(one), _content(other)))
        differing = next((pair for pair in pairs if pair[0] != pair[1]), None)
        if differing is not None:
            changes.append(Change(*key, *differing))
    return tuple(changes)


def write_transition(
    from_sha256: str, to_sha256: str, changes: Sequence[Change], reason: str
) -> bytes:
    """The payload of `context.transitioned`."""
    return canonical_record(
        {
            "schema": TRANSITION_SCHEMA,
            "from": from_sha256,
            "to": to_sha256,
            "changes": [change._asdict() for change in changes],
            "reason": reason,
        }
    )


def _pins_of(inventory: Mapping[str, Any]) -> dict[tuple[str, str], Pin]:
    pins = {}
    for candidate in inventory["candidates"]:
        kind, content = candidate["kind"], candidate["content"]
        is_policy = candidate["section"] == "policy"
        named = _NAMED_DIGEST.findall(candidate["version"] or "")
        is_dropped = kind == _LINE_KIND and "sha256" not in content and named
        if is_dropped or (
            "sha256" in content and (is_policy or kind in _TOOL_KINDS | _ACTIVE_KINDS)
        ):
            pin = Pin(content.get("sha256"), named[-1] if named else None)
            pins[kind, candidate["id"]] = pin
    return pins


def _named(pin: Pin | None) -> str | None:
    return None if pin is None else pin.named_sha256 or pin.content_sha256


def _content(pin: Pin | None) -> str | None:
    return None if pin is None else pin.content_sha256
