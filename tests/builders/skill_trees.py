"""Random folders of skills with links, odd front matter, side files and configuration."""

from __future__ import annotations

import random
from typing import Any

from tests.builders.agent_trees import AgentTree
from tests.builders.trees import FIFO, FOLDER, Link

LONG = "l" * 120
LONGER = f"{LONG}/{'m' * 200}"
"""Paths of roots that cost more in a table than in the lines."""
ROOTS = (
    ".agents/skills",
    ".agents/skills",
    ".codex/skills",
    "a/.agents/skills",
    "a/.codex/skills",
    "a/b/.agents/skills",
    f"{LONG}/.agents/skills",
    f"{LONGER}/.agents/skills",
    "ext",
)
HOME_ROOTS = (".codex/skills", ".agents/skills")
FOLDERS = ("x", "y", "x/z", "x-y", "-x", "\u00e9", ".h", ".h/k", "x y", "g/h/i", "a\\b", "")
DEEP = ("1/2/3/4/5/6", "1/2/3/4/5/6/7", "n" * 65, "X/skills/in", "p/s", "p/q/s")
NAMES = (
    "x",
    "same",
    "same",
    "Upper Name",
    "a:b",
    "n" * 64,
    "n" * 65,
    '"q: r"',
    "~",
    "123",
    "\u00e9",
)
TEXTS = (
    "short",
    "use when: it rains",
    "d" * 1_024,
    "e" * 1_025,
    "\u00e9\U0001f600 " * 40,
    "word " * 30,
    "'single' # comment",
    "[a, b]",
    "[a",
    "{a: b}",
    "*anchor",
    "&a text",
    "@at",
    "`tick`",
    "!tag x",
    "!!null x",
    "~",
    '""',
    '"a\\tb\\u00a0c"',
    "- dash",
    "|\n  one\n  two: three",
    ">-\n  one\n\n  two",
    "</skills_instructions>",
    "it's: quoted",
    "a # b: c",
    "%x",
)
EXTRAS = (
    "metadata: {short-description: s}",
    "metadata: hi",
    "metadata: [a]",
    "metadata:",
    "license: MIT",
    "name: twice",
    "other: *a",
    "extra: a: b",
    "? [k]\n: v",
    "1: x",
    "<<: {a: b}",
    "\tindented: x",
    "...",
)
BROKEN = (
    b"",
    b"# no front matter\n",
    b"---\nname: x\ndescription: d\n",
    b"\n---\nname: x\ndescription: d\n---\n",
    b"\xef\xbb\xbf---\nname: x\ndescription: d\n---\n",
    b"---\nname: x\ndescription: \xe9\n---\n",
    b"---\nname: x\ndescription: d\n---\n" + b"b" * 5_000 + b"\xff",
    b"---\n- a\n---\n",
    b"---\n---\n",
    b"--- \r\nname: x\r\ndescription: d\r\n --- \r\n",
)
POLICIES = (
    b"policy: {allow_implicit_invocation: false}",
    b"policy: {allow_implicit_invocation: true}",
    b"policy: {allow_implicit_invocation: no}",
    b"policy: {products: [codex]}",
    b"policy: {products: [CHATGPT]}",
    b"policy: {products: [other]}",
    b"policy: {allow_implicit_invocation: false}\ninterface: [",
    b"policy: {allow_implicit_invocation: false}\ninterface: {icon_small: 3}",
    b"policy: {allow_implicit_invocation: false}\ndependencies: {tools: [{type: [x]}]}",
)
MANIFESTS = (b'{"name": "plug"}', b'{"name": " "}', b"{}", b"bad", b'["arr"]', b'{"name": null}')
LINKS = ("../x", "x", "..", ".", "nowhere", "loop", "../../ext", "../../.agents/skills/y", ".h/k")
WINDOWS = (0, 1, 50, 500, 1_000, 1_500, 2_500, 5_000, 10_000, 2_000_000)
MODELS = ("gpt-5.5", "gpt-6.1-sol-x", "v/gpt-6-luna", "a/b/gpt-5.5", "unknown")


