from __future__ import annotations

import pytest

from assembler.adapters.git_objects import MAX_ASKED_BYTES
from tests.builders.repositories import RepositoryBuilder

ODD = (b"plain", b"a b", "\u00e9".encode(), b":x", b"-x", b"a:b", b"d/e/f", b"*", b"x missing")


def fill(repository: RepositoryBuilder) -> dict[bytes, str]:
    """Odd names, a link and a folder; the blob of each that has one, as git says."""
    repository.write({name.decode(): f"{name!r}\n" for name in ODD}).link({"link": "plain"})
    repository.commit()
    lines = repository.git("ls-tree", "-r", "-z", "HEAD").split(b"\0")[:-1]
    return {
        line.partition(b"\t")[2]: line.split(b" ")[2].split(b"\t")[0].decode() for line in lines
    }


def test_blobs_at__are_those_of_the_tree(repository: RepositoryBuilder) -> None:
    blobs = fill(repository)
    asked = [*blobs, b"d", b"d/e", b"gone", b"plain/x", b"", b"new\nline"]
    with repository.open() as git:
        head = git.resolve("HEAD").id
        assert git.blobs_at(head, asked) == {path: blobs.get(path) for path in asked}
        assert git.blobs_at(head, []) == {}
        assert git.process_count == 1


def test_blobs_at__asks_for_many_and_for_long_paths(repository: RepositoryBuilder) -> None:
    folder = "/".join(["d" * 200] * 15)
    repository.write({f"{folder}/{number}": f"{number}\n" for number in range(40)})
    repository.write({f"m/{number}": f"{number}\n" for number in range(800)})
    repository.commit()
    paths = [f"{folder}/{number}".encode() for number in range(40)]
    paths += [f"m/{number}".encode() for number in range(800)]
    with repository.open() as git:
        head = git.resolve("HEAD").id
        found = git.blobs_at(head, paths)
        assert git.process_count == 1
        assert found == git.blob_ids(head, paths)
        assert None not in found.values()
        assert git.process_count == 2, "a listing answers sooner for so many"


def test_blobs_at__leaves_out_what_is_too_long_to_ask(repository: RepositoryBuilder) -> None:
    repository.write({"a": ""}).commit()
    with repository.open() as git:
        head = git.resolve("HEAD").id
        longest, over = b"x" * (MAX_ASKED_BYTES - 1), b"x" * MAX_ASKED_BYTES
        assert git.blobs_at(head, [longest, over]) == {longest: None, over: None}


def test_blob_ids__are_the_same_by_a_listing_and_by_a_process_that_is_there(
    repository: RepositoryBuilder,
) -> None:
    blobs = fill(repository)
    asked = [*blobs, b"d", b"gone"]
    with repository.open() as git:
        head = git.resolve("HEAD").id
        by_listing = git.blob_ids(head, asked)
        git.blobs_at(head, [b"plain"])
        before = git.process_count
        assert git.blob_ids(head, asked) == by_listing
        assert git.process_count == before
        # A line feed can't be asked for, so all are listed.
        assert git.blob_ids(head, [b"plain", b"new\nline"])[b"plain"] == blobs[b"plain"]
        assert git.process_count == before + 1


@pytest.mark.parametrize("bad", ["HEAD", "main", "a" * 39])
def test_blobs_at__takes_full_ids_alone(repository: RepositoryBuilder, bad: str) -> None:
    repository.commit()
    with repository.open() as git, pytest.raises(ValueError, match="full object id"):
        git.blobs_at(bad, [b"a"])


def test_commits_named__has_several_where_a_tag_and_a_branch_have_the_name(
    repository: RepositoryBuilder,
) -> None:
    first, second = repository.commit(), repository.commit()
    repository.git("branch", "both", first)
    repository.git("tag", "both", second)
    repository.git("tag", "-a", "-m", "x", "same", second)
    repository.git("branch", "same", second)
    repository.git("update-ref", f"refs/tags/{first}", second)
    with repository.open() as git:
        assert git.commits_named("both") == tuple(sorted((first, second)))
        assert git.commits_named("same") == (second,)
        assert git.commits_named(first) == (first,)
        assert git.commits_named("refs/heads/both") == (first,)
        assert git.commits_named("HEAD") == (second,)
        for name in ("gone", "-x", "a..b", "", "HEAD^{tree}"):
            assert git.commits_named(name) == ()
