"""Kinds of corruption of what the ledger says was decided, and at what cost."""

from __future__ import annotations

from assembler_verifier.self_test.changes import edit_row, mended, more, put_row
from assembler_verifier.self_test.kind import Kind

_BOUND = "codeai-16-bound"
_RAJ = "raj-declared"

DECISION_KINDS = (
    Kind(
        name="reason-altered",
        base=_BOUND,
        what="The row of E says that it did not fit instead of that it was sealed; mended.",
        why="A reason follows from the inventory.",
        fails=("decision",),
        change=mended(put_row("E", ("reason",), "budget-exceeded")),
    ),
    Kind(
        name="sealed-item-selected",
        base=_BOUND,
        what="The row of E, which is sealed, says selected, and every digest is mended.",
        why="A decision follows from the inventory.",
        fails=("decision",),
        change=mended(put_row("E", ("decision",), "selected")),
    ),
    Kind(
        name="sealed-list-altered",
        base=_BOUND,
        what="The row of E names another list of the seal, and every digest is mended.",
        why="The detail of a reason follows from the inventory.",
        fails=("decision",),
        change=mended(put_row("E", ("detail", "list"), "events")),
    ),
    Kind(
        name="detail-number",
        base=_BOUND,
        what="The row of C gives another sum for why it did not fit; mended.",
        why="The detail of a reason follows from the inventory.",
        fails=("decision",),
        change=mended(edit_row("C", ("detail", "would_be"), more)),
    ),
    Kind(
        name="topics-altered",
        base="ka2-2026-09-14",
        what="A row says that other topics were asked, and every digest is mended.",
        why="The detail of a reason follows from the inventory.",
        fails=("decision",),
        change=mended(put_row("rail-faq-v1", ("detail", "asked"), ["food"])),
    ),
    Kind(
        name="validity-altered",
        base="ka2-2026-09-14",
        what="A row says that its item was valid until another day; mended.",
        why="The detail of a reason follows from the inventory.",
        fails=("decision",),
        change=mended(put_row("travel-v1", ("detail", "valid_to"), "2025-12-31")),
    ),
    Kind(
        name="stale-called-unknown",
        base=_RAJ,
        what="A stale summary is called of unknown freshness, and every digest is mended.",
        why="A source that was read and differs makes its summary stale.",
        fails=("decision",),
        change=mended(put_row("parser-summary", ("reason",), "freshness-unknown")),
    ),
    Kind(
        name="freshness-of-another-source",
        base="freshness",
        what="A row names another source whose freshness is unknown; mended.",
        why="The first source by name decides.",
        fails=("decision",),
        change=mended(put_row("F-unknown-then-stale", ("detail", "source"), "b")),
    ),
    Kind(
        name="deny-rule-altered",
        base=_RAJ,
        what="A row names another rule that denied its file, and every digest is mended.",
        why="The detail of a reason follows from the inventory.",
        fails=("decision",),
        change=mended(put_row(".env.production", ("detail", "rule"), "host-deny:*")),
    ),
    Kind(
        name="group-member-missing",
        base="codeai-duplicate-group",
        what="A row names no member of its group that is missing, and every digest is mended.",
        why="A group is all or nothing, and a row says what it lacks.",
        fails=("decision",),
        change=mended(put_row("C", ("detail", "missing"), [])),
    ),
    Kind(
        name="group-cost",
        base="slots-group",
        what="A row gives the cost of its group as another, and every digest is mended.",
        why="A group is tried with the sum of its costs.",
        fails=("decision",),
        change=mended(edit_row("archive", ("detail", "cost"), more)),
    ),
    Kind(
        name="duplicate-of-another",
        base="codeai-duplicate-group",
        what="A row says that its item is a copy of another one; mended.",
        why="The first holder of a digest in order is the one that copies name.",
        fails=("decision",),
        change=mended(put_row("F", ("detail", "as"), "A")),
    ),
    Kind(
        name="layout-reason-altered",
        base="control-measured",
        what="A row gives another reason why its item has no place in the layout; mended.",
        why="The first reason that holds is the one.",
        fails=("decision",),
        change=mended(put_row("latin-1", ("detail", "why"), "section")),
    ),
    Kind(
        name="cost-altered",
        base=_BOUND,
        what="A row gives another cost, and every digest is mended.",
        why="A cost is the declared size.",
        fails=("cost",),
        change=mended(edit_row("B", ("cost",), more)),
    ),
    Kind(
        name="cost-measured-otherwise",
        base="code-points",
        what="A row gives another cost for a measured item, and every digest is mended.",
        why="A cost is the count of the item as it is rendered.",
        fails=("cost",),
        change=mended(edit_row("untrusted note", ("cost",), lambda cost: cost - 1)),
    ),
    Kind(
        name="cost-of-a-sealed-item",
        base=_BOUND,
        what="The row of a sealed item has a cost, and every digest is mended.",
        why="What is rejected before any arithmetic has no cost.",
        fails=("cost",),
        change=mended(put_row("E", ("cost",), 7)),
    ),
    Kind(
        name="cost-left-out",
        base="raj-o200k",
        what="The row of a selected item has no cost, and every digest is mended.",
        why="Tokens of a vocabulary are summed as the ledger gives them.",
        fails=("cost", "incomplete"),
        because="without the cost nothing can be compiled again, which incomplete says",
        change=mended(put_row("issue-842", ("cost",), None)),
    ),
)
