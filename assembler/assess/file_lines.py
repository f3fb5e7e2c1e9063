"""Which line of its file a line of an excerpt is: findings name what a person can look up."""

from __future__ import annotations

import re
from typing import Final

from assembler.model.candidate import Candidate
from assembler.model.symbols import LineRange

_RANGES: Final = re.compile(r"#(L[0-9]+-L[0-9]+(?:,L[0-9]+-L[0-9]+)*)(?:@.*)?\Z", re.DOTALL)


def file_line(item: Candidate, line: int, *, path: str | None) -> int:
    """The line of the file; where the item does not say which lines it holds, its own.

    Args:
        item: its source, else its id, ends with the address of its lines.
        line: of its content, from 1.
        path: of its file, where that is known: a name may look like an address.
    """
    if item.address is not None:
        return item.address.line_start + line - 1
    left = line
    for first, last in _ranges_of(item, path):
        if left <= last - first + 1:
            return first + left - 1
        left -= last - first + 1
    return line


def _ranges_of(item: Candidate, path: str | None) -> tuple[LineRange, ...]:
    for place in (item.source, item.id):
        if place is None or (path is not None and place.endswith(path)):
            continue
        found = _RANGES.search(place)
        if found is not None:
            spelled = (part.split("-") for part in found[1].split(","))
            return tuple((int(first[1:]), int(last[1:])) for first, last in spelled)
    return ()
