"""Every recorded tree of the real Codex: block, sources, exit code, and what it warns of.

The recordings lie beside the repository; without them these tests are skipped.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from assembler.errors import AssemblerError
from assembler.front.agent_chain import load_as_agent
from assembler.model.agent import CODEX
from assembler.model.finding import Finding
from tests.builders.codex_cases import Built, build
from tests.builders.command_line import CommandLine
from tests.builders.other_user import as_another_user

CASES = Path(__file__).parents[3] / "shared" / "cases" / "codex"


class Answer(NamedTuple):
    """What we say."""

    block: str | None
    sources: list[str] | None
    first_unread: str | None
    findings: list[dict[str, Any]]
    code: int


def names() -> list[str]:
    return sorted(path.stem for path in CASES.glob("*.json")) or ["missing"]


def linked_names() -> list[str]:
    """The cases whose start folder is named through a link."""
    key = "sources_for_logical_cwd"
    found = (path for path in CASES.glob("*.json") if key in path.read_text(encoding="utf-8"))
    return sorted(path.stem for path in found) or ["missing"]


@pytest.fixture
def base() -> Iterator[Path]:
    """A folder that another user may enter, unlike pytest's own."""
    folder = Path(os.path.realpath(tempfile.mkdtemp(prefix="codex-case-")))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize("name", names())
def test_case__through_the_command_line(name: str, base: Path) -> None:
    built = build(CASES / f"{name}.json", base)
    if built.case.get("run_as") == "nobody" and os.geteuid() == 0:
        pytest.skip("root may read everything; run below as another user")

    check(built, ask_command(built))


@pytest.mark.parametrize("name", names())
def test_case__as_a_user_without_privileges(name: str, base: Path) -> None:
    built = build(CASES / f"{name}.json", base)

    check(built, as_another_user(lambda: load(built)))


def check(built: Built, got: Answer) -> None:
    expected = built.case["expected"]
    assert got.code == (2 if expected["rc"] else 0)
    if expected["rc"]:
        return
    text = expected["text"]
    assert got.block == (None if text is None else built.replace(text))
    assert got.sources == [built.replace(path) for path in expected["sources"]]
    for warning in built.warnings:
        assert is_told(warning, got), warning
    skipped = any("Skipped project instructions" in warning for warning in built.warnings)
    assert (got.first_unread is not None) == skipped


def is_told(warning: str, got: Answer) -> bool:
    """Whether our findings say what a warning of Codex says: path and numbers."""
    if found := re.match(
        r"Loaded only (\d+) of (\d+) bytes from `(.*)` in .* the (\d+)-byte", warning
    ):
        return has(
            got,
            "ASM101",
            absolute_path=found[3],
            read_bytes=int(found[1]),
            size_bytes=int(found[2]),
            limit_bytes=int(found[4]),
        )
    if found := re.match(r"Skipped .* starting at `(.*)` because the (\d+)-byte", warning):
        is_first = got.first_unread == found[1]
        return is_first and has(got, "ASM102", absolute_path=found[1], limit_bytes=int(found[2]))
    if found := re.match(r"Combined .* use (\d+) bytes, above the (\d+)-byte", warning):
        return has(got, "ASM117", size_bytes=int(found[1]), limit_bytes=int(found[2]))
    if found := re.match(r"Failed to read global .* from `(.*)`: ", warning):
        return has(got, "ASM118", absolute_path=found[1])
    if found := re.match(r"Codex is ignoring (\d+) unrecognized", warning):
        settings = re.findall(r"\w+ \((.*)\): `(.*)` is ignored", warning)
        return len(settings) == int(found[1]) and all(
            has(got, "ASM119", absolute_path=path, key=key, unknown_settings=int(found[1]))
            for path, key in settings
        )
    folders = re.findall(r"^ +\d+\. (.*)$", warning, re.MULTILINE)
    assert warning.startswith("Project-local config"), "a kind of warning that is not known"
    return bool(folders) and all(has(got, "ASM119", absolute_path=folder) for folder in folders)


def has(got: Answer, code: str, **figures: Any) -> bool:
    return any(
        finding["code"] == code and figures.items() <= finding["data"].items()
        for finding in got.findings
    )


def ask_command(built: Built) -> Answer:
    variables = tuple(built.environment.items())
    command = CommandLine(cwd=built.cwd, home=built.home, variables=variables)
    options = [part for text in built.overrides for part in ("--agent-config", text)]
    result = command(
        "chain",
        "--agent=codex",
        f"--agent-system-dir={built.system_folder}",
        "--format=json",
        *options,
    )
    if result.code:
        assert result.json["schema"] == "assembler/error/1"
        return Answer(None, None, None, [], result.code)
    agent = result.json["agent"]
    plain = command(
        "chain",
        "--agent=codex",
        f"--agent-system-dir={built.system_folder}",
        "--format=input",
        *options,
    )
    assert plain.out.decode() == (agent["block"] or "")
    return Answer(
        agent["block"],
        agent["sources"],
        agent["first_unread"],
        result.json["findings"],
        result.code,
    )


def load(built: Built) -> Answer:
    try:
        found = load_as_agent(
            CODEX,
            built.cwd,
            environment=built.environment,
            overrides=built.overrides,
            system_folder=built.system_folder,
        )
    except AssemblerError as error:
        return Answer(None, None, None, [], error.exit_code)
    findings = [as_plain(finding) for finding in found.chain.findings]
    return Answer(found.block, list(found.sources), found.first_unread, findings, 0)


def as_plain(finding: Finding) -> dict[str, Any]:
    plain: dict[str, Any] = json.loads(json.dumps(finding.to_json()))
    return plain


@pytest.mark.parametrize("name", linked_names())
def test_case__started_by_a_linked_name(name: str, base: Path) -> None:
    built = build(CASES / f"{name}.json", base)
    by_name = built.case["expected"]["sources_for_logical_cwd"]
    named = built.root / built.case["cwd"]

    found = load_as_agent(
        CODEX, named, environment=built.environment, system_folder=built.system_folder
    )
    command = CommandLine(cwd=base, home=built.home)
    result = command("chain", "--agent=codex", f"-C{named}", "--format=json")

    assert list(found.sources) == [built.replace(path) for path in by_name]
    told = [item for item in result.json["findings"] if item["code"] == "ASM122"]
    assert told[0]["data"]["sources_by_name"] == list(found.sources)
    assert result.json["agent"]["block"] == built.replace(built.case["expected"]["text"])
