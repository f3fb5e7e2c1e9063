"""Evidence that was seen at a revision, in real repositories."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from assembler.config.task import EvidenceEntry, Task
from assembler.errors import ConfigError, RefusedError
from assembler.front.assembling import assemble_repository
from tests.builders.repositories import RepositoryBuilder, arm
from tests.builders.seen_evidence import BODY, Asker, digest, put_index


@pytest.fixture
def repository(tmp_path: Path) -> RepositoryBuilder:
    return RepositoryBuilder(tmp_path / "r")


@pytest.fixture
def ask(repository: RepositoryBuilder, tmp_path: Path) -> Asker:
    return Asker(repository, tmp_path)


@pytest.mark.parametrize("at", ["worktree", "index", "HEAD"])
def test_git_21__a_shallow_clone_never_takes_missing_history_for_no_change(
    repository: RepositoryBuilder, tmp_path: Path, at: str
) -> None:
    old = repository.write({"a.md": "same\n"}).commit()
    repository.write({"b.md": "b\n"}).commit()
    clone = RepositoryBuilder(tmp_path / "clone", make=False)
    repository.git("clone", "-q", "--depth=1", f"file://{repository.root}", str(clone.root))
    rows = Asker(clone, tmp_path).rows({"file": "a.md", "revision": old}, at=at)
    row = rows[f"file:a.md@{old}"]
    assert (row["reason"], row["content_sha256"]) == ("turned-away", None)
    assert row["detail"]["code"] == "revision-unavailable"


def test_revision_and_lost_source__that_are_called_like_a_secret_leave_the_run_as_it_is(
    repository: RepositoryBuilder, ask: Asker
) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    repository.write({f"{token}.md": BODY, "a.md": "x\n"}).commit()
    repository.git("tag", "r1")
    lines = [{"path": f"{token}.md", "lines": [2, 2], "sha256": digest("line 2\n")}]
    put_index(repository, "r1", *lines)
    repository.write({f"{token}.md": BODY.replace("line 2\n", "")}).commit()
    result = ask({"summary": "s"}, {"file": "a.md", "revision": token})
    rows = result.rows
    assert rows["summary:s"]["reason"] == "stale"
    assert rows["work"]["decision"] == "selected"
    assert token.encode() not in result.everything
    assert "Lost: nothing is left of" in result.text


@pytest.mark.parametrize("damage", ["missing", "tampered"])
def test_old_file__whose_object_is_not_what_its_id_says_is_never_fresh(
    repository: RepositoryBuilder, ask: Asker, tmp_path: Path, damage: str
) -> None:
    repository.write({"a.md": "one\n", "b.md": "two\n"}).commit()
    repository.git("tag", "r1")
    blob = repository.text("rev-parse", "r1:a.md")
    repository.write({"a.md": "two\n"}).commit()
    repository.loose(blob).unlink()
    if damage == "tampered":
        repository.put_object(b"blob", b"two\n", under=blob)
    sentinel = tmp_path / "ran"
    arm(repository, sentinel)  # a remote that promises the object, among others
    rows = ask.rows({"file": "a.md", "revision": "r1"}, {"file": "b.md", "revision": "r1"})
    assert rows["file:b.md@r1"]["reason"] == "fits"
    row = rows["file:a.md@r1"]
    assert row["detail"]["code"] == "revision-unavailable"
    assert "the file at revision r1 is not in this clone" in row["detail"]["where"]
    assert not sentinel.exists()


@pytest.mark.parametrize("date", ["2099-01-01T00:00:00Z", "1970-01-01T00:00:00Z"])
def test_git_24__dates_of_commits_and_files_decide_nothing(
    repository: RepositoryBuilder, ask: Asker, date: str
) -> None:
    dated = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
    repository.write({"same.md": "1\n", "other.md": "1\n"}).commit(**dated)
    repository.git("tag", "old")
    repository.write({"other.md": "2\n"}).commit()
    rows = ask.rows({"file": "same.md", "revision": "old"}, {"file": "other.md", "revision": "old"})
    assert rows["file:same.md@old"]["decision"] == "selected"
    assert rows["file:other.md@old"]["reason"] == "stale"


def test_evd_03__a_source_that_was_changed_back_is_current_again(
    repository: RepositoryBuilder, ask: Asker
) -> None:
    put_index(repository, "r1", {"path": "a.md", "sha256": digest("one\n")})
    for number, text in enumerate(("one\n", "two\n", "one\n"), start=1):
        repository.write({"a.md": text}).commit()
        repository.git("tag", f"r{number}")
    wanted = ({"summary": "s"}, {"file": "a.md", "revision": "r1"})
    for at, reason in (("r1", "fits"), ("r2", "stale"), ("r3", "fits")):
        rows = ask.rows(*wanted, at=at)
        assert rows["summary:s"]["reason"] == rows["file:a.md@r1"]["reason"] == reason
        if reason == "stale":
            assert rows["summary:s"]["detail"]["seen"] == digest("one\n")
            assert rows["summary:s"]["detail"]["current"] == digest("two\n")


def test_evd_04__lines_are_exact_bytes_and_a_range_past_the_end_is_told(
    repository: RepositoryBuilder, ask: Asker
) -> None:
    text = "é one\r\nzwei ü\r\n".encode() + b"\xff\xfe third\n" + b"last"
    repository.write({"a.md": text}).commit()
    entries = [
        {"file": "a.md", "lines": [first, last], "revision": "HEAD"}
        for first, last in ((1, 1), (2, 3), (4, 4), (4, 5))
    ]
    rows = ask.rows(*entries, at="HEAD")
    lines = text.splitlines(keepends=True)
    for first, last in ((1, 1), (2, 3), (4, 4)):
        row = rows[f"file:a.md#L{first}-L{last}@HEAD"]
        assert row["content_sha256"] == digest(b"".join(lines[first - 1 : last]))
    over = rows["file:a.md#L4-L5@HEAD"]
    assert (over["reason"], over["content_sha256"]) == ("content-absent", None)
    assert "lines 4-5 of 4" in over["discovered_by"]


def test_stale_item__hands_requirement_and_group_to_what_is_read_again(
    repository: RepositoryBuilder, ask: Asker
) -> None:
    repository.write({"a.md": BODY}).commit()
    repository.git("tag", "r1")
    changed = "top\n" + BODY.replace("line 12\n", "line twelve\nand more\n")
    repository.write({"a.md": changed}).commit()
    name = "file:a.md#L10-L14@r1"
    entry = {"file": "a.md", "lines": [10, 14], "revision": "r1"}
    rows = ask.rows(entry, required=[name])
    again = rows["file:a.md#L11-L16"]
    assert rows[name]["reason"] == "stale"
    assert rows[name]["refreshed_by"] == again["id"]
    assert (again["reason"], again["required"], again["replaces"]) == ("required", True, [name])
    assert "lines 10-14 at r1 stand at 11-16 now" in again["discovered_by"]
    assert again["decides"] == "the source of a stale item"
    grouped = ask.rows({**entry, "group": "g"})
    assert grouped[name]["reason"] == "stale"
    assert grouped["file:a.md#L11-L16"]["decision"] == "selected"


def test_required_item__that_is_lost_or_gone_refuses(
    repository: RepositoryBuilder, ask: Asker
) -> None:
    repository.write({"a.md": BODY, "b.md": "b\n"}).commit()
    repository.git("tag", "r1")
    (repository.root / "b.md").unlink()
    repository.write({"a.md": BODY.replace("line 12\nline 13\n", "")}).commit()
    lost = {"file": "a.md", "lines": [12, 13], "revision": "r1"}
    gone = {"file": "b.md", "revision": "r1"}
    result = ask(lost, gone)
    rows = result.rows
    assert rows["file:a.md#L12-L13@r1"]["reason"] == "stale"
    assert rows["file:a.md#L12-L13@r1"]["refreshed_by"] is None
    assert rows["file:b.md@r1"]["reason"] == "freshness-unknown"
    for entry, name in ((lost, "file:a.md#L12-L13@r1"), (gone, "file:b.md@r1")):
        assert isinstance(ask(entry, required=[name]).error, RefusedError)


def test_moved_lines_and_symbols__are_current_with_the_bytes_that_were_seen(
    repository: RepositoryBuilder, ask: Asker
) -> None:
    code = "import os\n\n\ndef one():\n    return os\n\n\ndef two():\n    return 2\n"
    repository.write({"a.py": code}).commit()
    repository.git("tag", "r1")
    repository.write({"a.py": "# one\n# two\n" + code.replace("return 2", "return 22")})
    rows = ask.rows(
        {"file": "a.py", "lines": [4, 5], "revision": "r1"},
        {"symbol": "a.py#one", "revision": "r1"},
        {"symbol": "a.py#one", "imports": True, "sha256": digest("import os\n" + code[12:38])},
        {"symbol": "a.py#two", "revision": "r1"},
        {"symbol": "a.py#three", "revision": "r1"},
    )
    moved = rows["file:a.py#L4-L5@r1"]
    assert moved["content_sha256"] == digest("def one():\n    return os\n")
    assert "a.py#L4-L5 stands at L6-L7 now" in moved["discovered_by"]
    assert rows["file:a.py#one@r1"]["reason"] in ("fits", "duplicate-content")
    assert rows["file:a.py#one@r1"]["source"] == "a.py#L4-L5"
    assert rows["file:a.py#two@r1"]["reason"] == "stale"
    assert rows["file:a.py#two@r1"]["refreshed_by"] == "file:a.py#two"
    assert rows["file:a.py#two"]["decision"] == "selected"
    assert rows["file:a.py#three@r1"]["reason"] == "content-absent"


def test_changed_lines__that_stand_elsewhere_too_are_stale_and_what_is_there_now_is_required(
    repository: RepositoryBuilder, ask: Asker
) -> None:
    text = "[prod]\ntimeout = 5\n[dev]\ntimeout = 5\n"
    lines = {"path": "conf", "lines": [2, 2], "sha256": digest("timeout = 5\n")}
    put_index(repository, "r1", lines)
    repository.write({"conf": text}).commit()
    repository.git("tag", "r1")
    repository.write({"conf": text.replace("5", "900", 1)}).commit()
    names = ("file:conf#L2-L2@r1", "summary:s")
    entry = {"file": "conf", "lines": [2, 2], "revision": "r1"}
    result = ask(entry, {"summary": "s"}, required=[*names])
    for name in names:
        assert result.rows[name]["reason"] == "stale"
        assert result.rows[name]["refreshed_by"] == "file:conf#L2-L2"
    assert result.rows["file:conf#L2-L2"]["reason"] == "required"
    assert "timeout = 900" in result.text
    assert "timeout = 5" not in result.text


def test_blob__that_contradicts_the_digest_decides_nothing_wherever_the_run_reads(
    repository: RepositoryBuilder, ask: Asker
) -> None:
    repository.write({"a.md": "new\n"}).commit()
    blob = repository.text("rev-parse", "HEAD:a.md")
    put_index(repository, "r1", {"path": "a.md", "sha256": digest("old\n"), "blob": blob})
    repository.commit()
    for at in ("worktree", "index", "HEAD"):
        row = ask.rows({"summary": "s"}, at=at)["summary:s"]
        assert row["reason"] == "stale"
        assert row["detail"]["current"] == digest("new\n")


def test_line_ends_of_a_checkout__make_no_section_of_an_edited_file_stale(
    repository: RepositoryBuilder, ask: Asker
) -> None:
    repository.write({"a.md": BODY}).link({"z.md": "a.md"}).commit()
    repository.write({"a.md": (BODY + "more\n").replace("\n", "\r\n").encode()})
    paths = ("a.md", "z.md")
    lines = [{"file": path, "lines": [1, 2], "revision": "HEAD"} for path in paths]
    rows = ask.rows(*lines, *({"file": path, "revision": "HEAD"} for path in paths))
    for path in paths:
        assert rows[f"file:{path}#L1-L2@HEAD"]["reason"] in ("fits", "duplicate-content")
        assert rows[f"file:{path}@HEAD"]["reason"] == "stale"
        assert rows[f"file:{path}"]["content_sha256"] == digest(BODY + "more\n")


def test_stale_symbol__is_read_again_with_its_imports(
    repository: RepositoryBuilder, ask: Asker
) -> None:
    code = "import os\n\n\ndef one():\n    return os\n"
    repository.write({"a.py": code}).commit()
    repository.write({"a.py": code.replace("return os", "return os.sep")})
    rows = ask.rows({"symbol": "a.py#one", "imports": True, "revision": "HEAD"})
    assert rows["file:a.py#one@HEAD"]["reason"] == "stale"
    again = digest("import os\ndef one():\n    return os.sep\n")
    assert rows["file:a.py#one"]["content_sha256"] == again


def test_digest_alone__has_an_id_of_its_own_and_no_content_once_it_is_stale(
    repository: RepositoryBuilder, ask: Asker
) -> None:
    repository.write({"a.md": "one\n", "b.md": "two\n"}).commit()
    one, other = digest("one\n"), digest("2\n")
    rows = ask.rows({"file": "a.md", "sha256": one}, {"file": "b.md", "sha256": other})
    current = rows[f"file:a.md@sha256:{one[:12]}"]
    assert (current["decision"], current["content_sha256"]) == ("selected", one)
    assert current["revision"] == repository.text("rev-parse", "HEAD")
    stale = rows[f"file:b.md@sha256:{other[:12]}"]
    assert (stale["reason"], stale["content_sha256"]) == ("stale", None)
    assert stale["refreshed_by"] == "file:b.md"


def test_digest__that_is_not_that_of_the_revision_decides_and_the_row_says_so(
    repository: RepositoryBuilder, ask: Asker
) -> None:
    repository.write({"a.md": "one\n"}).commit()
    repository.git("tag", "r1")
    repository.write({"a.md": "two\n"})
    for seen, reason in (("two\n", "content-absent"), ("three\n", "stale")):
        rows = ask.rows({"file": "a.md", "revision": "r1", "sha256": digest(seen)})
        row = rows["file:a.md@r1"]
        assert (row["reason"], row["content_sha256"]) == (reason, None)
        assert "other bytes than `sha256` says" in row["discovered_by"]


def test_digest__of_a_file_that_the_revision_has_not_shows_nothing_under_it(
    repository: RepositoryBuilder, ask: Asker
) -> None:
    repository.write({"b.md": "x\n", "m.py": "x = 1\n"}).commit()
    repository.git("tag", "r1")
    repository.write({"a.md": "two\n", "m.py": "def f():\n    pass\n"}).commit()
    rows = ask.rows(
        {"file": "a.md", "revision": "r1", "sha256": digest("two\n")},
        {"symbol": "m.py#f", "revision": "r1", "sha256": digest("def f():\n    pass\n")},
    )
    for name in ("file:a.md@r1", "file:m.py#f@r1"):
        assert rows[name]["content_sha256"] is None
        assert rows[name]["decision"] == "rejected"


def test_denied_path__is_denied_at_both_revisions_and_has_no_digest(
    repository: RepositoryBuilder, ask: Asker, tmp_path: Path
) -> None:
    repository.write({"keys/a.md": "MARK one\n", "open.md": "x\n"})
    repository.link({"link.md": "keys/a.md"}).commit()
    repository.git("tag", "r1")
    (repository.root / "link.md").unlink()
    repository.write({"link.md": "MARK one\n"}).commit()
    profile = tmp_path / "p.yaml"
    profile.write_text("schema: assembler/profile/1\nread: {deny: ['keys/**']}\n")
    known = digest("MARK one\n")
    result = ask(
        {"file": "keys/a.md", "revision": "r1"},
        {"file": "link.md", "revision": "r1", "sha256": known},
        {"file": "keys/a.md", "sha256": known},
        profile=profile,
    )
    rows = result.rows
    names = ("file:keys/a.md@r1", "file:link.md@r1", f"file:keys/a.md@sha256:{known[:12]}")
    for name in names:
        assert rows[name]["reason"] == "access-denied"
    assert b"MARK" not in result.everything
    assert known.encode() not in result.everything


def test_secret__of_an_old_revision_is_held_back_too(
    repository: RepositoryBuilder, ask: Asker
) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    repository.write({"a.md": f"token {token}\n"}).commit()
    result = ask({"file": "a.md", "revision": "HEAD"})
    row = result.rows["file:a.md@HEAD"]
    assert (row["reason"], row["detail"]["code"]) == ("turned-away", "secret-in-text")
    assert token.encode() not in result.everything


def test_observations_and_tests__of_another_revision_say_so_and_nothing_more(
    repository: RepositoryBuilder, ask: Asker
) -> None:
    repository.write({"out.txt": "failed\n"})
    old = repository.commit()
    repository.git("tag", "old")
    repository.write({"b.md": "b\n"}).commit()
    result = ask(
        {"test": "here", "file": "out.txt", "revision": "HEAD"},
        {"test": "old", "file": "out.txt", "revision": "old"},
        {"observation": "lost", "file": "out.txt", "revision": "nope"},
        {"issue": "7", "file": "out.txt", "revision": "nope"},
    )
    rows = result.rows
    assert "made at" not in rows["test:here"]["discovered_by"]
    assert f"made at old, which is {old[:12]}, the run reads" in rows["test:old"]["discovered_by"]
    assert "made at nope, which is not in this clone" in rows["observation:lost"]["discovered_by"]
    assert "made at" not in rows["issue:7"]["discovered_by"]
    assert {rows[name]["reason"] for name in ("test:here", "test:old", "observation:lost")} <= {
        "fits", "duplicate-content"
    }  # fmt: skip


def test_lifetime__of_the_profile_ends_what_has_no_end_of_its_own(
    repository: RepositoryBuilder, ask: Asker, tmp_path: Path
) -> None:
    repository.write({"a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n", "d.txt": "d\n"}).commit()
    profile = tmp_path / "p.yaml"
    profile.write_text(
        "schema: assembler/profile/1\n"
        "evidence: {lifetime_days: {issue: 30, observation: 1, test: 0}}\n"
    )
    entries = (
        {"issue": 1, "file": "a.txt", "retrieved_at": "2026-01-31T10:00:00Z",
         "observed_at": "2020-01-01T00:00:00Z"},
        {"observation": 2, "file": "b.txt", "observed_at": "2026-02-28T10:00:00Z"},
        {"test": 3, "file": "c.txt"},
        {"issue": 4, "file": "d.txt", "retrieved_at": "2020-01-01T00:00:00Z",
         "expires_at": "2030-01-01T00:00:00Z"},
    )  # fmt: skip
    at = {
        now: ask.rows(*entries, profile=profile, now=now)
        for now in ("2026-03-01T09:59:59Z", "2026-03-01T10:00:00Z", "2026-03-02T10:00:00Z")
    }
    first, exact, last = at.values()
    assert first["issue:1"]["expires_at"] == "2026-03-02T10:00:00Z"
    assert first["issue:1"]["refresh"] == "30 days after retrieved_at"
    assert first["observation:2"]["expires_at"] == "2026-03-01T10:00:00Z"
    assert first["observation:2"]["refresh"] == "run; 1 day after observed_at"
    assert (first["test:3"]["expires_at"], first["test:3"]["refresh"]) == (None, "run")
    assert first["issue:4"]["expires_at"] == "2030-01-01T00:00:00Z"
    reasons = [rows["observation:2"]["reason"] for rows in (first, exact)]
    assert reasons == ["fits", "expired"]
    assert [rows["issue:1"]["reason"] for rows in (exact, last)] == ["fits", "expired"]


@pytest.mark.parametrize(
    "entry",
    [
        {"file": "a.md", "revision": "HEAD", "around": "x"},
        {"file": "a.md", "sha256": "a" * 64, "around": "x"},
        {"file": "a.md", "revision": " "},
        {"file": "a.md", "sha256": "A" * 64},
        {"file": "a.md", "sha256": "a" * 63},
        {"summary": "s", "revision": "HEAD"},
        {"summary": "s", "sha256": "a" * 64},
        {"test": "t", "file": "a.md", "sha256": "a" * 64},
    ],
)
def test_entry__that_says_nothing_usable_is_exit_2(
    repository: RepositoryBuilder, ask: Asker, entry: dict[str, Any]
) -> None:
    repository.write({"a.md": "x\n"}).commit()
    assert ask(entry).code in ("config-value", "config-type")


def test_one_file__may_stand_there_at_several_revisions(
    repository: RepositoryBuilder, ask: Asker
) -> None:
    repository.write({"a.md": "x\n"}).commit()
    seen = {"revision": "HEAD"}, {"revision": "main"}, {"sha256": digest("x\n")}
    entries = [{"file": "a.md", **known} for known in ({}, *seen)]
    assert len([name for name in ask.rows(*entries) if name.startswith("file:")]) == 4
    assert ask(entries[1], entries[1]).code == "config-value"


def test_task_of_a_program__is_held_to_the_same_rules(
    repository: RepositoryBuilder, tmp_path: Path
) -> None:
    repository.write({"a.md": "x\n"}).commit()
    twice = EvidenceEntry(file="a.md", revision="HEAD")
    for entries in ([twice, twice], [EvidenceEntry(file="a.md", revision="HEAD", around="x")]):
        with pytest.raises(ConfigError):
            assemble_repository(
                repository.root,
                Task(objective="x", evidence=entries),
                environment={"HOME": str(tmp_path), "PATH": os.environ["PATH"]},
            )


@pytest.mark.parametrize("at", ["worktree", "index", "HEAD"])
def test_git__is_started_no_more_often_for_fifty_items_at_ten_revisions(
    repository: RepositoryBuilder, tmp_path: Path, at: str
) -> None:
    for number in range(10):
        files = {f"src/deep/m{name}.py": f"n = {name}{number % 3}\r\n" for name in range(5)}
        repository.write({**files, f"gone{number}.md": BODY + f"{number}\n" * 9}).commit()
        repository.git("tag", f"r{number}")
        repository.git("rm", "-q", f"gone{number}.md")
    repository.write({"moved.md": BODY + "9\n" * 9}).commit()
    entries = [
        EvidenceEntry(file=path, revision=f"r{number}")
        for number in range(10)
        for path in (*(f"src/deep/m{name}.py" for name in range(4)), f"gone{number}.md")
    ]
    run = assemble_repository(
        repository.root, Task(objective="x", evidence=entries), at=at,
        environment={"HOME": str(tmp_path), "PATH": os.environ["PATH"]},
    )  # fmt: skip
    rows = {row["id"]: row for row in run.recorded.package.rows}
    assert len([name for name in rows if "@r" in name]) == 50
    assert rows["file:src/deep/m1.py@r0"]["reason"] != "stale"
    assert rows["file:src/deep/m1.py@r1"]["reason"] == "stale"
    assert "renamed to moved.md" in rows["file:gone3.md@r3"]["discovered_by"]
    assert run.git_processes <= 6
