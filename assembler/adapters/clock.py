"""The clock: asked once for each event that is recorded, and for nothing that is compiled."""

from __future__ import annotations

import time


def utc_now() -> str:
    """The time now, `YYYY-MM-DDThh:mm:ssZ`."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
