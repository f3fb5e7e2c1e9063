"""Words that people are told to act on: commands that exist, keys that do something."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assembler.cli.main import COMMANDS
from assembler.front.schemas import json_schema
from assembler.model.catalogue import RULES
from assembler.model.catalogue_texts import TEXTS
from assembler.model.decision import Reason
from assembler.model.reason_texts import REASONS

ROOT = Path(__file__).parents[2]
NAMES = {name for _, name, _ in COMMANDS}
SOURCES = sorted((ROOT / "assembler").rglob("*.py"))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_commands__that_a_text_names_exist(path: Path) -> None:
    for name in re.findall(r"`assembler ([a-z]+)", path.read_text(encoding="utf-8")):
        assert name in NAMES, name


@pytest.mark.parametrize("page", ["README.md", "AGENTS.md", "ARCHITECTURE.md"])
def test_commands__that_a_page_names_exist(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for name in re.findall(r"(?m)(?:^|[`|] ?)assembler ([a-z]+)", text):
        assert name in NAMES, name


def test_reasons__and_codes_are_all_explained() -> None:
    assert {reason.value for reason in Reason} <= set(REASONS)
    assert set(TEXTS) == set(RULES)


@pytest.mark.parametrize("name", ["profile", "task", "host", "artifacts"])
def test_schema__describes_every_key(name: str) -> None:
    for record, schema in json_schema(name)["$defs"].items():
        for key, described in schema["properties"].items():
            words = described.get("description") or key == "schema"
            assert words, f"{record}.{key}"
