"""Gemini CLI, as measured on 0.61.0 (`gemini -p`, Linux)."""

from __future__ import annotations

from typing import Final

from assembler.agents.rules import (
    Added,
    AgentRules,
    Extensions,
    FileHere,
    ImportRules,
    Kind,
    Memory,
    Names,
    OnRead,
    OnWords,
    Place,
    SettingsFile,
    SettingsRules,
    TextRules,
    TrustRules,
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
_MEMORY: Final = Kind("memory", role="system", source="user")
_EXTENSION: Final = Kind("extension", source="user")
_PROJECT: Final = Kind("project")

_SKILLS: Final = SkillRules(
    places=(
        SkillPlace("home", (".gemini/skills", ".agents/skills"), "user"),
        SkillPlace("cwd", (".gemini/skills", ".agents/skills"), "repo"),
    ),
    scan=ScanRules(takes_top=True, skips=frozenset({"node_modules", ".git"})),
    head=HeadRules(
        block=r"\A---\r?\n(.*?)\r?\n---(?:\r?\n(.*))?",
        drops_bom=False,
        faulty="lines",
        name_from="field",
        description_from="field",
        name_marks=':\\/<>*?"|',
    ),
    listing=ListRules(
        item=(
            "  <skill>\n    <name>{name}</name>\n    <description>{description}</description>\n"
            "    <location>{location}</location>\n  </skill>"
        ),
        order="places-path-down",
        equal="last",
    ),
    stop="marker-or-cwd",
    beside=(
        BesideRules(
            "command",
            (
                SkillPlace("home", (".gemini/commands",), "user"),
                SkillPlace("cwd", (".gemini/commands",), "repo"),
            ),
            ".toml",
            is_listed=False,
            joint=":",
        ),
        BesideRules(
            "subagent",
            (
                SkillPlace("home", (".gemini/agents",), "user"),
                SkillPlace("cwd", (".gemini/agents",), "repo"),
            ),
            ".md",
            is_listed=False,
        ),
    ),
    ignored_fields=("disable-model-invocation", "when_to_use"),
    own="two bundled skills, before the user's and the project's",
    not_measured=(
        "two folders of one place with one name, characters of a name that become `-`, a name "
        "that is a number, skills of extensions, the setting `skills.disabled`, skills under "
        "`--skip-trust`"
    ),
    order_note=(
        "within a folder from the last path to the first, as measured; with 150 skills two runs "
        "were not equal"
    ),
)

RULES: Final = AgentRules(
    name="gemini",
    title="Gemini CLI",
    version="0.61.0",
    program="gemini",
    system_folder="/etc/gemini-cli",
    steps=(
        Names(Place("home", ".gemini"), ("GEMINI.md",), _GLOBAL, with_configured=True),
        Memory(".gemini/tmp/{project}/memory/MEMORY.md", _MEMORY, project="cwd"),
        Extensions(
            Place("home", ".gemini/extensions"),
            "gemini-extension.json",
            "contextFileName",
            ("GEMINI.md",),
            _EXTENSION,
        ),
        Walk(
            here=(FileHere("GEMINI.md", _PROJECT),),
            stop="marker-or-cwd",
            order="path-bytes",
            with_configured=True,
        ),
        Added(
            "include-directories",
            (FileHere("GEMINI.md", _PROJECT),),
            joins_walk=True,
            key="context.includeDirectories",
            walks=True,
            with_configured=True,
        ),
    ),
    text=TextRules(parses_bom=True),
    home_variable="GEMINI_CLI_HOME",
    settings=SettingsRules(
        files=(
            SettingsFile(Place("system", "system-defaults.json"), "managed"),
            SettingsFile(Place("home", ".gemini/settings.json"), "user"),
            SettingsFile(Place("cwd", ".gemini/settings.json"), "project"),
            SettingsFile(Place("system", "settings.json"), "managed"),
        ),
        form="jsonc",
        names_key="context.fileName",
        markers_key="context.memoryBoundaryMarkers",
    ),
    imports=ImportRules(
        style="inline", most_hops=5, gate="below-root", flat_key="context.importFormat"
    ),
    joins_blank_lines=True,
    trust=TrustRules(
        file=Place("home", ".gemini/trustedFolders.json"),
        file_variable="GEMINI_CLI_TRUSTED_FOLDERS_PATH",
        setting="security.folderTrust.enabled",
        is_on=True,
        variable="GEMINI_CLI_TRUST_WORKSPACE",
        option="skip-trust",
        exit_code=55,
        trusts=("TRUST_FOLDER",),
        trusts_parent=("TRUST_PARENT",),
        refuses=("DO_NOT_TRUST",),
    ),
    on_words=(OnWords(("true",)),),
    on_read=OnRead((FileHere("GEMINI.md", _PROJECT),), "path-bytes"),
    not_covered="base prompt, tools, skills, environment with its directory tree",
    only_read=(
        "`system-defaults.json` of the system folder is the weakest layer",
        "imports of a file outside every repository reach its own folder alone",
        "sections of `importFormat: flat` stand with the last import first",
        "files found on a read stand in the order of the bytes of their paths",
    ),
    differences=(
        "a user's file that the walk finds too, under the same path, stands there twice",
        "extensions that are disabled, or not among those that `--extensions` names, stand here "
        "as if they were on",
        "the name that `projects.json` gives a project's memory is not looked up",
        "variables in settings (`$NAME`) stay as they are written",
        "a name of files that is no text, an unknown level of trust, or an added folder that is "
        "not there, stops the agent and not this",
        "what a default deny closes (`.env`, keys) is not read here, and told",
        "more than 20,000 imports, or 64 million characters, are not followed",
    ),
    skills=_SKILLS,
)
