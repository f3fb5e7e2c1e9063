"""Runs of inventories through the command line, and what the record has of them."""

from __future__ import annotations

import json
from typing import Any

from tests.builders.command_line import CommandLine
from tests.builders.vectors import load_vector


def run_inventory(assembler: CommandLine, value: object, *arguments: str, code: int = 0) -> str:
    result = assembler("assemble", "--inventory", "-", "-q", *arguments, stdin=json.dumps(value))
    assert result.code == code, result.talk
    return result.talk


def run_vector(assembler: CommandLine, name: str) -> None:
    run_inventory(assembler, load_vector(name)["inventory"])


def events(assembler: CommandLine, *arguments: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = assembler("log", *arguments, "--events", "-f", "json").json[
        "events"
    ]
    return found
