"""Where things are: the repository around a folder, and the user's folders.

Environment and working directory come in as arguments.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from assembler.adapters.repository import RepositoryPlaces, find_repository
from assembler.errors import UsageError
from assembler.model.names import escape_bytes


class Workplace(NamedTuple):
    """A repository, or a plain folder, and where in it the agent starts."""

    places: RepositoryPlaces
    cwd: str
    """Root-relative; `""` for the root."""
    is_repository: bool

    @property
    def root(self) -> Path:
        """Absolute, links resolved."""
        return self.places.root

    @property
    def chain_key(self) -> str:
        """What the record keys this repository's events by."""
        folder = self.places.common_dir or self.root
        return escape_bytes(os.fsencode(folder))

    def relative(self, path: str, *, base: Path) -> str:
        """A path from the command line as a root-relative one.

        Args:
            path: relative to `base`, or absolute.
            base: absolute, links resolved.

        Raises:
            UsageError: it lies outside the root, or is no path at all.
        """
        return path_below(self.root, path, base=base, place="the repository")


def path_below(root: Path, path: str, *, base: Path, place: str) -> str:
    """A path as one below a folder, by its letters: links are the tree's to judge.

    Args:
        root: absolute.
        path: relative to `base`, or absolute.
        base: absolute.
        place: what the folder is called.

    Raises:
        UsageError: `path-outside`, `path-invalid`.
    """
    if "\0" in path:
        raise UsageError("path-invalid", "a path holds no NUL", next_step="correct the path")
    absolute = os.path.normpath(base / path)
    if absolute == str(root):
        return ""
    prefix = str(root) if str(root).endswith("/") else f"{root}/"
    if not absolute.startswith(prefix):
        raise UsageError(
            "path-outside",
            f"{path} lies outside {place}",
            where=path,
            next_step="name a path inside it, or start there with -C",
        )
    return absolute.removeprefix(prefix)


def require_utf8(path: str) -> None:
    """Refuse a folder that no rule can speak of.

    Raises:
        UsageError: `path-not-utf8`.
    """
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        raise UsageError(
            "path-not-utf8",
            "the folder's name is not UTF-8, so no rule can speak of it",
            where=escape_bytes(os.fsencode(path)),
            next_step="rename it, or start in another folder",
        ) from None


def find_workplace(cwd: Path) -> Workplace:
    """The repository around a folder, else the folder itself.

    Args:
        cwd: absolute, links resolved.
    """
    places = find_repository(cwd)
    if places is None:
        places = RepositoryPlaces(root=cwd, git_dir=None, common_dir=None)
        return Workplace(places=places, cwd="", is_repository=False)
    relative = cwd.relative_to(places.root).as_posix()
    require_utf8(relative)
    return Workplace(
        places=places,
        cwd="" if relative == "." else relative,
        is_repository=places.common_dir is not None,
    )


def require_repository(workplace: Workplace) -> None:
    """Refuse to go on without git objects.

    Raises:
        UsageError: `not-a-repository`.
    """
    if not workplace.is_repository:
        raise UsageError(
            "not-a-repository",
            f"not a git repository: {workplace.root}",
            next_step="`chain` and `assemble --inventory` also work on a plain folder",
        )


def home_folder(environment: Mapping[str, str]) -> Path | None:
    """The user's home, by HOME alone."""
    home = environment.get("HOME")
    return Path(home) if home else None


def config_folder(environment: Mapping[str, str]) -> Path | None:
    """Where the host manifest and the user's profiles are."""
    return _user_folder(environment, "XDG_CONFIG_HOME", ".config")


def cache_folder(environment: Mapping[str, str]) -> Path | None:
    """Where counts are kept."""
    return _user_folder(environment, "XDG_CACHE_HOME", ".cache")


def state_folder(environment: Mapping[str, str], workplace: Workplace) -> Path:
    """Where the record is.

    Raises:
        UsageError: there is no such place, or it lies inside the repository and is a link or
            holds tracked files.
    """
    named = environment.get("ASSEMBLER_STATE")
    if not named:
        folder = _user_folder(environment, "XDG_STATE_HOME", ".local/state")
        if folder is None:
            raise UsageError(
                "state-missing",
                "no place for the record: HOME is not set",
                next_step="set ASSEMBLER_STATE to a folder",
            )
        return folder
    folder = Path(named).absolute()
    lexical = Path(os.path.normpath(folder))
    inside = lexical.is_relative_to(workplace.root)
    if inside and folder.resolve() != lexical:
        raise _not_yours("is a link inside the repository", named)
    if (
        inside
        and workplace.is_repository
        and folder.is_dir()
        and _holds_tracked(lexical, workplace)
    ):
        raise _not_yours("holds files that the repository tracks", named)
    return folder


def _not_yours(problem: str, named: str) -> UsageError:
    return UsageError(
        "state-inside-repository",
        f"the state folder {problem}: a repository can't choose where records go",
        where=named,
        next_step="set ASSEMBLER_STATE to a folder of yours",
    )


def _holds_tracked(folder: Path, workplace: Workplace) -> bool:
    """Whether git tracks a file at or below the folder."""
    from assembler.adapters.git import GitRepository

    if not workplace.is_repository:
        return False
    relative = os.fsencode(folder.relative_to(workplace.root))
    with GitRepository(workplace.places) as git:
        index = git.list_index()
    paths = [*index.entries, *index.conflicted]
    if relative == b".":
        return bool(paths)
    return any(path == relative or path.startswith(relative + b"/") for path in paths)


def _user_folder(environment: Mapping[str, str], variable: str, usual: str) -> Path | None:
    """`$VARIABLE/assembler`; a relative value is ignored, as the XDG rules say."""
    named = environment.get(variable)
    if named and Path(named).is_absolute():
        return Path(named) / "assembler"
    home = home_folder(environment)
    return None if home is None else home / usual / "assembler"
