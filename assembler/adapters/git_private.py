"""A git directory of our own that borrows a repository's objects and refs, and nothing else.

In: the repository's places. Out: a folder to point GIT_DIR at, always removed again.
Never here: the repository's configuration, hooks, attributes or grafts in effect; git itself.
"""

from __future__ import annotations

import os
import re
import stat
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from assembler.adapters.excludes_file import find_excludes_file
from assembler.adapters.filesystem import read_host_file
from assembler.adapters.repository import read_git_config
from assembler.errors import UsageError

MAX_REF_BYTES: Final = 4_096
MAX_EXCLUDES_BYTES: Final = 1 << 20
MAX_PACKED_REFS_BYTES: Final = 64 << 20

# Names that git writes beside HEAD and that a caller may well ask for (`git fetch` in CI).
_OTHER_HEADS: Final = ("ORIG_HEAD", "FETCH_HEAD", "MERGE_HEAD")
MAX_NAMED_REFS: Final = 2_000
"""Names that a typing error is compared with."""

_FALSE: Final = frozenset({"false", "no", "off", "0", ""})
_SHOWN_REF: Final = re.compile(r"\Arefs/(?:heads|tags|remotes)/")
_SYMBOLIC: Final = rb"ref: (refs/[^\s\0]+)\s*\Z"
_DETACHED: Final = rb"[0-9a-f]{40,64}\s*\Z"
_CONFIG: Final = """\
[core]
\trepositoryFormatVersion = 1
\tbare = false
\tcommitGraph = false
\tfsmonitor = false
\thooksPath = {null}
\tuntrackedCache = false
\texcludesFile = {excludes}
\tattributesFile = {null}
[extensions]
\tobjectFormat = {object_format}
"""


