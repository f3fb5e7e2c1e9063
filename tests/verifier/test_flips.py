from __future__ import annotations

import random
from pathlib import Path

import pytest

from assembler_verifier import verify_package
from tests.verifier.vectors import lay_out, package_files

BASES = ("codeai-16-bound", "tool-numbers", "ka2-2026-09-14")


def surviving_flips(name: str, count: int, folder: Path) -> list[tuple[str, int, int]]:
    """Change single bytes, one at a time, and list the changes that nobody noticed."""
    files = package_files(name)
    lay_out(files, folder)
    chance = random.Random(name)
    names = sorted(files)
    survivors = []
    for number in range(count):
        file = names[number % len(names)]
        data = bytearray(files[file])
        place, change = chance.randrange(len(data)), chance.randrange(1, 256)
        data[place] ^= change
        (folder / file).write_bytes(data)
        if verify_package(folder).holds:
            survivors.append((file, place, change))
        (folder / file).write_bytes(files[file])
    return survivors


@pytest.mark.parametrize("name", BASES)
def test_verify_package__notices_a_changed_byte(name: str, tmp_path: Path) -> None:
    assert surviving_flips(name, 100, tmp_path / "package") == []


@pytest.mark.long
@pytest.mark.parametrize("name", BASES)
def test_verify_package__notices_any_of_many_changed_bytes(name: str, tmp_path: Path) -> None:
    assert surviving_flips(name, 1_000, tmp_path / "package") == []
