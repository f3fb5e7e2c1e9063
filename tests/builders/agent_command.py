"""The command line of somebody who trusts the folder, with a HOME beside the repository."""

from __future__ import annotations

from tests.builders.command_line import CommandLine
from tests.builders.repositories import RepositoryBuilder

TRUSTED = ("GEMINI_CLI_TRUST_WORKSPACE", "true")


def command(repository: RepositoryBuilder, folder: str = ".") -> CommandLine:
    """Commands that are started in a folder of a repository."""
    home = repository.root.parent / "home"
    home.mkdir(exist_ok=True)
    return CommandLine(cwd=repository.root / folder, home=home, variables=(TRUSTED,))
