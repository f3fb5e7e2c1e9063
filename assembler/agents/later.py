"""What joins an agent's input when something below the start is read. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from assembler.agents.collecting import Collector
from assembler.agents.loaded import LaterFile, LoadedEntry
from assembler.agents.places import is_below, join, parent, shown_path
from assembler.agents.rule_files import find_rule_files
from assembler.agents.rules import FileHere, OnRead, RulesHere
from assembler.agents.walking import take_rules
from assembler.model.tree import EntryKind

CompilePaths = Callable[[Sequence[str]], Callable[[str], bool]]


def tell_below(paths: Iterable[str], here: OnRead, collector: Collector) -> None:
    """Tell of files below the start, each with the paths whose reading brings it in.

    Args:
        paths: absolute, of files and folders that have one of the names.
        here: which of them count.
        collector: knows what is in already.
    """
    start = collector.start.cwd
    loaded = {entry.target for entry in collector.entries}
    found: dict[str, list[tuple[int, str]]] = {}
    for path in sorted({*paths}):
        place = _place_of(path, here)
        if place is None or place[0] == start or not is_below(place[0], start):
            continue
        folder, index = place
        step = here.steps[index]
        if isinstance(step, FileHere) and step.is_fallback and not collector.takes_fallbacks:
            continue
        for file in _files_at(path, step, collector):
            entry = collector.disk.look_up([file])[file]
            if entry.kind is EntryKind.FILE and (entry.real_path or file) not in loaded:
                found.setdefault(folder, []).append((index, file))
    for folder, files in sorted(found.items()):
        chosen = sorted(files)
        if here.choice == "first-of-folder":
            chosen = chosen[:1]
        trigger = f"{folder.removeprefix(start).lstrip('/')}/**"
        for index, path in chosen:
            shown = shown_path(path, collector.start, collector.rules)
            collector.later.append(LaterFile(shown, trigger, here.steps[index].kind))


def read_below(
    target: str, here: OnRead, collector: Collector, compile_paths: CompilePaths
) -> tuple[LoadedEntry, ...]:
    """What a read of one file adds, in its order.

    Args:
        target: absolute.
        here: what each folder between the start and the file adds.
        collector: with what is in from the start; what is added is in from then on.
        compile_paths: of patterns of absolute paths.
    """
    folders = [*_folders(collector.start.cwd, parent(target))]
    if here.order == "up":
        folders.reverse()
    waiting = list(collector.later)
    before, collector.entries = collector.entries, []
    collector.trims = here.trims
    for folder in folders:
        _take_folder(folder, here, collector)
    for rule in (*waiting, *collector.later[len(waiting) :]):
        if rule.patterns and compile_paths(list(_anchored(rule)))(target):
            collector.take(rule.path, rule.kind)
    collector.trims = True
    added, collector.entries = collector.entries, before
    return tuple(_in_order(added, here))


def _take_folder(folder: str, here: OnRead, collector: Collector) -> None:
    for step in here.steps:
        path = join(folder, step.path)
        if isinstance(step, RulesHere):
            take_rules(path, step.kind, collector.rule_bound or folder, collector)
        elif not step.is_fallback or collector.takes_fallbacks:
            taken = collector.take(path, step.kind)
            if taken.is_there and here.choice == "first-of-folder":
                return


def _in_order(entries: Sequence[LoadedEntry], here: OnRead) -> Iterator[LoadedEntry]:
    """Those of the user's message first; a path decides where the agent sorts."""
    if here.order == "path-bytes":
        entries = sorted(entries, key=lambda entry: entry.path.encode("utf-8", "surrogatepass"))
    yield from (entry for entry in entries if entry.kind.role == "user")
    yield from (entry for entry in entries if entry.kind.role != "user")


def _files_at(path: str, step: FileHere | RulesHere, collector: Collector) -> Iterator[str]:
    """The file itself, or those of a folder with rules."""
    if isinstance(step, FileHere):
        yield path
        return
    bound = collector.rule_bound or path
    yield from (rule.path for rule in find_rule_files(path, bound, collector.disk).files)


def _folders(start: str, end: str) -> Iterator[str]:
    """The folders below the start down to one of them."""
    if not is_below(end, start) or end == start:
        return
    folder = start
    for part in end[len(start) :].strip("/").split("/"):
        folder = join(folder, part)
        yield folder


def _place_of(path: str, here: OnRead) -> tuple[str, int] | None:
    """The folder that a file belongs to, and which of the names it has."""
    for index, step in enumerate(here.steps):
        suffix = f"/{step.path}"
        if path.endswith(suffix):
            # `CLAUDE.md` also ends `.claude/CLAUDE.md`, which belongs to the folder above.
            folder = path[: -len(suffix)]
            inner = any(
                path.endswith(f"/{other.path}") and len(other.path) > len(step.path)
                for other in here.steps
            )
            if not inner:
                return folder or "/", index
    return None


def _anchored(rule: LaterFile) -> Iterator[str]:
    """The patterns of a rule as patterns of absolute paths, with git's rules for a slash."""
    for pattern in rule.patterns:
        if "/" in pattern.rstrip("/"):
            yield join(rule.base, pattern.lstrip("/"))
        else:
            yield join(rule.base, f"**/{pattern}")
