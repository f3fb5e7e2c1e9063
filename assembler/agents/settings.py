"""The settings of an agent: which files, in which order, and what a key is in the end. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from assembler.agents.disk import Disk, Start
from assembler.agents.places import find_place, folders_down, join, parent
from assembler.agents.rules import AgentRules, SettingsFile, Switch
from assembler.errors import ConfigError
from assembler.model.tree import EntryKind, Unreadable

MAX_DEPTH: Final = 200
_JSONC: Final = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?(?:\*/|\Z)|,(?=\s*[}\]])', re.S)


class Layer(NamedTuple):
    """One file of settings that was read."""

    path: str
    layer: str
    values: Mapping[str, Any]


class Settings(NamedTuple):
    """All layers, the weakest first."""

    layers: tuple[Layer, ...] = ()

    def without(self, layer: str) -> Settings:
        """The same without the files of a layer."""
        return Settings(tuple(one for one in self.layers if one.layer != layer))

    def find(self, key: str, layers: Sequence[str] = ()) -> Any:
        """The value of a dotted key in the strongest layer that has it; None: none has."""
        for layer in reversed(self.layers):
            if not layers or layer.layer in layers:
                value = look_in(layer.values, key)
                if value is not None:
                    return value
        return None

    def find_all(self, key: str) -> Iterator[tuple[Layer, Any]]:
        """The value of a dotted key in each layer that has it, the weakest first."""
        for layer in self.layers:
            value = look_in(layer.values, key)
            if value is not None:
                yield layer, value


def look_in(values: Any, key: str) -> Any:
    """The value of a dotted key, a backslash before a dot of a name; None where it is not there."""
    for name in re.split(r"(?<!\\)\.", key):
        if not isinstance(values, dict):
            return None
        values = values.get(name.replace("\\.", "."))
    return values


def read_settings(rules: AgentRules, start: Start, top: str, disk: Disk) -> Settings:
    """Every file of settings that is there.

    Args:
        rules: of the agent.
        start: where it is started.
        top: of its walk.
        disk: read only.

    Raises:
        ConfigError: `agent-config`: a file that the agent does not start with.
    """
    layers: list[Layer] = []
    for path, layer, joins_last in _files(rules, start, top):
        values = read_json(path, rules, disk)
        if values is None:
            continue
        _require_lists(values, path, rules)
        if joins_last and layers and parent(layers[-1].path) == parent(path):
            values = {**layers.pop().values, **values}
        layers.append(Layer(path, layer, values))
    return Settings(tuple(layers))


def _require_lists(values: Mapping[str, Any], path: str, rules: AgentRules) -> None:
    for key in rules.settings.list_keys:
        found = values.get(key, [])
        if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
            raise _broken(path, f"has another value of `{key}` than a list of texts", rules)


def _files(rules: AgentRules, start: Start, top: str) -> Iterator[tuple[str, str, bool]]:
    is_off = any(start.is_set(name) for name in rules.settings.off_by)
    for file in rules.settings.files:
        if file.layer == "project" and is_off:
            continue
        if file.variable is not None:
            named = start.environment.get(file.variable)
            if named:
                yield join(start.cwd, named), file.layer, False
            continue
        for path in _places(file, start, top):
            yield path, file.layer, file.last_counts


def _places(file: SettingsFile, start: Start, top: str) -> Iterator[str]:
    folders: tuple[str, ...]
    if file.walks:
        ways = folders_down(top, start.cwd)
        folders = tuple(join(way, file.place.path) for way in ways)
        folders = folders[::-1] if file.walks == "up" else folders
    else:
        place = find_place(file.place, start, top)
        if place is None:
            return
        if not file.names:
            yield place
            return
        folders = (place,)
    for folder in folders:
        for name in file.names:
            yield join(folder, name)


def read_json(path: str, rules: AgentRules, disk: Disk) -> Mapping[str, Any] | None:
    """The members of a file that is an object; None where no file is there, or no object.

    Raises:
        ConfigError: `agent-config`: it can't be read, or is no JSON.
    """
    if disk.look_up([path])[path].kind is not EntryKind.FILE:
        return None
    data = disk.read(path)
    if isinstance(data, Unreadable):
        raise _broken(path, f"can't be read ({data.reason})", rules)
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    try:
        plain = without_comments(text) if rules.settings.form == "jsonc" else text
        _require_shallow(plain)
        values = json.loads(plain) if plain.strip() else {}
    except ValueError as error:
        place = f":{error.lineno}:{error.colno}" if isinstance(error, json.JSONDecodeError) else ""
        raise _broken(f"{path}{place}", "is no JSON", rules) from None
    if not isinstance(values, dict) and rules.settings.list_keys:
        raise _broken(path, "is no object", rules)
    return values if isinstance(values, dict) else None


def without_comments(text: str) -> str:
    """JSON with comments and last commas as plain JSON; what is in quotes stays as it is."""

    def keep(found: re.Match[str]) -> str:
        piece = found.group()
        if piece.startswith('"'):
            return piece
        return " " if piece == "," else re.sub(r"[^\n]", " ", piece)

    return _JSONC.sub(keep, text)


def _require_shallow(text: str) -> None:
    """Refuse what would exhaust the reader's stack.

    Raises:
        ValueError: deeper than `MAX_DEPTH`.
    """
    depth = 0
    for mark in re.findall(r'"(?:\\.|[^"\\])*"|[\[\]{}]', text):
        if mark in "[{":
            depth += 1
        elif mark in "]}":
            depth -= 1
        if depth > MAX_DEPTH:
            raise ValueError("too deep")


def _broken(place: str, what: str, rules: AgentRules) -> ConfigError:
    return ConfigError(
        "agent-config",
        f"{rules.title} settings: the file {what}",
        where=place,
        next_step="mend the file",
    )


def is_on(switch: Switch, start: Start, settings: Settings) -> bool:
    """Whether a switch is thrown, by the command line, else a variable, else a setting."""
    if switch.option is not None and switch.option in start.options:
        return switch.value is None or switch.value in start.options[switch.option]
    if switch.variable is not None and start.is_set(switch.variable):
        return True
    if switch.setting is not None:
        found = settings.find(switch.setting, switch.layers)
        return found == switch.value if switch.value is not None else bool(found)
    return False
