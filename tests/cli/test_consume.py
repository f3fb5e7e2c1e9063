"""What consumed an item of a run: an event afterwards, joined on reading."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.builders.command_line import CommandLine
from tests.builders.inventories import inventory_value, item
from tests.builders.runs import events, run_inventory, run_vector
from tests.builders.vectors import load_vector

LIMIT = "x" * 2048


def test_consumed_item__is_an_event_afterwards_and_the_ledger_stays(
    plain: CommandLine, tmp_path: Path
) -> None:
    run_vector(plain, "codeai-16")
    plain("log", "1", "--files", str(tmp_path / "before"))
    result = plain("log", "1", "--consume", "cited in § 2", "--item", "B", "--item", "B")
    assert result.code == 0, result.talk
    assert result.text == "consumed  B  by event 3: cited in § 2\n"
    plain("log", "last", "--files", str(tmp_path / "after"))
    assert (tmp_path / "before/ledger.jsonl").read_bytes() == (
        tmp_path / "after/ledger.jsonl"
    ).read_bytes()
    request, compiled, consumed = events(plain)
    head = plain("log", "--events", "-f", "json").json["head"]
    assert head == consumed["event_sha256"]
    assert plain("log", "--events").text.endswith(f"head   {head}\n")
    assert consumed["event"] == "context.consumed"
    assert consumed["request"] is None
    assert consumed["payload"] == {
        "schema": "assembler/consumption/1",
        "compiled": compiled["event_sha256"],
        "id": "B",
        "decision": "cited in § 2",
    }
    assert events(plain, "1") == [request, compiled, consumed]
    shown = plain("log", "1", "-f", "json").json
    assert shown["consumed"] == [{"id": "B", "decision": "cited in § 2", "seq": 3, "visible": True}]
    assert shown["findings"] == []
    assert "consumed  B  by event 3" in plain("explain", "B", "--run", "1").text
    assert "consumed" not in plain("explain", "A", "--run", "1").text


@pytest.mark.parametrize("identifier", ["C", "E"])
def test_consumed_item__that_was_not_in_the_input_is_a_finding(
    plain: CommandLine, identifier: str
) -> None:
    run_vector(plain, "codeai-16")
    result = plain("log", "1", "--consume", "d", "--item", identifier)
    assert result.code == 0
    assert "ASM404 consumed-not-visible" in result.text
    shown = plain("log", "1", "-f", "json").json
    assert [finding["slug"] for finding in shown["findings"]] == ["consumed-not-visible"]
    assert shown["consumed"][0]["visible"] is False
    assert "ASM404" in plain("log", "1").text


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["1", "--consume", "d", "--item", "Z"], "item-missing", "not offered Z"),
        (["1", "--consume", "d", "--item", "B", "--item", "Z"], "item-missing", "Z"),
        (["9", "--consume", "d", "--item", "B"], "run-missing", "no such run: 9"),
        (["1", "--consume", " ", "--item", "B"], "decision-invalid", "2,048"),
        (["1", "--consume", LIMIT + "x", "--item", "B"], "decision-invalid", "2,048"),
        (["1", "--consume", "d"], "option-conflict", "--item"),
        (["1", "--item", "B"], "option-conflict", "--consume"),
        (["--consume", "d", "--item", "B"], "option-conflict", "RUN"),
    ],
)
def test_consumption__that_names_nothing_is_exit_2_and_no_event(
    plain: CommandLine, arguments: list[str], code: str, told: str
) -> None:
    run_vector(plain, "codeai-16")
    result = plain("log", *arguments)
    assert (result.code, f"({code})" in result.talk, told in result.talk) == (2, True, True)
    assert len(events(plain)) == 2


def test_decision__may_fill_its_limit_and_hold_what_a_terminal_must_not_see(
    plain: CommandLine,
) -> None:
    run_vector(plain, "codeai-16")
    for decision in (LIMIT, "a\n\x1b[31mred\u202e"):
        assert plain("log", "1", "--consume", decision, "--item", "A").code == 0
    shown = plain("log", "--events").out + plain("log", "1").out
    assert b"\x1b" not in shown
    assert "\u202e".encode() not in shown
    assert shown.count(b"\\u000a\\u001b[31mred\\u202e") == 2


def test_run__that_failed_is_consumed_by_nothing(plain: CommandLine) -> None:
    run_inventory(plain, load_vector("codeai-9-unsatisfiable")["inventory"], code=3)
    result = plain("log", "1", "--consume", "d", "--item", "A")
    assert result.code == 2
    assert "(run-without-package)" in result.talk


def test_copied_state__read_by_another_process_is_equal(plain: CommandLine, tmp_path: Path) -> None:
    run_vector(plain, "codeai-8")
    state = tmp_path / "home/.local/state/assembler"
    shutil.copytree(state, tmp_path / "copy")
    other = plain("log", "1", "-f", "json", ASSEMBLER_STATE=str(tmp_path / "copy"))
    assert other.json == plain("log", "1", "-f", "json").json
    assert [path.name for path in state.iterdir()] == ["assembler.sqlite3"]


def test_folder__that_is_no_package_is_said(plain: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "plain/folder").mkdir()
    for command in (["log", "folder"], ["explain", "--run", "folder"], ["diff", "folder", "last"]):
        result = plain(*command)
        assert (result.code, "(not-a-package)" in result.talk) == (2, True)


def test_record__with_an_old_head_says_which_event_it_is(plain: CommandLine) -> None:
    run_vector(plain, "codeai-16")
    head = events(plain)[-1]["event_sha256"]
    run_vector(plain, "codeai-8")
    result = plain("verify", "--head", head)
    assert result.code == 0, result.text
    assert "passed   exported-head: the hash of event 2 of 4" in result.text
    assert plain("verify", "--head", "0" * 64).code == 1


def test_two_answers__are_not_given_at_once(plain: CommandLine, tmp_path: Path) -> None:
    run_vector(plain, "codeai-16")
    result = plain("log", "1", "--events", "--files", str(tmp_path / "x"))
    assert (result.code, "(option-conflict)" in result.talk) == (2, True)
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("name", ["1", "last"])
def test_run__is_not_hidden_by_a_folder_of_its_name(plain: CommandLine, name: str) -> None:
    run_vector(plain, "codeai-16")
    (plain.cwd / name).mkdir()
    for command in (["log", name], ["verify", name], ["explain", "B", "--run", name]):
        assert plain(*command).code == 0
    assert plain("log", "\u0661").code == 2


@pytest.mark.parametrize(
    "options",
    [
        ["1", "--consume", "d", "--item", "A", "--files", "f"],
        ["1", "--consume", "d", "--item", "A", "--events"],
        ["--all", "--events"],
        ["1", "--all"],
    ],
)
def test_option__that_would_be_dropped_is_refused(plain: CommandLine, options: list[str]) -> None:
    run_vector(plain, "codeai-16")
    result = plain("log", *options)
    assert (result.code, "(option-conflict)" in result.talk) == (2, True)
    assert len(events(plain)) == 2


def test_rows__as_lines_hold_no_raw_control_or_bidi_character(plain: CommandLine) -> None:
    value = json.dumps(inventory_value(item("a\u009b31m\u202e")))
    result = plain("assemble", "--inventory", "-", "-f", "jsonl", stdin=value)
    assert result.code == 0
    assert result.out.isascii()
    assert json.loads(result.out)["id"] == "a\u009b31m\u202e"


def test_lines__of_json_are_one_a_document(plain: CommandLine) -> None:
    run_vector(plain, "codeai-16")
    run_inventory(plain, load_vector("codeai-9-unsatisfiable")["inventory"], code=3)
    for arguments in (["1", "--consume", "d", "--item", "A"], ["2"], ["--events"], []):
        lines = plain("log", *arguments, "-f", "jsonl").text.splitlines()
        assert all(isinstance(json.loads(line), dict) for line in lines)
