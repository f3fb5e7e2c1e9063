"""A chain over the limit: refused with its arithmetic, or cut where the profile asks for it."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from assembler_verifier import verify_package
from tests.builders.command_line import CommandLine
from tests.builders.repositories import RepositoryBuilder

RULES = b"# Rules\n\nKeep the diff small.\n"
NEAR = b"# Source\n\nNo new dependency.\n"


def profile(limit: int, on_overflow: str = "cut") -> dict[str, bytes | str]:
    return {
        ".assembler/profile.yaml": "schema: assembler/profile/1\ninstructions: "
        f"{{limit_bytes: {limit}, on_overflow: {on_overflow}}}\n"
    }


def rows_of(document: Any) -> dict[str, Any]:
    return {row["id"]: row for row in document["ledger"] if row["section"] == "policy"}


def loaded(folder: Path, row: Any) -> bytes:
    """The bytes that stand in the input for the row; those of its digest, too."""
    text = (folder / "input.txt").read_bytes()
    body = text[row["span"]["body_start"] : row["span"]["body_end"]]
    kept = (folder / "objects" / row["content_sha256"]).read_bytes()
    assert body == kept
    assert hashlib.sha256(kept).hexdigest() == row["content_sha256"]
    return kept


def test_refusal__shows_the_arithmetic_and_the_way_out(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write(profile(20, "refuse"))
    result = assembler("assemble", "-m", "x", "-t", "src/x.py", "-f", "json")
    assert result.code == 3
    assert result.json["code"] == "chain-cut"
    message = result.json["message"]
    over = len(RULES) + len(NEAR) - 20
    assert f"{over} bytes over the limit of 20" in message
    assert f"{len(RULES) - 20} of {len(RULES)} bytes of AGENTS.md are lost, from line 3" in message
    assert f"src/AGENTS.md is never read ({len(NEAR)} bytes)" in message
    assert "instructions.on_overflow: cut" in result.talk
    assert f"move {over} bytes" in result.talk


def test_refusal__of_a_file_that_is_lost_whole_names_the_same_figures(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write(profile(len(RULES), "refuse"))
    result = assembler("assemble", "-m", "x", "-t", "src/x.py", "-f", "json")
    assert (result.code, result.json["code"]) == (3, "chain-lost")
    assert f"{len(NEAR)} bytes over the limit of {len(RULES)}" in result.json["message"]
    assert "instructions.on_overflow: cut" in result.talk


def test_cut__loads_the_prefix_and_says_what_is_lost(
    assembler: CommandLine, repository: RepositoryBuilder, tmp_path: Path
) -> None:
    repository.write(profile(20))
    out = tmp_path / "out"
    result = assembler(
        "assemble", "-m", "x", "-t", "src/x.py", "-f", "json", "--out", str(out)
    )  # fmt: skip
    assert result.code == 0, result.talk
    rows = rows_of(result.json)
    cut, lost = rows["policy:AGENTS.md"], rows["policy:src/AGENTS.md"]
    assert loaded(out, cut) == RULES[:20]
    assert cut["required"]
    assert f"cut: 20 of {len(RULES)} bytes loaded, {len(RULES) - 20} lost" in cut["version"]
    assert (lost["state"], lost["code"], lost["required"]) == ("out", "chain-lost", False)
    assert {finding["slug"] for finding in result.json["findings"]} >= {"chain-cut", "chain-lost"}
    assert "warning: policy was cut as .assembler/profile.yaml asks" in result.talk
    assert not verify_package(out).failed


def test_cut__is_one_line_of_the_text(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write(profile(20))
    result = assembler("assemble", "-m", "x", "-t", "src/x.py")
    (line,) = [line for line in result.text.splitlines() if line.startswith("policy was cut")]
    assert f"{len(RULES) - 20} of {len(RULES)} bytes of AGENTS.md" in line
    assert "src/AGENTS.md is never read" in line
    assert "policy was cut" not in result.talk
    shown = assembler("log", "1").text
    assert f"cut: 20 of {len(RULES)} bytes loaded" in shown
    assert "chain-lost: src/AGENTS.md" in shown


EDGES = {
    "exactly full": (len(RULES + NEAR), {}, [RULES, NEAR]),
    "one over": (len(RULES + NEAR) - 1, {}, [RULES, NEAR[:-1]]),
    "full after the first": (len(RULES), {}, [RULES]),
    "one byte": (1, {}, [b"#"]),
    "blank before the cut": (10, {"AGENTS.md": b" " * 10 + RULES}, [NEAR[:10]]),
    "character across the limit": (7, {"AGENTS.md": "Größe größer\n".encode()}, ["Größe".encode()]),
    "inside a character": (3, {"AGENTS.md": "Größe größer\n".encode()}, [b"Gr"]),
    "byte order mark": (6, {"AGENTS.md": b"\xef\xbb\xbf" + RULES}, [RULES[:3]]),
    "inside the byte order mark": (2, {"AGENTS.md": b"\xef\xbb\xbf" + RULES}, [NEAR[:2]]),
}  # fmt: skip


@pytest.mark.parametrize("edge", EDGES)
def test_cut__at_the_edge(
    assembler: CommandLine, repository: RepositoryBuilder, tmp_path: Path, edge: str
) -> None:
    limit, files, texts = EDGES[edge]
    repository.write({**files, **profile(limit)})  # type: ignore[dict-item]
    out = tmp_path / "out"
    result = assembler(
        "assemble", "-m", "x", "-t", "src/x.py", "-f", "json", "--out", str(out)
    )  # fmt: skip
    assert result.code == 0, result.talk
    rows = rows_of(result.json)
    assert [loaded(out, row) for row in rows.values() if row["decision"] == "selected"] == texts
    assert len(rows) == 2
    whole = edge == "exactly full"
    assert ("policy was cut" in result.talk) is not whole
    assert not verify_package(out).failed


def test_limit_zero__turns_project_files_off_and_cuts_nothing(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write(profile(0))
    result = assembler("assemble", "-m", "x", "-t", "src/x.py", "-f", "json")
    assert result.code == 0
    assert {row["code"] for row in rows_of(result.json).values()} == {"limit-zero"}
    assert "policy was cut" not in result.talk


BROKEN: dict[str, dict[str, bytes | str]] = {
    "invalid-utf8": {"src/AGENTS.md": b"caf\xe9 and more of it\n"},
    "hidden-characters": {"src/AGENTS.md": "# Near\n\nbe \u202e kind\n"},
    "hidden-characters behind the cut": {"AGENTS.md": RULES + "be \u202e kind\n".encode()},
}


@pytest.mark.parametrize("kind", BROKEN)
def test_cut__lets_no_other_fault_through(
    assembler: CommandLine, repository: RepositoryBuilder, kind: str
) -> None:
    repository.write({**BROKEN[kind], **profile(20)})
    result = assembler("assemble", "-m", "x", "-t", "src/x.py", "-f", "json")
    assert (result.code, result.json["code"]) == (3, kind.partition(" ")[0]), result.talk


@pytest.mark.parametrize(
    ("target", "code"),
    [("../shared.md", "link-leaves-repository"), ("AGENTS.md", "instruction-unreadable")],
)
def test_cut__lets_no_link_through(
    assembler: CommandLine, repository: RepositoryBuilder, target: str, code: str
) -> None:
    (repository.root / "src/AGENTS.md").unlink()
    repository.link({"src/AGENTS.md": target if code[0] == "i" else f"../{target}"})
    repository.write(profile(20))
    result = assembler("assemble", "-m", "x", "-t", "src/x.py", "-f", "json")
    assert (result.code, result.json["code"]) == (3, code), result.talk


def test_chain__says_that_assemble_takes_the_cut(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write(profile(20))
    shown = assembler("chain", "-C", "src").text
    assert "refuses this chain" not in shown
    assert "`assembler assemble` takes the cut chain" in shown
    assert "chain-cut" in shown
    repository.write({"AGENTS.md": RULES + "be \u202e kind\n".encode()})
    assert "`assembler assemble` refuses this chain" in assembler("chain", "-C", "src").text


def test_cut__pins_what_is_loaded(assembler: CommandLine, repository: RepositoryBuilder) -> None:
    repository.write(profile(20))
    assert assembler("assemble", "-m", "x").code == 0
    repository.write({"AGENTS.md": RULES + b"behind the cut\n"})
    assert assembler("assemble", "-m", "x", "--continue", "1").code == 0
    repository.write({"AGENTS.md": b"# Other" + RULES})
    assert assembler("assemble", "-m", "x", "--continue", "last").code == 3


def test_inventory__of_a_cut_run_compiles_to_the_same_package(
    assembler: CommandLine, repository: RepositoryBuilder, tmp_path: Path
) -> None:
    repository.write(profile(20))
    for name, arguments in (
        ("one", ["-m", "x", "-t", "src/x.py"]),
        ("two", ["--inventory", str(tmp_path / "one")]),
    ):
        assert assembler("assemble", *arguments, "--out", str(tmp_path / name)).code == 0
    for name in ("input.txt", "ledger.jsonl", "manifest.json", "inventory.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
