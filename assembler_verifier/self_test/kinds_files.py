"""Kinds of corruption of the files as files: which there are, how they are spelled."""

from __future__ import annotations

from typing import Any

from assembler_verifier.folder import HEAD, INVENTORY, LEDGER, MANIFEST, REQUEST
from assembler_verifier.self_test.changes import (
    add_file,
    drop_file,
    edit,
    mended,
    mended_events,
    other_digit,
    put,
    put_candidate,
    put_row,
    swap_bytes,
)
from assembler_verifier.self_test.draft import Draft
from assembler_verifier.self_test.kind import Kind

_BOUND = "codeai-16-bound"
_REJECTED = "objects/0c0008ad2a61b6902cf93377163b33c28f8e25b7e3fe908ddc0055bd0babb72f"
"""The content of E, which is sealed: its bytes are kept and decide nothing."""
_SELECTED = "objects/35f97592f3cbb26c4a3f5cbd5828b123293236d29138d365f0c31a96f04389cf"
_UNNAMED = "objects/cf968fd31351af7f566bf04e63ac3a6b9a6b26996685a2b6a19c48c3411634bf"
"""The digest of `another thing`."""


def _reverse(listed: Any) -> Any:
    return listed[::-1]


def _unsorted_manifest(draft: Draft) -> None:
    draft.files[MANIFEST] = draft.files[MANIFEST].replace(b'{"budget":', b'{ "budget":', 1)


def _marked(draft: Draft) -> None:
    draft.files[MANIFEST] = b"\xef\xbb\xbf" + draft.files[MANIFEST]
    draft.mend_events()


def _cut_ledger(draft: Draft) -> None:
    whole = draft.files[LEDGER]
    draft.files[LEDGER] = whole[:-40]
    draft.mend()


def _without_line_feed(draft: Draft) -> None:
    draft.files[LEDGER] = draft.files[LEDGER][:-1]
    draft.mend()


def _without_task(draft: Draft) -> None:
    found = next(row for row in draft.read(LEDGER) if row["id"] == "task")
    del draft.files[f"objects/{found['content_sha256']}"]


