"""The search for skill files: depth, links, loops, what is no regular file, bounds."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from assembler.adapters.agent_skill_scan import SkillScan, scan_skill_root
from assembler.model.agent_skills import CODEX_SKILLS, AgentSkillRules
from tests.builders.trees import FIFO, FOLDER, Link, write_tree

SKILL = b"---\nname: x\ndescription: d\n---\n"


def scan(
    tmp_path: Path,
    files: dict[str, Any],
    *,
    rules: AgentSkillRules = CODEX_SKILLS,
    follows_links: bool = True,
) -> SkillScan:
    write_tree(tmp_path, {"root": FOLDER, **files})
    found = scan_skill_root(str(tmp_path / "root"), rules, follows_links=follows_links)
    assert found is not None
    return found


def paths(found: SkillScan) -> list[str]:
    return [file.path.removeprefix(f"{found.root}/") for file in found.files]


def test_scan__takes_the_root_itself_and_six_folders_below(tmp_path: Path) -> None:
    found = scan(
        tmp_path,
        {
            "root/SKILL.md": SKILL,
            "root/1/2/3/4/5/6/SKILL.md": SKILL,
            "root/1/2/3/4/5/6/7/SKILL.md": SKILL,
            "root/skill.md": SKILL,
            "root/.h/SKILL.md": SKILL,
        },
    )

    assert paths(found) == ["SKILL.md", "1/2/3/4/5/6/SKILL.md"]


def test_links__lead_into_folders_once_and_to_no_file(tmp_path: Path) -> None:
    found = scan(
        tmp_path,
        {
            "out/far/SKILL.md": SKILL,
            "root/alias": Link("sup/real"),
            "root/sup/real/SKILL.md": SKILL,
            "root/far": Link("../out"),
            "root/here": Link("."),
            "root/up": Link(".."),
            "root/loop": Link("loop"),
            "root/dead": Link("nowhere"),
            "root/file/SKILL.md": Link("../../out/far/SKILL.md"),
            "root/lost/SKILL.md": Link("nowhere"),
        },
    )

    assert paths(found) == ["alias/SKILL.md", "far/far/SKILL.md"]
    assert [(name.path.split("/")[-2], name.kind) for name in found.skipped] == [
        ("file", "link"),
        ("lost", "link"),
    ]


def test_links__are_not_followed_where_the_agent_writes(tmp_path: Path) -> None:
    files = {"out/SKILL.md": SKILL, "root/a": Link("../out"), "root/b/SKILL.md": SKILL}

    assert paths(scan(tmp_path, files, follows_links=False)) == ["b/SKILL.md"]


def test_special_files__are_told_and_not_opened(tmp_path: Path) -> None:
    found = scan(tmp_path, {"root/a/SKILL.md": FIFO, "root/b/SKILL.md/SKILL.md": SKILL})

    assert [name.kind for name in found.skipped] == ["special-file", "folder"]
    assert paths(found) == ["b/SKILL.md/SKILL.md"]


def test_bound__of_folders_counts_the_root(tmp_path: Path) -> None:
    files = {f"root/{name}/SKILL.md": SKILL for name in "abc"}
    full = scan(tmp_path, files, rules=CODEX_SKILLS._replace(max_folders=4))
    over = scan(tmp_path, {}, rules=CODEX_SKILLS._replace(max_folders=3))

    assert (len(full.files), full.bound) == (3, None)
    assert (paths(over), over.bound) == (["a/SKILL.md", "b/SKILL.md"], "folders")


def test_bound__of_names_leaves_dead_links_out(tmp_path: Path) -> None:
    files = {"root/a": Link("nowhere"), "root/.b": b"", "root/c/SKILL.md": SKILL}
    full = scan(tmp_path, files, rules=CODEX_SKILLS._replace(max_entries=3))
    over = scan(tmp_path, {}, rules=CODEX_SKILLS._replace(max_entries=2))

    assert (len(full.files), full.bound) == (1, None)
    assert (len(over.files), over.bound) == (0, "names")


def test_root__is_told_by_its_real_path(tmp_path: Path) -> None:
    write_tree(tmp_path, {"real/x/SKILL.md": SKILL, "link": Link("real"), "file": b""})

    found = scan_skill_root(str(tmp_path / "link"), CODEX_SKILLS, follows_links=True)
    assert found is not None
    assert found.root == os.path.realpath(tmp_path / "real")
    assert scan_skill_root(str(tmp_path / "file"), CODEX_SKILLS, follows_links=True) is None
    assert scan_skill_root(str(tmp_path / "none"), CODEX_SKILLS, follows_links=True) is None


def test_name__that_is_no_text_is_passed_over(tmp_path: Path) -> None:
    write_tree(tmp_path, {"root/a/SKILL.md": SKILL})
    bad = os.fsencode(tmp_path) + b"/root/b\xff"
    Path(os.fsdecode(bad)).mkdir()
    (Path(os.fsdecode(bad)) / "SKILL.md").write_bytes(SKILL)

    assert paths(scan(tmp_path, {})) == ["a/SKILL.md"]
