"""The skill files of an agent's roots, read: head, policy, name of the plugin around them.

Nothing but regular files is opened, none beyond a bound, each once.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from assembler.adapters.agent_skill_scan import FoundSkillFile, SkillScan
from assembler.adapters.codex_front_matter import SkillHead, SkillHeadError, read_skill_head
from assembler.adapters.codex_side_files import SkillPolicy, read_plugin_name, read_policy
from assembler.adapters.root_folder import RootFolder
from assembler.model.agent_skills import AgentSkill, AgentSkillRules, SkillRoot
from assembler.model.tree import Beginning, Unreadable

MAX_SKILL_FILE_BYTES: Final = 8 * 1024 * 1024
"""Of a SKILL.md; the largest of 2,049 real ones has about a quarter of a million."""
MAX_SIDE_FILE_BYTES: Final = 1024 * 1024


class ScannedRoot(NamedTuple):
    """A root that is there, and what it holds."""

    kind: SkillRoot
    scan: SkillScan


class ReadSkill(NamedTuple):
    """A skill file of a root, as the agent reads it."""

    kind: SkillRoot
    root: str
    file: FoundSkillFile
    name: str
    """With a plugin's prefix; of a rejected one its folder's name."""
    head: SkillHead | None
    """None: rejected."""
    error: SkillHeadError | None
    policy: SkillPolicy
    is_first: bool
    """False: the same file was met before."""


def show_text(path: str) -> str:
    """A path as text: bytes that are none become U+FFFD."""
    return os.fsencode(path).decode("utf-8", "replace")


def read_small(path: str, *, most_bytes: int) -> bytes | None:
    """The bytes of a small regular file, links followed; None of any other."""
    if not _is_regular(path):
        return None
    with RootFolder(Path("/"), any_name=True) as system:
        data = system.read_beginning(os.path.realpath(path)[1:], most_bytes=most_bytes)
    return data if isinstance(data, bytes) else None


def read_skills(roots: Iterable[ScannedRoot], rules: AgentSkillRules) -> list[ReadSkill]:
    """Every skill file of the roots, in their order."""
    with _open_files(rules) as files:
        return [files.read_skill(root, found) for root in roots for found in root.scan.files]


def rows_in_other_letters(roots: Iterable[ScannedRoot]) -> list[AgentSkill]:
    """A row for each file that would be a skill, were its name spelled as the agent has it."""
    rows: dict[str, AgentSkill] = {}
    for root in roots:
        for name in root.scan.skipped:
            if name.kind != "wrong-case":
                continue
            row = AgentSkill(
                state="rejected",
                name=show_text(name.path).split("/")[-2],
                scope=root.kind.scope,
                source=show_text(name.real_path),
                path=show_text(name.path),
                root=show_text(root.scan.root),
                slug="wrong-case-name",
                reason="its name is spelled in other letters than the agent looks for",
            )
            rows.setdefault(name.real_path, row)
    return list(rows.values())


_LOST_PATH: Final = "its path holds a tab or a line break"


@contextmanager
def _open_files(rules: AgentSkillRules) -> Iterator[_Files]:
    with RootFolder(Path("/"), any_name=True) as system:
        yield _Files(system, rules)


class _Files:
    """Files read once, with the bounds that hold for them."""

    def __init__(self, system: RootFolder, rules: AgentSkillRules) -> None:
        self._system = system
        self._rules = rules
        self._heads: dict[str, SkillHead | SkillHeadError] = {}
        self._plugins: dict[str, str | None] = {}
        self._loaded: set[str] = set()

    def read_skill(self, root: ScannedRoot, found: FoundSkillFile) -> ReadSkill:
        """One file as the agent takes it."""
        head = self._heads.get(found.real_path)
        if head is None:
            head = self._heads[found.real_path] = self._read_head(found.real_path)
        folder = str(Path(found.real_path).parent)
        is_first = found.real_path not in self._loaded
        self._loaded.add(found.real_path)
        if isinstance(head, SkillHeadError):
            name, error, good = show_text(Path(folder).name), head, None
        else:
            name, error, good = head.name, None, head
        plugin = self._plugin_of(folder)
        if good is not None and plugin is not None:
            name = f"{plugin}:{name}"
            error = self._too_long(name)
        if error is None and set(self._rules.lost_path_characters) & set(found.path):
            error = SkillHeadError("skill-file-skipped", _LOST_PATH)
        policy = SkillPolicy() if error else self._read_policy(folder)
        return ReadSkill(
            kind=root.kind,
            root=root.scan.root,
            file=found,
            name=name,
            head=None if error else good,
            error=error,
            policy=policy,
            is_first=is_first,
        )

    def _too_long(self, name: str) -> SkillHeadError | None:
        most = self._rules.max_qualified_name_characters
        if len(name) <= most:
            return None
        return SkillHeadError(
            "skill-name", f"the name and its plugin's have {len(name):,} of {most} characters"
        )

    def _read_head(self, real_path: str) -> SkillHead | SkillHeadError:
        data = self._system.read_beginning(real_path[1:], most_bytes=MAX_SKILL_FILE_BYTES)
        if isinstance(data, Beginning):
            return SkillHeadError(
                "skill-unreadable",
                f"{data.size_bytes:,} bytes: more than is read here, whatever the agent does",
            )
        if isinstance(data, Unreadable):
            return SkillHeadError("skill-unreadable", f"it can't be read ({data.reason})")
        folder_name = Path(real_path).parent.name
        try:
            folder_name.encode("utf-8")
        except UnicodeEncodeError:
            folder_name = ""
        try:
            return read_skill_head(data, folder_name, self._rules)
        except SkillHeadError as error:
            return error

    def _read_policy(self, folder: str) -> SkillPolicy:
        data = self._read_side_file(f"{folder}/{self._rules.policy_path}")
        return SkillPolicy() if data is None else read_policy(data)

    def _plugin_of(self, folder: str) -> str | None:
        """The name of the nearest plugin at or above a folder, links resolved."""
        passed: list[str] = []
        name: str | None = None
        while folder not in self._plugins:
            passed.append(folder)
            name = self._plugin_here(folder)
            if name is not None or folder == "/":
                break
            folder = str(Path(folder).parent)
        else:
            name = self._plugins[folder]
        self._plugins |= dict.fromkeys(passed, name)
        return name

    def _plugin_here(self, folder: str) -> str | None:
        for manifest in self._rules.manifest_paths:
            place = f"{folder.rstrip('/')}/{manifest}"
            if _is_regular(place):
                # A broken one is passed over, and so is the next kind of this folder.
                data = self._read_side_file(place)
                own_name = show_text(Path(folder).name)
                return None if data is None else read_plugin_name(data, own_name)
        return None

    def _read_side_file(self, place: str) -> bytes | None:
        if not _is_regular(place):
            return None
        real = os.path.realpath(place)
        data = self._system.read_beginning(real[1:], most_bytes=MAX_SIDE_FILE_BYTES)
        return data if isinstance(data, bytes) else None


def _is_regular(path: str) -> bool:
    try:
        return stat.S_ISREG(Path(path).stat().st_mode)
    except OSError:
        return False
