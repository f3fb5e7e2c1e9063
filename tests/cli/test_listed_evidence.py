"""Changed paths and files of folders: rows by their names, which decide nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.builders.command_line import CommandLine
from tests.builders.repositories import RepositoryBuilder
from tests.builders.runs import rows_of

TASK = {"schema": "assembler/task/1", "objective": "Look at it."}


def run(assembler: CommandLine, value: dict[str, Any], *arguments: str, code: int = 0) -> Any:
    words = ("assemble", "--task", "-", *arguments, "-f", "json")
    result = assembler(*words, stdin=json.dumps({**TASK, **value}))
    assert result.code == code, result.talk
    return rows_of(result.json) if code == 0 else result.talk


def listed(rows: dict[str, Any]) -> dict[str, str]:
    """The reason of each file that was only listed."""
    return {
        name.removeprefix("file:"): row["reason"]
        for name, row in rows.items()
        if name.startswith("file:") and row["decides"] is None
    }


# Changed paths


def test_changed__lists_what_differs_from_head_and_opens_none_of_it(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write({"src/x.py": "changed\n", "new file.md": "n\n", ".env": "SECRET=1\n"})
    (repository.root / "docs/notes.md").unlink()
    rows = run(assembler, {"changed": True})
    assert listed(rows) == {
        "src/x.py": "no-decision-value",
        "new file.md": "no-decision-value",
        "docs/notes.md": "no-decision-value",
        ".env": "access-denied",
    }
    assert rows["file:src/x.py"]["discovered_by"] == "changed since HEAD: 4 paths, limit 50"
    assert rows["file:docs/notes.md"]["discovered_by"].endswith("; deleted")
    assert rows["file:src/x.py"]["content_bytes"] is None


def test_changed__tells_a_submodule_at_another_commit(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    inner = RepositoryBuilder(repository.root / "inner")
    inner.write({"x": "x\n"}).commit()
    repository.commit()
    inner.write({"x": "y\n"}).commit()
    row = run(assembler, {"changed": True})["file:inner"]
    assert row["discovered_by"].endswith("; submodule at another commit")
    assert row["content_bytes"] is None


def test_changed__without_a_change_is_a_row_that_says_so(assembler: CommandLine) -> None:
    for at in ("worktree", "index"):
        row = run(assembler, {"changed": True}, "--at", at)["changed"]
        assert (row["reason"], row["detail"]) == ("content-absent", {"absent": "unreadable"})
        assert row["discovered_by"] == "changed since HEAD: 0 paths, limit 50"
    assert "changed" not in run(assembler, {"changed": False})


def test_changed__of_the_index_is_what_is_staged(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write({"src/x.py": "staged\n"})
    repository.git("add", "-A")
    repository.write({"docs/notes.md": "not staged\n"})
    assert set(listed(run(assembler, {"changed": True}, "--at", "index"))) == {"src/x.py"}


def test_changed__of_a_commit_is_against_its_first_parent(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.git("branch", "side")
    repository.write({"src/x.py": "main\n"}).commit()
    repository.git("checkout", "-q", "side")
    repository.write({"docs/notes.md": "side\n"}).commit()
    repository.git("checkout", "-q", "main")
    repository.git("merge", "-q", "--no-edit", "side")
    rows = run(assembler, {"changed": True}, "--at", "HEAD")
    assert listed(rows) == {"docs/notes.md": "no-decision-value"}
    assert "since its first parent: 1 path," in rows["file:docs/notes.md"]["discovered_by"]
    # The first commit has no parent: all of it is new.
    assert "src/AGENTS.md" in listed(run(assembler, {"changed": True}, "--at", "HEAD~2"))


def test_parent_that_a_shallow_clone_lacks__is_a_row(
    repository: RepositoryBuilder, assembler: CommandLine
) -> None:
    repository.write({"src/x.py": "2\n"}).commit()
    url = f"file://{repository.root}"
    repository.git("clone", "-q", "--depth", "1", url, str(repository.root.parent / "shallow"))
    words = ("assemble", "--task", "-", "--at", "HEAD", "-f", "json")
    result = assembler(
        *words,
        stdin=json.dumps({**TASK, "changed": True}),
        cwd=repository.root.parent / "shallow",
    )
    assert result.code == 0, result.talk
    assert "not in this clone" in rows_of(result.json)["changed"]["discovered_by"]


@pytest.mark.parametrize("at", ["worktree", "index", "HEAD"])
def test_changed_since__is_what_differs_from_that_revision(
    assembler: CommandLine, repository: RepositoryBuilder, at: str
) -> None:
    repository.git("tag", "base")
    repository.write({"src/x.py": "2\n", "docs/more.md": "m\n"}).commit()
    (repository.root / "docs/notes.md").unlink()
    repository.write({"src/x.py": "def parse():\n    return 1\n"}).commit()
    rows = run(assembler, {"changed": {"since": "base"}}, "--at", at)
    # What was changed and changed back is as it was.
    assert set(listed(rows)) == {"docs/more.md", "docs/notes.md"}
    assert "changed since base: 2 paths, limit 50" in rows["file:docs/more.md"]["discovered_by"]


def test_changed_since__sees_what_no_index_has(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.git("tag", "base")
    repository.git("rm", "-q", "--cached", "src/x.py", "docs/notes.md")
    repository.git("commit", "-q", "-m", "forgotten")
    repository.write({"docs/notes.md": "other\n", "untracked.md": "u\n"})
    rows = run(assembler, {"changed": {"since": "base"}})
    assert set(listed(rows)) == {"docs/notes.md", "untracked.md"}


def test_changed_since__a_revision_that_is_not_there_is_an_error(assembler: CommandLine) -> None:
    assert "(revision-missing)" in run(assembler, {"changed": {"since": "nowhere"}}, code=2)


@pytest.mark.parametrize(("number", "words"), [(3, "3 paths, limit 3"), (4, "3 paths and more")])
def test_changed__is_bounded(
    assembler: CommandLine, repository: RepositoryBuilder, number: int, words: str
) -> None:
    repository.write({f"n{index}": "x" for index in range(number)})
    rows = run(assembler, {"changed": {"limit": 3}})
    assert sorted(listed(rows)) == ["n0", "n1", "n2"]
    assert words in rows["file:n0"]["discovered_by"]


def test_changed_path_that_something_names__is_read_and_enters(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write({"src/x.py": "changed\n", "docs/notes.md": "changed too\n"})
    value = {"changed": True, "targets": ["src/x.py"], "required": ["file:docs/notes.md"]}
    rows = run(assembler, value)
    assert (rows["file:src/x.py"]["reason"], rows["file:src/x.py"]["decides"]) == (
        "fits",
        "edit target",
    )
    assert "changed since HEAD" in rows["file:src/x.py"]["discovered_by"]
    assert rows["file:docs/notes.md"]["reason"] == "required"


def test_name_that_is_no_text__is_listed_and_never_opened(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    Path(os.fsdecode(bytes(repository.root) + b"/src/caf\xe9.md")).write_bytes(b"x")
    rows = run(assembler, {"changed": True, "targets": ["src"]})
    assert rows["bytes://src/caf\\xE9.md"]["reason"] == "path-not-utf8"


def test_changed__starts_at_most_six_processes(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.git("tag", "base")
    repository.write({"src/x.py": "2\r\n"}).commit()
    rule = "skills: {activate: [{skill: pdf, changed: true}]}"
    repository.write({".assembler/profile.yaml": f"schema: assembler/profile/1\n{rule}\n"})
    value = {"changed": {"since": "base"}, "targets": ["src/x.py"], "search": [{"text": "parse"}]}
    repository.write({"task.json": json.dumps({**TASK, **value})})
    program = (
        "import os, pathlib\n"
        "from assembler.config.task import read_task\n"
        "from assembler.adapters.yaml_events import read_yaml\n"
        "from assembler.front.assembling import assemble_repository\n"
        "data = pathlib.Path('task.json').read_bytes()\n"
        "task = read_task(data, path='task.json', read_document=read_yaml)\n"
        "for at in ('worktree', 'index', 'HEAD'):\n"
        "    run = assemble_repository(pathlib.Path.cwd(), task, at=at, environment=os.environ)\n"
        "    print(run.git_processes)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=repository.root,
        env=assembler.environment(),
        capture_output=True,
        check=True,
        text=True,
        timeout=60,
    )
    assert max(map(int, done.stdout.split())) <= 6, done.stdout


# Folders


def test_target_that_is_a_folder__lists_its_files_with_the_nearest_first(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write({f"src/a/{index:02}.py": "x\n" for index in range(60)})
    repository.write({"src/z.py": "x\n", ".gitignore": "*.log\n", "src/y.log": "x\n"})
    rows = run(assembler, {"targets": ["src"]})
    names = listed(rows)
    assert len(names) == 50
    assert {"src/AGENTS.md", "src/x.py", "src/z.py", "src/a/00.py"} <= set(names)
    assert "src/y.log" not in names
    assert set(names.values()) == {"no-decision-value"}
    words = "target's folder: 50 files and more, limit 50"
    assert rows["file:src/z.py"]["discovered_by"] == words
    assert rows["file:src/z.py"]["content_bytes"] is None


def test_files_beside_a_target__are_listed_if_the_profile_says_so(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write({"src/y.py": "y\n", "src/deep/z.py": "z\n", "src/id_rsa": "k\n"})
    assert listed(run(assembler, {"targets": ["src/x.py"]})) == {}
    profile = "schema: assembler/profile/1\nevidence: {siblings: true}\n"
    repository.write({".assembler/profile.yaml": profile})
    rows = run(assembler, {"targets": ["src/x.py"]})
    assert listed(rows) == {
        "src/AGENTS.md": "no-decision-value",
        "src/y.py": "no-decision-value",
        "src/id_rsa": "access-denied",
    }
    assert rows["file:src/y.py"]["discovered_by"] == "beside a target: 3 files, limit 50"
    assert rows["file:src/x.py"]["reason"] == "fits"


@pytest.mark.parametrize("number", [20, 21])
def test_folders__are_bounded(
    assembler: CommandLine, repository: RepositoryBuilder, number: int
) -> None:
    repository.write({f"d{index:02}/x.py": f"{index}\n" for index in range(number)})
    rows = run(assembler, {"targets": [f"d{index:02}" for index in range(number)]})
    assert len(listed(rows)) == 20
    assert ("folders" in rows) == (number > 20)
