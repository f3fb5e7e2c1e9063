"""Cases of public bug reports about what gets into the bytes of an input, through `assemble`.

They lie beside the repository; without them these tests are skipped.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.builders.bug_cases import Built, build
from tests.builders.command_line import CommandLine, package_of

SURROUNDINGS = (
    {"TZ": "UTC", "LANG": "C.UTF-8", "PYTHONHASHSEED": "0", "USER": "one"},
    {"TZ": "Asia/Tokyo", "LANG": "tr_TR.UTF-8", "PYTHONHASHSEED": "7", "USER": "zwei"},
)


@pytest.mark.parametrize("at", ["worktree", "index", "HEAD"])
def test_079__two_clones_give_the_same_bytes_whatever_is_around_them(
    tmp_path: Path, at: str
) -> None:
    built = build("079", tmp_path)
    packages = []
    for number, (place, variables) in enumerate(
        zip(("one/z", "other place/two/z"), SURROUNDINGS, strict=True)
    ):
        home = tmp_path / f"home {number}"
        command = CommandLine(
            cwd=built.top / place, home=home, variables=tuple(variables.items()), fresh=True
        )
        out = tmp_path / f"package {number}"
        made = command("assemble", "-m", "x", "--at", at, "--out", str(out))
        assert made.code == 0, made.talk
        packages.append(package_of(out))
    assert packages[0] == packages[1]
    text = packages[0]["input.txt"].decode()
    assert {"r", "z"} <= set(text.splitlines())
    for word in (str(built.top), str(tmp_path), os.environ.get("USER", "zwei")):
        assert word not in text


def input_of(built: Built, *words: str) -> bytes:
    return built.run("assemble", "-m", "x", *words, "-f", "input").out


def test_080__an_edit_of_what_is_no_instruction_moves_no_byte_before_its_own(
    tmp_path: Path,
) -> None:
    built = build("080", tmp_path)
    before = input_of(built)

    (built.top / "repo/a.txt").write_text("another text\n")
    (built.top / "repo/new.txt").write_text("an untracked file\n")

    assert input_of(built) == before
    heads = [before.index(f"\n[[{number} ".encode()) for number in range(1, 6)]
    assert heads == sorted(heads)
    first = input_of(built, "-t", "a.txt")
    (built.top / "repo/a.txt").write_text("a third text\n")
    second = input_of(built, "-t", "a.txt")
    evidence = first.index(b"\n[[4 ")
    assert second[:evidence] == first[:evidence]
    assert second != first
