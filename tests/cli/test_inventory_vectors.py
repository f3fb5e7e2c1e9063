"""The format vectors through the command line: every file of the package, byte for byte."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from assembler_verifier import verify_package
from tests.builders.command_line import CommandLine
from tests.builders.vectors import compile_vector, load_vector, vector_names

NAMES = [name for name in vector_names() if "repository" not in load_vector(name)]


@pytest.mark.parametrize("name", NAMES)
def test_inventory__gives_the_package_or_the_refusal_of_the_vector(
    plain: CommandLine, tmp_path: Path, name: str
) -> None:
    vector = load_vector(name)
    expected = vector["expected"]
    out = tmp_path / "out"
    result = plain(
        "assemble", "--inventory", "-", "--out", str(out), stdin=json.dumps(vector["inventory"])
    )
    if "failure" in expected:
        assert result.code == 3
        assert f"({expected['failure']['code']})" in result.talk
        assert not out.exists()
        (run,) = plain("log", "-f", "json").json["runs"]
        assert run["failure"] == {k: expected["failure"][k] for k in ("code", "detail")}
        return
    assert result.code == 0, result.talk
    files = {
        path.relative_to(out).as_posix(): path.read_bytes()
        for path in out.rglob("*")
        if path.is_file()
    }
    digests = {key: hashlib.sha256(data).hexdigest() for key, data in files.items()}
    assert digests["inventory.json"] == expected["inventory_sha256"]
    assert digests["ledger.jsonl"] == expected["ledger_sha256"]
    assert digests["manifest.json"] == expected["manifest_sha256"]
    assert digests["request.json"] == expected["request"]["sha256"]
    assert digests[expected["rendered"]["file"]] == expected["rendered"]["sha256"]
    assert sorted(key for key in files if key.startswith("objects/")) == [
        f"objects/{digest}" for digest in expected["objects"]
    ]
    whole = compile_vector(vector).files
    assert set(files) == set(whole)
    assert verify_package(out).holds
