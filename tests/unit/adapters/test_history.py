"""Files of any commit, through the processes that are open anyway."""

from __future__ import annotations

from pathlib import Path

import pytest

from assembler.adapters.git_listing import parse_folder, parse_renames
from assembler.adapters.history import GitHistory
from assembler.adapters.patterns import compile_patterns
from assembler.authorize.read_scope import GrantLayer, ReadScope, authorize_evidence
from assembler.model.history import NOT_IN_CLONE, Renamed
from assembler.model.tree import Authorized, Entry, EntryKind
from tests.builders.repositories import RepositoryBuilder, arm

OPEN = ReadScope(
    (GrantLayer("host", compile_patterns([], where="x"), compile_patterns(["**"], where="x")),)
)


@pytest.fixture(params=["sha1", "sha256"])
def repository(request: pytest.FixtureRequest, tmp_path: Path) -> RepositoryBuilder:
    return RepositoryBuilder(tmp_path / "r", object_format=request.param)


def may_read(entry: Entry) -> Authorized:
    found = authorize_evidence(entry, OPEN)
    assert isinstance(found, Authorized)
    return found


def test_files_of_many_commits__are_read_by_one_process(repository: RepositoryBuilder) -> None:
    commits = []
    for number in range(5):
        repository.write({"a/b/c.md": f"{number}\n", "top.md": "same\n"})
        commits.append(repository.commit())
    with repository.open() as git:
        history = GitHistory(git, current=commits[-1])
        names = history.resolve(["HEAD~2", "main", *commits])
        assert (names["HEAD~2"], names["main"]) == (commits[2], commits[4])
        asked = [(commit, path) for commit in commits for path in ("a/b/c.md", "top.md")]
        entries = history.look_up(asked)
        contents = history.read([may_read(entry) for entry in entries.values()])
        texts = [contents[str(entries[pair].blob_id)] for pair in asked]
        assert texts[::2] == [f"{number}\n".encode() for number in range(5)]
        assert set(texts[1::2]) == {b"same\n"}
        assert history.sizes([str(entries[asked[0]].blob_id)]) == {
            str(entries[asked[0]].blob_id): 2
        }
        assert git.process_count == 1


@pytest.mark.parametrize(
    "name", ["nope", "", " ", "a\nb", "HEAD:top.md", "a..b", "HEAD@{1}", ":/x", "-h", "f" * 40, "é"]
)
def test_name__that_is_no_commit_here_is_none(repository: RepositoryBuilder, name: str) -> None:
    repository.write({"top.md": "x\n"}).commit()
    with repository.open() as git:
        history = GitHistory(git, current=None)
        assert history.resolve([name, "HEAD"])[name] is None
        assert history.resolve(["HEAD"])["HEAD"] is not None


def test_path__is_what_stood_there(repository: RepositoryBuilder) -> None:
    repository.write({"a/b.md": "x\n", "c/d.md": "y\n"})
    repository.link({"in.md": "a/b.md", "folder": "c", "out.md": "../../etc/x", "loop": "loop"})
    commit = repository.commit()
    kinds = {
        "a/b.md": EntryKind.FILE, "in.md": EntryKind.FILE, "folder/d.md": EntryKind.FILE,
        "a": EntryKind.DIRECTORY, "none": EntryKind.MISSING, "a/none/x": EntryKind.MISSING,
        "a/b.md/x": EntryKind.ERROR, "out.md": EntryKind.OUTSIDE_LINK, "loop": EntryKind.ERROR,
        ".git/config": EntryKind.ERROR, "a/../a/b.md": EntryKind.ERROR,
    }  # fmt: skip
    with repository.open() as git:
        history = GitHistory(git, current=commit)
        history.resolve([commit])
        entries = history.look_up([(commit, path) for path in kinds])
        assert {path: entries[commit, path].kind for path in kinds} == kinds
        assert entries[commit, "folder/d.md"].real_path == "c/d.md"


def test_folder__whose_object_is_missing_or_damaged_is_not_in_this_clone(
    repository: RepositoryBuilder,
) -> None:
    commit = repository.write({"a/b.md": "x\n", "c/d.md": "y\n", "top.md": "z\n"}).commit()
    repository.loose(repository.text("rev-parse", f"{commit}:a")).unlink()
    other = repository.loose(repository.text("rev-parse", f"{commit}:c"))
    root = repository.loose(repository.text("rev-parse", f"{commit}^{{tree}}"))
    other.chmod(0o644)
    other.write_bytes(root.read_bytes())
    with repository.open() as git:
        history = GitHistory(git, current=commit)
        history.resolve([commit])
        entries = history.look_up([(commit, path) for path in ("a/b.md", "c/d.md", "top.md")])
        assert entries[commit, "a/b.md"].problem == NOT_IN_CLONE
        assert entries[commit, "c/d.md"].problem == NOT_IN_CLONE
        assert entries[commit, "top.md"].kind is EntryKind.FILE


