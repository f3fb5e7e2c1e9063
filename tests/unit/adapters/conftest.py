"""A repository to read, and a place for what reading leaves behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders.repositories import RepositoryBuilder


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    folder = tmp_path / "scratch"
    folder.mkdir()
    return folder


@pytest.fixture
def repository(tmp_path: Path) -> RepositoryBuilder:
    return RepositoryBuilder(tmp_path / "r")
