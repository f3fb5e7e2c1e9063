"""Which file of patterns keeps git from ending: one that is none, or the most expensive pattern.

In: a root, and pattern files outside it. Out: the place to name, or nothing.
Never here: a followed link, an opened pipe, a look into a repository inside this one.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from assembler.adapters.filesystem import read_host_file
from assembler.errors import UsageError

NAME: Final = ".gitignore"
MAX_LOOKED_AT: Final = 200_000
"""Names of a worktree that are looked at for a `.gitignore`."""
MAX_PATTERNS_BYTES: Final = 1 << 20
SLOW_STARS: Final = 6
"""Stars apart from each other: git tries a path of n characters about n^stars / stars! times."""

_STARS: Final = re.compile(rb"\*+")


def find_slow_ignores(root: Path, others: Mapping[Path, str]) -> tuple[str, str] | None:
    """What to name and what is wrong with it; None where no file looks as if it were slow.

    Args:
        root: of the worktree.
        others: pattern files outside it, by what to call them.
    """
    worst = (SLOW_STARS - 1, "")
    for path, mode in _ignore_files(root):
        if not stat.S_ISREG(mode):
            return os.fsdecode(os.path.relpath(path, root)), "it is no regular file"
        shown = path.relative_to(root).as_posix()
        worst = max(worst, _worst_line(path, shown), key=lambda found: found[0])
    for path, shown in sorted(others.items()):
        worst = max(worst, _worst_line(path, shown), key=lambda found: found[0])
    stars, place = worst
    return (place, f"its pattern has {stars} stars") if place else None


def _ignore_files(root: Path) -> Iterator[tuple[Path, int]]:
    """Each `.gitignore` that git may open, with its mode; sorted, folder by folder."""
    looked_at = 0
    for folder, folders, names in os.walk(root):
        folders.sort()
        # Another repository's files are its own; git does not enter it.
        folders[:] = [name for name in folders if name != ".git"]
        if folder != os.fspath(root) and os.path.lexists(Path(folder, ".git")):
            folders.clear()
            continue
        looked_at += len(folders) + len(names)
        if looked_at > MAX_LOOKED_AT:
            return
        if NAME in names:
            path = Path(folder, NAME)
            mode = path.lstat().st_mode
            # Git does not follow a link here.
            if not stat.S_ISLNK(mode):
                yield path, mode


def _worst_line(path: Path, shown: str) -> tuple[int, str]:
    try:
        data = read_host_file(path, limit_bytes=MAX_PATTERNS_BYTES)
    except UsageError:
        return 0, ""
    counted = [
        (len(_STARS.findall(line)), -number)
        for number, line in enumerate(data.split(b"\n"), start=1)
        if not line.startswith(b"#")
    ]
    stars, number = max(counted)
    return stars, f"{shown}:{-number}"
