"""Every refusal that an inventory can cause: its words, its two events, and nothing else."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

import pytest

from tests.builders.command_line import ROOT, CommandLine
from tests.builders.inventories import inventory_value, item, measured

C, P = "context.compilation_failed", "context.preparation_failed"
NO_INVENTORY_CAUSES = {"count-mismatch", "request-mismatch"}


class Refusal(NamedTuple):
    code: str
    event: str
    detail: set[str]
    value: dict[str, Any]
    named: str


def tool(identifier: str, content: str) -> dict[str, Any]:
    return item(
        identifier, kind="tool", section="tools", trust="authorized", content={"text": content}
    )


def policy(identifier: str, size: int = 1) -> dict[str, Any]:
    return item(identifier, size, section="policy", trust="authorized")


TOOL = '{"inputSchema":{},"name":"read"}'
ABSENT = {"absent": "unread"}
MODEL = {"name": "openai-chat", "model": "m", "max_output": 9}
REFUSALS = [
    Refusal("required-missing", C, {"ids"}, inventory_value(required=("gone",)), "gone"),
    Refusal("required-rejected", C, {"id", "reason", "detail"},
            inventory_value(item("a", decision_value=0), required=("a",)), "no-decision-value"),
    Refusal("layout-cannot-hold", C, {"ids"},
            inventory_value(policy("p1"), policy("p2"), required=("p1", "p2"),
                            layout="context-contract/1"), "p1"),
    Refusal("counter-unavailable", P, {"name"},
            inventory_value(item("a"), required=("a",),
                            budget=measured(9, "no_such_base", "token")), "no_such_base"),
    Refusal("size-undeclared", C, {"id"}, inventory_value(item("a", None), required=("a",)), "a"),
    Refusal("size-undeclared", C, {"id"}, inventory_value(item("a", None)), "a"),
    Refusal("content-unresolved", P, {"id"},
            inventory_value(item("a", content=ABSENT), required=("a",), budget=measured(999)),
            "a"),
    Refusal("content-unresolved", P, {"id", "package_id", "trace_id"},
            inventory_value(item("a", content=ABSENT), required=("a",)), "a"),
    Refusal("resident-unsatisfiable", C, {"resident", "overhead", "envelope", "over"},
            inventory_value(policy("p", 11), required=("p",)), "1 over"),
    Refusal("budget-unsatisfiable", C, {"required", "limit", "over"},
            inventory_value(item("a", 6), item("b", 5), required=("a", "b")), "short by 1"),
    Refusal("tool-content-unfit", P, {"id"}, inventory_value(tool("t", "{}")), "t"),
    Refusal("tool-name-unfit", P, {"id"},
            inventory_value(tool("t", '{"inputSchema":{},"name":"a b"}')), "t"),
    Refusal("tool-name-collision", P, {"id", "name"},
            inventory_value(tool("t", TOOL), tool("u", TOOL)), "u"),
    Refusal("adapter-incomplete", P, {"adapter"},
            inventory_value(item("a"), adapter={"name": "openai-chat"}), "openai-chat"),
    Refusal("adapter-incomplete", P, {"adapter"},
            inventory_value(item("a"), adapter={"name": "anthropic-messages", "model": "m"}),
            "output limit"),
    Refusal("output-over-reserve", P, {"max_output", "reserve"},
            inventory_value(item("a"), adapter=MODEL,
                            budget={"unit": "token", "counter": "declared", "window": 20,
                                    "reserves": {"response": 8}}), "9 tokens"),
]  # fmt: skip


@pytest.fixture
def assembler(plain: CommandLine) -> CommandLine:
    return plain


def test_table__has_every_refusal_of_the_page() -> None:
    page = (ROOT / "docs/formats/decisions.md").read_text()
    rows = [line for line in page.splitlines() if re.match(r"\| \d+(, \d+)? \|", line)]
    codes = {code for line in rows for code in re.findall(r"`([a-z-]+)`", line.split("|")[2])}
    assert len(codes) > 10
    assert codes == {refusal.code for refusal in REFUSALS} | NO_INVENTORY_CAUSES


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda refusal: str(refusal.code))
def test_refusal__is_exit_3_with_two_events_and_no_package(
    assembler: CommandLine, refusal: Refusal
) -> None:
    out = assembler.cwd / "out"
    result = assembler(
        "assemble", "--inventory", "-", "--out", str(out), stdin=json.dumps(refusal.value)
    )
    assert result.code == 3, result.talk
    assert result.out == b""
    assert f"({refusal.code})" in result.talk
    assert refusal.named in result.talk
    assert list(assembler.cwd.iterdir()) == []
    events = assembler("log", "--events", "-f", "json").json["events"]
    assert [event["event"] for event in events] == ["context.compilation_requested", refusal.event]
    assert events[1]["request"] == events[0]["event_sha256"]
    (run,) = assembler("log", "-f", "json").json["runs"]
    assert (run["state"], run["package_id"]) == ("failed", None)
    assert run["failure"]["code"] == refusal.code
    assert set(run["failure"]["detail"]) == refusal.detail
    files = assembler("log", "1", "--files", str(out))
    assert files.code == 2
    assert "(run-without-package)" in files.talk
    assert not out.exists()


@pytest.mark.parametrize("refusal", REFUSALS[:2], ids=lambda refusal: str(refusal.code))
def test_refusal__leaves_an_empty_folder_as_it_was(
    assembler: CommandLine, refusal: Refusal
) -> None:
    out = assembler.cwd / "out"
    out.mkdir()
    before = out.stat().st_mtime_ns
    assert (
        assembler(
            "assemble", "--inventory", "-", "--out", str(out), stdin=json.dumps(refusal.value)
        ).code
        == 3
    )
    assert list(out.iterdir()) == []
    assert out.stat().st_mtime_ns == before
