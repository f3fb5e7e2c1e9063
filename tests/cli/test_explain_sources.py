"""`explain` with a task asks its sources, and with `--source` reads an item's source again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assembler.front.asked_sources import SOURCES
from assembler.model.digest import sha256_hex
from tests.builders.command_line import CommandLine, Result, all_bytes_below
from tests.builders.repositories import RepositoryBuilder
from tests.builders.secrets import make_tokens


def explain(
    assembler: CommandLine, name: str, task: dict[str, Any] | None = None, *arguments: str
) -> dict[str, Any]:
    document = {"schema": "assembler/task/1", "objective": "x", **(task or {})}
    options = () if task is None else ("--task=-",)
    stdin = json.dumps(document)
    result = assembler("explain", name, *options, *arguments, "-f", "json", stdin=stdin)
    assert result.code == 0, result.talk
    answer: dict[str, Any] = result.json
    return answer


def found_by(answer: dict[str, Any]) -> set[str]:
    return {source["source"] for source in answer["sources"] if source["found"]}


# ---- without a run


@pytest.mark.parametrize(
    ("task", "source", "reason"),
    [
        ({"targets": ["src/x.py"]}, "targets", "fits"),
        ({"evidence": [{"file": "src/x.py"}]}, "evidence: file, symbol", "fits"),
        ({"evidence": [{"symbol": "src/x.py#parse"}]}, "evidence: file, symbol", "fits"),
        (
            {"evidence": [{"test": "t", "file": "src/x.py"}]},
            "evidence: test, observation, issue",
            "fits",
        ),
        ({"proof": "pytest src/x.py"}, "proof", "fits"),
        ({"search": [{"text": "zzz"}, {"name": "*.py"}]}, "search 2", "no-decision-value"),
        ({"search": [{"text": "parse", "in": "src/**"}]}, "search 1", "no-decision-value"),
    ],
)
def test_task__has_its_sources_really_asked(
    assembler: CommandLine,
    repository: RepositoryBuilder,
    task: dict[str, Any],
    source: str,
    reason: str,
) -> None:
    answer = explain(assembler, "src/x.py", task)
    assert found_by(answer) == {source}
    assert answer["reason"] == reason
    is_in = reason == "fits"
    assert answer["state"] == ("in" if is_in else "out")
    assert answer["stops_at"] == (None if is_in else "selected")
    assert answer["states"]["selected"] is answer["states"]["rendered"] is is_in
    assert answer["states"]["eligible"] is True
    other = explain(assembler, "docs/notes.md", task)
    assert (other["reason"], found_by(other)) == ("not-offered", set())
    assert other["stops_at"] == "available"
    assert not any(other["states"][name] for name in ("available", "eligible", "bound"))
    asked = {item["source"] for item in other["sources"] if item["asked"]}
    assert source in asked


def test_answer__is_that_of_the_run(assembler: CommandLine, repository: RepositoryBuilder) -> None:
    repository.write({".env": "x", "a.log": "x", ".gitignore": "*.log\n"})
    task = {
        "targets": ["src/x.py"], "search": [{"name": "*"}], "evidence": [{"file": "gone.txt"}],
        "proof": "cat docs/notes.md",
    }  # fmt: skip
    document = json.dumps({"schema": "assembler/task/1", "objective": "x", **task})
    run = assembler("assemble", "--task=-", "-f", "json", stdin=document)
    rows = {row["id"]: row for row in run.json["ledger"]}
    before = all_bytes_below(assembler.home)
    for path in ("src/x.py", "docs/notes.md", ".env", "a.log", "gone.txt", "AGENTS.md"):
        answer = explain(assembler, path, task)
        identifier = f"policy:{path}" if path == "AGENTS.md" else f"file:{path}"
        row = next(row for row in answer["rows"] if row["id"] == identifier)
        expected = {name: rows[identifier][name] for name in row if name in rows[identifier]}
        assert {name: row[name] for name in expected} == expected
    assert all_bytes_below(assembler.home) == before


def test_without_a_task__no_source_was_asked_and_all_are_named(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    answer = explain(assembler, "docs/notes.md")
    assert [source["asked"] for source in answer["sources"]] == [False] * len(SOURCES)
    assert answer["stops_at"] == "available"
    text = assembler("explain", "docs/notes.md").text
    assert "  stops at    available: no source names it\n" in text
    assert "no task was given (--task FILE, or -m)" in text


@pytest.mark.parametrize(
    ("path", "stops_at"),
    [
        ("AGENTS.md", None),
        ("src/AGENTS.md", "available"),
        (".env", "eligible"),
        ("out.txt", "eligible"),
        ("src", "eligible"),
        ("docs/agents.md", "available"),
        (".agents/skills/pdf/SKILL.md", None),
        (".agents/skills/pdf/ref.md", "available"),
    ],
)
def test_state__at_which_a_path_stops_is_told(
    assembler: CommandLine, repository: RepositoryBuilder, path: str, stops_at: str | None
) -> None:
    files = {".env": "x", "docs/agents.md": "x", ".agents/skills/pdf/ref.md": "x"}
    repository.write(files).link({"out.txt": "/etc/hostname"})
    answer = explain(assembler, path)
    assert answer["stops_at"] == stops_at
    states = answer["states"]
    assert states.pop("received") == "not-observable"
    assert list(states) == ["available", "eligible", "selected", "rendered", "bound"]
    text = assembler("explain", path).text
    assert ("  stops at    " in text) is (stops_at is not None)


def test_refused_task__still_says_what_is_known(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    task = {"targets": ["src/x.py"], "required": ["file:gone"], "search": [{"name": "*.md"}]}
    answer = explain(assembler, "src/x.py", task)
    assert answer["refusal"]["code"] == answer["reason"] == "required-missing"
    assert answer["stops_at"] == "selected"
    assert explain(assembler, "docs/notes.md", task)["reason"] == "no-decision-value"


def test_ignored_path__says_by_which_rule(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write({".gitignore": "\n*.log\n", "a.log": "x"})
    assert "git ignores it by .gitignore:2 *.log" in explain(assembler, "a.log")["detail"]["text"]
    found = explain(assembler, "a.log", {"search": [{"name": "*.log"}]})
    assert found["reason"] == "git-ignored"
    assert found["stops_at"] == "eligible"
    assert found["detail"]["text"] == "git-ignored: a.log: .gitignore:2 *.log"


def test_targets_of_the_command_line_and_message__are_a_task_too(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    result = assembler("explain", "x.py", "-m", "do it", "-t", "x.py", "-C", "src")
    assert result.code == 0, result.talk
    assert result.text.startswith("file:src/x.py   IN   fits   as this task would have it\n")
    assert "  asked       targets  yes  src/x.py\n" in result.text


def test_item__is_explained_by_a_task_and_told_where_to_look_without_one(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    task = {"evidence": [{"issue": 7, "file": "docs/notes.md"}]}
    assert explain(assembler, "issue:7", task)["state"] == "in"
    assert explain(assembler, "file:docs/notes.md")["item"] == "docs/notes.md"
    for name in ("tool:read_file", "issue:7", "search:1", "test:a b"):
        result = assembler("explain", name)
        assert result.code == 2
        assert "item-without-run" in result.talk
        assert "--run last" in result.talk
    assert "assembler tools list" in assembler("explain", "tool:read_file").talk
    assert assembler("explain", "issue:8", "-m", "x").code == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ("a", "--source"),
        ("--run", "last", "--source"),
        ("a", "--run", "last", "-m", "x"),
        ("a", "-m", "x", "--task", "-"),
    ],
)
def test_options_that_do_not_go_together__are_exit_2(
    assembler: CommandLine, repository: RepositoryBuilder, arguments: tuple[str, ...]
) -> None:
    result = assembler("explain", *arguments)
    assert result.code == 2
    assert "option-conflict" in result.talk


def test_path_with_control_characters__moves_no_cursor(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write({"a\x1b[2Jb.txt": "x"})
    task = {"search": [{"name": "*.txt"}]}
    document = json.dumps({"schema": "assembler/task/1", "objective": "x", **task})
    result = assembler("explain", "a\x1b[2Jb.txt", "--task=-", stdin=document)
    assert result.code == 0, result.talk
    assert b"\x1b" not in result.out + result.err


# ---- the source of a recorded item


def source(assembler: CommandLine, name: str, *arguments: str) -> dict[str, Any]:
    run = arguments or ("--run", "last")
    result = assembler("explain", name, *run, "--source", "-f", "json")
    assert result.code == 0, result.talk
    found: dict[str, Any] = result.json["source"]
    return found


EVIDENCE = [
    {"file": "src/x.py", "lines": [1, 1]},
    {"file": "docs/notes.md"},
    {"symbol": "src/y.py#f", "imports": True},
    {"test": "t", "file": ".work/t.txt"},
    {"issue": 1, "file": ".work/i.md", "url": "https://x.example/1"},
    {"file": ".env"},
    {"file": "gone"},
]
Y = "import os\n\nA = 1\n\ndef f():\n    return os\n"


@pytest.fixture
def recorded(assembler: CommandLine, repository: RepositoryBuilder) -> RepositoryBuilder:
    """A run with every kind of source."""
    repository.write({"src/y.py": Y}).commit()
    repository.write({".work/t.txt": "FAIL\n", ".work/i.md": "issue\n", ".env": "CANARY"})
    document = {"schema": "assembler/task/1", "objective": "x", "evidence": EVIDENCE}
    result = assembler("assemble", "--task=-", stdin=json.dumps(document))
    assert result.code == 0, result.talk
    return repository


@pytest.mark.parametrize(
    ("item", "address", "body"),
    [
        ("file:src/x.py#L1-L1", "src/x.py#L1-L1", "def parse():\n"),
        ("file:docs/notes.md", "docs/notes.md", "The parser is slow.\n"),
        ("file:src/y.py#f", "src/y.py#L1-L1,L5-L6", "import os\ndef f():\n    return os\n"),
        ("policy:AGENTS.md", "AGENTS.md", "# Rules\n\nKeep the diff small.\n"),
        ("test:t", ".work/t.txt", "FAIL\n"),
    ],
)
def test_source__is_read_again_and_equal(
    assembler: CommandLine, recorded: RepositoryBuilder, item: str, address: str, body: str
) -> None:
    found = source(assembler, item)
    assert (found["verdict"], found["address"], found["body"]) == ("equal", address, body)
    assert found["recorded_sha256"] == found["current_sha256"]
    text = assembler("explain", item, "--run", "last", "--source").text
    assert text.endswith(f"  source:\n{body}")


def test_source__of_a_commit_stays_equal_whatever_the_worktree_holds(
    assembler: CommandLine, recorded: RepositoryBuilder
) -> None:
    head = recorded.text("rev-parse", "HEAD")
    recorded.write({"docs/notes.md": "other\n", "src/x.py": ""}).commit()
    found = source(assembler, "file:docs/notes.md")
    assert (found["verdict"], found["at"]) == ("equal", head)


def test_source__that_changed_is_told_with_both_digests(
    assembler: CommandLine, recorded: RepositoryBuilder
) -> None:
    recorded.write({".work/t.txt": "PASS \x1b[2J\n"})
    found = source(assembler, "test:t")
    assert found["verdict"] == "differs"
    assert found["text"].startswith("the source changed since")
    assert found["recorded_sha256"] != found["current_sha256"]
    result = assembler("explain", "test:t", "--run", "last", "--source")
    assert result.code == 0
    assert b"\x1b" not in result.out
    assert result.text.endswith("PASS \\u001b[2J\n")


def test_source__that_holds_a_secret_now_is_not_shown(
    assembler: CommandLine, recorded: RepositoryBuilder
) -> None:
    token = next(iter(make_tokens(2).values()))[0]
    recorded.write({".work/t.txt": f"{token}\n"})
    result = assembler("explain", "test:t", "--run", "last", "--source")
    assert result.code == 0
    assert "not shown" in result.text
    assert token not in result.text


def test_source__of_what_is_denied_is_not_shown(
    assembler: CommandLine, recorded: RepositoryBuilder, tmp_path: Path
) -> None:
    found = source(assembler, "file:.env")
    assert (found["verdict"], found["body"], found["address"]) == ("none", None, None)
    host = tmp_path / "host.yaml"
    host.write_text("schema: assembler/host/1\nread: {deny: [docs/]}\n")
    found = source(assembler, "file:docs/notes.md", "--run", "last", "--host", str(host))
    assert (found["verdict"], found["body"]) == ("unreadable", None)
    assert "host-deny:docs/" in found["text"]


@pytest.mark.parametrize(
    ("item", "verdict", "words"),
    [
        ("issue:1", "none", "its source is https://x.example/1"),
        ("task", "none", "the task that the invoker gave"),
        ("work", "none", "the task and the rows of evidence"),
        ("skill:pdf", "none", "the head of a SKILL.md"),
        ("file:gone", "none", "the run had no bytes of it"),
    ],
)
def test_item_without_a_file__says_what_its_source_is(
    assembler: CommandLine, recorded: RepositoryBuilder, item: str, verdict: str, words: str
) -> None:
    found = source(assembler, item)
    assert found["verdict"] == verdict
    assert words in found["text"]
    assert (found["body"] is None) is (item == "file:gone")


def test_source__that_is_gone_leaves_what_was_recorded(
    assembler: CommandLine, recorded: RepositoryBuilder
) -> None:
    (recorded.root / ".work/t.txt").unlink()
    found = source(assembler, "test:t")
    assert (found["verdict"], found["body"]) == ("unreadable", "FAIL\n")


def test_source__of_a_package_folder_is_compared_with_the_repository_here(
    assembler: CommandLine, recorded: RepositoryBuilder, tmp_path: Path
) -> None:
    package = tmp_path / "package"
    made: Result = assembler("assemble", "-m", "x", "-t", "docs/notes.md", f"--out={package}")
    assert made.code == 0
    found = source(assembler, "file:docs/notes.md", "--run", str(package))
    assert found["verdict"] == "equal"
    digest = found["recorded_sha256"]
    (package / "objects" / digest).write_bytes(b"forged")
    result = assembler("explain", "file:docs/notes.md", "--run", str(package), "--source")
    assert result.code == 2
    assert "package-unreadable" in result.talk
    assert "forged" not in result.text


def test_source__of_a_shallow_commit_is_unreadable(
    assembler: CommandLine, recorded: RepositoryBuilder
) -> None:
    recorded.loose(recorded.text("rev-parse", "HEAD")).unlink()
    result = assembler("explain", "file:docs/notes.md", "--run", "last", "--source")
    assert result.code == 0
    assert "source unreadable" in result.text


def test_source__of_what_was_seen_at_a_revision_is_read_there(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write({"src/y.py": Y}).commit()
    repository.git("tag", "v1")
    repository.write({"src/y.py": f'"""More."""\n\n{Y}'}).commit()
    evidence = [{"symbol": "src/y.py#f", "revision": "v1"}, {"file": "src/x.py", "revision": "v1"}]
    document = {"schema": "assembler/task/1", "objective": "x", "evidence": evidence}
    assert assembler("assemble", "--task=-", stdin=json.dumps(document)).code == 0
    repository.write({"src/x.py": "changed\n"})
    for name, body in (("src/y.py#f", "def f():\n    return os\n"), ("src/x.py", None)):
        found = source(assembler, f"file:{name}@v1")
        assert (found["verdict"], found["at"]) == ("equal", "v1")
        assert body is None or found["body"] == body
    repository.git("tag", "-d", "v1")
    assert source(assembler, "file:src/x.py@v1")["verdict"] == "unreadable"


def assemble_seen(assembler: CommandLine, *evidence: dict[str, Any]) -> list[str]:
    document = {"schema": "assembler/task/1", "objective": "x", "evidence": evidence}
    folder = assembler.home / "package"
    out = ("--out", str(folder))
    result = assembler("assemble", "--task=-", *out, stdin=json.dumps(document))
    assert result.code == 0, result.talk
    rows = [json.loads(line) for line in (folder / "ledger.jsonl").read_text().splitlines()]
    return [row["id"] for row in rows if row.get("kind") == "source" and row["content_sha256"]]


def test_source__of_what_was_seen_by_its_digest_is_read_where_the_run_did(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    digest = sha256_hex((repository.root / "src/x.py").read_bytes())
    [name] = assemble_seen(assembler, {"file": "src/x.py", "sha256": digest})
    assert name == f"file:src/x.py@sha256:{digest[:12]}"
    found = source(assembler, name)
    assert (found["verdict"], found["address"]) == ("equal", "src/x.py")


def test_source__at_a_branch_called_worktree_is_that_of_the_branch(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.git("branch", "worktree")
    old = (repository.root / "src/x.py").read_text()
    repository.write({"src/x.py": "other\n"})
    assemble_seen(assembler, {"file": "src/x.py", "revision": "worktree"})
    found = source(assembler, "file:src/x.py@worktree")
    assert (found["verdict"], found["body"]) == ("equal", old)


def test_source__of_a_name_that_stands_by_its_digest_is_found(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    # Such names stand by their digest as names over 2,048 bytes do.
    repository.write({"sha256:x": "text\n"}).commit()
    names = assemble_seen(assembler, {"file": "sha256:x"}, {"file": "sha256:x", "revision": "HEAD"})
    assert len(names) == 2
    for name in names:
        assert name.startswith("file:sha256:")
        found = source(assembler, name)
        assert (found["verdict"], found["body"]) == ("equal", "text\n")
    repository.git("rm", "-q", "-f", "sha256:x")
    repository.commit()
    (gone,) = (name for name in names if source(assembler, name)["verdict"] == "none")
    assert "by a digest" in source(assembler, gone)["text"]


@pytest.mark.parametrize(
    ("folders", "lines", "verdict"), [(3, None, "equal"), (3, [1, 1], "equal"), (11, None, "equal")]
)
def test_source__of_a_long_path_is_read_at_the_revision_that_was_seen(
    assembler: CommandLine,
    repository: RepositoryBuilder,
    folders: int,
    lines: list[int] | None,
    verdict: str,
) -> None:
    path = "/".join(["d" * 200] * folders) + "/f.txt"
    repository.write({path: "deep\nmore\n"}).commit()
    repository.git("tag", "v1")
    [name] = assemble_seen(assembler, {"file": path, "revision": "v1", "lines": lines})
    assert name.startswith("file:sha256:")
    repository.write({path: "deeper\n"}).commit()
    found = source(assembler, name)
    assert (found["verdict"], found["body"][:5]) == (verdict, "deep\n"), found
    repository.git("rm", "-q", "-f", path)
    repository.git("tag", "-d", "v1")
    repository.commit()
    assert source(assembler, name)["verdict"] == "unreadable"


def test_item_of_a_task__can_be_asked_for_as_its_row_prints_it(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write({"m.py": "def f():\n    return 1\n", "m.py#f": "P\n"}).commit()
    repository.git("tag", "v1")
    repository.write({"m.py": "def f():\n    return 2\n"}).commit()
    task = {"evidence": [{"symbol": "m.py#f", "revision": "v1"}]}
    (row,) = explain(assembler, "file:m.py#f@v1", task)["rows"]
    assert (row["id"], row["reason"]) == ("file:m.py#f@v1", "stale")


def test_source__of_a_part_is_no_file_that_is_called_like_it(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write({"a.txt": "one\ntwo\n", "a.txt#L1-L1": "OTHER\n"}).commit()
    repository.git("tag", "v1")
    [name] = assemble_seen(assembler, {"file": "a.txt", "lines": [1, 1], "revision": "v1"})
    found = source(assembler, name)
    assert (found["verdict"], found["body"]) == ("equal", "one\n")


def test_lists__are_told_as_sources_whether_they_name_the_path_or_not(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write({"src/x.py": "changed\n"})
    document = {
        "schema": "assembler/task/1",
        "objective": "x",
        "changed": True,
        "targets": ["docs"],
    }
    found = {
        path: {
            source["source"]: (source["asked"], source["found"])
            for source in assembler(
                "explain", path, "--task=-", "-f", "json", stdin=json.dumps(document)
            ).json["sources"]
        }
        for path in ("src/x.py", "docs/notes.md", "src/AGENTS.md")
    }
    assert found["src/x.py"]["changed paths"] == (True, True)
    assert found["src/x.py"]["folders of targets"] == (True, False)
    assert found["docs/notes.md"]["changed paths"] == (True, False)
    assert found["docs/notes.md"]["folders of targets"] == (True, True)
    assert found["src/AGENTS.md"]["records"] == (False, False)


@pytest.mark.parametrize(
    ("profile", "path", "fix"),
    [
        ("read: {deny: ['*.txt']}", "a.txt", "take *.txt out of `read.deny` of the profile"),
        ("read: {allow: ['src/**']}", "docs/notes.md", "add it to `read.allow` of the profile"),
        ("window: 9000", ".env", "the host manifest lifts it: `read: {deny: ['!*.env']}`"),
    ],
)
def test_denial__says_who_can_lift_it(
    assembler: CommandLine, repository: RepositoryBuilder, profile: str, path: str, fix: str
) -> None:
    repository.write({".assembler/profile.yaml": f"schema: assembler/profile/1\n{profile}\n"})
    repository.write({"a.txt": "a\n", ".env": "x\n"})
    assert fix in explain(assembler, path)["fix"]


def test_time__is_asked_of_a_task(assembler: CommandLine, repository: RepositoryBuilder) -> None:
    repository.write({"i.md": "issue\n"})
    entry = {"issue": 1, "file": "i.md", "expires_at": "2026-06-01T00:00:00Z"}
    task = json.dumps({"schema": "assembler/task/1", "objective": "x", "evidence": [entry]})

    def reason(*words: str) -> str:
        asked = ("explain", "issue:1", "--task=-", "-f", "json", *words)
        found: str = assembler(*asked, stdin=task).json["reason"]
        return found

    assert reason() == "fits"
    assert reason("--now", "2026-06-01T00:00:00Z") == "expired"
    assert assembler("explain", "i.md", "--now", "2026-06-01T00:00:00Z").code == 2
    wrong = assembler("explain", "i.md", "--task=-", "--now", "today", stdin=task)
    assert wrong.code == 2
    assert "write it as" in wrong.talk


def test_deleted_file__is_said_to_be_tracked(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    (repository.root / "docs/notes.md").unlink()
    result = assembler("explain", "docs/notes.md")
    assert result.code == 2
    assert "restore it, or ask with --at HEAD" in result.talk
    assert assembler("explain", "docs/notes.md", "--at", "HEAD").code == 0


def test_evidence_that_is_not_there__is_warned_of_whatever_the_format(
    assembler: CommandLine,
) -> None:
    evidence = [{"file": "gone.py"}, {"test": "t", "file": "gone.txt"},
                {"symbol": "src/x.py#nope"}, {"file": "src/x.py"}]  # fmt: skip
    task = json.dumps({"schema": "assembler/task/1", "objective": "x", "evidence": evidence})
    result = assembler("assemble", "--task=-", "-f", "input", stdin=task)
    assert result.code == 0
    for name in ("file:gone.py", "test:t", "file:src/x.py#nope"):
        assert f"warning: {name} is not in: not-found" in result.talk
    assert "file:src/x.py is not in" not in result.talk
