from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from assembler.adapters import git as git_module
from assembler.adapters import git_objects
from assembler.adapters.git import GitRepository
from assembler.adapters.git_listing import is_hostile
from assembler.errors import UsageError
from assembler.model.digest import git_blob_id
from assembler.model.tree import Unreadable
from tests.builders.repositories import COMMITTED_AT, RepositoryBuilder, arm, git_environment

GONE = "0123456789" * 4


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    folder = tmp_path / "scratch"
    folder.mkdir()
    return folder


@pytest.fixture
def repository(tmp_path: Path) -> RepositoryBuilder:
    return RepositoryBuilder(tmp_path / "r")


def code_of(caught: pytest.ExceptionInfo[UsageError]) -> str:
    return caught.value.code


# ---- commits


def test_resolve__gives_id_tree_and_date(repository: RepositoryBuilder) -> None:
    first = repository.write({"a": "1"}).commit()
    date = "2030-06-07T10:00:00+02:00"
    second = repository.write({"a": "2"}).commit(GIT_COMMITTER_DATE=date)
    repository.git("tag", "-a", "-m", "t", "v1", first)
    repository.git("branch", "heads-like", first)
    repository.git("update-ref", "refs/remotes/origin/main", first)
    with repository.open() as git:
        head = git.resolve("HEAD")
        assert head.id == second
        assert head.tree == repository.text("rev-parse", "HEAD^{tree}")
        assert head.committed_at == "2030-06-07T08:00:00Z"
        for name in ("v1", "heads-like", "HEAD~1", "main^", first, first[:9], "origin/main"):
            assert git.resolve(name).id == first, name
        assert git.resolve("v1").committed_at == COMMITTED_AT
        assert git.process_count == 1


def test_resolve__reads_packed_refs(repository: RepositoryBuilder) -> None:
    first = repository.write({"a": "1"}).commit()
    repository.git("branch", "side")
    repository.git("pack-refs", "--all")
    assert not (repository.root / ".git/refs/heads/side").exists()
    with repository.open() as git:
        assert git.resolve("side").id == first
        assert git.resolve("HEAD").id == first


def test_resolve__reads_what_a_fetch_left(repository: RepositoryBuilder, tmp_path: Path) -> None:
    first = repository.commit()
    other = RepositoryBuilder(tmp_path / "other")
    other.git("fetch", "-q", str(repository.root), "main")
    other.commit("own")
    with other.open() as git:
        assert git.resolve("FETCH_HEAD").id == first


@pytest.mark.parametrize(
    "name",
    [
        "",
        "-h",
        "--output=MARK",
        "--upload-pack=x",
        ":/change",
        "HEAD:a",
        "HEAD@{1 day ago}",
        "@{u}",
        "a..b",
        "HEAD^{/change}",
        "HEAD^!",
        "^HEAD",
        "HEAD HEAD",
        "HEAD\nHEAD",
        "HEAD\0",
        "x" * 251,
        "nope",
        GONE,
        "HEAD~9",
        "HEAD^{tree}",
    ],
)
def test_resolve__refuses_what_names_no_commit(repository: RepositoryBuilder, name: str) -> None:
    repository.write({"a": "1"}).commit()
    with repository.open() as git, pytest.raises(UsageError) as caught:
        git.resolve(name)
    assert code_of(caught) == "revision-missing"
    assert not (repository.root / "MARK").exists()


@pytest.mark.parametrize("name", ["", "-h", "--output=MARK", "a..b", "HEAD@{1}", "HEAD\nHEAD"])
def test_resolve__starts_nothing_for_a_hostile_name(
    repository: RepositoryBuilder, name: str
) -> None:
    with repository.open() as git:
        with pytest.raises(UsageError):
            git.resolve(name)
        assert git.process_count == 0


def test_resolve__does_not_take_a_tree_or_blob_for_a_commit(repository: RepositoryBuilder) -> None:
    repository.write({"a": "1"}).commit()
    with repository.open() as git:
        for name in ("HEAD^{tree}", "HEAD:a"):
            with pytest.raises(UsageError):
                git.resolve(repository.text("rev-parse", name))


