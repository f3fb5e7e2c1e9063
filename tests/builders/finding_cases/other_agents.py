"""Agents that are described as data: what each of them does not read, and in which order."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any

from tests.builders.command_line import Result
from tests.builders.finding_cases.case import Case, Files, Ground, Words
from tests.builders.trees import Link

RULES = "# Rules\n"
CLAUDE = ("chain", "--agent", "claude")
GEMINI = ("chain", "--agent", "gemini", "--agent-option", "skip-trust")
OPENCODE = ("chain", "--agent", "opencode")
PYTHON = "**/*.py"


def _in(words: Words, folder: str) -> Words:
    return (*words, "-C", folder)


def _imports(depth: int) -> Files:
    """CLAUDE.md, and files that import each other in a row of that length."""
    names = ["CLAUDE.md", *(f"n{number}.md" for number in range(1, depth + 1))]
    texts = {name: f"@{following}\n" for name, following in pairwise(names)}
    return {**texts, names[-1]: RULES}


def _opencode(**settings: Any) -> Files:
    return {"opencode.json": json.dumps(settings), "docs/style.md": RULES}


def _rule(paths: str) -> Files:
    return {".claude/rules/web.md": f"---\npaths: {paths}\n---\n# Rule\n"}


def _all(files: Files) -> Any:
    def ask(ground: Ground) -> Result:
        ground.build(files)
        words = ("chain", "--agent", "all", "-f", "json")
        return ground.command(*words, GEMINI_CLI_TRUST_WORKSPACE="true")

    return ask


def _remembered(lines: int) -> Any:
    """Claude Code's memory of the project, in the folder that it names after its path."""

    def ask(ground: Ground) -> Result:
        slug = re.sub("[^A-Za-z0-9]", "-", str(ground.root))
        ground.build({f"~/.claude/projects/{slug}/memory/MEMORY.md": "a\n" * lines})
        return ground.ask(CLAUDE)

    return ask


def _skill(place: str, head: str) -> Files:
    return {f"{place}/SKILL.md": f"---\n{head}\n---\nDo it.\n"}


def _list(agent: str) -> Words:
    return ("skills", "list", "--agent", agent)


DEPLOY = "name: deploy\ndescription: Deploys."


def _in_a_worktree(place: str) -> Any:
    """The start is a linked worktree; what only the main checkout has is in no commit."""

    def ask(ground: Ground) -> Result:
        ground.build({"CLAUDE.md": RULES})
        ground.repository.commit()
        ground.repository.git("worktree", "add", "-q", place)
        return ground.ask((*CLAUDE, "-C", place))

    return ask


