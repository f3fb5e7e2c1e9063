"""An agent's own configuration on this machine: its files, what git says of trust, the findings.

Codex's rules of configuration are in `config/codex.py`; here its files are looked for and read.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from assembler.adapters.following_tree import FollowingTree
from assembler.adapters.open_file import error_symbol
from assembler.discover.instructions import marker_place
from assembler.errors import UsageError
from assembler.front.agent_config_findings import (
    about_closed,
    about_ignored,
    about_permissions,
)
from assembler.front.places import home_folder
from assembler.model.agent import Agent, ConfigFile, Trust
from assembler.model.chain import clean_fallbacks, folders_down_to, join_path
from assembler.model.finding import Finding
from assembler.model.tree import Authorized, Beginning, EntryKind, Unreadable

if TYPE_CHECKING:
    from assembler.config.codex import CodexSettings
    from assembler.config.codex_meaning import NeededFile

TRUST_KEY: Final = "trust_level"
MAX_CONFIG_BYTES: Final = 64 * 1024 * 1024
MAX_NEEDED_BYTES: Final = 64 * 1024 * 1024
MAX_POINTER_BYTES: Final = 1024 * 1024
"""Of a `.git` file, `commondir` or `gitdir`: one path and a word, and what stands around them."""


class AgentSettings(NamedTuple):
    """What the configuration says of instructions."""

    limit_bytes: int
    fallbacks: tuple[str, ...]
    """Clean names; see `clean_fallbacks`."""
    markers: tuple[str, ...]
    trust: Trust | None
    home: Path
    """The agent's own folder of the user."""
    places: Mapping[str, str]
    """By key where a setting is written that differs from the usual: `PATH:LINE`, or the option
    that gave it."""
    findings: tuple[Finding, ...]
    """Settings and files that the agent passes over; paths are absolute."""
    project_folders: tuple[str, ...] = ()
    """The project's configuration folders, absolute, from the root down; what they say may count
    or not."""
    layers: CodexSettings | None = None
    """All settings as they are written; None where nothing is configured."""


def read_agent_settings(
    agent: Agent,
    cwd: Path,
    *,
    environment: Mapping[str, str],
    overrides: Sequence[str],
    system_folder: Path | None,
) -> AgentSettings:
    """Read the configuration by the agent's precedence.

    Args:
        agent: its description.
        cwd: where it starts; absolute, links resolved.
        environment: for HOME and the variable that moves the agent's folder.
        overrides: `KEY=VALUE`, as its command line takes them.
        system_folder: in place of the usual one.

    Raises:
        UsageError: `home-missing`, `agent-home-missing`.
        ConfigError: `agent-config`: the agent would not start.
    """
    home = _find_home(agent, environment)
    disk = _Disk()
    system = system_folder or Path(agent.config.system_folder)
    files = {
        "system": disk.config(system, agent.config.name),
        "user": disk.config(home, agent.config.name),
        "managed": disk.config(system, agent.config.managed_name),
    }
    start = str(cwd).removeprefix("/")
    is_plain = all(file.content == Unreadable("missing") for file in files.values())
    if is_plain and not overrides and not _project_folders(agent, disk, start, "", home):
        return AgentSettings(
            limit_bytes=agent.walk.limit_bytes,
            fallbacks=(),
            markers=agent.walk.markers,
            trust=None,
            home=home,
            places={},
            findings=(),
        )
    return _read_all(agent, disk, cwd, files, home=home, overrides=overrides)


def _read_all(
    agent: Agent,
    disk: _Disk,
    cwd: Path,
    files: Mapping[str, ConfigFile],
    *,
    home: Path,
    overrides: Sequence[str],
) -> AgentSettings:
    # Its tables and its reader of TOML cost a third of the command where nothing is configured.
    from assembler.config import codex

    settings = codex.read_settings(
        system=files["system"],
        user=files["user"],
        overrides=overrides,
        managed=files["managed"],
    )
    start = str(cwd).removeprefix("/")
    repository = _find_repository(disk, start)
    root = _find_config_root(disk, start, settings.markers)
    folders = _project_folders(agent, disk, start, root, home)
    trusts = {
        place: codex.layer_trust_of(settings, f"/{folder}", f"/{root}", *repository)
        for folder, place in folders.items()
    }
    settings = codex.with_project_layers(
        settings,
        [
            codex.ProjectFile(disk.config(place, agent.config.name), trust)
            for place, trust in trusts.items()
        ],
    )
    for needed in settings.needed_files:
        _require_file(disk, needed, cwd)
    closed = {place: trust for place, trust in trusts.items() if trust != "trusted"}
    return AgentSettings(
        limit_bytes=settings.limit_bytes,
        fallbacks=clean_fallbacks(settings.fallbacks),
        markers=settings.markers,
        trust=codex.trust_of(settings, str(cwd), *repository),
        home=home,
        places=_places(settings, str(cwd), repository),
        findings=(
            *about_ignored(settings),
            *about_closed(closed),
            *about_permissions(settings, files["user"].path),
        ),
        project_folders=tuple(str(place) for place in folders.values()),
        layers=settings,
    )


