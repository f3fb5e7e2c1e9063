"""Every recorded skill, beside the verdict of the reference library on it.

The recordings lie beside the repository; without them these tests are skipped.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assembler.adapters.frontmatter import read_front_matter
from assembler.discover.skill_search import find_skills
from assembler.discover.skills import build_skills, skill_roots
from assembler.model.skill import Skill
from tests.builders.skill_cases import CASES, UNBOUND, write_case
from tests.builders.trees import read_entries

# What we say of those cases; the reasons stand in docs/decisions/0019.
OURS: dict[str, set[str]] = {
    "alias_bomb": {"invalid_yaml"},
    "close_glued_to_text": {"frontmatter_unclosed"},
    "compatibility_empty": {"compatibility_empty"},
    "cr_only_lines": {"no_frontmatter"},
    "crlf_lines": set(),
    "description_literal_1024_plus_newline": {"description_too_long"},
    "description_triple_dash_inside": set(),
    "flow_list_allowed_tools": set(),
    "flow_mapping_metadata": set(),
    "four_dash_open": {"no_frontmatter"},
    "indented_close": {"frontmatter_unclosed"},
    "invalid_utf8_body": {"not_utf8"},
    "invalid_utf8_description": {"not_utf8"},
    "lowercase_filename": {"missing_file"},
    "merge_key": {"invalid_yaml"},
    "nel_separator_in_description": set(),
    "nul_in_frontmatter": {"invalid_yaml"},
    "open_same_line_key": {"no_frontmatter"},
    "reserved_word_claude": set(),
    "skill_md_is_directory": {"missing_file"},
    "unknown_disable_model_invocation": {"unexpected_fields"},
    "utf16_file": {"not_utf8"},
    "whole_frontmatter_json": set(),
}
OTHER_PROPERTIES = {
    "description_triple_dash_inside": "Before --- after the dashes",
    "nel_separator_in_description": "one\x85two",
}
"""Descriptions that the library reads another way."""


def load(root: Path, case: dict[str, Any]) -> Skill | None:
    tree = write_case(root, case)
    search = find_skills(tree, skill_roots("", roots=("skills",)))
    contents = read_entries(tree, [found.entry for found in search.folders])
    return next(iter(build_skills(search, contents, read_front_matter)), None)


@pytest.mark.parametrize(
    "path", sorted(CASES.glob("*.json")) or [None], ids=lambda path: path and path.stem
)
def test_check__agrees_with_the_reference_library(tmp_path: Path, path: Path | None) -> None:
    if path is None:
        pytest.skip("the recorded skills are not here (../shared/cases/skills)")
    case = json.loads(path.read_bytes())
    name, expected = case["name"], case["expected"]

    skill = load(tmp_path, case)

    kinds = {"missing_file"} if skill is None else {error.kind for error in skill.errors}
    if UNBOUND.isdisjoint(case["tags"]):
        assert kinds == set(expected["errors"])
        assert name not in OURS
        assert (skill and skill.properties) == expected["properties"]
    else:
        assert kinds == OURS[name]
    if skill is None or expected["properties"] is None:
        return
    if name in OTHER_PROPERTIES:
        assert skill.properties == {
            **expected["properties"],
            "description": OTHER_PROPERTIES[name],
        }
    elif kinds == set(expected["errors"]) or "compatibility_empty" in kinds:
        assert skill.properties == expected["properties"]
