"""The entries of an input as they come together: each file read once, treated, and followed.

Pure: the disk is asked through its port, everything else is text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from assembler.agents.disk import Disk, Start
from assembler.agents.inline_imports import InlineFile, expand, expand_flat
from assembler.agents.loaded import AbsentFile, AbsentState, LaterFile, LoadedEntry
from assembler.agents.markdown_imports import named_paths
from assembler.agents.places import is_below, parent, resolve, shown_path
from assembler.agents.rules import AgentRules, ImportRules, Kind
from assembler.agents.texts import decode, split_front_matter, treat
from assembler.model.tree import Entry, EntryKind, Unreadable

MAX_ENTRIES: Final = 20_000
"""Of one input; imports can name each other without end."""
_GATES: Final = {
    "none": "",
    "below-cwd": "imports of the project reach files below the start folder alone",
    "below-root": "imports of the project reach files of the repository alone",
}
_GONE: Final = frozenset({EntryKind.MISSING})


class Taken(NamedTuple):
    """What became of one file that the agent looks for."""

    is_there: bool
    """Whether something stands at the path."""
    has_text: bool


class _Saved(NamedTuple):
    """The state of a collector."""

    entries: list[LoadedEntry]
    absent: dict[str, AbsentFile]
    later: list[LaterFile]
    open_orders: list[tuple[str, ...]]
    seen: set[str]


class Collector:
    """The entries and the files that are missing, in the order in which they are met."""

    def __init__(self, rules: AgentRules, start: Start, disk: Disk) -> None:
        """Collect nothing yet.

        Args:
            rules: of the agent.
            start: where it is started.
            disk: the file system.
        """
        self.rules = rules
        self.start = start
        self.disk = disk
        self.entries: list[LoadedEntry] = []
        self.absent: dict[str, AbsentFile] = {}
        self.is_excluded: Callable[[str], bool] = lambda _: False
        self.gate: Callable[[str], bool] = lambda _: True
        """Whether an import of a project's file may reach a real path."""
        self.find_base: Callable[[str], str | None] = lambda _: None
        """The folder that inline imports of a file do not leave."""
        self.is_flat = False
        """Inline imports are sections one behind the other."""
        self.later: list[LaterFile] = []
        self.open_orders: list[tuple[str, ...]] = []
        self.cut: list[tuple[str, str]] = []
        """Entries that end early, and by how much."""
        self.unscoped: list[str] = []
        """Rules whose front matter names paths that nobody can read."""
        self.sources: frozenset[str] | None = None
        """Whose files count; None: everybody's."""
        self.trims = True
        """False: white space at the ends stays, whatever the rules say."""
        self.takes_fallbacks = False
        """Whether fallback files of the walk are read."""
        self.read_yaml: Callable[[str], Mapping[str, Any]] = lambda _: {}
        self._seen: set[str] = set()

    @property
    def rule_bound(self) -> str | None:
        """The folder that links in folders with rules do not leave; None: there is none."""
        return self.start.cwd if self.rules.rule_bound == "cwd" else self.start.repository

    def save(self) -> _Saved:
        """The state, to come back to."""
        return _Saved(
            list(self.entries),
            dict(self.absent),
            list(self.later),
            list(self.open_orders),
            set(self._seen),
        )

    def restore(self, saved: _Saved) -> None:
        """Forget what came after."""
        self.entries, self.absent, self.later, self.open_orders, self._seen = saved

    def counts(self, kind: Kind, path: str) -> bool:
        """Whether files of the kind's source are read; tells of the path where they are not."""
        if self.sources is None or kind.source == "managed" or kind.source in self.sources:
            return True
        if self.disk.look_up([path])[path].kind is EntryKind.FILE:
            self.miss(path, "off", "source-switched-off", f"{kind.source} files do not count")
        return False

    def add_open_order(self, paths: Sequence[str]) -> None:
        """Say that files stand here by name, and for the agent as the file system has them."""
        if len(paths) > 1:
            self.open_orders.append(tuple(paths))

    def take(
        self, path: str, kind: Kind, *, shown: str | None = None, is_whole: bool = False
    ) -> Taken:
        """Load one file, with what it imports.

        Args:
            path: absolute.
            kind: of the entry.
            shown: how the agent calls it; None: by its path.
            is_whole: patterns do not exclude it, and it imports nothing.
        """
        entry = self.disk.look_up([path])[path]
        if entry.kind in _GONE or _is_not_there(entry):
            return Taken(False, False)
        if not is_whole and kind.source != "managed" and self.is_excluded(path):
            self.miss(path, "off", "excluded", "the settings exclude it")
            return Taken(True, False)
        data = self._read(path, entry)
        if data is None:
            return Taken(True, False)
        text = decode(data, self.rules.text)
        made = self._make(path, entry, text, len(data), kind, shown=shown, is_whole=is_whole)
        return Taken(True, made)

    def add_text(self, shown: str, path: str, text: str, kind: Kind) -> None:
        """An entry that is a part of a file of settings."""
        treated = treat(text, self.rules.text)
        if treated:
            size_bytes = len(text.encode("utf-8", "surrogatepass"))
            self.entries.append(LoadedEntry(shown, path, kind, treated, size_bytes))

    def miss(
        self, path: str, state: AbsentState, reason: str, note: str, by: str | None = None
    ) -> None:
        """Tell of a file that is not in; the first word about it holds."""
        shown = shown_path(path, self.start, self.rules)
        if all(entry.path != shown for entry in self.entries):
            self.absent.setdefault(shown, AbsentFile(shown, state, reason, note, by))

    def _read(self, path: str, entry: Entry) -> bytes | None:
        if entry.kind is not EntryKind.FILE:
            state, reason, note = _why_no_file(entry)
            self.miss(path, state, reason, note)
            return None
        data = self.disk.read(path)
        if not isinstance(data, Unreadable):
            return data
        if data.reason == "access-denied":
            self.miss(
                path,
                "denied",
                "access-denied",
                "a default deny closes it here, and the agent would load it all the same",
            )
        else:
            note = f"can't be read ({data.reason})"
            self.miss(path, "lost", "instruction-unreadable", note)
        return None

    def _make(
        self,
        path: str,
        entry: Entry,
        text: str,
        size_bytes: int,
        kind: Kind,
        *,
        shown: str | None,
        is_whole: bool,
    ) -> bool:
        """Make the entry of a text, and those that it imports; whether it has text."""
        real = entry.real_path or path
        treated = self._treat(text)
        imports: tuple[str, ...] = ()
        if self.rules.imports is not None and self.rules.imports.style == "inline" and treated:
            # Trimmed behind it: what white space is before an import is another thing there.
            expanded, imports = self._expand(path, real, text, self.rules.imports)
            treated = self._treat(expanded)
        if not treated:
            self.miss(path, "blank", "blank", "no text is left of it" if text else "empty")
            return False
        key = path if self.rules.same_file == "path" else real
        if self.rules.same_file != "twice":
            if key in self._seen:
                self.miss(path, "off", "same-file-twice", f"{real} is in already")
                return True
            self._seen.add(key)
        name = shown_path(path, self.start, self.rules) if shown is None else shown
        self.absent.pop(name, None)
        self.entries.append(LoadedEntry(name, real, kind, treated, size_bytes, imports=imports))
        imports_of = None if is_whole else self.rules.imports
        if imports_of is not None and imports_of.style == "appended":
            base = real if imports_of.follows_own_link else path
            self._follow(base, text, kind, imports_of, hops=1)
        return True

    def _treat(self, text: str) -> str:
        rules = self.rules.text
        return treat(text, rules if self.trims else rules._replace(trims=False))

    def _expand(
        self, path: str, real: str, text: str, rules: ImportRules
    ) -> tuple[str, tuple[str, ...]]:
        """The text with its imports in place, and which files these are."""
        base = self.find_base(path)
        form = expand_flat if self.is_flat else expand
        inner = form(InlineFile(path, real, text), rules, base, self.disk)
        for missed in inner.missed:
            self.miss(missed.path, missed.state, missed.reason, missed.note, path)
        return inner.text, inner.files

    def _follow(self, path: str, text: str, kind: Kind, rules: ImportRules, *, hops: int) -> None:
        """Load what a text names, each right behind it, as deep as the agent goes."""
        body = split_front_matter(text)[1] if self.rules.text.drops_front_matter else text
        targets = [(named, self._resolve(named, path)) for named in named_paths(body)]
        self.disk.look_up([target for _, target in targets if target is not None])
        for named, target in targets:
            if target is None or len(self.entries) >= MAX_ENTRIES:
                continue
            entry = self.disk.look_up([target])[target]
            if entry.kind is not EntryKind.FILE:
                self._miss_import(target, entry, path, named)
                continue
            real = entry.real_path or target
            if real in self._seen:
                continue
            if rules.endings is not None and not _has_ending(target, rules.endings):
                self.miss(target, "off", "import-ending", "its ending is none that is read", path)
            elif kind.source != "managed" and self.is_excluded(target):
                self.miss(target, "off", "excluded", "the settings exclude it", path)
            elif hops > rules.most_hops:
                note = f"more than {rules.most_hops} imports deep"
                self.miss(target, "off", "import-too-deep", note, path)
            elif kind.source in ("project", "local") and not self.gate(
                target if rules.follows_links_out else real
            ):
                self.miss(target, "off", "import-outside-gate", _GATES[rules.gate], path)
            else:
                self._import(target, entry, kind, by=path, rules=rules, hops=hops)

    def _import(
        self, target: str, entry: Entry, kind: Kind, *, by: str, rules: ImportRules, hops: int
    ) -> None:
        data = self._read(target, entry)
        if data is None:
            return
        real = entry.real_path or target
        self._seen.add(real)
        text = decode(data, self.rules.text)
        treated = self._treat(text)
        if treated:
            name = shown_path(target, self.start, self.rules)
            by_name = shown_path(by, self.start, self.rules)
            self.absent.pop(name, None)
            self.entries.append(
                LoadedEntry(name, real, kind, treated, len(data), imported_by=by_name)
            )
        self._follow(target, text, kind, rules, hops=hops + 1)

    def _miss_import(self, target: str, entry: Entry, by: str, named: str) -> None:
        if entry.kind is EntryKind.MISSING:
            self.miss(target, "lost", "import-missing", f"@{named} leads nowhere", by)
        else:
            state, reason, note = _why_no_file(entry)
            self.miss(target, state, reason, note, by)

    def _resolve(self, named: str, path: str) -> str | None:
        if named.startswith("~/"):
            return None if self.start.home is None else resolve(named[2:], self.start.home)
        return resolve(named, parent(path))


