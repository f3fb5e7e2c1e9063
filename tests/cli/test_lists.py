"""A run as three lists: available, selected, in the request."""

from __future__ import annotations

import json
from pathlib import Path

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
