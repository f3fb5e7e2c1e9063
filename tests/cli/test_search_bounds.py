"""Hits of a search decide nothing, and what is read of them is bounded."""

from __future__ import annotations

import json

import pytest

from tests.builders.command_line import CommandLine
from tests.builders.repositories import RepositoryBuilder

MIB = 1024 * 1024


@pytest.mark.parametrize("at", ["worktree", "HEAD"])
def test_hits__are_read_within_bounds_of_their_own(
    assembler: CommandLine, repository: RepositoryBuilder, at: str
) -> None:
    line = b"x" * 1023 + b"\n"
    files = {f"big/a{number:02}.bin": line * 1024 for number in range(20)}
    files |= {"big/exact.bin": b"y" * MIB, "big/over.bin": b"y" * (MIB + 1), "big/z.txt": b"z\n"}
    repository.write(files)
    repository.commit()
    task = {
        "schema": "assembler/task/1",
        "objective": "x",
        "evidence": [{"file": "big/over.bin", "lines": [1, 1]}],
        "search": [{"name": "*", "in": "big/*"}],
    }
    result = assembler("assemble", "--task", "-", "--at", at, "-f", "json", stdin=json.dumps(task))
    assert result.code == 0, result.talk
    rows = {row["id"]: row for row in result.json["ledger"] if row["id"].startswith("file:big/")}
    hits = {name: row for name, row in rows.items() if "#" not in name}
    assert len(hits) == 23
    assert {row["reason"] for row in hits.values()} == {"no-decision-value"}
    sizes = [row["content_bytes"] for row in hits.values()]
    assert sum(size or 0 for size in sizes) <= 16 * MIB
    assert sizes.count(None) >= 6
    assert rows["file:big/a00.bin"]["content_bytes"] == MIB
    # What the task names is read whatever a search makes of it.
    named = rows["file:big/over.bin#L1-L1"]
    assert named["content_bytes"] == MIB + 1
