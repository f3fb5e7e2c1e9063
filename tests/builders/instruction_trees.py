"""Random trees of instruction files, good, bad and ignored, with other repositories inside."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.builders.repositories import RepositoryBuilder
from tests.builders.trees import FIFO, FOLDER, Link, write_tree

NAMES = ("AGENTS.md", "AGENTS.md", "AGENTS.md", "AGENTS.override.md", "TEAM.md")
UNREAD = ("CLAUDE.md", "CLAUDE.local.md", "agents.md", ".claude/CLAUDE.md", ".agents/AGENTS.md")
PARTS = ("a", "b", "c d", "文", "a-b")
TEXTS: tuple[Callable[[random.Random], object], ...] = (
    lambda chance: f"# Rules {chance.random()}\n\nKeep the diff small.\n",
    lambda chance: f"# Other {chance.random()}\r\n\r\nNo dependency.\r\n",
    lambda chance: "# Long\n" + "line of text\n" * chance.choice((1_000, 2_500, 3_000)) + "# End\n",
    lambda _: "x" * 32_768,
    lambda _: " \n\t\n",
    lambda _: "\ufeff# Marked\n",
    lambda _: b"# Not UTF-8 \xff\xfe\n",
    lambda _: "# Hidden \u202e and \u200b\n",
    lambda _: "# Mark </INSTRUCTIONS>\n",
    lambda _: "../AGENTS.md",
    lambda _: Link("../AGENTS.md"),
    lambda _: Link("nowhere.md"),
    lambda _: Link("../../../../../outside.md"),
    lambda _: Link("loop.md"),
    lambda _: FOLDER,
)
WEIGHTS = (12, 4, 6, 1, 3, 2, 1, 2, 1, 1, 2, 1, 1, 1, 1)
IGNORES = ("AGENTS.override.md\n", "CLAUDE.local.md\n.claude/\n", "*.md\n!/AGENTS.md\n", "build/\n")


def random_files(chance: random.Random) -> dict[str, object]:
    """Files of one tree, as `write_tree` takes them."""
    files: dict[str, object] = {"src/x.py": "x = 1\n"}
    for _ in range(chance.randint(1, 7)):
        folder = "/".join(chance.choice(PARTS) for _ in range(chance.randint(0, 3)))
        prefix = f"{folder}/" if folder else ""
        for _ in range(chance.randint(1, 3)):
            (make,) = chance.choices(TEXTS, WEIGHTS)
            _put(files, prefix + chance.choice(NAMES), make(chance))
        if chance.random() < 0.3:
            _put(files, prefix + chance.choice(UNREAD), "# For another\n")
        if chance.random() < 0.1:
            _put(files, prefix + "loop.md", Link("AGENTS.md"))
    # A folder without a file is in no listing of git; whoever made it has something in it.
    for path in [path for path, spec in files.items() if spec is FOLDER]:
        files[path + "/inside.txt"] = "x\n"
    return files


def _put(files: dict[str, object], path: str, spec: object) -> None:
    taken = any(path.startswith(f"{other}/") or other.startswith(f"{path}/") for other in files)
    if path not in files and not taken:
        files[path] = spec


def random_repository(root: Path, chance: random.Random) -> RepositoryBuilder:
    """A repository with some of its files committed, some added, some neither, some ignored."""
    repository = RepositoryBuilder(root)
    repository.write({".gitignore": chance.choice(("", *IGNORES))})
    write_tree(root, {"build/AGENTS.md": "# Built\n", "build/AGENTS.override.md": "# Built\n"})
    write_tree(root, random_files(chance))
    repository.commit()
    write_tree(root, _others(root, chance))
    if chance.random() < 0.5:
        repository.git("add", "-A")
    write_tree(root, _others(root, chance))
    _disturb(repository, chance)
    return repository


def _others(root: Path, chance: random.Random) -> dict[str, object]:
    """More files, where nothing stands yet."""
    return {
        path: spec
        for path, spec in random_files(chance).items()
        if not os.path.lexists(root / path) and (root / path).resolve().is_relative_to(root)
        and not any(parent.is_file() for parent in (root / path).parents)
    }  # fmt: skip


def _disturb(repository: RepositoryBuilder, chance: random.Random) -> None:
    """Other repositories inside, and things that git does not list."""
    root = repository.root
    if chance.random() < 0.4:
        inside = RepositoryBuilder(root / "a" / "nested")
        inside.write({"AGENTS.md": "# Of another root\n", "deep/AGENTS.md": "# Deep\n"})
        inside.commit()
    if chance.random() < 0.3:
        repository.git("worktree", "add", "-q", "--detach", "linked")
    if chance.random() < 0.3:
        (root / "b" / ".git").mkdir(parents=True, exist_ok=True)  # hollow: no repository
    if chance.random() < 0.2:
        write_tree(root, {"fifo/AGENTS.md": "# Beside a FIFO\n", "fifo/AGENTS.override.md": FIFO})
    if chance.random() < 0.2 and not (root / "c d").exists():
        (root / "c d").symlink_to("src")


def folders_below(root: Path) -> Iterator[str]:
    """Every folder that is reached without a link, `.git` left out; the root first."""
    for folder, names, _ in os.walk(root):
        names[:] = sorted(name for name in names if name != ".git")
        relative = Path(folder).relative_to(root).as_posix()
        yield "" if relative == "." else relative
