from __future__ import annotations

import os
import shutil
import zlib
from pathlib import Path

import pytest

from assembler.adapters import git_objects
from assembler.errors import UsageError
from assembler.model.digest import git_blob_id
from assembler.model.tree import Unreadable
from tests.builders.repositories import COMMITTED_AT, RepositoryBuilder, code_of

GONE = "0123456789" * 4


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
        assert git.process_count == 1


def test_read_blobs__takes_the_same_processes_for_many(repository: RepositoryBuilder) -> None:
    contents = [b"%d\n" % number * 300 for number in range(700)]
    repository.write({f"f{number}": data for number, data in enumerate(contents)}).commit()
    repository.git("gc", "-q")
    with repository.open() as git:
        found = git.read_blobs(map(git_blob_id, contents), limit_bytes=10_000)
        assert found == {git_blob_id(data): data for data in contents}
        assert git.process_count == 1


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


def old_git(folder: Path) -> str:
    """A search path whose git has no process for contents and sizes, as before 2.36."""
    real = shutil.which("git")
    folder.mkdir()
    script = folder / "git"
    script.write_text(
        f'#!/bin/sh\ncase "$*" in *--batch-command*) exit 129;; esac\nexec {real} "$@"\n'
    )
    script.chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


def test_git__without_a_process_for_both_answers_alike(
    repository: RepositoryBuilder, tmp_path: Path
) -> None:
    repository.write({f"f{n}": f"{n}\n" * n for n in range(120)})
    commit = repository.commit()
    answers = []
    counts = []
    for search_path in (None, old_git(tmp_path / "old")):
        with repository.open(search_path=search_path) as git:
            head = git.head()
            assert head is not None
            blobs = git.blob_ids(commit, [b"f1", b"f119", b"none"])
            names = [name for name in blobs.values() if name is not None]
            sizes = git.blob_sizes(names)
            read = git.read_blobs([*names, "1" * 40], limit_bytes=300)
            again = git.blob_ids(commit, [b"f2"])
            answers.append((head.id, blobs, sizes, read, again))
            counts.append(git.process_count)
    assert answers[0] == answers[1]
    assert answers[0][3]["1" * 40] == Unreadable("missing")
    assert counts[0] < counts[1]
