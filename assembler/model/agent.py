"""Agents as data: what each one loads by itself, as measured on a stated version.

A description names rules; the walk, the assessment and the framing carry them out. An agent
whose rules are all known here is a new description and no new code.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

from assembler.model.chain import OTHER_AGENTS_NAMES, OVERRIDE_NAME, REGULAR_NAME, WalkRules
from assembler.model.tree import Unreadable


class HomeFiles(NamedTuple):
    """The user's own instructions, outside every project and every limit."""

    variable: str
    """The environment variable that moves the folder."""
    folder: str
    """Below HOME, where the variable is unset or empty."""
    names: tuple[str, ...]
    """Tried in this order; the first with text in it is used, trimmed at both ends."""


class Framing(NamedTuple):
    """What stands around the instructions in the model's input; nothing inside is escaped."""

    heading: str
    place: str
    """Follows the heading where a project file is in; `{cwd}` is the start folder."""
    opening: str
    closing: str
    between_files: str
    between_home_and_project: str


Trust: TypeAlias = Literal["trusted", "untrusted"]
"""What a user's configuration says of a project."""


class ConfigPlaces(NamedTuple):
    """Where the agent's configuration stands, and what it calls the limit."""

    system_folder: str
    project_folder: str
    """Below each folder of a project."""
    name: str
    managed_name: str
    """In the system's folder: stronger than everything else."""
    limit_key: str


class Agent(NamedTuple):
    """One agent at one version."""

    name: str
    version: str
    """The rules were measured on this one; another may differ."""
    title: str
    walk: WalkRules
    """Names, order, root, limit, decoding, dedupe: what its configuration does not change."""
    home: HomeFiles
    config: ConfigPlaces
    framing: Framing
    role: Literal["user"]
    """Of the message that holds the instructions."""
    imports: Literal["none"]
    """Whether `@path` in a file loads another one."""
    max_file_bytes: int
    """A larger file can't be read by it, which loses the whole chain."""
    program: str
    """The command that is installed."""
    dump_arguments: tuple[str, ...]
    """Make the program print its model input as JSON and exit."""
    dump_kind: str
    """The kind of the dump's item that holds the instructions."""
    not_covered: str
    """What else is in the model's input."""


class ConfigFile(NamedTuple):
    """One configuration file of an agent: where it is, and its bytes or why there are none."""

    path: str
    content: bytes | Unreadable


CODEX: Final = Agent(
    name="codex",
    version="0.171.0",
    title="Codex CLI",
    walk=WalkRules(
        usual_names=(OVERRIDE_NAME, REGULAR_NAME),
        root="markers",
        bom="kept",
        same_file="twice",
        cut="raw-byte",
        outside_links="followed",
        unfit_text="loaded",
        off_names=OTHER_AGENTS_NAMES,
    ),
    home=HomeFiles(variable="CODEX_HOME", folder=".codex", names=(OVERRIDE_NAME, REGULAR_NAME)),
    config=ConfigPlaces(
        system_folder="/etc/codex",
        project_folder=".codex",
        name="config.toml",
        managed_name="managed_config.toml",
        limit_key="project_doc_max_bytes",
    ),
    framing=Framing(
        heading="# AGENTS.md instructions",
        place=" for {cwd}",
        opening="\n\n<INSTRUCTIONS>\n",
        closing="\n</INSTRUCTIONS>",
        between_files="\n\n",
        between_home_and_project="\n\n--- project-doc ---\n\n",
    ),
    role="user",
    imports="none",
    max_file_bytes=512 * 1024 * 1024,
    program="codex",
    dump_arguments=("debug", "prompt-input"),
    dump_kind="agents_md.instructions",
    not_covered="base instructions, permissions, environment block, tools, skills",
)

AGENTS: Final = {CODEX.name: CODEX}
"""By the name that `--agent` takes."""
