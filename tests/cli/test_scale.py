"""Input that is far too much, or nearly: refused or compiled, in bounded memory, nothing half done.

The ceilings are generous: they tell a bound from growth without one, not good from better.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.builders.command_line import CommandLine
from tests.builders.inventories import inventory_value, item, measured
from tests.builders.many import many_candidates
from tests.builders.measured_run import run_measured
from tests.builders.repositories import RepositoryBuilder

CEILING_MIB = 1_200
BIG = 50 * 1024 * 1024
BIG_TEXT = "x" * BIG
"""50 MiB of one letter: no counter has to do anything with it, for it is refused before."""


@pytest.fixture
def assembler(plain: CommandLine) -> CommandLine:
    return plain


def write(folder: Path, value: Any) -> Path:
    path = folder / "inventory.json"
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def refused(assembler: CommandLine, value: Any, *, code: str, place: str) -> int:
    """Exit 2 with the code and the place, no event, `--out` untouched; the memory it took."""
    out = assembler.cwd / "out"
    path = write(assembler.cwd, value)
    result = run_measured(assembler, "assemble", "--inventory", str(path), "--out", str(out))
    assert result.code == 2, result.talk
    assert f"({code})" in result.talk
    assert place in result.talk
    assert len(result.talk) < 2_000
    assert not out.exists()
    assert sorted(entry.name for entry in assembler.cwd.iterdir() if "partial" in entry.name) == []
    assert assembler("log", "--events", "-f", "json").json["events"] == []
    assert result.peak_mib < CEILING_MIB
    return result.peak_mib


def test_inventory__of_100_000_candidates_is_exit_2(assembler: CommandLine) -> None:
    one = json.dumps(item("e"))
    rows = ",".join(one.replace('"e"', f'"e{number}"', 1) for number in range(100_000))
    text = json.dumps(inventory_value()).replace('"candidates": []', f'"candidates": [{rows}]')
    refused(assembler, text, code="inventory-limit", place="$.candidates")


def in_text(_: Path) -> dict[str, Any]:
    return {"text": BIG_TEXT}


def in_base64(_: Path) -> dict[str, Any]:
    return {"base64": base64.b64encode(BIG_TEXT.encode()[: 45 * 1024 * 1024]).decode()}


def in_path(folder: Path) -> dict[str, Any]:
    (folder / "big.txt").write_text(BIG_TEXT)
    return {"path": "big.txt"}


def in_lines(folder: Path) -> dict[str, Any]:
    (folder / "big.txt").write_text("line\n" * (BIG // 5))
    return {"path": "big.txt", "lines": [1, 1]}


def in_objects(folder: Path) -> dict[str, Any]:
    digest = hashlib.sha256(BIG_TEXT.encode()).hexdigest()
    (folder / "objects").mkdir()
    (folder / "objects" / digest).write_text(BIG_TEXT)
    return {"sha256": digest, "bytes": BIG}


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (in_text, "candidates: big"),
        (in_base64, "candidates: big"),
        (in_path, "big.txt"),
        (in_lines, "big.txt"),
        (in_objects, "objects/"),
    ],
)
def test_item__of_50_mib_is_exit_2_and_named(
    assembler: CommandLine, content: Callable[[Path], dict[str, Any]], place: str
) -> None:
    value = inventory_value(
        item("small"), item("big", content=content(assembler.cwd)), budget=measured(10**9)
    )
    refused(assembler, value, code="inventory-limit", place=place)


def test_path__at_a_revision_of_50_mib_is_exit_2_and_named(
    assembler: CommandLine, tmp_path: Path
) -> None:
    repository = RepositoryBuilder(tmp_path / "repository")
    repository.write({"docs/big.txt": BIG_TEXT})
    revision = repository.commit()
    inside = CommandLine(cwd=repository.root, home=tmp_path / "home")
    value = inventory_value(item("big", content={"path": "docs/big.txt"}, revision=revision))
    refused(inside, value, code="inventory-limit", place="docs/big.txt")


def test_discovered_file__of_50_mib_is_a_row(assembler: CommandLine, tmp_path: Path) -> None:
    repository = RepositoryBuilder(tmp_path / "repository")
    repository.write({"big.txt": BIG_TEXT, "AGENTS.md": "# Rules\n"})
    repository.commit()
    inside = CommandLine(cwd=repository.root, home=tmp_path / "home")
    out = tmp_path / "out"
    result = run_measured(inside, "assemble", "-m", "x", "-t", "big.txt", "--out", str(out))
    assert result.code == 0, result.talk
    assert result.peak_mib < CEILING_MIB
    rows = [json.loads(line) for line in (out / "ledger.jsonl").read_bytes().splitlines()]
    (row,) = [row for row in rows if row["id"] == "file:big.txt"]
    assert (row["reason"], row["detail"]["code"]) == ("turned-away", "size-limit")
    assert row["content_sha256"] is None


def test_inventory__of_65_mib_is_exit_2(assembler: CommandLine) -> None:
    text = json.dumps(inventory_value(item("a"))) + " " * (65 * 1024 * 1024)
    refused(assembler, text, code="inventory-limit", place="inventory.json")


@pytest.mark.parametrize("opening", ["[", '{"a":'], ids=["arrays", "objects"])
def test_inventory__that_is_deeply_nested_is_exit_2(assembler: CommandLine, opening: str) -> None:
    text = json.dumps(inventory_value(item("a")))
    text = text.replace('"candidates": [', f'"candidates": [{opening * 5_000_000}')
    refused(assembler, text, code="inventory-unreadable", place="inventory.json:1:1")


def test_inventory__with_a_string_that_never_ends_is_exit_2(assembler: CommandLine) -> None:
    text = '{"schema":' + "[" * 65 + '"' + '\\"' * 10_000_000
    refused(assembler, text, code="inventory-unreadable", place="inventory.json")


def test_lineage__of_1_000_ids_on_20_000_candidates_is_exit_2(assembler: CommandLine) -> None:
    """120 MB of text: over the limit of an inventory, so told before anything is parsed."""
    lineage = json.dumps([f"{number:03}" for number in range(1_000)], separators=(",", ":"))
    one = json.dumps(item("e", lineage=[])).replace("[]", lineage)
    rows = ",".join(one.replace('"e"', f'"e{number}"', 1) for number in range(20_000))
    text = json.dumps(inventory_value()).replace('"candidates": []', f'"candidates": [{rows}]')
    refused(assembler, text, code="inventory-limit", place="inventory.json")


def compiled(assembler: CommandLine, value: Any, ceiling_mib: int = CEILING_MIB) -> int:
    path = write(assembler.cwd, value)
    result = run_measured(assembler, "assemble", "--inventory", str(path))
    assert result.code == 0, result.talk
    assert result.peak_mib < ceiling_mib
    names = [event["event"] for event in assembler("log", "--events", "-f", "json").json["events"]]
    assert names == ["context.compilation_requested", "context.compiled"]
    return result.peak_mib


@pytest.mark.long
def test_lineage__shared_by_thousands_and_sealed_whole_compiles(assembler: CommandLine) -> None:
    lineage = [f"call-{number}" for number in range(1_000)]
    value = inventory_value(
        *(item(f"e{number}", lineage=lineage) for number in range(1_000)),
        seal={"lineage": lineage},
    )
    compiled(assembler, value)


@pytest.mark.long
def test_group__of_thousands_compiles_with_every_missing_member_named(
    assembler: CommandLine,
) -> None:
    value = inventory_value(
        *(item(f"e{number:04}", group="g") for number in range(2_000)),
        seal={"artifacts": [f"e{number:04}" for number in range(0, 2_000, 2)]},
    )
    compiled(assembler, value)
    (row, *_) = [
        row
        for row in assembler("log", "1", "-f", "json").json["ledger"]
        if row["reason"] == "group-incomplete"
    ]
    assert len(row["detail"]["missing"]) == 1_000


@pytest.mark.parametrize(
    ("members", "place"),
    [
        ({"group": "everything"}, "candidates: group everything of 20,000 members"),
        ({"topics": ["other"]}, "$.task.topics"),
        pytest.param(
            {"lineage": [f"call-{number}" for number in range(101)]},
            "$.seal",
            marks=pytest.mark.long,
        ),
    ],
    ids=["group", "topics", "lineage"],
)
def test_reasons__that_would_repeat_a_list_without_end_are_exit_2(
    assembler: CommandLine, members: dict[str, Any], place: str
) -> None:
    task = {"topics": [f"topic-{number}" for number in range(10_000)]}
    rows = (item(f"e{number}", **members) for number in range(20_000))
    value = inventory_value(*rows, task=task if "topics" in members else {})
    value["seal"] = {"lineage": members.get("lineage", [])}
    refused(assembler, value, code="inventory-limit", place=place)


@pytest.mark.long
def test_inventory__of_20_000_candidates_compiles(assembler: CommandLine) -> None:
    compiled(assembler, many_candidates(20_000, counter="o200k_base"))


@pytest.mark.long
def test_inventory__of_just_under_64_mib_compiles(assembler: CommandLine) -> None:
    lineage = [f"{number:03}" for number in range(500)]
    value = inventory_value(*(item(f"e{number}", lineage=lineage) for number in range(20_000)))
    text = json.dumps(value, separators=(",", ":"))
    assert 60_000_000 < len(text) <= 64 * 1024 * 1024
    compiled(assembler, text, ceiling_mib=3_000)
