from __future__ import annotations

import contextlib
import os
import subprocess
from pathlib import Path

import pytest

from assembler.adapters import git as git_module
from assembler.adapters import git_index, git_trees
from assembler.adapters.git_listing import is_hostile
from assembler.errors import UsageError
from assembler.model.digest import git_blob_id
from tests.builders.repositories import RepositoryBuilder, code_of, git_environment

GONE = "0123456789" * 4


# ---- listings


def test_list_tree__gives_modes_and_ids_of_all_files(repository: RepositoryBuilder) -> None:
    repository.write({"a/b.txt": "b", "run.sh": "#!", "z": "z"}).link({"l": "a/b.txt"})
    (repository.root / "run.sh").chmod(0o755)
    commit = repository.commit()
    with repository.open() as git:
        assert git.list_tree(commit) == {
            b"a/b.txt": ("100644", git_blob_id(b"b")),
            b"l": ("120000", git_blob_id(b"a/b.txt")),
            b"run.sh": ("100755", git_blob_id(b"#!")),
            b"z": ("100644", git_blob_id(b"z")),
        }
        assert set(git.list_tree(commit, [b"a", b"z"])) == {b"a/b.txt", b"z"}
        assert git.process_count == 2


def test_list_tree__takes_prefixes_literally(repository: RepositoryBuilder) -> None:
    repository.write({"a*": "1", "ab": "2", ":(top)x": "3", "-r": "4"})
    commit = repository.commit()
    with repository.open() as git:
        assert set(git.list_tree(commit, [b"a*"])) == {b"a*"}
        assert set(git.list_tree(commit, [b":(top)x", b"-r"])) == {b":(top)x", b"-r"}


