"""Whether an agent starts in a folder at all, and what it reads there. Pure."""

from __future__ import annotations

from typing import NamedTuple

from assembler.agents.disk import Disk, Start
from assembler.agents.places import find_place, is_below, parent, resolve
from assembler.agents.rules import AgentRules
from assembler.agents.settings import Settings, read_json


class TrustAnswer(NamedTuple):
    """What trust means for a start."""

    exit_code: int
    """0 where it starts."""
    reads_project_settings: bool


def find_trust(
    rules: AgentRules, start: Start, settings: Settings, disk: Disk
) -> TrustAnswer | None:
    """What the user's trust file says of the start folder; None: the agent does not ask.

    Args:
        rules: of the agent.
        start: where it is started.
        settings: those of user and machine count, the project can't trust itself.
        disk: reads the file.
    """
    trust = rules.trust
    if trust is None:
        return None
    found = settings.find(trust.setting, ("managed", "user"))
    is_asked = trust.is_on if found is None else bool(found)
    if not is_asked or start.is_set(trust.variable):
        return TrustAnswer(0, reads_project_settings=True)
    named = start.environment.get(trust.file_variable or "")
    path = resolve(named, start.cwd) if named else find_place(trust.file, start, start.cwd)
    entries = None if path is None else read_json(path, rules, disk)
    is_trusted = _is_trusted(start.cwd, entries or {}, rules, disk)
    if is_trusted:
        return TrustAnswer(0, reads_project_settings=True)
    if trust.option in start.options:
        return TrustAnswer(0, reads_project_settings=False)
    return TrustAnswer(trust.exit_code, reads_project_settings=False)


def _is_trusted(cwd: str, entries: object, rules: AgentRules, disk: Disk) -> bool | None:
    """The word of the nearest entry; None where nobody says anything."""
    trust = rules.trust
    if trust is None or not isinstance(entries, dict):
        return None
    best: tuple[int, bool] | None = None
    for path, word in entries.items():
        if not isinstance(path, str) or not path.startswith("/"):
            continue
        folder = resolve(path, "/")
        folder = disk.look_up([folder])[folder].real_path or folder
        if word in trust.trusts_parent:
            folder, answer = parent(folder), True
        elif word in trust.trusts:
            answer = True
        elif word in trust.refuses:
            answer = False
        else:
            continue
        is_nearer = is_below(cwd, folder) and (best is None or len(folder) > best[0])
        if is_nearer:
            best = len(folder), answer
    return None if best is None else best[1]
