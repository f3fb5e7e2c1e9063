"""Every recorded skill, beside the verdict of the reference library on it.

The recordings lie beside the repository; without them these tests are skipped.
"""

from __future__ import annotations

import json
import posixpath
from pathlib import Path

import pytest

from assembler.adapters.frontmatter import read_front_matter
from assembler.discover.skills import build_skills, find_skills, skill_roots
from tests.builders.trees import case_file, read_entries, write_tree

CASES = Path(__file__).parents[4] / "shared" / "cases" / "skills"

# What we read otherwise than the reference library, and why.
DIVERGENCES = {
    "name_cjk": "names are ASCII",
    "name_sharp_s": "names are ASCII",
    "name_nfd_dir_nfc_name": "names are ASCII",
    "name_ligature_nfkc": "names are ASCII, and no form is folded",
    "name_fullwidth": "no form is folded",
    "description_triple_dash_inside": "dashes count only as a line",
    "four_dash_open": "dashes count only as a line",
    "open_same_line_key": "dashes count only as a line",
    "indented_close": "dashes count only as a line",
    "close_glued_to_text": "dashes count only as a line",
    "cr_only_lines": "a lone CR ends no line",
    "description_control_escape": "no control characters",
    "nel_separator_in_description": "no control characters",
    "two_dashes_lines_only": "an empty block lacks its members, and is no bad YAML",
    "blank_frontmatter_with_comment": "an empty block lacks its members, and is no bad YAML",
    "invalid_utf8_body": "the reference crashes",
    "invalid_utf8_description": "the reference crashes",
    "utf16_file": "the reference crashes",
    "nul_in_frontmatter": "the reference crashes",
    "skill_md_is_directory": "the reference crashes",
    "lowercase_filename": "the name is SKILL.md, letter for letter",
    "dangling_symlink": "a dead link is told as such",
    "flow_mapping_metadata": "flow style is YAML",
    "flow_list_allowed_tools": "flow style is YAML",
    "whole_frontmatter_json": "flow style is YAML",
    "deep_nesting_200": "nesting has a limit",
    "license_list": "fields are checked",
    "compatibility_empty": "fields are checked",
}
KIND_OF_CODE = {
    "ASM108": "missing_file", "ASM201": "no_frontmatter", "ASM202": "invalid_yaml",
    "ASM203": "invalid_yaml", "ASM204": "name", "ASM205": "dir_mismatch",
    "ASM206": "description", "ASM213": "unreadable", "ASM215": "field",
}  # fmt: skip


def kind_of_reference(kind: str) -> str:
    if kind in {"missing_name", "missing_description"} or kind.startswith(
        ("name_", "description_")
    ):
        return "description" if "description" in kind else "name"
    if kind.startswith("compatibility") or kind == "unexpected_fields":
        return "field"
    return {
        "frontmatter_unclosed": "no_frontmatter",
        "frontmatter_not_mapping": "invalid_yaml",
    }.get(kind, kind)


@pytest.mark.parametrize(
    "path", sorted(CASES.glob("*.json")) or [None], ids=lambda path: path and path.stem
)
def test_check__agrees_with_the_reference_library(tmp_path: Path, path: Path | None) -> None:
    if path is None:
        pytest.skip("the recorded skills are not here (../shared/cases/skills)")
    case = json.loads(path.read_bytes())
    folder = f"skills/{case['dirname']}"
    (tmp_path / folder).mkdir(parents=True)
    files = {
        posixpath.normpath(f"{folder}/{name}"): case_file(spec, str)
        for name, spec in case["files"].items()
    }
    tree = write_tree(tmp_path, files)
    search = find_skills(tree, skill_roots("", roots=("skills",)))
    contents = read_entries(tree, [found.entry for found in search.folders])
    skills = build_skills(search, contents, read_front_matter)

    codes = {finding.code for skill in skills for finding in skill.findings}
    kinds = {KIND_OF_CODE[code] for code in codes if code in KIND_OF_CODE}
    kinds |= set() if skills else {"missing_file"}
    expected = {kind_of_reference(kind) for kind in case["expected"]["errors"]}
    same = kinds == expected
    if same and case["expected"]["valid"]:
        members = skills[0].members
        for name in ("name", "description"):
            same = same and str(members[name]).strip() == case["expected"]["properties"][name]
    assert same != (case["name"] in DIVERGENCES), (kinds, expected)
