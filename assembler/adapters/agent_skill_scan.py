"""Search a folder for skill files as an agent does: breadth first, links to folders followed.

In: an absolute root, the agent's rules. Out: files by the way they were reached and by their real
path, and names that look like a skill and are none. Never here: an opened file; a folder twice;
more folders or names than the rules allow.
"""

from __future__ import annotations

import os
import stat
from collections import deque
from itertools import islice
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

from assembler.adapters.root_folder import is_utf8
from assembler.model.agent_skills import AgentSkillRules

MAX_FOLDER_NAMES: Final = 200_000
"""Of one folder that are put in order; ten times what any agent's bound lets through."""

Skipped: TypeAlias = Literal["link", "folder", "special-file", "wrong-case"]


class FoundSkillFile(NamedTuple):
    """A regular file with the skill's name."""

    path: str
    """Absolute, below the root's real path, by the way that the search took."""
    real_path: str
    """Absolute, links resolved; bytes that are no text as surrogates."""


class SkippedName(NamedTuple):
    """Something else with the skill's name, or a file with that name in other letters."""

    path: str
    kind: Skipped
    real_path: str = ""
    """Of a file in other letters, as `FoundSkillFile` has it."""


class SkillScan(NamedTuple):
    """What one root holds."""

    root: str
    """Absolute, links resolved."""
    files: tuple[FoundSkillFile, ...]
    """In the order of the search."""
    skipped: tuple[SkippedName, ...] = ()
    bound: Literal["folders", "names"] | None = None
    """The bound that ended the search."""


def scan_skill_root(root: str, rules: AgentSkillRules, *, follows_links: bool) -> SkillScan | None:
    """The skill files below a root; None where there is no folder.

    Args:
        root: absolute; a link is followed.
        rules: names and bounds.
        follows_links: into folders below it.
    """
    real_root = os.path.realpath(root)
    if not _is_folder(real_root):
        return None
    search = _Search(real_root, rules, follows_links=follows_links)
    search.run()
    return SkillScan(real_root, tuple(search.files), tuple(search.told()), search.bound)


class _Search:
    """One walk, its bounds and what it found."""

    def __init__(self, root: str, rules: AgentSkillRules, *, follows_links: bool) -> None:
        self.files: list[FoundSkillFile] = []
        self.skipped: list[SkippedName] = []
        self.bound: Literal["folders", "names"] | None = None
        self._rules = rules
        self._follows_links = follows_links
        self._names = 0
        self._seen = {root}
        # Way, real path and depth of the folders that wait.
        self._waiting = deque([(root, root, 0)])

    def run(self) -> None:
        """Visit folder by folder until nothing waits or a bound is reached."""
        while self._waiting:
            path, real_path, depth = self._waiting.popleft()
            for name in _names_in(real_path):
                if not self._visit(name, path, real_path, depth):
                    return

    def told(self) -> list[SkippedName]:
        """What was passed over; a file in other letters only where there is no skill beside it."""
        paths = [item.path for item in self.files] + [item.path for item in self.skipped]
        end = f"/{self._rules.file_name}"
        folders = {path.removesuffix(end) for path in paths if path.endswith(end)}
        return [
            item
            for item in self.skipped
            if item.kind != "wrong-case" or item.path.rpartition("/")[0] not in folders
        ]

    def _visit(self, name: str, path: str, real_path: str, depth: int) -> bool:
        """Look at one name; False once there are too many."""
        real_name = f"{real_path.rstrip('/')}/{name}"
        try:
            own = os.lstat(real_name)
            is_link = stat.S_ISLNK(own.st_mode)
            status = Path(real_name).stat() if is_link else own
        except OSError:
            self._note_dead(name, path)
            return True
        self._names += 1
        if self._names > self._rules.max_entries:
            self.bound = "names"
            return False
        if not is_utf8(os.fsencode(name)):
            return True
        here = f"{path.rstrip('/')}/{name}"
        is_folder = stat.S_ISDIR(status.st_mode)
        if name == self._rules.file_name:
            self._note_file(here, real_name, status.st_mode, is_link=is_link)
        elif name.lower() == self._rules.file_name.lower() and stat.S_ISREG(status.st_mode):
            self.skipped.append(SkippedName(here, "wrong-case", os.path.realpath(real_name)))
        if is_folder and not name.startswith(".") and depth < self._rules.max_depth:
            self._enter(here, real_name, depth + 1, is_link=is_link)
        return True

    def _enter(self, path: str, real_name: str, depth: int, *, is_link: bool) -> None:
        if is_link and not self._follows_links:
            return
        real_path = os.path.realpath(real_name) if is_link else real_name
        if real_path in self._seen:
            return
        if len(self._seen) >= self._rules.max_folders:
            self.bound = "folders"
            return
        self._seen.add(real_path)
        self._waiting.append((path, real_path, depth))

    def _note_file(self, path: str, real_name: str, mode: int, *, is_link: bool) -> None:
        if is_link:
            self.skipped.append(SkippedName(path, "link"))
        elif stat.S_ISREG(mode):
            self.files.append(FoundSkillFile(path, real_name))
        else:
            kind: Skipped = "folder" if stat.S_ISDIR(mode) else "special-file"
            self.skipped.append(SkippedName(path, kind))

    def _note_dead(self, name: str, path: str) -> None:
        """A dead link with the skill's name; other dead links are nobody's business."""
        if name == self._rules.file_name:
            self.skipped.append(SkippedName(f"{path.rstrip('/')}/{name}", "link"))


def _is_folder(path: str) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def _names_in(folder: str) -> list[str]:
    """The names of a folder in the order of their bytes; none where it can't be listed."""
    try:
        with os.scandir(folder) as found:
            names = [entry.name for entry in islice(found, MAX_FOLDER_NAMES)]
    except OSError:
        return []
    return sorted(names, key=os.fsencode)
