"""The configuration of Codex CLI, as far as it decides which instructions are loaded.

In: bytes of its files, `-c` arguments, what git says of the folder. Out: `CodexSettings`.
Never here: looking for the files, following links, the chain itself.

The order of use, which is Codex's own:

1. `read_settings`: system, user, profile, command line and managed file. Markers come from these,
   and the trust of the folders whose configuration is to be read.
2. From the configuration's root (`is_root_marker`) down to the working directory, for each folder
   its `.codex/config.toml`, with `layer_trust_of` that folder.
3. `with_project_layers`, with an empty list too: only here are all settings checked.
4. `trust_of` the working directory, with what step 3 gave: `untrusted` means no project file.

All rules are measured on Codex 0.171.0. Where it looks: `$CODEX_HOME`, if that is set and not
empty, else `.codex` in `$HOME`, and without `$HOME` in the user's home folder. A relative one
counts from the working directory, a link is followed; one that is missing or no folder stops
Codex, but `~/.codex` is made. The system's files are in `/etc/codex`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from assembler.config.codex_layers import (
    COMMAND_LINE,
    Layer,
    LayerKind,
    denied_keys,
    merge_layers,
    parse,
    read_layer,
    read_text,
    wrong_value,
)
from assembler.config.codex_meaning import (
    NeededFile,
    check_meaning,
    needed_files,
    own_permissions,
)
from assembler.config.codex_overrides import read_overrides
from assembler.config.codex_shapes import find_problem, find_problem_at, find_unknown, spell_path
from assembler.config.codex_toml import Table, line_and_column
from assembler.model.agent import CODEX, ConfigFile, Trust
from assembler.model.chain import DEFAULT_LIMIT_BYTES

LIMIT: Final = CODEX.config.limit_key
NAMES: Final = "project_doc_fallback_filenames"
MARKERS: Final = "project_root_markers"

USED_BEFORE_PROJECTS: Final = ("project_root_markers", "projects")
"""Keys that are used, and checked, before a project's configuration is read."""


class ProjectFile(NamedTuple):
    """The `.codex/config.toml` of one folder, and the trust of that folder."""

    file: ConfigFile
    trust: Trust | None


class Ignored(NamedTuple):
    """A setting, or a whole file, that Codex passes over."""

    kind: LayerKind
    path: str
    """Of the file; `-c` for the command line."""
    key: str
    """Its parts with dots between; empty for the whole file."""
    reason: Literal["unknown", "not-for-projects", "untrusted", "no-trust"]
    """`not-for-projects` for the markers too, of which Codex says nothing."""


class CodexSettings(NamedTuple):
    """What the configuration says of instructions."""

    limit_bytes: int
    """`project_doc_max_bytes`; 0 turns the project's files off."""
    fallbacks: tuple[str, ...]
    """`project_doc_fallback_filenames`, raw; see `clean_fallbacks`."""
    markers: tuple[str, ...]
    """`project_root_markers`, raw: empty strings and paths count."""
    projects: Mapping[str, Trust]
    """Trust by folder, keys as written: nothing of them is resolved."""
    ignored: tuple[Ignored, ...] = ()
    """Sorted by layer, path and key."""
    needed_files: tuple[NeededFile, ...] = ()
    """Files without which Codex does not start."""
    own_permissions: str | None = None
    """A permission profile of the user's own is in force: files that it does not let Codex read
    are missing, or stop it. That is not modelled here."""
    layers: tuple[Layer, ...] = ()
    """The weakest first."""


def read_settings(
    *,
    system: ConfigFile | None = None,
    user: ConfigFile | None = None,
    profile: ConfigFile | None = None,
    overrides: Sequence[str] = (),
    managed: ConfigFile | None = None,
) -> CodexSettings:
    """The settings without those of the project; only markers and trust entries are checked.

    Args:
        system: `/etc/codex/config.toml`, the weakest.
        user: `$CODEX_HOME/config.toml`.
        profile: `$CODEX_HOME/NAME.config.toml` of `--profile NAME`.
        overrides: the values of `-c`, in order; stronger than a project.
        managed: `/etc/codex/managed_config.toml`, the strongest.

    Raises:
        ConfigError: `agent-config`: Codex does not start. It has `PATH:LINE:COLUMN` where Codex
            tells a place, `PATH` or `-c` otherwise.
    """
    command_line = Layer("override", COMMAND_LINE, read_overrides(overrides), None)
    top = [] if managed is None else [read_layer("managed", managed)]
    files: tuple[tuple[LayerKind, ConfigFile | None], ...] = (
        ("system", system),
        ("user", user),
        ("profile", profile),
    )
    below = [read_layer(kind, file) for kind, file in files if file is not None]
    layers = tuple(layer for layer in (*below, command_line, *top) if layer is not None)
    merged = merge_layers(layers)
    for key in USED_BEFORE_PROJECTS:
        problem = find_problem_at(merged, key)
        if problem is not None:
            # The managed file is not among those whose place is told here.
            raise wrong_value((layer for layer in layers if layer.kind != "managed"), problem)
    return _settings(layers, merged, ())


