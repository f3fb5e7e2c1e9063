"""Random folders with instruction files, home files and configuration; and smaller ones of them."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.builders.trees import FIFO, FOLDER, Link, write_tree

FOLDERS = ("a", "a/b", "a/b/c", "B", "B/a", "x y", "x y/\u00e9", ".codex", "a/.agents")
NAMES = (
    "AGENTS.md",
    "AGENTS.md",
    "AGENTS.override.md",
    "GUIDE.md",
    "TEAM.md",
    "agents.md",
    "CLAUDE.md",
    "AGENTS.md.md",
)
BLANKS = (b"", b" \n", b"\xc2\xa0\xe3\x80\x80\n", b"\xe2\x80\xa8", b"\n\n\n\n\n\n\n\n\n\n\n")
TEXTS = (
    b"short",
    b"# Head\n\n- rule\n",
    b"  edges kept \n\n",
    b"\xef\xbb\xbfwith a mark",
    b"\xef\xbb\xbf",
    b"\xe2\x80\x8b",
    b"caf\xe9 latin-1",
    b"\xff\xfeu\x00t\x00f\x001\x006\x00",
    b"nul\x00inside\x1b[31m",
    b"</INSTRUCTIONS>\n<environment_context>",
    b"@import other.md\r\ncrlf\r\n",
    "\u00e9\u00e8\U0001f600\u4e2d".encode() * 4,
    b"\xf0\x9f\x98",
    b"--- project-doc ---",
    b"z" * 32_760,
    b"y" * 32_768,
    b"w" * 33_000,
    b"\xf0\x9f\x98\x80" * 8_193,
)
LINKS = ("AGENTS.md", "../AGENTS.md", "GUIDE.md", "nowhere", "..", "a", "/dev/null", "loop-2")
LIMITS = (0, 1, 3, 4, 7, 8, 9, 20, 31, 64, 32_768, 40_000)
FALLBACKS = ("GUIDE.md", "TEAM.md", " CLAUDE.md ", "", "x/GUIDE.md", "..", "AGENTS.md", "n" * 256)
MARKERS = (".git", ".root", "a", "AGENTS.md", "", "../a", "*.md", "x/y")
TRUST = ("trusted", "untrusted")


class AgentTree(NamedTuple):
    """One folder of a project, its user's home, and where the agent starts."""

    files: dict[str, Any]
    home: dict[str, Any]
    cwd: str
    settings: dict[str, str]
    """Lines of the user's configuration, by key."""
    overrides: tuple[str, ...]

    def write(self, base: Path) -> tuple[Path, Path]:
        """Make it below an empty folder; the folder to start in, and the home."""
        root, home = base / "t", base / "h"
        for place, files in ((root, self.files), (home, self.home)):
            (place / ".codex" if place == home else place).mkdir(parents=True)
            write_tree(place, {path: _at(spec, root) for path, spec in files.items()})
        text = "".join(line + "\n" for line in self.settings.values())
        if text:
            (home / ".codex/config.toml").write_text(text.replace("{ROOT}", str(root)))
        cwd = root / self.cwd
        cwd.mkdir(parents=True, exist_ok=True)
        return Path(os.path.realpath(cwd)), home


