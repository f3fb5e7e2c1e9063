"""Start git so that nothing a repository holds can run, reach the network, or hang the caller.

In: arguments, a private git directory. Out: bounded bytes, within a deadline.
Never here: a shell, the caller's `GIT_*` variables or configuration, a relative search path, what
git says about a failure (it may quote the repository).
"""

from __future__ import annotations

import os
import select
import subprocess
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Final, NamedTuple

from assembler.errors import UsageError

READ_BYTES: Final = 1 << 20
MAX_ANSWER_LINE_BYTES: Final = 16_384

_FIXED: Final[dict[str, str]] = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PROTOCOL_FROM_USER": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}


class GitDiedError(Exception):
    """A conversation ended before its answer; the adapter decides what that means."""


def find_git(search_path: str) -> str:
    """The program's full path; folders that are relative are passed over.

    Raises:
        UsageError: `git-missing`.
    """
    for folder in search_path.split(os.pathsep):
        program = Path(folder) / "git"
        # A relative folder may lie in the repository, and its `git` be the repository's.
        if program.is_absolute() and os.access(program, os.X_OK) and program.is_file():
            return str(program)
    raise UsageError("git-missing", "the program git is not installed, or not in PATH")


class Patience(NamedTuple):
    """What happens where git takes long and may yet come to an end."""

    seconds: float
    look: Callable[[], None]
    """Called once; it raises a `UsageError` where it is known that git will not."""


class GitRunner:
    """Starts git processes in one scrubbed environment, and counts them."""

    def __init__(self, *, private: Path, objects: Path, search_path: str) -> None:
        self._program = find_git(search_path)
        self._private = private
        self._environment = {
            **_FIXED,
            "GIT_DIR": str(private),
            "GIT_OBJECT_DIRECTORY": str(objects),
            "HOME": str(private),
            "PATH": os.path.dirname(self._program),  # noqa: PTH120 - text in, text out
            "XDG_CONFIG_HOME": str(private),
        }
        self.process_count = 0
        self._listing: set[subprocess.Popen[bytes]] = set()
        """Processes whose records nobody read to their end yet."""

    def close(self) -> None:
        """End what still lists, whether or not anybody reads it."""
        while self._listing:
            _end(self._listing.pop())

    def records(
        self,
        arguments: Sequence[str | bytes],
        *,
        limit_bytes: int,
        timeout_seconds: float,
        extra: Mapping[str, str] | None = None,
        asked: bytes = b"",
        accepted: Collection[int] = (0,),
        patience: Patience | None = None,
    ) -> Iterator[bytes]:
        """What git prints, in blocks that end behind a NUL (the last one may not).

        Git starts at once and works while the caller does something else; blocks are waited for
        when they are asked for.

        Args:
            arguments: without the program's name.
            limit_bytes: git is stopped when it prints more.
            timeout_seconds: git is stopped after this long.
            extra: more environment variables.
            asked: what git reads from standard input.
            accepted: the exit statuses that are no failure.
            patience: what happens before the deadline.

        Raises:
            UsageError: `git-failed`, `git-timeout`, `size-limit`; also after some blocks.
        """
        process = self._start_with(asked, arguments, extra or {})
        self._listing.add(process)
        return self._read_records(
            process,
            os.fsdecode(arguments[0]),
            limit_bytes=limit_bytes,
            timeout_seconds=timeout_seconds,
            accepted=accepted,
            patience=patience,
        )

    def _read_records(
        self,
        process: subprocess.Popen[bytes],
        name: str,
        *,
        limit_bytes: int,
        timeout_seconds: float,
        accepted: Collection[int],
        patience: Patience | None,
    ) -> Iterator[bytes]:
        # From the first look: what the caller did before is no fault of git.
        started = time.monotonic()
        deadline = started + timeout_seconds
        rest = b""
        total = 0
        try:
            if patience is not None and not _is_there(
                _pipe(process.stdout), min(deadline, started + patience.seconds)
            ):
                patience.look()
            while piece := _read_some(_pipe(process.stdout), deadline):
                total += len(piece)
                if total > limit_bytes:
                    raise UsageError("size-limit", f"git lists more than {limit_bytes} bytes")
                end = piece.rfind(b"\0") + 1
                if end:
                    yield rest + piece[:end]
                    rest = b""
                rest += piece[end:]
            status = process.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            raise _timeout() from None
        finally:
            self._listing.discard(process)
            _end(process)
        if status not in accepted:
            raise UsageError("git-failed", f"git {name} failed with status {status}")
        if rest:
            yield rest

    def converse(self, arguments: Sequence[str]) -> Conversation:
        """A process that answers line by line until it is closed."""
        return Conversation(self._start(arguments, stdin=subprocess.PIPE, extra={}))

    def _start_with(
        self, asked: bytes, arguments: Sequence[str | bytes], extra: Mapping[str, str]
    ) -> subprocess.Popen[bytes]:
        """A process that finds all of this on its standard input."""
        if not asked:
            return self._start(arguments, stdin=subprocess.DEVNULL, extra=extra)
        path = self._private / "asked"
        # A file, so that neither side waits for the other to read.
        path.write_bytes(asked)
        with path.open("rb") as stdin:
            return self._start(arguments, stdin=stdin.fileno(), extra=extra)

    def _start(
        self, arguments: Sequence[str | bytes], *, stdin: int, extra: Mapping[str, str]
    ) -> subprocess.Popen[bytes]:
        self.process_count += 1
        try:
            return subprocess.Popen(
                [self._program, *arguments],
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                cwd=self._private,
                env={**self._environment, **extra},
            )
        except OSError as error:
            raise UsageError("git-failed", f"git does not start ({error.strerror})") from None


