"""An agent's own configuration on this machine: its files, what git says of trust, the findings.

Codex's rules of configuration are in `config/codex.py`; here its files are looked for and read.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from assembler.adapters.following_tree import FollowingTree
from assembler.discover.instructions import marker_place
from assembler.errors import UsageError
from assembler.front.places import home_folder
from assembler.model.agent import Agent, ConfigFile
from assembler.model.chain import clean_fallbacks, folders_down_to, join_path, parent_folder
from assembler.model.finding import Finding, make_finding
from assembler.model.tree import Authorized, Beginning, EntryKind, Unreadable

if TYPE_CHECKING:
    from assembler.config.codex import CodexSettings, Ignored
    from assembler.config.codex_meaning import NeededFile

Trust: TypeAlias = Literal["trusted", "untrusted"]

SYSTEM_FOLDER: Final = Path("/etc/codex")
CONFIG_NAME: Final = "config.toml"
MANAGED_NAME: Final = "managed_config.toml"
PROJECT_FOLDER: Final = ".codex"
MAX_CONFIG_BYTES: Final = 8 * 1024 * 1024
MAX_NEEDED_BYTES: Final = 64 * 1024 * 1024
MAX_POINTER_BYTES: Final = 8_192
"""Of a `.git` file, `commondir` or `gitdir`: one path and a word."""


class AgentSettings(NamedTuple):
    """What the configuration says of instructions."""

    limit_bytes: int
    fallbacks: tuple[str, ...]
    """Clean names; see `clean_fallbacks`."""
    markers: tuple[str, ...]
    trust: Trust | None
    home: Path
    """The agent's own folder of the user."""
    findings: tuple[Finding, ...]
    """Settings and files that the agent passes over; paths are absolute."""


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
    system = system_folder or SYSTEM_FOLDER
    files = {
        "system": disk.config(system),
        "user": disk.config(home),
        "managed": disk.config(system, MANAGED_NAME),
    }
    start = str(cwd).removeprefix("/")
    is_plain = all(file.content == Unreadable("missing") for file in files.values())
    if is_plain and not overrides and not _project_folders(disk, start, "", home):
        return AgentSettings(
            agent.walk.limit_bytes, (), agent.walk.markers, trust=None, home=home, findings=()
        )
    return _read_all(disk, cwd, files, home=home, overrides=overrides)


