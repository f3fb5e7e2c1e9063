"""What the next request still holds of a log while it is read: what each rewrite left.

Out of it come the sizes and the dropped frames of a rewrite that an agent made itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile
from typing import Final

from assembler.config.client_messages import MessageReader
from assembler.model.transcript import UNSENT_KINDS, Compaction, Frame, runs_of

BYTES_PER_TOKEN: Final = 4
"""Of an estimate where the log has none; Codex estimates so too."""


class StillSaid:
    """The frames that are in the input, by place; those in front of every request apart."""

    def __init__(self, reader: MessageReader) -> None:
        self._reader = reader
        self._places: list[int] = []
        self._seen = 0

    def places(self) -> list[int]:
        """Of all that the next request holds, in order."""
        frames = self._reader.frames
        self._places += [
            place
            for place in range(self._seen, len(frames))
            if frames[place].entry and frames[place].kind not in UNSENT_KINDS
        ]
        self._seen = len(frames)
        return self._places

    def rewrite(
        self, summary: str, kept: Iterable[int], *, before: int | None, after: int | None
    ) -> None:
        """A summary in place of all that is not kept.

        Args:
            summary: empty: the log shows none.
            kept: places of frames that the next request holds as they were.
            before: tokens of the whole input, as the log says; None: it does not.
            after: the same behind it.
        """
        staying, places, frames = set(kept), self.places(), self._reader.frames
        dropped = [place for place in places if place not in staying]
        self._places = [place for place in places if place in staying]
        left = [frames[place] for place in self._places]
        resident = list(takewhile(lambda frame: not frame.entry, frames))
        words = Frame("compaction", 0, 0, summary)
        compaction = Compaction(
            _estimate([*resident, *(frames[place] for place in places)])
            if before is None
            else before,
            _estimate([*resident, words, *left]) if after is None else after,
            runs_of(dropped),
            drops_task=bool(dropped) and dropped[0] < self._task_end(),
        )
        self._reader.add_unsaid(words._replace(compaction=compaction))

    def _task_end(self) -> int:
        """The place of the first frame that neither the host nor a person said."""
        frames = self._reader.frames
        return next(
            (place for place, frame in enumerate(frames) if frame.kind not in ("policy", "user")),
            len(frames),
        )


def _estimate(frames: Iterable[Frame]) -> int:
    size_bytes = sum(len(frame.text.encode()) for frame in frames)
    return -(-size_bytes // BYTES_PER_TOKEN)