class PrivateGitDir:
    """The private folder of one repository, made when it is first needed."""

    def __init__(
        self,
        *,
        root: Path,
        git_dir: Path,
        common_dir: Path,
        scratch: Path,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Read what the folder will need.

        Raises:
            UsageError: `path-unreadable`, `size-limit` about the repository's `config`;
                `git-failed` for an object format that is not known.
        """
        self._root = root
        self._git_dir = git_dir
        self._common_dir = common_dir
        self._scratch = scratch
        self._environment = environment or {}
        self._has_excludes = False
        self._folder: Path | None = None
        self._remover: weakref.finalize[[Path], PrivateGitDir] | None = None
        self._settings = read_git_config(common_dir / "config")
        self.object_format = self._settings.get("extensions.objectformat", "sha1").lower()
        if self.object_format not in {"sha1", "sha256"}:
            raise UsageError("git-failed", "an object format that is not known", where=str(root))

    @property
    def objects(self) -> Path:
        """The repository's object directory."""
        return self._common_dir / "objects"

    @property
    def has_reftable(self) -> bool:
        """Whether refs are kept in a form that is not read here."""
        return self._settings.get("extensions.refstorage", "files").lower() != "files"

    @property
    def has_modes(self) -> bool:
        """Whether the file system tells which files may be run (`core.fileMode`)."""
        return self._settings.get("core.filemode", "true").lower() not in _FALSE

    @property
    def has_links(self) -> bool:
        """Whether links are checked out as links (`core.symlinks`)."""
        return self._settings.get("core.symlinks", "true").lower() not in _FALSE

    @property
    def alternates(self) -> tuple[str, ...]:
        """Object directories that the repository's own one names."""
        text = _small_file(self.objects / "info" / "alternates", MAX_EXCLUDES_BYTES)
        lines = (text or b"").split(b"\n")
        return tuple(os.fsdecode(line) for line in lines if line and not line.startswith(b"#"))

    def make(self) -> Path:
        """The folder, made on the first call.

        Raises:
            UsageError: `git-failed` if it can't be made.
        """
        if self._folder is None:
            folder = self._scratch / f"assembler-git-{os.urandom(8).hex()}"
            try:
                folder.mkdir(mode=0o700)
                self._folder = folder
                # Also when a caller forgets to close, and at the interpreter's regular end.
                self._remover = weakref.finalize(self, _remove, folder)
                self._fill(folder)
            except OSError as error:
                self.remove()
                problem = f"no private git directory ({error.strerror})"
                raise UsageError("git-failed", problem, where=str(self._scratch)) from None
        return self._folder

    def remove(self) -> None:
        """Remove the folder, if it was made."""
        if self._remover is not None:
            self._remover()
        self._folder = self._remover = None
        self._has_excludes = False

    def index(self, index_file: Path | None) -> Path:
        """The index file to read, known to be a regular file or missing.

        Raises:
            UsageError: `path-missing` for a named one, `path-unreadable`.
        """
        index = self._git_dir / "index" if index_file is None else self._root / index_file
        try:
            mode = index.stat().st_mode
        except OSError:
            if index_file is None:
                return index  # git takes a missing index for an empty one, and so did `git init`
            raise UsageError("path-missing", "no such index file", where=str(index)) from None
        if not stat.S_ISREG(mode):
            raise UsageError("path-unreadable", "the index is no regular file", where=str(index))
        return index

    def take_excludes(self) -> None:
        """Copy what git ignores beside `.gitignore`: `info/exclude` and `core.excludesFile`."""
        folder = self.make()
        if self._has_excludes:
            return
        self._has_excludes = True
        own = _small_file(self._common_dir / "info" / "exclude", MAX_EXCLUDES_BYTES)
        (folder / "info" / "exclude").write_bytes(own or b"")
        named = find_excludes_file(self._settings, self._root, self._environment)
        further = None if named is None else _small_file(named, MAX_EXCLUDES_BYTES)
        (folder / "excludes").write_bytes(further or b"")

    def exclude_files(self) -> dict[Path, str]:
        """What the copies are called that `take_excludes` makes."""
        folder = self.make()
        return {
            folder / "info" / "exclude": ".git/info/exclude",
            folder / "excludes": "core.excludesFile",
        }

    def is_head_unborn(self) -> bool:
        """Whether HEAD names a branch that has no commit."""
        symbolic = re.match(_SYMBOLIC, _head(self._git_dir))
        if symbolic is None:
            return False
        ref = symbolic.group(1)
        if os.path.lexists(os.path.join(os.fsencode(self._common_dir), ref)):  # noqa: PTH118
            return False
        packed = _small_file(self._common_dir / "packed-refs", MAX_PACKED_REFS_BYTES)
        return b" " + ref + b"\n" not in (packed or b"")

    def ref_names(self) -> tuple[str, ...]:
        """Branches and tags as people name them, sorted; for a hint, so bounded and unchecked."""
        names = self.full_ref_names(MAX_NAMED_REFS)
        return tuple(sorted({_SHOWN_REF.sub("", ref) for ref in names}))

    def full_ref_names(self, most: int) -> tuple[str, ...]:
        """Full names of branches, tags and remote branches, sorted, unchecked; of more some."""
        packed = _small_file(self._common_dir / "packed-refs", MAX_PACKED_REFS_BYTES) or b""
        found = {line.partition(b" ")[2] for line in packed.split(b"\n")[:most]}
        top = os.fsencode(self._common_dir)
        for folder, folders, names in os.walk(os.path.join(top, b"refs")):  # noqa: PTH118
            folders.sort()
            inside = os.path.relpath(folder, top)
            found.update(inside + b"/" + name for name in names)
            if len(found) > most:
                break
        refs = (name.decode("utf-8", "replace") for name in found)
        return tuple(sorted({ref for ref in refs if _SHOWN_REF.match(ref)}))

    def _fill(self, folder: Path) -> None:
        for name in ("objects", "info"):
            (folder / name).mkdir()
        config = _CONFIG.format(
            null=os.devnull, excludes=_quoted(folder / "excludes"), object_format=self.object_format
        )
        (folder / "config").write_text(config, encoding="utf-8", errors="surrogateescape")
        head = _head(self._git_dir)
        # Git refuses a directory with any other HEAD; full ids can be read all the same.
        is_usable = re.match(_SYMBOLIC, head) or re.match(_DETACHED, head)
        (folder / "HEAD").write_bytes(head if is_usable else b"ref: refs/heads/.invalid\n")
        for name in _OTHER_HEADS:
            content = _small_file(self._git_dir / name, MAX_REF_BYTES)
            if content is not None:
                (folder / name).write_bytes(content)
        (folder / "refs").symlink_to(self._common_dir / "refs")
        # A FIFO in its place would be opened by git, and wait.
        if (self._common_dir / "packed-refs").is_file():
            (folder / "packed-refs").symlink_to(self._common_dir / "packed-refs")
        # The parts of a split index are looked for beside the private HEAD.
        for shared in self._git_dir.glob("sharedindex.*"):
            if shared.is_file():
                (folder / shared.name).symlink_to(shared)


def _head(git_dir: Path) -> bytes:
    """HEAD's content; a link, as old versions of git made it, becomes the text it stands for."""
    head = git_dir / "HEAD"
    if head.is_symlink():
        return b"ref: " + os.fsencode(head.readlink()) + b"\n"
    return _small_file(head, MAX_REF_BYTES) or b""


def _small_file(path: Path, limit_bytes: int) -> bytes | None:
    """The bytes of a regular file, or None if there is none that can be read."""
    try:
        return read_host_file(path, limit_bytes=limit_bytes)
    except UsageError:
        return None


def _quoted(path: Path) -> str:
    escaped = str(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _remove(folder: Path) -> None:
    """Remove what `_fill` made; links are removed and not followed."""
    if not folder.is_dir():
        return
    for item in folder.iterdir():
        if item.is_dir() and not item.is_symlink():
            _remove(item)
        else:
            item.unlink()
    folder.rmdir()
