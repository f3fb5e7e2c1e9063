"""The user's own instructions in an agent's folder: found, read, assessed, and shown with `~`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from assembler.adapters.following_tree import FollowingTree
from assembler.assess.agent_input import HomeText, assess_home
from assembler.discover.instructions import MAX_FOLDER_NAMES
from assembler.errors import UsageError
from assembler.front.shown_paths import shorten_home
from assembler.model.agent import Agent
from assembler.model.look_alikes import right_name
from assembler.model.tree import Authorized, Beginning, EntryKind, Unreadable

MAX_HOME_BYTES: Final = 64 * 1024 * 1024
"""Of the user's own file; the agent has no limit, so that a bigger one is an answer not given."""


def assess_home_files(agent: Agent, home: Path) -> HomeText:
    """The user's own instructions, by their absolute paths.

    Raises:
        UsageError: `size-limit`: the agent loads more than is read here.
    """
    if not home.is_dir():
        # The agent makes its usual folder when it is started first.
        return assess_home(())
    tree = FollowingTree(home)
    names = agent.home.names
    entries = tree.look_up(names)
    asked = [
        Authorized(entry=entries[name], grant="home")
        for name in names
        if entries[name].kind is EntryKind.FILE
    ]
    read = tree.read_beginnings(asked, most_bytes=MAX_HOME_BYTES)
    files: list[tuple[str, bytes | Unreadable]] = []
    for name in names:
        path, entry = str(home / name), entries[name]
        found = read.get(name)
        if isinstance(found, Beginning):
            raise UsageError(
                "size-limit",
                f"{path} has {found.size_bytes:,} bytes: the agent loads them all, and that is "
                "more than is read here",
                where=path,
                next_step=f"shorten it below {MAX_HOME_BYTES:,} bytes",
            )
        if found is not None:
            files.append((path, found))
        elif entry.kind is EntryKind.ERROR:
            files.append((path, Unreadable(entry.problem or "EIO")))
        else:
            gone = entry.kind in {EntryKind.MISSING, EntryKind.DANGLING_LINK}
            files.append((path, Unreadable("missing" if gone else "not-a-file")))
    return assess_home(files, look_alikes=_home_look_alikes(tree, home, names))


def _home_look_alikes(
    tree: FollowingTree, home: Path, names: Sequence[str]
) -> tuple[tuple[str, str], ...]:
    """Files of the user's folder that only look like one that is read, each with that name."""
    there = tree.names_in([""], most_names=MAX_FOLDER_NAMES)[""]
    return tuple(
        (str(home / name), right)
        for name in sorted(there)
        if (right := right_name(name, names)) is not None
    )


def show_home(text: HomeText, home: Path, environment: Mapping[str, str]) -> HomeText:
    """The rows and findings with `~` for HOME."""
    prefix = f"{shorten_home(home, environment)}/"

    def show(path: str) -> str:
        return prefix + path.rpartition("/")[2]

    return text._replace(
        rows=tuple(row._replace(path=show(row.path)) for row in text.rows),
        findings=tuple(
            finding._replace(path=show(path), data={**finding.data, "absolute_path": path})
            for finding in text.findings
            if (path := finding.path) is not None
        ),
    )
