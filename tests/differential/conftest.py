"""A folder with a short path for trees that a real program is asked about."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def base() -> Iterator[Path]:
    """No name is too long below it, and lines are about as long everywhere."""
    folder = Path(os.path.realpath(tempfile.mkdtemp(prefix="codex-")))
    yield folder
    shutil.rmtree(folder)
