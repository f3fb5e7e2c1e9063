"""A canary in every place that a run can meet: it comes out nowhere.

It has the form of a token, so that it may stand in nothing that is stored or printed; what a
rule closes holds another one, of no form at all.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from tests.builders.command_line import CommandLine, Result, all_bytes_below
from tests.builders.repositories import RepositoryBuilder
from tests.builders.secrets import make_tokens

TOKEN: Final = make_tokens(29)["github-token"][0]
CLOSED: Final = "canary-of-no-form-7c1d"
"""In what a deny rule closes."""

ISSUE: Final = {
    "number": 7,
    "title": f"Fails with {TOKEN}",
    "body": "It fails.",
    "url": f"https://tracker.example/7?token={TOKEN}",
    "author": {"login": TOKEN},
    "labels": [{"name": TOKEN}],
    "comments": [{"author": {"login": "a"}, "body": f"Use {TOKEN}"}],
    "createdAt": "2026-01-01T00:00:00Z",
    "updatedAt": "2026-01-01T00:00:00Z",
    "state": "OPEN",
}
JUNIT: Final = f"""<testsuites><testsuite name="{TOKEN}">
<testcase name="keeps fields" classname="{TOKEN}"><failure message="{TOKEN}">at {TOKEN}</failure>
</testcase></testsuite></testsuites>
"""
FILES: Final = {
    "src/whole.py": f"a = 1\nb = '{TOKEN}'\n",
    "src/lines.py": f"a = 1\nb = '{TOKEN}'\nc = 3\n",
    "src/symbol.py": f"def parse():\n    return '{TOKEN}'\n",
    "src/around.py": f"# here\nb = '{TOKEN}'\n",
    "src/proof.py": f"b = '{TOKEN}'\n",
    "src/found.py": f"needle = '{TOKEN}'\n",
    f"src/{TOKEN}.py": "a = 1\n",
    f"{TOKEN}/inner.py": "a = 1\n",
    f"{TOKEN}/AGENTS.md": "Of a folder that is called like a token.\n",
    ".env": f"K={CLOSED}\n",
    "sub/.env.local": f"K={CLOSED}\n",
    "keys/id_rsa": f"{CLOSED}\n",
    ".gitignore": f"{TOKEN}.log\n",
    f"{TOKEN}.log": "x\n",
    ".work/issue.json": json.dumps(ISSUE),
    ".work/issue.md": f"It fails with {TOKEN}\n",
    ".work/observed.txt": f"$ env\nTOKEN={TOKEN}\n",
    ".work/test.txt": f"FAILED tests/test_x.py::test_{TOKEN}\nE   {TOKEN}\n",
    ".work/junit.xml": JUNIT,
    ".work/suite.tap": f"TAP version 13\n1..1\nnot ok 1 - {TOKEN}\n",
    "summaries/parser.md": f"The parser uses {TOKEN}.\n",
    "summaries/source.md": "Of a secret source.\n",
    ".agents/skills/body/SKILL.md": f"---\nname: body\ndescription: A body.\n---\n{TOKEN}\n",
    ".mcp.json": json.dumps({"mcpServers": {"x": {"command": "x", "env": {"K": TOKEN}}}}),
}
ARTIFACTS: Final = {
    "schema": "assembler/artifacts/1",
    "artifacts": [
        {"id": name, "kind": "summary", "file": f"summaries/{name}.md", "revision": TOKEN,
         "sources": [{"path": path, "sha256": "0" * 64}]}
        for name, path in (("parser", "src/lines.py"), ("source", f"src/{TOKEN}.py"))
    ],
}  # fmt: skip
TASK: Final[dict[str, Any]] = {
    "schema": "assembler/task/1",
    "objective": "find the canary",
    "targets": ["src/whole.py"],
    "evidence": [
        {"file": "src/lines.py", "lines": [2, 2]},
        {"symbol": "src/symbol.py#parse"},
        {"file": "src/around.py", "around": "here"},
        {"file": f"{TOKEN}/inner.py"},
        {"file": ".env"},
        {"file": "sub/.env.local"},
        {"file": "missing.py", "around": TOKEN},
        {"file": "src/found.py", "around": f"no {TOKEN}"},
        {"issue": 7, "file": ".work/issue.json"},
        {"issue": 8, "file": ".work/issue.md", "url": f"https://x.example/{TOKEN}"},
        {"issue": TOKEN, "file": ".work/suite.tap"},
        {"observation": "o", "file": ".work/observed.txt", "revision": TOKEN},
        {"test": "plain", "file": ".work/test.txt", "case": TOKEN},
        {"test": "junit", "file": ".work/junit.xml", "case": "keeps fields"},
        {"test": "tap", "file": ".work/suite.tap"},
        {"test": "topical", "file": ".work/x.txt", "topics": [TOKEN], "lineage": [TOKEN],
         "group": TOKEN},
        {"summary": "parser"},
        {"summary": "source"},
        {"summary": TOKEN},
    ],
    "search": [
        {"text": "needle"},
        {"text": TOKEN},
        {"text": f"nowhere {TOKEN}"},
        {"name": "*.py"},
        {"name": f"{TOKEN}*"},
        {"name": "id_rsa"},
    ],
    "proof": "pytest src/proof.py",
}  # fmt: skip


@pytest.fixture
def infested(repository: RepositoryBuilder) -> RepositoryBuilder:
    """A repository with the canary wherever a run can meet it and goes on."""
    repository.write(FILES)
    repository.write({".assembler/artifacts.json": json.dumps(ARTIFACTS)})
    (repository.root / "src/link.py").symlink_to(f"../{TOKEN}/inner.py")
    repository.git("add", "--all", "--force", ".")
    repository.git("commit", "-q", "-m", f"Add {TOKEN}")
    repository.git("tag", "-a", "v1", "-m", TOKEN)
    repository.git("config", "remote.origin.url", f"https://{TOKEN}@git.example/x")
    return repository


def require_nowhere(results: list[Result], *folders: Path) -> None:
    said = b"".join(result.out + result.err for result in results)
    for canary in (TOKEN, CLOSED):
        assert canary.encode() not in said
        assert canary.encode() not in all_bytes_below(*folders)


def looks(assembler: CommandLine, out: Path) -> list[Result]:
    """Everything that tells of the last run and of the tree."""
    return [
        assembler(*words)
        for words in (
            ("log", "last"),
            ("log", "last", "-f", "json"),
            ("log", "--events"),
            ("explain", "--run", "last"),
            ("explain", "file:src/whole.py", "--run", "last", "-f", "json"),
            ("diagnose", "last"),
            ("verify", str(out)),
            ("chain",),
            ("check",),
            ("skills", "list", "-f", "json"),
            ("tools", "list", "-f", "json"),
            ("explain", "src/whole.py"),
            ("explain", ".env"),
            ("chain", "--all"),
            ("chain", "--all", "-f", "json"),
            ("check", "-f", "json"),
            ("check", "-f", "sarif"),
            ("check", "-f", "github"),
            ("check", "-f", "markdown"),
            ("chain", "--agent", "codex"),
            ("explain", "inner.py"),
            ("assemble", "-m", "x", "-t", f"{TOKEN}/inner.py"),
        )
    ]


@pytest.mark.parametrize("at", ["worktree", "index", "HEAD"])
def test_canary__in_what_is_offered_comes_out_nowhere(
    infested: RepositoryBuilder, assembler: CommandLine, tmp_path: Path, at: str
) -> None:
    (tmp_path / "task.json").write_text(json.dumps(TASK))
    out = tmp_path / "package"
    command = ("assemble", "--task", str(tmp_path / "task.json"), "--at", at)

    made = assembler(*command, "-f", "json", "--out", str(out), CANARY=TOKEN)

    assert made.code == 0, made.talk
    results = [
        made,
        assembler(*command),
        assembler(*command, "-f", "request"),
        *looks(assembler, out),
    ]
    assert [result.code for result in results[:3]] == [0, 0, 0]
    require_nowhere(results, out, assembler.home)
    states = {
        row["id"]: row["state"] for row in made.json["ledger"] if row["section"] == "evidence"
    }
    assert states["file:.env"] == "denied"
    assert "in" not in states.values()


Place = tuple[dict[str, str], tuple[str, ...], str]
"""Files, the command, and what comes in on standard input."""


def of_task(**members: Any) -> Place:
    task = {"schema": "assembler/task/1", "objective": "x", **members}
    return {}, ("assemble", "--task", "-"), json.dumps(task)


def of_file(path: str, text: str, *command: str) -> Place:
    return {path: text}, command or ("assemble", "-m", "x"), ""


def of_arguments(*command: str) -> Place:
    return {}, command, ""


def of_inventory(text: str) -> Place:
    return {}, ("assemble", "--inventory", "-"), text


PLACES: Final[dict[str, Place]] = {
    "objective": of_task(objective=TOKEN),
    "question": of_task(question=TOKEN),
    "instruction": of_task(instruction=TOKEN),
    "example": of_task(example={"question": TOKEN, "answer": TOKEN}),
    "work": of_task(work={"changed": TOKEN, "next": TOKEN}),
    "proof": of_task(proof=f"pytest {TOKEN}"),
    "task id": of_task(id=TOKEN),
    "actor": of_task(actor=TOKEN),
    "topics": of_task(topics=[TOKEN]),
    "required id": of_task(required=[f"file:{TOKEN}"]),
    "sealed id": of_task(seals=[{"artifacts": TOKEN}]),
    "date": of_task(as_of=TOKEN),
    "unknown key": of_task(**{TOKEN: 1}),
    "skill name": of_task(skills=[TOKEN]),
    "target": of_task(targets=[TOKEN]),
    "task that is no YAML": (
        {},
        ("assemble", "--task", "-"),
        f"schema: assembler/task/1\n{TOKEN}: [\n",
    ),
    "task of another type": (
        {},
        ("assemble", "--task", "-"),
        f"schema: assembler/task/1\nobjective: [{TOKEN}]\n",
    ),
    "instructions": of_file("AGENTS.md", f"Use {TOKEN}.\n"),
    "override": of_file(
        "src/AGENTS.override.md", f"Use {TOKEN}.\n", "assemble", "-m", "x", "-t", "src/x.py"
    ),
    "skill line": of_file(
        ".agents/skills/a/SKILL.md", f"---\nname: a\ndescription: {TOKEN}\n---\n"
    ),
    "skill that is no YAML": of_file(".agents/skills/a/SKILL.md", f"---\n{TOKEN}: [\n---\n"),
    "profile": of_file(".assembler/profile.yaml", f"schema: assembler/profile/1\n{TOKEN}: 1\n"),
    "profile value": of_file(
        ".assembler/profile.yaml", f"schema: assembler/profile/1\ncounter: {TOKEN}\n"
    ),
    "profile that is no YAML": of_file(".assembler/profile.yaml", f"{TOKEN}: [\n"),
    "profile pattern": of_file(
        ".assembler/profile.yaml", f"schema: assembler/profile/1\nread: {{deny: ['[{TOKEN}']}}\n"
    ),
    "resident tool": of_file(
        ".assembler/profile.yaml", f"schema: assembler/profile/1\ntools: {{resident: [{TOKEN}]}}\n"
    ),
    "tool definitions": of_file(".assembler/tools.json", f"[{TOKEN}", "tools", "list"),
    "lock": of_file(".assembler/lock.json", f'{{"{TOKEN}": 1}}'),
    "pin": of_file(".assembler/pins/a.json", f'{{"{TOKEN}": 1}}', "tools", "check"),
    "listing": of_file(
        "listing.json", f'{{"{TOKEN}": 1', "tools", "pin", "a", "--from", "listing.json"
    ),
    "no listing": of_file(
        "listing.json", f'{{"tools": "{TOKEN}"}}', "tools", "list", "--from", "listing.json"
    ),
    "inventory that is no JSON": of_inventory(f'{{"{TOKEN}"'),
    "inventory member": of_inventory(f'{{"schema": "assembler/inventory/1", "{TOKEN}": 1}}'),
    "inventory schema": of_inventory(f'{{"schema": "{TOKEN}"}}'),
    "argument: target": of_arguments("assemble", "-m", "x", "-t", f"src/{TOKEN}"),
    "argument: revision": of_arguments("assemble", "-m", "x", "--at", TOKEN),
    "argument: policy": of_arguments("assemble", "-m", "x", "--policy-from", TOKEN),
    "argument: profile": of_arguments("assemble", "-m", "x", "-p", TOKEN),
    "argument: host": of_arguments("assemble", "-m", "x", "--host", TOKEN),
    "argument: time": of_arguments("assemble", "-m", "x", "--now", TOKEN),
    "argument: model": of_arguments(
        "assemble", "-m", "x", "--api", "openai-chat", "--model", TOKEN
    ),
    "argument: format": of_arguments("assemble", "-m", "x", "-f", TOKEN),
    "argument: option": of_arguments("assemble", f"--{TOKEN}"),
    "argument: command": of_arguments(TOKEN),
    "argument: item": of_arguments("explain", TOKEN),
    "argument: run": of_arguments("log", TOKEN),
}


@pytest.mark.parametrize("name", PLACES)
def test_canary__in_what_is_refused_comes_out_nowhere(
    repository: RepositoryBuilder, assembler: CommandLine, name: str
) -> None:
    files, command, stdin = PLACES[name]
    repository.write(files)
    repository.commit()

    results = [
        assembler(*command, stdin=stdin),
        assembler(*command, "-f", "json", stdin=stdin),
        assembler("log", "--events", "-f", "json"),
    ]

    assert results[0].code in (0, 1, 2, 3)
    require_nowhere(results, assembler.home)
