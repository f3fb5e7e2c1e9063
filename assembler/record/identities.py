"""The identities of a run: what was selected, why, and with which contents.

Each is SHA-256 over canonical JSON with a type tag. What each does not cover:
docs/formats/identities.md.
"""

from __future__ import annotations

from typing import NamedTuple

from assembler.model.canonical import canonical_bytes
from assembler.model.decision import Selection, decision_word
from assembler.model.digest import sha256_hex
from assembler.model.inventory import Inventory


class Identities(NamedTuple):
    """Three digests; `content_id` exists only where every selected item has content."""

    package_id: str
    trace_id: str
    content_id: str


def identify(inventory: Inventory, selection: Selection) -> Identities:
    """All three identities of a selection."""
    package_id, trace_id = identify_selection(inventory, selection)
    content = sorted(
        ({"id": item.candidate.id, "sha256": item.candidate.sha256} for item in selection.selected),
        key=lambda entry: str(entry["id"]),
    )
    content_id = _digest(
        {"type": "assembler/content-id/1", "package_id": package_id, "content": content}
    )
    return Identities(package_id=package_id, trace_id=trace_id, content_id=content_id)


def identify_selection(inventory: Inventory, selection: Selection) -> tuple[str, str]:
    """Package id and trace id; they exist before any content is looked at."""
    task = inventory.task
    package_id = _digest(
        {
            "type": "assembler/package-id/1",
            "task": task.id,
            "actor": task.actor,
            "prompt": {"name": task.prompt.name, "version": task.prompt.version},
            "objective": task.objective,
            "budget": inventory.budget.to_json(),
            "seal": inventory.seal.to_json(),
            "selected": sorted(item.candidate.id for item in selection.selected),
        }
    )
    decisions = [
        {
            "id": decision.candidate.id,
            "decision": decision_word(decision),
            "reason": decision.reason.value,
            "detail": decision.detail,
        }
        for decision in sorted(selection.decisions, key=lambda item: item.candidate.id)
    ]
    trace_id = _digest(
        {"type": "assembler/trace-id/1", "package_id": package_id, "decisions": decisions}
    )
    return package_id, trace_id


def _digest(value: object) -> str:
    return sha256_hex(canonical_bytes(value))
