"""The walk: one look at the tree, one file a folder, nothing opened."""

from __future__ import annotations

from pathlib import Path

import pytest

from assembler.discover.instructions import (
    files_to_read,
    find_instructions,
    find_marker_root,
)
from assembler.model.agent import CODEX
from assembler.model.chain import STRICT, FolderFinds, InstructionSearch
from assembler.model.tree import Entry, EntryKind
from tests.builders.trees import FIFO, FOLDER, EntriesTree, Link, write_tree


def file(path: str) -> Entry:
    return Entry(path=path, kind=EntryKind.FILE, real_path=path, size_bytes=1)


def used(search: InstructionSearch) -> list[str | None]:
    return [finds.used.path if finds.used else None for finds in search.folders]


def finds_of(search: InstructionSearch, folder: str) -> FolderFinds:
    return next(finds for finds in search.folders if finds.folder == folder)


def test_walk__asks_the_tree_once_for_everything() -> None:
    tree = EntriesTree([file("AGENTS.md"), file("a/b/AGENTS.md")], folders=["a", "a/b"])

    search = find_instructions(tree, ["a/b"], rules=STRICT, targets=["a/b/c/x.py"])

    assert len(tree.look_ups) == 1
    assert used(search) == ["AGENTS.md", None, "a/b/AGENTS.md"]


def test_walk__goes_past_a_folder_without_a_file_and_never_aside(tmp_path: Path) -> None:
    tree = write_tree(
        tmp_path, {"AGENTS.md": "r", "svc/api/AGENTS.md": "a", "web/AGENTS.md": "w", "svc/x": ""}
    )

    search = find_instructions(tree, ["svc/api"], rules=STRICT)

    assert [finds.folder for finds in search.folders] == ["", "svc", "svc/api"]
    assert used(search) == ["AGENTS.md", None, "svc/api/AGENTS.md"]


def test_folder__uses_the_first_file_and_hides_the_later_names(tmp_path: Path) -> None:
    files = {"AGENTS.override.md": "", "AGENTS.md": "r", "GUIDE.md": "g", "a/GUIDE.md": "g"}
    tree = write_tree(tmp_path, files)

    rules = STRICT._replace(fallbacks=("GUIDE.md",))
    search = find_instructions(tree, ["a"], rules=rules)

    assert used(search) == ["AGENTS.override.md", "a/GUIDE.md"]
    hidden = [entry.path for entry in finds_of(search, "").hidden]
    assert hidden == ["AGENTS.md", "GUIDE.md"]


@pytest.mark.parametrize(
    ("spec", "kind"),
    [
        (FOLDER, EntryKind.DIRECTORY),
        (FIFO, EntryKind.OTHER),
        (Link("nowhere"), EntryKind.DANGLING_LINK),
        (Link("sub"), EntryKind.DIRECTORY),
    ],
)
def test_folder__passes_over_what_is_no_file(tmp_path: Path, spec: object, kind: EntryKind) -> None:
    tree = write_tree(tmp_path, {"sub/x": "", "AGENTS.override.md": spec, "AGENTS.md": "r"})

    finds = finds_of(find_instructions(tree, [""], rules=STRICT), "")

    assert [entry.kind for entry in finds.passed] == [kind]
    assert finds.used is not None
    assert finds.used.path == "AGENTS.md"


def test_folder__stops_at_a_name_that_can_not_be_looked_at(tmp_path: Path) -> None:
    tree = write_tree(
        tmp_path, {"AGENTS.override.md": Link("AGENTS.override.md"), "AGENTS.md": "r"}
    )

    finds = finds_of(find_instructions(tree, [""], rules=STRICT), "")

    assert finds.used is not None
    assert (finds.used.kind, finds.used.problem) == (EntryKind.ERROR, "ELOOP")


def test_folder__never_tries_a_name_behind_the_used_one(tmp_path: Path) -> None:
    tree = write_tree(tmp_path, {"AGENTS.md": "r", "LOOP.md": Link("LOOP.md")})

    rules = STRICT._replace(fallbacks=("LOOP.md", "n" * 300))
    finds = finds_of(find_instructions(tree, [""], rules=rules), "")

    assert finds.used is not None
    assert (finds.used.path, finds.hidden) == ("AGENTS.md", ())


def test_outside_link__counts_as_used_and_is_not_read(tmp_path: Path) -> None:
    root = tmp_path / "r"
    tree = write_tree(root, {"AGENTS.md": Link("../outside.md"), "a/AGENTS.md": "a"})
    (tmp_path / "outside.md").write_text("secret")

    search = find_instructions(tree, ["a"], rules=STRICT)

    assert used(search) == ["AGENTS.md", "a/AGENTS.md"]
    assert [entry.path for entry in files_to_read(search, STRICT)] == ["a/AGENTS.md"]


def test_outside_link__is_read_only_where_links_are_followed(tmp_path: Path) -> None:
    tree = write_tree(tmp_path, {"r/AGENTS.md": Link("../o.md"), "o.md": "outside"})
    followed = find_instructions(tree, ["r"], rules=CODEX.walk, top="r")

    assert [entry.real_path for entry in files_to_read(followed, CODEX.walk)] == ["o.md"]
    assert files_to_read(followed, STRICT) == ()


