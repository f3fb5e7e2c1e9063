from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import pytest

from assembler.adapters.git import GitRepository
from assembler.adapters.trees import (
    FolderTree,
    IndexTree,
    RevisionTree,
    WorktreeTree,
    open_tree,
)
from assembler.errors import UsageError
from assembler.model.digest import git_blob_id
from assembler.model.tree import Authorized, Entry, EntryKind, Listing, Unreadable
from assembler.ports import SourceTree
from tests.builders.repositories import RepositoryBuilder

PLACES = ["worktree", "index", "HEAD"]


@pytest.fixture
def repository(tmp_path: Path) -> RepositoryBuilder:
    return RepositoryBuilder(tmp_path / "r")


def granted(entries: Iterable[Entry]) -> list[Authorized]:
    return [Authorized(entry=entry, grant="test") for entry in entries]


def read(tree: SourceTree, *paths: str, limit_bytes: int = 1_000) -> dict[str, bytes | Unreadable]:
    entries = tree.look_up(paths)
    return dict(tree.read(granted(entries.values()), limit_bytes=limit_bytes))


def shape(entry: Entry) -> tuple[object, ...]:
    """What is the same of an entry wherever it is read from."""
    return (entry.path, entry.kind, entry.real_path, entry.link_text, entry.problem)


def shapes(listing: Listing) -> list[tuple[str, str]]:
    return [(entry.path, entry.kind.value) for entry in listing.entries]


def many_links(repository: RepositoryBuilder) -> list[str]:
    """A repository where every kind of link is, and all the paths worth a look."""
    repository.write({"a/b/f.txt": "content\n", "a/g.txt": "g", ".ai/AGENTS.md": "one text\n"})
    repository.write({"a-b/f": "", "a.d/f": "", "a0/f": "", "ab": ""})
    links = {
        "AGENTS.md": ".ai/AGENTS.md",
        "CLAUDE.md": "AGENTS.md",
        "folder": "a/b",
        "a/up": "../folder/f.txt",
        "again": "folder",
        "self": ".",
        "slash": "a/b/",
        "dots": "./a//b/../g.txt",
        "dead": "nowhere/x",
        "dead-inside": "a/none",
        "loop1": "loop2",
        "loop2": "loop1",
        "out": "../outside",
        "out-late": "a/../../outside",
        "etc": "/etc/passwd",
        "chained-out": "out",
        "through-file": "a/g.txt/x",
        "up-from-file": "a/g.txt/../g.txt",
    }
    repository.link(links)
    (repository.root.parent / "outside").mkdir()
    (repository.root.parent / "outside/f").write_text("secret")
    extra = [
        "",
        "a",
        "a/b",
        "a/b/f.txt",
        "a/none",
        "none/x",
        "folder/f.txt",
        "again/f.txt",
        "again/none",
        "self/self/a/g.txt",
        "dead/x",
        "out/f",
        "chained-out/f",
        "a/g.txt/x",
        "../outside/f",
        "a//g.txt",
    ]
    return [*links, *extra]


@pytest.mark.parametrize("at", PLACES)
def test_trees__agree_on_every_kind_of_path(repository: RepositoryBuilder, at: str) -> None:
    paths = many_links(repository)
    repository.commit()
    on_disk = FolderTree(repository.root).look_up(paths)
    with repository.open() as git:
        found = open_tree(repository.places(), git, at).look_up(paths)
    assert list(found) == paths
    assert [shape(entry) for entry in found.values()] == [shape(on_disk[path]) for path in paths]
    assert on_disk["CLAUDE.md"].real_path == ".ai/AGENTS.md"
    assert on_disk["a/up"].real_path == "a/b/f.txt"
    assert on_disk["dead-inside"].kind is EntryKind.DANGLING_LINK
    assert on_disk["again/none"].kind is EntryKind.MISSING
    assert {
        on_disk[path].kind for path in ("out", "out/f", "out-late", "etc", "chained-out/f")
    } == {EntryKind.OUTSIDE_LINK}


@pytest.mark.parametrize("at", PLACES)
def test_trees__agree_on_what_is_below(repository: RepositoryBuilder, at: str) -> None:
    many_links(repository)
    repository.commit()
    asked = ["a", "folder", "out", "none", "dead", "self/.ai"]
    with repository.open() as git:
        tree = open_tree(repository.places(), git, at)
        for depth, entries in ((9, 99), (0, 99), (1, 99), (9, 2), (9, 0)):
            there = tree.list_under(asked, max_depth=depth, max_entries=entries)
            here = FolderTree(repository.root).list_under(
                asked, max_depth=depth, max_entries=entries
            )
            assert shapes(there) == shapes(here)
            assert there.truncated == here.truncated
        assert shapes(tree.list_under(["folder"], max_depth=9, max_entries=9)) == [
            ("folder/f.txt", "file")
        ]


