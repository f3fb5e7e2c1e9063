"""Files of a skill's folder: in by name, whole; what leads out is a row and is never opened."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from tests.builders.bug_cases import build
from tests.builders.command_line import CommandLine, all_bytes_below
from tests.builders.repositories import RepositoryBuilder
from tests.builders.skills import (
    HOME,
    require_verified,
    run_task,
    skill_files,
    skill_rows,
    skill_text,
    write_profile,
)

SENTINEL = "FAKE-SENTINEL-1234"
PDF = f"{HOME}/pdf"


@pytest.fixture
def files(repository: RepositoryBuilder) -> RepositoryBuilder:
    repository.write({f"{PDF}/references/a.md": "ref a\n", f"{PDF}/b.bin": b"\xff\x00\x01"})
    repository.write({".env": f"TOKEN={SENTINEL}\n", f"{PDF}/.env": f"TOKEN={SENTINEL}\n"})
    repository.write({"big.md": "x"})
    repository.commit()
    return repository


def test_file_that_the_task_names__is_in_whole_with_its_skill(
    assembler: CommandLine, files: RepositoryBuilder, tmp_path: Path
) -> None:
    rows = skill_rows(run_task(assembler, skills=["pdf/references/a.md"]))
    row = rows["skill:pdf/references/a.md"]
    assert (row["state"], row["kind"], row["section"]) == ("in", "skill-reference", "tools")
    assert (row["trust"], row["required"], row["reason"]) == ("authorized", True, "required")
    assert row["discovered_by"] == "task names it"
    assert rows["skill:pdf#instructions"]["state"] == "in"
    result = assembler(
        "assemble", "--task", "-", "-f", "input",
        stdin='{"schema": "assembler/task/1", "objective": "x", "skills": ["pdf/references/a.md"]}',
    )  # fmt: skip
    assert "\nref a\n[[end" in result.text
    require_verified(assembler, tmp_path / "p", skills=["pdf/references/a.md", "pdf/b.bin"])


def test_file_that_a_rule_names__comes_where_the_rule_holds(
    assembler: CommandLine, files: RepositoryBuilder
) -> None:
    rule = {"skill": "pdf", "when": "src/**", "resources": ["references/a.md", "SKILL.md"]}
    write_profile(files, {"activate": [rule]})
    assert "skill:pdf/references/a.md" not in skill_rows(run_task(assembler))
    rows = skill_rows(run_task(assembler, "-t", "src/x.py"))
    assert rows["skill:pdf/references/a.md"]["discovered_by"] == "profile: src/** holds src/x.py"
    assert "skill:pdf/SKILL.md" not in rows


@pytest.mark.parametrize(
    ("named", "code"),
    [
        ("../../../.env", "skill-reference-escapes"),
        ("/etc/passwd", "skill-reference-escapes"),
        ("..%2f..%2f..%2f.env", "skill-reference-escapes"),
        ("..\\..\\..\\.env", "skill-reference-escapes"),
        ("link.md", "skill-reference-escapes"),
        ("linked/.env", "skill-reference-escapes"),
        ("linked/AGENTS.md", "skill-reference-escapes"),
        ("dead.md", "skill-reference-missing"),
        ("none.md", "skill-reference-missing"),
        ("references//a.md", "skill-reference-missing"),
        ("references/../b.bin", "skill-reference-missing"),
        ("references", "skill-file-unreadable"),
        ("pipe", "skill-file-unreadable"),
        ("socket", "skill-file-unreadable"),
        ("huge.md", "skill-file-unreadable"),
        (".env", "required-rejected"),
    ],
)
def test_name__that_gives_no_file_refuses_with_its_own_reason(
    assembler: CommandLine, files: RepositoryBuilder, named: str, code: str
) -> None:
    folder = files.root / PDF
    files.link({f"{PDF}/link.md": "../../../.env", f"{PDF}/linked": "../../.."})
    files.link({f"{PDF}/dead.md": "nowhere"})
    os.mkfifo(folder / "pipe")
    here = Path.cwd()
    os.chdir(folder)  # a socket's path has a bound of its own
    try:
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind("socket")
    finally:
        os.chdir(here)
    if named == "huge.md":
        (folder / "huge.md").write_bytes(b"x" * (8 * 1024 * 1024 + 1))
    result = run_task(assembler, skills=[f"pdf/{named}"])
    assert (result.code, result.json["code"]) == (3, code), result.talk
    if code == "required-rejected":
        assert "host-deny:*.env" in result.json["message"]
    assert result.json["next"]
    seen = result.out + result.err + all_bytes_below(assembler.home)
    assert SENTINEL.encode() not in seen


def test_bug_045__what_leads_out_has_rows_and_the_rest_is_in(tmp_path: Path) -> None:
    built = build("045", tmp_path)
    task = tmp_path / "task.yaml"
    task.write_text("schema: assembler/task/1\nobjective: Do it.\nskills: [x/references/a.md]\n")
    out = str(tmp_path / "out")
    result = built.run("assemble", "--task", str(task), "-f", "json", "--out", out)
    rows = skill_rows(result)
    assert rows["skill:x/references/a.md"]["state"] == "in"
    for name in ("references/b.md", "../../../.env"):
        row = rows[f"skill:x/{name}"]
        assert (row["state"], row["code"]) == ("out", "skill-reference-escapes")
        assert (row["cost"], row["version"], row["required"]) == (None, None, False)
    assert built.expected["nowhere_in_outputs"] == [SENTINEL]
    assert SENTINEL.encode() not in result.out + result.err + all_bytes_below(tmp_path / "out")


def test_references_that_lead_out__are_told_of_active_skills_and_bounded(
    assembler: CommandLine, files: RepositoryBuilder
) -> None:
    many = " ".join(f"[n](../x{number})" for number in range(150))
    files.write(skill_files("far", body=many))
    assert [name for name in skill_rows(run_task(assembler)) if name.startswith("skill:far/")] == []
    rows = skill_rows(run_task(assembler, skills=["far"]))
    found = [name for name in rows if name.startswith("skill:far/")]
    assert len(found) == 101
    assert rows["skill:far///more"]["detail"]["where"] == f"{HOME}/far/SKILL.md: 50 more"


def test_folder_with_a_pipe__has_no_digest_and_its_row_says_so(
    assembler: CommandLine, files: RepositoryBuilder
) -> None:
    files.write(skill_files("piped"))
    os.mkfifo(files.root / HOME / "piped/pipe")
    result = run_task(assembler)
    version = skill_rows(result)["skill:piped"]["version"]
    assert "folder without a digest: 1 file that can't be read" in version
    told = [item for item in result.json["findings"] if item["slug"] == "skill-file-unreadable"]
    assert f"{HOME}/piped/pipe" in [item["path"] for item in told]


def test_file_of_a_skill_outside_the_repository__is_in_and_what_leads_out_is_not(
    assembler: CommandLine, files: RepositoryBuilder, tmp_path: Path
) -> None:
    own = assembler.home / HOME / "mine"
    (own / "references").mkdir(parents=True)
    (own / "SKILL.md").write_text(skill_text("mine"))
    (own / "references/m.md").write_text("M\n")
    (own / "out").symlink_to("/etc")
    (own / "into").symlink_to(files.root)
    grant = tmp_path / "host.yaml"
    grant.write_text(f"schema: assembler/host/1\nskills: {{roots: [~/{HOME}]}}\n")
    write_profile(files, {"roots": [f"~/{HOME}"]})
    rows = skill_rows(run_task(assembler, "--host", str(grant), skills=["mine/references/m.md"]))
    assert rows["skill:mine/references/m.md"]["state"] == "in"
    assert rows["skill:mine/references/m.md"]["revision"] is None
    assert rows["skill:pdf"]["revision"] == files.text("rev-parse", "HEAD")
    for named in ("out/passwd", "into/AGENTS.md", "../../../x"):
        result = run_task(assembler, "--host", str(grant), skills=[f"mine/{named}"])
        assert (result.code, result.json["code"]) == (3, "skill-reference-escapes")
