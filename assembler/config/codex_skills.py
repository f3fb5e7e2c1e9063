"""The configuration of Codex CLI, as far as it decides which skills are listed, and how long.

In: the layers of `config.codex`. Out: `SkillSettings`. Never here: looking for the files.
All rules are measured on Codex 0.171.0; see docs/compatibility.md.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from assembler.config.codex import CodexSettings, place_of
from assembler.config.codex_layers import COMMAND_LINE, Layer, merge_layers
from assembler.config.codex_toml import Table
from assembler.model.chain import WHITE_SPACE

WINDOW: Final = "model_context_window"
MODEL: Final = "model"
CATALOG: Final = "model_catalog_json"
LIST: Final = ("skills", "include_instructions")
BUNDLED: Final = ("skills", "bundled", "enabled")
OMITS_DESCRIPTIONS: Final = ("features", "omit_skill_descriptions")

_RULE_LAYERS: Final = frozenset({"user", "profile", "override"})
"""Nobody else turns a skill off: neither a project, trusted or not, nor the system's files."""


class SkillRule(NamedTuple):
    """One entry of `skills.config`: a skill by its file or by its name."""

    path: str | None
    """Absolute, resolved by its letters; links are the caller's to follow."""
    name: str | None
    is_enabled: bool
    written_in: str
    """The file, or `-c`."""

    @property
    def is_complete(self) -> bool:
        """Whether Codex obeys it: it passes over a rule with both selectors, or without one."""
        return (self.path is None) != (self.name is None) and self.name != ""


class SkillSettings(NamedTuple):
    """What the configuration says of skills."""

    has_list: bool = True
    """Whether the list stands in the model's input at all."""
    uses_bundled: bool = True
    """Whether the agent's own skills count."""
    omits_descriptions: bool = False
    rules: tuple[SkillRule, ...] = ()
    """The weakest first; later ones win."""
    window_tokens: int | None = None
    model: str | None = None
    catalog_path: str | None = None
    """A file that takes the place of the models that the agent knows; absolute."""
    places: Mapping[str, str] = {}
    """By dotted key where a setting is written: `PATH:LINE`, or `-c`."""


def read_skill_settings(settings: CodexSettings | None, *, cwd: str, home: str) -> SkillSettings:
    """The settings of all layers together.

    Args:
        settings: of `with_project_layers`; None where nothing is configured.
        cwd: the working directory, for paths of the command line.
        home: HOME, for paths that begin with `~`.
    """
    if settings is None:
        return SkillSettings()
    merged = merge_layers(settings.layers)
    window, model = merged.get(WINDOW), merged.get(MODEL)
    catalog = next((file for file in settings.needed_files if file.key == CATALOG), None)
    keys: dict[str, tuple[str, ...]] = {
        ".".join(key): key for key in (LIST, BUNDLED, OMITS_DESCRIPTIONS)
    }
    keys |= {key: (key,) for key in (WINDOW, MODEL, CATALOG)}
    found = {name: place_of(settings, *key) for name, key in keys.items()}
    return SkillSettings(
        has_list=_member(merged, LIST) is not False,
        uses_bundled=_member(merged, BUNDLED) is not False,
        omits_descriptions=_member(merged, OMITS_DESCRIPTIONS) is True,
        rules=tuple(rule for layer in settings.layers for rule in _rules(layer, cwd, home)),
        window_tokens=window if isinstance(window, int) else None,
        model=model if isinstance(model, str) else None,
        catalog_path=None
        if catalog is None
        else _absolute(catalog.path, _folder_of(catalog.layer_path, cwd), home),
        places={name: place for name, place in found.items() if place is not None},
    )


def _rules(layer: Layer, cwd: str, home: str) -> list[SkillRule]:
    if layer.kind not in _RULE_LAYERS:
        return []
    entries = _member(layer.table, ("skills", "config"))
    if not isinstance(entries, list):
        return []
    folder = _folder_of(layer.path, cwd)
    return [_rule(entry, layer.path, folder, home) for entry in entries if isinstance(entry, Table)]


def _rule(entry: Table, written_in: str, folder: str, home: str) -> SkillRule:
    path, name = entry.get("path"), entry.get("name")
    return SkillRule(
        path=_absolute(path, folder, home) if isinstance(path, str) else None,
        name=name.strip(WHITE_SPACE) if isinstance(name, str) else None,
        is_enabled=entry.get("enabled") is True,
        written_in=written_in,
    )


def _folder_of(path: str, cwd: str) -> str:
    return cwd if path == COMMAND_LINE else posixpath.dirname(path)


def _absolute(path: str, folder: str, home: str) -> str:
    if path == "~" or path.startswith("~/"):
        path = home + path[1:]
    # A leading double slash would stay one.
    return "/" + posixpath.normpath(posixpath.join(folder, path)).lstrip("/")


def _member(table: Mapping[str, Any], path: Sequence[str]) -> Any:
    value: Any = table
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value