@pytest.mark.parametrize("at", PLACES)
def test_trees__read_where_the_links_lead(repository: RepositoryBuilder, at: str) -> None:
    many_links(repository)
    repository.commit()
    with repository.open() as git:
        tree = open_tree(repository.places(), git, at)
        assert read(tree, "CLAUDE.md", "again/f.txt", "a/g.txt") == {
            "CLAUDE.md": b"one text\n",
            "again/f.txt": b"content\n",
            "a/g.txt": b"g",
        }
        odd = read(tree, "out/f", "etc", "dead", "a", "loop1", "none")
        assert all(isinstance(content, Unreadable) for content in odd.values())
        assert read(tree, "a/b/f.txt", limit_bytes=7) == {"a/b/f.txt": Unreadable("size-limit")}
        assert read(tree, "a/b/f.txt", limit_bytes=8) == {"a/b/f.txt": b"content\n"}
        assert git.process_count <= 4


@pytest.mark.parametrize("at", ["index", "HEAD"])
def test_trees__of_git_never_look_at_the_disk(repository: RepositoryBuilder, at: str) -> None:
    repository.write({"a/f": "committed"}).link({"l": "a/f"}).commit()
    (repository.root / "l").unlink()
    (repository.root / "a/f").write_text("changed")
    (repository.root / "l").symlink_to("/etc/passwd")
    with repository.open() as git:
        tree = open_tree(repository.places(), git, at)
        assert read(tree, "l", "a/f") == {"l": b"committed", "a/f": b"committed"}
        assert tree.look_up(["a/f"])["a/f"].blob_id == git_blob_id(b"committed")


@pytest.mark.parametrize("at", ["index", "HEAD"])
def test_trees__of_git_take_an_absolute_link_for_one_that_leaves(
    repository: RepositoryBuilder, at: str
) -> None:
    repository.write({"a": "x"}).link({"l": str(repository.root / "a")}).commit()
    with repository.open() as git:
        tree = open_tree(repository.places(), git, at)
        assert tree.look_up(["l"])["l"].kind is EntryKind.OUTSIDE_LINK
        on_disk = open_tree(repository.places(), git, "worktree")
        assert on_disk.look_up(["l"])["l"].real_path == "a"


@pytest.mark.parametrize("at", PLACES)
def test_trees__know_nothing_of_what_a_submodule_holds(
    repository: RepositoryBuilder, tmp_path: Path, at: str
) -> None:
    RepositoryBuilder(tmp_path / "lib").write({"f": "1"}).commit()
    repository.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", "../lib", "sub")
    repository.commit()
    with repository.open() as git:
        tree = open_tree(repository.places(), git, at)
        assert ("sub", "other") in shapes(tree.list_files())
        if at != "worktree":
            found = tree.look_up(["sub", "sub/f"])
            assert {entry.kind for entry in found.values()} == {EntryKind.OTHER}
            assert read(tree, "sub", "sub/f") == {
                "sub": Unreadable("not-a-file"),
                "sub/f": Unreadable("missing"),
            }


@pytest.mark.parametrize("at", PLACES)
def test_trees__keep_names_that_are_not_utf8_apart(repository: RepositoryBuilder, at: str) -> None:
    for name in (b"bad\xff", b"new\nline", b"a\tb"):
        (repository.root / os.fsdecode(name)).write_text("x")
    repository.write({"caf\u00e9 \u00fc/AGENTS.md": "accent\n"}).commit()
    with repository.open() as git:
        tree = open_tree(repository.places(), git, at)
        listing = tree.list_files()
        names = [entry.path for entry in listing.entries]
        assert names == ["a\tb", "caf\u00e9 \u00fc/AGENTS.md", "new\nline"]
        assert listing.unnamable == (b"bad\xff",)
        assert read(tree, "caf\u00e9 \u00fc/AGENTS.md", "new\nline") == {
            "caf\u00e9 \u00fc/AGENTS.md": b"accent\n",
            "new\nline": b"x",
        }
        assert tree.list_under([""], max_depth=3, max_entries=9).unnamable == (b"bad\xff",)