FILE_KINDS = (
    Kind(
        name="file-added",
        base=_BOUND,
        what="A file notes.txt stands beside the others.",
        why="A package holds its files and no other.",
        fails=("files",),
        change=add_file("notes.txt", b"seen by nobody\n"),
    ),
    Kind(
        name="file-missing",
        base=_BOUND,
        what="request.json is gone.",
        why="A package holds the body that was prepared.",
        fails=("files",),
        change=drop_file(REQUEST),
    ),
    Kind(
        name="file-of-another-layout",
        base=_BOUND,
        what="An input.json stands beside input.txt.",
        why="A layout has one rendered file; a second one could be taken for it.",
        fails=("files",),
        change=add_file("input.json", b"{}"),
    ),
    Kind(
        name="object-misnamed",
        base=_BOUND,
        what="objects/ holds a file whose name is no digest.",
        why="Every object is named by the digest of its bytes.",
        fails=("files",),
        change=add_file("objects/readme", b"seen by nobody\n"),
    ),
    Kind(
        name="duplicate-key",
        base=_BOUND,
        what="The inventory has a member twice, and every digest is mended.",
        why="Readers differ on which of the two counts.",
        fails=("unreadable",),
        change=mended(swap_bytes(INVENTORY, b'"layout":', b'"layout":"control/1","layout":')),
    ),
    Kind(
        name="byte-order-mark",
        base=_BOUND,
        what="The manifest begins with a byte order mark, and the events are mended.",
        why="A mark is no JSON, and some readers drop it in silence.",
        fails=("unreadable",),
        change=_marked,
    ),
    Kind(
        name="number-with-fraction",
        base=_BOUND,
        what="A sequence number is spelled 1.0.",
        why="Records hold integers only; a fraction would be read as either.",
        fails=("unreadable",),
        change=swap_bytes(HEAD, b'"seq":1}', b'"seq":1.0}'),
    ),
    Kind(
        name="ledger-line-cut",
        base=_BOUND,
        what="The last row of the ledger is cut in the middle, and every digest is mended.",
        why="A row that cannot be read accounts for nothing.",
        fails=("unreadable",),
        change=_cut_ledger,
    ),
    Kind(
        name="manifest-spaced",
        base=_BOUND,
        what="A space stands in the manifest, and the events are mended.",
        why="Each record has one spelling, so that equal records are equal bytes.",
        fails=("canonical",),
        change=mended_events(_unsorted_manifest),
    ),
    Kind(
        name="ledger-without-last-line-feed",
        base=_BOUND,
        what="The last line feed of the ledger is gone, and every digest is mended.",
        why="Each record has one spelling.",
        fails=("canonical",),
        change=_without_line_feed,
    ),
    Kind(
        name="inventory-escaped",
        base="raj-declared",
        what="A letter of the inventory is spelled as an escape, and every digest is mended.",
        why="Each record has one spelling.",
        fails=("canonical",),
        change=mended(swap_bytes(INVENTORY, b'"fix-tokenizer"', b'"\\u0066ix-tokenizer"')),
    ),
    Kind(
        name="head-spaced",
        base="ka2-2026-09-14",
        what="A space stands in head.json.",
        why="Each record has one spelling.",
        fails=("canonical",),
        change=swap_bytes(HEAD, b'"events":[', b'"events": ['),
    ),
    Kind(
        name="manifest-member-added",
        base=_BOUND,
        what="The manifest has a member more, and the events are mended.",
        why="A member that nobody checks can say anything.",
        fails=("shape",),
        change=mended_events(put(MANIFEST, ("approved",), "by everybody")),
    ),
    Kind(
        name="row-member-added",
        base=_BOUND,
        what="A row of the ledger has a member more, and every digest is mended.",
        why="A member that nobody checks can say anything.",
        fails=("shape",),
        change=mended(put_row("B", ("note",), "read twice")),
    ),
    Kind(
        name="state-added",
        base="raj-declared",
        what="A row has a state more, and every digest is mended.",
        why="What the provider did is not observable from here.",
        fails=("shape",),
        change=mended(put_row("issue-842", ("states", "obeyed"), True)),
    ),
    Kind(
        name="head-member-added",
        base=_BOUND,
        what="head.json has a member more.",
        why="A member that nobody checks can say anything.",
        fails=("shape",),
        change=put(HEAD, ("signed",), True),
    ),
    Kind(
        name="object-altered",
        base=_BOUND,
        what="The stored bytes of E, which was sealed, are others.",
        why="A content is what its digest names, whether it was selected or not.",
        fails=("object-hash",),
        change=add_file(_REJECTED, b"SIBLING-E: nothing of the kind.\n"),
    ),
    Kind(
        name="object-length",
        base=_BOUND,
        what="Inventory and row give E another length, and every digest is mended.",
        why="A length is that of the bytes.",
        fails=("object-hash",),
        change=mended(
            put_candidate("E", ("content", "bytes"), 41), put_row("E", ("content_bytes",), 41)
        ),
    ),
    Kind(
        name="object-missing",
        base=_BOUND,
        what="The stored bytes of E, which was sealed, are gone.",
        why="What was offered and left out has to stay open to inspection.",
        fails=("object-missing",),
        change=drop_file(_REJECTED),
    ),
    Kind(
        name="object-added",
        base=_BOUND,
        what="An object stands there that no candidate names.",
        why="What was never offered has no place in a package.",
        fails=("objects-list",),
        change=add_file(_UNNAMED, b"another thing"),
    ),
    Kind(
        name="objects-list-short",
        base=_BOUND,
        what="The manifest does not list the object of E, and the events are mended.",
        why="The list is that of the inventory's digests.",
        fails=("objects-list",),
        change=mended_events(edit(MANIFEST, ("objects",), lambda listed: listed[1:])),
    ),
    Kind(
        name="objects-list-reversed",
        base="freshness",
        what="The manifest lists the objects in another order, and the events are mended.",
        why="The list is sorted, so that one inventory gives one manifest.",
        fails=("objects-list",),
        change=mended_events(edit(MANIFEST, ("objects",), _reverse)),
    ),
    Kind(
        name="inventory-digest",
        base=_BOUND,
        what="The manifest names another inventory, and the events are mended.",
        why="The manifest is that of this inventory.",
        fails=("inventory-hash",),
        change=mended_events(edit(MANIFEST, ("inventory_sha256",), other_digit)),
    ),
    Kind(
        name="ledger-digest",
        base=_BOUND,
        what="The manifest names another ledger, and the events are mended.",
        why="The manifest is that of this ledger.",
        fails=("ledger-hash",),
        change=mended_events(edit(MANIFEST, ("ledger_sha256",), other_digit)),
    ),
    Kind(
        name="selected-object-altered",
        base=_BOUND,
        what="The stored bytes of A, which was selected, are others.",
        why="Without them nothing can be rendered again.",
        fails=("incomplete", "object-hash"),
        because="incomplete says what an altered object keeps from being checked; it has no other"
        " cause but work beyond the verifier's own limits",
        change=add_file(_SELECTED, b'{"event":"objective","text":"Approve the paragraph."}'),
    ),
    Kind(
        name="selected-object-missing",
        base="raj-declared",
        what="The stored bytes of the task, which was selected, are gone.",
        why="Without them nothing can be rendered again.",
        fails=("incomplete", "object-missing"),
        because="incomplete says what a missing object keeps from being checked",
        change=_without_task,
    ),
)