def with_project_layers(settings: CodexSettings, files: Iterable[ProjectFile]) -> CodexSettings:
    """The settings with the project's configuration, all checked.

    The nearest folder wins. A file counts if its folder is trusted. One that does not count may
    hold what it wants, bad TOML too, but must be readable and UTF-8. The markers stay as they
    are; the trust entries of a project count for `trust_of`.

    Args:
        settings: of `read_settings`.
        files: the configuration's root first, the working directory last. Leave out a folder
            whose `.codex` is no folder, or is `$CODEX_HOME` itself, links followed.

    Raises:
        ConfigError: `agent-config`, as for `read_settings`.
    """
    project: list[Layer] = []
    ignored: list[Ignored] = []
    for file, trust in files:
        text = read_text(file)
        if text is None:
            continue
        if trust == "trusted":
            project.append(Layer("project", file.path, parse(file.path, text), text))
        else:
            reason: Literal["untrusted", "no-trust"] = "untrusted" if trust else "no-trust"
            ignored.append(Ignored("project", file.path, "", reason))
    below = [layer for layer in settings.layers if layer.kind in {"system", "user", "profile"}]
    layers = (*below, *project, *settings.layers[len(below) :])
    merged = merge_layers(layers)
    problem = find_problem(merged)
    if problem is not None:
        raise wrong_value(layers, problem)
    check_meaning(merged, layers)
    found = _settings(layers, merged, ignored)
    return found._replace(
        markers=settings.markers,
        needed_files=needed_files(merged, layers),
        own_permissions=own_permissions(merged),
    )


def trust_of(
    settings: CodexSettings, cwd: str, *repository: str | None, cwd_as_named: str | None = None
) -> Trust | None:
    """Whether project instructions load: `untrusted` turns them off, no entry does not.

    The entry of the working directory decides, else that of the repository. Neither the folders
    between them nor the root by markers count, nor a linked worktree's own root.

    Args:
        settings: of `with_project_layers`.
        cwd: the working directory, links followed.
        repository: the repository of trust, links followed, then by its letters where they
            differ; see `find_gitdir`.
        cwd_as_named: the working directory as the caller names it, where that differs.
    """
    return _first_entry(settings, (cwd, cwd_as_named, *repository))


def layer_trust_of(
    settings: CodexSettings, folder: str, root: str, *repository: str | None
) -> Trust | None:
    """Whether the `.codex/config.toml` of a folder counts: only `trusted` makes it count.

    Args:
        settings: of `read_settings`.
        folder: the folder that holds `.codex`, links followed.
        root: where the walk of the configuration starts; see `is_root_marker`.
        repository: as for `trust_of`.
    """
    return _first_entry(settings, (folder, root, *repository))


def place_of(settings: CodexSettings, *path: str) -> str | None:
    """Where a setting that holds is written: `PATH:LINE`, or `-c`; None where it is not written.

    Args:
        settings: of `with_project_layers`.
        path: the keys that lead to it.
    """
    for layer in reversed(settings.layers):
        if path[0] == MARKERS and layer.kind == "project":
            continue
        table: Any = layer.table
        for key in path[:-1]:
            table = table.get(key) if isinstance(table, Table) else None
        if not isinstance(table, Table) or path[-1] not in table:
            continue
        start = table.starts.get(path[-1])
        if layer.text is None or start is None:
            return layer.path
        return f"{layer.path}:{line_and_column(layer.text, start)[0]}"
    return None


def trust_folder(settings: CodexSettings, cwd: str, *repository: str) -> str | None:
    """The folder whose entry `trust_of` goes by."""
    return next((folder for folder in (cwd, *repository) if folder in settings.projects), None)


def is_root_marker(name: str, *, is_folder: bool, holds_head: bool) -> bool:
    """Whether what stands at the path of a marker makes a folder the configuration's root.

    A folder `.git` must hold `HEAD` for it, links followed, which it need not for the walk of
    the instructions. All other markers only have to be there. Without a root, and without any
    marker, the configuration's root is the working directory.
    """
    return name != ".git" or not is_folder or holds_head


def find_gitdir(content: bytes) -> str | None:
    """The folder that a file `.git` names, as it stands there, or None.

    The repository of trust is the nearest folder above with a `.git` that is a folder with
    `HEAD`; folders without it are passed over. A file `.git` ends the search. The folder that it
    names (a relative one from the file's) may be `.git/worktrees/NAME` of a main checkout and
    hold `gitdir`, which names the file in turn, and `commondir`, which leads to that `.git`: then
    the main checkout is the repository. Else there is none, as for a submodule.
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


def _settings(
    layers: tuple[Layer, ...], merged: Table, ignored: Iterable[Ignored]
) -> CodexSettings:
    limit = merged.get("project_doc_max_bytes")
    found = (ignored_key for layer in layers for ignored_key in _ignored_of(layer))
    return CodexSettings(
        limit_bytes=limit if isinstance(limit, int) else DEFAULT_LIMIT_BYTES,
        fallbacks=_texts(merged.get("project_doc_fallback_filenames", ())),
        markers=_texts(merged.get("project_root_markers", (".git",))),
        projects={
            path: entry["trust_level"]
            for path, entry in merged.get("projects", {}).items()
            if isinstance(entry, Table) and "trust_level" in entry
        },
        ignored=tuple(sorted((*ignored, *found))),
        layers=layers,
    )


def _texts(values: Any) -> tuple[str, ...]:
    """The texts of a list; nothing of a value that is refused later on."""
    if not isinstance(values, list | tuple):
        return ()
    return tuple(value for value in values if isinstance(value, str))


def _ignored_of(layer: Layer) -> list[Ignored]:
    denied: tuple[str, ...] = ()
    if layer.kind == "project":
        denied = denied_keys(layer.table)
        if "project_root_markers" in layer.table:
            denied += ("project_root_markers",)
    unknown = [spell_path(path) for path in find_unknown(layer.table) if str(path[0]) not in denied]
    return [
        *(Ignored(layer.kind, layer.path, key, "not-for-projects") for key in denied),
        *(Ignored(layer.kind, layer.path, key, "unknown") for key in unknown),
    ]
