"""A good store, for the tests that look into it and those that spoil it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.verifier.stores import KEY, whole_chain, write_store


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return write_store(tmp_path / "assembler.sqlite3", {KEY: whole_chain()})
