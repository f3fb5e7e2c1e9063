"""Small changes of a chain that the table of kinds is written in."""

from __future__ import annotations

from typing import Any

from assembler_verifier.self_test.chain_draft import ChainDraft
from assembler_verifier.self_test.kind import ChainChange


def with_payload(number: int, **members: Any) -> ChainChange:
    """Change members of a payload and link the chain again."""

    def apply(draft: ChainDraft) -> None:
        draft.write_payload(number, {**draft.payload(number), **members})
        draft.relink()

    return apply


def with_event(number: int, **members: Any) -> ChainChange:
    """Change members of an event and link the chain again."""

    def apply(draft: ChainDraft) -> None:
        draft.event(number).update(members)
        draft.relink()

    return apply
