"""The configuration of Codex CLI, as far as it decides which instructions are loaded.

In: bytes of its files, `-c` arguments, what git says of the folder. Out: `CodexSettings`.
Never here: looking for the files, following links, the chain itself.

The order of use, which is Codex's own:

1. `read_settings`: system, user, profile and command line; markers and trust come from these.
2. The walk for the configuration's root (`is_root_marker`), and for each folder from there down
   to the working directory its `.codex/config.toml`, with `layer_trust_of` that folder.
3. `with_project_layers`, with an empty list too: only here are all settings checked.
4. `trust_of` the working directory: `untrusted` means no project file at all.

All rules are measured on Codex 0.171.0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from assembler.config.codex_overrides import read_overrides
from assembler.config.codex_scalars import TomlError
from assembler.config.codex_shapes import (
    Problem,
    find_problem,
    find_problem_at,
    find_unknown,
    spell_path,
)
from assembler.config.codex_toml import Table, line_and_column, read_toml
from assembler.errors import ConfigError
from assembler.model.chain import DEFAULT_LIMIT_BYTES
from assembler.model.tree import Unreadable

Trust: TypeAlias = Literal["trusted", "untrusted"]
LayerKind: TypeAlias = Literal["system", "user", "profile", "project", "override"]

CODE: Final = "agent-config"
NOT_FOR_PROJECTS: Final = ("model_provider", "model_providers", "profile")
"""Keys that a project's configuration may not set; see also `OF_NO_EFFECT_IN_PROJECTS`."""
OF_NO_EFFECT_IN_PROJECTS: Final = ("project_root_markers", "projects")
"""Keys that were used before a project's configuration is read; checked and then of no effect."""


class ConfigFile(NamedTuple):
    """One configuration file: where it is, and its bytes or why there are none."""

    path: str
    content: bytes | Unreadable


class ProjectFile(NamedTuple):
    """The `.codex/config.toml` of one folder, and the trust of that folder."""

    file: ConfigFile
    trust: Trust | None


class Layer(NamedTuple):
    """One source of settings that was read."""

    kind: LayerKind
    path: str
    """Of the file; `-c` for the command line."""
    table: Table
    """As written, whatever of it counts."""
    text: str | None
    """None for the command line."""


class Ignored(NamedTuple):
    """A setting, or a whole file, that Codex passes over."""

    kind: LayerKind
    path: str
    """Of the file; `-c` for the command line."""
    key: str
    """Its parts with dots between; empty for the whole file."""
    reason: Literal["unknown", "not-for-projects", "no-effect-in-projects", "untrusted", "no-trust"]


class CodexSettings(NamedTuple):
    """What the configuration says of instructions."""

    limit_bytes: int
    """`project_doc_max_bytes`; 0 turns the project's files off."""
    fallbacks: tuple[str, ...]
    """`project_doc_fallback_filenames`, raw; see `clean_fallbacks`."""
    markers: tuple[str, ...]
    """`project_root_markers`, raw: empty strings and paths count."""
    projects: Mapping[str, Trust]
    """Trust by folder, keys as written."""
    ignored: tuple[Ignored, ...]
    """In the order of the layers, the weakest first; then by key."""
    layers: tuple[Layer, ...]
    """That count, the weakest first."""


def read_settings(
    *,
    system: ConfigFile | None = None,
    user: ConfigFile | None = None,
    profile: ConfigFile | None = None,
    overrides: Sequence[str] = (),
) -> CodexSettings:
    """The settings that no project can change, and the others so far.

    Only the markers and the trust entries are checked here; `with_project_layers` checks all.

    Args:
        system: `/etc/codex/config.toml`.
        user: `$CODEX_HOME/config.toml`.
        profile: `$CODEX_HOME/NAME.config.toml` of `--profile NAME`.
        overrides: the values of `-c`, in order.

    Raises:
        ConfigError: `agent-config`: Codex would not start.
    """
    command_line = Layer("override", "-c", read_overrides(overrides), None)
    files: tuple[tuple[LayerKind, ConfigFile | None], ...] = (
        ("system", system),
        ("user", user),
        ("profile", profile),
    )
    layers = [
        layer
        for kind, file in files
        if file is not None and (layer := _read_file(kind, file)) is not None
    ]
    merged = _merge([*layers, command_line])
    for key in OF_NO_EFFECT_IN_PROJECTS:
        problem = find_problem_at(merged, key)
        if problem is not None:
            raise _refusal(layers, problem)
    return _settings((*layers, command_line), merged, ())


