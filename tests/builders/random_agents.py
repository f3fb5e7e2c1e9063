"""Random trees for agents: names, folders, texts, imports, links and settings that decide."""

from __future__ import annotations

import json
import random
from typing import Any

FOLDERS = ("", "a/", "A/", "a/b/", "docs/", "a/docs/")
NAMES = {
    "claude": ("CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", "AGENTS.md",
               ".claude/AGENTS.md", "GEMINI.md", ".claude/rules/r.md"),
    "gemini": ("GEMINI.md", "AGENTS.md", "CLAUDE.md", ".gemini/GEMINI.md", "TEAM.md"),
    "opencode": ("AGENTS.md", "CLAUDE.md", "CONTEXT.md", "AGENTS.override.md", "x.md"),
}  # fmt: skip
PIECES = (
    "plain words", "", "# Heading", "- item", "> quote", "text @docs/x.md more", "@x.md",
    "@./x.md",
    "@../x.md", "- @a/y.md", "| @x.md | cell |", "**@x.md**", "*@x.md*", "_@x.md_", "[@x.md](y)",
    "(@x.md)", '"@x.md"', "`@x.md`", "``a ` @x.md``", "@x.md.", "@x.md,", "@x.md#part", "@x\\ y.md",
    "@nope.md", "@docs", "@~/h.md", "mail a@x.md", "@@x.md", "@x.md @a/y.md", "    @x.md",
    "\t@x.md",
    "```", "~~~", "````", "```js", "<!-- comment -->", "<!-- @x.md -->", "text <!-- in --> more",
    "<!--", "-->", "<!-- a --> tail", "  <!-- indented -->", "<div>@x.md</div>", "<div>",
    "</div>", "1. @x.md", "  - @x.md", "* a", "  @x.md", "---", "***", "a  ", "@x.md\\", "\\@x.md",
    "@a/", "@.", "@./", "@x", "@x.txt", "@x.png", "<b>@x.md</b>", "https://h/@x.md",
    "@x.md:", "@x.md;", "'@x.md'",
    "## @x.md", "@x.md<br>", "&amp;@x.md", "~~@x.md~~",
    "![@x.md](y)", "[l]: @x.md", "a\\", "\u00a0@x.md",
)  # fmt: skip
HEADS = ("", "", "", "", "---\ndescription: d\n---\n", "---\npaths: \"docs/**\"\n---\n",
         "---\n---\n", "--- \na: b\n---\n", "---\na: b\n", "\n---\na: b\n---\n", "\ufeff",
         "---\npaths: [\"**\"]\n---\n", "---\npaths: []\n---\n", "  ", "\n\n")  # fmt: skip


def random_case(agent: str, seed: int) -> dict[str, Any]:
    """A case in the form of the recorded ones."""
    draw = random.Random(f"{agent} {seed}")
    files: dict[str, Any] = {
        f"{folder}{name}": text(draw)
        for folder in draw.sample(FOLDERS, draw.randint(1, 4))
        for name in draw.sample(NAMES[agent], draw.randint(1, 3))
    }
    targets = (
        "x.md",
        "a/y.md",
        "docs/x.md",
        "a/x.md",
        "x y.md",
        "x",
        "x.txt",
        "x.png",
        "a/docs/x.md",
    )
    for name in draw.sample(targets, draw.randint(1, 6)):
        files.setdefault(name, text(draw))
    if draw.random() < 0.3:
        link = f"{draw.choice(FOLDERS)}{draw.choice(NAMES[agent])}"
        names = ["x.md", "nowhere", "../out.md", "AGENTS.md", "CLAUDE.md", "../x.md"]
        files[link] = {"symlink": draw.choice(names)}
    home = {path: text(draw) for path in draw.sample(HOMES[agent], draw.randint(0, 2))}
    if draw.random() < 0.5:
        home["h.md"] = text(draw)
    cwd = draw.choice([".", ".", "a", "A", "a/b"])
    root = draw.choice([{"init": ["."]}, {"init": ["."]}, {"init": ["a"]}, None])
    return {
        "name": str(seed), "agent": agent, "files": files, "home": home, "cwd": cwd, "git": root,
        "config": config(agent, draw, files), "expected": {"notes": []},
    }  # fmt: skip


HOMES = {
    "claude": (".claude/CLAUDE.md", ".claude/rules/u.md", ".claude/AGENTS.md"),
    "gemini": (".gemini/GEMINI.md", ".gemini/TEAM.md", ".gemini/x.md"),
    "opencode": (".config/opencode/AGENTS.md", ".claude/CLAUDE.md", ".config/opencode/x.md"),
}


def text(draw: random.Random) -> str:
    end = draw.choice(["\n", "\n", "\n", "\r\n"])
    lines = [draw.choice(PIECES) for _ in range(draw.randint(0, 7))]
    return draw.choice(HEADS) + end.join(lines) + draw.choice(["", end, end + end])


def config(agent: str, draw: random.Random, files: dict[str, Any]) -> Any:
    if draw.random() < 0.6:
        return None
    if agent == "gemini":
        name = draw.choice(
            ["TEAM.md", ["AGENTS.md", "TEAM.md"], ["x.md"], "docs/x.md", [" AGENTS.md "]]
        )
        settings = {"context": {"fileName": name}}
        if draw.random() < 0.3:
            files[".gemini/settings.json"] = json.dumps({"context": {"fileName": "AGENTS.md"}})
        if draw.random() < 0.2:
            settings["context"]["importFormat"] = draw.choice(["flat", "tree"])
        return settings
    if agent == "opencode":
        lists = [
            ["x.md"],
            ["docs/*.md"],
            ["**/x.md"],
            ["*.md", "x.md"],
            ["../x.md"],
            ["~/h.md"],
            ["{x,a/y}.md"],
            ["a/**"],
            ["./x.md", "x.md"],
            ["[xy].md"],
            ["nope.md"],
            ["a"],
        ]
        if draw.random() < 0.5:
            files[draw.choice(["opencode.json", "a/opencode.json", "opencode.jsonc"])] = json.dumps(
                {"instructions": draw.choice(lists)}
            )
        return {"instructions": draw.choice(lists)}
    place = "cc-plugin-agents-md@builtin"
    modes = ("claude-md-and-agents-md", "claude-md", "claude-md-or-agents-md")
    return draw.choice([
        {"claudeMdExcludes": [draw.choice(["**/CLAUDE.md", "{ROOT}/a/**", "**/a/CLAUDE.md"])]},
        {"pluginConfigs": {place: {"options": {"instructionFiles": draw.choice(modes)}}}},
    ])  # fmt: skip