@pytest.mark.parametrize("at", PLACES)
def test_trees__paths_alone_are_those_of_the_listing(
    repository: RepositoryBuilder, at: str
) -> None:
    many_links(repository)
    repository.commit()
    repository.write({"new": "n"})
    with repository.open() as git:
        tree = open_tree(repository.places(), git, at)
        assert isinstance(tree, WorktreeTree | IndexTree | RevisionTree)
        assert tree.list_paths() == tuple(entry.path for entry in tree.list_files().entries)
        assert git.process_count == (2 if at == "HEAD" else 1)


def test_open_tree__tells_where_it_reads_and_at_what_revision(
    repository: RepositoryBuilder,
) -> None:
    first = repository.write({"a": "1"}).commit()
    second = repository.write({"a": "2"}).commit()
    with repository.open() as git:
        places = repository.places()
        told = [
            (tree.at, tree.revision)
            for tree in (
                open_tree(places, git, "worktree"),
                open_tree(places, git, "index"),
                open_tree(places, git, "HEAD~1"),
            )
        ]
        assert told == [("worktree", second), ("index", second), (first, first)]
        with pytest.raises(UsageError) as caught:
            open_tree(places, git, "nope")
        assert caught.value.code == "revision-missing"
        assert git.process_count == 1


def test_open_tree__reads_a_branch_called_index_by_its_longer_name(
    repository: RepositoryBuilder,
) -> None:
    first = repository.commit()
    repository.git("branch", "index")
    with repository.open() as git:
        assert open_tree(repository.places(), git, "heads/index").at == first
        assert open_tree(repository.places(), git, "index").at == "index"


def test_open_tree__on_an_unborn_branch(repository: RepositoryBuilder) -> None:
    repository.write({"a": "1"})
    with repository.open() as git:
        tree = open_tree(repository.places(), git, "worktree")
        assert tree.revision is None
        assert shapes(tree.list_files()) == [("a", "file")]
        assert isinstance(tree, WorktreeTree)
        assert tree.head_blob_ids(["a"]) == {"a": None}
        assert open_tree(repository.places(), git, "index").list_files() == Listing(entries=())
        with pytest.raises(UsageError) as caught:
            open_tree(repository.places(), git, "HEAD")
        assert caught.value.code == "unborn-branch"


def test_open_tree__without_git_is_a_plain_folder(repository: RepositoryBuilder) -> None:
    repository.write({"a/f": "1", ".gitignore": "a\n"})
    tree = open_tree(repository.places(), None, "worktree")
    assert (tree.at, tree.revision) == ("worktree", None)
    assert shapes(tree.list_files()) == [(".gitignore", "file"), ("a/f", "file")]
    assert read(tree, "a/f") == {"a/f": b"1"}
    for at in ("index", "HEAD"):
        with pytest.raises(UsageError) as caught:
            open_tree(repository.places(), None, at)
        assert caught.value.code == "not-a-repository"


def test_worktree__lists_what_git_names_and_says_what_is_untracked(
    repository: RepositoryBuilder,
) -> None:
    repository.write({".gitignore": "*.log\n", "a": "1", "gone": "2"}).commit()
    repository.write({"x.log": "", "new": "n", "AGENTS.override.md": ""}).link({"l": "a"})
    (repository.root / "gone").unlink()
    RepositoryBuilder(repository.root / "inner").write({"f": ""}).commit()
    with repository.open() as git:
        tree = WorktreeTree(git)
        assert shapes(tree.list_files()) == [
            (".gitignore", "file"),
            ("AGENTS.override.md", "file"),
            ("a", "file"),
            ("gone", "file"),
            ("inner", "other"),
            ("l", "link"),
            ("new", "file"),
        ]
        assert tree.untracked_paths() == {"AGENTS.override.md", "inner", "l", "new"}
        assert tree.look_up(["gone"])["gone"].kind is EntryKind.MISSING
        assert git.process_count == 1


def test_worktree__shows_a_link_that_was_checked_out_as_a_file(
    repository: RepositoryBuilder, tmp_path: Path
) -> None:
    repository.write({"CLAUDE.md": "guide\n"}).link({"AGENTS.md": "CLAUDE.md"}).commit()
    clone = RepositoryBuilder(tmp_path / "clone", make=False)
    clone.git("clone", "-q", "-c", "core.symlinks=false", str(repository.root), ".")
    with clone.open() as git:
        tree = WorktreeTree(git)
        assert ("AGENTS.md", "link") in shapes(tree.list_files())
        entry = tree.look_up(["AGENTS.md"])["AGENTS.md"]
        assert (entry.kind, entry.link_text) == (EntryKind.FILE, None)


