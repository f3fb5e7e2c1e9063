"""msgspec, of which the records of every format are made, at half the price of its import.

It asks `typing_extensions` for what Python 3.11 has in `typing`, and takes that where the package
is missing; with all that it imports in turn, the package costs as much as msgspec itself.
"""

from __future__ import annotations

import sys
import threading

_SPARED = "typing_extensions"


def _import_without_extensions() -> None:
    """Import msgspec while `typing_extensions` can't be imported."""
    if _SPARED in sys.modules or threading.active_count() > 1:
        # It costs nothing any more; or another thread could want it meanwhile.
        return
    # None is what the language has for a module that is not to be found.
    sys.modules[_SPARED] = None  # type: ignore[assignment]
    try:
        import msgspec  # noqa: F401 - the import is the effect
    finally:
        del sys.modules[_SPARED]


_import_without_extensions()

import msgspec  # noqa: E402
from msgspec import Meta, Struct, field  # noqa: E402

__all__ = ["Meta", "Struct", "field", "msgspec"]
