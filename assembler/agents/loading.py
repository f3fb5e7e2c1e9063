"""What an agent loads at its start: the steps of its description, one after the other. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from assembler.agents.approval import are_approved
from assembler.agents.collecting import Collector, make_gate, merge_absent
from assembler.agents.disk import Disk, Start
from assembler.agents.excludes import find_excludes
from assembler.agents.findings import find_findings
from assembler.agents.later import read_below, tell_below
from assembler.agents.listed import take_listed
from assembler.agents.loaded import AgentInput, LoadedEntry
from assembler.agents.memory import take_memory
from assembler.agents.places import (
    find_place,
    find_top,
    folders_down,
    folders_up,
    is_below,
    join,
    parent,
    resolve,
)
from assembler.agents.rules import (
    Added,
    AgentRules,
    Extensions,
    FileHere,
    FirstOf,
    Kind,
    Listed,
    Memory,
    Names,
    RulesIn,
    SettingText,
    Step,
    Switch,
    Walk,
)
from assembler.agents.settings import Settings, is_on, look_in, read_json, read_settings
from assembler.agents.trust import find_trust
from assembler.agents.walking import WalkTerms, take_folders, take_rules, walk
from assembler.errors import ConfigError
from assembler.model.tree import EntryKind


class Parsers(NamedTuple):
    """What the agents' own formats are read by."""

    read_yaml: Callable[[str], Mapping[str, Any]]
    """The members of a block; ValueError for what is none."""
    compile_paths: Callable[[Sequence[str]], Callable[[str], bool]]
    """Whether one of the patterns means an absolute path."""


def load_input(
    rules: AgentRules,
    start: Start,
    disk: Disk,
    parsers: Parsers,
    *,
    below: Iterable[str] = (),
    reads: Sequence[str] = (),
) -> AgentInput:
    """Everything that the agent loads when it is started.

    Args:
        rules: its description.
        start: where and how.
        disk: the file system.
        parsers: of YAML and of patterns.
        below: paths of files below the start that have one of the names it looks for on a read.
        reads: absolute paths of files that it reads, one after the other.

    Raises:
        ConfigError: `agent-config`: settings that it does not start with.
    """
    found = _load(rules, start, disk, parsers, below=below, reads=reads)
    return found._replace(findings=find_findings(found, start, disk))


def _load(
    rules: AgentRules,
    start: Start,
    disk: Disk,
    parsers: Parsers,
    *,
    below: Iterable[str],
    reads: Sequence[str],
) -> AgentInput:
    stop = next(step.stop for step in rules.steps if isinstance(step, Walk))
    settings = read_settings(rules, start, find_top(stop, start, rules.markers, disk), disk)
    trust = find_trust(rules, start, settings, disk)
    if trust is not None and trust.exit_code:
        return AgentInput(rules, trust.exit_code)
    if trust is not None and not trust.reads_project_settings:
        settings = settings.without("project")
    run = _Run(rules, start, _of_sources(settings, rules, start), disk, parsers)
    if not any(run.is_on(switch) for switch in rules.nothing):
        for step in rules.steps:
            run.take(step)
        run.read(below, reads)
    return run.result()


def _of_sources(settings: Settings, rules: AgentRules, start: Start) -> Settings:
    """The settings without those of sources that do not count."""
    if rules.sources_option is None or rules.sources_option not in start.options:
        return settings
    taken = {*start.values_of(rules.sources_option)}
    for layer in sorted({"user", "project", "local"} - taken):
        settings = settings.without(layer)
    return settings


