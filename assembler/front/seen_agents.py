"""Declared agents at one place in time: what each loads and lists is worked out once.

Findings, the lock and the items of a comparison ask for the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from assembler.front.agent_skill_views import (
    AgentSkillView,
    files_of_row,
    rows_of,
    view_agent_skills,
)
from assembler.front.agent_views import ROOT, AgentView, TreeDisk, files_read, view_agents
from assembler.front.opening import OpenRepository
from assembler.model.tree import Unreadable

NOT_READ: Final = ("rejected", "unread")
"""States of rows whose files steer nobody."""


class SeenAgents:
    """The agents of a repository, asked for by name."""

    def __init__(self, repository: OpenRepository, listed: Iterable[str]) -> None:
        """Look at nothing yet.

        Args:
            repository: as opened.
            listed: root-relative paths of a listing of `agent_names` and SKILL.md.
        """
        self.tree = repository.tree
        self.disk = TreeDisk(repository.tree, repository.policy.read_scope())
        self._listed = [*listed]
        self._loads: dict[frozenset[str], tuple[AgentView, ...]] = {}
        self._lists: dict[frozenset[str], tuple[AgentSkillView, ...]] = {}

    def loads(self, names: Iterable[str]) -> tuple[AgentView, ...]:
        """As `view_agents`."""
        key = frozenset(names)
        if key not in self._loads:
            self._loads[key] = view_agents(self.disk, key, self._listed)
        return self._loads[key]

    def lists(self, names: Iterable[str]) -> tuple[AgentSkillView, ...]:
        """As `view_agent_skills`."""
        key = frozenset(names)
        if key not in self._lists:
            self._lists[key] = view_agent_skills(self.disk, key, self._listed)
        return self._lists[key]

    def read_policy(self, names: Iterable[str]) -> dict[str, bytes | Unreadable]:
        """Every file of the repository that one of the agents is steered by, root-relative.

        Instruction files with what they import, also those that join later; the files of skills,
        commands and subagents that are not rejected.

        Args:
            names: of the agents; codex is passed over.

        Raises:
            ConfigError: `agent-config`.
        """
        agents = frozenset(names)
        found = {path for view in self.loads(agents) for path in files_read(view)}
        taken = {
            row.source: row for row in rows_of(self.lists(agents)) if row.state not in NOT_READ
        }
        for row in taken.values():
            found |= {*files_of_row(self.tree, row)}
        return {path: self.disk.read(f"{ROOT}/{path}") for path in sorted(found) if path[:1] != "/"}
