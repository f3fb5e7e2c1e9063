"""Commits, folders and blobs of a repository, through one `git cat-file` process, each re-hashed.

In: names and ids. Out: commits, sizes, bytes.
Never here: content before its size is known, bytes that are not those of their id.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple

from assembler.adapters.git_process import Conversation, GitDiedError, GitRunner
from assembler.errors import UsageError
from assembler.model.digest import git_object_id
from assembler.model.tree import Unreadable

ANSWER_SECONDS: Final = 5.0
"""Longest wait for a commit, or for a few dozen objects."""

MAX_COMMIT_BYTES: Final = 1 << 20

MAX_TREE_BYTES: Final = 64 << 20
"""Of one folder: more than a million names."""

ASKED_AT_ONCE: Final = 50
"""Ids sent before the answers are read: 50 of 75 bytes with their word stay below a pipe's page."""

MAX_ASKED_BYTES: Final = 3_500
"""Of paths asked for at once, and of one path."""

MAX_RESTARTS: Final = 8
"""New processes after damaged objects (two for each at most), before reading as a whole fails."""

NO_OBJECT: Final = b"0" * 40
"""Asked to see whether git understands a question."""

FULL_ID: Final = r"(?:[0-9a-f]{40}|[0-9a-f]{64})\Z"
_BLOB_ANSWER: Final = rb"([0-9a-f]{40}|[0-9a-f]{64}) blob \d+\Z"
_COMMITTER: Final = rb"^committer .*> (\d{1,12}) [+-]\d{4}$"
_TREE: Final = rb"tree ([0-9a-f]+)\n"
_PARENT: Final = rb"^parent ([0-9a-f]+)$"
_LAST_SECOND: Final = 253_402_300_799  # 9999-12-31T23:59:59Z


class Commit(NamedTuple):
    """One commit, its bytes verified against its id."""

    id: str
    tree: str
    committed_at: str
    """`YYYY-MM-DDTHH:MM:SSZ`; 1970 where the date is none, as git shows it."""
    parents: tuple[str, ...] = ()
    """Full ids, the first one first."""


