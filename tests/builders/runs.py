"""Runs of inventories through the command line, and what the record has of them."""

from __future__ import annotations

import json
from typing import Any

from tests.builders.command_line import CommandLine, Result
from tests.builders.vectors import load_vector


def run_inventory(assembler: CommandLine, value: object, *arguments: str, code: int = 0) -> str:
    result = run(assembler, value, "-q", *arguments)
    assert result.code == code, result.talk
    return result.talk


def run_vector(assembler: CommandLine, name: str) -> None:
    run_inventory(assembler, load_vector(name)["inventory"])


def events(assembler: CommandLine, *arguments: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = assembler("log", *arguments, "--events", "-f", "json").json[
        "events"
    ]
    return found


def run(assembler: CommandLine, value: object, *arguments: str) -> Result:
    """Compile an inventory, whatever comes of it."""
    return assembler("assemble", "--inventory", "-", *arguments, stdin=json.dumps(value))


def compiled(assembler: CommandLine, value: object, *arguments: str) -> Any:
    """The JSON document of a run that compiles."""
    result = run(assembler, value, "-f", "json", *arguments)
    assert result.code == 0, result.talk
    return result.json


def rows_of(document: Any) -> dict[str, Any]:
    """Its ledger by id."""
    return {row["id"]: row for row in document["ledger"]}
