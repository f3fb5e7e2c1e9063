"""Find the repository that a folder belongs to, by reading and without running anything.

In: a folder. Out: where the root, the git directory and the common directory are.
Never here: a program, an include of a configuration, a bare repository (only an entry called
`.git` counts), a search above a ceiling.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from assembler.adapters.filesystem import read_host_file
from assembler.errors import UsageError

MARKER: Final = ".git"

MAX_POINTER_BYTES: Final = 8_192
"""Of a `.git` file, `commondir` or `gitdir`: one path and a word."""

MAX_CONFIG_BYTES: Final = 1 << 20

_SECTION: Final = r'\[\s*([A-Za-z0-9.-]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]'
_SETTING: Final = r"\s*([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*?)\s*)?\Z"


class RepositoryPlaces(NamedTuple):
    """Where a repository keeps what."""

    root: Path
    """The folder that holds `.git`, its real path."""
    git_dir: Path | None
    """HEAD and the index of this worktree; None: the marker leads to no repository."""
    common_dir: Path | None
    """Objects and refs; differs from `git_dir` in a linked worktree."""
    hollow: tuple[Path, ...] = ()
    """Entries called `.git` that were passed on the way up, since git takes none of them."""
    foreign_owner: bool = False
    """The git directory belongs to another user, where git itself would ask."""


def find_repository(start: Path, *, ceilings: Sequence[Path] = ()) -> RepositoryPlaces | None:
    """The repository that git would find from the folder: hollow markers are passed over.

    A `.git` file that names no repository ends the search, as it does for git.

    Args:
        start: any folder; links on the way to it are resolved first.
        ceilings: folders that the search does not climb into (GIT_CEILING_DIRECTORIES).

    Returns:
        None if there is no marker up to the top.

    Raises:
        UsageError: `git-dir-foreign`: a `.git` file names a git directory outside the folder
            that does not name the folder in turn; `worktree-mismatch`: the git directory says
            that its files are elsewhere.
    """
    hollow: list[Path] = []
    for folder in _upwards(start, ceilings):
        marker = folder / MARKER
        mode = _mode(marker)
        if mode is None:
            continue
        git_dir = _git_dir_of(marker, mode)
        if git_dir is None and not stat.S_ISREG(mode):
            hollow.append(marker)
            continue
        if git_dir is not None:
            _refuse_foreign(marker, mode, git_dir)
        return _places(folder, git_dir, tuple(hollow))
    return None


def find_marker(
    start: Path, *, names: Iterable[str] = (MARKER,), ceilings: Sequence[Path] = ()
) -> RepositoryPlaces | None:
    """The nearest folder that holds an entry of one of the names, whatever the entry is.

    Returns:
        Without a git directory where `find_repository` would find none or refuse.
    """
    wanted = tuple(names)
    for folder in _upwards(start, ceilings):
        if any(_link_mode(folder / name) is not None for name in wanted):
            # A ceiling at the folder itself: the objects are asked for here and nowhere above.
            try:
                found = find_repository(folder, ceilings=(folder.parent,))
            except UsageError:
                found = None
            return found if found is not None else RepositoryPlaces(folder, None, None)
    return None


def read_git_config(path: Path) -> dict[str, str]:
    """The settings of one git configuration file; includes are not followed.

    Returns:
        Last values by `section.name` or `section.Subsection.name`; names in lower case. A
        setting without a value is `true`. Empty if there is no such file.

    Raises:
        UsageError: `path-unreadable`, `size-limit`.
    """
    try:
        data = read_host_file(path, limit_bytes=MAX_CONFIG_BYTES)
    except UsageError as error:
        if error.code == "path-missing":
            return {}
        raise
    settings: dict[str, str] = {}
    section = ""
    for line in data.decode("utf-8", "replace").replace("\\\n", "").split("\n"):
        rest = line.strip()
        header = re.match(_SECTION, rest)
        if header:
            name, subsection = header.groups()
            section = name.lower() + (f".{subsection}" if subsection is not None else "")
            rest = rest[header.end() :]
        setting = re.match(_SETTING, _without_comment(rest))
        if setting:
            key, value = setting.groups()
            settings[f"{section}.{key.lower()}"] = "true" if value is None else value
    return settings


def _upwards(start: Path, ceilings: Sequence[Path]) -> Iterator[Path]:
    """The real folder and those above it, up to a ceiling."""
    folder = Path(os.path.realpath(start))
    closed = {Path(os.path.realpath(ceiling)) for ceiling in ceilings}
    yield folder
    for above in folder.parents:
        if above in closed:
            return
        yield above


def _mode(path: Path) -> int | None:
    """What the path leads to, or None if to nothing."""
    try:
        return path.stat().st_mode
    except (OSError, ValueError):
        return None


def _link_mode(path: Path) -> int | None:
    try:
        return path.lstat().st_mode
    except (OSError, ValueError):
        return None


def _git_dir_of(marker: Path, mode: int) -> Path | None:
    """The git directory that the marker is or names, or None if it is none."""
    if stat.S_ISDIR(mode):
        folder = Path(os.path.realpath(marker))
        return folder if _is_git_dir(folder) else None
    if not stat.S_ISREG(mode):
        return None
    text = _pointer(marker)
    if text is None or not text.startswith("gitdir: "):
        return None
    folder = Path(os.path.realpath(marker.parent / text.removeprefix("gitdir: ")))
    return folder if _is_git_dir(folder) else None


def _is_git_dir(folder: Path) -> bool:
    """Whether git would take the folder: HEAD, and objects and refs of its own or in common."""
    if _link_mode(folder / "HEAD") is None:
        return False
    common = _common_dir(folder)
    return all(_is_folder(common / name) for name in ("objects", "refs"))


def _is_folder(path: Path) -> bool:
    mode = _mode(path)
    return mode is not None and stat.S_ISDIR(mode)


def _common_dir(git_dir: Path) -> Path:
    text = _pointer(git_dir / "commondir")
    return git_dir if not text else Path(os.path.realpath(git_dir / text))


def _pointer(path: Path) -> str | None:
    """The text of a small file that holds a path, or None."""
    try:
        data = read_host_file(path, limit_bytes=MAX_POINTER_BYTES)
    except UsageError:
        return None
    text = os.fsdecode(data.rstrip(b"\r\n"))
    return None if "\0" in text else text


def _refuse_foreign(marker: Path, mode: int, git_dir: Path) -> None:
    """Refuse a git directory that is not the folder's own, by what it says itself.

    A linked worktree's has `gitdir`, a submodule's has `core.worktree`. Without this, a file in
    an unpacked archive could turn any repository of the user into the one that is read.

    Raises:
        UsageError: `git-dir-foreign`, `worktree-mismatch`.
    """
    folder = marker.parent
    back = _pointer(git_dir / "gitdir")
    if back is not None:
        claimed: Path | None = Path(os.path.realpath(git_dir / back)).parent
    else:
        setting = read_git_config(git_dir / "config").get("core.worktree")
        claimed = None if setting is None else Path(os.path.realpath(git_dir / setting))
    is_own = not stat.S_ISREG(mode) or git_dir.is_relative_to(folder)
    if claimed == folder or (claimed is None and is_own):
        return
    if is_own:
        raise UsageError(
            "worktree-mismatch",
            "the git directory says that its files are in another folder",
            where=str(marker),
            next_step="git config --unset core.worktree",
        )
    raise UsageError(
        "git-dir-foreign",
        "`.git` names a git directory that does not name this folder in turn",
        where=str(marker),
        next_step="git worktree repair, or git config core.worktree in that directory",
    )


def _places(root: Path, git_dir: Path | None, hollow: tuple[Path, ...]) -> RepositoryPlaces:
    if git_dir is None:
        return RepositoryPlaces(root, None, None, hollow)
    foreign = git_dir.stat().st_uid != os.geteuid()
    return RepositoryPlaces(root, git_dir, _common_dir(git_dir), hollow, foreign)


def _without_comment(text: str) -> str:
    """A configuration line without quotes, escapes and what follows `#` or `;`."""
    kept: list[str] = []
    quoted = escaped = False
    for character in text:
        if escaped:
            kept.append({"n": "\n", "t": "\t", "b": "\b"}.get(character, character))
            escaped = False
        elif character == "\\":
            escaped = True
        elif character == '"':
            quoted = not quoted
        elif character in "#;" and not quoted:
            break
        else:
            kept.append(character)
    return "".join(kept)
