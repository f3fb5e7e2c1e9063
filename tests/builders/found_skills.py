"""Skills as they are found and read in a folder on disk, without a command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assembler.adapters.folder_tree import FolderTree
from assembler.adapters.frontmatter import read_front_matter
from assembler.discover.skill_search import find_skills
from assembler.discover.skills import build_skills, skill_roots
from assembler.model.skill import Skill
from tests.builders.trees import read_entries, write_tree

HOME = ".agents/skills"


def text(name: str, description: str = "Does it.", body: str = "Body.\n") -> str:
    return f"---\nname: {name}\ndescription: {description}\n---\n\n{body}"


def load(tree: FolderTree, end: str = "", **options: Any) -> tuple[Skill, ...]:
    search = find_skills(tree, skill_roots(end, **options))
    contents = read_entries(tree, [folder.entry for folder in search.folders])
    return build_skills(search, contents, read_front_matter)


def skills_of(tmp_path: Path, files: dict[str, Any], end: str = "", **options: Any) -> list[Skill]:
    return list(load(write_tree(tmp_path, files), end, **options))