def _places(settings: CodexSettings, cwd: str, repository: Sequence[str]) -> dict[str, str]:
    """Where the settings that decide are written."""
    from assembler.config import codex
    from assembler.config.codex_layers import COMMAND_LINE

    asked: dict[str, tuple[str, ...]] = {
        key: (key,) for key in (codex.LIMIT, codex.NAMES, codex.MARKERS)
    }
    folder = codex.trust_folder(settings, cwd, *repository)
    if folder is not None:
        asked[TRUST_KEY] = ("projects", folder, "trust_level")
    found = {key: codex.place_of(settings, *path) for key, path in asked.items()}
    return {
        key: "--agent-config" if place == COMMAND_LINE else place
        for key, place in found.items()
        if place is not None
    }


def _project_folders(
    agent: Agent, disk: _Disk, start: str, root: str, home: Path
) -> dict[str, Path]:
    """From the configuration's root down the folders that configure the agent, and where."""
    name = agent.config.project_folder
    places = {folder: join_path(folder, name) for folder in folders_down_to(start, top=root)}
    entries = disk.tree.look_up(list(places.values()))
    own = os.path.realpath(home)
    return {
        folder: Path("/") / place
        for folder, place in places.items()
        if entries[place].kind is EntryKind.DIRECTORY and f"/{entries[place].real_path}" != own
    }


class _Disk:
    """The whole file system, looked at and read without opening what is no regular file."""

    def __init__(self) -> None:
        self.tree = FollowingTree(Path("/"))

    def config(self, folder: Path, name: str) -> ConfigFile:
        """The configuration file of a folder."""
        path = folder / name
        return ConfigFile(str(path), self.read(str(path)[1:], most_bytes=MAX_CONFIG_BYTES))

    def read(self, path: str, *, most_bytes: int) -> bytes | Unreadable:
        """The bytes of a file, or why there are none."""
        entry = self.tree.look_up([path])[path]
        if entry.kind in {EntryKind.MISSING, EntryKind.DANGLING_LINK}:
            return Unreadable("missing")
        if entry.kind is EntryKind.ERROR:
            # A way that goes through a file leads to nothing, as far as programs care.
            return Unreadable("missing" if entry.problem == "ENOTDIR" else entry.problem or "EIO")
        if entry.kind is not EntryKind.FILE:
            return Unreadable("not-a-file")
        permission = Authorized(entry=entry, grant="configuration")
        found = self.tree.read_beginnings([permission], most_bytes=most_bytes)[path]
        return Unreadable("size-limit") if isinstance(found, Beginning) else found


def _find_home(agent: Agent, environment: Mapping[str, str]) -> Path:
    """The agent's folder: one that is named has to be there, the usual one need not."""
    named = environment.get(agent.home.variable)
    if not named:
        home = home_folder(environment)
        if home is None:
            raise UsageError(
                "home-missing",
                f"no place for {agent.home.folder}: neither HOME nor {agent.home.variable} is set",
                next_step="set HOME",
            )
        return _require_usable(Path(os.path.normpath(home.absolute())) / agent.home.folder)
    return _require_folder(Path(named), agent.home.variable)


def _require_folder(path: Path, variable: str) -> Path:
    """The real place of a folder that a variable names."""
    try:
        mode = path.stat().st_mode
    except OSError as error:
        problem = f"can't be looked at ({error_symbol(error)})"
        if error.errno == errno.ENOENT:
            problem = "is not there"
    else:
        if stat.S_ISDIR(mode):
            return Path(os.path.realpath(path))
        problem = "is no folder"
    raise UsageError(
        "agent-home-missing",
        f"{variable} names {path}, which {problem}",
        where=str(path),
        next_step=f"correct it, or unset {variable}",
    )


