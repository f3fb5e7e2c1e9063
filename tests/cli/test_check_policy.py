"""`check` tells of skills, pins of tools and the lock beside instruction chains, in one list."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.builders.catalogs import Bench, listing, tool
from tests.builders.command_line import CommandLine, Result
from tests.builders.repositories import RepositoryBuilder

BROKEN = "---\nname: csv\ndescription: Use when: the input is a CSV\n---\n"
PIN = ".assembler/pins/s.json"


def codes(result: Result) -> list[tuple[str, str]]:
    return [(item["code"], item["path"]) for item in result.json["findings"]]


def check(command: CommandLine, *words: str) -> Result:
    return command("check", "-f", "json", *words)


@pytest.mark.parametrize("at", ["worktree", "index", "HEAD"])
def test_skills__are_told_with_chains_by_place(
    assembler: CommandLine, repository: RepositoryBuilder, at: str
) -> None:
    repository.write(
        {".agents/skills/csv/SKILL.md": BROKEN, "src/AGENTS.override.md": "\n", "CLAUDE.md": "x"}
    )
    repository.commit()
    result = check(assembler, "--at", at)
    assert result.code == 1
    assert codes(result) == [
        ("ASM203", ".agents/skills/csv/SKILL.md"),
        ("ASM116", "CLAUDE.md"),
        ("ASM103", "src/AGENTS.override.md"),
    ]
    assert result.json["counted"] == {
        "chains": 2, "skills": 2, "catalogs": 0, "errors": 0, "warnings": 2, "notes": 1,
    }  # fmt: skip
    same = assembler("skills", "check", "-f", "json", "--at", at).json["findings"]
    assert [item for item in result.json["findings"] if item["code"] == "ASM203"] == same


def test_paths__narrow_what_is_told_to_the_skill_of_a_file(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write(
        {
            ".agents/skills/csv/SKILL.md": BROKEN,
            ".agents/skills/csv/references/a.md": "a\n",
            ".agents/skills/tsv/SKILL.md": BROKEN.replace("csv", "tsv"),
        }
    )
    repository.commit()
    of_csv = [("ASM203", ".agents/skills/csv/SKILL.md")]
    for path in (".agents/skills/csv", ".agents/skills/csv/references/a.md"):
        assert codes(check(assembler, path)) == of_csv
    assert len(codes(check(assembler, ".agents"))) == 2
    result = assembler("check", "src/x.py")
    assert (result.code, result.text) == (0, "1 chain: no findings\n")


def test_lock__that_is_stale_is_told_where_there_is_one(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    assert check(assembler).code == 0
    assembler("lock")
    assert check(assembler).code == 0
    repository.write({"AGENTS.md": "# Other\n", ".agents/skills/pdf/more.md": "more\n"})
    result = check(assembler)
    # Of a skill that is another one its own code tells.
    assert codes(result) == [("ASM210", ".agents/skills/pdf"), ("ASM701", "AGENTS.md")]
    assert check(assembler, "--ignore", "ASM701,ASM210").code == 0


def test_pin__without_a_listing_is_looked_at_by_itself(bench: Bench) -> None:
    assert bench.pin(tool("a"), tool("b")).code == 0
    assert check(bench.command).json["counted"]["catalogs"] == 1
    assert check(bench.command).code == 0
    pin = bench.repository.root / PIN
    pin.write_text(pin.read_text().replace("Does things.", "Does other things.", 1))
    assert codes(check(bench.command)) == [("ASM302", PIN)]


def allowed(bench: Bench, *names: str, page: str | None = None) -> tuple[str, str]:
    """A profile that is the host's word, outside the repository."""
    server = {"allow": list(names), **({} if page is None else {"listing": page})}
    profile = {"schema": "assembler/profile/1", "tools": {"servers": {"s": server}}}
    path = bench.folder / "profile.json"
    path.write_text(json.dumps(profile))
    return "-p", str(path)


def test_server__that_nobody_pinned_is_told(bench: Bench) -> None:
    result = check(bench.command, *allowed(bench, "a"))
    assert codes(result) == [("ASM301", PIN)]
    assert "assembler tools pin s" in result.json["findings"][0]["fix"]


