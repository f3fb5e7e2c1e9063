"""Edges of what a run takes in, through both doors: what is made can always be made again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.builders.command_line import CommandLine
from tests.builders.inventories import inventory_value, item, measured
from tests.builders.repositories import RepositoryBuilder


def recompiled(assembler: CommandLine, package: Path, again: Path) -> bool:
    result = assembler(
        "assemble", "--inventory", str(package / "inventory.json"), "--out", str(again)
    )
    assert result.code == 0, result.talk
    names = [path.name for path in package.iterdir() if path.name not in ("head.json", "objects")]
    return all((package / name).read_bytes() == (again / name).read_bytes() for name in names)


def test_long_path__gets_a_name_that_the_format_can_hold(
    assembler: CommandLine, repository: RepositoryBuilder, tmp_path: Path
) -> None:
    folder = "/".join(["d" * 200] * 4)
    files = {f"{folder}/{name}.py": f"{name}\n" for name in ("one", "two")}
    repository.write({**files, f"{folder}/AGENTS.md": "# deep\n"})
    repository.commit()
    package = tmp_path / "package"
    arguments = [word for path in files for word in ("-t", path)]
    result = assembler("assemble", "-m", "x", *arguments, "--out", str(package), "-f", "json")
    assert result.code == 0, result.talk
    ids = [row["id"] for row in result.json["ledger"]]
    assert len([name for name in ids if name.startswith("file:sha256:")]) == 2
    assert len([name for name in ids if name.startswith("policy:sha256:")]) == 1
    assert assembler("verify", str(package)).code == 0
    assert recompiled(assembler, package, tmp_path / "again")


@pytest.mark.parametrize(
    "task",
    [
        {"id": "i" * 513},
        {"actor": "é" * 257},
        {"evidence": [{"issue": "1", "file": "docs/notes.md", "url": "u" * 2049}]},
        {"evidence": [{"issue": "n" * 513, "file": "docs/notes.md"}]},
        {"topics": ["t" * 2049]},
        {"evidence": [{"file": "docs/notes.md", "group": "g" * 513}]},
        {"objective": "x" + " " * 100_000 + "y"},
    ],
    ids=lambda task: next(iter(task)),
)
def test_task__over_a_limit_of_the_format_is_exit_2_and_no_event(
    assembler: CommandLine, tmp_path: Path, task: dict[str, Any]
) -> None:
    (tmp_path / "t.yaml").write_text(
        json.dumps({"schema": "assembler/task/1", "objective": "x", **task})
    )
    result = assembler(
        "assemble", "--task", str(tmp_path / "t.yaml"), "--out", str(tmp_path / "out")
    )
    assert result.code == 2, result.talk
    assert "(inventory-limit)" in result.talk
    assert not (tmp_path / "out").exists()
    assert assembler("log", "--events", "-f", "json").json["events"] == []


@pytest.mark.parametrize(
    ("content", "state"),
    [(b"x" + b" " * 99_999, "in"), (b"x" + b" " * 100_000, "out"), (b"x" * 8_388_609, "out")],
    ids=["run just below", "run at the limit", "one byte over 8 MiB"],
)
def test_file__that_is_too_much_is_a_row(
    assembler: CommandLine, repository: RepositoryBuilder, content: bytes, state: str
) -> None:
    repository.write({"src/x.py": content})
    result = assembler("assemble", "-m", "x", "-t", "src/x.py", "-f", "json")
    assert result.code == 0, result.talk
    (row,) = [row for row in result.json["ledger"] if row["id"] == "file:src/x.py"]
    assert row["state"] == state
    assert state == "in" or row["code"] == "size-limit"


@pytest.mark.parametrize(
    "content", ["x" * 8_388_609, " " * 100_000], ids=["one byte over 8 MiB", "run of blanks"]
)
def test_inventory__with_content_over_a_limit_is_exit_2(
    assembler: CommandLine, content: str
) -> None:
    value = inventory_value(item("a", content={"text": content}), budget=measured(10**9))
    result = assembler("assemble", "--inventory", "-", stdin=json.dumps(value))
    assert result.code == 2
    assert "(inventory-limit)" in result.talk
    assert ": a:" in result.talk or "a" in result.talk


def test_inventory__over_64_mib_is_exit_2(assembler: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "big.json"
    with path.open("wb") as file:
        file.truncate(64 * 1024 * 1024 + 1)
    result = assembler("assemble", "--inventory", str(path))
    assert result.code == 2
    assert "(inventory-limit)" in result.talk


def test_inventory__with_a_byte_order_mark_is_unreadable(assembler: CommandLine) -> None:
    data = b"\xef\xbb\xbf" + json.dumps(inventory_value(item("a"))).encode()
    result = assembler("assemble", "--inventory", "-", stdin=data)
    assert result.code == 2
    assert "(inventory-unreadable)" in result.talk


def test_inventory__in_yaml_is_the_same_inventory(assembler: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "i.yaml").write_text(
        "schema: assembler/inventory/1\n"
        "task: {id: t, actor: a, prompt: {name: p, version: '1'}, objective: o}\n"
        "budget: {unit: token, counter: declared, window: 10}\n"
        "candidates:\n"
        "  - {id: a, kind: artifact, section: evidence, trust: repository,\n"
        "     content: {text: content of a}, size: {value: 1, unit: token, basis: declared}}\n"
    )
    from_yaml = assembler("assemble", "--inventory", str(tmp_path / "i.yaml"), "-f", "request")
    assert from_yaml.code == 0, from_yaml.talk
    value = inventory_value(item("a"))
    assert from_yaml.out == assembler(
        "assemble", "--inventory", "-", "-f", "request", stdin=json.dumps(value)
    ).out  # fmt: skip


def test_digest__without_bytes_anywhere_is_unread_and_a_row(
    assembler: CommandLine, tmp_path: Path
) -> None:
    content = {"sha256": "0" * 64, "bytes": 3}
    (tmp_path / "i.json").write_text(json.dumps(inventory_value(item("a", content=content))))
    result = assembler("assemble", "--inventory", str(tmp_path / "i.json"), "-f", "json")
    assert result.code == 0, result.talk
    assert result.json["ledger"][0]["reason"] == "content-absent"
    assert result.json["ledger"][0]["detail"] == {"absent": "unread"}


def test_digest__whose_file_holds_other_bytes_is_exit_2(
    assembler: CommandLine, tmp_path: Path
) -> None:
    content = {"sha256": "0" * 64, "bytes": 3}
    (tmp_path / "i.json").write_text(json.dumps(inventory_value(item("a", content=content))))
    (tmp_path / "objects").mkdir()
    (tmp_path / "objects" / ("0" * 64)).write_bytes(b"abc")
    result = assembler("assemble", "--inventory", str(tmp_path / "i.json"))
    assert result.code == 2
    assert "(inventory-content-differs)" in result.talk


def test_path__of_an_inventory_passes_the_hosts_denies(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write({".env": "canary-value\n", "a.txt": "one\ntwo\n"})
    value = inventory_value(
        item("secret", content={"path": ".env"}),
        item("outside", content={"path": "../../etc/passwd"}),
        item("lines", content={"path": "a.txt", "lines": [2, 2]}),
        item("past", content={"path": "a.txt", "lines": [2, 3]}),
    )
    result = assembler("assemble", "--inventory", "-", "-f", "json", stdin=json.dumps(value))
    assert result.code == 0, result.talk
    rows = {row["id"]: row for row in result.json["ledger"]}
    assert rows["secret"]["state"] == "denied"
    assert rows["outside"]["state"] == "denied"
    assert rows["lines"]["source"] == "a.txt#L2-L2"
    assert rows["lines"]["content_bytes"] == 4
    assert rows["past"]["code"] == "not-found"
    assert b"canary" not in result.out + result.err


@pytest.mark.parametrize("layout", ["context-contract/1", "control/1"])
def test_layout__without_a_place_for_tools_and_work_is_made(
    assembler: CommandLine, repository: RepositoryBuilder, tmp_path: Path, layout: str
) -> None:
    repository.git("rm", "-q", "src/AGENTS.md")
    repository.write(
        {".assembler/profile.yaml": f"schema: assembler/profile/1\nlayout: {layout}\n"}
    )
    (tmp_path / "t.yaml").write_text(
        "schema: assembler/task/1\nquestion: What holds?\n"
        "example: {question: Then?, answer: That.}\n"
    )
    package = tmp_path / "package"
    result = assembler(
        "assemble", "--task", str(tmp_path / "t.yaml"), "--out", str(package), "-f", "json"
    )
    assert result.code == 0, result.talk
    rows = {row["id"]: (row["state"], row["code"]) for row in result.json["ledger"]}
    assert rows["policy:AGENTS.md"] == ("in", "required")
    assert rows["question"] == ("in", "required")
    assert rows["work"] == ("out", "layout-excludes")
    assert assembler("verify", str(package)).code == 0


def test_contract__counts_add_up_in_any_order_of_admission(assembler: CommandLine) -> None:
    def evidence(name: str, text: str, value: int) -> dict[str, Any]:
        address = {"source_id": name, "version": "1", "line_start": 1, "line_end": 1}
        return item(name, None, content={"text": text}, address=address, decision_value=value)

    for layout, order in (("context-contract/1", "decision-value"), ("control/1", "canonical")):
        value = inventory_value(
            evidence("a", "x ", 1),
            evidence("b", "bar", 9),
            item("p", None, section="policy", trust="authorized", content={"text": "P1\n"}),
            item("q", None, kind="question", section="task", trust="authorized"),
            required=("q",),
            budget={"unit": "token", "counter": "o200k_base", "window": 1000},
            layout=layout,
            order=order,
        )
        result = assembler("assemble", "--inventory", "-", "-f", "json", stdin=json.dumps(value))
        assert result.code == 0, result.talk


def test_host__that_withholds_a_resident_tool_leaves_a_row(
    assembler: CommandLine, repository: RepositoryBuilder, tmp_path: Path
) -> None:
    tools = [{"name": n, "description": n, "inputSchema": {}} for n in ("read", "write")]
    repository.write({".assembler/tools.json": json.dumps(tools)})
    (tmp_path / "p.yaml").write_text(
        "schema: assembler/profile/1\ntools: {resident: [read, write]}\n"
    )
    (tmp_path / "host.yaml").write_text("schema: assembler/host/1\ntools: [read]\n")
    result = assembler(
        "assemble", "-m", "x", "-p", str(tmp_path / "p.yaml"), "--host",
        str(tmp_path / "host.yaml"), "-f", "json",
    )  # fmt: skip
    assert result.code == 0, result.talk
    rows = {row["id"]: (row["state"], row["code"]) for row in result.json["ledger"]}
    assert rows["tool:read"] == ("in", "required")
    assert rows["tool:write"] == ("out", "tool-new")


@pytest.mark.parametrize(
    "entry",
    ["{file: docs/notes.md, url: u}", "{file: docs/notes.md, case: c}",
     "{summary: s, revision: r}",
     "{summary: s, around: x}", "{summary: s, lines: [1, 2]}"],
)  # fmt: skip
def test_key__that_would_do_nothing_is_refused(
    assembler: CommandLine, tmp_path: Path, entry: str
) -> None:
    (tmp_path / "t.yaml").write_text(
        f"schema: assembler/task/1\nobjective: x\nevidence:\n  - {entry}\n"
    )
    result = assembler("assemble", "--task", str(tmp_path / "t.yaml"))
    assert result.code == 2
    assert "t.yaml:4:" in result.talk
    assert "means nothing" in result.talk
