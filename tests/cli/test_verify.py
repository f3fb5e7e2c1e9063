"""Any change of a package is seen and named, by the command and by the script on its own."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.builders.command_line import ROOT, CommandLine, package_of
from tests.builders.repositories import RepositoryBuilder


@pytest.fixture
def package(assembler: CommandLine, tmp_path: Path) -> Path:
    folder = tmp_path / "package"
    result = assembler(
        "assemble", "-m", "x", "-t", "src/x.py", "-t", "docs/notes.md", "--out", str(folder)
    )
    assert result.code == 0, result.talk
    return folder


def test_package__as_made_holds(assembler: CommandLine, package: Path) -> None:
    result = assembler("verify", str(package))
    assert result.code == 0
    assert "holds" in result.text.splitlines()[0]
    of_run = assembler("verify", "last").text.replace("48 claims", "46 claims")
    assert of_run == result.text
    assert assembler("verify", "1", "-f", "json").json["exit_code"] == 0


def test_script__needs_no_installed_package(package: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(ROOT / "assembler_verifier/__main__.py"), str(package)],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert b" holds: " in done.stdout


def flip(path: Path, place: int) -> None:
    data = bytearray(path.read_bytes())
    data[place % len(data)] ^= 1
    path.write_bytes(bytes(data))


def failed_checks(assembler: CommandLine, package: Path) -> set[str]:
    result = assembler("verify", str(package), "-f", "json")
    assert result.code == 1, result.text
    return {claim["id"] for claim in result.json["claims"] if claim["result"] == "failed"}


@pytest.mark.parametrize(
    ("name", "check"),
    [
        ("input.txt", "rendered-hash"),
        ("ledger.jsonl", "ledger-hash"),
        ("request.json", "request-hash"),
        ("inventory.json", "inventory-hash"),
    ],
)
@pytest.mark.parametrize("place", [0, 100, -3])
def test_flipped_byte__names_the_check(
    assembler: CommandLine, package: Path, name: str, check: str, place: int
) -> None:
    flip(package / name, place)
    assert check in failed_checks(assembler, package)


def test_flipped_byte_of_an_object__names_the_check(assembler: CommandLine, package: Path) -> None:
    flip(min((package / "objects").iterdir()), 0)
    assert "object-hash" in failed_checks(assembler, package)


def test_swapped_items__are_named_also_with_every_hash_mended(
    assembler: CommandLine, package: Path
) -> None:
    import hashlib

    text = (package / "input.txt").read_bytes()
    first = text.index(b"[[source file:docs/notes.md")
    second = text.index(b"[[source file:src/x.py")
    end = text.index(b"[[5 current work record]]")
    swapped = text[:first] + text[second:end] + text[first:second] + text[end:]
    (package / "input.txt").write_bytes(swapped)
    manifest = json.loads((package / "manifest.json").read_bytes())
    manifest["rendered"]["sha256"] = hashlib.sha256(swapped).hexdigest()
    (package / "manifest.json").write_text(
        json.dumps(manifest, sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n"
    )
    assert "rendered-bytes" in failed_checks(assembler, package)


def test_changed_total__is_named(assembler: CommandLine, package: Path) -> None:
    manifest = json.loads((package / "manifest.json").read_bytes())
    manifest["budget"]["total"] += 1
    (package / "manifest.json").write_text(
        json.dumps(manifest, sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n"
    )
    assert "budget" in failed_checks(assembler, package)


def test_files__that_are_missing_or_too_many_are_named(
    assembler: CommandLine, package: Path
) -> None:
    (package / "more.txt").write_text("x")
    assert "files" in failed_checks(assembler, package)
    (package / "more.txt").unlink()
    (package / "request.json").unlink()
    assert "files" in failed_checks(assembler, package)


def test_head__kept_elsewhere_is_compared(assembler: CommandLine, package: Path) -> None:
    head = json.loads((package / "head.json").read_bytes())["head"]
    assert assembler("verify", str(package), "--head", head).code == 0
    assert assembler("verify", str(package), "--head", "0" * 64).code == 1


def test_run__exported_from_the_record_is_the_package(
    assembler: CommandLine, package: Path, tmp_path: Path
) -> None:
    assert assembler("log", "1", "--files", str(tmp_path / "again")).code == 0
    assert package_of(package) == package_of(tmp_path / "again")
    assert (package / "head.json").read_bytes() == (tmp_path / "again/head.json").read_bytes()


def test_looking__adds_no_event_and_another_process_sees_the_same(
    assembler: CommandLine, package: Path
) -> None:
    before = assembler("log", "--events", "-f", "jsonl").out
    for command in (["log"], ["log", "1"], ["verify", "1"], ["explain", "task", "--run", "1"]):
        assert assembler(*command).code == 0
    assert assembler("log", "--events", "-f", "jsonl").out == before
    assert len(before.splitlines()) == 2


def test_record__is_one_chain_a_repository(
    assembler: CommandLine, package: Path, repository: RepositoryBuilder, tmp_path: Path
) -> None:
    clone = tmp_path / "clone"
    shutil.copytree(repository.root, clone, symlinks=True)
    assert assembler("log", "-f", "json", cwd=clone).json["runs"] == []
    assert assembler("assemble", "-m", "y", cwd=clone).code == 0
    (run,) = assembler("log", "-f", "json", cwd=clone).json["runs"]
    assert run["run"] == 1
    assert len(assembler("log", "--all", "-f", "json").json["runs"]) == 2
    # A subfolder is the same repository.
    assert len(assembler("log", "-f", "json", "-C", "src").json["runs"]) == 1


def test_store__damaged_is_said(assembler: CommandLine, package: Path, tmp_path: Path) -> None:
    (store,) = (tmp_path / "home/.local/state/assembler").glob("*.sqlite3")
    for side in store.parent.glob("*.sqlite3-*"):
        side.unlink()
    store.write_bytes(b"x" * 100)
    result = assembler("log")
    assert result.code == 2
    assert "store-corrupt" in result.talk
