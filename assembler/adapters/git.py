"""Read a repository's objects, index and file names with git, trusting nothing it configures.

In: where the repository is. Out: commits, listings and blobs, each blob and commit re-hashed.
Never here: the repository's configuration, hooks, filters, attributes, replace refs, grafts or
remotes; a comparison with the worktree; anything written outside a private temporary folder.
Processes: one for all commits, contents and sizes, one a listing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final

from assembler.adapters.git_index import MAX_LISTING_BYTES
from assembler.adapters.git_objects import FULL_ID, Commit, ObjectReader
from assembler.adapters.git_private import PrivateGitDir
from assembler.adapters.git_process import GitRunner, Patience
from assembler.adapters.git_trees import TreeListings
from assembler.adapters.repository import RepositoryPlaces
from assembler.errors import UsageError
from assembler.model.tree import Unreadable

LISTING_SECONDS: Final = 20.0
"""Longest wait for a listing; a cold repository of a million files takes some."""

MAX_REF_NAMES: Final = 50_000
MAX_NAME_BYTES: Final = 250

# `..` and `:` name no commit; `@{` and `^{/` ask the reflog, the clock or every message; `^!`,
# `^@` and `^-` name several; a leading `^` or `-` is an option or an exclusion.
_NO_NAME: Final = r"[\x00-\x20\x7f:?*\[\\]|\.\.|@\{|\^\{/|\^[!@-]|\A[-^]|\A\Z"


class GitRepository(TreeListings):
    """The objects, refs and index of one repository. Close it, or use it in a `with`."""

    def __init__(
        self,
        places: RepositoryPlaces,
        *,
        environment: Mapping[str, str] | None = None,
        search_path: str | None = None,
        scratch: Path | None = None,
        listing_seconds: float = LISTING_SECONDS,
    ) -> None:
        """Look at the repository; nothing is started or written yet.

        Args:
            places: of `find_repository`.
            environment: says where the user keeps what git is to ignore everywhere; None: nobody
                is asked for it.
            search_path: where the program git is looked for; PATH if None.
            scratch: where the private folder is made; TMPDIR or /tmp if None.
            listing_seconds: longest wait for a listing.

        Raises:
            UsageError: `not-a-repository` if the places have no objects.
        """
        if places.git_dir is None or places.common_dir is None:
            raise UsageError("not-a-repository", "not a git repository", where=str(places.root))
        super().__init__()
        self.places = places
        self._private = PrivateGitDir(
            root=places.root,
            git_dir=places.git_dir,
            common_dir=places.common_dir,
            environment=environment or {},
            scratch=scratch or Path(os.environ.get("TMPDIR") or "/tmp"),
        )
        self._search_path = (
            os.environ.get("PATH", os.defpath) if search_path is None else search_path
        )
        self._listing_seconds = listing_seconds
        self._started: GitRunner | None = None
        self._objects = ObjectReader(
            self._git, object_format=self.object_format, content_seconds=listing_seconds
        )
        self._head: tuple[Commit | None] | None = None
        self._is_closed = False

    def __enter__(self) -> GitRepository:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the processes and remove the private folder."""
        self._is_closed = True
        self._objects.close()
        if self._started is not None:
            self._started.close()
        self._private.remove()

    @property
    def process_count(self) -> int:
        """Processes started so far."""
        return 0 if self._started is None else self._started.process_count

    @property
    def object_format(self) -> str:
        """`sha1` or `sha256`."""
        return self._private.object_format

    @property
    def alternates(self) -> tuple[str, ...]:
        """Other object directories that this one names; git reads them too."""
        return self._private.alternates

    def head(self) -> Commit | None:
        """The commit of HEAD, or None on a branch without one.

        Raises:
            UsageError: `revision-missing`, `git-failed`, `git-timeout`.
        """
        if self._head is None:
            commit = self._commit("HEAD")
            if commit is None and not self._private.is_head_unborn():
                raise _missing("HEAD")
            self._head = (commit,)
        return self._head[0]

    def resolve(self, name: str) -> Commit:
        """The commit that the name leads to.

        Args:
            name: a full or short id, a ref, or such a name with `~N` and `^N`.

        Raises:
            UsageError: `revision-missing`, `unborn-branch`, `git-failed`, `git-timeout`.
        """
        if not _is_name(name):
            raise UsageError("revision-missing", "not the name of one commit", where=name)
        if name == "HEAD":
            head = self.head()
            if head is None:
                raise UsageError("unborn-branch", "the branch has no commit yet", where=name)
            return head
        commit = self._commit(name)
        if commit is None:
            raise _missing(name, self._private.ref_names())
        return commit

    def find_commit(self, name: str) -> Commit | None:
        """The commit that the name leads to; None where this clone has none, or a damaged one.

        Nothing is fetched, and no near name is taken for it.

        Raises:
            UsageError: `git-timeout`.
        """
        if not _is_name(name):
            return None
        try:
            return self.head() if name == "HEAD" else self._commit(name)
        except UsageError as error:
            if error.code == "git-timeout":
                raise
            return None

    def read_tree(self, tree_id: str) -> bytes | Unreadable:
        """The bytes of one folder of a commit, hashed again.

        Raises:
            UsageError: `git-failed`, `git-timeout`.
        """
        return self._objects.read_tree(tree_id)

    def blobs_at(self, commit_id: str, paths: Sequence[bytes]) -> dict[bytes, str | None]:
        """As `blob_ids`, by one process for all commits that are ever asked about.

        A path with a line feed, or of more than `MAX_ASKED_BYTES`, can't be asked for: None.

        Raises:
            UsageError: `git-failed`, `git-timeout`.
        """
        return self._objects.blobs_at(commit_id, paths)

    def commits_named(self, name: str) -> tuple[str, ...]:
        """The commits that a name may mean: several where a tag and a branch have it.

        Raises:
            UsageError: as `resolve`, but for `revision-missing`.
        """
        # A tag can be called `refs/heads/main`, `HEAD`, or like an id; git passes those by too.
        is_exact = name.startswith("refs/") or name == "HEAD" or re.match(FULL_ID, name)
        kinds = () if is_exact else ("tags", "heads", "remotes")
        full = [f"refs/{kind}/{name}" for kind in kinds]
        try:
            own = [self._commit(ref) for ref in full if not re.search(_NO_NAME, ref)]
            found = {commit.id for commit in own if commit is not None}
            return tuple(sorted(found or {self.resolve(name).id}))
        except UsageError as error:
            if error.code in ("revision-missing", "unborn-branch"):
                return ()
            raise

    def ref_names(self) -> tuple[str, ...]:
        """Full names of branches, tags and remote branches, sorted; of more than a bound some."""
        return self._private.full_ref_names(MAX_REF_NAMES)

    def read_blobs(
        self, blob_ids: Iterable[str], *, limit_bytes: int
    ) -> dict[str, bytes | Unreadable]:
        """The bytes of each blob, sizes asked before any content, each hashed again.

        Returns:
            `Unreadable`: `missing`, `not-a-file`, `size-limit` or `corrupt-object`.

        Raises:
            UsageError: `git-failed` (also for many damaged objects), `git-timeout`.
        """
        return self._objects.read_blobs(blob_ids, limit_bytes=limit_bytes)

    def blob_sizes(self, blob_ids: Sequence[str]) -> dict[str, int | Unreadable]:
        """The size in bytes of each blob, nothing of it read.

        Raises:
            UsageError: `git-failed`, `git-timeout`.
        """
        return self._objects.blob_sizes(blob_ids)

    def _commit(self, name: str) -> Commit | None:
        if not re.match(FULL_ID, name) and self._private.has_reftable:
            raise UsageError("git-failed", "refs in reftable form are not read; give a full id")
        return self._objects.commit(name)

    def _list(
        self,
        arguments: Sequence[str | bytes],
        extra: dict[str, str],
        patience: Patience | None = None,
    ) -> Iterator[bytes]:
        return self._git().records(
            arguments,
            limit_bytes=MAX_LISTING_BYTES,
            timeout_seconds=self._listing_seconds,
            extra=extra,
            patience=patience,
        )

    def _git(self) -> GitRunner:
        if self._is_closed:
            raise RuntimeError("the repository was closed")
        if self._started is None:
            self._started = GitRunner(
                private=self._private.make(),
                objects=self._private.objects,
                search_path=self._search_path,
            )
        return self._started


def _is_name(text: str) -> bool:
    """Whether git would take the text for the name of one commit, and ask nothing else for it."""
    size_bytes = len(text.encode("utf-8", "replace"))
    return size_bytes <= MAX_NAME_BYTES and not re.search(_NO_NAME, text)


def _missing(name: str, known: Sequence[str] = ()) -> UsageError:
    import difflib

    near = difflib.get_close_matches(name, known, n=1)
    hint = "git fetch it, where the clone is shallow or partial"
    return UsageError(
        "revision-missing",
        "no such commit in this repository",
        where=name,
        next_step=f"did you mean {near[0]}? Else {hint}" if near else hint,
    )
