"""Cases made from public bug reports about evidence that was seen before, through `assemble`.

They lie beside the repository; without them these tests are skipped.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from assembler.model.digest import sha256_hex
from tests.builders.bug_cases import Built, build, numbers_of
from tests.builders.seen_evidence import Rows, rows_of

ROOM = range(73, 79)
WORDS = {"fresh": "selected", "stale": "stale", "unknown": "turned-away"}
"""The reason, or the decision, of what a case calls an item."""


def write_task(built: Built, top: Path) -> tuple[Path, list[str]]:
    """A task with the evidence of a case, and the id of each piece."""
    entries = []
    for item in built.case["setup"]["config"]["evidence"]:
        revision = item["revision"]
        if revision.startswith("commit id in "):
            revision = (built.top / revision.removeprefix("commit id in ")).read_text().strip()
        if "text" in item and "sha256" in item:
            assert sha256_hex(item["text"].encode()) == item["sha256"]
        entry = {"file": item["path"], "revision": revision}
        if "sha256" in item:
            entry["sha256"] = item["sha256"]
        entries.append(entry)
    path = top / "task.json"
    task = {"schema": "assembler/task/1", "objective": "look", "evidence": entries}
    path.write_text(json.dumps(task))
    return path, [f"file:{entry['file']}@{entry['revision']}" for entry in entries]


def assemble(built: Built, top: Path, *options: str) -> tuple[Rows, list[str]]:
    task, ids = write_task(built, top)
    return rows_of(built.run("assemble", f"--task={task}", "--format=json", *options)), ids


def work_of(built: Built, top: Path, *options: str) -> str:
    task, _ = write_task(built, top)
    return built.run("assemble", f"--task={task}", "--format=input", *options).text.split("== ")[-1]


@pytest.mark.parametrize("number", numbers_of(ROOM))
def test_case__has_the_freshness_that_it_should(number: str, tmp_path: Path) -> None:
    built = build(number, tmp_path)
    rows, ids = assemble(built, tmp_path)
    for identifier in ids:
        path = identifier.removeprefix("file:").partition("@")[0]
        expected = built.expected[path]
        row = rows[identifier]
        assert (row["decision"] == "selected") == expected.get("selected", True), row
        word = expected.get("freshness", "").partition(" ")[0]
        if number == "077":
            continue  # has a test of its own below
        assert WORDS.get(word, row["reason"]) in (row["reason"], row["decision"])
    if number in ("078", "077"):
        assert [row["content_sha256"] for name, row in rows.items() if name in ids] == [None]


def test_073__each_file_is_judged_by_itself_and_a_stale_one_is_read_again(tmp_path: Path) -> None:
    built = build("073", tmp_path)
    rows, (alpha, beta) = assemble(built, tmp_path)
    assert rows[alpha]["decision"] == "selected"
    assert rows[alpha]["content_sha256"] == sha256_hex(b"v1\n")
    assert rows[beta]["reason"] == "stale"
    assert rows[beta]["detail"] == {
        "source": "beta.py",
        "seen": sha256_hex(b"v1\n"),
        "current": sha256_hex(b"v2\n"),
    }
    again = rows["file:beta.py"]
    assert rows[beta]["refreshed_by"] == again["id"]
    assert again["replaces"] == [beta]
    assert again["decision"] == "selected"
    assert again["content_sha256"] == sha256_hex(b"v2\n")


def test_074__the_worktree_is_stale_while_the_index_has_the_old_bytes(tmp_path: Path) -> None:
    built = build("074", tmp_path)
    worktree, (name,) = assemble(built, tmp_path)
    index, _ = assemble(built, tmp_path, "--at=index")
    head, _ = assemble(built, tmp_path, "--at=HEAD")
    assert worktree[name]["reason"] == "stale"
    assert index[name]["decision"] == head[name]["decision"] == "selected"


def test_075__a_touched_file_changes_nothing_and_the_index_is_not_written(tmp_path: Path) -> None:
    built = build("075", tmp_path)
    task, (name,) = write_task(built, tmp_path)
    index = (built.command.cwd / ".git/index").read_bytes()
    after = built.run("assemble", f"--task={task}", "--format=input")
    (built.command.cwd / "a.md").touch()
    before = built.run("assemble", f"--task={task}", "--format=input")
    assert after.code == before.code == 0
    assert after.out == before.out
    assert f"[[source {name}".encode() in after.out
    assert (built.command.cwd / ".git/index").read_bytes() == index


def test_076__a_renamed_file_is_named_and_takes_nobodys_place(tmp_path: Path) -> None:
    built = build("076", tmp_path)
    rows, (name,) = assemble(built, tmp_path)
    assert rows[name]["reason"] == "freshness-unknown"
    assert "old.md was renamed to new.md" in rows[name]["discovered_by"]
    assert rows["file:new.md"]["reason"] == "no-decision-value"
    assert rows[name]["refreshed_by"] is None
    assert f"Unresolved: {name} can't be checked" in work_of(built, tmp_path)


def test_077__a_file_of_a_submodule_is_not_judged_by_this_repository(tmp_path: Path) -> None:
    built = build("077", tmp_path)
    for at in ("worktree", "index", "HEAD"):
        rows, (name,) = assemble(built, tmp_path, f"--at={at}")
        assert rows[name]["reason"] == "turned-away"
        assert rows[name]["detail"]["code"] == "revision-unavailable"
        assert "inside a submodule" in rows[name]["detail"]["where"]
    assert "inside a submodule" in work_of(built, tmp_path)


def test_077__a_commit_of_the_submodule_is_none_of_this_repository(tmp_path: Path) -> None:
    built = build("077", tmp_path)
    done = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=built.top / "super/sub", capture_output=True, check=True
    )
    built.case["setup"]["config"]["evidence"][0]["revision"] = done.stdout.decode().strip()
    rows, (name,) = assemble(built, tmp_path)
    assert "inside a submodule" in rows[name]["detail"]["where"]


def test_078__what_this_clone_can_not_show_is_out_unresolved_and_explained(tmp_path: Path) -> None:
    built = build("078", tmp_path)
    rows, (name,) = assemble(built, tmp_path)
    revision = name.partition("@")[2]
    assert rows[name]["reason"] == "turned-away"
    assert rows[name]["detail"]["code"] == "revision-unavailable"
    assert rows[name]["detail"]["where"] == f"a.md: revision {revision} is not in this clone"
    line = f"Unresolved: {name} can't be checked, revision {revision} is not in this clone."
    assert work_of(built, tmp_path).count(line) == 1
    explained = built.command("explain", "revision-unavailable")
    assert explained.code == 0
    assert "ASM704" in explained.text


def test_078__required_it_refuses(tmp_path: Path) -> None:
    built = build("078", tmp_path)
    task, (name,) = write_task(built, tmp_path)
    data = json.loads(task.read_bytes())
    task.write_text(json.dumps({**data, "required": [name]}))
    refused = built.run("assemble", f"--task={task}")
    assert refused.code == 3
    assert "revision-unavailable" in refused.talk
    assert "hint" in refused.talk


def test_078__with_its_digest_it_can_be_judged_all_the_same(tmp_path: Path) -> None:
    built = build("078", tmp_path)
    (entry,) = built.case["setup"]["config"]["evidence"]
    for text, reason in ((b"v2\n", "fits"), (b"v1\n", "stale")):
        entry["sha256"] = sha256_hex(text)
        entry.pop("text", None)
        rows, (name,) = assemble(built, tmp_path)
        assert rows[name]["reason"] == reason
