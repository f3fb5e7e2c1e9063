"""Find the paths of a listing that hold one of some names, without taking the listing apart.

In: paths separated by NUL, as git prints them, and names. Out: each path up to such a name.
Never here: a process, a file.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from assembler.adapters.git_listing import is_hostile
from assembler.errors import UsageError
from assembler.model.tree import NamedPaths

_PATTERN_MARKS: Final = "\\*?["


def find_named(
    paths: Iterable[bytes], names: Collection[str], *, is_cut: bool = False
) -> NamedPaths:
    """The paths at or above which a part is one of the names, up to that part.

    A search for each name in one text is ten times faster than a look at each of many paths.

    Args:
        paths: each ends with NUL, or holds several that do.
        names: bare names; a folder of such a name counts as well as a file.
        is_cut: whether the listing may lack something.

    Raises:
        UsageError: `hostile-path`, of one that was found.
    """
    text = b"\0" + b"".join(paths)
    found: set[bytes] = set()
    for name in names:
        found.update(_places(text, name.encode()))
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
    return NamedPaths(frozenset(shown), tuple(sorted(unnamable)), truncated=is_cut)


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


def _places(text: bytes, name: bytes) -> Iterable[bytes]:
    """Each path in which the name is a whole part, up to the end of it."""
    position = text.find(name)
    while position >= 0:
        end = position + len(name)
        if text[position - 1] in b"\0/" and text[end : end + 1] in {b"\0", b"/", b""}:
            yield text[text.rfind(b"\0", 0, position) + 1 : end]
        position = text.find(name, end)
