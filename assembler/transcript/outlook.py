"""Whether the next request fits, is to be rewritten first, or can't be sent at all.

Source: docs/formats/trace.md, section "Verdict".
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from assembler.model.transcript import Transcript
from assembler.transcript.ladder import Ladder
from assembler.transcript.limits import Limits
from assembler.transcript.rewrite import plan_rewrite

Verdict: TypeAlias = Literal["fits", "rewrite", "overflow"]


class Outlook(NamedTuple):
    """What is to be done before the next request."""

    verdict: Verdict
    after_rewrite: int | None
    """Tokens that a rewrite by the rule leaves, summary allowance included; None: it drops none."""


def judge(transcript: Transcript, ladder: Ladder, limits: Limits) -> Outlook:
    """Whether to send, to rewrite, or to stop.

    At the trigger and at the ceiling it fits; one token above, it does not.
    """
    # The rewrite that `compact` would make, so that what is promised here is what comes of it.
    rewrite = plan_rewrite(
        transcript, ladder, asked=None, summary_tokens=limits.allowance, limits=limits
    )
    after = rewrite.after if rewrite.dropped else None
    if ladder.context <= limits.trigger:
        return Outlook("fits", after)
    if after is not None and after <= limits.ceiling and after < ladder.context:
        return Outlook("rewrite", after)
    return Outlook("fits" if ladder.context <= limits.ceiling else "overflow", after)
