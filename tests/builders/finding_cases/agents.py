"""What an agent of its own rules and settings makes of a tree, on a home that it has."""

from __future__ import annotations

from assembler.model.agent_skills import CODEX_SKILLS
from tests.builders.finding_cases.case import Case, Files
from tests.builders.trees import FOLDER, Link

CHAIN = ("chain", "--agent", "codex")
SKILLS = ("skills", "list", "--agent", "codex")
BELOW = {"AGENTS.md": "# Rules\n"}
SKILL = {".agents/skills/pdf/SKILL.md": "---\nname: pdf\ndescription: Reads PDF files.\n---\n"}
SYSTEM = "~/.codex/skills/.system"


def _config(text: str) -> Files:
    return {"~/.codex/config.toml": text}


def _trust(word: str) -> Files:
    return _config(f'[projects."{{ROOT}}"]\ntrust_level = "{word}"\n')


def _entry(name: str) -> Files:
    return _config(f'[[skills.config]]\nname = "{name}"\nenabled = false\n')


def _described(characters: int) -> Files:
    text = f"---\nname: pdf\ndescription: {'d' * characters}\n---\n"
    return {".agents/skills/pdf/SKILL.md": text}


def _bundled(fingerprint: str) -> Files:
    return {f"{SYSTEM}/.codex-system-skills.marker": f"{fingerprint}\n"}


AGENT_CASES = {
    "ASM111": Case(_trust("untrusted"), _trust("trusted"), CHAIN, base=BELOW),
    "ASM117": Case(
        {"AGENTS.md": "x" * 2_746}, {"AGENTS.md": "x" * 2_745}, CHAIN,
        base={"~/.codex/AGENTS.md": "x" * 30_000},
    ),
    "ASM118": Case(
        {"~/.codex/AGENTS.md": Link("AGENTS.md")}, {"~/.codex/AGENTS.md": "# Mine\n"}, CHAIN
    ),
    "ASM119": Case(
        {".codex/config.toml": "project_root_markers = []\n"},
        {".codex/config.toml": "project_doc_max_bytes = 9000\n"},
        CHAIN,
        base={**BELOW, **_trust("trusted")},
    ),
    "ASM122": Case(
        {}, {}, (*CHAIN, "-C", "link"), (*CHAIN, "-C", "a/b"),
        base={"link": Link("a/b"), "a/AGENTS.md": "# A\n", "a/b/AGENTS.md": "# B\n"},
    ),
    "ASM126": Case(
        _config('default_permissions = "careful"\n[permissions.careful]\n'),
        _config('approval_policy = "never"\n'),
        CHAIN,
        base=BELOW,
    ),
    "ASM130": Case(
        {"AGENTS.md": Link(".env")}, {"AGENTS.md": Link("env.md")}, CHAIN,
        base={".env": "A=1\n", "env.md": "A=1\n"},
    ),
    "ASM221": Case(
        {".agents/skills/csv/SKILL.md": Link("../../../csv/SKILL.md")},
        {".agents/skills/csv": Link("../../csv")},
        SKILLS,
        base={**SKILL, "csv/SKILL.md": "---\nname: csv\ndescription: Reads CSV files.\n---\n"},
    ),
    "ASM222": Case(_described(1_025), _described(1_024), SKILLS),
    "ASM223": Case(_entry("pfd"), _entry("pdf"), SKILLS, base=SKILL),
    "ASM224": Case(
        _bundled("x"), _bundled(CODEX_SKILLS.bundled_fingerprint), SKILLS,
        base={**SKILL, f"{SYSTEM}/own": FOLDER},
    ),
    "ASM225": Case(_trust("untrusted"), _trust("trusted"), SKILLS, base=SKILL),
    "ASM226": Case(
        {".agents/skills/far": Link("../../../far")}, {".agents/skills/far": Link("../../far")},
        SKILLS,
        base={
            "../far/SKILL.md": "---\nname: far\ndescription: d\n---\n",
            "far/SKILL.md": "---\nname: far\ndescription: d\n---\n",
        },
    ),
    "ASM227": Case(
        _config("[skills]\ninclude_instructions = false\n"),
        _config("[skills]\ninclude_instructions = true\n"),
        SKILLS,
        base=SKILL,
    ),
}  # fmt: skip
