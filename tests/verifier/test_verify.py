from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assembler_verifier import verify_package
from assembler_verifier.identities import sha256
from assembler_verifier.verify import PACKAGE_CHECKS
from tests.verifier.vectors import (
    corrupted,
    head_of,
    lay_out,
    load,
    package_files,
    package_names,
)

WORLD = {"source-recoverable", "freshness-current", "received"}
CORRUPTIONS = [item for item in load("corruptions")["corruptions"] if item["base"] != "chain"]

# What this verifier reports beyond or short of the list in the vector, and why.
MORE = {
    # The trace id is derived from the inventory, so a ledger that lost a row cannot excuse it.
    "row-removed": {"trace-id"},
    # Digests of bytes are compared although the bytes cannot be parsed.
    "duplicate-key": {"event-payload", "inventory-hash"},
    "number-with-fraction": {"event-payload", "inventory-hash"},
    "bom": {"event-payload"},
}
LESS = {
    # A row too few leaves the others in their order.
    "row-removed": {"ledger-order"},
}
PLACES = {"sections", "span"}
"""Not judged in a rendering that is itself wrong: nothing has a place there."""


@pytest.mark.parametrize("name", package_names())
def test_verify_package__holds_for_every_vector(name: str, tmp_path: Path) -> None:
    expected = load(name)["expected"]
    files = package_files(name)
    for file, member in (("ledger.jsonl", "ledger_sha256"), ("manifest.json", "manifest_sha256")):
        assert sha256(files[file]) == expected[member]
    folder = lay_out(files, tmp_path / "package")
    report = verify_package(folder, exported_head=head_of(name))
    assert report.failed == []
    assert report.package_id == expected["package_id"]
    assert {claim.id for claim in report.of("unchecked")} == unchecked(name)


def unchecked(name: str) -> set[str]:
    match load(name)["expected"]["budget"]["counter"]:
        case "declared":
            return {"count"} | WORLD
        case "code-points" | "utf8-bytes":
            return WORLD
        case _:
            return {"count", "cost", "counter"} | WORLD


@pytest.mark.parametrize("corruption", CORRUPTIONS, ids=lambda item: item["id"])
def test_verify_package__finds_every_corruption(corruption: Any, tmp_path: Path) -> None:
    folder = lay_out(corrupted(corruption), tmp_path / "package")
    base_head = head_of(corruption["base"])
    assert corruption["must_fail"] in verify_package(folder, exported_head=base_head).failed
    name = corruption["id"]
    expected = (set(corruption["failed"]) | MORE.get(name, set())) - LESS.get(name, set())
    expected -= PLACES if "rendered-bytes" in expected else set()
    assert set(verify_package(folder).failed) == expected


def test_verify_package__reports_every_check_of_the_list_once(tmp_path: Path) -> None:
    report = verify_package(lay_out(package_files("codeai-16"), tmp_path / "package"))
    assert [claim.id for claim in report.claims] == list(PACKAGE_CHECKS)
    named = set(load("corruptions")["checks"]) - {"failure", "transition", "consumption"}
    assert named == set(PACKAGE_CHECKS) - WORLD


@pytest.mark.parametrize("file", [*package_files("raj-declared")])
def test_verify_package__reports_a_missing_file_and_checks_the_rest(
    file: str, tmp_path: Path
) -> None:
    files = package_files("raj-declared")
    del files[file]
    report = verify_package(lay_out(files, tmp_path / "package"))
    found = "object-missing" if file.startswith("objects/") else "files"
    assert found in report.failed
    assert len(report.claims) == len(PACKAGE_CHECKS)
    assert all(claim.detail for claim in report.of("unchecked"))


@pytest.mark.parametrize("file", ["inventory.json", "ledger.jsonl", "manifest.json", "head.json"])
@pytest.mark.parametrize(
    "data", [b"", b"null\n", b"[]\n", b"{}\n", b"\xff", b"[" * 100_000, b'{"a":"SECRET"}\n']
)
def test_verify_package__survives_any_record(file: str, data: bytes, tmp_path: Path) -> None:
    files = package_files("tool-numbers") | {file: data}
    report = verify_package(lay_out(files, tmp_path / "package"))
    assert not report.holds
    assert "SECRET" not in report.to_text()


WRONG: list[Any] = [None, True, -1, 1, 2**52, "", "x", [], [1], [[]], [{}], {}, {"a": 1}]


@pytest.mark.parametrize("file", ["inventory.json", "manifest.json", "head.json", "request.json"])
def test_verify_package__survives_any_value_of_any_member(file: str, tmp_path: Path) -> None:
    files = package_files("tool-numbers")
    folder = lay_out(files, tmp_path / "package")
    for path in member_paths(json.loads(files[file])):
        for value in WRONG[:: 1 if len(path) < 3 else 4]:
            document = json.loads(files[file])
            if replace(document, path, value):
                (folder / file).write_text(json.dumps(document))
                assert not verify_package(folder).holds


def test_verify_package__survives_any_value_in_a_row(tmp_path: Path) -> None:
    files = package_files("tool-numbers")
    folder = lay_out(files, tmp_path / "package")
    first, *rest = files["ledger.jsonl"].splitlines(keepends=True)
    for path in member_paths(json.loads(first)):
        for value in WRONG:
            row = json.loads(first)
            if replace(row, path, value):
                changed = json.dumps(row, sort_keys=True, separators=(",", ":")).encode()
                (folder / "ledger.jsonl").write_bytes(b"".join([changed, b"\n", *rest]))
                assert not verify_package(folder).holds


def member_paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, dict):
        inner = [member_paths(item, (*path, name)) for name, item in value.items()]
    elif isinstance(value, list):
        inner = [member_paths(item, (*path, index)) for index, item in enumerate(value)]
    else:
        inner = []
    return [path] * bool(path) + [found for paths in inner for found in paths]


def replace(document: Any, path: tuple[Any, ...], value: Any) -> bool:
    for step in path[:-1]:
        document = document[step]
    changes = json.dumps(document[path[-1]]) != json.dumps(value)
    document[path[-1]] = value
    return changes
