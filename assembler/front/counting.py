"""Counters with the user's memory of counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from assembler.adapters.count_cache import CountCache
from assembler.adapters.vocabulary import open_counter
from assembler.front.places import cache_folder
from assembler.ports import Counter

COUNTS_FILE: Final = "counts.sqlite3"


@contextmanager
def counters(environment: Mapping[str, str]) -> Iterator[Callable[[str], Counter]]:
    """Counters by name, each opened once; what was newly counted is kept when the work is done."""
    folder = cache_folder(environment)
    cache = None if folder is None else CountCache(folder / COUNTS_FILE)
    opened: dict[str, Counter] = {}

    def open_by_name(name: str) -> Counter:
        if name not in opened:
            opened[name] = open_counter(name, cache)
        return opened[name]

    try:
        yield open_by_name
    finally:
        if cache is not None:
            cache.close()