OTHER_AGENT_CASES = {
    "ASM131": Case(
        {"a/CLAUDE.local.md": RULES},
        {"a/notes.md": RULES},
        _in(CLAUDE, "a"),
        base={"AGENTS.md": RULES},
    ),
    "ASM132": Case(
        {"CLAUDE.md": "@docs/style.md\n"},
        {"CLAUDE.md": "@a/style.md\n"},
        _in(CLAUDE, "a"),
        base={"docs/style.md": RULES, "a/style.md": RULES},
    ),
    "ASM133": Case(
        {"Api/GEMINI.md": RULES},
        {"api/GEMINI.md": RULES},
        _in(GEMINI, "Api"),
        _in(GEMINI, "api"),
        base={"GEMINI.md": RULES},
    ),
    "ASM134": Case(
        {".claude/rules/b.md": RULES},
        {".claude/rules.md": RULES},
        CLAUDE,
        base={".claude/rules/a.md": RULES},
    ),
    "ASM135": Case(
        {}, {}, _in(GEMINI, "a"), GEMINI, base={".gemini/settings.json": "{}", "a/x": ""}
    ),
    "ASM136": Case(
        {"a/AGENTS.md": RULES},
        {"a/CLAUDE.md": RULES},
        _in(OPENCODE, "a"),
        base={"CLAUDE.md": RULES},
    ),
    "ASM137": Case(
        {"CLAUDE.md": "@docs/styel.md\n"},
        {"CLAUDE.md": "`@docs/styel.md`\n"},
        CLAUDE,
        base={"docs/style.md": RULES},
    ),
    "ASM138": Case(_imports(5), _imports(4), CLAUDE),
    "ASM139": Case(
        {"a/AGENTS.md": Link("AGENTS.md")},
        {"a/AGENTS.md": Link("../AGENTS.md")},
        _in(OPENCODE, "a"),
        base={"AGENTS.md": RULES},
    ),
    "ASM140": Case({}, {}, ("chain", "--agent", "gemini"), GEMINI, base={"GEMINI.md": RULES}),
    "ASM141": Case(_rule(r'"\q"'), _rule(f'"{PYTHON}"'), CLAUDE),
    "ASM142": Case(_in_a_worktree(".worktrees/x"), _in_a_worktree("../x")),
    "ASM143": Case(
        {"a/AGENTS.md": RULES},
        {"a/notes.md": RULES},
        _in(OPENCODE, "a"),
        base={"AGENTS.md": RULES},
    ),
    "ASM144": Case(
        {"CLAUDE.md": "@notes.xyz\n"},
        {"CLAUDE.md": "@notes.txt\n"},
        CLAUDE,
        base={"notes.xyz": RULES, "notes.txt": RULES},
    ),
    "ASM145": Case(
        _opencode(instructions=["docs/styel.md"]),
        _opencode(instructions=["docs/style.md"]),
        OPENCODE,
    ),
    "ASM146": Case(_remembered(201), _remembered(200)),
    "ASM147": Case(
        _opencode(instructions=["https://example.org/rules.md"]),
        _opencode(instructions=["docs/style.md"]),
        OPENCODE,
    ),
    "ASM148": Case(
        {".claude/settings.json": json.dumps({"claudeMdExcludes": ["**/CLAUDE.md"]})},
        {".claude/settings.json": json.dumps({"claudeMdExcludes": ["**/OTHER.md"]})},
        CLAUDE,
        base={"CLAUDE.md": RULES},
    ),
    "ASM149": Case(
        _all({"AGENTS.md": RULES, "GEMINI.md": "# Others\n"}),
        _all({"CLAUDE.md": RULES, "AGENTS.md": Link("CLAUDE.md"), "GEMINI.md": Link("CLAUDE.md")}),
    ),
    "ASM150": Case(
        {},
        {"GEMINI.md": "@AGENTS.md\n"},
        base={
            "AGENTS.md": RULES,
            ".assembler/profile.yaml": "schema: assembler/profile/1\nagents: [gemini]\n",
        },
    ),
    "ASM236": Case(
        _skill(".opencode/skills/deploy", DEPLOY),
        _skill(".opencode/skills/other", "name: other\ndescription: Others."),
        _list("opencode"),
        base=_skill(".claude/skills/deploy", DEPLOY),
    ),
    "ASM237": Case(
        _skill(".claude/skills/group/deploy", DEPLOY),
        _skill(".claude/skills/deploy", DEPLOY),
        _list("claude"),
    ),
    "ASM238": Case(
        {},
        {},
        _in((*_list("gemini"), "--agent-option", "skip-trust"), "a"),
        (*_list("gemini"), "--agent-option", "skip-trust"),
        base={**_skill(".gemini/skills/deploy", DEPLOY), "a/x": ""},
    ),
    "ASM239": Case(
        _skill(".claude/skills/deploy", "name: deploy"),
        _skill(".claude/skills/deploy", DEPLOY),
        _list("claude"),
    ),
    "ASM240": Case(
        _skill(".opencode/skills/deploy", f"{DEPLOY}\ndisable-model-invocation: true"),
        _skill(".opencode/skills/deploy", DEPLOY),
        _list("opencode"),
    ),
}