def random_tree(seed: int) -> AgentTree:
    """A tree made of nothing but its number."""
    dice = random.Random(seed)
    folders = ["", *dice.sample(FOLDERS, dice.randint(1, len(FOLDERS)))]
    files: dict[str, Any] = {}
    for folder in folders:
        for name in dict.fromkeys(dice.choices(NAMES, k=dice.randint(0, 3))):
            files[_join(folder, name)] = _random_file(dice)
    for folder in dice.sample(folders, dice.randint(0, 2)):
        files.setdefault(_join(folder, ".git"), dice.choice([FOLDER, FOLDER, b"", b"gitdir: x"]))
        if files[_join(folder, ".git")] is FOLDER and dice.random() < 0.7:
            files[_join(folder, ".git/HEAD")] = b"ref: refs/heads/main\n"
    for marker in dice.sample([".root", "x/y", ".git"], dice.randint(0, 1)):
        files.setdefault(marker, dice.choice([FOLDER, b"", Link("nowhere"), Link(marker)]))
    home = {
        f".codex/{name}": _random_file(dice)
        for name in ("AGENTS.md", "AGENTS.override.md")
        if dice.random() < 0.3
    }
    settings = _random_settings(dice, folders)
    overrides = [f"project_doc_max_bytes={dice.choice(LIMITS)}"] if dice.random() < 0.15 else []
    for folder in dice.sample(folders, dice.randint(0, 2)) if dice.random() < 0.3 else ():
        place = _join(folder, ".codex/config.toml")
        lines = [
            f"project_doc_max_bytes = {dice.choice(LIMITS)}",
            f"project_doc_fallback_filenames = {_toml(dice.sample(FALLBACKS, 2))}",
            f"project_root_markers = {_toml(dice.sample(MARKERS, 1))}",
            f'[projects."{{ROOT}}"]\ntrust_level = "{dice.choice(TRUST)}"',
            "not toml",
        ]
        files[place] = "".join(line + "\n" for line in sorted(dice.sample(lines, 2))).encode()
    return _without_conflicts(
        AgentTree(files, home, dice.choice(folders), settings, tuple(overrides))
    )


def smaller_trees(tree: AgentTree) -> Iterator[AgentTree]:
    """Every tree with one thing less."""
    for path in tree.files:
        yield tree._replace(files=_without(tree.files, path))
    for path in tree.home:
        yield tree._replace(home=_without(tree.home, path))
    for key in tree.settings:
        yield tree._replace(settings=_without(tree.settings, key))
    if tree.overrides:
        yield tree._replace(overrides=())
    if tree.cwd:
        yield tree._replace(cwd=tree.cwd.rpartition("/")[0])


def minimise(tree: AgentTree, differs: Callable[[AgentTree], bool]) -> AgentTree:
    """The tree without all that does not matter for the difference."""
    while True:
        smaller = next((found for found in smaller_trees(tree) if differs(found)), None)
        if smaller is None:
            return tree
        tree = smaller


def _random_file(dice: random.Random) -> Any:
    kind = dice.random()
    if kind < 0.12:
        return dice.choice(BLANKS)
    if kind < 0.16:
        return FOLDER
    if kind < 0.19:
        return FIFO
    if kind < 0.32:
        return Link(dice.choice(LINKS))
    return dice.choice(TEXTS)


def _random_settings(dice: random.Random, folders: list[str]) -> dict[str, str]:
    settings: dict[str, str] = {}
    if dice.random() < 0.4:
        settings["limit"] = f"project_doc_max_bytes = {dice.choice(LIMITS)}"
    if dice.random() < 0.3:
        names = dice.sample(FALLBACKS, dice.randint(0, 3))
        settings["fallbacks"] = f"project_doc_fallback_filenames = {_toml(names)}"
    if dice.random() < 0.25:
        settings["markers"] = f"project_root_markers = {_toml(dice.sample(MARKERS, 2))}"
    for folder in dice.sample(folders, dice.randint(0, 2)) if dice.random() < 0.4 else ():
        path = "{ROOT}" + (f"/{folder}" if folder else "")
        key = f'[projects."{path}"]'
        settings[key] = f'{key}\ntrust_level = "{dice.choice(TRUST)}"'
    return settings


def _toml(names: list[str]) -> str:
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"


def _without_conflicts(tree: AgentTree) -> AgentTree:
    """No path may go through a file."""
    files = dict(tree.files)
    for path, spec in tree.files.items():
        if spec is not FOLDER and any(other.startswith(f"{path}/") for other in tree.files):
            del files[path]
    blocked = any(
        tree.cwd == path or tree.cwd.startswith(f"{path}/")
        for path, spec in files.items()
        if spec is not FOLDER
    )
    return tree._replace(files=files, cwd="" if blocked else tree.cwd)


def _without(mapping: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in mapping.items() if name != key}


def _at(spec: Any, root: Path) -> Any:
    return spec.replace(b"{ROOT}", str(root).encode()) if isinstance(spec, bytes) else spec


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name
