"""The tool that writes vectors says of every vector within its reach what the vector says."""

from __future__ import annotations

import copy
import subprocess
import sys
from pathlib import Path

import pytest

from tests.builders.vectors import FOLDER, load_vector, vector_names
from tools.make_vector import BeyondError, expect

ROOT = Path(__file__).parents[2]
BEYOND = {"paths", "counter-unavailable", "raj-o200k"}
"""By path, and with a vocabulary: `paths` has one, the other two the other."""


@pytest.mark.parametrize("name", sorted({*vector_names()} - BEYOND))
def test_tool__expects_what_the_vector_does(name: str) -> None:
    vector = load_vector(name)
    assert expect(vector) == vector["expected"]


@pytest.mark.parametrize("name", sorted(BEYOND))
def test_tool__says_what_is_beyond_it(name: str) -> None:
    with pytest.raises(BeyondError):
        expect(load_vector(name))


def test_check__tells_a_vector_that_expects_something_else() -> None:
    vector = copy.deepcopy(load_vector("turned-away"))
    vector["inventory"]["candidates"][4]["content"]["where"] = "another place"
    assert expect(vector) != vector["expected"]


def test_command__checks_without_writing() -> None:
    path = FOLDER / "turned-away.json"
    before = path.read_bytes()
    done = subprocess.run(
        [sys.executable, "tools/make_vector.py", "--check", "turned-away", "turned-away-required"],
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == 0
    assert path.read_bytes() == before