def with_project_layers(settings: CodexSettings, files: Iterable[ProjectFile]) -> CodexSettings:
    """The settings with the project's configuration, all checked.

    The nearest folder wins; tables are merged key by key, everything else is replaced whole. A
    file counts if its folder is trusted. One that is not trusted may hold what it wants, but it
    must be readable and UTF-8.

    Args:
        settings: of `read_settings`.
        files: the configuration's root first, the working directory last. Leave out a folder
            whose `.codex` is `$CODEX_HOME` itself, links followed.

    Raises:
        ConfigError: `agent-config`: Codex would not start.
    """
    *before, command_line = settings.layers
    layers = list(before)
    ignored: list[Ignored] = []
    for file, trust in files:
        text = _read_text(file)
        if text is None:
            continue
        if trust != "trusted":
            reason: Literal["untrusted", "no-trust"] = "untrusted" if trust else "no-trust"
            ignored.append(Ignored("project", file.path, "", reason))
            continue
        layers.append(Layer("project", file.path, _parse(file.path, text), text))
    merged = _merge([*(_without_denied(layer) for layer in layers), command_line])
    problem = find_problem(merged)
    if problem is not None:
        raise _refusal(layers, problem)
    _check_meaning(merged)
    return _settings((*layers, command_line), merged, ignored)._replace(
        markers=settings.markers, projects=settings.projects
    )


def trust_of(
    settings: CodexSettings, cwd: str, repository: str | None, *, cwd_as_named: str | None = None
) -> Trust | None:
    """Whether project instructions load: `untrusted` turns them off, no entry does not.

    The entry of the working directory decides, else that of the repository. Neither the folders
    between them nor the root by markers count.

    Args:
        settings: of `read_settings`.
        cwd: the working directory, links followed.
        repository: what `.git` says, whatever the markers are: see `find_gitdir`.
        cwd_as_named: the working directory as the caller names it, where that differs.
    """
    return _first_entry(settings, (cwd, cwd_as_named, repository))


def layer_trust_of(
    settings: CodexSettings, folder: str, root: str, repository: str | None
) -> Trust | None:
    """Whether the `.codex/config.toml` of a folder counts: only `trusted` makes it count.

    Args:
        settings: of `read_settings`.
        folder: the folder that holds `.codex`.
        root: where the walk of the configuration starts; see `is_root_marker`.
        repository: as for `trust_of`.
    """
    return _first_entry(settings, (folder, root, repository))


def is_root_marker(name: str, *, is_folder: bool, holds_head: bool) -> bool:
    """Whether something at the path of a marker makes a folder the configuration's root.

    A folder `.git` must hold `HEAD` for it, which it need not for the walk of the instructions.
    All other markers only have to be there, links followed.
    """
    return name != ".git" or not is_folder or holds_head


def find_gitdir(content: bytes) -> str | None:
    """The folder that a file `.git` names, as it stands there, or None.

    The repository of trust is the nearest folder above with a `.git` that is a folder with
    `HEAD`; folders without it are passed over. A file `.git` ends the search: if the folder that
    it names (relative ones from the file's) holds `gitdir`, which names the file in turn, and
    `commondir` with the path of another folder `.git`, then the repository is the parent of
    that; else there is none, as for a submodule.
    """
    text = content.decode("utf-8", "replace").strip()
    if not text.startswith("gitdir:"):
        return None
    return text.removeprefix("gitdir:").strip() or None


def _first_entry(settings: CodexSettings, folders: Iterable[str | None]) -> Trust | None:
    for folder in folders:
        if folder is not None and folder in settings.projects:
            return settings.projects[folder]
    return None


def _read_file(kind: LayerKind, file: ConfigFile) -> Layer | None:
    text = _read_text(file)
    return None if text is None else Layer(kind, file.path, _parse(file.path, text), text)


