"""Where an agent looks for skills on this machine: its roots in the order of search."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from assembler.adapters.agent_skill_scan import scan_skill_root
from assembler.front.agent_settings import AgentSettings
from assembler.front.agent_skill_reading import ScannedRoot
from assembler.front.places import home_folder
from assembler.model.agent import Agent
from assembler.model.agent_skills import AgentSkillRules, SkillRoot
from assembler.model.chain import folders_down_to


def scan_roots(
    agent: Agent,
    rules: AgentSkillRules,
    settings: AgentSettings,
    cwd: Path,
    top: Path,
    *,
    environment: Mapping[str, str],
    system_folder: Path | None,
    uses_bundled: bool,
) -> list[ScannedRoot]:
    """The roots that are there, each with its files, in the order of search.

    Args:
        agent: its description.
        rules: its rules of skills.
        settings: of its configuration.
        cwd: where it starts.
        top: where its walk starts.
        environment: for HOME.
        system_folder: in place of the usual one.
        uses_bundled: whether the agent's own skills count.
    """
    folders = {
        "project-configuration": list(reversed(settings.project_folders)),
        "agent-home": [str(settings.home)],
        "home": [] if (home := home_folder(environment)) is None else [str(home.absolute())],
        "bundled": [str(settings.home)] if uses_bundled else [],
        "system-folder": [str(system_folder or agent.config.system_folder)],
        "walk": [f"/{folder}" for folder in folders_down_to(str(cwd)[1:], top=str(top)[1:])],
    }
    places: dict[str, SkillRoot] = {}
    for kind in rules.roots:
        for folder in folders[kind.place]:
            # A folder that is a root twice is searched where it comes first.
            places.setdefault(f"{folder.rstrip('/')}/{kind.folder}", kind)
    scanned = [
        (kind, scan_skill_root(place, rules, follows_links=kind.follows_links))
        for place, kind in places.items()
    ]
    return [ScannedRoot(kind, scan) for kind, scan in scanned if scan is not None]
