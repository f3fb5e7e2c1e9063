"""Signals that end this process, put off until what it started has been ended.

Never here: a handler in the place of a host's own, or of a signal that is ignored.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

_NAMES: Final = ("SIGTERM", "SIGHUP")
"""What a job's end and a closed terminal send; Ctrl-C is Python's own affair."""


class PutOff:
    """The signal that came, if one did."""

    def __init__(self) -> None:
        self.kind: signal.Signals | None = None
        self._wake: Callable[[], object] | None = None

    @contextmanager
    def calling(self, wake: Callable[[], object]) -> Iterator[None]:
        """Have this called on a signal, at once where one came already; only inside."""
        self._wake = wake
        try:
            if self.kind is not None:
                wake()
            yield
        finally:
            self._wake = None

    def take(self, number: int, _: FrameType | None) -> None:
        """Remember the first signal, and end the work."""
        self.kind = self.kind or signal.Signals(number)
        if self._wake is not None:
            self._wake()


@contextmanager
def putting_off_signals() -> Iterator[PutOff]:
    """Put off what would end this process at once; behind the call the signal does so.

    Where signals have handlers already, are ignored, or can't be handled (outside the main
    thread), nothing is put off.
    """
    put_off = PutOff()
    kinds = [kind for kind in _find_kinds() if signal.getsignal(kind) is signal.SIG_DFL]
    for kind in kinds:
        signal.signal(kind, put_off.take)
    try:
        yield put_off
    finally:
        for kind in kinds:
            signal.signal(kind, signal.SIG_DFL)
        if put_off.kind is not None:
            signal.raise_signal(put_off.kind)


def _find_kinds() -> list[signal.Signals]:
    if threading.current_thread() is not threading.main_thread():
        return []
    return [signal.Signals[name] for name in _NAMES if name in signal.Signals.__members__]
