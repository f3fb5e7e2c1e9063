"""The table of docs/tool-catalogs.md is what the benchmark finds now, but for its times."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from benchmarks.catalogs import (
    BEGIN,
    END,
    PAGE,
    check_all,
    load_vectors,
    of_kind,
    replace_table,
    write_table,
)
from tests.builders.command_line import CommandLine
from tests.builders.repositories import RepositoryBuilder

OWN_TIME = re.compile(r"\d+\.\d P")


def test_table__is_current_and_every_vector_ends_as_it_must(tmp_path: Path) -> None:
    repository = RepositoryBuilder(tmp_path / "repository")
    repository.write({"AGENTS.md": "# Rules\n"}).commit()
    assembler = CommandLine(cwd=repository.root, home=tmp_path / "home")
    vectors = load_vectors(tmp_path)

    def run(arguments: Sequence[str]) -> int:
        return assembler(*arguments).code

    codes = check_all(vectors, run)

    assert {name: codes[name] for name in of_kind(vectors, "NOT") if codes[name] != 0} == {}
    assert {name: codes[name] for name in of_kind(vectors, "change") if codes[name] != 1} == {}
    assert {name: codes[name] for name in of_kind(vectors, "refused") if codes[name] != 2} == {}
    page = PAGE.read_text(encoding="utf-8")
    written = page.partition(BEGIN)[2].partition(END)[0]
    (time,) = OWN_TIME.findall(written)
    assert written == write_table(vectors, codes, time)


def test_kinds__take_every_vector_once(tmp_path: Path) -> None:
    vectors = load_vectors(tmp_path)
    kinds = [of_kind(vectors, word) for word in ("NOT", "change", "refused")]
    assert sorted(name for kind in kinds for name in kind) == [vector.name for vector in vectors]
    assert [len(kind) for kind in kinds] == [9, 27, 6]


def test_page__keeps_its_words_around_the_table() -> None:
    text = f"a\n{BEGIN}old\n{END}b\n"
    assert replace_table(text, "new\n") == f"a\n{BEGIN}new\n{END}b\n"
