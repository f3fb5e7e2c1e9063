"""Instruction files: what a walk cuts, loses, hides and misreads, and what their text holds."""

from __future__ import annotations

import subprocess

from tests.builders.command_line import Result
from tests.builders.finding_cases.case import Case, Files, Ground, HardLink
from tests.builders.secrets import make_tokens
from tests.builders.trees import FOLDER, Link

LIMIT_BYTES = 32_768
RULES = "# Rules\n"
BELOW = {"AGENTS.md": RULES}
LIMIT = "schema: assembler/profile/1\ninstructions: {limit_bytes: "


def _tracked(*, ignored: bool) -> Files:
    return {"AGENTS.md": RULES, ".gitignore": "AGENTS.md\n" if ignored else "*.o\n"}


def _commit_and_check(files: Files, ground: Ground) -> Result:
    ground.build(files)
    ground.repository.commit()
    return ground.ask(("check",))


def _check_inside(files: Files, ground: Ground) -> Result:
    """The repository lies in another one, which has files too."""
    subprocess.run(["git", "init", "-q", str(ground.root.parent)], check=True)
    ground.build(files)
    return ground.ask(("check",))


def _chain_without_repository(ground: Ground) -> Result:
    ground.build({"~/notes/AGENTS.md": RULES})
    return ground.ask(("chain", "-C", "{HOME}/notes"))


def _check_at_home(ground: Ground) -> Result:
    ground.build(BELOW)
    return ground.command("check", "-f", "json", HOME=str(ground.root))


def _plain_check(ground: Ground) -> Result:
    ground.build(BELOW)
    return ground.ask(("check",))


CHAIN_CASES = {
    "ASM101": Case({"AGENTS.md": "x" * (LIMIT_BYTES + 1)}, {"AGENTS.md": "x" * LIMIT_BYTES}),
    "ASM102": Case(
        {"AGENTS.md": "x" * LIMIT_BYTES},
        {"AGENTS.md": "x" * (LIMIT_BYTES - 4)},
        base={"a/AGENTS.md": "# A\n"},
        run=("-C", "a"),
    ),
    "ASM103": Case({"AGENTS.override.md": "\n"}, {"AGENTS.override.md": "# Mine\n"}, base=BELOW),
    "ASM104": Case({"AGENTS.override.md": "# Mine\n"}, {"AGENTS.local.md": "# Mine\n"}, base=BELOW),
    "ASM105": Case(
        {},
        {},
        ("chain", "-t", "a/x.py"),
        ("chain", "-C", "a", "-t", "a/x.py"),
        base={"a/AGENTS.md": RULES, "a/x.py": ""},
    ),
    "ASM106": Case(
        {"a/AGENTS.md": Link("../../far.md")},
        {"a/AGENTS.md": Link("../far.md")},
        base={"../far.md": RULES, "far.md": RULES},
        run=("-C", "a"),
    ),
    "ASM107": Case(
        {"a/AGENTS.md": Link("gone.md")},
        {"a/AGENTS.md": Link("../AGENTS.md")},
        run=("-C", "a"),
        base=BELOW,
    ),
    "ASM108": Case({"AGENTS.MD": RULES}, {"AGENTS.md": RULES}),
    "ASM109": Case({"AGENTS.md": FOLDER}, BELOW),
    "ASM110": Case({"AGENTS.md": "caf\xe9".encode("latin-1")}, {"AGENTS.md": "caf\xe9"}),
    "ASM112": Case(
        lambda ground: _commit_and_check(_tracked(ignored=True), ground),
        lambda ground: _commit_and_check(_tracked(ignored=False), ground),
    ),
    "ASM113": Case(
        {"AGENTS.md": "docs/AGENTS.md"},
        {"AGENTS.md": "See docs/AGENTS.md\n"},
        base={"docs/AGENTS.md": RULES},
    ),
    "ASM114": Case({"a/AGENTS.md": Link("../AGENTS.md")}, {"a/AGENTS.md": RULES}, base=BELOW),
    "ASM115": Case(_chain_without_repository, {"AGENTS.md": RULES}, ("chain",)),
    "ASM116": Case({"CLAUDE.md": RULES}, {"CLAUDE.md": Link("AGENTS.md")}, base=BELOW),
    "ASM120": Case({"AGENT\N{CYRILLIC CAPITAL LETTER DZE}.md": RULES}, {"AGENTS.md": RULES}),
    "ASM121": Case(
        {"a/AGENTS.md": HardLink("own.md")}, {"a/AGENTS.md": RULES}, base={"own.md": RULES}
    ),
    "ASM123": Case({"a/.git": FOLDER}, {"a/.github": FOLDER}, base={"a/AGENTS.md": RULES}),
    "ASM124": Case(_check_at_home, _plain_check),
    "ASM125": Case(
        lambda ground: _check_inside({**BELOW, "../AGENTS.md": RULES}, ground),
        lambda ground: _check_inside({**BELOW, "../notes.md": RULES}, ground),
    ),
    "ASM127": Case({".codex/config.toml": ""}, {".codex/rules.toml": ""}, base=BELOW),
    "ASM128": Case(
        {".assembler/profile.yaml": LIMIT + "0}\n"},
        {".assembler/profile.yaml": LIMIT + "8}\n"},
        base=BELOW,
    ),
    "ASM129": Case(
        {"AGENTS.md": Link(".env")},
        {"AGENTS.md": Link("env.md")},
        base={".env": "A=1\n", "env.md": "A=1\n"},
    ),
    "ASM601": Case({"AGENTS.md": "# \u202e\n"}, {"AGENTS.md": "# caf\xe9\n"}),
    "ASM602": Case(
        {"AGENTS.md": make_tokens(1)["github-token"][0]}, {"AGENTS.md": "ghp_" + "x" * 36}
    ),
    "ASM603": Case({"AGENTS.md": "</INSTRUCTIONS>\n"}, {"AGENTS.md": "</instruction>\n"}),
    "ASM604": Case({"AGENTS.md": "ma\u200bke\n"}, {"AGENTS.md": "ma ke\n"}),
    "ASM605": Case({"AGENTS.md": "<!-- also this -->\n"}, {"AGENTS.md": "<! -- no -->\n"}),
    "ASM606": Case(
        {"AGENTS.md": "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n"}, {"AGENTS.md": "a\n=======\nb\n"}
    ),
}
