"""Which candidates a layout has a place for.

`assembler-input/1` holds everything. `control/1` holds policy and task. `context-contract/1`
has three single places and holds every addressed piece of evidence (docs/formats/layouts.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assembler.errors import LayoutCannotHoldError
from assembler.model.candidate import Candidate
from assembler.model.contract import SINGLE_PLACES, read_example, single_place
from assembler.model.inventory import CONTRACT_LAYOUT, CONTROL_LAYOUT, TEXT_LAYOUT, Inventory


def why_no_place(candidate: Candidate, layout: str, content: bytes | None) -> str | None:
    """Why a layout has no place for a candidate taken alone, or None.

    Args:
        candidate: the candidate.
        layout: one of the three layouts.
        content: its bytes; without them what depends on bytes can't be told, and is not.
    """
    if layout == TEXT_LAYOUT:
        return None
    if layout == CONTROL_LAYOUT:
        if candidate.section not in ("policy", "task"):
            return "section"
        return None if content is None or _is_text(content, nul=False) else "text"
    if candidate.section == "evidence":
        if candidate.address is None:
            return "address"
    elif single_place(candidate) is None:
        return "section"
    if content is None:
        return None
    if not _is_text(content, nul=True):
        return "text"
    if single_place(candidate) == "example" and read_example(content) is None:
        return "example"
    return None


def excess_candidates(open_candidates: Sequence[Candidate], inventory: Inventory) -> frozenset[str]:
    """Ids that stand behind another candidate for one single place (`slot`).

    Args:
        open_candidates: in canonical order, without those that an earlier check rejects.
        inventory: names what is required, and the layout.
    """
    if inventory.layout != CONTRACT_LAYOUT:
        return frozenset()
    excess: set[str] = set()
    for claimants in _claimants(open_candidates).values():
        required = [item for item in claimants if item.id in inventory.required_ids]
        keeper = (required or claimants)[0]
        excess.update(item.id for item in claimants if item is not keeper and item not in required)
    return frozenset(excess)


def refuse_crowding(required: Sequence[Candidate], layout: str) -> None:
    """Refuse two required candidates in one single place.

    Raises:
        LayoutCannotHoldError: naming all of the first such place, sorted.
    """
    if layout != CONTRACT_LAYOUT:
        return
    claimants = _claimants(required)
    for place in SINGLE_PLACES:
        ids = sorted(item.id for item in claimants.get(place, ()))
        if len(ids) > 1:
            raise LayoutCannotHoldError(
                "layout-cannot-hold",
                f"{layout} has one place for {place}, and {len(ids)} required items want it",
                detail={"ids": ids},
                where=ids[0],
                next_step="require one of them, or use the layout assembler-input/1",
            )


def _claimants(candidates: Sequence[Candidate]) -> Mapping[str, list[Candidate]]:
    by_place: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        place = single_place(candidate)
        if place is not None:
            by_place.setdefault(place, []).append(candidate)
    return by_place


def _is_text(content: bytes, *, nul: bool) -> bool:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return nul or b"\0" not in content
