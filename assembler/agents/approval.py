"""Whether the user allowed a project's imports to leave it, by the agent's own state. Pure."""

from __future__ import annotations

from assembler.agents.disk import Disk, Start
from assembler.agents.places import find_place
from assembler.agents.rules import AgentRules, ImportRules
from assembler.agents.settings import look_in, read_json
from assembler.model.tree import EntryKind


def are_approved(
    rules: AgentRules, imports: ImportRules, start: Start, root: str, disk: Disk
) -> bool:
    """Whether imports from outside are approved for the project.

    Args:
        rules: of the agent.
        imports: its rules of imports.
        start: where it is started.
        root: of the project, where no main checkout is known.
        disk: holds the state file.
    """
    if imports.state_file is None:
        return False
    path = _state_path(imports, start, root, disk)
    state = None if path is None else read_json(path, rules, disk)
    project = (start.main_checkout or root).replace(".", "\\.")
    return any(look_in(state, key.replace("{project}", project)) for key in imports.approval)


def _state_path(imports: ImportRules, start: Start, root: str, disk: Disk) -> str | None:
    """The state file; one of the older place counts alone where it is there."""
    usual, older = imports.state_file, imports.older_state_file
    path = None if older is None else find_place(older, start, root)
    if path is not None and disk.look_up([path])[path].kind is EntryKind.FILE:
        return path
    return None if usual is None else find_place(usual, start, root)
