"""The same facts in other places, one factor at a time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assembler_verifier import verify_package
from tests.builders.command_line import CommandLine
from tests.builders.inventories import inventory_value, item
from tests.builders.runs import events, run_inventory
from tests.builders.vectors import load_vector


def test_variants__differ_in_one_factor_each(plain: CommandLine, tmp_path: Path) -> None:
    value = load_vector("ka2-optional-example")["inventory"]
    folder = tmp_path / "variants"
    run_inventory(plain, value, "--variants", str(folder), "--out", str(tmp_path / "package"))
    assert verify_package(tmp_path / "package").holds
    listed = json.loads((folder / "variants.json").read_bytes())
    assert [variant["name"] for variant in listed["variants"]] == [
        "evidence-first", "evidence-middle", "evidence-last", "example-removed",
    ]  # fmt: skip
    texts = {
        variant["name"]: (folder / variant["input"]["file"]).read_bytes()
        for variant in listed["variants"]
    }
    assert texts["evidence-middle"] == (tmp_path / "package/input.json").read_bytes()
    values = {name: json.loads(text) for name, text in texts.items()}
    assert {name: list(value) for name, value in values.items()} == {
        "evidence-first": ["template", "evidence", "instruction", "example", "question"],
        "evidence-middle": ["template", "instruction", "example", "evidence", "question"],
        "evidence-last": ["template", "instruction", "example", "question", "evidence"],
        "example-removed": ["template", "instruction", "example", "evidence", "question"],
    }
    middle = values["evidence-middle"]
    assert middle["example"] != {"question": "", "answer": ""}
    assert values["evidence-first"] == values["evidence-last"] == middle
    assert values["example-removed"] == {**middle, "example": {"question": "", "answer": ""}}
    for variant in listed["variants"]:
        text = texts[variant["name"]]
        assert variant["count"] == len(text.decode())
        assert variant["fits"] is True
        body = json.loads((folder / variant["request"]["file"]).read_bytes())
        assert body["text"].encode() == text


def test_variants__of_a_run_with_declared_sizes_count_nothing(
    plain: CommandLine, tmp_path: Path
) -> None:
    address = {"source_id": "a", "version": "1", "line_start": 1, "line_end": 1}
    value = inventory_value(item("a", address=address), layout="context-contract/1")
    run_inventory(plain, value, "--variants", str(tmp_path / "v"))
    listed = json.loads((tmp_path / "v/variants.json").read_bytes())
    assert {(variant["count"], variant["fits"]) for variant in listed["variants"]} == {(None, None)}


def test_variants__that_can_not_be_written_stop_the_run_before_its_request(
    plain: CommandLine, tmp_path: Path
) -> None:
    contract = load_vector("ka2-optional-example")["inventory"]
    (tmp_path / "full").mkdir()
    (tmp_path / "full/x").write_text("")
    talk = run_inventory(plain, contract, "--variants", str(tmp_path / "full"), code=2)
    assert "(out-not-empty)" in talk
    both = ("--variants", str(tmp_path / "v"), "--out", str(tmp_path / "v"))
    assert "(option-conflict)" in run_inventory(plain, contract, *both, code=2)
    value = inventory_value(item("a"))
    talk = run_inventory(plain, value, "--variants", str(tmp_path / "v"), code=2)
    assert "(variants-layout)" in talk
    assert not (tmp_path / "v").exists()
    assert events(plain) == []


@pytest.mark.parametrize(
    ("out", "variants"), [("p", "p/v"), ("v/p", "v"), ("p", "zz/../p"), ("p", "./p")]
)
def test_folders__that_overlap_are_refused_before_the_request(
    plain: CommandLine, out: str, variants: str
) -> None:
    for name in ("zz", out.split("/", maxsplit=1)[0]):
        (plain.cwd / name).mkdir(exist_ok=True)
    contract = load_vector("ka2-optional-example")["inventory"]
    talk = run_inventory(plain, contract, "--out", out, "--variants", variants, code=2)
    assert "(option-conflict)" in talk
    assert events(plain) == []
