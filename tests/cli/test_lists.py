"""A run as three lists: available, selected, in the request."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.builders.command_line import CommandLine
from tests.builders.inventories import inventory_value, item
from tests.builders.runs import run_inventory, run_vector
from tests.builders.vectors import load_vector


def test_run__is_explained_as_three_lists_and_the_open_channels(plain: CommandLine) -> None:
    run_vector(plain, "codeai-16")
    body = plain("explain", "--run", "last", "-f", "json").json
    assert [row["id"] for row in body["available"]] == ["B", "E", "D", "A", "C"]
    assert [row["id"] for row in body["selected"]] == ["B", "D", "A"]
    assert [row["id"] for row in body["in_request"]] == ["B", "D", "A"]
    assert body["received"] == "not-observable"
    assert body["channels_no_seal_covers"] == {
        "objective": ["A"],
        "question": [],
        "work record": [],
        "examples": [],
    }
    value = json.dumps(load_vector("codeai-16")["inventory"])
    request = plain("assemble", "--inventory", "-", "-f", "request", stdin=value).json
    (b,) = [row["bound"] for row in body["in_request"] if row["id"] == "B"]
    text = request["text"].encode()[b["start"] : b["end"]]
    assert text.startswith(b"SOURCE-B:")
    assert len(text) == 86
    shown = plain("explain", "--run", "1").text
    for line in (
        "available   5 offered",
        "selected    3",
        "in the request   3 as text or tools",
        "received    not observable from here",
        "objective (A); question (none here); work record (none here); examples (none here)",
    ):
        assert line in shown


def test_lists__of_a_folder_are_those_of_the_run(plain: CommandLine, tmp_path: Path) -> None:
    run_vector(plain, "raj-declared")
    plain("log", "1", "--files", str(tmp_path / "package"))
    of_run = plain("explain", "--run", "1", "-f", "json").json
    of_folder = plain("explain", "--run", str(tmp_path / "package"), "-f", "json").json
    names = ("available", "selected", "in_request", "channels_no_seal_covers")
    assert [of_run[name] for name in names] == [of_folder[name] for name in names]
    assert of_run["channels_no_seal_covers"]["objective"] == ["task"]


def test_size__that_is_only_estimated_is_not_called_declared(plain: CommandLine) -> None:
    size = {"value": 1, "unit": "token", "basis": "estimated"}
    run_inventory(plain, inventory_value(item("a", size=1), {**item("b"), "size": size}))
    shown = plain("explain", "--run", "1").text
    assert "1 tokens declared" in shown
    assert "1 tokens estimated" in shown


@pytest.mark.parametrize("name", ["codeai-16-bound", "tool-numbers", "raj-declared-openai-chat"])
def test_section__is_found_in_the_request_by_pointer_and_bytes(
    plain: CommandLine, name: str, tmp_path: Path
) -> None:
    value = json.dumps(load_vector(name)["inventory"])
    out = tmp_path / "package"
    report = plain(
        "assemble", "--inventory", "-", "-f", "json", "--out", str(out), stdin=value
    ).json
    rendered = (out / "input.txt").read_bytes()
    request = json.loads((out / "request.json").read_bytes())
    tools = 0
    for section in report["sections"]:
        whole = b""
        for place in section["bound"]:
            found = request
            for step in place["pointer"].split("/")[1:]:
                found = found[int(step)] if isinstance(found, list) else found[step]
            if place["start"] is None:
                tools += 1
            else:
                whole += found.encode()[place["start"] : place["end"]]
        text = rendered[section["start"] : section["end"]]
        if all(place["start"] is not None for place in section["bound"]):
            assert whole == text
        else:
            assert len(whole) < len(text)
    assert tools == len(request.get("tools", []))
    assert [section["section"] for section in report["sections"]] == [
        "policy", "task", "tools", "evidence", "work",
    ]  # fmt: skip


def test_section__of_another_layout_has_no_place(plain: CommandLine) -> None:
    value = json.dumps(load_vector("ka2-2026-09-14")["inventory"])
    report = plain("assemble", "--inventory", "-", "-f", "json", stdin=value).json
    assert {(section["start"], len(section["bound"])) for section in report["sections"]} == {
        (None, 0)
    }


def test_group__is_named_where_it_does_not_fit(plain: CommandLine) -> None:
    pair = [item(name, 9, group="pair") for name in ("a", "b")]
    run_inventory(plain, inventory_value(*pair, window=10))
    assert "budget-exceeded (group pair): 0 + 18 = 18 > 10" in plain("log", "1").text


def test_budget__tells_evidence_from_other_optional_items(plain: CommandLine) -> None:
    note = item("note", 2, kind="note", section="work", trust="authorized")
    run_inventory(plain, inventory_value(item("a", 3), note, window=10))
    run_inventory(plain, inventory_value(item("a", 3), window=10))
    words = [" ".join(plain("log", run).text.split()) for run in ("1", "2")]
    assert "- evidence, optional items 5" in words[0]
    assert "- evidence 3" in words[1]


@pytest.mark.parametrize("option", [["--api", "openai-chat"], ["--at", "HEAD"]])
def test_option__that_an_inventory_holds_itself_is_refused(
    plain: CommandLine, option: list[str]
) -> None:
    value = json.dumps(inventory_value(item("a")))
    result = plain("assemble", "--inventory", "-", *option, stdin=value)
    assert (result.code, "(option-conflict)" in result.talk) == (2, True)
