"""The steps of a description that go from folder to folder: the walk, and folders beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from assembler.agents.collecting import Collector
from assembler.agents.disk import Start
from assembler.agents.loaded import LaterFile, LoadedEntry
from assembler.agents.places import folders_down, is_below, join, parent, resolve
from assembler.agents.rule_files import find_rule_files, read_scope
from assembler.agents.rules import Added, FileHere, Kind, RulesHere, Walk
from assembler.agents.texts import decode
from assembler.model.tree import EntryKind, Unreadable


class WalkTerms(NamedTuple):
    """What settings and options say of a walk."""

    top: str
    configured: tuple[str, ...]
    """Names of files."""
    added: tuple[str, ...]
    """Folders that an option adds to the walk."""
    fallback: str
    """`fallback`, `beside` or `never`."""
    off_names: frozenset[str]
    """Names that a variable switches off."""
    bound: str
    """Links of folders with rules do not leave it."""
    outer: frozenset[str] = frozenset()
    """Folders of a main checkout around a linked worktree; only files of the user count there."""


def walk(step: Walk, terms: WalkTerms, collector: Collector) -> None:
    """Load the files of every folder from the top down to the start."""
    folders = [*folders_down(terms.top, collector.start.cwd)]
    if collector.rules.skips_outer_checkout:
        terms = terms._replace(outer=_outer(folders, collector.start))
        for folder in terms.outer:
            _tell_outer(folder, collector)
    if step.order == "up":
        folders.reverse()
    if step.choice == "one-name":
        _walk_one_name(step, terms, folders, collector)
    elif step.order == "path-bytes":
        _walk_by_path(step, terms, folders, collector)
    else:
        _walk_folders(step, terms, folders, collector)


def _outer(folders: Sequence[str], start: Start) -> frozenset[str]:
    """The folders of a main checkout that a linked worktree lies inside."""
    main, own = start.main_checkout, start.repository
    if main is None or own is None or not is_below(own, main):
        return frozenset()
    return frozenset(
        folder for folder in folders if is_below(folder, main) and not is_below(folder, own)
    )


def _tell_outer(folder: str, collector: Collector) -> None:
    for step in collector.rules.steps:
        if isinstance(step, Walk):
            for here in step.here:
                if isinstance(here, FileHere) and here.kind.source != "local":
                    path = join(folder, here.path)
                    if collector.disk.look_up([path])[path].kind is EntryKind.FILE:
                        note = "of the main checkout around this linked worktree"
                        collector.miss(path, "off", "outer-checkout", note)


def _walk_folders(
    step: Walk, terms: WalkTerms, folders: Sequence[str], collector: Collector
) -> None:
    """Each folder with all that it has; fallback files where no other file had text."""
    fallbacks = [here for here in step.here if isinstance(here, FileHere) and here.is_fallback]
    usual = [here for here in step.here if here not in fallbacks]
    if terms.fallback == "beside":
        collector.takes_fallbacks = True
        take_folders(step.here, folders, terms, collector)
        return
    saved = collector.save()
    blocker = take_folders(usual, folders, terms, collector)
    if terms.fallback == "fallback" and blocker is None:
        collector.restore(saved)
        collector.takes_fallbacks = True
        take_folders([*usual, *fallbacks], folders, terms, collector)
        return
    for folder in folders:
        for here in fallbacks:
            path = join(folder, here.path)
            if folder in terms.outer:
                continue
            if collector.disk.look_up([path])[path].kind is EntryKind.FILE:
                note = "no file of its kind is read"
                if blocker is not None:
                    note = "a file of the agent's own name has text"
                collector.miss(path, "off", "agents-file-switched-off", note, blocker)


def take_folders(
    steps: Sequence[FileHere | RulesHere],
    folders: Sequence[str],
    terms: WalkTerms,
    collector: Collector,
) -> str | None:
    """Load what each folder has, in the order of the steps.

    Returns:
        The first file with text that is none of a folder with rules; None: there is none.
    """
    first: str | None = None
    for folder in folders:
        for here in steps:
            path = join(folder, here.path)
            if folder in terms.outer and here.kind.source != "local":
                continue
            if isinstance(here, RulesHere):
                take_rules(path, here.kind, terms.bound, collector)
            elif collector.counts(here.kind, path):
                taken = collector.take(path, here.kind)
                if taken.has_text and first is None and not here.is_fallback:
                    first = path
    return first


def take_rules(folder: str, kind: Kind, bound: str, collector: Collector) -> None:
    """Load the rules of a folder that wait for nothing, and tell of the others.

    Args:
        folder: absolute.
        kind: of the entries.
        bound: links that leave it are not followed.
        collector: takes them.
    """
    if collector.disk.look_up([folder])[folder].kind is not EntryKind.DIRECTORY:
        return
    if not collector.counts(kind, folder):
        return
    found = find_rule_files(folder, bound, collector.disk)
    taken: list[str] = []
    for rule in found.files:
        if rule.is_outside and not collector.rules.follows_rule_links_out:
            note = "a link that leaves the repository"
            collector.miss(rule.path, "off", "import-outside-gate", note)
            continue
        data = collector.disk.read(rule.path)
        text = "" if isinstance(data, Unreadable) else decode(data, collector.rules.text)
        scope = read_scope(text, collector.read_yaml)
        if scope.is_broken:
            collector.unscoped.append(rule.path)
        if scope.patterns:
            trigger = ", ".join(scope.patterns)
            base = parent(parent(folder))
            collector.later.append(LaterFile(rule.path, trigger, kind, scope.patterns, base))
        elif collector.take(rule.path, kind).has_text:
            taken.append(rule.path)
    collector.add_open_order(taken)
    if found.is_cut:
        collector.miss(folder, "denied", "size-limit", "more files than are looked at here")


def _walk_one_name(
    step: Walk, terms: WalkTerms, folders: Sequence[str], collector: Collector
) -> None:
    """The first name that any folder has, of every folder; the other names are not read."""
    names = [here for here in step.here if isinstance(here, FileHere)]
    chosen: FileHere | None = None
    for here in names:
        paths = [join(folder, here.path) for folder in folders]
        entries = collector.disk.look_up(paths)
        there = [path for path in paths if entries[path].kind is not EntryKind.MISSING]
        if here.path in terms.off_names:
            for path in there:
                collector.miss(path, "off", "name-switched-off", "a variable switches it off")
            continue
        looping = [path for path in there if entries[path].problem == "ELOOP"]
        if looping and step.loop_loses_name:
            for path in there:
                note = f"a link leads to itself, and takes every {here.path} with it"
                collector.miss(path, "lost", "link-loop-loses-name", note, looping[0])
            continue
        files = [path for path in there if entries[path].kind is EntryKind.FILE]
        if chosen is not None:
            for path in files:
                note = f"the walk reads {chosen.path}, which is there"
                collector.miss(path, "hidden", "one-name-for-the-walk", note)
            continue
        for path in there:
            collector.take(path, here.kind)
        if files:
            chosen = here


def _walk_by_path(
    step: Walk, terms: WalkTerms, folders: Sequence[str], collector: Collector
) -> None:
    """Every name of every folder, in the order of the bytes of their paths.

    Of one file under two names the one stays that is found first: folders from the top down, then
    added ones, and in each the names as they are configured.
    """
    kinds = [here for here in step.here if isinstance(here, FileHere)]
    names = [*terms.configured, *(here.path for here in kinds)]
    paths = dict.fromkeys(
        resolve(name, folder)
        for folder in (*folders, *terms.added)
        for name in names
        if name and not name.startswith("/")
    )
    start = len(collector.entries)
    made: list[tuple[bytes, list[LoadedEntry]]] = []
    for path in paths:
        before = len(collector.entries)
        collector.take(path, kinds[0].kind)
        made.append((path.encode("utf-8", "surrogatepass"), collector.entries[before:]))
    made.sort(key=lambda one: one[0])
    collector.entries[start:] = [entry for _, own in made for entry in own]


def add_folders(
    step: Added, folders: Sequence[str], terms: WalkTerms, collector: Collector
) -> None:
    """Load what folders beside the walk have."""
    take_folders(step.here, folders, terms, collector)
