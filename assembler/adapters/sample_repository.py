"""Make the sample repository of the demo: two revisions of a small project, as real git history.

In: the texts under `sample_repo/`. Out: a repository, a host manifest and the host's instructions
in a folder that was new or empty. The commit ids are the same on every machine.
Never here: the caller's git configuration, hooks, templates, identity, time zone or `GIT_*`
variables; anything written outside the folder; a folder that holds something.
Format of the texts: sample_repo/README.md.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from assembler.adapters.filesystem import read_host_file
from assembler.adapters.git_process import find_git
from assembler.errors import ConfigError, UsageError
from assembler.model.paths import normal_path

if TYPE_CHECKING:
    import git

MAX_TEXT_BYTES: Final = 1 << 20
MAX_PATH_CHARACTERS: Final = 255
"""Longest path of a tree; every file system takes it below any usual folder."""

HEADER: Final = b"==== "
_MARK: Final = b"===="
_FORBIDDEN: Final = frozenset('\\:*?"<>|')
"""Characters of a path that some file system refuses or takes for something else."""

_REVISIONS: Final = (
    ("r39", "2026-08-24T14:30:00+00:00", "parser 4.1.3: compare characters, not substrings"),
    ("r42", "2026-09-14T09:00:00+00:00", "parser 4.2.1: spans in code points, from an offset"),
)
"""Tag, date and message of each commit, oldest first."""

_AUTHOR: Final = "Parser Team"
_EMAIL: Final = "parser@delimited.example"
_FIXED: Final[dict[str, str]] = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_AUTHOR_EMAIL": _EMAIL,
    "GIT_AUTHOR_NAME": _AUTHOR,
    "GIT_COMMITTER_EMAIL": _EMAIL,
    "GIT_COMMITTER_NAME": _AUTHOR,
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_DEFAULT_HASH": "sha1",
    "GIT_DEFAULT_REF_FORMAT": "files",
    # Empty: no template at all, not even the one that came with git.
    "GIT_TEMPLATE_DIR": "",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
    "TZ": "UTC",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleRepository:
    """Where the parts of a sample are."""

    root: Path
    """The repository; its files are those of `r42`."""
    host: Path
    """The host manifest, beside the repository."""
    r39: str
    """Id of the older commit, also tagged by this name."""
    r42: str
    """Id of the newer commit, also tagged by this name, and the tip of `main`."""


def sample_source() -> Path:
    """The folder of the texts: in the wheel, or beside the package in a checkout."""
    package = Path(__file__).resolve().parent.parent
    shipped = package / "sample_repo"
    return shipped if shipped.is_dir() else package.parent / "sample_repo"


def parse_tree(text: bytes) -> dict[str, bytes]:
    """The files of one revision, by path, in the order of the text.

    Raises:
        ConfigError: `sample-invalid`, with the line.
    """
    if text and not text.endswith(b"\n"):
        _refuse("the last line has no line feed", text.count(b"\n") + 1)
    files: dict[str, bytes] = {}
    taken: set[str] = set()
    content: list[bytes] | None = None
    path = ""
    for number, line in enumerate(text.split(b"\n")[:-1], start=1):
        if line.startswith(HEADER):
            if content is not None:
                files[path] = b"".join(content)
            path, content = _read_path(line.removeprefix(HEADER), number, taken), []
        elif content is None:
            _refuse("the first line is no header", number)
        elif line.startswith(_MARK) and not line.startswith(_MARK + b"="):
            _refuse("a line that begins with four equals signs is no header", number)
        else:
            content.append((line[1:] if line.startswith(_MARK) else line) + b"\n")
    if content is None:
        _refuse("it holds no file", 1)
    files[path] = b"".join(content)
    return files


def build_sample(folder: Path, source: Path) -> SampleRepository:
    """Write the sample: `repository/`, `host.yaml` and `global/AGENTS.md`.

    The environment of this process is replaced while git works, since GitPython hands all of it
    on; so no other thread should rely on it meanwhile.

    Args:
        folder: new or empty; its parent exists.
        source: what `sample_source` gives.

    Raises:
        UsageError: the folder is not free, a text is missing, git is missing or fails. What was
            written is removed again.
        ConfigError: `sample-invalid`: a text is not of the format.
    """
    trees = {name: _read_tree(source / f"{name}.txt") for name, _, _ in _REVISIONS}
    host = read_host_file(source / "host.yaml", limit_bytes=MAX_TEXT_BYTES)
    instructions = read_host_file(source / "global.txt", limit_bytes=MAX_TEXT_BYTES)
    program = find_git(os.environ.get("PATH", os.defpath))
    _require_free(folder)
    was_there = folder.is_dir()
    folder = folder.resolve()
    try:
        _write_files(folder, {"host.yaml": host, "global/AGENTS.md": instructions})
        commits = _make_history(folder, trees, program)
    except BaseException as error:
        _remove(folder, keep_folder=was_there)
        if isinstance(error, OSError):
            problem = f"the sample could not be written ({error.strerror})"
            raise UsageError("folder-unwritable", problem, where=str(folder)) from None
        raise
    return SampleRepository(
        root=folder / "repository",
        host=folder / "host.yaml",
        r39=commits["r39"],
        r42=commits["r42"],
    )


def _read_tree(path: Path) -> dict[str, bytes]:
    try:
        return parse_tree(read_host_file(path, limit_bytes=MAX_TEXT_BYTES))
    except ConfigError as error:
        raise ConfigError(error.code, error.message, where=f"{path.name}:{error.where}") from None


def _read_path(raw: bytes, number: int, taken: set[str]) -> str:
    """The path of a header; adds it and its folders to what is taken.

    Raises:
        ConfigError: `sample-invalid`.
    """
    try:
        path = raw.decode("ascii")
    except UnicodeDecodeError:
        _refuse("a path is not ASCII", number)
    if not path.isprintable() or _FORBIDDEN & set(path) or len(path) > MAX_PATH_CHARACTERS:
        _refuse("a path holds a character that not every system takes, or is too long", number)
    if normal_path(path) != path:
        _refuse("a path is not a plain one below the root", number)
    parts = path.lower().split("/")
    if any(part == ".git" or part != part.strip(" ") or part.endswith(".") for part in parts):
        _refuse("a path has a part that git or a file system keeps for itself", number)
    # Lower case: where a file system does not tell cases apart, two such files would be one.
    key = "/".join(parts)
    folders = {"/".join(parts[:depth]) + "/" for depth in range(1, len(parts))}
    if key in taken or f"{key}/" in taken or any(name.rstrip("/") in taken for name in folders):
        _refuse("a path stands twice, or is the folder of another one", number)
    taken.update({key, *folders})
    return path


def _refuse(problem: str, number: int) -> NoReturn:
    raise ConfigError("sample-invalid", f"not a sample tree: {problem}", where=f"{number}")


def _require_free(folder: Path) -> None:
    where = str(folder)
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise UsageError("not-a-folder", f"{folder} is no folder", where=where)
    try:
        if folder.is_dir() and any(folder.iterdir()):
            raise UsageError(
                "folder-not-empty",
                f"{folder} is not empty",
                where=where,
                next_step="name a new folder; nothing is overwritten",
            )
    except OSError as error:
        problem = f"{folder} can't be read ({error.strerror})"
        raise UsageError("folder-unwritable", problem, where=where) from None
    if not folder.parent.is_dir():
        raise UsageError("path-missing", f"no such folder: {folder.parent}", where=where)


def _write_files(root: Path, files: Mapping[str, bytes]) -> None:
    for name, data in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _remove(folder: Path, *, keep_folder: bool) -> None:
    """Take back what was written; the folder was empty before."""
    for name in ("repository", "global"):
        shutil.rmtree(folder / name, ignore_errors=True)
    (folder / "host.yaml").unlink(missing_ok=True)
    if not keep_folder:
        with suppress(OSError):
            folder.rmdir()


def _make_history(
    folder: Path, trees: Mapping[str, Mapping[str, bytes]], program: str
) -> dict[str, str]:
    """One commit a revision, each on top of the one before; their ids by tag.

    Raises:
        UsageError: `git-failed`.
    """
    # The folder holds nothing of anyone's configuration, so it can stand in for a home.
    variables = {**_FIXED, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    with _only_environment({**variables, "PATH": str(Path(program).parent)}):
        try:
            # It starts git once to see that it is there.
            import git
        except ImportError:
            raise UsageError("git-failed", "GitPython is missing, or git does not start") from None
        try:
            with git.Repo.init(folder / "repository", expand_vars=False) as repository:
                repository.git.symbolic_ref("HEAD", "refs/heads/main")
                return _commit_all(repository, folder / "repository", trees)
        except git.GitCommandError as error:
            # Its words are not repeated: they quote paths and whatever else.
            raise UsageError("git-failed", f"git failed with status {error.status}") from None


def _commit_all(
    repository: git.Repo, root: Path, trees: Mapping[str, Mapping[str, bytes]]
) -> dict[str, str]:
    commits: dict[str, str] = {}
    parent: list[str] = []
    written: Mapping[str, bytes] = {}
    for name, date, message in _REVISIONS:
        for path in written.keys() - trees[name].keys():
            (root / path).unlink()
        written = trees[name]
        _write_files(root, written)
        # Plumbing: no hook, no signature, no clean-up of the message, no maintenance afterwards.
        # Forced, so that no ignore rule of the project leaves a file of the text out.
        repository.git.add("--all", "--force")
        tree = repository.git.write_tree()
        with repository.git.custom_environment(GIT_AUTHOR_DATE=date, GIT_COMMITTER_DATE=date):
            commit = str(repository.git.commit_tree(tree, *parent, "-m", message))
            repository.git.update_ref(f"refs/tags/{name}", commit)
            repository.git.update_ref("refs/heads/main", commit)
        commits[name] = commit
        parent = ["-p", commit]
    return commits


@contextmanager
def _only_environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Replace the environment of this process, and put it back."""
    kept = dict(os.environ)
    os.environ.clear()
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(kept)