def make_gate(
    rules: ImportRules, start: Start, root: str, *, is_open: bool
) -> Callable[[str], bool]:
    """Which real paths an import of a project's file may reach.

    Args:
        rules: of the agent's imports.
        start: where it is started.
        root: of the repository, or the start folder.
        is_open: the user has approved of all.
    """
    if is_open or rules.gate == "none":
        return lambda _: True
    folder = start.cwd if rules.gate == "below-cwd" else root
    if rules.gate_folds:
        return lambda real: is_below(real.lower(), folder.lower())
    return lambda real: is_below(real, folder)


def _has_ending(path: str, endings: frozenset[str]) -> bool:
    # A name that begins with its only dot has no ending.
    stem, dot, ending = path.rpartition("/")[2].rpartition(".")
    return not (dot and stem) or f".{ending}".lower() in endings


def _is_not_there(entry: Entry) -> bool:
    return entry.kind is EntryKind.ERROR and entry.problem == "ENOTDIR"


def _why_no_file(entry: Entry) -> tuple[AbsentState, str, str]:
    match entry.kind:
        case EntryKind.DIRECTORY | EntryKind.OTHER:
            return "off", "not-a-file", "no regular file"
        case EntryKind.DANGLING_LINK:
            return "lost", "instruction-unreadable", "a link that leads nowhere"
        case EntryKind.ERROR if entry.problem == "ELOOP":
            return "lost", "instruction-unreadable", "a link that leads to itself"
        case _:
            return "lost", "instruction-unreadable", f"can't be read ({entry.problem or 'EIO'})"


def merge_absent(files: Sequence[AbsentFile]) -> tuple[AbsentFile, ...]:
    """By path, each once."""
    return tuple(sorted({file.path: file for file in reversed(files)}.values()))
