"""Asks a process of its own what source files define, import and name.

The process is started for the first file, and again after a crash. Nothing of the parser is
loaded here: see docs/decisions/0026-symbols-by-tree-sitter.md.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import OrderedDict
from typing import Any, Final

from assembler.model.symbols import Definition, Import, Outline, Unparsed

MAX_PARSED_BYTES: Final = 2 * 1024 * 1024
"""A source file over this is searched as text; parsing takes 0.4 s of as much ordinary code."""
MAX_PARSED_BYTES_A_RUN: Final = 32 * 1024 * 1024
"""Beyond it files are searched as text: a repository's own index may name any number of them."""
_MOST_KEPT: Final = 8
"""Files whose outline is kept for the next question."""
_PROGRAM: Final = (
    "import sys; sys.path[:] = sys.argv[1:]; "
    "from assembler.adapters.symbol_worker import main; main()"
)

LANGUAGES: Final = {
    "py": "Python",
    "pyi": "Python",
    "js": "JavaScript",
    "cjs": "JavaScript",
    "mjs": "JavaScript",
    "jsx": "JavaScript",
    "ts": "TypeScript",
    "cts": "TypeScript",
    "mts": "TypeScript",
    "tsx": "TSX",
    "go": "Go",
    "rs": "Rust",
    "java": "Java",
}
"""By the ending of a file's name."""


class TreeSitterReader:
    """Outlines of source files; `assembler.ports.SymbolReader`. Close it after use."""

    def __init__(self) -> None:
        self._worker: subprocess.Popen[bytes] | None = None
        self._left_bytes = MAX_PARSED_BYTES_A_RUN
        self._kept: OrderedDict[str, tuple[bytes, Outline | Unparsed]] = OrderedDict()

    def __enter__(self) -> TreeSitterReader:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process."""
        worker, self._worker = self._worker, None
        if worker is not None:
            _end(worker)

    def outline(self, path: str, data: bytes) -> Outline | Unparsed:
        """What a file defines, imports and names, or why that can't be told."""
        kept = self._kept.get(path)
        if kept is None or kept[0] != data:
            kept = (data, self._read(path, data))
            self._kept[path] = kept
            if len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        return kept[1]

    def _read(self, path: str, data: bytes) -> Outline | Unparsed:
        _, dot, ending = path.rpartition("/")[2].rpartition(".")
        language = LANGUAGES.get(ending.lower()) if dot else None
        if language is None:
            return Unparsed("of no language whose symbols are known")
        if len(data) > MAX_PARSED_BYTES:
            return Unparsed(f"over {MAX_PARSED_BYTES:,} bytes")
        if len(data) > self._left_bytes:
            return Unparsed(f"{MAX_PARSED_BYTES_A_RUN:,} bytes of source were taken apart before")
        self._left_bytes -= len(data)
        answer = self._ask(language, data)
        if answer is None:
            return Unparsed("more than the parser can take")
        return Unparsed(*answer) if len(answer) == 1 else _outline(*answer)

    def _ask(self, language: str, data: bytes) -> Any:
        """What the process says of a file, or None where it dies of it."""
        is_fresh = False
        while not is_fresh:
            is_fresh = self._worker is None
            self._worker = self._worker or _start()
            try:
                return _ask(self._worker, language, data)
            except (OSError, ValueError):
                # Where files before this one used up its limits, a fresh process answers.
                self.close()
        return None


def _ask(worker: subprocess.Popen[bytes], language: str, data: bytes) -> Any:
    questions, answers = worker.stdin, worker.stdout
    assert questions is not None and answers is not None  # both are pipes
    questions.write(json.dumps([language, len(data)]).encode("ascii") + b"\n" + data)
    questions.flush()
    return json.loads(answers.readline())


def _outline(language: str, has_errors: bool, definitions: Any, imports: Any, uses: Any) -> Outline:
    """An outline as the other process wrote it."""
    return Outline(
        language=language,
        has_errors=has_errors,
        definitions=tuple(
            Definition(
                tuple(names), tuple(lines), kind, line, _pair(scope), joins, error, _all(frame)
            )
            for names, lines, kind, line, scope, joins, error, frame in definitions
        ),
        imports=tuple(
            Import(tuple(lines), tuple(names), keeps, _pair(scope), _all(frame))
            for lines, names, keeps, scope, frame in imports
        ),
        uses={name: tuple(lines) for name, lines in uses.items()},
    )


def _pair(lines: Any) -> Any:
    return None if lines is None else tuple(lines)


def _all(ranges: Any) -> Any:
    return tuple(tuple(lines) for lines in ranges)


def _start() -> subprocess.Popen[bytes]:
    # The same modules as here; -I keeps the environment of a user out of it.
    command = [sys.executable, "-I", "-c", _PROGRAM, *(path for path in sys.path if path)]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )


def _end(worker: subprocess.Popen[bytes]) -> None:
    for pipe in (worker.stdin, worker.stdout):
        try:
            assert pipe is not None
            pipe.close()
        except OSError:
            continue
    worker.kill()
    worker.wait()
