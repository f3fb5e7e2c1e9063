"""A folder with rules: which files it has, and which of them wait for a path. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from assembler.agents.disk import Disk
from assembler.agents.places import is_below, join
from assembler.agents.texts import split_front_matter
from assembler.model.tree import EntryKind

MAX_FILES: Final = 20_000
MAX_DEPTH: Final = 64
ENDING: Final = ".md"
MAX_BRACED: Final = 1_000
_BRACES: Final = re.compile(r"\{([^{}]*)\}")


class RuleFile(NamedTuple):
    """One file of a folder with rules."""

    path: str
    """Where it really is where a link leads to it."""
    is_outside: bool
    """A link leads to it that leaves the repository; it is not read."""


class RuleFiles(NamedTuple):
    """The files of a folder, by path; the agent takes them in the order of the file system."""

    files: tuple[RuleFile, ...]
    is_cut: bool
    """A bound was reached."""


def find_rule_files(folder: str, bound: str, disk: Disk) -> RuleFiles:
    """Every Markdown file at any depth, links to folders followed once each.

    Args:
        folder: absolute.
        bound: links that leave this folder are not followed.
        disk: asked about names and kinds.
    """
    found: dict[str, RuleFile] = {}
    waiting, seen = [(folder, 0)], set()
    is_cut = False
    while waiting:
        place, depth = waiting.pop()
        entry = disk.look_up([place])[place]
        real = entry.real_path or place
        if entry.kind is not EntryKind.DIRECTORY or real in seen:
            continue
        if not is_below(real, bound) and real != place:
            continue
        seen.add(real)
        names = disk.names_in(place)
        if names is None or depth > MAX_DEPTH or len(found) > MAX_FILES:
            is_cut = True
            continue
        paths = [join(place, name) for name in names]
        for path, inner in disk.look_up(paths).items():
            if inner.kind is EntryKind.DIRECTORY:
                waiting.append((path, depth + 1))
            elif path.endswith(ENDING) and inner.kind is not EntryKind.MISSING:
                target = inner.real_path or path
                shown = target if inner.kind is EntryKind.FILE and target != path else path
                outside = target != path and not is_below(target, bound)
                found.setdefault(shown, RuleFile(shown, outside))
    return RuleFiles(tuple(sorted(found.values())), is_cut)


class RuleScope(NamedTuple):
    """When a rule holds."""

    patterns: tuple[str, ...]
    """None of them: at the start."""
    is_broken: bool
    """Its front matter names paths and is no YAML; it waits for nothing."""


def read_scope(text: str, read_yaml: Any) -> RuleScope:
    """The patterns of paths that a rule waits for.

    Args:
        text: of the file.
        read_yaml: gives the members of a block of YAML; raises ValueError for what is none.
    """
    block, _ = split_front_matter(text)
    if block is None or "paths" not in block:
        return RuleScope((), is_broken=False)
    value = None
    for form in (block, _quoted(block)):
        try:
            value = read_yaml(form).get("paths")
        except ValueError:
            continue
        break
    else:
        return RuleScope((), is_broken=True)
    patterns = tuple(_patterns(value))
    if not patterns or all(pattern == "**" for pattern in patterns):
        return RuleScope((), is_broken=False)
    return RuleScope(patterns, is_broken=False)


def _patterns(value: Any) -> Iterator[str]:
    values: Sequence[Any] = value if isinstance(value, list) else [value]
    for one in values:
        if isinstance(one, list):
            yield from _patterns(one)
        elif isinstance(one, str):
            for part in _split(one):
                for plain in _unbraced(part.strip()):
                    # `a/**` is `a`, and `/**` is nothing.
                    if rest := plain.removesuffix("/**"):
                        yield rest


def _unbraced(pattern: str) -> Iterator[str]:
    """The patterns that braces stand for; as it is where they are too many."""
    found = [pattern]
    while any(_BRACES.search(one) for one in found):
        if len(found) > MAX_BRACED:
            yield pattern
            return
        found = [made for one in found for made in _one_unbraced(one)]
    yield from found


def _one_unbraced(pattern: str) -> list[str]:
    brace = _BRACES.search(pattern)
    if brace is None:
        return [pattern]
    choices = brace.group(1).split(",")[: MAX_BRACED + 1]
    return [pattern[: brace.start()] + one.strip() + pattern[brace.end() :] for one in choices]


def _quoted(block: str) -> str:
    """The block with plain values in quotes where a sign of theirs means something in YAML."""
    return re.sub(r"(?m)^([A-Za-z_-]+):[^\S\n]+(.+)$", _quote, block)


def _quote(line: re.Match[str]) -> str:
    name, value = line.group(1), line.group(2).rstrip()
    if value[0] in "\"'" or not re.search(r"[{}\[\]*&#!|>%@`]|: ", value):
        return line.group(0)
    plain = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'{name}: "{plain}"'


def _split(text: str) -> Iterator[str]:
    """Parts between commas, but for commas in braces."""
    depth, current = 0, ""
    for mark in text:
        depth += (mark == "{") - (mark == "}")
        if mark == "," and depth <= 0:
            yield current
            current = ""
        else:
            current += mark
    yield current
