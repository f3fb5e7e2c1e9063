"""msgspec is imported without what it can do without, and nobody else notices."""

from __future__ import annotations

import subprocess
import sys

import pytest

ALONE = """
import sys
from assembler.config import profile
assert "typing_extensions" not in sys.modules
"""
BESIDE_A_THREAD = """
import sys, threading
done = threading.Event()
thread = threading.Thread(target=done.wait)
thread.start()
from assembler.config import profile
done.set()
thread.join()
assert sys.modules.get("typing_extensions", sys) is not None
"""
LOADED_BEFORE = """
import sys, typing_extensions
from assembler.config import profile
assert sys.modules["typing_extensions"] is typing_extensions
"""
AFTERWARDS = """
import typing_extensions
from assembler.config.records import msgspec
assert typing_extensions.get_type_hints
assert msgspec.convert({"schema": "assembler/profile/1"}, profile.Profile) == profile.BUILT_IN
"""


@pytest.mark.parametrize("before", [ALONE, BESIDE_A_THREAD, LOADED_BEFORE])
def test_records__leave_typing_extensions_to_others(before: str) -> None:
    subprocess.run([sys.executable, "-c", before + AFTERWARDS], check=True)
