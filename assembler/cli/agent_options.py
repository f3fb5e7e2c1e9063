"""The options of commands that also answer as an agent: what goes together, and what does not."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from assembler.cli.session import Session
from assembler.errors import UsageError

_AGENTS_OWN: Final = {
    "--agent-config": "overrides",
    "--agent-option": "agent_options",
    "--agent-version": "agent_version",
    "--agent-system-dir": "system_folder",
    "--confirm": "confirm",
}


def refuse_agent_options(options: Mapping[str, Any]) -> None:
    """An option that would do nothing is a mistake of whoever gave it.

    Raises:
        UsageError: `option-needs-agent`.
    """
    for name, member in _AGENTS_OWN.items():
        if options.get(member):
            raise UsageError(
                "option-needs-agent",
                f"{name} says nothing without --agent",
                next_step="--agent codex, claude, gemini or opencode",
            )


def refuse_agent_option(options: Mapping[str, Any]) -> None:
    """Codex's own options are given by `--agent-config`.

    Raises:
        UsageError: `option-conflict`.
    """
    if options.get("agent_options"):
        raise UsageError(
            "option-conflict",
            "--agent-option says nothing to codex",
            next_step="--agent-config KEY=VALUE",
        )


def refuse_overrides(options: Mapping[str, Any]) -> None:
    """An option of Codex does nothing for the others.

    Raises:
        UsageError: `option-conflict`.
    """
    if options.get("overrides"):
        raise UsageError(
            "option-conflict",
            "--agent-config is the -c of codex, and this agent has none",
            next_step="--agent-option NAME=VALUE",
        )


def refuse_beside_agent(given: Mapping[str, object]) -> None:
    """What speaks of a run of ours has no meaning for an agent's own.

    Args:
        given: by the option's name, what it was given; nothing where it was not.

    Raises:
        UsageError: `option-conflict`.
    """
    for name, value in given.items():
        if value:
            raise UsageError(
                "option-conflict",
                f"{name} and --agent don't go together: an agent reads files as they are, by its "
                "own configuration",
                next_step=f"leave {name} out, or --agent",
            )


def system_folder(session: Session, named: str | None) -> Path | None:
    """The folder of `--agent-system-dir`.

    Raises:
        UsageError: `path-missing`.
    """
    if named is None:
        return None
    folder = session.cwd / named
    if not folder.is_dir():
        raise UsageError(
            "path-missing",
            f"no such folder: {named}",
            where=named,
            next_step="give a folder that exists with --agent-system-dir",
        )
    return folder
