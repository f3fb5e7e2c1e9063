"""Where files stand that are gone: found in real repositories, with every bound at its edge."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from assembler.adapters.history import GitHistory
from assembler.adapters.patterns import compile_patterns
from assembler.adapters.trees import open_tree
from assembler.authorize.read_scope import GrantLayer, ReadScope
from assembler.offers.past import PastFile, Wanted, find_past
from assembler.offers.reader import FileReader
from assembler.offers.renames import (
    MAX_COMPARED_FILES,
    MAX_SAME_BLOB,
    MAX_UNTRACKED_FILES,
    Moves,
    follow_gone,
)
from tests.builders.repositories import RepositoryBuilder

TEXT = "the text of a file\n" * 3


def scope(*deny: str) -> ReadScope:
    patterns = compile_patterns(list(deny), where="x"), compile_patterns(["**"], where="x")
    return ReadScope((GrantLayer("host", *patterns),))


@pytest.fixture
def repository(tmp_path: Path) -> RepositoryBuilder:
    repository = RepositoryBuilder(tmp_path / "r")
    repository.write({"old.md": TEXT, "other.md": "other\n"}).commit()
    (repository.root / "old.md").unlink()
    return repository


class Followed:
    """What became of `old.md` since the first commit."""

    def __init__(self, moves: Moves, file: PastFile) -> None:
        self.moves, self.file = moves, file

    @property
    def path(self) -> str | None:
        moved = self.moves.found.get(self.file)
        return None if moved is None else moved.path


@contextmanager
def opened(
    repository: RepositoryBuilder, at: str, *deny: str
) -> Iterator[tuple[FileReader, GitHistory]]:
    with repository.open() as git:
        tree = open_tree(repository.places(), git, at)
        yield FileReader(tree, scope(*deny)), GitHistory(git, current=tree.revision)


def follow(repository: RepositoryBuilder, at: str = "worktree", *deny: str) -> Followed:
    first = repository.text("rev-list", "--max-parents=0", "HEAD")
    with opened(repository, at, *deny) as (reader, history):
        wanted = Wanted("old.md", first)
        file = find_past([wanted], history, reader.scope)[wanted]
        assert isinstance(file, PastFile)
        moves = follow_gone([file, file], reader, history)
        return Followed(moves, file)


def test_nothing_gone__asks_nothing(repository: RepositoryBuilder) -> None:
    with repository.open() as git:
        reader = FileReader(open_tree(repository.places(), git, "worktree"), scope())
        assert follow_gone([], reader, GitHistory(git, current=None)) == Moves()
        assert git.process_count == 0


@pytest.mark.parametrize("at", ["worktree", "index", "HEAD"])
def test_same_bytes__are_found_in_every_tree(repository: RepositoryBuilder, at: str) -> None:
    repository.write({"a/new.md": TEXT})
    if at != "worktree":
        repository.git("add", "-A")
    if at == "HEAD":
        repository.commit()
    found = follow(repository, at)
    assert found.path == "a/new.md"
    assert found.moves.found[found.file].similarity is None
    assert found.moves.note(found.file) == "old.md was renamed to a/new.md (the same bytes)"


def test_staged_file__that_is_gone_from_disk_is_no_new_place(
    repository: RepositoryBuilder,
) -> None:
    repository.write({"new.md": TEXT}).git("add", "-A")
    (repository.root / "new.md").unlink()
    assert follow(repository).path is None


def test_closed_file__is_not_opened_to_see_whether_it_is_the_one(
    repository: RepositoryBuilder,
) -> None:
    repository.write({"keys/new.md": TEXT})
    assert follow(repository).path == "keys/new.md"
    assert follow(repository, "worktree", "keys/**").path is None


def test_staged_file__that_was_rewritten_since_is_no_new_place(
    repository: RepositoryBuilder,
) -> None:
    repository.write({"new.md": TEXT}).git("add", "-A")
    repository.write({"new.md": "completely other\n"})
    assert follow(repository, "index").path == "new.md"
    assert follow(repository).path is None
    repository.write({"new.md": TEXT.replace("\n", "\r\n")})
    assert follow(repository).path == "new.md"
    repository.write({"new.md": TEXT, "copy.md": TEXT}).git("add", "-A")
    repository.write({"copy.md": "completely other\n"})
    assert follow(repository).path == "new.md"


@pytest.mark.parametrize("over", [0, 1])
def test_staged_files__are_read_up_to_the_bound(repository: RepositoryBuilder, over: int) -> None:
    others = {f"{number}.md": f"{number}\n" for number in range(MAX_COMPARED_FILES - 1 + over)}
    repository.write(others).commit()
    commit = repository.text("rev-parse", "HEAD")
    (repository.root / "moved").mkdir()
    repository.git("mv", *others, "moved")
    repository.write({"new.md": TEXT}).git("add", "-A")
    with opened(repository, "worktree") as (reader, history):
        first = repository.text("rev-list", "--max-parents=0", "HEAD")
        wanted = [Wanted("old.md", first), *(Wanted(name, commit) for name in others)]
        files = [
            file
            for file in find_past(wanted, history, reader.scope).values()
            if isinstance(file, PastFile)
        ]
        assert len(files) == MAX_COMPARED_FILES + over
        moves = follow_gone(files, reader, history)
        assert len(moves.found) == MAX_COMPARED_FILES
        assert moves.ambiguous == frozenset()


def test_similar_file__is_found_between_commits_and_told_in_percent(
    repository: RepositoryBuilder,
) -> None:
    repository.write({"new.md": TEXT + "more\n"}).commit()
    found = follow(repository)
    assert found.path == "new.md"
    assert 50 <= (found.moves.found[found.file].similarity or 0) < 100
    (repository.root / "new.md").unlink()
    assert follow(repository).path is None


@pytest.mark.parametrize("text", [TEXT, TEXT + "more\n"])
def test_closed_file_of_a_commit__is_neither_named_nor_compared(
    repository: RepositoryBuilder, text: str
) -> None:
    repository.write({"keys/new.md": text}).commit()
    assert follow(repository).path == "keys/new.md"
    closed = follow(repository, "worktree", "keys/**")
    assert closed.path is None
    assert closed.moves.note(closed.file) is None
    assert dict(closed.moves.closed) == ({closed.file: "host-deny:keys/**"} if text == TEXT else {})


def test_closed_file__is_not_opened_by_git_either(repository: RepositoryBuilder) -> None:
    # Git itself fails where it opens this blob, since its object is gone.
    repository.write({"keys/new.md": TEXT + "closed\n", "new.md": TEXT + "more\n"}).commit()
    blob = repository.text("rev-parse", "HEAD:keys/new.md")
    (repository.root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    assert follow(repository).moves.why_not is not None
    closed = follow(repository, "worktree", "keys/**")
    assert (closed.path, closed.moves.why_not) == ("new.md", None)


def test_file_that_became_the_folder_of_a_closed_one__opens_nothing_of_it(
    repository: RepositoryBuilder,
) -> None:
    repository.write({"old.md/keys": TEXT + "closed\n"}).commit()
    assert follow(repository).path == "old.md/keys"
    assert follow(repository, "worktree", "keys").path is None


@pytest.mark.parametrize("over", [0, 1])
def test_untracked_files_of_the_size__are_read_up_to_the_bound(
    repository: RepositoryBuilder, over: int
) -> None:
    same_size = TEXT.replace("t", "x")
    others = {f"{number:04}.md": same_size for number in range(MAX_COMPARED_FILES - 1 + over)}
    repository.write({**others, "new.md": TEXT})
    assert follow(repository).path == (None if over else "new.md")


@pytest.mark.parametrize("over", [0, 1])
def test_untracked_files__are_looked_at_up_to_the_bound(
    repository: RepositoryBuilder, over: int
) -> None:
    others = {f"{number:04}.md": "" for number in range(MAX_UNTRACKED_FILES - 1 + over)}
    repository.write({**others, "new.md": TEXT})
    assert follow(repository).path == (None if over else "new.md")


def test_more_files_with_the_bytes_than_are_compared__are_as_good_as_two(
    repository: RepositoryBuilder,
) -> None:
    copies = {f"copy{number}.md": TEXT for number in range(MAX_SAME_BLOB + 1)}
    repository.write(copies).commit()
    found = follow(repository)
    assert found.file in found.moves.ambiguous
    assert found.moves.note(found.file) == "several files have the bytes of old.md"


def test_blob_alone__says_which_file_is_meant(repository: RepositoryBuilder) -> None:
    blob = repository.text("rev-parse", "HEAD:old.md")
    repository.write({"new.md": TEXT}).commit()
    with opened(repository, "HEAD") as (reader, history):
        wanted = Wanted("old.md", "no-such-name", blob)
        file = find_past([wanted], history, reader.scope)[wanted]
        assert isinstance(file, PastFile)
        assert file.commit_id is None
        assert follow_gone([file], reader, history).found[file].path == "new.md"
