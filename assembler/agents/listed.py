"""Files that settings list by name or pattern. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final

from assembler.agents.collecting import Collector
from assembler.agents.disk import Start
from assembler.agents.globs import compile_glob
from assembler.agents.places import folders_up, is_below, join, resolve
from assembler.agents.rules import Listed
from assembler.agents.settings import Settings
from assembler.model.tree import EntryKind

MAX_FILES: Final = 20_000
MAX_FOLDERS: Final = 5_000
MAX_BRACED: Final = 1_000
_GLOB: Final = re.compile(r"[*?\[\]{}]|[@!+]\(")


def take_listed(
    step: Listed, start: Start, settings: Settings, root: str, collector: Collector
) -> None:
    """Load every file that a list names, patterns of the weakest layer first.

    Args:
        step: of the description.
        start: of the agent.
        settings: of all layers.
        root: where the search upwards for relative ones ends.
        collector: takes the entries.
    """
    named: dict[str, str] = {}
    for layer, value in settings.find_all(step.key):
        for pattern in value if isinstance(value, list) else ():
            if isinstance(pattern, str):
                named.setdefault(pattern, layer.path)
    for pattern, by in named.items():
        _take(pattern, step, collector, by=by, start=start, root=root)


def _take(
    pattern: str, step: Listed, collector: Collector, *, by: str, start: Start, root: str
) -> None:
    if re.match(r"https?://", pattern):
        collector.miss(pattern, "denied", "url-not-asked", "nothing is asked of a network here", by)
        return
    if pattern.startswith(("~/", "/")):
        # Only the last part of an absolute one is a pattern; its folder is meant by its letters.
        folder, _, relative = pattern.rpartition("/")
        bases = [folder or "/"]
        if pattern.startswith("~/"):
            bases = [] if start.home is None else [resolve(folder[2:], start.home)]
    else:
        if any(start.is_set(name) for name in step.relative_off_by):
            note = "a variable switches the project's own off"
            collector.miss(resolve(pattern, start.cwd), "off", "name-switched-off", note, by)
            return
        ways = folders_up(start.cwd)
        bases = [way for way in ways if is_below(way, root) or root == "/"]
        relative = pattern
    found = False
    for base in bases:
        paths = list(_expand(base, relative, collector))
        for path in paths:
            found = collector.take(path, step.kind).is_there or found
        if _GLOB.search(relative):
            taken = {entry.path for entry in collector.entries}
            here = [path for path in paths if path in taken]
            collector.add_open_order(here)
    if not found and bases:
        note = "the list names it, and nothing is there"
        collector.miss(resolve(relative, bases[0]), "lost", "listed-missing", note, by)


def _expand(base: str, pattern: str, collector: Collector) -> Iterator[str]:
    """The paths that a pattern means below a folder, by name."""
    if not _GLOB.search(pattern):
        yield resolve(pattern, base)
        return
    found: dict[str, None] = {}
    for plain in islice(_braces(pattern), MAX_BRACED):
        parts = [part for part in plain.split("/") if part]
        for path in _match([base], [*_once(parts)], collector):
            found[path] = None
    yield from sorted(found)[:MAX_FILES]


def _once(parts: Sequence[str]) -> Iterator[str]:
    """The parts, but for a `**` behind another."""
    for index, part in enumerate(parts):
        if part != "**" or index == 0 or parts[index - 1] != "**":
            yield part


def _braces(pattern: str) -> Iterator[str]:
    """The patterns that braces stand for."""
    found = re.search(r"\{([^{}]*)\}", pattern)
    if found is None or "," not in found.group(1):
        yield pattern
        return
    for choice in found.group(1).split(",")[:100]:
        yield from _braces(pattern[: found.start()] + choice + pattern[found.end() :])


def _match(folders: Sequence[str], parts: Sequence[str], collector: Collector) -> Iterator[str]:
    places = list(folders)
    for index, part in enumerate(parts):
        is_last = index == len(parts) - 1
        if part == "**":
            places = list(_all_below(places, collector))
            if is_last:
                yield from _files(places, lambda _: True, collector)
                return
            continue
        if part in (".", ".."):
            places = [resolve(part, place) for place in places]
            continue
        wanted = _compile(part)
        if is_last:
            yield from _files(places, wanted, collector)
            return
        places = [
            join(place, name)
            for place in places
            for name in collector.disk.names_in(place) or ()
            if wanted(name)
        ][:MAX_FOLDERS]


def _files(
    places: Sequence[str], wanted: Callable[[str], bool], collector: Collector
) -> Iterator[str]:
    for place in places:
        names = [name for name in collector.disk.names_in(place) or () if wanted(name)]
        paths = [join(place, name) for name in names]
        for path, entry in collector.disk.look_up(paths).items():
            if entry.kind is EntryKind.FILE:
                yield path


def _all_below(places: Sequence[str], collector: Collector) -> Iterator[str]:
    """The folders and all below them; links are not followed."""
    waiting = list(reversed(places))
    count = 0
    while waiting and count < MAX_FOLDERS:
        place = waiting.pop()
        count += 1
        yield place
        paths = [join(place, name) for name in collector.disk.names_in(place) or ()]
        inner = [
            path
            for path, entry in collector.disk.look_up(paths).items()
            if entry.kind is EntryKind.DIRECTORY and entry.link_text is None
        ]
        waiting += reversed(inner)


def _compile(part: str) -> Callable[[str], bool]:
    """One part of a pattern between slashes; hidden names are names like others."""
    # Here `[!a]` is a class without a letter, and `!` at the beginning is a letter.
    plain = part.replace("[!", "[^")
    return compile_glob(f"[!]{plain[1:]}" if re.match(r"!(?!\()", plain) else plain)
