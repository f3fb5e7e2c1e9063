"""The rules for secrets and signals, loaded for the first text that could hold something.

Most evidence holds none of what every hit of a rule has, and the engine with the rules costs more
than all that a run does with it. Over a large text, or once it is loaded, the engine is ten times
faster than a look for beginnings.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Final

from assembler.model.escapes import unescape
from assembler.model.secret_rules import SecretHit, may_hold_secret
from assembler.model.signal_rules import SignalHit, may_hold_signal

MOST_LOOKED_BYTES: Final = 32 << 10
"""A longer text is given to the engine at once."""


def scan_secrets(data: bytes) -> tuple[SecretHit, ...]:
    """As `secret_scan.scan_secrets`."""
    if not (_is_engine_due(data) or could_hold(may_hold_secret, data)):
        return ()
    from assembler.adapters import secret_scan

    return secret_scan.scan_secrets(data)


def scan_signals(data: bytes) -> tuple[SignalHit, ...]:
    """As `signal_scan.scan_signals`."""
    if not (_is_engine_due(data) or could_hold(may_hold_signal, data)):
        return ()
    from assembler.adapters import signal_scan

    return signal_scan.scan_signals(data)


def could_hold(may_hold: Callable[[bytes], bool], data: bytes) -> bool:
    """Whether the text, or what its escapes stand for, has the beginning of a hit.

    Args:
        may_hold: `may_hold_secret` or `may_hold_signal`.
        data: the text.
    """
    if may_hold(data):
        return True
    plain = unescape(data)
    return plain is not data and may_hold(plain)


def _is_engine_due(data: bytes) -> bool:
    return "re2" in sys.modules or len(data) > MOST_LOOKED_BYTES
