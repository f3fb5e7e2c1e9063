"""Drop what was said early for a summary: the task stays in front, the newest turn at the back.

So does the prompt that the newest turn answers. A cut never parts a call from its results, nor one
message of the model. Nothing is shortened.
Source: docs/formats/trace.md, section "Rewrite".
"""

from __future__ import annotations

from typing import NamedTuple

from assembler.model.transcript import CutRecord, Transcript
from assembler.transcript.ladder import Ladder, base_tokens
from assembler.transcript.limits import Limits
from assembler.transcript.pairs import CutMove, cut_places, move_cut
from assembler.transcript.visible import Shown, newest_prompt, newest_turn


class Rewrite(NamedTuple):
    """A rewrite as it would be made."""

    cut: CutRecord
    head: tuple[int, ...]
    """Indexes of the task's frames, which stay in front."""
    tail: tuple[int, ...]
    """Indexes of those that stay behind the summary."""
    dropped: tuple[int, ...]
    """Indexes of those that the summary stands for."""
    before: int
    """Tokens of the whole input."""
    after: int
    """The same with the summary in place of what is dropped."""

    def fits(self, limits: Limits | None) -> bool | None:
        """Whether what is left is at most the ceiling; None: there is none."""
        return None if limits is None else self.after <= limits.ceiling


def plan_rewrite(
    transcript: Transcript,
    ladder: Ladder,
    *,
    asked: int | None,
    summary_tokens: int,
    limits: Limits | None,
) -> Rewrite:
    """Where to cut, and what is left.

    Args:
        transcript: the run.
        ladder: its sizes.
        asked: entries in front of the cut, as `move_cut` counts them; None: all in front of the
            newest turn.
        summary_tokens: what the summary takes.
        limits: None: there is no ceiling.

    Returns:
        A cut that was asked for where it may be made, else the next one in front of it, which
        drops nothing that was not asked; the one behind it where only that fits. One that was not
        asked for never goes behind, where the newest turn stands.
    """
    made = [
        _rewrite(transcript, ladder, CutRecord(asked, move.at, move.reason), summary_tokens)
        for move in _moves(ladder.shown, asked)
    ]
    return next((rewrite for rewrite in made if rewrite.fits(limits)), made[0])


def _moves(shown: Shown, asked: int | None) -> list[CutMove]:
    if asked is None:
        place = newest_turn(shown.frames, range(len(shown.frames)))
        behind = shown.frames[place].entry if place < len(shown.frames) else shown.entries + 1
        return [move_cut(shown.frames, shown.entries, behind - 1)[0]]
    before, behind_it = move_cut(shown.frames, shown.entries, asked)
    return [before] if behind_it is None or behind_it == before else [before, behind_it]


def _rewrite(
    transcript: Transcript, ladder: Ladder, cut: CutRecord, summary_tokens: int
) -> Rewrite:
    shown = ladder.shown
    place = max(cut_places(shown.frames, shown.entries)[cut.at], shown.head)
    early = shown.indexes[shown.head : place]
    frames = transcript.frames
    # Policy never goes, wherever it was said, nor what a person asked for last.
    prompt = newest_prompt(shown, place)
    stays = [index in prompt or frames[index].kind == "policy" for index in early]
    dropped = tuple(index for index, kept in zip(early, stays, strict=True) if not kept)
    rules = tuple(index for index, kept in zip(early, stays, strict=True) if kept)
    tail = (*rules, *shown.indexes[place:])
    # The base has all policy already.
    kept_tokens = sum(ladder.sizes[index] for index in tail if frames[index].kind != "policy")
    after = base_tokens(transcript, ladder) + kept_tokens + summary_tokens
    return Rewrite(
        cut,
        shown.indexes[: shown.head],
        tail,
        dropped,
        ladder.context,
        after if dropped else ladder.context,
    )