class ObjectReader:
    """Asks one process for contents and sizes, started when first needed.

    A git before 2.36 has no process for both; there it is one for each.
    """

    def __init__(
        self, runner: Callable[[], GitRunner], *, object_format: str, content_seconds: float
    ) -> None:
        self._runner = runner
        self._object_format = object_format
        self._content_seconds = content_seconds
        self._contents: Conversation | None = None
        self._checks: Conversation | None = None
        self._has_commands = True
        """Whether git has one process for both; until it is known, it is tried."""
        self._is_fresh = True
        """Whether no content was asked of the process yet."""
        self._restarts = 0

    def close(self) -> None:
        """End the processes."""
        self._close_contents()
        if self._checks is not None:
            self._checks.close()
            self._checks = None

    def _close_contents(self) -> None:
        if self._contents is not None:
            self._contents.close()
        if self._has_commands:
            self._checks = None
        self._contents = None
        self._is_fresh = True

    def commit(self, name: str) -> Commit | None:
        """The commit of a name that was checked, or None if there is none.

        Raises:
            UsageError: `git-failed`, `git-timeout`.
        """
        try:
            conversation = self._ask_contents([f"{name}^{{commit}}".encode()])
            deadline = time.monotonic() + ANSWER_SECONDS
            answer = conversation.read_line(deadline).split(b" ")
            if len(answer) != 3 or answer[1] != b"commit" or not answer[2].isdigit():
                return None
            size = int(answer[2])
            if size > MAX_COMMIT_BYTES:
                raise GitDiedError
            data = conversation.read_exactly(size + 1, deadline)[:-1]
        except GitDiedError:
            self._restart()
            raise UsageError("git-failed", "the commit can't be read", where=name) from None
        except UsageError:
            self.close()  # an answer may still come, and would be taken for the next one's
            raise
        return self._parse_commit(answer[0].decode("ascii"), data)

    def _parse_commit(self, commit_id: str, data: bytes) -> Commit:
        # Loaded when git has something to do: a listing may be waited for meanwhile.
        from datetime import UTC, datetime

        tree = re.match(_TREE, data)
        if git_object_id("commit", data, self._object_format) != commit_id or tree is None:
            raise UsageError("git-failed", "the commit's bytes are not its id's", where=commit_id)
        head = data.partition(b"\n\n")[0]
        committer = re.search(_COMMITTER, head, flags=re.MULTILINE)
        parents = re.findall(_PARENT, head, flags=re.MULTILINE)
        seconds = int(committer.group(1)) if committer else 0
        moment = datetime.fromtimestamp(seconds if seconds <= _LAST_SECOND else 0, UTC)
        committed_at = moment.strftime("%Y-%m-%dT%H:%M:%SZ")
        return Commit(
            commit_id,
            tree.group(1).decode("ascii"),
            committed_at,
            tuple(parent.decode("ascii") for parent in parents),
        )

    def read_blobs(
        self, blob_ids: Iterable[str], *, limit_bytes: int
    ) -> dict[str, bytes | Unreadable]:
        """The bytes of each blob, sizes asked before any content, each hashed again.

        Returns:
            `Unreadable`: `missing`, `not-a-file`, `size-limit` or `corrupt-object`.

        Raises:
            UsageError: `git-failed` (also for many damaged objects), `git-timeout`.
        """
        return self._read(blob_ids, "blob", limit_bytes)

    def read_tree(self, tree_id: str) -> bytes | Unreadable:
        """The bytes of one folder of a commit, hashed again.

        Raises:
            UsageError: as `read_blobs`.
        """
        return self._read([tree_id], "tree", MAX_TREE_BYTES)[tree_id]

    def _read(
        self, object_ids: Iterable[str], kind: str, limit_bytes: int
    ) -> dict[str, bytes | Unreadable]:
        wanted = sorted(set(object_ids))
        sizes = self._sizes(wanted, kind)
        found: dict[str, bytes | Unreadable] = {}
        readable: list[tuple[str, int]] = []
        for blob_id in wanted:
            size = sizes[blob_id]
            if isinstance(size, Unreadable):
                found[blob_id] = size
            elif size > limit_bytes:
                found[blob_id] = Unreadable("size-limit")
            else:
                readable.append((blob_id, size))
        while readable:
            readable = self._read_some(readable, kind, found)
        return found

    def blob_sizes(self, blob_ids: Sequence[str]) -> dict[str, int | Unreadable]:
        """The size in bytes of each blob, nothing of it read.

        Raises:
            UsageError: `git-failed`, `git-timeout`.
        """
        return self._sizes(blob_ids, "blob")

    def _sizes(self, object_ids: Sequence[str], kind: str) -> dict[str, int | Unreadable]:
        sizes: dict[str, int | Unreadable] = {}
        for start in range(0, len(object_ids), ASKED_AT_ONCE):
            asked = object_ids[start : start + ASKED_AT_ONCE]
            with self._asking():
                checks = self._ask_sizes([_request(object_id) for object_id in asked])
                deadline = time.monotonic() + ANSWER_SECONDS
                for object_id in asked:
                    answer = checks.read_line(deadline)
                    sizes[object_id] = _size(answer, object_id, kind)
        return sizes

    def can_ask(self, paths: Iterable[bytes]) -> bool:
        """Whether `blobs_at` starts no process, and can ask for every one of the paths."""
        is_open = self._checks is not None or (self._has_commands and self._contents is not None)
        return is_open and all(map(_is_askable, paths))

    def blobs_at(self, commit_id: str, paths: Sequence[bytes]) -> dict[bytes, str | None]:
        """The blob at each path of a commit; None where no file is, or it can't be asked for.

        Raises:
            UsageError: `git-failed`, `git-timeout`.
        """
        found: dict[bytes, str | None] = dict.fromkeys(paths)
        askable = filter(_is_askable, found)
        batch: list[bytes] = []
        for path in askable:
            # Every question of a batch stays below what a pipe holds.
            if batch and sum(map(len, batch)) + len(path) + 80 * len(batch) > MAX_ASKED_BYTES:
                self._ask_blobs(commit_id, batch, found)
                batch = []
            batch.append(path)
        if batch:
            self._ask_blobs(commit_id, batch, found)
        return found

    def _ask_blobs(
        self, commit_id: str, paths: Sequence[bytes], found: dict[bytes, str | None]
    ) -> None:
        if not re.match(FULL_ID, commit_id):
            raise ValueError("commit_id is a full object id")
        with self._asking():
            prefix = commit_id.encode("ascii")
            checks = self._ask_sizes([b"%s:%s" % (prefix, path) for path in paths])
            deadline = time.monotonic() + ANSWER_SECONDS
            for path in paths:
                answer = re.match(_BLOB_ANSWER, checks.read_line(deadline))
                found[path] = None if answer is None else answer.group(1).decode("ascii")

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """End git where it fails: what is left of one answer would be taken for the next.

        Raises:
            UsageError: `git-failed`, `git-timeout`.
        """
        try:
            yield
        except GitDiedError:
            self.close()
            raise UsageError("git-failed", "git cat-file ended early") from None
        except UsageError:
            self.close()
            raise

    def _read_some(
        self, readable: list[tuple[str, int]], kind: str, found: dict[str, bytes | Unreadable]
    ) -> list[tuple[str, int]]:
        """Read the first of the objects, and say which are left."""
        asked = readable[:ASKED_AT_ONCE]
        done = 0
        is_fresh = self._is_fresh
        try:
            conversation = self._ask_contents([_request(object_id) for object_id, _ in asked])
            deadline = time.monotonic() + self._content_seconds
            for object_id, size in asked:
                header = f"{object_id} {kind} {size}"
                found[object_id] = self._read_one(conversation, header, size, deadline)
                done += 1
        except GitDiedError:
            # Git ends at an object that it can't inflate, or its answers went out of step behind
            # one. Only the first object of a new process is known to be the damaged one itself.
            self._restart()
            if is_fresh and done == 0:
                found[asked[0][0]] = Unreadable("corrupt-object")
                done = 1
        except UsageError:
            self.close()
            raise
        return readable[done:]

    def _read_one(
        self, conversation: Conversation, expected: str, size: int, deadline: float
    ) -> bytes:
        """One object's verified bytes; `expected` is the line before them.

        Raises:
            GitDiedError: the answer is another one than was announced, or not of this id.
            UsageError: `git-timeout`.
        """
        if conversation.read_line(deadline) != expected.encode():
            raise GitDiedError
        data, end = (
            conversation.read_exactly(size, deadline),
            conversation.read_exactly(1, deadline),
        )
        object_id, kind, _ = expected.split(" ")
        if end != b"\n" or git_object_id(kind, data, self._object_format) != object_id:
            raise GitDiedError
        return data

    def _ask_contents(self, names: Sequence[bytes]) -> Conversation:
        """Ask for the content of each; the answers are still to be read."""
        if self._contents is None:
            self._contents = self._open_both() or self._runner().converse(["cat-file", "--batch"])
        self._is_fresh = False
        self._contents.ask(self._question(b"contents", names))
        return self._contents

    def _ask_sizes(self, names: Sequence[bytes]) -> Conversation:
        """Ask for kind and size of each; the answers are still to be read."""
        if self._checks is None:
            both = self._contents if self._has_commands else None
            self._checks = (
                both or self._open_both() or self._runner().converse(["cat-file", "--batch-check"])
            )
            if self._has_commands:
                self._contents = self._checks
        self._checks.ask(self._question(b"info", names))
        return self._checks

    def _question(self, word: bytes, names: Sequence[bytes]) -> bytes:
        if not self._has_commands:
            return b"".join(b"%s\n" % name for name in names)
        # All answers at once: git writes them one by one otherwise, and each is waited for.
        return b"".join(b"%s %s\n" % (word, name) for name in names) + b"flush\n"

    def _open_both(self) -> Conversation | None:
        """A process for contents and sizes; None where git has none, which it says by ending."""
        if not self._has_commands:
            return None
        conversation = self._runner().converse(["cat-file", "--batch-command", "--buffer"])
        try:
            conversation.ask(b"info %s\nflush\n" % NO_OBJECT)
            conversation.read_line(time.monotonic() + ANSWER_SECONDS)
        except GitDiedError:
            conversation.close()
            self._has_commands = False
            return None
        except UsageError:
            conversation.close()
            raise
        return conversation

    def _restart(self) -> None:
        """Let the next question start a new process.

        Raises:
            UsageError: `git-failed` after too many.
        """
        self._close_contents()
        self._restarts += 1
        if self._restarts > MAX_RESTARTS:
            raise UsageError("git-failed", "too many damaged objects; see git fsck")


def _is_askable(path: bytes) -> bool:
    """Whether a path can stand in a question, which is one line."""
    return b"\n" not in path and len(path) < MAX_ASKED_BYTES


def _request(object_id: str) -> bytes:
    if not re.match(FULL_ID, object_id):
        raise ValueError("an object is asked for by its full id")
    return object_id.encode("ascii")


def _size(answer: bytes, object_id: str, kind: str) -> int | Unreadable:
    """What a line of `cat-file --batch-check` says."""
    match answer.split(b" "):
        case [found, of, size] if (found, of) == (object_id.encode(), kind.encode()):
            return int(size) if size.isdigit() else Unreadable("corrupt-object")
        case [_, b"missing"]:
            return Unreadable("missing")
        case [_, b"blob" | b"commit" | b"tree" | b"tag", _]:
            return Unreadable("not-a-file")
    return Unreadable("corrupt-object")
