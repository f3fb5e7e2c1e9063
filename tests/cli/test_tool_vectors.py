"""Every digest vector through the command line: what must and must not change, and be refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.builders.catalogs import VECTORS, Bench

FILES = sorted(VECTORS.glob("v*.json"))
KEPT = "must NOT change the digest"
CHANGED = "MUST change the digest"
REFUSED = "MUST be refused"
SIZES = {KEPT: 9, CHANGED: 27, REFUSED: 6}


def load(path: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(path.read_bytes())
    return value


def pages(bench: Bench, vector: dict[str, Any]) -> list[str]:
    return [
        word
        for number, page in enumerate(vector["pages"])
        for word in ("--from", bench.page(f"{vector['id']}-{number}.json", page))
    ]


def test_vectors__are_all_there() -> None:
    sets = [load(path)["must"] for path in FILES]
    assert {name: sets.count(name) for name in SIZES} == SIZES


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_list__has_the_digests_of_the_vector(bench: Bench, path: Path) -> None:
    vector = load(path)
    result = bench.run("list", *pages(bench, vector), "-f", "json")
    if vector["must"] == REFUSED:
        assert result.code == 2
        assert result.json["schema"] == "assembler/error/1"
        assert "servers" not in result.json
        return
    (server,) = result.json["servers"]
    assert result.code == 0
    expected = vector["expect"]
    assert server["catalog_digest"] == f"sha256:{expected['catalog_map']}"
    assert {tool["name"]: tool["digest"] for tool in server["tools"]} == {
        name: f"sha256:{digest}" for name, digest in expected["tools"].items()
    }


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_check__against_the_base_says_what_the_vector_says(bench: Bench, path: Path) -> None:
    vector, base = load(path), load(FILES[0])
    assert bench.run("pin", "s", *pages(bench, base)).code == 0
    pinned = bench.pin_bytes()
    result = bench.run("check", "s", *pages(bench, vector), "-f", "json")
    assert result.code == {KEPT: 0, CHANGED: 1, REFUSED: 2}[vector["must"]]
    assert bench.pin_bytes() == pinned
    if vector["must"] == REFUSED:
        return
    (server,) = result.json["servers"]
    kinds: dict[str, list[str]] = {"added": [], "removed": [], "changed": []}
    for tool in server["tools"]:
        if tool["change"] is not None:
            kinds[tool["change"]["kind"]].append(tool["name"])
            # A changed tool is told with at least one member.
            assert tool["change"]["fields"] or tool["change"]["kind"] != "changed"
    told = vector["vs_base"]
    assert {name: sorted(told[name]) for name in kinds} == {n: sorted(v) for n, v in kinds.items()}
