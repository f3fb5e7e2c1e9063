"""Files that are gone from their paths: followed for summaries, named for what was seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders.repositories import RepositoryBuilder
from tests.builders.seen_evidence import BODY, Asker, digest, put_index


@pytest.fixture
def repository(tmp_path: Path) -> RepositoryBuilder:
    return RepositoryBuilder(tmp_path / "r")


@pytest.fixture
def ask(repository: RepositoryBuilder, tmp_path: Path) -> Asker:
    return Asker(repository, tmp_path)


def test_renamed_source__is_followed_and_read_again_at_its_new_path(
    repository: RepositoryBuilder, ask: Asker
) -> None:
    repository.write({"src/old.md": BODY}).commit()
    repository.git("tag", "r1")
    repository.git("mv", "src/old.md", "new.md")
    lines = BODY.splitlines(keepends=True)
    sources = [
        {
            "path": "src/old.md",
            "lines": [first, last],
            "sha256": digest("".join(lines[first - 1 : last])),
        }
        for first, last in ((2, 4), (20, 24))
    ]
    put_index(repository, "r1", *sources)
    for state in ("staged", "committed"):
        if state == "committed":
            repository.commit()
        same = ask.rows({"summary": "s"})["summary:s"]
        assert same["decision"] == "selected", state
        assert "src/old.md#L2-L4 stands at new.md#L2-L4 now" in same["discovered_by"]
    repository.write({"new.md": "top\n" + BODY.replace("line 22\n", "line x\n")}).commit()
    for at in ("worktree", "index", "HEAD"):
        rows = ask.rows({"summary": "s"}, at=at)
        assert rows["summary:s"]["reason"] == "stale"
        assert rows["summary:s"]["refreshed_by"] == "file:new.md#L21-L25"
        assert "% alike" in rows["summary:s"]["discovered_by"]
        assert rows["file:new.md#L21-L25"]["decision"] == "selected"


def test_untracked_rename__is_found_by_its_bytes_and_an_ambiguous_one_is_not_guessed(
    repository: RepositoryBuilder, ask: Asker
) -> None:
    repository.write({"old.md": BODY, "copy.md": BODY.replace("line 1\n", "")}).commit()
    repository.git("tag", "r1")
    put_index(repository, "r1", {"path": "old.md", "sha256": digest(BODY)})
    (repository.root / "old.md").rename(repository.root / "new.md")
    wanted = ({"summary": "s"}, {"file": "old.md", "revision": "r1"})
    rows = ask.rows(*wanted)
    assert rows["summary:s"]["decision"] == "selected"
    assert rows["file:old.md@r1"]["reason"] == "freshness-unknown"
    assert "renamed to new.md (the same bytes)" in rows["file:old.md@r1"]["discovered_by"]
    assert rows["file:new.md"]["reason"] == "no-decision-value"
    repository.write({"newer.md": BODY})
    rows = ask.rows(*wanted)
    for name in ("summary:s", "file:old.md@r1"):
        assert rows[name]["reason"] == "freshness-unknown"
        assert "several files have the bytes of old.md" in rows[name]["discovered_by"]
    assert "file:new.md" not in rows


def test_copy__that_the_old_commit_had_is_no_rename(
    repository: RepositoryBuilder, ask: Asker
) -> None:
    repository.write({"old.md": BODY, "copy.md": BODY, "empty.md": ""}).commit()
    repository.git("tag", "r1")
    (repository.root / "old.md").unlink()
    (repository.root / "empty.md").unlink()
    repository.write({"void.md": ""}).commit()
    rows = ask.rows({"file": "old.md", "revision": "r1"}, {"file": "empty.md", "revision": "r1"})
    assert not {"file:copy.md", "file:void.md"} & set(rows)
    assert rows["file:old.md@r1"]["reason"] == "freshness-unknown"


def test_source_that_was_renamed_to_a_closed_path__denies_the_summary(
    repository: RepositoryBuilder, ask: Asker, tmp_path: Path
) -> None:
    repository.write({"old.md": BODY}).commit()
    repository.git("tag", "r1")
    put_index(repository, "r1", {"path": "old.md", "sha256": digest(BODY)})
    (repository.root / "keys").mkdir()
    repository.git("mv", "old.md", "keys/new.md")
    repository.commit()
    profile = tmp_path / "p.yaml"
    profile.write_text("schema: assembler/profile/1\nread: {deny: ['keys/**']}\n")
    result = ask({"summary": "s"}, profile=profile)
    assert result.rows["summary:s"]["reason"] == "access-denied"
    assert digest(BODY).encode() not in result.everything


def test_old_file__is_that_of_the_blob_where_nobody_knows_the_revision(
    repository: RepositoryBuilder, ask: Asker
) -> None:
    repository.write({"a.md": BODY}).commit()
    blob = repository.text("rev-parse", "HEAD:a.md")
    lines = BODY.splitlines(keepends=True)
    source = {"path": "a.md", "lines": [10, 12], "sha256": digest("".join(lines[9:12]))}
    repository.write({"a.md": "top\n" + BODY.replace("line 11\n", "eleven\n")})
    put_index(repository, "build-77", {**source, "blob": blob})
    rows = ask.rows({"summary": "s"})
    assert rows["summary:s"]["refreshed_by"] == "file:a.md#L11-L13"
    for bad in ({}, {"blob": "f" * 40}, {"blob": "no id"}):
        put_index(repository, "HEAD", {**source, **bad})
        assert ask.rows({"summary": "s"})["summary:s"]["refreshed_by"] == "file:a.md#L11-L13"
    for unknown in ({}, {"blob": "f" * 40}):
        put_index(repository, "build-77", {**source, **unknown})
        rows = ask.rows({"summary": "s"})
        again = rows["file:a.md#L10-L12"]
        assert "not at hand" in again["discovered_by"]
