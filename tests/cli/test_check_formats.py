"""`check` for pipelines: one list of findings, four more spellings, nothing that breaks out."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import unquote

import pytest

from tests.builders.command_line import CommandLine
from tests.builders.repositories import RepositoryBuilder
from tests.builders.sarif import require_sarif
from tests.cli.test_readme import cut_chain

NASTY = "a,b:c%d\n::set-output name=x::`@me` | <b>\x1b[2J\u202e文"
"""A folder whose name would end a line, a property, a code span or a table cell, and more."""


@pytest.fixture
def nasty(repository: RepositoryBuilder, assembler: CommandLine) -> CommandLine:
    cut_chain(repository.root)
    repository.write({f"{NASTY}/AGENTS.md": "# x\n", f"{NASTY}/CLAUDE.md": "# \u202e\n"})
    repository.write({f"{NASTY}/AGENTS.override.md": "# \u202e and ``` @you\n"})
    repository.commit()
    return assembler


def places(found: Any) -> list[tuple[str, str | None, int | None]]:
    return [(one["code"], one["path"], one["line"]) for one in found["findings"]]


def test_formats__tell_the_same_findings(nasty: CommandLine) -> None:
    expected = places(nasty("check", "-f", "json").json)
    assert [code for code, _, _ in expected] == ["ASM101", "ASM104", "ASM601", "ASM116"]
    for name in ("text", "github", "markdown", "sarif"):
        result = nasty("check", "-f", name)
        assert result.code == 1
        assert re.findall(r"ASM\d{3}", result.text.replace("explain ASM", ""))
        assert not any(character in result.text for character in "\x1b\u202e")
        for code, _, _ in expected:
            assert code in result.text


def unescape(text: str) -> str:
    for code, plain in (("%0A", "\n"), ("%0D", "\r"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, plain)
    return text


def test_github__is_one_command_a_line_that_reads_back(nasty: CommandLine) -> None:
    result = nasty("check", "-f", "github")
    commands = [re.fullmatch(r"::(\w+) (.*?)::(.*)", line) for line in result.text.splitlines()]
    assert all(commands)
    told = []
    for command in commands:
        assert command is not None
        pairs = [part.partition("=") for part in command[2].split(",")]
        properties = {name: unescape(value) for name, _, value in pairs}
        assert set(properties) <= {"file", "line", "col", "title"}
        told.append((command[1], properties["title"].split()[0], properties["file"]))
    shown = "a,b:c%d\\u000a::set-output name=x::`@me` | <b>\\u001b[2J\\u202e文"
    assert told == [
        ("error", "ASM101", "AGENTS.md"),
        ("notice", "ASM104", f"{shown}/AGENTS.override.md"),
        ("error", "ASM601", f"{shown}/AGENTS.override.md"),
        ("notice", "ASM116", f"{shown}/CLAUDE.md"),
    ]
    assert result.talk.startswith("2 errors, 2 notes in 4 chains, 1 skill.")
    assert unescape(result.text.splitlines()[0]).splitlines()[1].startswith('lost: "## ')


def test_markdown__has_no_markup_of_the_repository(nasty: CommandLine) -> None:
    text = nasty("check", "-f", "markdown").text
    first, _, *items = text.splitlines()
    assert first.startswith("### assembler check: 2 errors, 2 notes in 4 chains, 1 skill.")
    assert all(re.match(r"(?:  )?- ", item) for item in items)
    outside = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", text, flags=re.DOTALL)
    assert not re.search(r"@|<b>|\||::", outside)


def test_sarif__has_what_the_standard_requires(nasty: CommandLine) -> None:
    document = nasty("check", "-f", "sarif").json
    expected = places(nasty("check", "-f", "json").json)
    assert require_sarif(document) == [code for code, _, _ in expected]
    assert set(document) == {"$schema", "version", "runs"}
    assert document["version"] == "2.1.0"
    (run,) = document["runs"]
    driver = run["tool"]["driver"]
    assert set(driver) == {"name", "version", "rules"}
    for rule in driver["rules"]:
        assert rule["defaultConfiguration"]["level"] in {"none", "note", "warning", "error"}
        assert all(rule[name]["text"] for name in ("shortDescription", "fullDescription", "help"))
    told = []
    for result in run["results"]:
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in {"none", "note", "warning", "error"}
        assert result["message"]["text"]
        (location,) = result["locations"]
        place = location["physicalLocation"]
        uri = place["artifactLocation"]["uri"]
        assert re.fullmatch(r"[A-Za-z0-9/._~%-]+", uri)
        line = place.get("region", {}).get("startLine")
        assert line is None or line >= 1
        told.append((result["ruleId"], unquote(uri), line))
    assert told == expected


def test_sarif__of_nothing_is_a_run_without_results(assembler: CommandLine) -> None:
    result = assembler("check", "-f", "sarif")
    assert result.code == 0
    assert require_sarif(result.json) == []
    assert result.json["runs"][0]["results"] == []


def test_empty_list__is_nothing_and_a_word(assembler: CommandLine) -> None:
    github = assembler("check", "-f", "github")
    assert (github.out, github.talk) == (b"", "2 chains, 1 skill: no findings\n")
    assert assembler("check", "-f", "github", "-q").talk == ""
    markdown = assembler("check", "-f", "markdown").text
    assert markdown == "### assembler check: 2 chains, 1 skill: no findings\n"


def test_json__counts_and_says_what_was_asked(nasty: CommandLine) -> None:
    found = nasty("check", ".", "--ignore", "ASM116", "--fail-on", "never", "-f", "json").json
    assert found["schema"] == "assembler/check/1"
    assert found["exit_code"] == 0
    assert found["counted"] == {
        "chains": 4, "skills": 1, "catalogs": 0, "errors": 2, "warnings": 0, "notes": 1,
    }  # fmt: skip
    revision = found["inputs"].pop("revision")
    assert re.fullmatch("[0-9a-f]{40}", revision)
    assert found["inputs"] == {
        "at": "worktree",
        "paths": ["."],
        "profile": {"name": "built-in"},
        "select": [],
        "ignore": ["ASM116"],
        "fail_on": "never",
        "policy_from": None,
    }
    assert (found["excepted"], found["baseline"]) == ([], None)


def test_color__repeats_words(nasty: CommandLine) -> None:
    colored = nasty("check", "--color", "always").text
    assert "\x1b[31merror\x1b[0m \x1b[36mASM101 chain-cut\x1b[0m: " in colored
    assert re.sub(r"\x1b\[\d+m", "", colored) == nasty("check").text


def test_long_list__is_shortened_for_a_person_and_whole_in_json(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    cut_chain(repository.root)
    repository.write({f"leaf{number:02}/AGENTS.md": "# x\n" for number in range(20)})
    repository.commit()
    (line,) = [line for line in assembler("check").text.splitlines() if "    lost" in line]
    assert line.endswith("leaf06/AGENTS.md, leaf07/AGENTS.md, and 14 more")
    (found,) = assembler("check", "-f", "json").json["findings"]
    assert len(found["data"]["lost_files"]) == 22


def test_sarif__makes_no_link_of_a_repository(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    (repository.root / "AGENTS.md").unlink()
    (repository.root / "AGENTS.md").symlink_to("[x](https://evil.example)")
    (run,) = assembler("check", "-f", "sarif").json["runs"]
    texts = [result["message"]["text"] for result in run["results"]]
    assert any("\\[x\\](https" in text for text in texts)
    assert not any(re.search(r"(?<!\\)\[", text) for text in texts)
