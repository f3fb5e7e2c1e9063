"""Whether an item is in although its source has changed since, or nobody can say.

The compiler itself rejects what has a fact that says stale. What is left are facts that decide
nothing there: who replaces whom, what was read again, and the revision that a summary cites.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from assembler.diagnose.claim import HOLDS, NOT_CHECKED, Claim, Proof, fired, proof
from assembler.diagnose.places import is_whole, path_in, path_of
from assembler.diagnose.trace import Item, Trace
from assembler.model.digest import is_digest
from assembler.model.names import first_few

CODE: Final = "ASM402"


def find_stale(trace: Trace) -> Claim:
    """The claim `stale_source_selected`."""
    statements: list[str] = []
    proofs: list[Proof] = []
    untold: list[str] = []
    cited = _Cited(trace)
    for item in trace.evidence_in:
        found = _find_newer(item, trace) or cited.contradict(item)
        if found is not None:
            statement, rows = found
            statements.append(statement)
            proofs += [proof("stale", item), *rows]
        elif _is_derived(item) and not item.freshness and not cited.is_confirmed(item):
            untold.append(item.id)
    if statements:
        return fired(CODE, statements, proofs)
    if untold:
        told = ", ".join(first_few(untold))
        return Claim(CODE, NOT_CHECKED, f"no row says what these were made from: {told}")
    count = len(trace.evidence_in)
    return Claim(CODE, HOLDS, f"{count} items of evidence in, none contradicted")


def _find_newer(item: Item, trace: Trace) -> tuple[str, list[Proof]] | None:
    """What was read again in the item's place, or replaces it."""
    again = None if item.refreshed_by is None else trace.by_id.get(item.refreshed_by)
    if again is not None and not _has_same_bytes(item, again):
        said = f"{_at(item)} is in, {_at(again)} was read again in its place"
        return said, [proof("read again", again)]
    newer = [other for other in trace.replaced_by.get(item.id, ()) if _is_newer(other, item)]
    if newer:
        said = f"{_at(item)} is in, {_at(newer[0])} replaces it"
        return said, [proof("replaces it", other) for other in newer]
    return None


def _is_newer(other: Item, item: Item) -> bool:
    """Whether one that says to replace an item speaks of a later state of it.

    A version with an interval of validity is judged by the asked date, not by its age.
    """
    if other.id == item.id or _has_same_bytes(item, other):
        return False
    if item.valid_from is not None or item.valid_to is not None:
        return False
    if other.reason in ("not-valid-then", "expired") or other.id in item.replaces:
        return False
    if item.observed_at is not None and other.observed_at is not None:
        return other.observed_at > item.observed_at
    return _are_apart(item.revision, other.revision)


def _has_same_bytes(item: Item, other: Item) -> bool:
    return item.sha256 is not None and item.sha256 == other.sha256


def _is_derived(item: Item) -> bool:
    return item.kind == "summary" or item.trust == "derived"


def _at(item: Item) -> str:
    return item.id if item.revision is None else f"{item.id} ({item.revision[:12]})"


class _Cited:
    """What derived items say that they were made from, beside the rows of it."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._by_path: dict[str, list[Item]] = {}
        for item in trace.items:
            path = path_of(item)
            if path is not None:
                self._by_path.setdefault(path, []).append(item)

    def contradict(self, item: Item) -> tuple[str, list[Proof]] | None:
        """What a cited digest or revision does not agree with.

        Only where no digests of a source were compared: equal ones outweigh any revision.
        """
        if not _is_derived(item) or item.freshness or self._is_confirmed_by_digest(item):
            return None
        for source in self._sources(item):
            digest = _cited_digest(item, source)
            if digest is not None and source.sha256 is not None:
                said = f"{item.id} cites {digest[:12]}, {source.id} has {source.sha256[:12]}"
                return said, [proof("its source", source)]
            if _are_apart(item.revision, source.revision):
                said = f"{_at(item)} is in, its source is {_at(source)}, no digests were compared"
                return said, [proof("its source", source)]
        run = self._trace.revision
        if run is not None and _are_apart(item.revision, run) and not self.is_confirmed(item):
            return f"{_at(item)} is in, the run is at {run[:12]}, no digests were compared", []
        return None

    def is_confirmed(self, item: Item) -> bool:
        """Whether a row shows that what the item was made from is as it was."""
        revisions = {source.revision for source in self._sources(item)} | {self._trace.revision}
        is_same = item.revision is not None and item.revision in revisions
        return is_same or self._is_confirmed_by_digest(item)

    def _is_confirmed_by_digest(self, item: Item) -> bool:
        cited = ((_cited_digest(item, source), source.sha256) for source in self._sources(item))
        return any(digest is not None and digest == now for digest, now in cited)

    def _sources(self, item: Item) -> Iterator[Item]:
        """Rows of the same id or file as the item's lineage, address and source name."""
        named = [*item.lineage, item.source or ""]
        named += [] if item.address is None else [item.address["source_id"]]
        for name in named:
            found = [self._trace.by_id[name]] if name in self._trace.by_id else []
            found = found or self._by_path.get(path_in(name) or "", [])
            yield from (other for other in found if other.id != item.id)


def _cited_digest(item: Item, source: Item) -> str | None:
    """The digest that an item's address gives of a source; of a part of it nothing is known."""
    if item.address is None or not is_whole(source):
        return None
    digest = str(item.address["version"]).removeprefix("sha256:")
    return digest if is_digest(digest) else None


def _are_apart(one: str | None, other: str | None) -> bool:
    """Whether two revisions are known and differ."""
    return one is not None and other is not None and one != other