def _read_all(
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
    folders = _project_folders(disk, start, root, home)
    trusts = {
        folder: codex.layer_trust_of(settings, f"/{folder}", f"/{root}", repository)
        for folder in folders
    }
    settings = codex.with_project_layers(
        settings,
        [
            codex.ProjectFile(disk.config(Path("/") / folder / PROJECT_FOLDER), trusts[folder])
            for folder in folders
        ],
    )
    for needed in settings.needed_files:
        _require_file(disk, needed, cwd)
    closed = {folder: trust for folder, trust in trusts.items() if trust != "trusted"}
    return AgentSettings(
        limit_bytes=settings.limit_bytes,
        fallbacks=clean_fallbacks(settings.fallbacks),
        markers=settings.markers,
        trust=codex.trust_of(settings, str(cwd), repository),
        home=home,
        findings=(
            *_about_ignored(settings),
            *_about_closed(closed),
            *_about_permissions(settings, home),
        ),
    )


def _project_folders(disk: _Disk, start: str, root: str, home: Path) -> list[str]:
    """The folders from the configuration's root down that hold project configuration."""
    return [
        folder
        for folder in folders_down_to(start, top=root)
        if disk.is_project_folder(join_path(folder, PROJECT_FOLDER), home)
    ]


class _Disk:
    """The whole file system, looked at and read without opening what is no regular file."""

    def __init__(self) -> None:
        self.tree = FollowingTree(Path("/"))

    def kind(self, path: str) -> EntryKind:
        """What stands at a path from the top, links followed."""
        return self.tree.look_up([path])[path].kind

    def config(self, folder: Path, name: str = CONFIG_NAME) -> ConfigFile:
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

    def is_project_folder(self, path: str, home: Path) -> bool:
        """Whether a folder of project configuration is there and not the user's own."""
        entry = self.tree.look_up([path])[path]
        if entry.kind is not EntryKind.DIRECTORY:
            return False
        return f"/{entry.real_path}" != os.path.realpath(home)


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
        return Path(os.path.normpath(home.absolute())) / agent.home.folder
    path = Path(named)
    if not path.is_dir():
        what = "is no folder" if path.exists() else "is not there"
        raise UsageError(
            "agent-home-missing",
            f"{agent.home.variable} names {named}, which {what}",
            where=named,
            next_step=f"correct it, or unset {agent.home.variable}",
        )
    return Path(os.path.realpath(path))


def _find_config_root(disk: _Disk, start: str, markers: Sequence[str]) -> str:
    """Where project configuration starts: as the instructions' walk, but `.git` must hold HEAD."""
    from assembler.config.codex import is_root_marker

    for folder in reversed(folders_down_to(start)):
        for marker in markers:
            place = marker_place(folder, marker)
            kind = disk.kind(place)
            if kind in {EntryKind.MISSING, EntryKind.DANGLING_LINK, EntryKind.ERROR}:
                continue
            is_folder = kind is EntryKind.DIRECTORY
            holds_head = is_folder and disk.kind(join_path(place, "HEAD")) is not EntryKind.MISSING
            if is_root_marker(marker, is_folder=is_folder, holds_head=holds_head):
                return folder
    return start


def _find_repository(disk: _Disk, start: str) -> str | None:
    """The folder that git's own files name as the project; see `find_gitdir`."""
    for folder in reversed(folders_down_to(start)):
        marker = join_path(folder, ".git")
        kind = disk.kind(marker)
        if kind is EntryKind.DIRECTORY and disk.kind(f"{marker}/HEAD") is not EntryKind.MISSING:
            return f"/{folder}"
        if kind is EntryKind.FILE:
            return _main_checkout(disk, folder, marker)
    return None


def _main_checkout(disk: _Disk, folder: str, marker: str) -> str | None:
    """The main checkout of a linked worktree, whose files name each other."""
    from assembler.config.codex import find_gitdir

    content = disk.read(marker, most_bytes=MAX_POINTER_BYTES)
    named = None if isinstance(content, Unreadable) else find_gitdir(content)
    if named is None:
        return None
    git_dir = os.path.realpath(os.path.join("/", folder, named))  # noqa: PTH118 - text, no path yet
    back = _pointer(disk, f"{git_dir}/gitdir")
    common = _pointer(disk, f"{git_dir}/commondir")
    if back is None or common is None:
        return None
    if os.path.realpath(os.path.join(git_dir, back)) != f"/{marker}":  # noqa: PTH118
        return None
    main = os.path.realpath(os.path.join(git_dir, common))  # noqa: PTH118
    return parent_folder(main) or "/" if main == parent_folder(parent_folder(git_dir)) else None


def _pointer(disk: _Disk, path: str) -> str | None:
    content = disk.read(path[1:], most_bytes=MAX_POINTER_BYTES)
    return None if isinstance(content, Unreadable) else os.fsdecode(content.strip())


_WHY_IGNORED: Final = {
    "unknown": "is no setting that the agent knows",
    "not-for-projects": "has no effect in a project",
}


def _require_file(disk: _Disk, needed: NeededFile, cwd: Path) -> None:
    """Refuse, as the agent does, where a file that a setting names can't be read."""
    folder = cwd if not needed.layer_path.startswith("/") else Path(needed.layer_path).parent
    path = os.path.normpath(folder / needed.path)
    if isinstance(disk.read(path[1:], most_bytes=MAX_NEEDED_BYTES), Unreadable):
        from assembler.config.codex_layers import refusal

        raise refusal(f"`{needed.key}` names a file that can't be read", needed.layer_path)


def _about_permissions(settings: CodexSettings, home: Path) -> list[Finding]:
    """The user's own permission profile may keep files from the agent; which is not known here."""
    name = settings.own_permissions
    if name is None:
        return []
    return [
        make_finding(
            "ASM126",
            str(home / CONFIG_NAME),
            f"the permission profile {name} may keep instruction files from the agent, and what it "
            "does is not known here",
            fix="ask the agent itself: --confirm",
            data={"profile": name},
        )
    ]


def _about_ignored(settings: CodexSettings) -> list[Finding]:
    """Settings that look as if they held."""
    unknown = sum(1 for item in settings.ignored if item.reason == "unknown")
    return [
        _about_setting(item, unknown)
        for item in settings.ignored
        if item.key and item.reason in _WHY_IGNORED
    ]


def _about_setting(item: Ignored, unknown: int) -> Finding:
    fix = "correct or remove it"
    if item.reason != "unknown":
        fix = "move it to the user's configuration"
    return make_finding(
        "ASM119",
        item.path,
        f"`{item.key}` {_WHY_IGNORED[item.reason]}: ignored",
        fix=fix,
        data={
            "key": item.key,
            "layer": item.kind,
            "reason": item.reason,
            "unknown_settings": unknown,
        },
    )


def _about_closed(closed: Mapping[str, Trust | None]) -> list[Finding]:
    """Configuration folders of the project that count for nothing here."""
    found = []
    for folder, trust in closed.items():
        why = "is marked untrusted" if trust is not None else "has no trust entry"
        found.append(
            make_finding(
                "ASM119",
                f"/{join_path(folder, PROJECT_FOLDER)}",
                f"the project {why}: settings in this folder do not hold (its skills still load)",
                fix="a trust entry in the user's configuration, if the project deserves it",
                data={"trust": trust, "reason": "untrusted" if trust else "no-trust"},
            )
        )
    return found