def _read_text(file: ConfigFile) -> str | None:
    """The text of a file; None where there is none, dead links included.

    Codex refuses everything else: folders, FIFOs, loops, no permission, bytes that are not
    UTF-8; in a project too, trusted or not.
    """
    if isinstance(file.content, Unreadable):
        if file.content.reason == "missing":
            return None
        raise _error(f"can't be read ({file.content.reason})", where=file.path)
    try:
        return file.content.decode()
    except UnicodeDecodeError as error:
        message = f"is not UTF-8 from byte {error.start} on"
        raise _error(message, where=file.path) from None


def _parse(path: str, text: str) -> Table:
    try:
        return read_toml(text)
    except TomlError as error:
        where = _spell_place(path, text, error.offset)
        raise _error(f"is no TOML: {error.problem}", where=where) from None


def _merge(layers: Iterable[Layer]) -> Table:
    """One table of all; a later one wins, key by key."""
    merged = Table()
    for layer in layers:
        _merge_into(merged, layer.table)
    return merged


def _merge_into(table: Table, other: Table) -> None:
    for key, value in other.items():
        existing = table.get(key)
        if isinstance(existing, Table) and isinstance(value, Table):
            _merge_into(existing, value)
        elif isinstance(value, Table):
            table[key] = Table()
            _merge_into(table[key], value)
        else:
            table[key] = value


def _without_denied(layer: Layer) -> Layer:
    if layer.kind != "project":
        return layer
    table = Table()
    for key, value in layer.table.items():
        if key not in NOT_FOR_PROJECTS:
            table[key] = value
    return layer._replace(table=table)


def _settings(
    layers: tuple[Layer, ...], merged: Table, ignored: Iterable[Ignored]
) -> CodexSettings:
    limit = merged.get("project_doc_max_bytes")
    return CodexSettings(
        limit_bytes=limit if isinstance(limit, int) else DEFAULT_LIMIT_BYTES,
        fallbacks=_texts(merged.get("project_doc_fallback_filenames", ())),
        markers=_texts(merged.get("project_root_markers", (".git",))),
        projects={
            path: entry["trust_level"]
            for path, entry in merged.get("projects", {}).items()
            if "trust_level" in entry
        },
        ignored=(*ignored, *(found for layer in layers for found in _ignored_of(layer))),
        layers=layers,
    )


def _texts(values: Any) -> tuple[str, ...]:
    """The texts of a list; nothing of a value that is refused later on."""
    if not isinstance(values, list | tuple):
        return ()
    return tuple(value for value in values if isinstance(value, str))


def _ignored_of(layer: Layer) -> list[Ignored]:
    found = [
        Ignored(layer.kind, layer.path, spell_path(path), "unknown")
        for path in find_unknown(layer.table)
    ]
    if layer.kind == "project":
        for key in NOT_FOR_PROJECTS:
            if key in layer.table:
                found.append(Ignored("project", layer.path, key, "not-for-projects"))
        for key in OF_NO_EFFECT_IN_PROJECTS:
            if key in layer.table:
                found.append(Ignored("project", layer.path, key, "no-effect-in-projects"))
    return found


def _check_meaning(merged: Table) -> None:
    """Settings of the right shape that Codex refuses all the same."""
    if "profile" in merged:
        raise _error("`profile` is a setting that Codex no longer takes", where=None)


def _refusal(layers: Iterable[Layer], problem: Problem) -> ConfigError:
    """The error of a wrong value.

    The layers together are checked, so a wrong value that a stronger layer replaces is none. But
    the place told is that of the first wrong value of the first file that has one.
    """
    for layer in layers:
        if layer.text is None:
            continue
        found = find_problem(layer.table)
        if found is not None:
            place = _spell_place(layer.path, layer.text, found.offset or 0)
            return _error(f"`{spell_path(found.path)}` {found.message}", where=place)
    return _error(f"`{spell_path(problem.path)}` {problem.message}", where="-c")


def _error(message: str, *, where: str | None) -> ConfigError:
    return ConfigError(
        CODE,
        f"Codex's configuration {message}" if message.startswith(("is ", "can't ")) else message,
        where=where,
        next_step="mend it: Codex does not start with it",
    )


def _spell_place(path: str, text: str, offset: int) -> str:
    line, column = line_and_column(text, offset)
    return f"{path}:{line}:{column}"
