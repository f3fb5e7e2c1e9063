"""What an item costs in the layouts whose parts don't add up: count with it, less count without.

Implements the port `Pricing` of the room `select`. The text is never counted as a whole for it:
it is cut where no piece of a vocabulary's pattern reaches across, so that an item changes the
count of one or two cuts only. The pipeline still counts the complete text once and refuses a
sum that differs. Rules: docs/formats/layouts.md.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Final

from assembler.errors import ContentUnresolvedError
from assembler.model.candidate import Candidate
from assembler.model.contract import single_place
from assembler.model.order import CanonicalKey, canonical_key
from assembler.ports import Counter
from assembler.render.contract import (
    CONTROL_SEPARATOR,
    RECORD_CUT,
    write_contract_head,
    write_contract_tail,
    write_record,
)


class _Marginal(ABC):
    """Items in canonical order; what one more changes is asked of the layout."""

    def __init__(self, counter: Callable[[], Counter], contents: Mapping[str, bytes]) -> None:
        self._counter = counter
        self._contents = contents
        self._keys: list[CanonicalKey] = []
        self._items: list[Candidate] = []
        self._counted: dict[object, int] = {}

    @property
    @abstractmethod
    def overhead(self) -> int:
        """The count of the text without items."""

    def price(self, items: Sequence[Candidate]) -> list[int]:
        """For each item: count(what is in and the item) - count(what is in).

        Raises:
            CounterUnavailableError, ContentUnresolvedError: one can't be counted.
        """
        # A counter that is not at hand is told first, also where nothing has to be counted.
        self._counter()
        costs: list[int] = []
        try:
            for item in items:
                require_content(item, self._contents)
                costs.append(self._step(item))
                self._put(item)
        finally:
            for item in items[: len(costs)]:
                self._take(item)
        return costs

    def admit(self, items: Sequence[Candidate]) -> None:
        """Take the items in."""
        for item in items:
            self._put(item)

    @abstractmethod
    def _step(self, item: Candidate) -> int:
        """What the text counts more with the item, beside what is in."""

    def _put(self, item: Candidate) -> None:
        at = self._place(item)
        self._keys.insert(at, canonical_key(item))
        self._items.insert(at, item)

    def _take(self, item: Candidate) -> None:
        at = self._place(item)
        del self._keys[at], self._items[at]

    def _place(self, item: Candidate) -> int:
        return bisect_left(self._keys, canonical_key(item))

    def _content(self, item: Candidate) -> bytes:
        return self._contents[item.sha256 or ""]

    def _count(self, key: object, write: Callable[[], bytes]) -> int:
        """The count of a cut of the text, each counted once."""
        if key not in self._counted:
            self._counted[key] = self._counter().count(write())
        return self._counted[key]


class ContractPricing(_Marginal):
    """`context-contract/1`, cut behind the first word of each record of evidence.

    A record begins `{"source_id"`: letters behind a mark, a mark behind letters. No piece of a
    vocabulary here goes on from a letter to `_`, and none looks back.
    """

    def __init__(self, counter: Callable[[], Counter], contents: Mapping[str, bytes]) -> None:
        super().__init__(counter, contents)
        self._single: dict[str, Candidate] = {}

    @property
    def overhead(self) -> int:
        """The count of the text without items."""
        return self._count("empty", lambda: self._head({}) + self._tail({}))

    def _step(self, item: Candidate) -> int:
        place = single_place(item)
        if place is None:
            return self._evidence_step(item)
        with_it = {**self._single, place: item}
        # Policy and example stand before the evidence, the question behind it.
        if place == "question":
            begin, rest = (self._items[-1] if self._items else None), []
        else:
            begin, rest = None, self._items[:1]
        return self._cut_of(begin, rest, with_it) - self._cut_of(begin, rest, self._single)

    def _evidence_step(self, item: Candidate) -> int:
        at = self._place(item)
        begin, rest = (self._items[at - 1] if at else None), self._items[at : at + 1]
        split = self._cut_of(begin, [item], self._single) + self._cut_of(item, rest, self._single)
        return split - self._cut_of(begin, rest, self._single)

    def _cut_of(
        self,
        item: Candidate | None,
        following: Sequence[Candidate],
        single: Mapping[str, Candidate],
    ) -> int:
        """The count from one cut to the next: from the head (None) or from inside a record."""
        named = {place: holder.id for place, holder in single.items()}
        begins = ("", named.get("policy"), named.get("example")) if item is None else (item.id,)
        ends = "more" if following else ("last", named.get("question"))

        def write() -> bytes:
            if item is None:
                start = self._head(single)
            else:
                start = write_record(item, self._content(item))[len(RECORD_CUT) :]
            if not following:
                return start + self._tail(single)
            return start + (b"" if item is None else b",") + RECORD_CUT

        return self._count((begins, ends), write)

    def _head(self, single: Mapping[str, Candidate]) -> bytes:
        return write_contract_head(
            *(self._content(single[place]) if place in single else None for place in _HEAD_PLACES)
        )

    def _tail(self, single: Mapping[str, Candidate]) -> bytes:
        question = single.get("question")
        return write_contract_tail(None if question is None else self._content(question))

    def _put(self, item: Candidate) -> None:
        place = single_place(item)
        if place is None:
            super()._put(item)
        else:
            self._single[place] = item

    def _take(self, item: Candidate) -> None:
        place = single_place(item)
        if place is None:
            super()._take(item)
        else:
            del self._single[place]


_HEAD_PLACES: Final = ("policy", "example")


class ControlPricing(_Marginal):
    """`control/1`, cut where a content begins with neither white space nor `/`.

    The separator ends in a line feed, and a pattern goes on from there to those only.
    """

    overhead = 0

    def _step(self, item: Candidate) -> int:
        at = self._place(item)
        low, high = max(at - 1, 0), at
        while low > 0 and not self._starts_cut(self._items[low]):
            low -= 1
        while high < len(self._items) and not self._starts_cut(self._items[high]):
            high += 1
        is_last = high == len(self._items)
        before, behind = self._items[low:at], self._items[at:high]
        with_it = self._count_run([*before, item, *behind], is_last)
        return with_it - self._count_run([*before, *behind], is_last)

    def _starts_cut(self, item: Candidate) -> bool:
        text = self._content(item)[:4].decode("utf-8", "ignore")[:1]
        return text not in ("", "/") and not text.isspace()

    def _count_run(self, items: Sequence[Candidate], is_last: bool) -> int:
        starts = [0, *(i for i in range(1, len(items)) if self._starts_cut(items[i])), len(items)]
        total = 0
        for start, end in pairwise(starts):
            run = items[start:end]
            total += self._count_cut(run, followed=end < len(items) or not is_last)
        return total

    def _count_cut(self, run: Sequence[Candidate], *, followed: bool) -> int:
        if not run:
            return 0
        end = CONTROL_SEPARATOR if followed else b""
        return self._count(
            (tuple(item.id for item in run), followed),
            lambda: CONTROL_SEPARATOR.join(self._content(item) for item in run) + end,
        )


def require_content(candidate: Candidate, contents: Mapping[str, bytes]) -> bytes:
    """The candidate's bytes.

    Raises:
        ContentUnresolvedError: nothing stands behind its id.
    """
    content = contents.get(candidate.sha256 or "")
    if content is None:
        raise ContentUnresolvedError(
            "content-unresolved",
            f"{candidate.id} is required, and no bytes stand behind it",
            detail={"id": candidate.id},
            where=candidate.id,
            next_step="offer its content, or make it optional",
        )
    return content