def test_listing__that_is_another_one_is_told_tool_by_tool(bench: Bench) -> None:
    assert bench.pin(tool("a"), tool("b"), tool("c")).code == 0
    now = listing(tool("a", "Another text."), tool("b", "And here."), tool("new"))
    bench.repository.write({"now.json": now})
    result = check(bench.command, *allowed(bench, "a", "c", page="now.json"))
    assert result.code == 1
    told = {
        (item["code"], item["data"]["tool"], item["severity"]) for item in result.json["findings"]
    }
    assert told == {
        ("ASM302", "a", "error"),
        ("ASM302", "b", "note"),
        ("ASM303", "new", "note"),
        ("ASM304", "c", "error"),
    }


@pytest.mark.parametrize("text", ["{", '{"tools": 1}', '{"tools": [], "tools": []}'])
def test_listing__that_is_none_is_told(bench: Bench, text: str) -> None:
    assert bench.pin(tool("a")).code == 0
    bench.repository.write({"now.json": text})
    result = check(bench.command, *allowed(bench, "a", page="now.json"))
    assert codes(result) == [("ASM306", "now.json")]


def test_profile__that_widens_the_host_is_told(
    assembler: CommandLine, repository: RepositoryBuilder, tmp_path: Path
) -> None:
    repository.write(
        {".assembler/profile.yaml": "schema: assembler/profile/1\n"
                                    "tools: {servers: {s: {allow: [t]}}}\n"}
    )  # fmt: skip
    result = check(assembler)
    assert result.code == 1
    assert [item["slug"] for item in result.json["findings"]] == ["profile-widens-host"]
    assert result.json["findings"][0]["path"] == ".assembler/profile.yaml"
    assert check(assembler, "--fail-on", "never").code == 0


def test_check__writes_nothing(bench: Bench) -> None:
    bench.pin(tool("a"))
    bench.command("lock")
    before = {
        path: path.read_bytes() for path in bench.repository.root.rglob("*") if path.is_file()
    }
    check(bench.command)
    assert before == {
        path: path.read_bytes() for path in bench.repository.root.rglob("*") if path.is_file()
    }


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (".assembler/artifacts.json", '{"schema": "assembler/artifacts/1", "artifacts": [{}]}'),
        ("records.yaml", "schema: assembler/records/1\nrecordz: []\n"),
        ("records.yaml", None),
    ],
)
def test_check__calls_nothing_clean_that_no_run_could_read(
    assembler: CommandLine, repository: RepositoryBuilder, path: str, text: str | None
) -> None:
    profile = "schema: assembler/profile/1\nrecords: {file: records.yaml}\n"
    good = "schema: assembler/records/1\nrecords: []\n"
    repository.write({".assembler/profile.yaml": profile, "records.yaml": good})
    assert assembler("check").code == 0
    if text is None:
        (repository.root / path).unlink()
    else:
        repository.write({path: text})
    result = assembler("check")
    assert result.code == 2
    assert path in result.talk


DEFINED = {"name": "edit", "description": "Edits.", "inputSchema": {"type": "object"}}
DEFINITIONS = {
    "whole": (json.dumps([DEFINED]), None),
    "not there": (None, "ASM304"),
    "another name": (json.dumps([{**DEFINED, "name": "edits"}]), "ASM304"),
    "a name twice": (json.dumps([DEFINED, DEFINED]), "ASM305"),
    "no schema": (json.dumps([{"name": "edit"}]), "ASM306"),
    "not JSON": ("[", "ASM306"),
}


@pytest.mark.parametrize("case", DEFINITIONS)
def test_resident_tools__that_no_run_could_have_are_told(
    assembler: CommandLine, repository: RepositoryBuilder, case: str
) -> None:
    """Clean is what a run is made of, and an error what none is made of."""
    text, code = DEFINITIONS[case]
    profile = "schema: assembler/profile/1\ntools: {resident: [edit]}\n"
    repository.write({".assembler/profile.yaml": profile})
    if text is not None:
        repository.write({".assembler/tools.json": text})
    repository.commit()
    told = codes(check(assembler, "--at", "HEAD"))
    assert told == ([] if code is None else [(code, ".assembler/tools.json")])
    run = assembler("assemble", "--at", "HEAD", "-m", "x", "-f", "json")
    assert run.code == (0 if code is None else 2)
