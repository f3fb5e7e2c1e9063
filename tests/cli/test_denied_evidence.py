"""What a rule closes is never opened: a pipe would hang, a socket fail, and neither happens."""

from __future__ import annotations

import json
import os
import socket
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

from tests.builders.command_line import CommandLine, Result, all_bytes_below
from tests.builders.other_user import as_another_user
from tests.builders.repositories import RepositoryBuilder
from tests.builders.secrets import make_tokens

SECRETS = (
    ".env", ".env.production", ".ENV", "dir/.env.local", "id_rsa", "server.pem", ".netrc",
    ".aws/credentials",
)  # fmt: skip
CANARY = "CANARY-4711"


def run(assembler: CommandLine, task: dict[str, Any], *arguments: str) -> Result:
    document = {"schema": "assembler/task/1", "objective": "x", **task}
    return assembler("assemble", "--task=-", "-f", "json", *arguments, stdin=json.dumps(document))


def rows_of(result: Result) -> dict[str, Any]:
    assert result.code == 0, result.talk
    return {row["id"]: row for row in result.json["ledger"]}


def make(path: Path, form: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    match form:
        case "pipe":
            os.mkfifo(path)
        case "socket":
            here = os.open(path.parent, os.O_RDONLY)
            with socket.socket(socket.AF_UNIX) as made:
                made.bind(f"/proc/self/fd/{here}/{path.name}")
            os.close(here)
        case "closed":
            path.write_text(CANARY)
            path.chmod(0o000)
        case _:
            path.write_text(CANARY)


@pytest.mark.parametrize("form", ["pipe", "socket", "closed", "file"])
def test_secret__is_denied_by_its_name_whatever_it_is(
    assembler: CommandLine, repository: RepositoryBuilder, form: str
) -> None:
    for name in SECRETS:
        make(repository.root / name, form)
    task: dict[str, Any] = {
        "targets": list(SECRETS[:2]),
        "evidence": [
            *({"file": name} for name in SECRETS[2:]),
            {"test": "t", "file": ".env"},
            {"issue": "i", "file": "id_rsa"},
        ],
        "search": [{"name": "*"}, {"text": CANARY[:6]}],
        "proof": "cat .netrc",
    }
    result = run(assembler, task)
    rows = rows_of(result)
    for identifier in (*(f"file:{name}" for name in SECRETS), "test:t", "issue:i"):
        row = rows[identifier]
        assert (row["reason"], row["access"]) == ("access-denied", "denied")
        assert row["detail"]["rule"].startswith("host-deny:")
        assert row["content_sha256"] is row["content_bytes"] is row["size"] is None
        assert row["version"] is row["revision"] is None
    assert CANARY not in result.text + result.talk
    assert CANARY.encode() not in all_bytes_below(assembler.home)


def test_secret__that_git_ignores_is_denied_and_not_merely_ignored(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write({".gitignore": ".env\n*.log\n", ".env": CANARY, "a.log": CANARY})
    repository.link({"linked.log": ".env"})
    result = run(assembler, {"search": [{"name": "*"}]})
    rows = rows_of(result)
    assert rows["file:.env"]["reason"] == "access-denied"
    assert rows["file:linked.log"]["reason"] == "access-denied"
    assert rows["file:a.log"]["code"] == "git-ignored"
    assert CANARY not in result.text
    assert CANARY.encode() not in all_bytes_below(assembler.home)


@pytest.mark.parametrize("at", ["worktree", "index", "HEAD"])
def test_link_to_a_secret__is_denied_by_where_it_leads(
    assembler: CommandLine, repository: RepositoryBuilder, at: str
) -> None:
    repository.write({".env": CANARY}).link({"notes.md": ".env"})
    repository.git("add", "-f", "-A")
    repository.git("commit", "-qm", "x")
    result = run(assembler, {"evidence": [{"file": "notes.md"}]}, f"--at={at}")
    row = rows_of(result)["file:notes.md"]
    assert (row["reason"], row["detail"]["rule"]) == ("access-denied", "host-deny:*.env")
    assert CANARY not in result.text


@pytest.mark.parametrize("at", ["worktree", "index", "HEAD"])
def test_renamed_secret__is_found_by_its_form(
    assembler: CommandLine, repository: RepositoryBuilder, at: str
) -> None:
    token = next(iter(make_tokens(1).values()))[0]
    repository.write({".env": f"TOKEN={token}\n"})
    repository.git("add", "-f", ".env")
    repository.git("commit", "-qm", "secret")
    repository.git("mv", ".env", "notes.txt")
    repository.git("commit", "-qm", "rename")
    result = run(assembler, {"evidence": [{"file": "notes.txt"}]}, f"--at={at}")
    row = rows_of(result)["file:notes.txt"]
    assert (row["reason"], row["code"]) == ("turned-away", "secret-in-text")
    assert token not in result.text + result.talk
    assert token.encode() not in all_bytes_below(assembler.home)


def test_denied_and_closed_files__are_told_apart_by_a_user_who_may_read_neither() -> None:
    with tempfile.TemporaryDirectory() as top:
        Path(top).chmod(0o755)
        repository = RepositoryBuilder(Path(top) / "repository")
        repository.write({"a.txt": "a"}).commit()
        make(repository.root / ".env", "closed")
        make(repository.root / "closed.txt", "closed")
        home = Path(top) / "home"
        home.mkdir()
        home.chmod(0o777)
        command = CommandLine(cwd=repository.root, home=home, own_counts=True)
        task = {"evidence": [{"file": name} for name in (".env", "closed.txt", "a.txt")]}

        result = as_another_user(lambda: run(command, task))

    rows = rows_of(result)
    assert rows["file:.env"]["reason"] == "access-denied"
    assert rows["file:closed.txt"]["reason"] == "content-absent"
    assert rows["file:a.txt"]["decision"] == "selected"


# ---- patterns of a profile and of the host


def deny(repository: RepositoryBuilder, *patterns: str) -> None:
    document = {"schema": "assembler/profile/1", "read": {"deny": list(patterns)}}
    repository.write({".assembler/profile.yaml": json.dumps(document)})


def test_hostile_pattern__is_answered_at_once(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    deny(repository, "*a" * 7 + "*b", "**/a/" * 8 + "b")
    deep = "a/" * 30 + "a" * 60
    repository.write({"a" * 60: "x", deep: "y"})
    before = time.monotonic()
    rows = rows_of(run(assembler, {"evidence": [{"file": "a" * 60}, {"file": deep}]}))
    assert rows[f"file:{'a' * 60}"]["decision"] == "selected"
    # A start of the interpreter, git and the rest; the usual engine takes hours.
    assert time.monotonic() - before < 10


@pytest.mark.parametrize("pattern", ["!", "a\\", "[z-a]", "[", "", "#", "[[:beta:]]", "\\", "//"])
@pytest.mark.parametrize("member", ["deny", "allow"])
def test_pattern_that_is_none__is_exit_2_with_its_place(
    assembler: CommandLine, repository: RepositoryBuilder, pattern: str, member: str
) -> None:
    document = {"schema": "assembler/profile/1", "read": {member: ["fine", pattern]}}
    repository.write({".assembler/profile.yaml": json.dumps(document)})
    result = run(assembler, {})
    assert result.code == 2
    assert f".assembler/profile.yaml: read.{member}: pattern 2 of 2 " in result.talk
    assert "pattern-invalid" in result.talk


def test_named_class__is_obeyed(assembler: CommandLine, repository: RepositoryBuilder) -> None:
    deny(repository, "[[:alpha:]].txt")
    repository.write({"a.txt": "x", "1.txt": "x"})
    rows = rows_of(run(assembler, {"evidence": [{"file": "a.txt"}, {"file": "1.txt"}]}))
    assert rows["file:a.txt"]["detail"]["rule"] == "profile-deny:[[:alpha:]].txt"
    assert rows["file:1.txt"]["decision"] == "selected"


def test_repository__can_not_lift_a_rule_of_the_host(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    deny(repository, "!*.pem", "!**/*.pem")
    repository.write({"k.pem": CANARY, ".gitignore": "!*.pem\n", "sub/.gitignore": "!*.pem\n"})
    repository.write({"sub/k.pem": CANARY})
    result = run(assembler, {"evidence": [{"file": "k.pem"}, {"file": "sub/k.pem"}]})
    rows = rows_of(result)
    assert rows["file:k.pem"]["detail"]["rule"] == "host-deny:*.pem"
    assert rows["file:sub/k.pem"]["detail"]["rule"] == "host-deny:*.pem"
    assert CANARY not in result.text


@pytest.mark.parametrize("patterns", [["*" * 20_000], ["a"] * 5_000])
def test_too_many_stars_or_patterns__are_refused_by_their_bound(
    assembler: CommandLine, repository: RepositoryBuilder, patterns: list[str]
) -> None:
    deny(repository, *patterns)
    result = run(assembler, {})
    assert result.code == 2
    assert "pattern-invalid" in result.talk


def test_grant__is_narrowed_by_a_negation_below_it(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    document = {"schema": "assembler/profile/1", "read": {"allow": ["src/**", "!src/secret/**"]}}
    repository.write({".assembler/profile.yaml": json.dumps(document)})
    repository.write({"src/secret/a.py": CANARY, "src/b.py": "x"})
    result = run(assembler, {"evidence": [{"file": "src/secret/a.py"}, {"file": "src/b.py"}]})
    rows = rows_of(result)
    assert rows["file:src/secret/a.py"]["detail"]["rule"] == "not-in:profile-allow"
    assert rows["file:src/b.py"]["decision"] == "selected"
    assert CANARY not in result.text
