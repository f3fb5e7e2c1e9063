"""Changes whose hashes are all computed again, so that only a derivation can find them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assembler_verifier import verify_package
from assembler_verifier.identities import EVENT_MEMBERS, sha256
from assembler_verifier.strict_json import canonical
from tests.verifier.test_verify import member_paths, replace
from tests.verifier.vectors import event, lay_out, package_files

BASES = ("codeai-16-bound", "tool-numbers", "ka2-2026-09-14")
OTHER: list[Any] = [None, True, 7, "x"]


def with_hashes(files: dict[str, bytes]) -> dict[str, bytes]:
    """The files with every digest of another file, and both events, computed again."""
    manifest = json.loads(files["manifest.json"])
    manifest["ledger_sha256"] = sha256(files["ledger.jsonl"])
    request = files["request.json"]
    manifest["request"] = {
        "file": "request.json",
        "bytes": len(request),
        "sha256": sha256(request),
    }
    return with_events(files | {"manifest.json": canonical(manifest) + b"\n"})


def with_events(files: dict[str, bytes]) -> dict[str, bytes]:
    head = json.loads(files["head.json"])
    first, second = ({name: item[name] for name in EVENT_MEMBERS} for item in head["events"])
    second["payload_sha256"] = sha256(files["manifest.json"])
    events = [event(**first), event(**second)]
    head |= {"events": events, "head": events[1]["event_sha256"]}
    return files | {"head.json": canonical(head) + b"\n"}


def forged(document: bytes) -> Iterator[bytes]:
    """The document with each of its members replaced by each of some other values."""
    for path in member_paths(json.loads(document)):
        for value in OTHER:
            changed = json.loads(document)
            if replace(changed, path, value):
                yield canonical(changed)


@pytest.mark.parametrize("name", BASES)
def test_with_hashes__leaves_a_good_package_as_it_is(name: str) -> None:
    assert with_hashes(package_files(name)) == package_files(name)


@pytest.mark.parametrize("name", BASES)
def test_verify_package__notices_any_forged_member_of_the_manifest(
    name: str, tmp_path: Path
) -> None:
    files = package_files(name)
    folder = lay_out(files, tmp_path / "package")
    for document in forged(files["manifest.json"]):
        changed = with_events(files | {"manifest.json": document + b"\n"})
        for file in ("manifest.json", "head.json"):
            (folder / file).write_bytes(changed[file])
        assert not verify_package(folder).holds, document


@pytest.mark.parametrize("name", BASES)
def test_verify_package__notices_any_forged_member_of_a_row(name: str, tmp_path: Path) -> None:
    files = package_files(name)
    folder = lay_out(files, tmp_path / "package")
    *before, last = files["ledger.jsonl"].splitlines(keepends=True)
    for document in forged(last):
        changed = with_hashes(files | {"ledger.jsonl": b"".join([*before, document, b"\n"])})
        for file in ("ledger.jsonl", "manifest.json", "head.json"):
            (folder / file).write_bytes(changed[file])
        assert not verify_package(folder).holds, document


@pytest.mark.parametrize("name", BASES)
def test_verify_package__notices_any_forged_member_of_the_request(
    name: str, tmp_path: Path
) -> None:
    files = package_files(name)
    folder = lay_out(files, tmp_path / "package")
    for document in forged(files["request.json"]):
        changed = with_hashes(files | {"request.json": document})
        for file in ("request.json", "manifest.json", "head.json"):
            (folder / file).write_bytes(changed[file])
        assert not verify_package(folder).holds, document
