"""Which file says what a user has git ignore everywhere: read from configurations, as data.

In: the settings of a repository, the environment. Out: a path, which may lead to nothing.
Never here: an include of a configuration, the system's configuration, git.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from assembler.adapters.repository import read_git_config
from assembler.errors import UsageError

SETTING: Final = "core.excludesfile"


def find_excludes_file(
    settings: Mapping[str, str], root: Path, environment: Mapping[str, str]
) -> Path | None:
    """The file of `core.excludesFile`, else the one that git takes where nothing is set.

    Args:
        settings: of the repository; they win over the user's.
        root: what a relative path is relative to.
        environment: HOME, XDG_CONFIG_HOME and GIT_CONFIG_GLOBAL, of the user.
    """
    named = settings.get(SETTING)
    folder = _user_folder(environment)
    if named is None:
        for path in _user_files(environment, folder):
            named = _read(path).get(SETTING, named)
    if named is None:
        return None if folder is None else folder / "ignore"
    return _expand(named, root, environment)


def _user_folder(environment: Mapping[str, str]) -> Path | None:
    """Where git keeps a user's configuration."""
    if environment.get("XDG_CONFIG_HOME"):
        return Path(environment["XDG_CONFIG_HOME"]) / "git"
    home = environment.get("HOME")
    return Path(home) / ".config" / "git" if home else None


def _user_files(environment: Mapping[str, str], folder: Path | None) -> list[Path]:
    """The user's configurations, the one that wins last."""
    if "GIT_CONFIG_GLOBAL" in environment:
        return [Path(environment["GIT_CONFIG_GLOBAL"])]
    home = environment.get("HOME")
    files = [] if folder is None else [folder / "config"]
    return [*files, Path(home) / ".gitconfig"] if home else files


def _read(path: Path) -> dict[str, str]:
    try:
        return read_git_config(path)
    except UsageError:
        return {}


def _expand(named: str, root: Path, environment: Mapping[str, str]) -> Path | None:
    """The path that a setting means; None for none, and for the home of somebody else."""
    if not named or "\0" in named:
        return None
    if not named.startswith("~"):
        return root / named
    home = environment.get("HOME")
    return Path(home) / named[2:] if home and named.startswith("~/") else None
