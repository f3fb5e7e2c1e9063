"""Small inventories for tests, and their compilation without a store."""

from __future__ import annotations

from typing import Any

from assembler.adapters.vocabulary import open_counter
from assembler.assess.normal_form import normalise
from assembler.config.inventory import parse_inventory
from assembler.model.candidate import Absent
from assembler.model.inventory import Inventory
from assembler.pipeline import compile_inventory
from assembler.record.package import Package


def item(identifier: str, size: int | None = 1, **members: Any) -> dict[str, Any]:
    """A candidate of section evidence, with a declared size."""
    return {
        "id": identifier,
        "kind": "artifact",
        "section": "evidence",
        "trust": "repository",
        "content": {"text": f"content of {identifier}"},
        "size": None if size is None else {"value": size, "unit": "token", "basis": "declared"},
        **members,
    }


def inventory_value(
    *candidates: dict[str, Any],
    window: int = 10,
    required: tuple[str, ...] = (),
    task: dict[str, Any] | None = None,
    **members: Any,
) -> dict[str, Any]:
    """An inventory as a host gives it; counter `declared` unless `budget` says otherwise."""
    return {
        "schema": "assembler/inventory/1",
        "task": {
            "id": "t",
            "actor": "a",
            "prompt": {"name": "p", "version": "1"},
            "objective": "o",
            **(task or {}),
        },
        "budget": {"unit": "token", "counter": "declared", "window": window},
        "required": list(required),
        "candidates": list(candidates),
        **members,
    }


def measured(window: int, counter: str = "utf8-bytes", unit: str = "byte") -> dict[str, Any]:
    return {"unit": unit, "counter": counter, "window": window}


def normal_form(value: dict[str, Any]) -> tuple[Inventory, dict[str, bytes]]:
    return normalise(
        parse_inventory(value),
        read_path=lambda *_: Absent("unreadable"),
        read_object=lambda _: None,
    )


def compile_value(value: dict[str, Any]) -> Package:
    inventory, contents = normal_form(value)
    return compile_inventory(inventory, contents, lambda name: open_counter(name, None))


def reasons(package: Package) -> dict[str, str]:
    return {
        decision.candidate.id: decision.reason.value for decision in package.selection.decisions
    }
