"""Cases made from public bug reports about ignored and denied evidence, through `assemble`.

They lie beside the repository; without them these tests are skipped.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from assembler.config.task import Search, Task
from assembler.front.assembling import assemble_repository
from tests.builders.bug_cases import Built, build
from tests.builders.command_line import CommandLine, all_bytes_below
from tests.builders.repositories import RepositoryBuilder

SLUGS = {"gitignored": "git-ignored", "symlink-outside-root": "link-leaves-repository"}


def collect(built: Built, task: dict[str, Any], *, at: str = "worktree") -> dict[str, Any]:
    """The rows of a run by path of the case, those of files alone."""
    document = {"schema": "assembler/task/1", "objective": "x", **task}
    result = built.run(
        "assemble", "--task=-", "--format=json", f"--at={at}", stdin=json.dumps(document)
    )
    assert result.code == 0, result.talk
    for text in built.expected.get("nowhere_in_outputs", ()):
        assert text not in result.text + result.talk
        assert text.encode() not in all_bytes_below(built.command.home)
    root = "repo/"
    return {
        root + row["id"].removeprefix("file:"): row
        for row in result.json["ledger"]
        if row["id"].startswith("file:")
    }


@pytest.mark.parametrize(
    ("number", "where"),
    [
        ("066", {"src/skip.py": ".gitignore:2 src/skip.py", "src/a.log": ".gitignore:1 *.log"}),
        ("067", {"local.txt": ".git/info/exclude:7 local.txt",
                 "u.tmp": "core.excludesFile:1 *.tmp"}),
        ("068", {"build/keep.log": ".gitignore:1 build", "e/sub/f.txt": ".gitignore:3 e/"}),
        ("069", {"vendor/g.txt": ".gitignore:1 **/vendor/"}),
        ("070", {"d/x.txt": ".gitignore:1 d/**"}),
    ],
)  # fmt: skip
def test_ignored__is_a_row_with_its_rule_and_never_a_hit(
    number: str, where: dict[str, str], tmp_path: Path
) -> None:
    built = build(number, tmp_path)
    scope = "src/**" if number == "066" else "**"

    rows = collect(built, {"search": [{"name": "*", "in": scope}]})

    hits = {path for path, row in rows.items() if row["reason"] == "no-decision-value"}
    assert hits == set(built.expected["selected"])
    for item in built.expected["rejected_include"]:
        row, path = rows[item["path"]], item["path"].removeprefix("repo/")
        assert row["reason"] == "turned-away"
        assert row["code"] == SLUGS[item["reason_hint"]]
        assert row["detail"]["where"] == f"{path}: {where[path]}"
        assert row["content_sha256"] is None
        assert row["size"] is None
    assert len(rows) == len(hits) + len(where)


@pytest.mark.parametrize("number", ["066", "067", "068", "069", "070"])
def test_ignored__enters_where_the_task_names_it_and_its_row_says_so(
    number: str, tmp_path: Path
) -> None:
    built = build(number, tmp_path)
    ignored = [item["path"].removeprefix("repo/") for item in built.expected["rejected_include"]]

    rows = collect(built, {"evidence": [{"file": path} for path in ignored]})

    for path in ignored:
        row = rows[f"repo/{path}"]
        assert row["decision"] == "selected"
        assert row["version"].startswith("not in HEAD, ignored by ")


@pytest.mark.parametrize("number", ["066", "068", "069", "070"])
@pytest.mark.parametrize("at", ["HEAD", "index"])
def test_commit_and_index__ignore_nothing(number: str, at: str, tmp_path: Path) -> None:
    built = build(number, tmp_path)
    rows = collect(built, {"search": [{"name": "*"}]}, at=at)
    assert rows
    assert {row["reason"] for row in rows.values()} == {"no-decision-value"}


@pytest.mark.parametrize("at", ["worktree", "index", "HEAD"])
def test_071__a_tracked_secret_is_denied_by_its_name(at: str, tmp_path: Path) -> None:
    built = build("071", tmp_path)
    secrets = [item["path"] for item in built.expected["rejected_include"]]
    named = [{"file": path.removeprefix("repo/")} for path in (*secrets, "repo/main.py")]

    found = collect(built, {"search": [{"name": "*"}]}, at=at)
    asked = collect(built, {"evidence": named}, at=at)

    for rows in (found, asked):
        for path in secrets:
            assert rows[path]["reason"] == "access-denied"
            assert rows[path]["detail"]["rule"].startswith("host-deny:")
            assert rows[path]["content_sha256"] is None
    assert found["repo/.env.example"]["reason"] == "no-decision-value"
    assert asked["repo/main.py"]["decision"] == "selected"


def test_072__evidence_through_a_linked_folder_is_never_opened(tmp_path: Path) -> None:
    built = build("072", tmp_path)
    named = [{"file": entry["path"]} for entry in built.case["setup"]["config"]["evidence"]]

    rows = collect(built, {"evidence": named})

    for path in built.expected["selected"]:
        assert rows[path]["decision"] == "selected"
    for item in built.expected["rejected_include"]:
        assert rows[item["path"]]["reason"] == "turned-away"
        assert rows[item["path"]]["code"] == SLUGS[item["reason_hint"]]


def test_slug__is_explained(tmp_path: Path) -> None:
    result = build("066", tmp_path).command("explain", "git-ignored", "--format=json")
    assert result.code == 0
    assert "ignore" in json.loads(result.text)["reason"]["meaning"]


# ---- bounds, and what is handed in


def ledger(assembler: CommandLine, task: dict[str, Any]) -> dict[str, Any]:
    document = {"schema": "assembler/task/1", "objective": "x", **task}
    result = assembler("assemble", "--task=-", "--format=json", stdin=json.dumps(document))
    assert result.code == 0, result.talk
    return {row["id"]: row for row in result.json["ledger"]}


@pytest.mark.parametrize(
    ("limit", "shown", "words"),
    [
        (4, 3, "1 hit, 3 ignored by git, limit 4"),
        (3, 2, "1 hit, 3 ignored by git (1 of them left off), limit 3"),
        (1, 0, "1 hit, 3 ignored by git (3 of them left off), limit 1"),
    ],
)
def test_search__has_one_limit_for_hits_and_what_is_ignored(
    assembler: CommandLine, repository: RepositoryBuilder, limit: int, shown: int, words: str
) -> None:
    repository.write({".gitignore": "/out/\n", "a.log": "h"})
    repository.write({f"out/{name}.log": name for name in "xyz"})
    rows = ledger(assembler, {"search": [{"name": "*.log", "limit": limit}]})
    assert rows["file:a.log"]["discovered_by"] == f"search name *.log in **: {words}"
    ignored = [row for row in rows.values() if row["reason"] == "turned-away"]
    assert [row["id"] for row in ignored] == [f"file:out/{name}.log" for name in "xyz"[:shown]]
    assert all(row["detail"]["where"].endswith(": .gitignore:1 /out/") for row in ignored)


def test_search__that_finds_ignored_files_alone_is_one_without_a_hit(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write({".gitignore": "*.log\n", "a.log": "x"})
    rows = ledger(assembler, {"search": [{"name": "*.log"}], "evidence": [{"file": "a.log"}]})
    assert rows["search:1"]["discovered_by"].endswith(": 0 hits, 1 ignored by git, limit 50")
    # The task names it, so it enters, and there is no second row of it.
    assert rows["file:a.log"]["decision"] == "selected"
    assert rows["file:a.log"]["version"] == "not in HEAD, ignored by .gitignore:1 *.log"


def test_payload__that_git_ignores_enters_and_its_row_says_so(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write({".gitignore": ".work/\n", ".work/t.txt": "FAIL\n"})
    rows = ledger(assembler, {"evidence": [{"test": "t", "file": ".work/t.txt"}]})
    assert rows["test:t"]["decision"] == "selected"
    assert rows["test:t"]["version"] == "ignored by .gitignore:1 .work/"


def test_tracked_file__is_never_ignored(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write({".gitignore": "*.log\n", "a.log": "x"})
    repository.git("add", "-f", "a.log")
    rows = ledger(assembler, {"search": [{"name": "*.log"}], "evidence": [{"file": "a.log"}]})
    assert rows["file:a.log"]["version"] == "not in HEAD"
    assert "ignored" not in rows["file:a.log"]["discovered_by"]


def test_run__that_asks_for_all_of_it_starts_at_most_six_processes_of_git(
    repository: RepositoryBuilder, tmp_path: Path
) -> None:
    repository.write({".gitignore": "*.log\n", **{f"{name}.log": name for name in "abcdefgh"}})
    repository.write({"src/x.py": "changed\n"})
    run = assemble_repository(
        repository.root,
        Task(
            schema_="assembler/task/1",
            objective="x",
            targets=["src/x.py", "a.log"],
            search=[Search(name="*"), Search(text="x"), Search(name="*.log")],
        ),
        environment={"HOME": str(tmp_path), "PATH": os.environ["PATH"]},
    )
    assert run.git_processes <= 6
