"""A records file through the command line: when it is read, what becomes of bad and closed ones."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.builders.command_line import CommandLine
from tests.builders.repositories import RepositoryBuilder
from tests.builders.runs import rows_of

PROFILE = "schema: assembler/profile/1\nrecords: {file: records.yaml}\n"
RECORDS = """schema: assembler/records/1
records:
  - {id: a, version: 1, topics: [parser], file: docs/notes.md}
  - {id: b, version: 1, topics: [parser], file: docs/notes.md, lines: [1, 2]}
  - {id: c, version: 2, topics: [parser], file: .env, replaces: [a]}
  - {id: d, version: 1, topics: [parser], file: docs/gone.md}
  - {id: e, version: 1, topics: [lexer], file: src/x.py, lines: [1, 1]}
"""


@pytest.fixture
def records(repository: RepositoryBuilder) -> RepositoryBuilder:
    repository.write(
        {".assembler/profile.yaml": PROFILE, "records.yaml": RECORDS, ".env": "SECRET=1\n"}
    )
    return repository


def run(assembler: CommandLine, value: dict[str, Any], *arguments: str, code: int = 0) -> Any:
    task = {"schema": "assembler/task/1", "objective": "Look.", **value}
    words = ("assemble", "--task", "-", *arguments, "-f", "json")
    result = assembler(*words, stdin=json.dumps(task))
    assert result.code == code, result.talk
    return rows_of(result.json) if code == 0 else result.talk


def test_records__have_their_rows_in_the_text_layout(
    assembler: CommandLine, records: RepositoryBuilder
) -> None:
    rows = run(assembler, {"topics": ["parser"]})
    reasons = {name: row["reason"] for name, row in rows.items() if row["kind"] == "record"}
    assert reasons == {
        "record:a": "fits",
        "record:b": "content-absent",
        "record:c": "access-denied",
        "record:d": "content-absent",
        "record:e": "off-topic",
    }
    assert (rows["record:a"]["source"], rows["record:a"]["trust"]) == (
        "docs/notes.md",
        "repository",
    )
    assert rows["record:c"]["content_bytes"] is None


def test_two_records__that_hold_together_are_told_in_the_work_record(
    assembler: CommandLine, records: RepositoryBuilder
) -> None:
    more = "  - {id: f, version: 3, topics: [parser], file: src/x.py, replaces: [a]}\n"
    records.write({"records.yaml": RECORDS + more})
    value = {"schema": "assembler/task/1", "objective": "Look.", "topics": ["parser"]}
    result = assembler("assemble", "--task", "-", "-f", "input", stdin=json.dumps(value))
    work = result.text.partition("[[5 current work record]]")[2]
    assert "Conflict: record:a and record:f differ on parser; both are repository" in work
    assert "Replaced: record:f says that it replaces record:a." in work
    rows = run(assembler, {"topics": ["parser"]})
    assert rows["record:a"]["conflicts_with"] == ["record:f"]
    assert {rows["record:a"]["decision"], rows["record:f"]["decision"]} == {"selected"}


def test_entry__asks_for_one_record_and_says_more_of_it(
    assembler: CommandLine, records: RepositoryBuilder
) -> None:
    entry = {"record": "a", "lineage": ["call-7"], "expires_at": "2020-01-01T00:00:00Z"}
    rows = run(assembler, {"evidence": [entry, {"record": "nobody"}]})
    assert rows["record:a"]["reason"] == "expired"
    assert rows["record:a"]["lineage"] == ["call-7"]
    # What nothing asks for decides nothing.
    assert rows["record:e"]["reason"] == "no-decision-value"
    assert rows["record:nobody"]["reason"] == "content-absent"
    assert "records records.yaml: 0 hits" in rows["record:nobody"]["discovered_by"]


def test_required_record__is_read_without_topics(
    assembler: CommandLine, records: RepositoryBuilder
) -> None:
    assert run(assembler, {"required": ["record:a"]})["record:a"]["reason"] == "required"
    assert "(required-missing)" in run(assembler, {"required": ["record:d"]}, code=3)
    assert "(required-missing)" in run(assembler, {"required": ["record:none"]}, code=3)


def test_file__is_read_only_where_the_task_can_use_it(
    assembler: CommandLine, records: RepositoryBuilder
) -> None:
    records.write({"records.yaml": "not: a records file\n"})
    run(assembler, {})
    assert "(config-schema)" in run(assembler, {"topics": ["parser"]}, code=2)
    (records.root / "records.yaml").unlink()
    assert "(records-missing)" in run(assembler, {"topics": ["parser"]}, code=2)
    run(assembler, {"as_of": "2026-01-01"}, "-p", "default", code=2)


@pytest.mark.parametrize(
    ("path", "code"), [("../records.yaml", "path-outside"), (".env.yaml", "access-denied")]
)
def test_file__outside_or_closed_by_a_rule_is_refused(
    assembler: CommandLine, records: RepositoryBuilder, path: str, code: str
) -> None:
    profile = f"schema: assembler/profile/1\nrecords: {{file: {path}}}\n"
    records.write({".assembler/profile.yaml": profile, ".env.yaml": RECORDS})
    talk = run(assembler, {"topics": ["parser"]}, code=2)
    assert f"({code})" in talk


def test_record_without_a_records_file__is_a_row(assembler: CommandLine) -> None:
    row = run(assembler, {"evidence": [{"record": "a"}]})["record:a"]
    assert row["discovered_by"] == "records: the profile names no file"


@pytest.mark.parametrize(
    "entry",
    [
        {"record": "a", "file": "x.md"},
        {"record": "a", "lines": [1, 2]},
        {"record": "a", "valid_from": "2025-01-01"},
        {"record": "a", "topics": ["x"]},
        {"record": "a", "issue": 1},
    ],
)
def test_entry__with_what_the_file_says_is_refused(
    assembler: CommandLine, entry: dict[str, Any]
) -> None:
    assert "(config-value)" in run(assembler, {"evidence": [entry]}, code=2)


def test_records__are_those_of_the_revision_that_is_read(
    assembler: CommandLine, records: RepositoryBuilder
) -> None:
    records.git("add", "-A", "-f")
    records.git("commit", "-q", "-m", "records")
    records.write({"docs/notes.md": "changed\n", "records.yaml": "broken"})
    row = run(assembler, {"topics": ["parser"]}, "--at", "HEAD")["record:a"]
    assert (row["decision"], row["revision"]) == ("selected", records.text("rev-parse", "HEAD"))


def test_record_with_a_secret__is_kept_out_with_its_comparison(
    assembler: CommandLine, records: RepositoryBuilder
) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    more = "  - {id: f, version: 3, topics: [parser], file: secret.md}\n"
    records.write({"records.yaml": RECORDS + more, "secret.md": f"{token}\n"})
    rows = run(assembler, {"topics": ["parser"], "as_of": ["2025-01-01", "2026-01-01"]})
    assert rows["record:f"]["reason"] == "turned-away"
    assert rows["record:a"]["reason"] == "group-incomplete"
    assert token not in json.dumps(rows)
