"""Two places that would have one id: one keeps it, the others are named by digest.

`file:PATH#L1-L2`, `file:PATH#NAME` and `file:PATH@REV` may also be the ids of files that are
called so. In: pieces by the source that found them. Out: the same, each id of one place.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assembler.discover.evidence import join_words, place_of
from assembler.model.digest import sha256_hex
from assembler.model.evidence import Discovered, Seen
from assembler.model.limits import MAX_WORDS_BYTES, bounded_name

Place = tuple[str, tuple[int, int] | None, str | None, Seen | None]


def is_one_place(one: Discovered, other: Discovered) -> bool:
    """Whether both are the same file, or the same part of it, known from the same time."""
    return _place(one) == _place(other)


def tell_apart(
    named: Iterable[Discovered], sources: Sequence[Sequence[Discovered]]
) -> list[list[Discovered]]:
    """The pieces of each source, under ids that no other place has.

    What the task names keeps its id; else a part of a file does, and then a whole file, whichever
    source found it. What does not is `file:sha256:` and a digest, and its `source` the place.

    Args:
        named: what the task names, each id once.
        sources: what others found.
    """
    found = [item for items in sources for item in items]
    owners = {item.candidate.id: _place(item) for item in named}
    for item in sorted(found, key=_rank):
        owners.setdefault(item.candidate.id, _place(item))
    return [
        [item if owners[item.candidate.id] == _place(item) else _by_digest(item) for item in items]
        for items in sources
    ]


def _place(item: Discovered) -> Place:
    return item.path, item.lines, item.symbol, item.seen


def _rank(item: Discovered) -> tuple[bool, str, tuple[int, int], str]:
    is_whole = item.lines is None and item.symbol is None
    return is_whole, item.path, item.lines or (0, 0), item.symbol or ""


def _by_digest(item: Discovered) -> Discovered:
    place = place_of(item.path, item.lines, item.symbol)
    # A path holds no NUL, so that a part of a file and a file never have one digest.
    part = "" if place == item.path else f"\0{place[len(item.path) + 1 :]}"
    what = "the file of that name" if place == item.path else f"a part of {item.path}"
    words = f"{item.candidate.id} is another item, this is {what}"
    candidate = item.candidate._replace(
        id=f"file:sha256:{sha256_hex(f'{item.path}{part}'.encode())}",
        source=bounded_name(place, most_bytes=MAX_WORDS_BYTES),
        discovered_by=join_words(item.candidate.discovered_by, words),
    )
    return item._replace(candidate=candidate)
