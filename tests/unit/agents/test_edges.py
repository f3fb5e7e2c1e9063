"""Small trees and what the real programs sent for them: settings, excludes, links, memory."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from assembler.front.agent_inputs import find_rules, load_agent
from tests.builders.agent_cases import build

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "conformance/agents/edges.json").read_bytes()
)
USUAL: dict[str, Any] = {
    "files": {},
    "home": {},
    "cwd": ".",
    "config": None,
    "expected": {"notes": []},
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_entries__are_those_that_the_program_sent(case: dict[str, Any], tmp_path: Path) -> None:
    base = Path(os.path.realpath(tmp_path))
    (base / "case.json").write_text(json.dumps(USUAL | case))
    built = build(base / "case.json", base)
    found = load_agent(
        find_rules(built.agent),
        built.cwd,
        environment=built.environment,
        options=built.options,
        system_folder=built.system_folder,
    )
    entries = [[entry.path, entry.text] for entry in found.entries]
    assert entries == [[*map(built.replace, entry)] for entry in case["entries"]]
