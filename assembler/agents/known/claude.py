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
    OnWords,
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
from assembler.agents.skill_rules import (
    BesideRules,
    BudgetRules,
    HeadRules,
    ListRules,
    ScanRules,
    SkillPlace,
    SkillRules,
)

_MANAGED: Final = Kind("organization-managed policy instructions", source="managed")
_USER: Final = Kind("user's private global instructions for all projects", source="user")
_PROJECT: Final = Kind("project instructions, checked into the codebase")
_LOCAL: Final = Kind("user's private project instructions, not checked in", source="local")
_MEMORY: Final = Kind("user's auto-memory, persists across conversations", source="user")

_READ_AGENTS: Final = Kind("additional context", role="system")

_CONFIG: Final = "CLAUDE_CONFIG_DIR"
_OWNER: Final = "enabledPlugins.cc-plugin-agents-md@builtin"
_OPTION: Final = "pluginConfigs.cc-plugin-agents-md@builtin.options.instructionFiles"

_ENDINGS: Final = frozenset(  # as text, since a hundred literals would fill a page
    """.md .txt .text .json .yaml .yml .toml .xml .csv .html .htm .css .scss .sass .less .js .ts
    .tsx .jsx .mjs .cjs .mts .cts .py .pyi .pyw .rb .go .rs .java .kt .kts .scala .c .cpp .cc .cxx
    .h .hpp .hxx .cs .swift .sh .bash .zsh .fish .ps1 .bat .cmd .ini .cfg .conf .config .properties
    .sql .graphql .gql .proto .vue .svelte .astro .php .pl .lua .r .dart .ex .exs .clj .hs .elm .ml
    .cmake .gradle .rst .adoc .org .tex .lock .log .diff .patch""".split()  # noqa: SIM905
)
"""Measured: `.md .txt .json .py` and none are read, `.png .xyz` are not; the others are likely."""

