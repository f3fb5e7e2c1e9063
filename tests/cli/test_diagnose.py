"""`diagnose`: runs and packages, in each format, and what can't be diagnosed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.builders.command_line import CommandLine
from tests.builders.inventories import inventory_value, item
from tests.builders.repositories import RepositoryBuilder
from tests.builders.runs import events, run_inventory
from tests.builders.traces import (
    ARCHIVE,
    FAILURE,
    LOCAL,
    SUMMARY,
    bad_trace,
    failing_test,
    file,
    good_trace,
)
from tests.builders.vectors import load_vector

CLAIMS = [
    "required_local_policy_missing",
    "stale_source_selected",
    "budget_displaced_failure_evidence",
]


def results(document: object) -> dict[str, str]:
    assert isinstance(document, dict)
    return {claim["id"]: claim["result"] for claim in document["claims"]}


def test_bad_trace__fires_exactly_the_three(plain: CommandLine, tmp_path: Path) -> None:
    folder = tmp_path / "package"
    run_inventory(plain, bad_trace(), "--out", str(folder))
    result = plain("diagnose", "last", "-f", "json")
    assert result.code == result.json["exit_code"] == 1
    assert result.json["schema"] == "assembler/diagnosis/1"
    assert result.json["run"] == 1
    assert results(result.json) == dict.fromkeys(CLAIMS, "fires")
    assert {question["result"] for question in result.json["questions"]} == {"holds"}
    rows = {row["id"]: row for claim in result.json["claims"] for row in claim["rows"]}
    assert rows[FAILURE]["detail"] == {
        "cost": 420, "used_before": 3490, "would_be": 3910, "limit": 3692,
    }  # fmt: skip
    assert (rows[ARCHIVE]["cost"], rows[LOCAL]["reason"]) == (3400, "budget-exceeded")
    of_folder = plain("diagnose", str(folder), "-f", "json")
    assert of_folder.code == 1
    assert of_folder.json["claims"] == result.json["claims"]
    assert (of_folder.json["run"], of_folder.json["stale_decisions"]) == (None, None)


def test_bad_trace__is_told_with_rows_reasons_and_figures(plain: CommandLine) -> None:
    run_inventory(plain, bad_trace())
    result = plain("diagnose", "1")
    assert result.code == 1
    assert "ASM403 budget_displaced_failure_evidence: test-17 (420) out" in result.text
    assert "budget-exceeded: 3,490 + 420 = 3,910 > 3,692" in result.text
    assert "fix: discovery, freshness, selection, in this order" in result.text
    assert result.text.endswith("Run 1: 3 of 3 claims fire, 2 misses, 0 stale decisions\n")


def test_good_trace__fires_none(plain: CommandLine) -> None:
    run_inventory(plain, good_trace())
    result = plain("diagnose", "last")
    assert result.code == 0
    assert result.text == "Run 1: none of 3 claims fires, 0 misses, 0 stale decisions\n"


def test_sample_of_the_demo__fires_none(plain: CommandLine, tmp_path: Path) -> None:
    assert plain("demo", "--into", str(tmp_path / "demo")).code == 0
    result = plain("diagnose", str(tmp_path / "demo/package"), "-f", "json")
    assert result.code == 0
    assert results(result.json) == dict.fromkeys(CLAIMS, "holds")
    assert result.json["findings"] == []


def test_github__annotates_each(plain: CommandLine) -> None:
    run_inventory(plain, bad_trace())
    result = plain("diagnose", "last", "-f", "github")
    assert result.code == 1
    lines = result.text.splitlines()
    assert [line.split("::")[1] for line in lines] == [
        f"error title=ASM40{number} {name}" for number, name in enumerate(CLAIMS, start=1)
    ]
    assert result.talk.startswith("Run 1: 3 of 3")
    assert plain("diagnose", "last", "-f", "github", "-q").talk == ""


def test_warnings__alone_are_exit_0(plain: CommandLine) -> None:
    run_inventory(plain, inventory_value(item("nowhere"), failing_test()))
    result = plain("diagnose", "last")
    assert result.code == 0
    assert "warning ASM405 provenance-lost: nowhere" in result.text
    assert "not checked   ASM401" in result.text
    assert "none of 3 claims fires, 1 not checked" in result.text


def test_decisions_of_the_record__are_counted_apart(plain: CommandLine) -> None:
    run_inventory(plain, bad_trace())
    used = ["--item", SUMMARY, "--item", ARCHIVE, "--item", "packages/parser/tsconfig.json"]
    assert plain("log", "1", "--consume", "edit readDelimited", *used).code == 0
    before = events(plain)
    result = plain("diagnose", "1", "-f", "json")
    assert result.json["stale_decisions"] == [
        {
            "id": SUMMARY,
            "decision": "edit readDelimited",
            "seq": 3,
            "reason": "stale_source_selected",
            "mechanism": "stale",
            "triage": "absent",
        }
    ]
    assert [(miss["id"], miss["need"], miss["seq"]) for miss in result.json["misses"]] == [
        (LOCAL, "policy", None),
        (FAILURE, "failure", None),
        ("packages/parser/tsconfig.json", "consumed", 5),
    ]
    codes = [finding["code"] for finding in result.json["findings"]]
    assert codes == ["ASM401", "ASM402", "ASM403", "ASM404", "ASM409"]
    text = plain("diagnose", "1").text
    assert f"stale decision  {SUMMARY}  stale, absent: stale_source_selected, event 3" in text
    assert "3 misses, 1 stale decision\n" in text
    assert events(plain) == before


def test_run_without_a_package__can_not_be_diagnosed(plain: CommandLine) -> None:
    run_inventory(plain, load_vector("codeai-9-unsatisfiable")["inventory"], code=3)
    result = plain("diagnose", "last", "-f", "json")
    assert result.code == 2
    assert result.json["code"] == "run-without-package"


@pytest.mark.parametrize(
    ("name", "code"),
    [("7", "run-missing"), ("last", "run-missing"), ("nope", "no-such-folder"), (".", "not-a-")],
)
def test_what_is_not_there__is_exit_2(plain: CommandLine, name: str, code: str) -> None:
    result = plain("diagnose", name, "-f", "json")
    assert result.code == 2
    assert result.json["code"].startswith(code)
    assert plain("diagnose").code == 2


def altered(path: Path, old: bytes, new: bytes) -> None:
    data = path.read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new))


def test_package_that_does_not_hold__proves_nothing(plain: CommandLine, tmp_path: Path) -> None:
    folder = tmp_path / "package"
    run_inventory(plain, bad_trace(), "--out", str(folder))
    altered(folder / "ledger.jsonl", b'"reason":"budget-exceeded"', b'"reason":"fits"')
    result = plain("diagnose", str(folder), "-f", "json")
    assert result.code == 2
    assert result.json["code"] == "package-unverified"
    assert "decision" in result.json["message"]
    assert "ledger-hash" in result.json["message"]
    (folder / "ledger.jsonl").unlink()
    assert "files" in plain("diagnose", str(folder), "-f", "json").json["message"]


def test_names__cannot_move_a_cursor(plain: CommandLine) -> None:
    run_inventory(plain, inventory_value(file("a\x1b[2J\u202e.txt", 8), failing_test(size=3)))
    for form in ("text", "github"):
        result = plain("diagnose", "last", "-f", form)
        assert result.code == 1
        assert "a\\u001b[2J\\u202e.txt" in result.text
        assert not {"\x1b", "\u202e"} & set(result.text)


def test_many_rows__are_shortened_in_text_and_whole_in_json(plain: CommandLine) -> None:
    hits = [file(f"hit-{number}.txt") for number in range(9)]
    run_inventory(plain, inventory_value(*hits, failing_test(size=10)))
    assert "and 2 more: --format json has them all" in plain("diagnose", "last").text
    (claim,) = (
        claim
        for claim in plain("diagnose", "last", "-f", "json").json["claims"]
        if claim["result"] == "fires"
    )
    assert len(claim["rows"]) == 10


def test_instructions_that_a_wanted_cut_takes__are_missing(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write(
        {
            "AGENTS.md": "# Rules\n" + "- A rule.\n" * 4_000,
            ".assembler/profile.yaml": (
                "schema: assembler/profile/1\ninstructions: {on_overflow: cut}\n"
            ),
        }
    )
    repository.commit()
    assert assembler("assemble", "-m", "x", "-t", "src/x.py").code == 0
    result = assembler("diagnose", "last", "-f", "json")
    assert result.code == 1
    assert results(result.json)[CLAIMS[0]] == "fires"
    missing = result.json["claims"][0]["rows"][0]
    assert missing["id"] == "policy:src/AGENTS.md"
    assert missing["detail"]["code"] == "chain-lost"
    assert json.dumps(result.json).count("A rule.") == 0


def test_ordinary_run__fires_none(assembler: CommandLine) -> None:
    assert assembler("assemble", "-m", "x", "-t", "src/x.py", "-t", "docs/notes.md").code == 0
    result = assembler("diagnose", "last", "-f", "json")
    assert result.code == 0
    assert results(result.json) == dict.fromkeys(CLAIMS, "holds")
    assert result.json["findings"] == []
