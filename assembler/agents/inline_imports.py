"""`@path` in a file that is replaced by the text of its target. Pure but for the disk's port.

What fails is told inside the text, with the words of the measured agent: the model reads them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from assembler.agents.disk import Disk
from assembler.agents.loaded import AbsentState
from assembler.agents.places import is_below, parent, resolve
from assembler.agents.rules import ImportRules
from assembler.model.tree import Entry, EntryKind, Unreadable

MAX_TEXT_CHARACTERS: Final = 64 << 20
"""Of one expanded file: a file that imports itself twice doubles at every level."""
MAX_IMPORTS: Final = 20_000
_MENTION: Final = re.compile(r"(?<![^ \t\n\r])@([./a-zA-Z][^ \t\n\r]*)")
_ERRORS: Final = {
    EntryKind.MISSING: "ENOENT: no such file or directory, access '{path}'",
    EntryKind.DANGLING_LINK: "ENOENT: no such file or directory, access '{path}'",
    EntryKind.DIRECTORY: "EISDIR: illegal operation on a directory, read",
}


class InlineFile(NamedTuple):
    """A file whose imports are expanded."""

    path: str
    """Absolute."""
    real_path: str
    text: str


class MissedImport(NamedTuple):
    """A target that is not in the text."""

    path: str
    state: AbsentState
    reason: str
    note: str


class Expanded(NamedTuple):
    """The text with everything that it imports."""

    text: str
    files: tuple[str, ...]
    """Real paths of what stands inside, in order."""
    missed: tuple[MissedImport, ...]


class _Work:
    """What one expansion has found so far."""

    def __init__(self, rules: ImportRules, base: str | None, disk: Disk) -> None:
        self.rules = rules
        self.base = base
        self.disk = disk
        self.files: list[str] = []
        self.missed: list[MissedImport] = []
        self.characters = 0


def expand(file: InlineFile, rules: ImportRules, base: str | None, disk: Disk) -> Expanded:
    """The text with its imports in their places.

    Args:
        file: read and treated.
        rules: of the agent.
        base: the folder that no import leaves, by real paths; None: there is none.
        disk: reads the targets.
    """
    work = _Work(rules, base, disk)
    text = _expand(file.text, parent(file.path), frozenset(), 0, work)
    return Expanded(text, tuple(work.files), tuple(work.missed))


def expand_flat(file: InlineFile, rules: ImportRules, base: str | None, disk: Disk) -> Expanded:
    """The same as sections one behind the other, each file once, without a bound of depth.

    The first section is headed with the folder of the file (measured).
    """
    work = _Work(rules, base, disk)
    sections: dict[str, str] = {}
    waiting = [(parent(file.path), parent(file.path), file.text)]
    while waiting and len(sections) < MAX_IMPORTS:
        name, folder, text = waiting.pop()
        if name in sections:
            continue
        sections[name] = text
        if len(sections) > 1:
            work.files.append(name)
        found: list[tuple[str, str, str]] = []
        for path in (mention.group(1) for mention in mentions(text)):
            target = resolve(path, folder)
            data = _target(path, target, work)
            if isinstance(data, bytes):
                found.append((target, parent(target), data.decode("utf-8", "replace")))
        # The last one first: a file stands before what it names, and its last import next.
        waiting += found
    body = "\n\n".join(
        f"--- File: {name} ---\n{text.strip()}\n--- End of File: {name} ---"
        for name, text in sections.items()
    )
    return Expanded(body, tuple(work.files), tuple(work.missed))


def mentions(text: str) -> Iterator[re.Match[str]]:
    """Each `@path` outside of code: behind a blank or an end of a line, or at the beginning.

    Code is what stands between a run of backticks and the next place with as many of them, over
    lines too; nothing else is.
    """
    spans = _code(text)
    span = next(spans, None)
    for found in _MENTION.finditer(text):
        while span is not None and span[1] <= found.start():
            span = next(spans, None)
        if span is None or found.start() < span[0]:
            yield found


def _code(text: str) -> Iterator[tuple[int, int]]:
    """Begin and end of each piece of code; a run that nothing closes is tried as a shorter one."""
    runs = [(found.start(), found.end()) for found in re.finditer("`+", text)]
    longest_behind = [0] * (len(runs) + 1)
    for index in range(len(runs) - 1, -1, -1):
        start, end = runs[index]
        longest_behind[index] = max(longest_behind[index + 1], end - start)
    position = 0
    for index, (start, end) in enumerate(runs):
        position = max(start, position)
        while position < end:
            length = end - position
            size = max(min(length, longest_behind[index + 1]), length // 2)
            closing = text.find("`" * size, position + size) if size else -1
            if closing < 0:
                break
            yield position, closing + size
            position = closing + size


def _expand(text: str, folder: str, above: frozenset[str], depth: int, work: _Work) -> str:
    if depth >= work.rules.most_hops:
        for mention in mentions(text):
            path = resolve(mention.group(1), folder)
            note = f"more than {work.rules.most_hops} imports deep"
            work.missed.append(MissedImport(path, "off", "import-too-deep", note))
        return text
    pieces, position = [], 0
    for mention in mentions(text):
        pieces.append(text[position : mention.start()])
        position = mention.end()
        pieces.append(_replacement(mention.group(1), folder, above, depth, work))
    return "".join([*pieces, text[position:]])


def _replacement(path: str, folder: str, above: frozenset[str], depth: int, work: _Work) -> str:
    target = resolve(path, folder)
    if target in above:
        return f"<!-- File already processed: {path} -->"
    data = _target(path, target, work)
    if isinstance(data, str):
        return data
    work.files.append(target)
    work.characters += len(data)
    inner = _expand(
        data.decode("utf-8", "replace"), parent(target), above | {target}, depth + 1, work
    )
    return f"<!-- Imported from: {path} -->\n{inner}\n<!-- End of import from: {path} -->"


def _target(path: str, target: str, work: _Work) -> bytes | str:
    """The bytes of a target, or what stands in its place."""
    entry = work.disk.look_up([target])[target]
    if work.base is not None and not is_below(entry.real_path or target, work.base):
        note = f"it lies outside {work.base}"
        work.missed.append(MissedImport(target, "off", "import-outside-gate", note))
        return f"<!-- Import failed: {path} - Path traversal attempt -->"
    if len(work.files) >= MAX_IMPORTS or work.characters > MAX_TEXT_CHARACTERS:
        note = "more imports than are followed here"
        work.missed.append(MissedImport(target, "denied", "size-limit", note))
        return f"@{path}"
    if entry.kind is not EntryKind.FILE:
        work.missed.append(MissedImport(target, "lost", "import-missing", f"@{path} is no file"))
        return f"<!-- Import failed: {path} - {_error(entry, target)} -->"
    data = work.disk.read(target)
    if not isinstance(data, Unreadable):
        return data
    if data.reason == "access-denied":
        note = "a default deny closes it here, and the agent would load it all the same"
        work.missed.append(MissedImport(target, "denied", "access-denied", note))
        return f"@{path}"
    note = f"can't be read ({data.reason})"
    work.missed.append(MissedImport(target, "lost", "instruction-unreadable", note))
    return f"<!-- Import failed: {path} - EACCES: permission denied, access '{target}' -->"


def _error(entry: Entry, target: str) -> str:
    if entry.problem == "ELOOP":
        return f"ELOOP: too many symbolic links encountered, access '{target}'"
    known = _ERRORS.get(entry.kind)
    if known is not None:
        return known.replace("{path}", target)
    return f"{entry.problem or 'EIO'}: no file, access '{target}'"
