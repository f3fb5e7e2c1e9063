"""Every recorded tree of the real Codex: block, sources, exit code, and what it warns of.

The recordings lie beside the repository; without them these tests are skipped.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from assembler.errors import AssemblerError
from assembler.front.agent_chain import load_as_agent
from assembler.model.agent import CODEX
from assembler.model.finding import Finding
from tests.builders.command_line import CommandLine
from tests.builders.other_user import as_another_user
from tests.builders.trees import case_file, write_tree

CASES = Path(__file__).parents[3] / "shared" / "cases" / "codex"


class Built(NamedTuple):
    """A case on disk."""

    case: dict[str, Any]
    root: Path
    home: Path

    def replace(self, text: str) -> str:
        return text.replace("{ROOT}", str(self.root)).replace("{HOME}", str(self.home))

    @property
    def cwd(self) -> Path:
        return Path(os.path.realpath(self.root / self.case["cwd"]))

    @property
    def environment(self) -> dict[str, str]:
        named = self.case.get("env", {})
        return {
            "HOME": str(self.home),
            **{name: self.replace(value) for name, value in named.items()},
        }

    @property
    def overrides(self) -> list[str]:
        given = [self.replace(part) for part in self.case.get("args", ())]
        assert given[::2] == ["-c"] * (len(given) // 2)
        return given[1::2]

    @property
    def system_folder(self) -> Path:
        return self.root.parent / "etc"

    @property
    def warnings(self) -> list[str]:
        return [self.replace(text) for text in self.case["expected"].get("warnings") or ()]


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
    built = build(name, base)
    if built.case.get("run_as") == "nobody" and os.geteuid() == 0:
        pytest.skip("root may read everything; run below as another user")

    check(built, ask_command(built))


@pytest.mark.parametrize("name", names())
def test_case__as_a_user_without_privileges(name: str, base: Path) -> None:
    built = build(name, base)

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


def build(name: str, base: Path) -> Built:
    if not CASES.is_dir():
        pytest.skip("the recorded trees are not here (../shared/cases/codex)")
    case: dict[str, Any] = json.loads((CASES / f"{name}.json").read_bytes())
    built = Built(case, base / "t", base / "h")
    for folder in (built.root, built.home, built.home / ".codex", built.system_folder):
        folder.mkdir()
    build_git(case["git"] or {}, built.root)
    write_files(built.root, case["files"], built.replace)
    write_files(built.home, case["home"], built.replace)
    write_files(built.system_folder, case.get("etc", {}), built.replace)
    if case["config"] is not None:
        (built.home / ".codex/config.toml").write_text(built.replace(case["config"]))
    (built.root / case["cwd"]).mkdir(parents=True, exist_ok=True)
    return built


def write_files(place: Path, files: dict[str, Any], replace: Callable[[str], str]) -> None:
    write_tree(place, {path: case_file(spec, replace) for path, spec in files.items()})
    for path, spec in files.items():
        if isinstance(spec, dict) and "mode" in spec:
            (place / path).chmod(int(spec["mode"], 8))


def build_git(git: dict[str, Any], root: Path) -> None:
    """Real repositories, and a real linked worktree where the case has one."""
    for folder in git.get("init", ()):
        (root / folder).mkdir(parents=True, exist_ok=True)
        run_git(root / folder, "init", "-q")
    if "worktree" in git:
        main = root / git["worktree"]["main"]
        run_git(main, "commit", "-q", "--allow-empty", "-m", "x")
        path = root / git["worktree"]["path"]
        run_git(main, "worktree", "add", "-q", "--detach", str(path))


def run_git(folder: Path, *arguments: str) -> None:
    names = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    who = ("-c", "user.name=x", "-c", "user.email=x@example.invalid")
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), **names}
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, env=environment)


@pytest.mark.parametrize("name", linked_names())
def test_case__started_by_a_linked_name(name: str, base: Path) -> None:
    built = build(name, base)
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
