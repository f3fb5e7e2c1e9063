"""A run carried on: what it pinned stays, or enters by a transition that says why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assembler_verifier import verify_chain
from tests.builders.command_line import CommandLine, Result
from tests.builders.inventories import inventory_value, item
from tests.builders.repositories import RepositoryBuilder
from tests.builders.runs import events, run_inventory

TASK = "schema: assembler/task/1\nid: repair-1\nobjective: {}\n"
RULE = {"kind": "instruction", "section": "policy", "trust": "authorized"}


def rule(text: str, **members: Any) -> dict[str, Any]:
    return item("rule", **{**RULE, "content": {"text": text}, **members})


def inventory(*candidates: dict[str, Any], task: str = "t") -> dict[str, Any]:
    return inventory_value(*candidates, task={"id": task})


@pytest.fixture
def task_file(tmp_path: Path) -> Path:
    path = tmp_path / "task.yaml"
    path.write_text(TASK.format("Repair the parser."))
    return path


def run(assembler: CommandLine, task: Path, *arguments: str) -> Result:
    return assembler("assemble", "--task", str(task), "-f", "json", *arguments)


def test_continued_run__without_a_change_adds_no_transition(
    assembler: CommandLine, task_file: Path
) -> None:
    assert run(assembler, task_file).code == 0
    task_file.write_text(TASK.format("Now write the test."))
    for reason in ([], ["--because", "a new step"]):
        assert run(assembler, task_file, "--continue", "last", *reason).code == 0
    assert [event["event"].partition(".")[2] for event in events(assembler)] == [
        "compilation_requested", "compiled",
    ] * 3  # fmt: skip


def test_changed_pins__are_refused_and_nothing_is_recorded(
    assembler: CommandLine, repository: RepositoryBuilder, task_file: Path, tmp_path: Path
) -> None:
    assert run(assembler, task_file).code == 0
    repository.write({"AGENTS.md": "# Rules\n\nKeep every diff small.\n"})
    out = tmp_path / "out"
    result = run(assembler, task_file, "--continue", "1", "--out", str(out))
    assert result.code == 3
    assert result.json["code"] == "transition-required"
    (change,) = result.json["detail"]["changes"]
    assert (change["what"], change["name"]) == ("instruction", "policy:AGENTS.md")
    assert "policy:AGENTS.md" in result.talk
    assert "--because" in result.talk
    assert "Recorded" not in result.talk
    assert not out.exists()
    assert len(events(assembler)) == 2


def test_changed_pins__enter_by_a_transition_with_a_reason(
    assembler: CommandLine, repository: RepositoryBuilder, task_file: Path
) -> None:
    first = run(assembler, task_file)
    skill = repository.root / ".agents/skills/pdf"
    repository.write(
        {
            "src/AGENTS.md": "# Source\n\nNew dependencies are fine.\n",
            ".agents/skills/pdf/scripts.txt": "more\n",
            ".agents/skills/csv/SKILL.md": "---\nname: csv\ndescription: Reads CSV.\n---\n# CSV\n",
        }
    )
    assert skill.is_dir()
    second = run(
        assembler, task_file, "-t", "src/x.py", "--continue", "1", "--because", "agreed in § 4"
    )
    assert second.code == 0, second.talk
    assert "Transition: event 3" in second.talk
    names = [event["event"] for event in events(assembler)]
    assert names[2:4] == ["context.transitioned", "context.compilation_requested"]
    transition = events(assembler)[2]["payload"]
    assert transition["reason"] == "agreed in § 4"
    assert transition["from"] == events(assembler)[0]["payload_sha256"]
    assert transition["to"] == events(assembler)[3]["payload_sha256"]
    changes = {(c["what"], c["name"]): (c["old_sha256"], c["new_sha256"])
               for c in transition["changes"]}  # fmt: skip
    assert set(changes) == {
        ("instruction", "policy:src/AGENTS.md"),
        ("skill-entry", "skill:csv"),
        ("skill-entry", "skill:pdf"),
    }
    assert changes["instruction", "policy:src/AGENTS.md"][0] is None
    assert changes["skill-entry", "skill:csv"][0] is None
    assert None not in changes["skill-entry", "skill:pdf"]
    assert list(changes) == sorted(changes)
    assert events(assembler, "2")[0]["event"] == "context.transitioned"
    assert len(events(assembler, "1")) == 2
    assert first.json["run"] + 1 == second.json["run"]


def test_chain__with_transitions_and_consumptions_verifies(plain: CommandLine) -> None:
    run_inventory(plain, inventory(rule("one")))
    run_inventory(plain, inventory(rule("two")), "--continue", "1", "--because", "review")
    run_inventory(plain, inventory(rule("x"), task="other"))
    run_inventory(plain, inventory(), "--continue", "2", "--because", "no rule is needed")
    plain("log", "last", "--consume", "d", "--item", "rule")
    plain("log", "2", "--consume", "d", "--item", "rule")
    from assembler.adapters.store import Store

    with Store(plain.home / ".local/state/assembler") as store:
        (chain,) = store.chains()
        found = store.events(chain)
        payloads = {
            event.payload_sha256: store.read_object(event.payload_sha256) or b"" for event in found
        }
    report = verify_chain([event.to_json() for event in found], payloads)
    assert report.failed == []
    assert [event.event for event in found].count("context.transitioned") == 2


def test_run__of_another_task_or_not_the_last_is_refused(plain: CommandLine) -> None:
    run_inventory(plain, inventory(rule("one")))
    run_inventory(plain, inventory(rule("two")))
    run_inventory(plain, inventory(rule("one"), task="other"))
    asked = inventory(rule("three"))
    cases = {
        "3": "run-of-other-task",
        "1": "run-not-last",
        "9": "run-missing",
    }
    for name, code in cases.items():
        talk = run_inventory(plain, asked, "--continue", name, "--because", "x", code=2)
        assert f"({code})" in talk
    run_inventory(plain, inventory(item("a", 99), task="t") | {"required": ["a"]}, code=3)
    talk = run_inventory(plain, asked, "--continue", "4", "--because", "x", code=2)
    assert "(run-without-package)" in talk
    assert len(events(plain)) == 8
    run_inventory(plain, asked, "--continue", "2", "--because", "x")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--because", "x"], "option-conflict"),
        (["--continue", "1", "--because", " "], "reason-invalid"),
        (["--continue", "1", "--because", "x" * 2049], "reason-invalid"),
    ],
)
def test_reason__that_no_transition_can_hold_is_exit_2(
    plain: CommandLine, arguments: list[str], code: str
) -> None:
    run_inventory(plain, inventory(rule("one")))
    talk = run_inventory(plain, inventory(rule("two")), *arguments, code=2)
    assert f"({code})" in talk
    assert len(events(plain)) == 2


HEX = "ab" * 32
OTHER = "cd" * 32
TOOL = {"kind": "mcp-tool", "section": "tools", "trust": "authorized"}


def tool(description: str, version: str | None) -> dict[str, Any]:
    definition = {"description": description, "inputSchema": {}, "name": "find"}
    text = json.dumps(definition, separators=(",", ":"))
    return item("tool:s/find", **{**TOOL, "content": {"text": text}, "version": version})


def skill(text: str) -> dict[str, Any]:
    members = {"kind": "skill", "section": "tools", "trust": "authorized"}
    return item("skill:a#instructions", **{**members, "content": {"text": text}})


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ([tool("d", f"sha256:{HEX}")], [tool("d", f"sha256:{OTHER}")], [(HEX, OTHER)]),
        ([tool("d", f"x sha256:{OTHER}; y sha256:{HEX}")], [tool("d", f"sha256:{HEX}")], []),
        ([tool("d", f"sha256:{HEX}")], [], [(HEX, None)]),
        ([], [tool("d", f"sha256:{HEX}")], [(None, HEX)]),
        ([skill("one")], [], []),
        ([], [skill("one")], []),
        ([item("evidence")], [item("evidence", content={"text": "other"})], []),
        ([rule("same", scope="a")], [rule("same", scope="b")], []),
    ],
)
def test_pins__are_policy_skills_and_tools_by_what_stands_behind_them(
    plain: CommandLine,
    old: list[dict[str, Any]],
    new: list[dict[str, Any]],
    changes: list[tuple[str | None, str | None]],
) -> None:
    run_inventory(plain, inventory(*old))
    code = 3 if changes else 0
    asked = json.dumps(inventory(*new, item("more")))
    result = plain("assemble", "--inventory", "-", "--continue", "1", "-f", "json", stdin=asked)
    assert result.code == code, result.talk
    if changes:
        found = result.json["detail"]["changes"]
        assert [(one["old_sha256"], one["new_sha256"]) for one in found] == changes


def test_content__that_changed_under_an_equal_version_is_a_change(plain: CommandLine) -> None:
    run_inventory(plain, inventory(tool("old", f"sha256:{HEX}"), skill("one")))
    asked = inventory(tool("new", f"sha256:{HEX}"), skill("two"))
    result = plain(
        "assemble", "--inventory", "-", "--continue", "1", "-f", "json", stdin=json.dumps(asked)
    )
    assert result.code == 3
    found = result.json["detail"]["changes"]
    assert [change["name"] for change in found] == ["tool:s/find", "skill:a#instructions"]
    for change in found:
        assert change["old_sha256"] != change["new_sha256"]
        assert HEX not in change.values()


def test_last__is_the_last_run_of_the_same_task(plain: CommandLine) -> None:
    run_inventory(plain, inventory(rule("one")))
    run_inventory(plain, inventory(rule("x"), task="other"))
    run_inventory(plain, inventory(rule("two")), "--continue", "last", "--because", "x")
    assert events(plain, "3")[0]["payload"]["from"] == events(plain, "1")[0]["payload_sha256"]
    talk = run_inventory(plain, inventory(task="new"), "--continue", "last", code=2)
    assert "(run-of-other-task)" in talk


def test_last__is_the_run_whose_outcome_came_last(plain: CommandLine) -> None:
    """Runs may interleave: the one requested first may compile last."""
    import threading

    from assembler import compile_inventory
    from assembler.model.event import COMPILED

    home = {"HOME": str(plain.home)}
    reached, go_on = threading.Event(), threading.Event()
    times = iter(("request", "outcome"))

    def slow_clock() -> str:
        if next(times) == "outcome":
            reached.set()
            assert go_on.wait(60)
        return "2026-09-14T00:00:00Z"

    slow = threading.Thread(
        target=compile_inventory,
        args=(inventory(rule("slow")),),
        kwargs={"directory": plain.cwd, "environment": home, "clock": slow_clock},
    )
    # The clock of an outcome is asked before its transaction begins, so the lock is free.
    slow.start()
    assert reached.wait(60)
    run_inventory(plain, inventory(rule("fast")))
    go_on.set()
    slow.join()
    outcomes = [event for event in events(plain) if event["event"] == COMPILED]
    assert outcomes[-1]["request"] == events(plain, "1")[0]["event_sha256"]
    run_inventory(plain, inventory(rule("slow"), item("more")), "--continue", "last")
    talk = run_inventory(plain, inventory(rule("slow")), "--continue", "2", code=2)
    assert "(run-not-last)" in talk