def test_folder_behind_an_outside_link__is_told_as_such(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    tree = write_tree(tmp_path / "r", {"pkg": Link("../outside"), "AGENTS.md": "r"})

    search = find_instructions(tree, ["pkg/src/x.py"], rules=STRICT)

    entry = finds_of(search, "pkg").used
    assert entry is not None
    assert (entry.path, entry.kind) == ("pkg", EntryKind.OUTSIDE_LINK)


def test_ends__of_a_file_are_its_folder_and_of_a_new_file_too(tmp_path: Path) -> None:
    tree = write_tree(tmp_path, {"a/x.py": "", "a/AGENTS.md": "a"})

    for end in ("a", "a/x.py", "a/new.py"):
        search = find_instructions(tree, [end], rules=STRICT)
        assert used(search) == [None, "a/AGENTS.md"], end


def test_ends__that_pass_through_a_file_lose_nothing(tmp_path: Path) -> None:
    tree = write_tree(tmp_path, {"a/x.py": "", "a/AGENTS.md": "a"})

    search = find_instructions(tree, ["a/x.py/deeper/y"], rules=STRICT)

    assert [finds.used.kind for finds in search.folders if finds.used] == [EntryKind.FILE]


def test_several_ends__give_each_folder_once_after_its_parents(tmp_path: Path) -> None:
    tree = write_tree(tmp_path, {"a/b/x": "", "c/y": "", "a-b/z": ""})

    search = find_instructions(tree, ["c/y", "a/b/x", "a/b", "a-b/z"], rules=STRICT)

    assert [finds.folder for finds in search.folders] == ["", "a", "a/b", "a-b", "c"]


def test_below__is_what_applies_to_a_target_and_is_not_walked(tmp_path: Path) -> None:
    files = {"AGENTS.md": "r", "p/AGENTS.md": "p", "p/src/x.ts": "", "p/src/AGENTS.md": "s"}
    tree = write_tree(tmp_path, files)

    search = find_instructions(tree, [""], rules=STRICT, targets=["p/src/x.ts"])

    assert used(search) == ["AGENTS.md"]
    assert [finds.used.path for finds in search.below if finds.used] == [
        "p/AGENTS.md",
        "p/src/AGENTS.md",
    ]
    assert [entry.path for entry in files_to_read(search, STRICT)] == [
        "AGENTS.md",
        "p/AGENTS.md",
        "p/src/AGENTS.md",
    ]


def test_off__names_wrong_cases_and_other_agents_files(tmp_path: Path) -> None:
    files = {
        "agents.md": "l",
        "Agents.override.md": "o",
        "CLAUDE.md": "c",
        ".agents/AGENTS.md": "x",
    }
    tree = write_tree(tmp_path, files)

    finds = finds_of(find_instructions(tree, [""], rules=STRICT), "")

    assert {entry.path for entry in finds.off} == set(files)


def test_off__does_not_name_a_fallback(tmp_path: Path) -> None:
    tree = write_tree(tmp_path, {"AGENTS.md": "r", "CLAUDE.md": "c"})

    rules = STRICT._replace(fallbacks=("CLAUDE.md",))
    finds = finds_of(find_instructions(tree, [""], rules=rules), "")

    assert finds.off == ()
    assert [entry.path for entry in finds.hidden] == ["CLAUDE.md"]


def test_off__is_looked_at_only_where_a_listing_has_it() -> None:
    tree = EntriesTree([file("agents.md"), file("GEMINI.md"), file("CLAUDE.md"), file("AGENTS.md")])

    search = find_instructions(tree, [""], rules=STRICT, listed=frozenset({"GEMINI.md"}))

    assert [entry.path for entry in finds_of(search, "").off] == ["agents.md", "GEMINI.md"]
    assert used(search) == ["AGENTS.md"]
    assert tree.look_ups == [
        ("", "AGENTS.override.md", "AGENTS.md", "GEMINI.md"),
        ("agents.md",),
    ]


def test_top__is_where_the_walk_starts(tmp_path: Path) -> None:
    tree = write_tree(tmp_path, {"AGENTS.md": "above", "r/AGENTS.md": "r", "r/a/AGENTS.md": "a"})

    search = find_instructions(tree, ["r/a"], rules=CODEX.walk, top="r")

    assert used(search) == ["r/AGENTS.md", "r/a/AGENTS.md"]


@pytest.mark.parametrize(
    ("markers", "root"),
    [
        ((".git",), "r"),
        ((".top",), ""),
        ((".nope",), None),
        ((), None),
        (("",), "r/a"),
        (("../flag",), "r"),
        (("/flag",), "r/a"),
        ((".jj/repo",), "r"),
        (("file/x",), None),
        (("*.sln",), None),
        ((".dead", ".loop"), None),
    ],
)
def test_marker_root__is_the_nearest_folder_where_one_exists(
    tmp_path: Path, markers: tuple[str, ...], root: str | None
) -> None:
    files = {
        ".top": "", "flag": "", "r/.git/HEAD": "", "r/.jj/repo/x": "", "r/a/file": "",
        "x.sln": "", "r/a/.dead": Link("gone"), "r/a/.loop": Link(".loop"),
    }  # fmt: skip
    tree = write_tree(tmp_path, files)

    assert find_marker_root(tree, "r/a", markers) == root


def test_look_alike__of_any_kind_is_never_read_and_told(tmp_path: Path) -> None:
    names = ["agents.MD", "AGENT\u0405.md", "AGENTS.md\u200b", "AGENTS.override.md ", "CLAUDE.md"]
    tree = write_tree(tmp_path, dict.fromkeys([*names, "notes.md"], "x"))

    search = find_instructions(tree, [""], rules=STRICT)

    assert {entry.path for entry in finds_of(search, "").off} == set(names)
    assert used(search) == [None]


def test_look_alikes__are_not_told_of_a_folder_with_too_many_names(tmp_path: Path) -> None:
    tree = write_tree(tmp_path, {"AGENTS.md": "x", "agents.md": "x", "a": "", "b": ""})

    assert tree.names_in([""], most_names=4)[""] == {"AGENTS.md", "agents.md", "a", "b"}
    assert tree.names_in([""], most_names=3)[""] == frozenset()
    assert tree.names_in(["gone"], most_names=3)["gone"] == frozenset()