def test_head__tells_an_unborn_branch_from_a_missing_commit(repository: RepositoryBuilder) -> None:
    with repository.open() as git:
        assert git.head() is None
        with pytest.raises(UsageError) as caught:
            git.resolve("HEAD")
        assert code_of(caught) == "unborn-branch"
    (repository.root / ".git/refs/heads/main").write_text(GONE + "\n")
    with repository.open() as git, pytest.raises(UsageError) as caught:
        git.head()
    assert code_of(caught) == "revision-missing"
    (repository.root / ".git/HEAD").write_text(GONE + "\n")
    with repository.open() as git, pytest.raises(UsageError) as caught:
        git.head()
    assert code_of(caught) == "revision-missing"


def test_head__is_asked_once_and_reads_a_detached_one(repository: RepositoryBuilder) -> None:
    first = repository.commit()
    repository.git("checkout", "-q", "--detach")
    with repository.open() as git:
        assert git.head() is git.head()
        assert git.resolve("HEAD").id == first
        assert git.process_count == 1


def test_head__follows_the_link_of_old_repositories(repository: RepositoryBuilder) -> None:
    first = repository.commit()
    head = repository.root / ".git/HEAD"
    head.unlink()
    head.symlink_to("refs/heads/main")
    with repository.open() as git:
        assert git.resolve("HEAD").id == first


def test_commit__with_other_bytes_than_its_id_is_refused(repository: RepositoryBuilder) -> None:
    first = repository.commit()
    tree = repository.text("rev-parse", "HEAD^{tree}")
    line = "Other <o@example.invalid> 1 +0000"
    body = f"tree {tree}\nauthor {line}\ncommitter {line}\n\nforged\n".encode()
    repository.put_object(b"commit", body, under=first)
    with repository.open() as git, pytest.raises(UsageError) as caught:
        git.head()
    assert code_of(caught) in {"git-failed", "revision-missing"}