class _Run:
    """One start of an agent."""

    def __init__(
        self, rules: AgentRules, start: Start, settings: Settings, disk: Disk, parsers: Parsers
    ) -> None:
        self.rules = rules
        self.start = start
        self.settings = settings
        self.disk = disk
        self.collector = Collector(rules, start, disk)
        markers = rules.markers
        if rules.settings.markers_key is not None:
            found = settings.find(rules.settings.markers_key)
            markers = markers if found is None else tuple(_texts(found))
        self.markers = markers
        self.root = start.repository or start.cwd
        self.parsers = parsers
        self.on_read: tuple[LoadedEntry, ...] = ()
        self.collector.read_yaml = parsers.read_yaml
        self.collector.sources = self._sources()
        self.collector.is_excluded = find_excludes(rules, settings, disk)
        self._set_imports()

    def is_on(self, switch: Switch) -> bool:
        """Whether a switch is thrown."""
        return is_on(switch, self.start, self.settings)

    def take(self, step: Step) -> None:
        """Carry out one step."""
        managed_only = self.rules.managed_only
        if managed_only is not None and not self._owner_is_off() and self.is_on(managed_only):
            kind = getattr(step, "kind", None)
            is_managed = isinstance(kind, Kind) and kind.source == "managed"
            if not is_managed and not isinstance(step, Memory):
                return
        takers: dict[type, Callable[[Any], None]] = {
            SettingText: self._take_setting,
            Names: self._take_names,
            FirstOf: self._take_first,
            RulesIn: self._take_rules,
            Walk: self._take_walk,
            Added: self._take_added,
            Memory: self._take_memory,
            Listed: self._take_listed,
            Extensions: self._take_extensions,
        }
        takers[type(step)](step)

    def read(self, below: Iterable[str], reads: Sequence[str]) -> None:
        """Find what reads of something below add, and what they would."""
        here = self.rules.on_read
        if here is None:
            return
        if self.rules.settings.names_key is not None:
            kind = here.steps[0].kind
            here = here._replace(
                steps=(*(FileHere(name, kind) for name in self._configured()), *here.steps)
            )
        for target in reads:
            self.on_read += read_below(target, here, self.collector, self.parsers.compile_paths)
        tell_below(below, here, self.collector)

    def result(self) -> AgentInput:
        """What has been found."""
        roles = ("user", "system")
        made = [self._as_sent(entry) for entry in self.collector.entries]
        entries = sorted(made, key=lambda entry: roles.index(entry.kind.role))
        return AgentInput(
            rules=self.rules,
            exit_code=0,
            entries=tuple(entries),
            absent=merge_absent([*self.collector.absent.values()]),
            later=tuple(sorted(self.collector.later)),
            on_read=self.on_read,
            cut=tuple(self.collector.cut),
            unscoped=tuple(dict.fromkeys(self.collector.unscoped)),
            order_is_open=tuple(self.collector.open_orders),
        )

    def _as_sent(self, entry: LoadedEntry) -> LoadedEntry:
        if not self.rules.joins_blank_lines or entry.kind.role != "system":
            return entry
        return entry._replace(text=re.sub(r"\n{3,}", "\n\n", entry.text))

    def _take_setting(self, step: SettingText) -> None:
        for layer, text in self.settings.find_all(step.key):
            if isinstance(text, str) and layer.layer == "managed":
                self.collector.add_text(step.shown, layer.path, text, step.kind)

    def _take_rules(self, step: RulesIn) -> None:
        folder = self._find(step.folder)
        if folder is not None:
            bound = "/" if step.follows_links_out else folder
            take_rules(folder, step.kind, bound, self.collector)

    def _take_walk(self, step: Walk) -> None:
        if not any(self.start.is_set(name) for name in step.switched_off_by):
            walk(step, self._walk_terms(step), self.collector)

    def _take_memory(self, step: Memory) -> None:
        if not any(self.is_on(switch) for switch in step.off_by):
            named = None
            if step.folder_key is not None:
                named = self.settings.find(step.folder_key, ("managed", "user", "local"))
            take_memory(step, self.start, self.collector, named if isinstance(named, str) else None)

    def _take_listed(self, step: Listed) -> None:
        stop = next(other.stop for other in self.rules.steps if isinstance(other, Walk))
        top = find_top(stop, self.start, self.markers, self.disk)
        take_listed(step, self.start, self.settings, top, self.collector)

    def _take_names(self, step: Names) -> None:
        folder = self._find(step.folder)
        if folder is None:
            return
        names = [*(self._configured() if step.with_configured else ()), *step.names]
        plain = (name for name in names if name and not name.startswith("/"))
        paths = list(dict.fromkeys(resolve(name, folder) for name in plain))
        for path in paths:
            if not self.collector.counts(step.kind, path):
                continue
            taken = self.collector.take(path, step.kind)
            if taken.is_there and step.choose == "first":
                return

    def _take_first(self, step: FirstOf) -> None:
        chosen: str | None = None
        for index, place in enumerate(step.places):
            path = self._find(place)
            if path is None or self.disk.look_up([path])[path].kind is not EntryKind.FILE:
                continue
            is_last = index == len(step.places) - 1
            if is_last and any(self.start.is_set(name) for name in step.last_off_by):
                note = "a variable switches it off"
                self.collector.miss(path, "off", "name-switched-off", note)
            elif chosen is not None:
                self.collector.miss(path, "hidden", "behind-other-name", f"{chosen} is there")
            else:
                chosen = path
                self.collector.take(path, step.kind)

    def _take_added(self, step: Added) -> None:
        if step.joins_walk:
            return
        folders = [self._folder(named) for named in self._named_by(step)]
        if step.needs_variable is not None and not self.start.is_set(step.needs_variable):
            for folder in folders:
                self._tell_not_added(folder, step)
            return
        take_folders(step.here, folders, self._walk_terms(None), self.collector)

    def _tell_not_added(self, folder: str, step: Added) -> None:
        for here in step.here:
            path = join(folder, here.path)
            if self.disk.look_up([path])[path].kind is EntryKind.FILE:
                note = f"an added folder, and {step.needs_variable} is not set"
                self.collector.miss(path, "off", "added-folder-off", note)

    def _take_extensions(self, step: Extensions) -> None:
        folder = self._find(step.folder)
        names = () if folder is None else self.disk.names_in(folder) or ()
        for name in names:
            assert folder is not None  # it has names
            place = join(folder, name)
            try:
                manifest = read_json(join(place, step.manifest), self.rules, self.disk)
            except ConfigError:
                manifest = None
            if manifest is None or not manifest.get("name"):
                continue
            found = look_in(manifest, step.key)
            files = [*_texts(found)] if found is not None else [*step.usual]
            for file in files:
                path = resolve(file, place)
                if is_below(path, place):
                    self.collector.take(path, step.kind)

    def _walk_terms(self, step: Walk | None) -> WalkTerms:
        stop = "file-system" if step is None else step.stop
        switches = () if step is None else step.name_switches
        off = {
            name
            for name, variables in switches
            if any(self.start.is_set(variable) for variable in variables)
        }
        return WalkTerms(
            top=find_top(stop, self.start, self.markers, self.disk),
            configured=self._configured() if step is not None and step.with_configured else (),
            added=tuple(self._joined()),
            fallback=self._fallback(),
            off_names=frozenset(off),
            bound=self.collector.rule_bound or self.root,
        )

    def _joined(self) -> Iterator[str]:
        for step in self.rules.steps:
            if isinstance(step, Added) and step.joins_walk:
                yield from self._joined_by(step)

    def _joined_by(self, step: Added) -> Iterator[str]:
        of_settings = () if step.key is None else _texts(self.settings.find(step.key))
        for named in (*of_settings, *self._named_by(step)):
            folder = self._folder(named)
            folder = self.disk.look_up([folder])[folder].real_path or folder
            yield folder
            if step.walks:
                start = self.start._replace(cwd=folder)
                top = find_top("marker-or-cwd", start, self.markers, self.disk)
                yield from folders_down(top, folder)

    def _folder(self, named: str) -> str:
        """The folder that an option names."""
        if self.start.home is not None and (named == "~" or named.startswith("~/")):
            return resolve(named[2:], self.start.home)
        return resolve(named, self.start.cwd)

    def _named_by(self, step: Added) -> Iterator[str]:
        """The folders that the option of a step names."""
        if step.splits:
            return self.start.values_of(step.option)
        return iter(self.start.options.get(step.option, ()))

    def _fallback(self) -> str:
        key = self.rules.fallback_switch
        if key is None or self._owner_is_off():
            return "never"
        values = dict(self.rules.fallback_values)
        found = self.settings.find(key, self.rules.fallback_layers)
        return values.get(str(found), self.rules.fallback_values[0][1])

    def _owner_is_off(self) -> bool:
        key = self.rules.fallback_owner
        found = None if key is None else self.settings.find(key)
        return found is False or isinstance(found, list)

    def _configured(self) -> tuple[str, ...]:
        key = self.rules.settings.names_key
        found = None if key is None else self.settings.find(key)
        return () if found is None else tuple(name.strip() for name in _texts(found))

    def _sources(self) -> frozenset[str] | None:
        option = self.rules.sources_option
        if option is None or option not in self.start.options:
            return None
        return frozenset(self.start.values_of(option))

    def _set_imports(self) -> None:
        imports = self.rules.imports
        if imports is None:
            return
        is_open = are_approved(self.rules, imports, self.start, self.root, self.disk)
        self.collector.gate = make_gate(imports, self.start, self.root, is_open=is_open)
        if imports.style == "inline":
            self.collector.find_base = self._repository_of
        if imports.flat_key is not None:
            self.collector.is_flat = self.settings.find(imports.flat_key) == "flat"

    def _repository_of(self, path: str) -> str:
        """The nearest folder above a file with `.git`; its own folder where there is none."""
        folder = parent(path)
        ways = [*folders_up(folder)]
        found = self.disk.look_up([join(way, ".git") for way in ways])
        there = (EntryKind.FILE, EntryKind.DIRECTORY)
        return next((way for way in ways if found[join(way, ".git")].kind in there), folder)

    def _find(self, place: Any) -> str | None:
        return find_place(place, self.start, self.root)


def _texts(value: Any) -> Iterator[str]:
    """A text, or the texts of a list."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        yield from (one for one in value if isinstance(one, str))
