"""A package compiled again, tokens counted."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from tests.builders.command_line import CommandLine
from tests.builders.inventories import inventory_value, item
from tests.builders.runs import run_inventory, run_vector


@pytest.mark.parametrize("name", ["codeai-16", "raj-o200k", "ka2-two-dates", "tool-numbers"])
def test_recompiled__run_gives_the_same_bytes(plain: CommandLine, name: str) -> None:
    run_vector(plain, name)
    assert "passed   recompiled: the same bytes" in plain("verify", "last", "--recompile").text
    result = plain("verify", "last", "--recompile", "-f", "json")
    assert result.code == 0, result.text
    assert {claim["id"]: claim["result"] for claim in result.json["claims"]}[
        "recompiled"
    ] == "passed"


def test_recompiled__package_with_forged_token_costs_is_found(
    plain: CommandLine, tmp_path: Path
) -> None:
    """A consistent forgery of counts passes where nobody counts: here somebody does."""
    run_vector(plain, "raj-o200k")
    package = tmp_path / "package"
    plain("log", "1", "--files", str(package))
    ledger = [json.loads(line) for line in (package / "ledger.jsonl").read_bytes().splitlines()]
    manifest = json.loads((package / "manifest.json").read_bytes())
    row = next(row for row in ledger if row["reason"] == "required" and row["section"] == "task")
    row["cost"] += 1
    manifest["budget"]["resident"]["task"] += 1
    for name, by in (("limit", -1), ("slack", -1), ("total", 1)):
        manifest["budget"][name] += by
    for other in ledger:
        for name in ("limit",):
            if name in other["detail"]:
                other["detail"][name] -= 1
    write(package / "ledger.jsonl", *ledger)
    manifest["ledger_sha256"] = hashlib.sha256((package / "ledger.jsonl").read_bytes()).hexdigest()
    write(package / "manifest.json", manifest)
    result = plain("verify", str(package), "--recompile", "-f", "json")
    assert result.code == 1
    claims = {claim["id"]: claim for claim in result.json["claims"]}
    assert claims["cost"]["result"] == "unchecked"
    assert claims["recompiled"]["result"] == "failed"
    assert '"ledger.jsonl", "manifest.json"' in claims["recompiled"]["detail"]


def write(path: Path, *values: object) -> None:
    path.write_text(
        "".join(
            json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n"
            for value in values
        )
    )


@pytest.mark.parametrize(
    ("damage", "told"),
    [("{}", "inventory-"), ("x", "inventory"), ('{"schema":"assembler/inventory/1"}', "inventory")],
)
def test_recompiled__package_with_a_broken_inventory_is_a_failed_claim(
    plain: CommandLine, tmp_path: Path, damage: str, told: str
) -> None:
    run_vector(plain, "codeai-16")
    package = tmp_path / "package"
    plain("log", "1", "--files", str(package))
    (package / "inventory.json").write_text(damage)
    result = plain("verify", str(package), "--recompile", "-f", "json")
    assert result.code == 1
    claim = result.json["claims"][-1]
    assert (claim["id"], claim["result"]) == ("recompiled", "failed")
    assert told in claim["detail"]


NEGATIVE = {
    "layout": "context-contract/1",
    "budget": {"unit": "token", "counter": "o200k_base", "window": 500},
}


@pytest.mark.parametrize("text", [" ", "'"])
@pytest.mark.parametrize("required", [("q",), ()])
def test_cost__below_zero_is_the_count_that_it_is(
    plain: CommandLine, text: str, required: tuple[str, ...]
) -> None:
    """A quotation mark, a space and a quotation mark can be one token less than two marks."""
    question = item(
        "q", None, kind="question", section="task", trust="authorized", content={"text": text}
    )
    value = inventory_value(question, required=required, **NEGATIVE)
    run_inventory(plain, value)
    (row,) = plain("log", "1", "-f", "json").json["ledger"]
    assert row["cost"] < 0
    assert plain("verify", "1", "--recompile").code == 0
    assert plain("verify").code == 0


@pytest.mark.parametrize("layout", ["control/1", "context-contract/1", "assembler-input/1"])
@pytest.mark.parametrize("adapter", [{"name": "text"}, {"name": "openai-chat"}])
def test_counter__that_is_not_at_hand_is_a_failure_that_the_record_bears_out(
    plain: CommandLine, layout: str, adapter: dict[str, str]
) -> None:
    budget = {"unit": "token", "counter": "nosuch", "window": 500}
    value = inventory_value(layout=layout, budget=budget, adapter=adapter)
    assert "(counter-unavailable)" in run_inventory(plain, value, code=3)
    result = plain("verify")
    assert result.code == 0, result.text
    assert "which vocabularies were at hand is not known" in result.text