def _require_usable(path: Path) -> Path:
    """The usual folder: it need not be there, but nothing else may stand in its place."""
    try:
        is_folder = stat.S_ISDIR(path.stat().st_mode)
    except FileNotFoundError:
        is_folder = not path.is_symlink()
    except OSError:
        is_folder = False
    if is_folder:
        return path
    raise UsageError(
        "agent-home-missing",
        f"{path} is no folder that can be used: the agent does not start",
        where=str(path),
        next_step="repair or remove it",
    )


def _find_config_root(disk: _Disk, start: str, markers: Sequence[str]) -> str:
    """Where project configuration starts: as the instructions' walk, but `.git` must hold HEAD."""
    from assembler.config.codex import is_root_marker

    folders = folders_down_to(start)[::-1]
    places = {
        (folder, marker): marker_place(folder, marker) for folder in folders for marker in markers
    }
    heads = {place: join_path(place, "HEAD") for place in places.values()}
    entries = disk.tree.look_up(list(dict.fromkeys((*places.values(), *heads.values()))))
    for (folder, marker), place in places.items():
        if entries[place].kind not in _NOT_THERE and is_root_marker(
            marker,
            is_folder=entries[place].kind is EntryKind.DIRECTORY,
            holds_head=entries[heads[place]].kind not in _NOT_THERE,
        ):
            return folder
    return start


def _find_repository(disk: _Disk, start: str) -> tuple[str, ...]:
    """The folder that git's own files name as the project, by its real path and by its letters.

    Empty where there is none; see `find_gitdir`.
    """
    folders = folders_down_to(start)[::-1]
    markers = {folder: join_path(folder, ".git") for folder in folders}
    heads = {folder: f"{marker}/HEAD" for folder, marker in markers.items()}
    entries = disk.tree.look_up([*markers.values(), *heads.values()])
    for folder, marker in markers.items():
        kind = entries[marker].kind
        if kind is EntryKind.DIRECTORY and entries[heads[folder]].kind not in _NOT_THERE:
            return (f"/{folder}",)
        if kind is EntryKind.FILE:
            return _main_checkout(disk, folder, marker)
    return ()


def _main_checkout(disk: _Disk, folder: str, marker: str) -> tuple[str, ...]:
    """The main checkout of a linked worktree, whose files name each other.

    The git directory has to be `.git/worktrees/NAME` by its letters: a bare repository is no
    main checkout, and one whose `.git` is a link is.
    """
    from assembler.config.codex import find_gitdir

    content = disk.read(marker, most_bytes=MAX_POINTER_BYTES)
    named = None if isinstance(content, Unreadable) else find_gitdir(content)
    if named is None:
        return ()
    git_dir = Path(os.path.normpath(Path("/", folder, named)))
    above = git_dir.parent.parent
    back, common = _pointer(disk, git_dir / "gitdir"), _pointer(disk, git_dir / "commondir")
    if back is None or common is None or (above.name, git_dir.parent.name) != (".git", "worktrees"):
        return ()
    # The marker itself may be no link: that of another worktree is not this one's.
    back_to = git_dir / back
    names_the_marker = (os.path.realpath(back_to.parent), back_to.name) == (
        os.path.realpath(f"/{folder}"),
        ".git",
    )
    leads_above = os.path.realpath(git_dir / common) == os.path.realpath(above)
    if not names_the_marker or not leads_above:
        return ()
    return tuple(dict.fromkeys((os.path.realpath(above.parent), str(above.parent))))


def _pointer(disk: _Disk, path: Path) -> str | None:
    content = disk.read(str(path)[1:], most_bytes=MAX_POINTER_BYTES)
    return None if isinstance(content, Unreadable) else os.fsdecode(content.strip())


_NOT_THERE: Final = frozenset({EntryKind.MISSING, EntryKind.DANGLING_LINK, EntryKind.ERROR})


def _require_file(disk: _Disk, needed: NeededFile, cwd: Path) -> None:
    """Refuse, as the agent does, where a file that a setting names can't be read."""
    folder = cwd if not needed.layer_path.startswith("/") else Path(needed.layer_path).parent
    path = os.path.normpath(folder / needed.path)
    if isinstance(disk.read(path[1:], most_bytes=MAX_NEEDED_BYTES), Unreadable):
        from assembler.config.codex_layers import refusal

        raise refusal(f"`{needed.key}` names a file that can't be read", needed.layer_path)