_SKILL_HEAD: Final = HeadRules(
    block=r"\A---[^\S\n]*\n(.*?)^---[^\S\n]*(?:\n|\Z)(.*)",
    drops_bom=True,
    faulty="quoted-or-none",
    name_from="folder",
    description_from="body",
    usual_description="Skill",
    most_body_units=100,
    is_joined=True,
    takes_other_kinds=True,
    hidden_by="disable-model-invocation",
    appended=("when_to_use", " - "),
)
_SKILL_LIST: Final = ListRules(
    item="- {name}: {description}",
    order="places-name",
    equal="first",
    bare="- {name}",
    label="{folder} ({name})",
    label_refused="[](){}<>`\n",
    escapes=(("<", "&lt;"), (">", "&gt;")),
    most_units=1_536,
    # Of 150 lines of 309 characters 75 stayed whole: 30,000 less what the agent's own ones take,
    # which is between 5,923 and 6,225; by the size of the whole message about 6,090.
    budget=BudgetRules(limit=30_000, own=6_090, least_own=5_923, most_own=6_225),
)
_SKILLS: Final = SkillRules(
    places=(
        SkillPlace("home", (".claude/skills",), "user", variable=_CONFIG),
        SkillPlace("walk-up", (".claude/skills",), "repo"),
    ),
    scan=ScanRules(takes_hidden=True),
    head=_SKILL_HEAD,
    listing=_SKILL_LIST,
    stop="git-or-file-system",
    stops_below_home=True,
    file_counts_once=True,
    beside=(
        BesideRules(
            "command",
            (
                SkillPlace("home", (".claude/commands",), "user", variable=_CONFIG),
                SkillPlace("walk-up", (".claude/commands",), "repo"),
            ),
            ".md",
            is_listed=True,
            joint=":",
            joins_skills=True,
            head=_SKILL_HEAD._replace(usual_description="Custom command"),
        ),
        BesideRules(
            "subagent",
            (
                SkillPlace("home", (".claude/agents",), "user", variable=_CONFIG),
                SkillPlace("walk-up", (".claude/agents",), "repo"),
            ),
            ".md",
            is_listed=True,
            name_from="field",
            head=_SKILL_HEAD._replace(
                name_from="field",
                description_from="field",
                is_joined=False,
                hidden_by=None,
                appended=None,
            ),
            listing=ListRules(
                item="- {name}: {description} (Tools: {tools})", order="name", equal="last"
            ),
            tools_field="tools",
            all_tools="All tools",
        ),
    ),
    nothing=(Switch(option="bare"),),
    own="bundled skills, with their descriptions whole, behind the user's and the project's",
    not_measured=(
        "the walk without a repository, equal names of one kind but for user and project, two "
        "links to one file, a heading or more than 100 characters as the first line of the text, "
        "an empty text, where escaping and cutting meet, commands beside skills, subagents of one "
        "name"
    ),
)

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
        RulesIn(Place("home", ".claude/rules", _CONFIG), _USER, follows_links_out=True),
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
            splits=False,
        ),
        Memory(
            ".claude/projects/{slug}/memory/MEMORY.md",
            _MEMORY,
            variable=_CONFIG,
            most_lines=200,
            joins_lines=True,
            most_bytes=25_000,
            off_by=(
                Switch(variable="CLAUDE_CODE_DISABLE_AUTO_MEMORY"),
                Switch(setting="autoMemoryEnabled", value=False),
            ),
            folder_key="autoMemoryDirectory",
        ),
    ),
    text=TextRules(parses_bom=True, drops_front_matter=True, drops_comments=True),
    settings=SettingsRules(
        files=(
            SettingsFile(Place("home", ".claude/settings.json", _CONFIG), "user"),
            SettingsFile(Place("cwd", ".claude/settings.json"), "project"),
            SettingsFile(Place("repository", ".claude/settings.local.json"), "local"),
            SettingsFile(Place("cwd", ".claude/settings.local.json"), "local"),
            SettingsFile(Place("system", "managed-settings.json"), "managed"),
        ),
        form="json",
    ),
    imports=ImportRules(
        style="appended",
        most_hops=4,
        gate="below-cwd",
        gate_folds=True,
        approval=("projects.{project}.hasClaudeMdExternalIncludesApproved",),
        state_file=Place("home", "./.claude.json", _CONFIG),
        older_state_file=Place("home", ".claude/.config.json", _CONFIG),
        follows_own_link=True,
        endings=_ENDINGS,
    ),
    nothing=(
        Switch(option="bare"),
        Switch(variable="CLAUDE_CODE_DISABLE_CLAUDE_MDS"),
        Switch(variable="CLAUDE_CODE_SIMPLE"),
    ),
    managed_only=Switch(setting=_OPTION, value="managed-only", layers=("managed", "user")),
    excludes_key="claudeMdExcludes",
    sources_option="setting-sources",
    fallback_switch=_OPTION,
    fallback_owner=_OWNER,
    fallback_layers=("managed", "user"),
    fallback_values=(
        ("claude-md-or-agents-md", "fallback"),
        ("claude-md-and-agents-md", "beside"),
        ("claude-md", "never"),
    ),
    rule_bound="cwd",
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
    on_words=(OnWords(("1", "true", "yes", "on"), folds=True),),
    framing=(("user", 193),),
    not_covered="base prompt, tools, skills, environment, git status",
    only_read=(
        "which endings of imported files are read, beside .md, .txt, .json, .py and none (read) "
        "and .png and .xyz (not read)",
        "rules with `paths` are matched as git matches, relative to the folder above `.claude`",
        "CLAUDE.local.md below the start joins on a read like CLAUDE.md",
    ),
    differences=(
        "settings that are no JSON, or have a value of a wrong kind, are passed over there; here "
        "the former is an error, and the latter counts for nothing but its own key",
        "settings of the command line (`--settings`) are not read",
        "a rule whose `paths` are numbers, `true` or `null` waits here, and is loaded there",
        "a `.git` that is no repository bounds memory and local settings there, and not here",
        "AGENTS.md stands before the files of added folders here, and behind them there",
        "a relative CLAUDE_CONFIG_DIR is shown as a whole path",
        "files of one folder with rules stand here by name, there as the file system has them",
        "what a default deny closes (`.env`, keys) is not read here, and told",
        "the line that says that MEMORY.md was cut is not reproduced",
    ),
    skills=_SKILLS,
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
