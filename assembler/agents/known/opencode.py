"""opencode, as measured on 1.18.33 (`opencode run`, Linux)."""

from __future__ import annotations

from typing import Final

from assembler.agents.rules import (
    AgentRules,
    FileHere,
    FirstOf,
    Kind,
    Listed,
    OnRead,
    OnWords,
    Place,
    SettingsFile,
    SettingsRules,
    TextRules,
    Walk,
)
from assembler.agents.skill_rules import (
    BesideRules,
    HeadRules,
    ListRules,
    ScanRules,
    SkillPlace,
    SkillRules,
)

_GLOBAL: Final = Kind("global", role="system", source="user")
_PROJECT: Final = Kind("project", role="system")
_LISTED: Final = Kind("instructions", role="system")
_READ: Final = Kind("project")
"""Behind the answer of the tool that read."""
_NO_CLAUDE: Final = ("OPENCODE_DISABLE_CLAUDE_CODE", "OPENCODE_DISABLE_CLAUDE_CODE_PROMPT")
_XDG: Final = "XDG_CONFIG_HOME"
_NO_PROJECT: Final = ("OPENCODE_DISABLE_PROJECT_CONFIG",)
_NAMES: Final = ("opencode.json", "opencode.jsonc")

_NO_CLAUDE_SKILLS: Final = (
    "OPENCODE_DISABLE_CLAUDE_CODE",
    "OPENCODE_DISABLE_CLAUDE_CODE_SKILLS",
)
_SKILL_HEAD: Final = HeadRules(
    block=r"\A---(?!-)[^\n]*\n(.*?)(?:^---|\Z)(.*)",
    drops_bom=True,
    faulty="colons",
    name_from="field",
    description_from="field",
)
_SKILLS: Final = SkillRules(
    places=(
        SkillPlace("walk-up", (".claude/skills",), "repo", off_by=_NO_CLAUDE_SKILLS),
        SkillPlace("walk-up", (".agents/skills",), "repo"),
        SkillPlace("walk-up", (".opencode/skill", ".opencode/skills"), "repo", off_by=_NO_PROJECT),
        SkillPlace("home", (".claude/skills",), "user", off_by=_NO_CLAUDE_SKILLS),
        SkillPlace("home", (".agents/skills",), "user"),
        SkillPlace("home", (".config/opencode/skill", ".config/opencode/skills"), "user"),
    ),
    scan=ScanRules(any_depth=True, takes_top=True),
    head=_SKILL_HEAD,
    listing=ListRules(
        item=(
            "  <skill>\n    <name>{name}</name>\n    <description>{description}</description>\n"
            "    <location>{location}</location>\n  </skill>"
        ),
        order="name",
        equal="race",
    ),
    stop="git-or-file-system",
    beside=(
        BesideRules(
            "command",
            (
                SkillPlace("home", (".config/opencode/command",), "user"),
                SkillPlace("walk-up", (".opencode/command",), "repo", off_by=_NO_PROJECT),
            ),
            ".md",
            is_listed=False,
        ),
        BesideRules(
            "subagent",
            (
                SkillPlace("home", (".config/opencode/agent", ".config/opencode/agents"), "user"),
                SkillPlace(
                    "walk-up",
                    (".opencode/agent", ".opencode/agents"),
                    "repo",
                    off_by=_NO_PROJECT,
                ),
            ),
            ".md",
            is_listed=True,
            head=_SKILL_HEAD._replace(name_from="folder"),
            listing=ListRules(item="- {name}: {description}", order="name", equal="last"),
            left_out=("mode", ("primary",)),
        ),
    ),
    ignored_fields=("disable-model-invocation", "when_to_use"),
    own="one built-in skill, in its place by name",
    not_measured=(
        "the switches of skills by environment variable, a head without an end, subagents of one "
        "name, the order of subagents, subagents of the user and those without a description, "
        "skills of `skills.paths`"
    ),
)

RULES: Final = AgentRules(
    name="opencode",
    title="opencode",
    version="1.18.33",
    program="opencode",
    system_folder="/etc/opencode",
    steps=(
        FirstOf(
            (
                Place("none", "config/AGENTS.md", "OPENCODE_CONFIG_DIR"),
                Place("home", ".config/opencode/AGENTS.md", _XDG, unless="OPENCODE_CONFIG_DIR"),
                Place("home", ".claude/CLAUDE.md"),
            ),
            _GLOBAL,
            last_off_by=_NO_CLAUDE,
        ),
        Walk(
            here=(
                FileHere("AGENTS.md", _PROJECT),
                FileHere("CLAUDE.md", _PROJECT),
                FileHere("CONTEXT.md", _PROJECT),
            ),
            stop="git-or-file-system",
            order="up",
            choice="one-name",
            loop_loses_name=True,
            switched_off_by=_NO_PROJECT,
            name_switches=(("CLAUDE.md", _NO_CLAUDE),),
        ),
        Listed("instructions", _LISTED, relative_off_by=_NO_PROJECT),
    ),
    text=TextRules(trims=False, keeps_blank=True),
    settings=SettingsRules(
        files=(
            SettingsFile(
                Place("home", ".config/opencode", _XDG),
                "user",
                names=("config.json", *_NAMES),
                last_counts=True,
            ),
            SettingsFile(Place("cwd", ""), "user", variable="OPENCODE_CONFIG"),
            SettingsFile(Place("root", ""), "project", names=_NAMES, walks="down"),
            SettingsFile(Place("root", ".opencode"), "project", names=_NAMES, walks="up"),
            SettingsFile(Place("home", ".opencode"), "user", names=_NAMES),
            SettingsFile(Place("none", "config", "OPENCODE_CONFIG_DIR"), "user", names=_NAMES),
        ),
        form="jsonc",
        list_keys=("instructions",),
        off_by=_NO_PROJECT,
    ),
    same_file="path",
    on_words=(
        OnWords(("true", "yes", "on", "1", "y"), variables=_NO_CLAUDE),
        OnWords(("true", "1"), folds=True),
    ),
    on_read=OnRead(
        (
            FileHere("AGENTS.md", _READ),
            FileHere("CLAUDE.md", _READ),
            FileHere("CONTEXT.md", _READ),
        ),
        "up",
        choice="first-of-folder",
    ),
    not_covered="base prompt, tools, skills, environment",
    only_read=(
        "`~/.opencode` stands behind the project's own, and `$OPENCODE_CONFIG_DIR` last",
        "links to folders are not entered by `**`",
    ),
    differences=(
        "files of one pattern stand here by name, there as the file system has them",
        "another word than `true yes on 1 y false no off 0 n` in `OPENCODE_DISABLE_CLAUDE_CODE` "
        "stops the agent and not this",
        "URLs are told and never asked",
        "`{env:NAME}` and `{file:PATH}` in settings stay as they are written",
        "`OPENCODE_CONFIG_CONTENT`, settings in a variable, is not read",
        "what a default deny closes (`.env`, keys) is not read here, and told",
    ),
    skills=_SKILLS,
)
