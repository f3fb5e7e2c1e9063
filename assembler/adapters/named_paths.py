"""Find the paths of a listing that hold one of some names, without taking the listing apart.

In: paths that end with NUL, as git prints them, and names. Out: each path up to such a name.
Never here: a process, a file.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Final

from assembler.adapters.git_listing import is_hostile
from assembler.adapters.root_folder import is_utf8
from assembler.errors import UsageError
from assembler.model.look_alikes import right_name
from assembler.model.tree import NamedPaths

_PATTERN_MARKS: Final = "\\*?["


def find_named(
    blocks: Iterable[bytes], names: Collection[str], *, is_cut: bool = False
) -> NamedPaths:
    """The paths at or above which a part is one of the names, up to that part.

    A search in a whole block is ten times faster than a look at each of its paths, and a block
    is searched while git still writes the next one.

    Args:
        blocks: of whole paths, each of which ends with NUL.
        names: bare names; a folder of such a name counts as well as a file.
        is_cut: whether the listing may lack something.

    Raises:
        UsageError: `hostile-path`, of one that was found.
    """
    wanted = frozenset(name.encode() for name in names)
    lower = frozenset(name.lower() for name in wanted)
    stems = {_stem(name) for name in lower}
    found: set[bytes] = set()
    alike: set[bytes] = set()
    for block in blocks:
        small = block.lower()
        for stem in stems:
            for start, part, end in _spans(small, stem, lower):
                (found if block[part:end] in wanted else alike).add(block[start:end])
        if not block.isascii():
            alike.update(_other_scripts(block, names))
    alike.difference_update(found)
    shown: set[str] = set()
    unnamable: list[bytes] = []
    for path in found:
        if is_hostile(path):
            place = path.decode("utf-8", "backslashreplace")
            raise UsageError("hostile-path", "a path that git itself refuses", where=place)
        try:
            shown.add(path.decode("utf-8"))
        except UnicodeDecodeError:
            unnamable.append(path)
    return NamedPaths(
        frozenset(shown),
        alike=frozenset(path.decode() for path in alike if is_utf8(path) and not is_hostile(path)),
        unnamable=tuple(sorted(unnamable)),
        truncated=is_cut,
    )


def unignore(names: Iterable[str]) -> list[str]:
    """Options of `ls-files` by which files of these names are listed, ignored or not.

    A pattern of the command line outranks every `.gitignore`; what lies in a folder that is
    ignored as a whole stays out, since git does not enter it.
    """
    options: list[str] = []
    for name in names:
        escaped = "".join(f"\\{mark}" if mark in _PATTERN_MARKS else mark for mark in name)
        bare = escaped.rstrip(" ")
        options += ["-x", "!" + bare + "\\ " * (len(escaped) - len(bare))]
    return options


def _stem(name: bytes) -> bytes:
    """A beginning that many names share, so that one search finds them all: `AGENTS.`."""
    dot = name.find(b".", 1)
    return name if dot < 0 else name[: dot + 1]


def _other_scripts(block: bytes, names: Collection[str]) -> Iterator[bytes]:
    """Each path whose last part is not plain ASCII and looks like one of the names."""
    path_end = 0
    # From mark to mark: a pattern for whole paths would start again at each of their bytes.
    for match in re.finditer(rb"[\x80-\xff]", block):
        if match.start() < path_end:
            continue
        path_end = block.index(b"\0", match.start())
        path = block[block.rfind(b"\0", 0, match.start()) + 1 : path_end]
        last = path.rpartition(b"/")[2]
        if is_utf8(last) and right_name(last.decode(), names) is not None:
            yield path


def _spans(block: bytes, stem: bytes, wanted: frozenset[bytes]) -> Iterator[tuple[int, int, int]]:
    """Each path with a part that begins so and is wanted: where it, that part, and the part end."""
    position = block.find(stem)
    while position >= 0:
        if position == 0 or block[position - 1] in b"\0/":
            path_end = block.index(b"\0", position)
            part_end = block.find(b"/", position, path_end)
            end = path_end if part_end < 0 else part_end
            if block[position:end] in wanted:
                yield block.rfind(b"\0", 0, position) + 1, position, end
        position = block.find(stem, position + len(stem))
