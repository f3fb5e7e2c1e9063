"""Whether the next request fits, is to be rewritten first, or can't be sent at all.

Source: docs/formats/trace.md, section "Verdict".
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

from assembler.model.transcript import Transcript
from assembler.transcript.ladder import Ladder, base_tokens
from assembler.transcript.visible import newest_turn, show

Verdict: TypeAlias = Literal["fits", "rewrite", "overflow"]

SUMMARY_ALLOWANCE_TOKENS: Final = 1_000
"""Room that is kept for a summary, unless the invoker says otherwise; about 700 words."""


class Limits(NamedTuple):
    """What the input is held against, in tokens."""

    ceiling: int
    trigger: int
    """Above it a rewrite is due; at most the ceiling."""
    allowance: int
    """What a summary may take."""


class Outlook(NamedTuple):
    """What is to be done before the next request."""

    verdict: Verdict
    after_rewrite: int | None
    """Tokens that the smallest rewrite leaves, summary allowance included; None: it drops none."""


def judge(transcript: Transcript, ladder: Ladder, limits: Limits) -> Outlook:
    """Whether to send, to rewrite, or to stop.

    At the trigger and at the ceiling it fits; one token above, it does not.
    """
    after = _smallest_rewrite(transcript, ladder, limits.allowance)
    if ladder.context <= limits.trigger:
        return Outlook("fits", after)
    if after is not None and after <= limits.ceiling and after < ladder.context:
        return Outlook("rewrite", after)
    return Outlook("fits" if ladder.context <= limits.ceiling else "overflow", after)


def _smallest_rewrite(transcript: Transcript, ladder: Ladder, allowance: int) -> int | None:
    """What is left when all but the task and the newest turn gives way to a summary."""
    shown = show(transcript)
    newest = newest_turn(shown.frames, range(len(shown.frames)))
    if newest <= shown.head:
        return None
    kept = sum(ladder.sizes[index] for index in shown.indexes[newest:])
    return base_tokens(transcript, ladder) + allowance + kept