@pytest.mark.parametrize("limit", [64 << 10, 3])
def test_blob_ids__finds_files_and_nothing_else(
    repository: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    monkeypatch.setattr(git_trees, "MAX_ARGUMENT_BYTES", limit)
    repository.write({"a/b.txt": "b", "new\nline": "n"})
    commit = repository.commit()
    asked = [b"a/b.txt", b"a", b"new\nline", b"a/none", b"a/b.txt/x"]
    with repository.open() as git:
        assert git.blob_ids(commit, asked) == {
            b"a/b.txt": git_blob_id(b"b"),
            b"a": None,
            b"new\nline": git_blob_id(b"n"),
            b"a/none": None,
            b"a/b.txt/x": None,
        }
        assert git.blob_ids(commit, []) == {}
        assert git.process_count == 1


def test_listings__keep_names_of_any_bytes(repository: RepositoryBuilder) -> None:
    names = [b"caf\xc3\xa9", b"new\nline", b"tab\there", b"bad\xff\xfe", b'quo"te', b" end "]
    for name in names:
        Path(os.fsdecode(os.fsencode(repository.root) + b"/" + name)).write_bytes(b"x")
    commit = repository.commit()
    with repository.open() as git:
        assert sorted(git.list_tree(commit)) == sorted(names)
        assert sorted(git.list_index().entries) == sorted(names)
        assert git.list_worktree().paths == sorted(names)
        assert git.list_recorded() == git.list_worktree()


@pytest.mark.parametrize(
    "name",
    [
        b"..",
        b".",
        b".git",
        b".GIT",
        b"git~1",
        b".git.",
        b".git ",
        b".git::$INDEX",
        b"",
        b"/etc/x",
        b"../../e",
        b"a/../b",
        b"x/.git/config",
        ".g\u200cit".encode(),
    ],
)
def test_list_tree__refuses_names_that_git_would_refuse(
    repository: RepositoryBuilder, name: bytes
) -> None:
    blob = repository.put_object(b"blob", b"x")
    inner = repository.put_tree([("100644", name, blob)])
    commit = repository.put_commit(repository.put_tree([("40000", b"sub", inner)]))
    with repository.open() as git, pytest.raises(UsageError) as caught:
        git.list_tree(commit)
    assert code_of(caught) in {"hostile-path", "git-failed"}
    assert is_hostile(b"sub/" + name)


@pytest.mark.parametrize(
    "name", [b"a..b", b"...", b".gitignore", b"git", b".gitx", b"x.git", b"~1", b"a.", b"..a"]
)
def test_list_tree__admits_names_that_only_look_like_it(
    repository: RepositoryBuilder, name: bytes
) -> None:
    blob = repository.put_object(b"blob", b"x")
    commit = repository.put_commit(repository.put_tree([("100644", name, blob)]))
    with repository.open() as git:
        assert set(git.list_tree(commit)) == {name}


def test_list_tree__refuses_two_entries_of_one_name(repository: RepositoryBuilder) -> None:
    one, two = repository.put_object(b"blob", b"1"), repository.put_object(b"blob", b"2")
    tree = repository.put_tree([("100644", b"a", one), ("100644", b"a", two)])
    commit = repository.put_commit(tree)
    with repository.open() as git, pytest.raises(UsageError) as caught:
        git.list_tree(commit)
    assert code_of(caught) == "hostile-path"


def test_list_tree__of_a_tree_of_trees_ends(
    repository: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = repository.put_tree([("100644", b"f", repository.put_object(b"blob", b"x"))])
    for _ in range(12):
        inner = repository.put_tree([("40000", b"%d" % digit, inner) for digit in range(10)])
    commit = repository.put_commit(inner)
    monkeypatch.setattr(git_module, "MAX_LISTING_BYTES", 1 << 20)
    with repository.open() as git, pytest.raises(UsageError) as caught:
        git.list_tree(commit)
    assert code_of(caught) == "size-limit"


def test_list_tree__without_its_tree_fails(repository: RepositoryBuilder) -> None:
    commit = repository.put_commit(GONE)
    with repository.open() as git, pytest.raises(UsageError) as caught:
        git.list_tree(commit)
    assert code_of(caught) == "git-failed"


def test_list_index__is_what_would_be_committed(repository: RepositoryBuilder) -> None:
    repository.write({"a": "1"}).commit()
    repository.write({"a": "2"}).git("add", "a")
    repository.write({"a": "3", "other": "o"})
    before = (repository.root / ".git/index").read_bytes()
    with repository.open() as git:
        assert git.list_index().entries == {b"a": ("100644", git_blob_id(b"2"))}
        assert git.process_count == 1
    assert (repository.root / ".git/index").read_bytes() == before


def test_list_index__of_a_new_repository_is_empty(repository: RepositoryBuilder) -> None:
    with repository.open() as git:
        assert git.list_index().entries == {}


def test_list_index__names_what_is_in_conflict(repository: RepositoryBuilder) -> None:
    repository.write({"a": "base\n", "b": "b\n"}).commit()
    repository.git("checkout", "-q", "-b", "o")
    repository.write({"a": "other\n"}).commit()
    repository.git("checkout", "-q", "main")
    repository.write({"a": "mine\n"}).commit()
    subprocess.run(
        ["git", "merge", "-q", "o"],
        cwd=repository.root,
        env=git_environment(repository.root),
        capture_output=True,
        check=False,
    )
    with repository.open() as git:
        assert git.list_index().conflicted == (b"a",)
        assert set(git.list_index().entries) == {b"b"}
        assert git.list_worktree().conflicted == (b"a",)
        assert git.list_recorded() == git.list_worktree()


def test_list_index__reads_the_index_that_a_hook_is_given(
    repository: RepositoryBuilder,
) -> None:
    repository.write({"AGENTS.md": "v1\n", "b": "b1\n"}).commit()
    repository.write({"b": "staged only\n"}).git("add", "b")
    repository.write({"AGENTS.md": "v2\n"})
    hook = repository.root / ".git/hooks/pre-commit"
    hook.write_text('#!/bin/sh\nprintf %s "$GIT_INDEX_FILE" > name\ncp "$GIT_INDEX_FILE" copy\n')
    hook.chmod(0o755)
    repository.git("commit", "-q", "-m", "x", "AGENTS.md")
    assert b"next-index" in (repository.root / "name").read_bytes()
    with repository.open() as git:
        entries = git.list_index(Path("copy")).entries
    assert entries[b"AGENTS.md"][1] == git_blob_id(b"v2\n")
    assert entries[b"b"][1] == git_blob_id(b"b1\n")


def test_list_index__named_and_missing_or_no_file_is_refused(
    repository: RepositoryBuilder,
) -> None:
    os.mkfifo(repository.root / "fifo")
    with repository.open() as git:
        with pytest.raises(UsageError) as caught:
            git.list_index(Path("nope"))
        assert code_of(caught) == "path-missing"
        with pytest.raises(UsageError) as caught:
            git.list_index(Path("fifo"))
        assert code_of(caught) == "path-unreadable"


def test_list_index__reads_a_split_index(repository: RepositoryBuilder) -> None:
    repository.write({"a": "1", "b": "2"}).commit()
    repository.git("update-index", "--split-index")
    repository.write({"c": "3"}).git("add", "c")
    assert list((repository.root / ".git").glob("sharedindex.*"))
    copy = repository.root.parent / "index-elsewhere"
    copy.write_bytes((repository.root / ".git/index").read_bytes())
    with repository.open() as git:
        assert set(git.list_index().entries) == {b"a", b"b", b"c"}
        assert set(git.list_index(copy).entries) == {b"a", b"b", b"c"}


def test_intent_to_add__names_only_what_was_announced(repository: RepositoryBuilder) -> None:
    repository.write({"empty": "", "new\n  size: 0": "n", "full": "f"})
    repository.git("add", "empty", "full")
    repository.git("add", "-N", "new\n  size: 0")
    with repository.open() as git:
        asked = [b"empty", b"new\n  size: 0", b"full"]
        assert git.intent_to_add(asked) == {b"new\n  size: 0"}
        assert git.intent_to_add([]) == set()
        assert git.process_count == 1


def test_intent_to_add__of_more_paths_than_a_command_line_holds(
    repository: RepositoryBuilder,
) -> None:
    repository.write({"new": "n", "other": "o"})
    repository.git("add", "-N", "new", "other")
    with repository.open() as git:
        many = [b"new", *(b"gone/%06d" % number for number in range(6_000))]
        assert git.intent_to_add(many) == {b"new"}
        assert git.process_count == 1


def test_list_worktree__agrees_with_git(repository: RepositoryBuilder) -> None:
    repository.write(
        {
            ".gitignore": "**/vendor/\n*.log\nbuild\n!keep.log\nd/**\n!d/keep.txt\n",
            "a/.gitignore": "!vendor\n",
            "a/vendor/f.txt": "f",
            "vendor/g.txt": "g",
            "build/keep.log": "k",
            "keep.log": "k",
            "d/keep.txt": "k",
            "d/x.txt": "x",
            "local.txt": "l",
            "u.tmp": "u",
            "? 100644 aaaa 0\tx": "hostile name",
        }
    )
    (repository.root / ".git/info").mkdir(exist_ok=True)
    (repository.root / ".git/info/exclude").write_text("local.txt\n")
    (repository.root.parent / "ex").write_text("*.tmp\n")
    repository.git("config", "core.excludesFile", str(repository.root.parent / "ex"))
    repository.git("add", "a", ".gitignore")
    repository.git("add", "-f", "d/x.txt")
    said = repository.git("ls-files", "-z", "-c", "-o", "--exclude-standard")
    with repository.open() as git:
        files = git.list_worktree()
        assert files.paths == sorted(said.split(b"\0")[:-1])
        assert git.process_count == 1
        assert git.list_recorded() == files
    assert set(files.tracked) == {b".gitignore", b"a/.gitignore", b"a/vendor/f.txt", b"d/x.txt"}
    assert b"keep.log" in files.untracked
    assert b"d/keep.txt" in files.untracked
    assert not {b"local.txt", b"u.tmp", b"build/keep.log"} & set(files.paths)


def test_list_worktree__does_not_depend_on_the_users_own_ignore_file(
    repository: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = repository.root.parent / "home"
    (home / ".config/git").mkdir(parents=True)
    (home / ".config/git/ignore").write_text("*\n")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    repository.write({"a": "1"})
    with repository.open() as git:
        assert git.list_worktree().untracked == (b"a",)
        assert git.list_recorded() == git.list_worktree()


def test_list_worktree__names_a_repository_inside_and_not_its_files(
    repository: RepositoryBuilder,
) -> None:
    RepositoryBuilder(repository.root / "inner").write({"f": "1"}).commit()
    with repository.open() as git:
        assert git.list_worktree().untracked == (b"inner/",)
        assert git.list_recorded() == git.list_worktree()


def test_list_worktree__ends_where_an_ignore_file_would_wait(
    repository: RepositoryBuilder, scratch: Path
) -> None:
    os.mkfifo(repository.root / ".gitignore")
    with repository.open(listing_seconds=0.5, scratch=scratch) as git:
        with pytest.raises(UsageError) as caught:
            git.list_worktree()
        assert code_of(caught) == "git-timeout"
    assert list(scratch.iterdir()) == []


# ---- files of patterns that keep git from ending


STARS = "*a" * 40 + "b"


def hang(repository: RepositoryBuilder, what: str) -> str:
    """Give the repository something that git does not come to an end with; where it stands."""
    repository.write({"sub/" + "a" * 200 + "1": "x"})
    match what:
        case "pipe":
            os.mkfifo(repository.root / "sub" / ".gitignore")
            return "sub/.gitignore"
        case "pattern":
            lines = "".join(f"{STARS}{number}\n" for number in range(20))
            repository.write({".gitignore": f"# {STARS}*c\n*.o\n{lines}"})
            return ".gitignore:3"
        case _:
            repository.write({".git/info/exclude": f"{STARS}\n"})
            return ".git/info/exclude:1"


@pytest.mark.parametrize("what", ["pipe", "pattern", "exclude"])
@pytest.mark.parametrize("listing", ["worktree", "named", "ignored"])
def test_listing_that_does_not_end__names_the_file_that_holds_it_up(
    repository: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch, what: str, listing: str
) -> None:
    monkeypatch.setattr(git_index, "IGNORE_SECONDS", 0.2)
    place = hang(repository, what)
    with repository.open() as git, pytest.raises(UsageError) as caught:
        match listing:
            case "worktree":
                git.list_worktree()
            case "named":
                list(git.list_with_ignored(["AGENTS.md"]))
            case _:
                list(git.list_ignored())
    assert (caught.value.code, caught.value.where) == ("git-timeout", place)
    assert caught.value.next_step is not None


def test_listing_that_takes_long__goes_on_where_nothing_looks_endless(
    repository: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_index, "IGNORE_SECONDS", 0.0)
    repository.write({".gitignore": "*a*b*c*d*e\n", "plain": "x"})
    inner = RepositoryBuilder(repository.root / "inner")
    inner.write({".gitignore": f"{STARS}\n"})
    with repository.open() as git:
        assert b"plain" in git.list_worktree().untracked


# ---- listings that are begun before they are read


def children() -> set[int]:
    """Processes of this one that run or wait to be looked at."""
    found = set()
    for place in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            words = place.read_text("utf-8", "replace").rpartition(")")[2].split()
            if int(words[1]) == os.getpid():
                found.add(int(place.parent.name))
    return found


def test_begun_listing__is_the_one_that_is_read(repository: RepositoryBuilder) -> None:
    repository.write({"a/AGENTS.md": "x", "b.md": "y", ".gitignore": "AGENTS.md\n"})
    with repository.open() as git:
        listed = b"".join(git.list_with_ignored(["AGENTS.md", "C.md"]))
        git.begin_with_ignored(["C.md", "AGENTS.md"])
        assert git.process_count == 2
        assert b"".join(git.list_with_ignored(["AGENTS.md", "C.md"])) == listed
        assert git.process_count == 2
        assert b"".join(git.list_with_ignored(["AGENTS.md", "C.md"])) == listed
        assert git.process_count == 3


def test_begun_listing__of_other_names_is_not_taken_for_this_one(
    repository: RepositoryBuilder,
) -> None:
    repository.write({"a/AGENTS.md": "x", ".gitignore": "AGENTS.md\n"})
    with repository.open() as git:
        git.begin_with_ignored(["C.md"])
        assert b"AGENTS.md" in b"".join(git.list_with_ignored(["AGENTS.md"]))


def test_begun_listing__that_nobody_reads_ends_with_the_repository(
    repository: RepositoryBuilder,
) -> None:
    hang(repository, "pipe")
    before = children()
    with repository.open() as git:
        git.begin_with_ignored(["AGENTS.md"])
        assert len(children() - before) == 1
    assert children() <= before


@pytest.mark.parametrize(("files", "processes"), [(40, 0), (41, 1)])
def test_begun_paths__answer_any_of_them_and_no_other(
    repository: RepositoryBuilder, files: int, processes: int
) -> None:
    repository.write({f"{number}.md": f"{number}" for number in range(files)})
    commit = repository.commit()
    paths = [b"%d.md" % number for number in range(files)]
    with repository.open() as git:
        expected = git.blob_ids(commit, [*paths, b"none"])
        started = git.process_count
        git.begin_blob_ids(commit, [*paths])
        assert git.process_count == started + processes
        assert git.blob_ids(commit, paths[:3]) == {path: expected[path] for path in paths[:3]}
        git.begin_blob_ids(commit, [*paths])
        assert git.blob_ids(commit, [*paths[1:], b"none"]) == {
            path: expected[path] for path in [*paths[1:], b"none"]
        }