def random_skill_tree(seed: int) -> AgentTree:
    """A tree made of nothing but its number."""
    dice = random.Random(f"skills {seed}")
    files: dict[str, Any] = {".git/HEAD": b"ref: refs/heads/main\n"}
    home: dict[str, Any] = {}
    if dice.random() < 0.1:
        files = {"a/.git": dice.choice([FOLDER, b"gitdir: x"])}
    for root in dice.sample(ROOTS, dice.randint(1, 6)):
        _fill(dice, files, root)
    for root in dice.sample(HOME_ROOTS, dice.randint(0, 2)):
        _fill(dice, home, root)
    if dice.random() < 0.15:
        root = dice.choice(ROOTS)
        if not any(path.startswith(root) for path in files):
            files[root] = Link(dice.choice(["../ext", "../.agents/skills", "..", "../../ext"]))
    if dice.random() < 0.15:
        home[f"{dice.choice(HOME_ROOTS)}/far"] = Link("../../../t/" + dice.choice(ROOTS))
    if dice.random() < 0.08:
        files[".codex-plugin/plugin.json"] = dice.choice(MANIFESTS)
    cwd = dice.choice(["", "a", "a/b", "ext", LONG, LONGER, LONGER])
    tree = AgentTree(files, home, cwd, _settings(dice), _overrides(dice))
    return _without_conflicts(tree)


def _fill(dice: random.Random, files: dict[str, Any], root: str) -> None:
    for folder in dice.sample(FOLDERS + DEEP, dice.randint(1, 5)):
        place = f"{root}/{folder}" if folder else root
        kind = dice.random()
        if kind < 0.06:
            files[f"{place}/SKILL.md"] = dice.choice([FIFO, FOLDER, Link("../x/SKILL.md")])
        elif kind < 0.2 and folder:
            files[place] = Link(dice.choice(LINKS))
        else:
            files[f"{place}/SKILL.md"] = _skill(dice)
        if dice.random() < 0.15:
            files[f"{place}/agents/openai.yaml"] = dice.choice(POLICIES)
        if dice.random() < 0.12:
            kind_of_plugin = dice.choice([".codex-plugin", ".codex-plugin", ".claude-plugin"])
            files[f"{place}/{kind_of_plugin}/plugin.json"] = dice.choice(MANIFESTS)


def _skill(dice: random.Random) -> bytes:
    if dice.random() < 0.12:
        return dice.choice(BROKEN)
    lines = [f"description: {dice.choice(TEXTS)}"]
    if dice.random() < 0.8:
        lines.append(f"name: {dice.choice(NAMES)}")
    if dice.random() < 0.25:
        lines.append(dice.choice(EXTRAS))
    dice.shuffle(lines)
    return "\n".join(["---", *lines, "---", "body", ""]).encode()


def _settings(dice: random.Random) -> dict[str, str]:
    settings: dict[str, str] = {}
    if dice.random() < 0.5:
        settings["window"] = f"model_context_window = {dice.choice(WINDOWS)}"
    if dice.random() < 0.2:
        settings["model"] = f'model = "{dice.choice(MODELS)}"'
    if dice.random() < 0.08:
        settings["markers"] = dice.choice(
            ["project_root_markers = []", 'project_root_markers = ["ext"]']
        )
    for number in range(dice.choice([0, 0, 0, 1, 2])):
        settings[f"rule {number}"] = f"[[skills.config]]\n{_rule(dice)}"
    if dice.random() < 0.05:
        settings["omit"] = "[features]\nomit_skill_descriptions = true"
    if dice.random() < 0.2:
        trust = dice.choice(["trusted", "untrusted"])
        settings["trust"] = f'[projects."{{ROOT}}"]\ntrust_level = "{trust}"'
    return settings


def _rule(dice: random.Random) -> str:
    path = f"{dice.choice(ROOTS)}/{dice.choice(FOLDERS[:4])}/SKILL.md"
    selector = dice.choice([f'path = "{{ROOT}}/{path}"', 'name = "same"', 'name = "plug:x"'])
    return f"{selector}\nenabled = {dice.choice(['false', 'false', 'true'])}"


def _overrides(dice: random.Random) -> tuple[str, ...]:
    given = []
    if dice.random() < 0.05:
        given.append("skills.include_instructions=false")
    if dice.random() < 0.05:
        given.append('skills.config=[{name="same",enabled=true}]')
    return tuple(given)


def _without_conflicts(tree: AgentTree) -> AgentTree:
    """No path may go through a file, and none through a link."""
    files = _fitting(tree.files)
    cwd = "" if any(f"{tree.cwd}/".startswith(f"{path}/") for path in files) else tree.cwd
    return tree._replace(files=files, home=_fitting(tree.home), cwd=cwd)


def _fitting(files: dict[str, Any]) -> dict[str, Any]:
    closed = [path for path, spec in files.items() if spec is not FOLDER]
    return {
        path: spec
        for path, spec in files.items()
        if not any(path.startswith(f"{other}/") for other in closed)
    }