def test_worktree__tells_what_differs_from_head(repository: RepositoryBuilder) -> None:
    repository.write({"a": "1", "dir/b": "2", "new\nline": "3"}).commit()
    repository.write({"a": "changed", "new": "n"}).git("add", "new")
    with repository.open() as git:
        tree = WorktreeTree(git)
        asked = ["a", "dir/b", "new\nline", "new", "dir", "none", "a"]
        assert tree.head_blob_ids(asked) == {
            "a": git_blob_id(b"1"),
            "dir/b": git_blob_id(b"2"),
            "new\nline": git_blob_id(b"3"),
            "new": None,
            "dir": None,
            "none": None,
        }
        assert git.process_count == 2
        assert tree.object_format == "sha1"


def conflict(repository: RepositoryBuilder) -> None:
    repository.write({"AGENTS.md": "base\n", "d/f": "f"}).commit()
    blobs = [
        repository.git("hash-object", "-w", "--stdin", stdin=text).decode().strip()
        for text in (b"base\n", b"mine\n", b"other\n")
    ]
    lines = "".join(
        f"100644 {blob_id} {stage}\tAGENTS.md\n" for stage, blob_id in enumerate(blobs, 1)
    )
    repository.git("rm", "-q", "--cached", "AGENTS.md")
    repository.git("update-index", "--index-info", stdin=lines.encode())


def test_index__names_what_is_in_conflict_and_reads_no_side_of_it(
    repository: RepositoryBuilder,
) -> None:
    conflict(repository)
    with repository.open() as git:
        tree = IndexTree(git)
        entry = tree.look_up(["AGENTS.md"])["AGENTS.md"]
        assert (entry.kind, entry.problem) == (EntryKind.ERROR, "UNMERGED")
        assert shapes(tree.list_files()) == [("AGENTS.md", "error"), ("d/f", "file")]
        assert tree.conflicted_paths() == ("AGENTS.md",)
        assert read(tree, "AGENTS.md") == {"AGENTS.md": Unreadable("missing")}
        worktree = WorktreeTree(git)
        assert worktree.conflicted_paths() == ("AGENTS.md",)
        assert shapes(worktree.list_files()) == [("AGENTS.md", "file"), ("d/f", "file")]


def test_index__takes_an_announced_file_for_missing_and_an_empty_one_for_empty(
    repository: RepositoryBuilder,
) -> None:
    repository.write({"AGENTS.md": "new rule\n", "empty.md": "", "full.md": "f"})
    repository.git("add", "empty.md", "full.md")
    repository.git("add", "-N", "AGENTS.md")
    with repository.open() as git:
        tree = IndexTree(git)
        found = tree.look_up(["AGENTS.md", "empty.md", "full.md"])
        assert [entry.kind.value for entry in found.values()] == ["missing", "file", "file"]
        assert read(tree, "empty.md") == {"empty.md": b""}
        assert WorktreeTree(git).look_up(["AGENTS.md"])["AGENTS.md"].kind is EntryKind.FILE


def test_index__reads_the_file_that_a_hook_names(repository: RepositoryBuilder) -> None:
    repository.write({"AGENTS.md": "v1\n"}).commit()
    other = repository.root / ".git/next-index-1.lock"
    other.write_bytes((repository.root / ".git/index").read_bytes())
    repository.write({"AGENTS.md": "v2\n"})
    repository.git("add", "AGENTS.md", GIT_INDEX_FILE=str(other))
    with repository.open() as git:
        places = repository.places()
        for name, text in ((None, b"v1\n"), (other, b"v2\n"), (Path(".git/index"), b"v1\n")):
            tree = open_tree(places, git, "index", index_file=name)
            assert read(tree, "AGENTS.md") == {"AGENTS.md": text}