class Conversation:
    """One `git cat-file` process that is asked again and again."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._input = _pipe(process.stdin)
        self._output = _pipe(process.stdout)
        self._buffer = bytearray()

    def ask(self, line: bytes) -> None:
        """Send requests. Keep what is unanswered below 4,096 bytes, or both sides may wait.

        Raises:
            GitDiedError: the process is gone.
        """
        try:
            os.write(self._input, line)
        except OSError:
            raise GitDiedError from None

    def read_line(self, deadline: float) -> bytes:
        """One line of the answer, without its line feed.

        Raises:
            GitDiedError: the process is gone, or the line has no end.
            UsageError: `git-timeout`.
        """
        while (end := self._buffer.find(b"\n")) < 0:
            if len(self._buffer) > MAX_ANSWER_LINE_BYTES:
                raise GitDiedError
            self._fill(deadline)
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line

    def read_exactly(self, size: int, deadline: float) -> bytes:
        """So many bytes of the answer.

        Raises:
            GitDiedError: the process is gone.
            UsageError: `git-timeout`.
        """
        while len(self._buffer) < size:
            self._fill(deadline)
        data = bytes(self._buffer[:size])
        del self._buffer[:size]
        return data

    def close(self) -> None:
        """End the process, whatever it is doing."""
        _end(self._process)

    def _fill(self, deadline: float) -> None:
        piece = _read_some(self._output, deadline)
        if not piece:
            raise GitDiedError
        self._buffer += piece


def _pipe(stream: IO[bytes] | None) -> int:
    if stream is None:
        raise ValueError("the process was started without this pipe")
    return stream.fileno()


def _read_some(descriptor: int, deadline: float) -> bytes:
    """What is there to read, waiting until the deadline; empty at the end.

    Raises:
        UsageError: `git-timeout`.
    """
    if not _is_there(descriptor, deadline):
        raise _timeout()
    return os.read(descriptor, READ_BYTES)


def _is_there(descriptor: int, deadline: float) -> bool:
    """Whether there is something to read, or the end, before the deadline."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(max(0.0, deadline - time.monotonic()) * 1000))


def _timeout() -> UsageError:
    return UsageError("git-timeout", "git did not answer in time")


def _end(process: subprocess.Popen[bytes]) -> None:
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()
    process.kill()
    process.wait()
