"""Kinds of corruption of the inventory, and of what it no longer compiles to."""

from __future__ import annotations

from typing import Any

from assembler_verifier.folder import INVENTORY, REQUEST
from assembler_verifier.self_test.changes import (
    edit,
    mended,
    put,
    put_candidate,
    put_row,
)
from assembler_verifier.self_test.draft import Draft
from assembler_verifier.self_test.kind import Kind

_BOUND = "codeai-16-bound"
_RAJ = "raj-declared"


def _without_default(draft: Draft) -> None:
    inventory = draft.read(INVENTORY)
    del inventory["order"]
    draft.write(INVENTORY, inventory)


def _first_two_exchanged(listed: Any) -> Any:
    first, second, *rest = listed
    return [second, first, *rest]


INVENTORY_KINDS = (
    Kind(
        name="set-unsorted",
        base=_BOUND,
        what="The required ids stand in another order, and every digest is mended.",
        why="A set has one spelling in the normal form.",
        fails=("normal-form",),
        change=mended(edit(INVENTORY, ("required",), lambda ids: ids[::-1])),
    ),
    Kind(
        name="default-left-out",
        base=_BOUND,
        what="The inventory leaves a default out, and every digest is mended.",
        why="The normal form has every member.",
        fails=("normal-form",),
        change=mended(_without_default),
    ),
    Kind(
        name="inventory-member-unknown",
        base=_BOUND,
        what="A candidate has a member that no inventory has, and every digest is mended.",
        why="A member that nobody reads can say anything.",
        fails=("normal-form",),
        change=mended(put_candidate("B", ("priority",), 1)),
    ),
    Kind(
        name="position-in-evidence",
        base=_BOUND,
        what="A piece of evidence is given a position, and every digest is mended.",
        why="Rank of retrieval has no way into the order of evidence.",
        fails=("normal-form",),
        change=mended(put_candidate("B", ("position",), 1)),
    ),
    Kind(
        name="policy-untrusted",
        base=_BOUND,
        what="An item of the policy is marked untrusted, and every digest is mended.",
        why="What directs the work is authorized, or it is no policy.",
        fails=("normal-form",),
        change=mended(put_candidate("instruction", ("trust",), "untrusted")),
    ),
    Kind(
        name="content-by-path",
        base=_RAJ,
        what="A content is named by a path, and every digest is mended.",
        why="A package keeps no path: what stands there tomorrow may be something else.",
        fails=("normal-form",),
        change=mended(
            put_candidate("issue-842", ("content",), {"path": "issue.md", "lines": None})
        ),
    ),
    Kind(
        name="candidates-exchanged",
        base=_BOUND,
        what="Two candidates stand in another order, and every digest is mended.",
        why="Candidates are sorted by id, so that the order of supply shows nowhere.",
        fails=("inventory-order",),
        change=mended(edit(INVENTORY, ("candidates",), _first_two_exchanged)),
    ),
    Kind(
        name="required-item-never-offered",
        base=_BOUND,
        what="An id is required that no candidate has, and every digest is mended.",
        why="A run without a required item is refused and leaves no package.",
        fails=("refusal",),
        change=mended(edit(INVENTORY, ("required",), lambda ids: [*ids, "verdict"])),
    ),
    Kind(
        name="required-item-sealed",
        base=_BOUND,
        what="The seal names B, which is required, and every digest is mended.",
        why="A seal over a required item refuses the run.",
        fails=("refusal",),
        change=mended(put(INVENTORY, ("seal", "artifacts"), ["B"])),
    ),
    Kind(
        name="window-too-small",
        base=_RAJ,
        what="The window holds less than the required items, and every digest is mended.",
        why="A required item is never shortened or left out to fit.",
        fails=("refusal",),
        change=mended(put(INVENTORY, ("budget", "window"), 3000)),
    ),
    Kind(
        name="output-over-reserve",
        base=_RAJ,
        what="The request may answer with more than is reserved, and every digest is mended.",
        why="An answer beyond its reserve takes the place of the input.",
        fails=("refusal",),
        change=mended(
            put(INVENTORY, ("adapter", "max_output"), 1201), put(REQUEST, ("max_tokens",), 1201)
        ),
    ),
    Kind(
        name="scope-moved",
        base=_RAJ,
        what="An instruction applies to another folder, in inventory alone; digests are mended.",
        why="A row says of an item what the inventory says of it.",
        fails=("row-fields",),
        change=mended(put_candidate("packages/parser/AGENTS.md", ("scope",), "packages")),
    ),
    Kind(
        name="sealed-lineage-hidden",
        base=_BOUND,
        what="The row of E declares no lineage, and every digest is mended.",
        why="A row says of an item what the inventory says of it.",
        fails=("row-fields",),
        change=mended(put_row("E", ("lineage",), [])),
    ),
)