def test_index__in_a_linked_worktree_under_a_hooks_environment(
    repository: RepositoryBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.write({"AGENTS.md": "main\n"}).commit()
    repository.git("worktree", "add", "-q", "../wt", "-b", "f")
    linked = RepositoryBuilder(tmp_path / "wt", make=False).write({"AGENTS.md": "wt staged\n"})
    linked.git("add", "AGENTS.md")
    git_dir = tmp_path / "r/.git/worktrees/wt"
    monkeypatch.setenv("GIT_DIR", str(git_dir))
    monkeypatch.setenv("GIT_INDEX_FILE", str(git_dir / "index"))
    monkeypatch.setenv("GIT_PREFIX", "")
    with linked.open() as git:
        tree = open_tree(linked.places(), git, "index", index_file=git_dir / "index")
        assert read(tree, "AGENTS.md") == {"AGENTS.md": b"wt staged\n"}
        assert read(open_tree(linked.places(), git, "main"), "AGENTS.md") == {
            "AGENTS.md": b"main\n"
        }


def test_revision__refuses_a_link_that_is_too_long_or_not_there(
    repository: RepositoryBuilder,
) -> None:
    long = repository.put_object(b"blob", b"x" * 5_000)
    empty = repository.put_object(b"blob", b"")
    tree_id = repository.put_tree(
        [
            ("120000", b"empty", empty),
            ("120000", b"gone", "0" * 39 + "1"),
            ("120000", b"long", long),
        ]
    )
    commit = repository.put_commit(tree_id)
    with repository.open() as git:
        found = open_tree(repository.places(), git, commit).look_up(["empty", "gone", "long"])
        assert {entry.problem for entry in found.values()} == {"EIO"}


def test_revision__follows_forty_links_and_no_more(repository: RepositoryBuilder) -> None:
    repository.write({"l0": "x"})
    repository.link({f"l{number}": f"l{number - 1}" for number in range(1, 42)}).commit()
    with repository.open() as git:
        found = open_tree(repository.places(), git, "HEAD").look_up(["l40", "l41"])
        assert found["l40"].real_path == "l0"
        assert found["l41"].problem == "ELOOP"
        assert git.process_count == 2


def test_revision__gives_nothing_of_a_damaged_blob(repository: RepositoryBuilder) -> None:
    repository.write({"AGENTS.md": "good\n"}).commit()
    repository.put_object(b"blob", b"evil\n", under=git_blob_id(b"good\n"))
    with repository.open() as git:
        tree = open_tree(repository.places(), git, "HEAD")
        assert read(tree, "AGENTS.md") == {"AGENTS.md": Unreadable("corrupt-object")}


def test_trees__of_one_run_share_their_processes(repository: RepositoryBuilder) -> None:
    repository.write({f"d{number}/AGENTS.md": f"{number}\n" for number in range(300)})
    repository.link({"CLAUDE.md": "d0/AGENTS.md"}).commit()
    repository.write({"d0/AGENTS.md": "changed\n"})
    with repository.open() as git:
        worktree = open_tree(repository.places(), git, "worktree")
        policy = open_tree(repository.places(), git, "HEAD")
        assert isinstance(worktree, WorktreeTree)
        names = worktree.list_paths()
        assert len(read(worktree, *names)) == 302 - 1
        assert len(read(policy, *names)) == 302 - 1
        worktree.head_blob_ids(names)
        read(policy, "CLAUDE.md")
        assert worktree.revision == policy.revision
        # Commits and contents, sizes, the worktree, and the tree, which has HEAD's ids.
        assert git.process_count == 3


def test_git_repository__is_what_the_trees_are_given(repository: RepositoryBuilder) -> None:
    with repository.open() as git:
        assert isinstance(git, GitRepository)


def test_worktree__reads_line_ends_as_git_has_them(repository: RepositoryBuilder) -> None:
    texts = {"lf": b"1\n2\n", "crlf": b"1\r\n2\r\n", "mixed": b"1\r\n2\n", "big": b"1\n" * 9_000}
    repository.write(texts).link({"same": "lf"}).commit()
    written = {
        "lf": b"1\r\n2\r\n", "crlf": b"1\r\n3\r\n", "mixed": b"1\r\n3\r\n",
        "big": b"1\r\n3\r\n", "new": b"1\r\n",
    }  # fmt: skip
    repository.write(written)
    paths = [*written, "same"]
    with repository.open() as git:
        plain = {"lf": b"1\n2\n", "same": b"1\n2\n"}
        assert read(WorktreeTree(git), *paths) == {**written, **plain}
    repository.write({"lf": b"1\r\n3\r\n"})
    with repository.open() as git:
        plain = {"lf": b"1\n3\n", "same": b"1\n3\n"}
        assert read(WorktreeTree(git), *paths) == {**written, **plain}
    repository.write({"lf": b"1\r\n3\n"})
    with repository.open() as git:
        assert read(WorktreeTree(git), "lf") == {"lf": b"1\r\n3\n"}
