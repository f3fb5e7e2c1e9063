"""Kinds of corruption of failures, transitions and consumptions.

The chain: 1, 2 a run; 3 a transition; 4, 7 and 5, 6 two runs that interleave; 8 an interrupted
request; 9 a consumption; 10, 11 a run that fails in compilation; 12, 13 one in preparation.
"""

from __future__ import annotations

from assembler_verifier.self_test.bases import CHAIN
from assembler_verifier.self_test.chain_changes import with_payload
from assembler_verifier.self_test.chain_draft import ChainDraft
from assembler_verifier.self_test.kind import Kind

_OTHER = "0" * 64
_TRANSITION, _CONSUMPTION = 3, 9
_COMPILATION_FAILED, _PREPARATION_FAILED = 11, 13


def _moved_change(draft: ChainDraft) -> None:
    payload = draft.payload(_TRANSITION)
    change = payload["changes"][0]
    payload["changes"] = [change, {**change, "name": "a"}]
    draft.write_payload(_TRANSITION, payload)
    draft.relink()


def _change_of_nothing(draft: ChainDraft) -> None:
    payload = draft.payload(_TRANSITION)
    change = payload["changes"][0]
    payload["changes"] = [{**change, "new_sha256": change["old_sha256"]}]
    draft.write_payload(_TRANSITION, payload)
    draft.relink()


def _other_failure_number(draft: ChainDraft) -> None:
    payload = draft.payload(_COMPILATION_FAILED)
    payload["detail"]["required"] += 1
    draft.write_payload(_COMPILATION_FAILED, payload)
    draft.relink()


def _to_another_inventory(draft: ChainDraft) -> None:
    payload = draft.payload(_TRANSITION)
    payload["to"] = draft.event(5)["payload_sha256"]
    draft.write_payload(_TRANSITION, payload)
    draft.relink()


def _from_another_inventory(draft: ChainDraft) -> None:
    payload = draft.payload(_TRANSITION)
    payload["from"] = draft.event(5)["payload_sha256"]
    draft.write_payload(_TRANSITION, payload)
    draft.relink()


def _failure_of_another(draft: ChainDraft) -> None:
    payload = draft.payload(_COMPILATION_FAILED)
    payload["inventory_sha256"] = draft.event(1)["payload_sha256"]
    draft.write_payload(_COMPILATION_FAILED, payload)
    draft.relink()


RULE_KINDS = (
    Kind(
        name="failure-code",
        base=CHAIN,
        what="A failure has another code, and the chain is linked again.",
        why="The inventory refuses with one code.",
        fails=("failure",),
        change=with_payload(_COMPILATION_FAILED, code="resident-unsatisfiable"),
    ),
    Kind(
        name="failure-number",
        base=CHAIN,
        what="A failure gives another sum, and the chain is linked again.",
        why="The detail of a refusal follows from the inventory.",
        fails=("failure",),
        change=_other_failure_number,
    ),
    Kind(
        name="failure-of-another-inventory",
        base=CHAIN,
        what="A failure names another inventory than its request; the chain is linked again.",
        why="An outcome is that of its request's inventory.",
        fails=("failure",),
        change=_failure_of_another,
    ),
    Kind(
        name="failure-tool",
        base=CHAIN,
        what="A failure names another tool as unfit, and the chain is linked again.",
        why="The first unfit tool in order is the one; its content is in the store.",
        fails=("failure",),
        change=with_payload(_PREPARATION_FAILED, detail={"id": "tool-0"}),
    ),
    Kind(
        name="failure-invented",
        base=CHAIN,
        what="A failure says that a request did not carry the text; the chain is linked again.",
        why="The inventory refuses earlier, for a tool's name; its content is in the store.",
        fails=("failure",),
        change=with_payload(
            _PREPARATION_FAILED, code="request-mismatch", detail={"pointer": "/input"}
        ),
    ),
    Kind(
        name="transition-from",
        base=CHAIN,
        what="A transition begins at an inventory of another task; the chain is linked again.",
        why="It begins at what was last compiled for its task.",
        fails=("transition",),
        change=_from_another_inventory,
    ),
    Kind(
        name="transition-to",
        base=CHAIN,
        what="A transition leads to an inventory of another task; the chain is linked again.",
        why="It leads to what its task requests next.",
        fails=("transition",),
        change=_to_another_inventory,
    ),
    Kind(
        name="transition-empty",
        base=CHAIN,
        what="A transition names no change, and the chain is linked again.",
        why="Without a change there is no transition.",
        fails=("transition",),
        change=with_payload(_TRANSITION, changes=[]),
    ),
    Kind(
        name="transition-unsorted",
        base=CHAIN,
        what="The changes of a transition are not sorted, and the chain is linked again.",
        why="One transition has one spelling.",
        fails=("transition",),
        change=_moved_change,
    ),
    Kind(
        name="transition-of-nothing",
        base=CHAIN,
        what="A change leads from a digest to the same one, and the chain is linked again.",
        why="A change changes something.",
        fails=("transition",),
        change=_change_of_nothing,
    ),
    Kind(
        name="consumption-of-a-stranger",
        base=CHAIN,
        what="A consumption names an item that was never offered; the chain is linked again.",
        why="What is consumed is a candidate of the run.",
        fails=("consumption",),
        change=with_payload(_CONSUMPTION, id="Z"),
    ),
    Kind(
        name="consumption-of-no-run",
        base=CHAIN,
        what="A consumption names no compiled run, and the chain is linked again.",
        why="What is consumed was compiled before.",
        fails=("consumption",),
        change=with_payload(_CONSUMPTION, compiled=_OTHER),
    ),
    Kind(
        name="sealed-item-consumed",
        base=CHAIN,
        what="A consumption names E, which was sealed, and the chain is linked again.",
        why="What was not rendered was not visible; the ledger is in the store.",
        fails=("consumed-not-visible",),
        change=with_payload(_CONSUMPTION, id="E"),
    ),
    Kind(
        name="rejected-item-consumed",
        base=CHAIN,
        what="A consumption names C, which did not fit, and the chain is linked again.",
        why="What was not rendered was not visible; the ledger is in the store.",
        fails=("consumed-not-visible",),
        change=with_payload(_CONSUMPTION, id="C"),
    ),
)
