"""Whether instructions that apply to the work of a run are in it.

What can be proven: that an instruction was offered, or is named as existing, and is not in; and
that something below its folder is in, or was offered to decide. A folder whose instructions no
row names is not told apart from one that has none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from assembler.diagnose.claim import HOLDS, NOT_CHECKED, Claim, Proof, fired, proof
from assembler.diagnose.places import (
    EVERYWHERE,
    Places,
    folder_of_instruction,
    instruction_names,
    is_instruction,
    is_named_so,
    is_whole,
    path_in,
    path_of,
)
from assembler.diagnose.trace import Item, Trace
from assembler.model.chain import parent_folder
from assembler.model.names import first_few

CODE: Final = "ASM401"
NOT_DUE: Final = frozenset(
    {
        # Another file of the folder is used in its place, or the same one under another name.
        "override-hides",
        "other-name-used",
        "same-file-twice",
        "confusable-name",
        # No agent looks for it, or it adds nothing.
        "wrong-case-name",
        "other-agents-file",
        "not-a-file",
        "blank",
        "outside-root",
        "policy-differs",
        # It held for another time.
        "not-valid-then",
        "expired",
    }
)
"""Why an instruction may be out and nothing is missing; any other word is a loss."""


class _Missing(NamedTuple):
    """An instruction that is not in."""

    id: str
    item: Item | None
    """None where it was not offered."""
    folder: str | None
    """Where it applies; None: not told."""
    named_by: Item | None
    """What names it: something that contradicts it, or was made from it."""
    is_contradicted: bool

    @property
    def why(self) -> str:
        """Its reason, in a word."""
        return "not offered" if self.item is None else self.item.word

    @property
    def proof(self) -> Proof:
        """Its row, or its name alone."""
        return Proof("missing", self.id, self.item)


def find_missing_policy(trace: Trace) -> Claim:
    """The claim `required_local_policy_missing`."""
    names = instruction_names(trace)
    places = Places(trace, names)
    statements, proofs, untold = [], [], []
    for missing in _find_missing(trace, names):
        witness = _find_witness(missing, places, trace)
        if witness is None:
            is_told = missing.folder is not None and not places.is_empty()
            untold += [] if is_told else [missing.id]
            continue
        relation = "contradicted by" if missing.is_contradicted else "applies to"
        statements.append(f"{missing.id} is not in ({missing.why}), {relation} {witness.id}")
        proofs += [missing.proof, proof(relation, witness)]
        if missing.named_by is not None and missing.named_by != witness:
            proofs.append(proof("made from it", missing.named_by))
    if statements:
        return fired(CODE, statements, proofs)
    return _answer_unfired(trace, untold)


def _answer_unfired(trace: Trace, untold: list[str]) -> Claim:
    offered = [item for item in trace.items if is_instruction(item)]
    if trace.evidence_in and untold:
        told = ", ".join(first_few(untold))
        return Claim(CODE, NOT_CHECKED, f"no row says whether it applies: {told}")
    if trace.evidence_in and not offered:
        return Claim(CODE, NOT_CHECKED, "no instructions were offered; there may be none")
    count = sum(item.is_in for item in offered)
    return Claim(CODE, HOLDS, f"{count} of {len(offered)} instructions in, none missing")


def _find_witness(missing: _Missing, places: Places, trace: Trace) -> Item | None:
    """A row that shows that the instruction applies here."""
    if missing.is_contradicted:
        return missing.named_by
    if missing.folder is None:
        return None
    found = places.find(missing.folder)
    if found is None and missing.folder == EVERYWHERE and trace.evidence_in:
        return trace.evidence_in[0]
    return found


def _find_missing(trace: Trace, names: frozenset[str]) -> Iterator[_Missing]:
    """Each instruction that is offered or named and not in, once, in the order of the ledger."""
    offered = {path for item in trace.items if is_instruction(item) and (path := path_of(item))}
    seen: set[str] = set()
    shown = _Shown(trace)
    contradicted = _find_contradicted(trace, names)
    for item in trace.items:
        path = path_of(item)
        is_file = not is_instruction(item) and is_named_so(path, names) and path not in offered
        if not (is_instruction(item) or is_file):
            continue
        seen |= {item.id, path or item.id}
        if shown.has(item) or item.word in NOT_DUE or (is_file and _may_not_be(item)):
            continue
        folder = parent_folder(path) if is_file and path else folder_of_instruction(item)
        opponent = contradicted.get(item.id)
        yield _Missing(item.id, item, folder, opponent, opponent is not None)
    for name, opponent in contradicted.items():
        if name not in trace.by_id and (path_in(name, "policy:") or name) not in seen:
            seen.add(path_in(name, "policy:") or name)
            yield _Missing(name, None, None, opponent, is_contradicted=True)
    for item in trace.items:
        for entry in item.freshness:
            path = path_in(entry.source)
            if entry.current is not None and is_named_so(path, names) and path not in seen:
                assert path is not None  # it has one of the names
                seen.add(path)
                yield _Missing(path, None, parent_folder(path), item, is_contradicted=False)


def _may_not_be(item: Item) -> bool:
    """A file that was looked for and is not there hides no instructions."""
    return item.detail.get("absent") == "unreadable"


def _find_contradicted(trace: Trace, names: frozenset[str]) -> dict[str, Item]:
    """Ids of policy that evidence which is in conflicts with or replaces, by its own word."""
    found: dict[str, Item] = {}
    for item in trace.evidence_in:
        for name in (*item.conflicts_with, *item.replaces):
            other = trace.by_id.get(name)
            if other is None:
                is_policy = name.startswith("policy:") or is_named_so(path_in(name), names)
            else:
                is_policy = is_instruction(other) or is_named_so(path_of(other), names)
            if is_policy:
                found.setdefault(name, item)
    return found


class _Shown:
    """Whether the model was shown an instruction, under its own name or another."""

    def __init__(self, trace: Trace) -> None:
        self._digests = {item.sha256 for item in trace.selected if item.sha256 is not None}
        self._paths = {
            path for item in trace.selected if is_whole(item) and (path := path_of(item))
        }
        self._replaced = {
            name for item in trace.selected if is_instruction(item) for name in item.replaces
        }

    def has(self, item: Item) -> bool:
        """Whether its bytes, its whole file, or what replaces it are in."""
        if item.is_in or item.sha256 in self._digests:
            return True
        return path_of(item) in self._paths or item.id in self._replaced
