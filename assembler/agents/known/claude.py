"""Claude Code, as measured on 2.1.332 (headless, Linux)."""

from __future__ import annotations

from typing import Final

from assembler.agents.rules import (
    Added,
    AgentRules,
    FileHere,
    ImportRules,
    Kind,
    Memory,
    Names,
    OnRead,
    Place,
    RulesHere,
    RulesIn,
    SettingsFile,
    SettingsRules,
    SettingText,
    Switch,
    TextRules,
    Walk,
)

_MANAGED: Final = Kind("organization-managed policy instructions", source="managed")
_USER: Final = Kind("user's private global instructions for all projects", source="user")
_PROJECT: Final = Kind("project instructions, checked into the codebase")
_LOCAL: Final = Kind("user's private project instructions, not checked in", source="local")
_MEMORY: Final = Kind("user's auto-memory, persists across conversations", source="user")

_READ_AGENTS: Final = Kind("additional context", role="system")

_CONFIG: Final = "CLAUDE_CONFIG_DIR"
_OPTION: Final = "pluginConfigs.cc-plugin-agents-md@builtin.options.instructionFiles"

_ENDINGS: Final = frozenset(  # as text, since a hundred literals would fill a page
    """.md .txt .text .json .yaml .yml .toml .xml .csv .html .htm .css .scss .sass .less .js .ts
    .tsx .jsx .mjs .cjs .mts .cts .py .pyi .pyw .rb .go .rs .java .kt .kts .scala .c .cpp .cc .cxx
    .h .hpp .hxx .cs .swift .sh .bash .zsh .fish .ps1 .bat .cmd .ini .cfg .conf .config .properties
    .sql .graphql .gql .proto .vue .svelte .astro .php .pl .lua .r .dart .ex .exs .clj .hs .elm .ml
    .cmake .gradle .rst .adoc .org .tex .lock .log .diff .patch""".split()  # noqa: SIM905
)
"""Measured: `.md .txt .json .py` and none are read, `.png .xyz` are not; the others are likely."""

RULES: Final = AgentRules(
    name="claude",
    title="Claude Code",
    version="2.1.332",
    program="claude",
    system_folder="/etc/claude-code",
    steps=(
        SettingText("claudeMd", "<managed-settings>", _MANAGED),
        Names(Place("system", ""), ("CLAUDE.md",), _MANAGED),
        RulesIn(Place("system", ".claude/rules"), _MANAGED),
        Names(Place("home", ".claude", _CONFIG), ("CLAUDE.md",), _USER),
        RulesIn(Place("home", ".claude/rules", _CONFIG), _USER),
        Walk(
            here=(
                FileHere("CLAUDE.md", _PROJECT),
                FileHere(".claude/CLAUDE.md", _PROJECT),
                RulesHere(".claude/rules", _PROJECT),
                FileHere("CLAUDE.local.md", _LOCAL),
                FileHere("AGENTS.md", _PROJECT, is_fallback=True),
                FileHere(".claude/AGENTS.md", _PROJECT, is_fallback=True),
            ),
            stop="file-system",
            order="down",
        ),
        Added(
            "add-dir",
            (
                FileHere("CLAUDE.md", _PROJECT),
                FileHere(".claude/CLAUDE.md", _PROJECT),
                RulesHere(".claude/rules", _PROJECT),
                FileHere("CLAUDE.local.md", _LOCAL),
            ),
            needs_variable="CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD",
        ),
        Memory(
            ".claude/projects/{slug}/memory/MEMORY.md",
            _MEMORY,
            variable=_CONFIG,
            most_lines=200,
            most_bytes=25_000,
        ),
    ),
    text=TextRules(drops_front_matter=True, drops_comments=True),
    settings=SettingsRules(
        files=(
            SettingsFile(Place("home", ".claude/settings.json", _CONFIG), "user"),
            SettingsFile(Place("cwd", ".claude/settings.json"), "project"),
            SettingsFile(Place("cwd", ".claude/settings.local.json"), "project"),
            SettingsFile(Place("system", "managed-settings.json"), "managed"),
        ),
        form="json",
    ),
    imports=ImportRules(
        style="appended",
        most_hops=4,
        gate="below-cwd",
        approval=("projects.{project}.hasClaudeMdExternalIncludesApproved",),
        state_file=Place("home", ".claude.json"),
        endings=_ENDINGS,
    ),
    nothing=(
        Switch(option="bare"),
        Switch(variable="CLAUDE_CODE_DISABLE_CLAUDE_MDS"),
    ),
    managed_only=Switch(setting=_OPTION, value="managed-only"),
    excludes_key="claudeMdExcludes",
    sources_option="setting-sources",
    fallback_switch=_OPTION,
    fallback_values=(
        ("claude-md-or-agents-md", "fallback"),
        ("claude-md-and-agents-md", "beside"),
        ("claude-md", "never"),
    ),
    skips_outer_checkout=True,
    on_read=OnRead(
        (
            FileHere("CLAUDE.md", _PROJECT),
            FileHere(".claude/CLAUDE.md", _PROJECT),
            RulesHere(".claude/rules", _PROJECT),
            FileHere("CLAUDE.local.md", _LOCAL),
            FileHere("AGENTS.md", _READ_AGENTS, is_fallback=True),
        ),
        "down",
        trims=False,
    ),
    framing=(("user", 193),),
    not_covered="base prompt, tools, skills, environment, git status",
    only_read=(
        "which endings of imported files are read, beside .md, .txt, .json, .py and none (read) "
        "and .png and .xyz (not read)",
        "settings of the project (`.claude/settings.json`, `settings.local.json` of the start "
        "folder) may exclude files",
        "rules with `paths` are matched as git matches, relative to the folder above `.claude`",
        "CLAUDE.local.md below the start joins on a read like CLAUDE.md",
    ),
    differences=(
        "files of one folder with rules stand here by name, there as the file system has them",
        "what a default deny closes (`.env`, keys) is not read here, and told",
        "the line that says that MEMORY.md was cut is not reproduced",
    ),
)

OLDER: Final = (
    RULES._replace(
        version="2.1.197",
        fallback_values=(("", "never"),),
        managed_only=None,
        imports=None if RULES.imports is None else RULES.imports._replace(follows_links_out=True),
        follows_rule_links_out=True,
        differs="reads no AGENTS.md, knows no `managed-only`, and follows links of rules and "
        "imports out of the repository (18 of 111 measured trees differ)",
    ),
)
