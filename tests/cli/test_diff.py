"""Two runs side by side: the verdict, and exactly what changed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assembler.cli.diff_markdown import runs_to_markdown
from assembler.cli.diff_runs import texts_of, to_body, to_lines
from assembler.errors import AssemblerError
from assembler.front.run_pairs import compare_runs
from assembler.model.digest import sha256_hex
from tests.builders.command_line import CommandLine
from tests.builders.inventories import inventory_value, item
from tests.builders.runs import run_inventory, run_vector
from tests.builders.vectors import load_vector


def test_changed_payload__is_named_as_exactly_that_item(plain: CommandLine) -> None:
    run_vector(plain, "codeai-16")
    run_vector(plain, "codeai-16-payload-changed")
    result = plain("diff", "1", "2", "-f", "json")
    assert result.code == 0
    body = result.json
    assert body["verdict"] == "same selection, other content"
    assert [(change["what"], change["id"]) for change in body["changes"]] == [("content", "B")]
    assert body["unchanged"] == 4
    same = {name: identity["same"] for name, identity in body["identities"].items()}
    assert same == {
        "package_id": True,
        "trace_id": True,
        "content_id": False,
        "rendered": False,
        "request": False,
    }
    text = plain("diff", "1", "2").text
    assert "M  B  content 8a5b3ed04328 -> " in text
    assert plain("diff", "1", "2", "--exit-code").code == 1
    assert plain("diff", "1", "1", "--exit-code").code == 0


@pytest.mark.parametrize(
    ("other", "verdict", "changes"),
    [
        ("codeai-16", "identical", []),
        ("codeai-16-size-changed", "same input, other reasons", [("size", "C")]),
        ("codeai-16-objective-text", "same selection, other content", [("content", "A")]),
        ("codeai-100", "other selection", [("moved", "C"), ("sums", "D")]),
        (
            "codeai-16-bound",
            "other selection",
            [("added", "instruction"), ("added", "query")],
        ),
        ("codeai-expired", "same items, other terms", [("reason", "C"), ("metadata", "D")]),
    ],
)
def test_diff__gives_the_verdict_and_each_change(
    plain: CommandLine, other: str, verdict: str, changes: list[tuple[str, str]]
) -> None:
    run_vector(plain, "codeai-16")
    run_vector(plain, other)
    body = plain("diff", "1", "last", "-f", "json").json
    assert body["verdict"] == verdict
    assert [(change["what"], change["id"]) for change in body["changes"]] == changes
    new = [change for change in changes if change[0] == "added"]
    assert len(body["changes"]) + body["unchanged"] == 5 + len(new)


def test_diff__tells_every_kind_of_change(plain: CommandLine) -> None:
    first = [item("added", 1), item("moved", 9), item("reason", 9), item("metadata"), item("same")]
    second = [
        item("moved", 9),
        item("reason", 9, decision_value=0),
        item("metadata", scope="s"),
        item("same"),
        item("new", 1),
    ]
    run_inventory(plain, inventory_value(*first, window=10))
    run_inventory(plain, inventory_value(*second, window=14))
    body = plain("diff", "1", "2", "-f", "json").json
    assert {change["id"]: change["what"] for change in body["changes"]} == {
        "added": "removed",
        "metadata": "metadata",
        "moved": "moved",
        "new": "added",
        "reason": "reason",
        "same": "sums",
    }
    assert body["unchanged"] == 0
    text = plain("diff", "1", "2").text
    for word in ("A  new", "D  added", "metadata: scope\n", "budget window: 10 -> 14"):
        assert word in text, text


def test_diff__reads_package_folders_and_refuses_what_is_none(
    plain: CommandLine, tmp_path: Path
) -> None:
    run_vector(plain, "codeai-16")
    plain("log", "1", "--files", str(tmp_path / "package"))
    assert "identical" in plain("diff", str(tmp_path / "package"), "1").text
    (tmp_path / "package/ledger.jsonl").write_text("{}\n")
    result = plain("diff", str(tmp_path / "package"), "1")
    assert (result.code, "(package-unreadable)" in result.talk) == (2, True)
    run_inventory(plain, load_vector("codeai-9-unsatisfiable")["inventory"], code=3)
    result = plain("diff", "1", "2")
    assert (result.code, "(run-without-package)" in result.talk) == (2, True)
    assert plain("diff", "1").code == 2


ODD: tuple[Any, ...] = (None, "a\0b", [1], {"a": None})


def members_of(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if way:
        yield way
    children = enumerate(value[:1]) if isinstance(value, list) else ()
    for name, child in value.items() if isinstance(value, dict) else children:
        yield from members_of(child, (*way, name))


def replaced(value: Any, way: tuple[Any, ...], other: Any) -> Any:
    copy = json.loads(json.dumps(value))
    place = copy
    for name in way[:-1]:
        place = place[name]
    place[way[-1]] = other
    return copy


def test_package_of_anybody__is_compared_or_refused_whatever_its_members_are(
    plain: CommandLine, tmp_path: Path
) -> None:
    """Each member of a sound package in turn is of every other type; nothing else may be raised."""
    run_vector(plain, "codeai-16")
    sound, odd = tmp_path / "sound", tmp_path / "odd"
    for folder in (sound, odd):
        plain("log", "1", "--files", str(folder))
    manifest = json.loads((sound / "manifest.json").read_bytes())
    rows = [json.loads(line) for line in (sound / "ledger.jsonl").read_bytes().splitlines()]
    last = {row["reason"]: at for at, row in enumerate(rows)}
    assert len(last) > 2
    cases = [(replaced(manifest, way, x), rows) for way in members_of(manifest) for x in ODD]
    for at in last.values():
        for way in members_of(rows[at]):
            cases += [(manifest, replaced(rows, (at, *way), x)) for x in ODD]
    compared = 0
    for other_manifest, other_rows in [*cases, (manifest, [*rows, rows[0]]), (manifest, [])]:
        ledger = "".join(f"{json.dumps(row)}\n" for row in other_rows).encode()
        (odd / "ledger.jsonl").write_bytes(ledger)
        told = json.dumps({**other_manifest, "ledger_sha256": sha256_hex(ledger)})
        (odd / "manifest.json").write_text(told)
        for names in ((str(sound), str(odd)), (str(odd), str(sound))):
            try:
                pair = compare_runs(tmp_path, *names, environment={"HOME": str(tmp_path)})
            except AssemblerError:
                continue
            compared += 1
            to_lines(pair, color=False)
            json.dumps(to_body(pair))
            runs_to_markdown(pair, texts_of(pair))
    assert compared > 20
    (odd / "manifest.json").write_text(json.dumps(replaced(manifest, ("content_id",), None)))
    result = plain("diff", str(sound), str(odd))
    assert (result.code, result.text) == (2, "")
    assert re.search(r"odd is not a package that can be read \(package-unreadable\)", result.talk)
