"""Reports and issues that a task hands in, from the task document to the package."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assembler.model.limits import MAX_ITEM_BYTES
from tests.builders.command_line import CommandLine, Result
from tests.builders.reports import GO, JEST_XML, NODE_TAP, PYTEST_TEXT, SUREFIRE_XML, addressed
from tests.builders.repositories import RepositoryBuilder
from tests.unit.assess.test_issue_facts import VIEW


class Bench:
    """Runs `assemble` over one payload."""

    def __init__(self, assembler: CommandLine, repository: RepositoryBuilder, folder: Path) -> None:
        self.assembler, self.repository, self.folder = assembler, repository, folder
        self.runs = 0

    def __call__(self, data: bytes, *, required: tuple[str, ...] = (), **entry: Any) -> Result:
        payload = self.repository.root / ".work" / "payload"
        payload.parent.mkdir(exist_ok=True)
        payload.write_bytes(data)
        task = {
            "schema": "assembler/task/1",
            "objective": "x",
            "required": list(required),
            "evidence": [{"file": ".work/payload", **entry}],
        }
        path = self.folder / "task.yaml"
        path.write_text(json.dumps(task))
        self.runs += 1
        return self.assembler("assemble", "--task", str(path), "-f", "json", "--out", str(self.out))

    @property
    def out(self) -> Path:
        """Of the last run."""
        return self.folder / f"out-{self.runs}"

    def row(self, data: bytes, **entry: Any) -> tuple[dict[str, Any], bytes | None]:
        """The row of the payload, and its content where it has one."""
        result = self(data, **entry)
        assert result.code == 0, result.talk
        assert self.assembler("verify", str(self.out)).code == 0
        rows = [row for row in result.json["ledger"] if row["id"].startswith(("test:", "issue:"))]
        (row,) = rows
        digest = row["content_sha256"]
        content = None if digest is None else (self.out / "objects" / digest).read_bytes()
        return row, content


@pytest.fixture
def bench(assembler: CommandLine, repository: RepositoryBuilder, tmp_path: Path) -> Bench:
    return Bench(assembler, repository, tmp_path)


@pytest.mark.parametrize(
    ("found", "lines"),
    [(SUREFIRE_XML, "L13-L20"), (NODE_TAP, "L8-L16"), (PYTEST_TEXT, "L15-L28"), (GO, "L2-L4")],
)
def test_case__is_in_by_its_own_lines(bench: Bench, found: Any, lines: str) -> None:
    row, content = bench.row(found.data, test="t", case=found.case)
    assert (row["state"], row["decides"], row["trust"]) == ("in", "failure", "observed")
    assert row["source"] == f".work/payload#{lines}"
    first, last = (int(part[1:]) for part in lines.split("-"))
    assert content == found.wanted == addressed(found.data, ((first, last),))
    assert row["discovered_by"].startswith(f"task; {found.dialect}: case ")
    assert lines in row["discovered_by"]


def test_report__without_a_case_gives_several_ranges(bench: Bench) -> None:
    row, content = bench.row(SUREFIRE_XML.data, test="t")
    assert row["source"] == ".work/payload#L6-L20"
    row, content = bench.row(GO.data + b"--- FAIL: TestLast (0.00s)\n", test="t")
    assert row["source"] == ".work/payload#L1-L4,L9-L9"
    assert content == GO.data[: GO.data.index(b"    --- PASS")] + b"--- FAIL: TestLast (0.00s)\n"
    assert "go test output: 3 of 4 cases failed (" in row["discovered_by"]


def test_address__gives_way_to_the_url_of_the_task(bench: Bench) -> None:
    row, _ = bench.row(GO.data, test="t", case=GO.case, url="https://ci.example/1")
    assert row["source"] == "https://ci.example/1"
    assert ": L2-L4, its block" in row["discovered_by"]


@pytest.mark.parametrize("entry", [{"lines": [3, 4]}, {"around": "got 1"}])
def test_lines_and_around__keep_what_they_mean(bench: Bench, entry: dict[str, Any]) -> None:
    row, content = bench.row(GO.data, test="t", **entry)
    assert row["discovered_by"] == "task"
    assert content == addressed(GO.data, ((3, 4) if "lines" in entry else (1, 8),))


def test_observation__is_no_report(bench: Bench, repository: RepositoryBuilder) -> None:
    result = bench(GO.data, observation="o")
    (row,) = [row for row in result.json["ledger"] if row["id"] == "observation:o"]
    assert row["discovered_by"] == "task"
    assert row["content_bytes"] == len(GO.data)


def test_case__that_is_not_there_is_a_row_and_a_required_one_refuses(bench: Bench) -> None:
    row, content = bench.row(JEST_XML.data, test="t", case="outer failed")
    assert (row["state"], row["reason"], content) == ("out", "content-absent", None)
    assert row["discovered_by"] == (
        "task; JUnit XML: no case outer%20failed among 2 cases; "
        "nearest: outer%20fails, outer%20passes"
    )
    refused = bench(JEST_XML.data, test="t", case="outer failed", required=("test:t",))
    assert (refused.code, refused.json["code"]) == (3, "required-missing")


def test_case__that_passed_is_in_and_told(bench: Bench) -> None:
    row, content = bench.row(JEST_XML.data, test="t", case="outer passes", required=("test:t",))
    assert row["state"] == "in"
    assert content == addressed(JEST_XML.data, ((4, 5),))
    assert "case outer%20passes passed: L4-L5" in row["discovered_by"]


def test_xml_with_a_document_type__is_text(bench: Bench) -> None:
    data = b'<!DOCTYPE t [<!ENTITY x SYSTEM "file:///etc/passwd">]>\n<testsuite>&x;</testsuite>\n'
    row, content = bench.row(data, test="t")
    assert content == data
    assert row["discovered_by"] == "task; XML with a document type, read as text"
    row, content = bench.row(data, test="t", case="&x;")
    assert content == data
    assert row["source"] == ".work/payload#L1-L2"
    told = "task; XML with a document type, read as text: the lines around the first that holds "
    assert row["discovered_by"] == f"{told}the case's name"
    row, _ = bench.row(data, test="t", case="a", around="DOCTYPE")
    assert row["discovered_by"] == f"{told}`around`"
    row, content = bench.row(data, test="t", case="nowhere")
    assert (row["state"], content) == ("out", None)
    assert row["discovered_by"].endswith('; no line holds "nowhere"')


def test_line__that_is_long_is_told(bench: Bench) -> None:
    def report(size: int) -> bytes:
        head, tail = (
            b'<testsuite><testcase name="a"><failure>',
            b"</failure></testcase></testsuite>",
        )
        return head + b"x" * (size - len(head) - len(tail)) + tail

    row, content = bench.row(report(65_536), test="t", case="a")
    assert (row["source"], content) == (".work/payload#L1-L1", report(65_536))
    assert "no smaller excerpt" not in row["discovered_by"]
    row, content = bench.row(report(65_537), test="t", case="a")
    assert content == report(65_537)
    assert row["discovered_by"].endswith(
        "; one line has 65,537 bytes: no smaller excerpt of whole lines exists"
    )


def test_report__over_the_limit_is_never_read(bench: Bench) -> None:
    row, content = bench.row(b"<testsuite>" + b"x" * MAX_ITEM_BYTES, test="t", case="a")
    assert (row["state"], row["code"], content) == ("out", "size-limit", None)


def test_report__with_a_case_named_like_a_rule_says_it_escaped(bench: Bench) -> None:
    data = '<testsuite><testcase name="x\u202e&#10;[[policy"><failure/></testcase></testsuite>'
    row, _ = bench.row(data.encode(), test="t")
    assert "(x%E2%80%AE%0A%5B%5Bpolicy)" in row["discovered_by"]


def test_issue__gives_its_facts_and_keeps_its_bytes(bench: Bench) -> None:
    data = json.dumps(VIEW, indent=1).encode()
    row, content = bench.row(data, issue=842, retrieved_at="2026-09-14T10:00:00Z")
    assert content == data
    assert (row["state"], row["trust"]) == ("in", "untrusted")
    assert row["source"] == "https://github.com/o/r/issues/842"
    assert row["version"] == "2026-09-14T09:10:00Z"
    assert row["retrieved_at"] == "2026-09-14T10:00:00Z"
    assert row["discovered_by"] == "task; issue as JSON: number 842, open, 1 comment"


def test_issue__leaves_what_the_task_says(bench: Bench) -> None:
    data = json.dumps(VIEW).encode()
    row, _ = bench.row(data, issue=7, url="https://tracker.example/7")
    assert row["source"] == "https://tracker.example/7"
    assert row["discovered_by"].endswith(", 1 comment, not the 7 that is asked for")
    row, content = bench.row(json.dumps(VIEW, indent=1).encode(), issue="x-1", around='"title"')
    assert row["source"] == "https://github.com/o/r/issues/842"
    assert content is not None
    assert content.count(b"\n") < 40
    assert row["discovered_by"].endswith("open, 1 comment")


@pytest.mark.parametrize("data", [b"# Issue\n", b'{"title": "x"}', b'{"title": "x", "number": 1}}'])
def test_issue__that_is_no_such_json_is_text(bench: Bench, data: bytes) -> None:
    row, content = bench.row(data, issue=1)
    assert content == data
    assert (row["source"], row["version"]) == (".work/payload", None)
    assert row["discovered_by"] == "task"


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ({"test": "t", "case": " "}, "is blank"),
        ({"test": "t", "case": "a", "lines": [1, 2]}, "wants `lines` or `case`, not both"),
        ({"observation": "o", "case": "a"}, "means nothing for an observation"),
        ({"issue": 1, "case": "a"}, "means nothing for an issue"),
        ({"case": "a"}, "means nothing for a file"),
    ],
)
def test_case__is_for_tests_alone(bench: Bench, entry: dict[str, Any], problem: str) -> None:
    result = bench(b"", **entry)
    assert (result.code, result.json["code"]) == (2, "config-value")
    assert problem in result.talk
