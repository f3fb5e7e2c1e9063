"""What an error means: on every tree with one, a strict run is refused or leaves the file out."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from assembler.front.chains import list_chains
from assembler.model.chain import Chain
from tests.builders.command_line import CommandLine, shared_counts
from tests.builders.instruction_trees import random_repository
from tests.builders.repositories import RepositoryBuilder
from tests.builders.trees import Link, write_tree

LONG = "# Rules\n" + "Keep the diff small.\n" * 2_000

TREES: dict[str, dict[str, object]] = {
    "ASM101": {"AGENTS.md": LONG},
    "ASM102": {"AGENTS.md": "x" * 32_768, "a/AGENTS.md": "# A\n"},
    "ASM106": {"a/AGENTS.md": Link("../../outside.md")},
    "ASM107": {"a/AGENTS.md": Link("gone.md")},
    "ASM107-loop": {"a/AGENTS.md": Link("AGENTS.md")},
    "ASM110": {"a/AGENTS.md": b"# \xff\xfe\n"},
    "ASM113": {"a/AGENTS.md": "../docs/AGENTS.md"},
    "ASM601": {"a/AGENTS.md": "# \u202e\n"},
}
"""A tree for each error that a chain can have."""


def assert_law(root: Path, home: Path) -> set[str]:
    """Ask a strict run in every folder whose chain has an error; the codes that were met."""
    environment = {"HOME": str(home), "XDG_CACHE_HOME": str(shared_counts())}
    met: set[str] = set()
    for folder, chain in list_chains(root, environment=environment).found.by_folder.items():
        slugs = {found.slug for found in chain.findings if found.severity == "error"}
        if slugs:
            met |= {found.code for found in chain.findings if found.severity == "error"}
            assert_run_is_strict(root / folder, home, chain, slugs)
    return met


def assert_run_is_strict(folder: Path, home: Path, chain: Chain, slugs: set[str]) -> None:
    result = CommandLine(cwd=folder, home=home)("assemble", "-m", "x", "-f", "json")
    if result.code == 3:
        return
    assert result.code == 0, result.talk
    out = {row["code"] for row in result.json["ledger"] if row["state"] == "out"}
    assert slugs <= out, chain.findings


@pytest.mark.parametrize("code", TREES)
def test_error__of_each_kind_is_refused_or_out(tmp_path: Path, code: str) -> None:
    repository = RepositoryBuilder(tmp_path / "r")
    write_tree(repository.root, TREES[code])
    repository.commit()
    assert code[:6] in assert_law(repository.root, tmp_path / "home")


@pytest.mark.parametrize("seed", range(200, 212))
def test_error__of_a_random_tree_is_refused_or_out(tmp_path: Path, seed: int) -> None:
    repository = random_repository(tmp_path / "r", random.Random(seed))
    assert_law(repository.root, tmp_path / "home")