def test_submodule__holds_no_files_of_this_repository(tmp_path: Path) -> None:
    repository = RepositoryBuilder(tmp_path / "r")
    repository.write({"x.md": "x\n"})
    repository.git("add", "-A")
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sub")
    repository.git("commit", "-q", "-m", "s")
    with repository.open() as git:
        history = GitHistory(git, current=None)
        commit = str(history.resolve(["HEAD"])["HEAD"])
        entries = history.look_up([(commit, "sub"), (commit, "sub/f.md")])
        assert {entry.kind for entry in entries.values()} == {EntryKind.OTHER}


def is_any(path: str) -> bool:
    return bool(path)


def test_renames__of_several_commits_take_one_process(repository: RepositoryBuilder) -> None:
    body = "".join(f"line {number}\n" for number in range(40))
    old = repository.write({"a.md": body, "b.md": body.replace("line", "row")}).commit()
    repository.git("mv", "b.md", "d.md")
    middle = repository.commit()
    repository.git("mv", "a.md", "c\tx.md")
    now = repository.write({"c\tx.md": body + "more\n"}).commit()
    with repository.open() as git:
        history = GitHistory(git, current=now)
        history.resolve([old, middle])
        before = git.process_count
        gone = {old: ["a.md", "b.md", "x.md"], middle: ["a.md", "d.md"]}
        found = history.find_renames(gone, is_open=is_any)
        assert git.process_count == before + 1
        assert found.why_not is None
        alike = {
            key: (moved.path, (moved.similarity or 0) > 90) for key, moved in found.found.items()
        }
        assert alike == {
            (old, "a.md"): ("c\tx.md", True),
            (old, "b.md"): ("d.md", True),
            (middle, "a.md"): ("c\tx.md", True),
        }
        assert found.found[old, "b.md"] == Renamed("d.md", 100)


def test_renames__run_nothing_that_the_repository_chose(tmp_path: Path) -> None:
    repository = RepositoryBuilder(tmp_path / "r")
    body = "".join(f"line {number}\n" for number in range(40))
    old = repository.write({"a.md": body}).commit()
    repository.git("mv", "a.md", "b.md")
    now = repository.write({"b.md": body + "more\n"}).commit()
    sentinel = tmp_path / "ran"
    arm(repository, sentinel)
    with repository.open() as git:
        history = GitHistory(git, current=now)
        history.resolve([old])
        assert (
            history.find_renames({old: ["a.md"]}, is_open=is_any).found[old, "a.md"].path == "b.md"
        )
    assert not sentinel.exists()


def test_renames__of_more_commits_than_one_comparison_takes_are_told(
    repository: RepositoryBuilder,
) -> None:
    commits = [
        repository.write({f"{number}.md": f"{number}\n" * 9}).commit() for number in range(25)
    ]
    repository.git("mv", "0.md", "zero.md")
    now = repository.commit()
    with repository.open() as git:
        history = GitHistory(git, current=now)
        history.resolve(commits)
        full = history.find_renames({commit: ["0.md"] for commit in commits[:24]}, is_open=is_any)
        assert (len(full.found), full.why_not) == (24, None)
        over = history.find_renames({commit: ["0.md"] for commit in commits}, is_open=is_any)
        assert len(over.found) == 24
        assert over.why_not is not None


@pytest.mark.parametrize(
    "data",
    [b"100644 a\0" + b"1" * 19, b"100644", b"100644 \0" + b"1" * 20, b"\0", b" a\0" + b"1" * 20,
     (b"100644 a\0" + b"1" * 20) * 2],
)  # fmt: skip
def test_folder__of_other_bytes_is_none(data: bytes) -> None:
    assert parse_folder(data, id_bytes=20) is None


def test_folder__has_modes_of_six_digits() -> None:
    data = b"40000 a\0" + b"\x01" * 20 + b"100644 b c\0" + b"\xff" * 20
    assert parse_folder(data, id_bytes=20) == {
        b"a": ("040000", "01" * 20),
        b"b c": ("100644", "ff" * 20),
    }
    assert parse_folder(b"", id_bytes=32) == {}


def test_renames__of_links_and_of_cut_output_are_left_out() -> None:
    one = b":100644 100755 aa bb R090\0a\0b\0"
    link = b":120000 120000 aa bb R100\0c\0d\0"
    found = parse_renames(b"11 22\n" + one + link + b":100644 100644 aa bb R1")
    assert [(item.old, item.new, item.similarity) for item in found["11"]] == [(b"a", b"b", 90)]
