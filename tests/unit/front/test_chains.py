"""All chains of a repository: each is what the walk to its folder gives, and none is missed."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from assembler.assess.chain_summary import NEVER_READ, left_bytes
from assembler.front.chain import ChainReport, report_chain
from assembler.front.chains import ChainsReport, list_chains
from assembler.front.places import find_workplace
from tests.builders.command_line import shared_counts
from tests.builders.instruction_trees import folders_below, random_files, random_repository
from tests.builders.repositories import RepositoryBuilder
from tests.builders.trees import write_tree

PROFILE = (
    "schema: assembler/profile/1\n"
    "instructions: {fallbacks: [TEAM.md], limit_bytes: 30000}\n"
    "read: {deny: ['a-b/**']}\n"
)


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path / "home"), "XDG_CACHE_HOME": str(shared_counts())}


def assert_same(report: ChainsReport, folder: str, alone: ChainReport) -> None:
    listed = report.found.by_folder[folder]
    assert listed == alone.chain, folder
    assert report.tokens[folder] == alone.tokens
    raw = sum(row.size_bytes or 0 for row in listed.rows if row.state == "in")
    is_cut = any(row.state == "cut" and row.loaded_bytes for row in listed.rows)
    assert left_bytes(listed) == (0 if is_cut else listed.limit_bytes - raw)


def assert_rows_are_what_each_folder_says(
    root: Path, environment: dict[str, str], at: str, ignored: frozenset[str] = frozenset()
) -> None:
    """Every folder on disk is asked alone, listed or not."""
    report = list_chains(root, environment=environment, at=at)
    for folder in folders_below(root):
        if find_workplace(root / folder).root != root:
            assert folder not in report.found.by_folder
            continue
        alone = report_chain(root / folder, environment=environment, at=at)
        own = [row for row in alone.chain.rows if row.scope == (folder or ".")]
        has_instructions = any(row.reason not in NEVER_READ for row in own)
        if folder in ignored:
            assert folder not in report.found.by_folder
        elif has_instructions:
            assert_same(report, folder, alone)
        else:
            assert folder not in report.found.by_folder


def ignored_folders(repository: RepositoryBuilder) -> frozenset[str]:
    """Those that a line of the ignore file names as folders, and what is below them."""
    lines = (repository.root / ".gitignore").read_text().splitlines()
    names = {line.removesuffix("/") for line in lines if line.endswith("/")}
    folders = folders_below(repository.root)
    return frozenset(folder for folder in folders if names & set(folder.split("/")))


@pytest.mark.parametrize(
    "seed", [*range(10), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(10, 40))]
)
def test_row__is_what_the_chain_of_its_folder_says(
    tmp_path: Path, environment: dict[str, str], seed: int
) -> None:
    chance = random.Random(seed)
    repository = random_repository(tmp_path / "r", chance)
    if chance.random() < 0.5:
        repository.write({".assembler/profile.yaml": PROFILE})
        repository.git("add", ".assembler")
    assert_rows_are_what_each_folder_says(
        repository.root, environment, "worktree", ignored_folders(repository)
    )
    if (repository.root / ".assembler").exists():
        repository.commit()
    for at in ("index", "HEAD"):
        assert_rows_are_what_each_folder_says(repository.root, environment, at)


@pytest.mark.parametrize("seed", range(8))
def test_row__of_a_plain_folder_is_what_the_chain_of_its_folder_says(
    tmp_path: Path, environment: dict[str, str], seed: int
) -> None:
    """Each folder of a plain one is a root of its own, where its paths begin anew.

    A link that leads up to nothing is dead from above, and leaves the folder from within.
    """
    root = tmp_path / "plain"
    write_tree(root, random_files(random.Random(seed)))
    for path in [path for path in root.rglob("*") if path.is_symlink() and not path.exists()]:
        if str(path.readlink()).startswith(".."):
            path.unlink()
    report = list_chains(root, environment=environment)
    assert report.revision is None
    for folder in folders_below(root):
        alone = report_chain(root / folder, environment=environment)
        prefix = f"{folder}/" if folder else ""
        if all(row.reason in NEVER_READ for row in alone.chain.rows):
            assert folder not in report.found.by_folder
            continue
        listed = report.found.by_folder[folder]
        assert [
            (row.state, row.path.removeprefix(prefix), row.size_bytes, row.loaded_bytes, row.sha256)
            for row in listed.rows
        ] == [
            (row.state, row.path, row.size_bytes, row.loaded_bytes, row.sha256)
            for row in alone.chain.rows
        ]
        assert [
            (found.code, found.path and found.path.removeprefix(prefix), found.line)
            for found in listed.findings
        ] == [(found.code, found.path, found.line) for found in alone.chain.findings]
        assert list(listed.texts.values()) == list(alone.chain.texts.values())
        assert list(report.tokens[folder].values()) == list(alone.tokens.values())


def folders_of(root: Path, environment: dict[str, str], at: str = "worktree") -> list[str]:
    return list(list_chains(root, environment=environment, at=at).found.by_folder)


def test_folder__with_ignored_instructions_alone_is_listed(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    repository = RepositoryBuilder(tmp_path / "r")
    repository.write(
        {
            ".gitignore": "AGENTS.override.md\nvendor/\n",
            "tracked/x.py": "x\n",
            "tracked/AGENTS.override.md": "# Mine\n",
            "bare/deep/AGENTS.override.md": "# Mine\n",
            "vendor/p/AGENTS.md": "# Somebody's\n",
        }
    )
    repository.commit()
    assert folders_of(repository.root, environment) == ["bare/deep", "tracked"]
    assert folders_of(repository.root, environment, "HEAD") == []


def test_folder__that_is_listed_has_the_names_of_the_profile(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    repository = RepositoryBuilder(tmp_path / "r")
    names = ["[x]*.md", "!a.md", "b ", "#c"]
    profile = f"schema: assembler/profile/1\ninstructions: {{fallbacks: {names[:2] + names[3:]}}}\n"
    repository.write({f"d{at}/{name}": "# x\n" for at, name in enumerate(names)})
    repository.write({".gitignore": "/d*/*\n", ".assembler/profile.yaml": profile})
    assert folders_of(repository.root, environment) == ["d0", "d1", "d3"]


def test_repository_inside__is_a_root_of_its_own(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    repository = RepositoryBuilder(tmp_path / "r")
    repository.write({"AGENTS.md": "# x\n", "was/AGENTS.md": "# x\n", "was/in/AGENTS.md": "# x\n"})
    repository.commit()
    RepositoryBuilder(repository.root / "new").write({"AGENTS.md": "# y\n"})
    repository.git("worktree", "add", "-q", "--detach", "linked")
    assert folders_of(repository.root, environment) == ["", "was", "was/in"]
    # A tracked folder that has become a repository since, which git still lists.
    RepositoryBuilder(repository.root / "was")
    assert folders_of(repository.root, environment) == [""]
    assert folders_of(repository.root, environment, "HEAD") == ["", "was", "was/in"]


def test_path__that_is_not_utf8_is_told_and_not_listed(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    repository = RepositoryBuilder(tmp_path / "r")
    repository.write({"AGENTS.md": "# x\n"})
    folder = bytes(repository.root) + b"/d\xff"
    Path(folder.decode("utf-8", "surrogateescape")).mkdir()
    Path(folder.decode("utf-8", "surrogateescape"), "AGENTS.md").write_text("# x\n")
    found = list_chains(repository.root, environment=environment).found
    assert (list(found.by_folder), found.unnamable) == ([""], (b"d\xff/AGENTS.md",))


def test_root__is_listed_only_for_its_own_instructions(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    repository = RepositoryBuilder(tmp_path / "r")
    repository.write({"CLAUDE.md": "# x\n", "agents.md": "# x\n"})
    found = list_chains(repository.root, environment=environment).found
    assert found.by_folder == {}
    assert [finding.code for finding in found.bare[""].findings] == ["ASM108", "ASM116"]


def test_chain__is_not_looked_at_again_for_each_folder_below(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    """A long file at the root is cut alike in every chain, and looked through once."""
    from assembler.assess.instruction_text import cut_at

    repository = RepositoryBuilder(tmp_path / "r")
    repository.write({"AGENTS.md": "# Long\n" * 6_000})
    repository.write({f"d{number}/AGENTS.md": "# x\n" for number in range(20)})
    cut_at.cache_clear()
    found = list_chains(repository.root, environment=environment).found
    assert len(found.by_folder) == 21
    assert cut_at.cache_info().misses == 1


def test_marker__that_leads_nowhere_is_a_root_all_the_same(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    root = tmp_path / "r"
    write_tree(root, {".git": "gitdir: nowhere\n", "AGENTS.md": "# x\n", "a/AGENTS.md": "# y\n"})
    report = list_chains(root, environment=environment)
    assert list(report.found.by_folder) == ["", "a"]
    for folder in report.found.by_folder:
        assert_same(report, folder, report_chain(root / folder, environment=environment))