def test_commit__longer_than_the_limit_is_refused(
    repository: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit("x" * 500)
    monkeypatch.setattr(git_objects, "MAX_COMMIT_BYTES", 400)
    with repository.open() as git, pytest.raises(UsageError) as caught:
        git.head()
    assert code_of(caught) == "git-failed"


def test_commit__in_the_year_2099_and_without_a_date_are_read(
    repository: RepositoryBuilder,
) -> None:
    repository.commit(GIT_COMMITTER_DATE="2099-12-31T23:59:59Z")
    tree = repository.text("rev-parse", "HEAD^{tree}")
    dateless = repository.put_object(b"commit", f"tree {tree}\nauthor A\n\nx\n".encode())
    with repository.open() as git:
        assert git.resolve("HEAD").committed_at == "2099-12-31T23:59:59Z"
        assert git.resolve(dateless).committed_at == "1970-01-01T00:00:00Z"


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
    monkeypatch.setattr(git_module, "MAX_ARGUMENT_BYTES", limit)
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


def test_list_worktree__names_a_repository_inside_and_not_its_files(
    repository: RepositoryBuilder,
) -> None:
    RepositoryBuilder(repository.root / "inner").write({"f": "1"}).commit()
    with repository.open() as git:
        assert git.list_worktree().untracked == (b"inner/",)


def test_list_worktree__ends_where_an_ignore_file_would_wait(
    repository: RepositoryBuilder, scratch: Path
) -> None:
    os.mkfifo(repository.root / ".gitignore")
    with repository.open(listing_seconds=0.5, scratch=scratch) as git:
        with pytest.raises(UsageError) as caught:
            git.list_worktree()
        assert code_of(caught) == "git-timeout"
    assert list(scratch.iterdir()) == []


# ---- blobs


def test_read_blobs__gives_bytes_sizes_and_reasons(repository: RepositoryBuilder) -> None:
    repository.write({"a": "one\n", "empty": "", "exact": "12345", "over": "123456"})
    commit = repository.commit()
    ids = {
        name: git_blob_id(data)
        for name, data in {
            "a": b"one\n",
            "empty": b"",
            "exact": b"12345",
            "over": b"123456",
        }.items()
    }
    with repository.open() as git:
        found = git.read_blobs([*ids.values(), GONE, commit], limit_bytes=5)
        assert found == {
            ids["a"]: b"one\n",
            ids["empty"]: b"",
            ids["exact"]: b"12345",
            ids["over"]: Unreadable("size-limit"),
            GONE: Unreadable("missing"),
            commit: Unreadable("not-a-file"),
        }
        assert git.blob_sizes([ids["over"]]) == {ids["over"]: 6}
        git.read_blobs([ids["a"]], limit_bytes=5)
        assert git.process_count == 2


def test_read_blobs__takes_the_same_processes_for_many(repository: RepositoryBuilder) -> None:
    contents = [b"%d\n" % number * 300 for number in range(700)]
    repository.write({f"f{number}": data for number, data in enumerate(contents)}).commit()
    repository.git("gc", "-q")
    with repository.open() as git:
        found = git.read_blobs(map(git_blob_id, contents), limit_bytes=10_000)
        assert found == {git_blob_id(data): data for data in contents}
        assert git.process_count == 2


def test_read_blobs__notices_bytes_that_are_not_the_ids(repository: RepositoryBuilder) -> None:
    repository.write({"AGENTS.md": "good\n"}).commit()
    blob_id = git_blob_id(b"good\n")
    repository.put_object(b"blob", b"evil\n", under=blob_id)
    assert repository.git("cat-file", "blob", blob_id) == b"evil\n"
    with repository.open() as git:
        assert git.read_blobs([blob_id], limit_bytes=99) == {blob_id: Unreadable("corrupt-object")}


@pytest.mark.parametrize("damage", ["cut", "noise", "longer", "empty", "fifo"])
def test_read_blobs__survives_a_damaged_object(
    repository: RepositoryBuilder, damage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_objects, "ANSWER_SECONDS", 1.0)
    contents = [os.urandom(5_000) for _ in range(9)]
    repository.write({f"f{number}": data for number, data in enumerate(contents)}).commit()
    ids = sorted(map(git_blob_id, contents))
    path = repository.loose(ids[4])
    raw = path.read_bytes()
    path.chmod(0o644)
    if damage == "cut":
        path.write_bytes(raw[:2_000])
    elif damage == "noise":
        path.write_bytes(raw[:2_000] + b"\xff" * 50 + raw[2_050:])
    elif damage == "longer":
        path.write_bytes(zlib.compress(b"blob 5000\0" + bytes(7_000)))
    elif damage == "empty":
        path.write_bytes(b"")
    else:
        path.unlink()
        os.mkfifo(path)
    with repository.open(listing_seconds=1) as git:
        if damage == "fifo":
            with pytest.raises(UsageError) as caught:
                git.read_blobs(ids, limit_bytes=9_999)
            assert code_of(caught) in {"git-timeout", "git-failed"}
            return
        found = git.read_blobs(ids, limit_bytes=9_999)
        assert found.pop(ids[4]) in {Unreadable("corrupt-object"), Unreadable("missing")}
        assert set(found.values()) == {data for data in contents if git_blob_id(data) != ids[4]}
        assert git.process_count <= 4


def test_read_blobs__gives_up_on_a_store_full_of_damage(repository: RepositoryBuilder) -> None:
    contents = [os.urandom(5_000) for _ in range(12)]
    repository.write({f"f{number}": data for number, data in enumerate(contents)}).commit()
    for data in contents:
        path = repository.loose(git_blob_id(data))
        path.chmod(0o644)
        path.write_bytes(path.read_bytes()[:2_000])
    with repository.open() as git:
        with pytest.raises(UsageError) as caught:
            git.read_blobs(map(git_blob_id, contents), limit_bytes=9_999)
        assert code_of(caught) == "git-failed"
        assert git.process_count < 12


def test_read_blobs__refuses_a_bomb_by_its_size(repository: RepositoryBuilder) -> None:
    bomb = repository.put_object(b"blob", bytes(60_000_000))
    assert repository.loose(bomb).stat().st_size < 100_000
    with repository.open() as git:
        assert git.read_blobs([bomb], limit_bytes=1_000) == {bomb: Unreadable("size-limit")}
        assert git.process_count == 1


def test_read_blobs__does_not_see_replace_refs(repository: RepositoryBuilder) -> None:
    commit = repository.write({"AGENTS.md": "good\n"}).commit()
    evil = repository.git("hash-object", "-w", "--stdin", stdin=b"evil\n").decode().strip()
    good = git_blob_id(b"good\n")
    repository.git("replace", good, evil)
    assert repository.git("show", "HEAD:AGENTS.md") == b"evil\n"
    with repository.open() as git:
        assert git.list_tree(commit)[b"AGENTS.md"][1] == good
        assert git.read_blobs([good], limit_bytes=99) == {good: b"good\n"}


def test_read_blobs__reads_alternates_and_says_which(
    repository: RepositoryBuilder, tmp_path: Path
) -> None:
    repository.write({"a": "1"}).commit()
    clone = RepositoryBuilder(tmp_path / "clone", make=False)
    clone.git("clone", "-q", "--shared", str(repository.root), ".")
    with clone.open() as git:
        assert git.read_blobs([git_blob_id(b"1")], limit_bytes=9) == {git_blob_id(b"1"): b"1"}
        assert git.alternates == (str(repository.root / ".git/objects"),)


# ---- kinds of repositories


def test_repository__with_sha256_objects_works(tmp_path: Path) -> None:
    repository = RepositoryBuilder(tmp_path / "r", object_format="sha256")
    commit = repository.write({"a": "1"}).commit()
    blob_id = git_blob_id(b"1", object_format="sha256")
    with repository.open() as git:
        assert git.object_format == "sha256"
        assert git.resolve("HEAD").id == commit
        assert len(commit) == 64
        assert git.list_tree(commit) == {b"a": ("100644", blob_id)}
        assert git.list_index().entries == {b"a": ("100644", blob_id)}
        assert git.read_blobs([blob_id], limit_bytes=9) == {blob_id: b"1"}
    repository.put_object(b"blob", b"2", under=blob_id)
    with repository.open() as git:
        assert git.read_blobs([blob_id], limit_bytes=9) == {blob_id: Unreadable("corrupt-object")}


def test_repository__that_is_a_linked_worktree_has_its_own_head_and_index(
    repository: RepositoryBuilder, tmp_path: Path
) -> None:
    repository.write({"a": "main"}).commit()
    repository.git("worktree", "add", "-q", "../wt", "-b", "side")
    linked = RepositoryBuilder(tmp_path / "wt", make=False).write({"a": "side"})
    commit = linked.commit()
    linked.write({"a": "staged"}).git("add", "a")
    with linked.open() as git:
        assert git.resolve("HEAD").id == git.resolve("side").id == commit
        assert git.resolve("main").id == repository.text("rev-parse", "main")
        assert git.list_index().entries == {b"a": ("100644", git_blob_id(b"staged"))}


def test_repository__that_is_a_submodule_is_read_for_itself(tmp_path: Path) -> None:
    RepositoryBuilder(tmp_path / "lib").write({"f": "1"}).commit()
    outer = RepositoryBuilder(tmp_path / "r")
    outer.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", "../lib", "sub")
    commit = outer.commit()
    inner = RepositoryBuilder(tmp_path / "r/sub", make=False)
    with outer.open() as git:
        assert git.list_tree(commit)[b"sub"] == ("160000", inner.text("rev-parse", "HEAD"))
        assert git.blob_ids(commit, [b"sub"]) == {b"sub": None}
    with inner.open() as git:
        assert git.list_worktree().paths == [b"f"]


def test_repository__shallow_has_no_older_commits(
    repository: RepositoryBuilder, tmp_path: Path
) -> None:
    first = repository.write({"a": "1"}).commit()
    repository.write({"a": "2"}).commit()
    shallow = RepositoryBuilder(tmp_path / "s", make=False)
    shallow.git("clone", "-q", "--depth", "1", f"file://{repository.root}", ".")
    with shallow.open() as git:
        assert git.head() is not None
        for name in (first, "HEAD~1"):
            with pytest.raises(UsageError) as caught:
                git.resolve(name)
            assert code_of(caught) == "revision-missing"


def test_repository__with_refs_in_reftable_form_takes_full_ids_only(
    repository: RepositoryBuilder,
) -> None:
    commit = repository.commit()
    with (repository.root / ".git/config").open("a") as config:
        config.write("[extensions]\n\trefStorage = reftable\n")
    with repository.open() as git:
        assert git.resolve(commit).id == commit
        with pytest.raises(UsageError) as caught:
            git.resolve("main")
        assert code_of(caught) == "git-failed"


def test_repository__of_an_unknown_object_format_is_refused(repository: RepositoryBuilder) -> None:
    with (repository.root / ".git/config").open("a") as config:
        config.write("[extensions]\n\tobjectFormat = sha3\n")
    with pytest.raises(UsageError) as caught:
        repository.open()
    assert code_of(caught) == "git-failed"


# ---- nothing runs, nothing waits, nothing stays


def everything(git: GitRepository, blob_ids: list[str]) -> None:
    """Every operation that starts git."""
    head = git.resolve("HEAD")
    git.resolve("main")
    git.list_tree(head.id)
    git.blob_ids(head.id, [b"AGENTS.md"])
    git.list_index()
    git.intent_to_add([b"AGENTS.md"])
    git.list_worktree()
    git.read_blobs(blob_ids, limit_bytes=1_000)


@pytest.mark.parametrize("url", ["ext", "uploadpack", "ssh"])
def test_git__runs_nothing_that_the_repository_names(
    repository: RepositoryBuilder, tmp_path: Path, url: str
) -> None:
    sentinel = tmp_path / "MARK"
    repository.write({"AGENTS.md": "one\n", "gone": "gone\n"}).commit()
    arm(repository, sentinel)
    if url == "uploadpack":
        repository.git("config", "remote.o.url", str(tmp_path / "nowhere"))
        repository.git("config", "remote.o.uploadpack", str(repository.root / ".git/armed-ext"))
    elif url == "ssh":
        repository.git("config", "remote.o.url", "ssh://host.invalid/x")
    repository.loose(git_blob_id(b"gone\n")).unlink()
    repository.write({"AGENTS.md": "two\n", "new": "n"})  # the same size as before, and dirty
    sentinel.unlink(missing_ok=True)
    with repository.open() as git:
        everything(git, [git_blob_id(b"one\n"), git_blob_id(b"gone\n")])
        found = git.read_blobs([git_blob_id(b"gone\n")], limit_bytes=9)
        assert found == {git_blob_id(b"gone\n"): Unreadable("missing")}
    assert not sentinel.exists(), sentinel.read_text()

    # The traps are real: plain git steps into them.
    for command in (["status"], ["diff"], ["cat-file", "-p", git_blob_id(b"gone\n")]):
        subprocess.run(
            ["git", *command],
            cwd=repository.root,
            env=git_environment(tmp_path),
            capture_output=True,
            check=False,
        )
    sprung = sentinel.read_text().split()
    assert "fsmonitor" in sprung
    assert {"ext", "ssh"} & set(sprung)


def test_git__does_not_wait_for_a_fifo_that_the_configuration_includes(
    repository: RepositoryBuilder,
) -> None:
    repository.write({"a": "1"}).commit()
    os.mkfifo(repository.root / "fifo")
    repository.write({".git/more": ""})
    with (repository.root / ".git/config").open("a") as config:
        config.write(f"[include]\n\tpath = {repository.root}/fifo\n")
    with repository.open() as git:
        everything(git, [git_blob_id(b"1")])


@pytest.mark.parametrize("place", ["packed-refs", "HEAD", "info/exclude", "ORIG_HEAD"])
def test_git__does_not_wait_for_a_fifo_in_the_git_directory(
    repository: RepositoryBuilder, place: str
) -> None:
    commit = repository.write({"a": "1"}).commit()
    path = repository.root / ".git" / place
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    with repository.open() as git:
        assert git.resolve(commit).id == commit
        git.list_worktree()
        with pytest.raises(UsageError) as caught:
            git.resolve("nope")  # looked for in every place that holds refs
        assert code_of(caught) == "revision-missing"


def test_git__ends_where_a_ref_would_wait(
    repository: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = repository.commit()
    os.mkfifo(repository.root / ".git/refs/heads/trap")
    monkeypatch.setattr(git_objects, "ANSWER_SECONDS", 0.5)
    with repository.open() as git:
        with pytest.raises(UsageError) as caught:
            git.resolve("trap")
        assert code_of(caught) == "git-timeout"
        # The answer that never came is not taken for the next one's.
        assert git.resolve("main").id == commit


def test_git__never_asks_the_environments_repository(
    repository: RepositoryBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = repository.write({"a": "real"}).commit()
    decoy = RepositoryBuilder(tmp_path / "decoy").write({"a": "decoy"})
    decoy.commit()
    sentinel = tmp_path / "MARK"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch '{sentinel}'\n")
    program.chmod(0o755)
    variables = {
        "GIT_DIR": decoy.root / ".git",
        "GIT_WORK_TREE": decoy.root,
        "GIT_OBJECT_DIRECTORY": decoy.root / ".git/objects",
        "GIT_INDEX_FILE": decoy.root / ".git/index",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": decoy.root / ".git/objects",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.fsmonitor",
        "GIT_CONFIG_VALUE_0": program,
        "GIT_EXTERNAL_DIFF": program,
        "GIT_TRACE": tmp_path / "trace",
        "GIT_REPLACE_REF_BASE": "refs/heads/",
        "GIT_EXEC_PATH": tmp_path,
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, str(value))
    with repository.open() as git:
        assert git.resolve("HEAD").id == commit
        everything(git, [git_blob_id(b"real")])
        assert git.list_index().entries == {b"a": ("100644", git_blob_id(b"real"))}
        decoyed = git.read_blobs([git_blob_id(b"decoy")], limit_bytes=9)
        assert decoyed == {git_blob_id(b"decoy"): Unreadable("missing")}
    assert not sentinel.exists()
    assert not (tmp_path / "trace").exists()


def test_git__is_not_taken_from_a_relative_search_path(
    repository: RepositoryBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.write({"git": f"#!/bin/sh\ntouch '{tmp_path}/MARK'\n"}).commit()
    (repository.root / "git").chmod(0o755)
    monkeypatch.chdir(repository.root)
    real = shutil.which("git")
    assert real is not None
    with repository.open(search_path=f".::{Path(real).parent}") as git:
        assert git.head() is not None
    assert not (tmp_path / "MARK").exists()
    with repository.open(search_path=".:") as git, pytest.raises(UsageError) as caught:
        git.head()
    assert code_of(caught) == "git-missing"


def test_git__leaves_nothing_behind_and_the_repository_as_it_was(
    repository: RepositoryBuilder, scratch: Path
) -> None:
    repository.write({"a": "1"}).commit()
    repository.write({"a": "2"})

    def state() -> dict[str, tuple[int, int]]:
        found = {}
        for path in sorted(repository.root.rglob("*")):
            status = path.lstat()
            found[str(path)] = (status.st_mtime_ns, status.st_size)
        return found

    before = state()
    with repository.open(scratch=scratch) as git:
        assert list(scratch.iterdir()) == []
        everything(git, [git_blob_id(b"1")])
        (private,) = scratch.iterdir()
        assert private.stat().st_mode & 0o777 == 0o700
    assert list(scratch.iterdir()) == []
    assert state() == before
    with pytest.raises(RuntimeError):
        git.list_index()


def test_git__cleans_up_after_an_error_too(repository: RepositoryBuilder, scratch: Path) -> None:
    repository.commit()
    with pytest.raises(KeyboardInterrupt), repository.open(scratch=scratch) as git:
        git.head()
        raise KeyboardInterrupt
    assert list(scratch.iterdir()) == []


def test_git__cleans_up_where_a_caller_forgets(
    repository: RepositoryBuilder, scratch: Path
) -> None:
    repository.commit()
    code = (
        "import sys; from pathlib import Path\n"
        "from assembler.adapters.git import GitRepository\n"
        "from assembler.adapters.repository import find_repository\n"
        "git = GitRepository(find_repository(Path(sys.argv[1])), scratch=Path(sys.argv[2]))\n"
        "git.head(); git.read_blobs(['0' * 40], limit_bytes=1)\n"
        "assert list(Path(sys.argv[2]).iterdir())\n"
    )
    command = [sys.executable, "-c", code, str(repository.root), str(scratch)]
    subprocess.run(command, check=True, timeout=30)
    assert list(scratch.iterdir()) == []


def test_git__needs_no_more_than_six_processes_for_everything(
    repository: RepositoryBuilder,
) -> None:
    repository.write({"AGENTS.md": "one\n"}).commit()
    with repository.open() as git:
        head = git.resolve("HEAD")
        git.list_tree(head.id)
        git.list_index()
        git.list_worktree()
        for _ in range(5):
            git.read_blobs([git_blob_id(b"one\n")], limit_bytes=99)
            git.resolve("main")
        assert git.process_count == 5


def test_git__without_a_usable_folder_says_so(repository: RepositoryBuilder) -> None:
    repository.commit()
    with repository.open(scratch=Path("/nonexistent")) as git:
        with pytest.raises(UsageError) as caught:
            git.head()
        assert code_of(caught) == "git-failed"


def test_git__without_objects_is_no_repository(tmp_path: Path) -> None:
    RepositoryBuilder(tmp_path / "r").write({"pkg/.git": ""})
    inner = RepositoryBuilder(tmp_path / "r/pkg", make=False)
    with pytest.raises(UsageError) as caught:
        inner.open()
    assert code_of(caught) == "not-a-repository"


def test_git__does_not_open_a_socket_in_the_worktree(repository: RepositoryBuilder) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(repository.root / "s"))
        with repository.open() as git:
            assert git.list_worktree().paths == []
