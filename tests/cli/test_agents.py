"""`chain --agent` of the agents with a description: one of them, all, and one that nobody knows."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from assembler.agents.rules import (
    AgentRules,
    FileHere,
    Kind,
    OnRead,
    Place,
    SettingsFile,
    SettingsRules,
    TextRules,
    Walk,
)
from assembler.front.agent_inputs import load_agent
from tests.builders.agent_command import command
from tests.builders.command_line import ROOT, CommandLine
from tests.builders.repositories import RepositoryBuilder


@pytest.fixture
def empty(tmp_path: Path) -> RepositoryBuilder:
    return RepositoryBuilder(tmp_path / "repository")


def ask(empty: RepositoryBuilder, agent: str, *more: str, folder: str = ".") -> Any:
    result = command(empty, folder)("chain", "--agent", agent, *more, "-f", "json")
    assert result.code == 0, result.talk
    return result.json


def entries(body: Any) -> list[str]:
    return [Path(entry["path"]).name for entry in body["agent"]["entries"]]


def codes(body: Any) -> set[str]:
    return {finding["code"] for finding in body["findings"]}


def mix(empty: RepositoryBuilder) -> None:
    """Four agents, and rules of each in one repository."""
    empty.write(
        {
            "AGENTS.md": "# Root\n",
            "GEMINI.md": "# Gemini\n",
            "Web/GEMINI.md": "# Web\n",
            "Web/CLAUDE.local.md": "mine\n@../docs/style.md\n",
            "Web/AGENTS.override.md": "# Over\n",
            "docs/style.md": "# Style\n",
            ".claude/rules/all.md": "# All\n",
            ".claude/rules/web.md": '---\npaths: "Web/**"\n---\n# Rule\n',
            "Web/deep/CLAUDE.md": "# Deep\n",
        }
    ).commit()


def test_table__has_every_cell_of_a_mixed_repository(empty: RepositoryBuilder) -> None:
    mix(empty)
    body = ask(empty, "all", folder="Web")
    cells = {str(Path(row["path"]).relative_to(empty.root)): row["cells"] for row in body["files"]}
    assert cells == {
        ".claude/rules/all.md": row(claude="1"),
        ".claude/rules/web.md": row(claude="later"),
        "AGENTS.md": row(claude="off agents-file-switched-off", codex="1", opencode="1"),
        "GEMINI.md": row(gemini="1"),
        "Web/AGENTS.override.md": row(codex="2"),
        "Web/CLAUDE.local.md": row(claude="2"),
        "Web/GEMINI.md": row(gemini="2"),
        "Web/deep/CLAUDE.md": row(claude="later", opencode="later"),
        "docs/style.md": row(claude="off import-outside-gate"),
    }
    assert (body["same_set"], body["same_order"]) == (False, False)
    told = [(finding["code"], finding["path"]) for finding in body["findings"]]
    assert ("ASM131", "AGENTS.md") in told
    assert ("ASM132", "docs/style.md") in told
    explained = {Path(path).name for code, path in told if code in {"ASM149", "ASM131", "ASM132"}}
    assert explained >= {"all.md", "AGENTS.md", "GEMINI.md", "AGENTS.override.md", "style.md"}
    # Each difference has one finding: no place is told twice with one code.
    assert len(told) == len(set(told))
    text = command(empty, "Web")("chain", "--agent", "all").text
    assert "They do not read the same files." in text
    assert "claude 2.1.332" in text
    assert str(empty.root) not in text


def row(**cells: str) -> dict[str, str]:
    return {name: cells.get(name, "-") for name in ("claude", "codex", "gemini", "opencode")}


def test_same_files__are_said_to_be_the_same(empty: RepositoryBuilder) -> None:
    empty.write({"CLAUDE.md": "# One\n"}).commit()
    empty.link({"AGENTS.md": "CLAUDE.md", "GEMINI.md": "CLAUDE.md"})
    body = ask(empty, "all")
    assert (body["same_set"], body["same_order"]) == (True, True)
    assert "in the same order" in command(empty)("chain", "--agent", "all").text


def test_same_files__in_other_orders_are_told_so(empty: RepositoryBuilder) -> None:
    (empty.root.parent / "home/.gemini").mkdir(parents=True)
    settings = {"context": {"fileName": "AGENTS.md"}}
    (empty.root.parent / "home/.gemini/settings.json").write_text(json.dumps(settings))
    empty.write({"AGENTS.md": "# Root\n", "a/AGENTS.md": "# A\n"}).commit()
    body = ask(empty, "all", folder="a")
    assert (body["same_set"], body["same_order"]) == (True, False)
    assert "ASM143" in codes(body)
    text = command(empty, "a")("chain", "--agent", "all").text
    assert "They read the same files, in different orders." in text


def test_agent_that_does_not_start__loads_nothing_and_says_why(empty: RepositoryBuilder) -> None:
    empty.write({"GEMINI.md": "x\n"}).commit()
    untrusted = CommandLine(cwd=empty.root, home=empty.root.parent)
    body = untrusted("chain", "--agent", "gemini", "-f", "json").json
    assert (body["agent"]["rc"], body["agent"]["entries"]) == (55, [])
    assert codes(body) == {"ASM140"}
    skipped = untrusted(
        "chain", "--agent", "gemini", "--agent-option", "skip-trust", "-f", "json"
    ).json
    assert (skipped["agent"]["rc"], entries(skipped)) == (0, ["GEMINI.md"])
    assert "gemini would not start here" in untrusted("chain", "--agent", "all").text


def test_targets__tell_what_their_reading_adds(empty: RepositoryBuilder) -> None:
    mix(empty)
    empty.write({"Web/deep/x.ts": "x\n"})
    body = ask(empty, "claude", "-t", "deep/x.ts", folder="Web")
    added = [Path(entry["path"]).name for entry in body["agent"]["on_read"]]
    assert added == ["CLAUDE.md", "web.md"]
    text = command(empty, "Web")("chain", "--agent", "claude", "-t", "deep/x.ts").text
    assert "Added when the targets are read:" in text


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--agent", "nobody"), "agent-unknown"),
        (("--agent", "claude", "--agent", "codex"), "option-conflict"),
        (("--agent=claude", "-f", "text", "--agent=claude"), "option-conflict"),
        (("--agent", "claude", "--agent-version", "0.1"), "agent-version"),
        (("--agent", "claude", "--agent-option", "colour=red"), "agent-option"),
        (("--agent", "claude", "--agent-config", "a=b"), "option-conflict"),
        (("--agent", "claude", "--confirm"), "option-conflict"),
        (("--agent", "claude", "-p", "x"), "option-conflict"),
        (("--agent", "claude", "-t", "nowhere"), "path-missing"),
        (("--agent", "all", "--agent-option", "bare"), "option-conflict"),
        (("--agent", "all", "-f", "input"), "option-conflict"),
        (("--agent-option", "bare"), "option-needs-agent"),
    ],
)
def test_options_that_say_nothing__are_refused(
    empty: RepositoryBuilder, words: tuple[str, ...], code: str
) -> None:
    result = command(empty)("chain", *words)
    assert (result.code, result.text) == (2, "")
    assert code in result.talk


def test_older_version__has_its_own_rules(empty: RepositoryBuilder) -> None:
    empty.write({"AGENTS.md": "x\n"}).commit()
    assert entries(ask(empty, "claude")) == ["AGENTS.md"]
    old = ask(empty, "claude", "--agent-version", "2.1.197")
    assert (entries(old), old["agent"]["version"]) == ([], "2.1.197")


def test_input__is_every_text_behind_its_name(empty: RepositoryBuilder) -> None:
    empty.write({"CLAUDE.md": "# One\n@two.md\n", "two.md": "two\n"}).commit()
    result = command(empty)("chain", "--agent", "claude", "-f", "input")
    kind = "project instructions, checked into the codebase"
    assert result.text == (
        f"[[{kind}]] {empty.root}/CLAUDE.md\n# One\n@two.md\n\n"
        f"[[{kind}]] {empty.root}/two.md\ntwo\n"
    )


def test_settings_above_the_start__are_told_where_they_are_not_read(
    empty: RepositoryBuilder,
) -> None:
    settings = {"context": {"fileName": "TEAM.md"}}
    empty.write({".gemini/settings.json": json.dumps(settings), "TEAM.md": "t\n", "a/x": ""})
    assert entries(ask(empty, "gemini")) == ["TEAM.md"]
    below = ask(empty, "gemini", folder="a")
    assert (entries(below), "ASM135" in codes(below)) == ([], True)


@pytest.mark.parametrize(
    ("agent", "path"),
    [
        ("claude", ".claude/settings.json"),
        ("gemini", ".gemini/settings.json"),
        ("opencode", "opencode.json"),
    ],
)
@pytest.mark.parametrize("text", ["{", '{"a": ', "[" * 100_000, "\udcff"])
def test_broken_settings__are_named(
    empty: RepositoryBuilder, agent: str, path: str, text: str
) -> None:
    empty.write({path: text.encode("utf-8", "surrogateescape")})
    result = command(empty)("chain", "--agent", agent)
    assert (result.code, result.text) == (2, "")
    assert f"{path}" in result.talk
    assert "agent-config" in result.talk


def test_closed_file__is_not_read_by_an_import(empty: RepositoryBuilder) -> None:
    canary = "canary-of-the-import"
    empty.write(
        {
            "CLAUDE.md": "see\n@.env\n",
            "GEMINI.md": "see\n@./.env\n",
            ".env": f"TOKEN={canary}\n",
            "opencode.json": '{"instructions": [".env"]}',
        }
    )
    for agent in ("claude", "gemini", "opencode"):
        for form in ("text", "json", "input", "markdown"):
            result = command(empty)("chain", "--agent", agent, "-f", form)
            assert canary not in result.text + result.talk
        assert "ASM129" in codes(ask(empty, agent))


def test_odd_things__are_bounded_and_lose_nothing_else(empty: RepositoryBuilder) -> None:
    """Loops, FIFOs, folders, huge files, cycles, many imports and many rules."""
    empty.write(
        {
            "CLAUDE.md": "# Root\n@a.md\n" + "".join(f"@i/{n}.md\n" for n in range(2_000)),
            "GEMINI.md": "# Root\n@a.md\n@a.md\n",
            "AGENTS.md": "# Root\n",
            "a.md": "a\n@b.md\n@a.md\n",
            "b.md": "b\n@a.md\n@b.md\n@a.md\n",
            "deep/CLAUDE.md/x": "",
            "deep/GEMINI.md": b"\xff\xfe\x00",
            "deep/opencode.json": '{"instructions": ["../**/*.md", "~/nothing", "/proc/[1-9]/*"]}',
            **{f"i/{n}.md": f"{n}\n" for n in range(2_000)},
            **{f".claude/rules/{n}.md": "rule\n" for n in range(2_000)},
        }
    )
    empty.link({"deep/.claude/rules": "..", "deep/loop": "loop", "i/up": ".."})
    os.mkfifo(empty.root / "deep/AGENTS.md")
    (empty.root / "huge").mkdir()
    with (empty.root / "huge/CLAUDE.md").open("wb") as huge:
        huge.truncate(1 << 33)
    began = time.monotonic()
    for agent, folder in (("claude", "deep"), ("gemini", "deep"), ("opencode", "deep"),
                          ("claude", "huge")):  # fmt: skip
        assert ask(empty, agent, folder=folder)["agent"]["name"] == agent
    assert time.monotonic() - began < 120  # a hang, not a speed
    claude = ask(empty, "claude", folder="deep")
    assert "CLAUDE.md" in entries(claude)
    gone = {(file["state"], Path(file["path"]).name) for file in claude["agent"]["absent"]}
    assert ("off", "CLAUDE.md") in gone


FIFTH = AgentRules(
    name="fifth",
    title="Fifth",
    version="1",
    program="fifth",
    system_folder="/etc/fifth",
    steps=(
        Walk(
            (FileHere("RULES.md", Kind("rules")), FileHere(".fifth/own.md", Kind("own"))),
            stop="marker-or-cwd",
            order="down",
        ),
    ),
    text=TextRules(trims=False),
    settings=SettingsRules((SettingsFile(Place("cwd", "fifth.json"), "project"),), "jsonc"),
    on_read=OnRead((FileHere("RULES.md", Kind("rules")),), "down"),
)


def test_page__is_written_from_the_descriptions() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools/write_agents_page.py"), "--check"], check=False
    )
    assert done.returncode == 0, "python tools/write_agents_page.py"


def test_fifth_agent__is_one_description(empty: RepositoryBuilder) -> None:
    empty.write(
        {
            "RULES.md": "root\n",
            "a/RULES.md": " a \n",
            "a/.fifth/own.md": "own\n",
            "a/b/RULES.md": "b\n",
            "a/b/x": "",
        }
    )
    found = load_agent(
        FIFTH,
        empty.root / "a",
        environment={},
        below=[str(empty.root / "a/b/RULES.md")],
        reads=[str(empty.root / "a/b/x")],
    )
    assert [(entry.kind.name, entry.text) for entry in found.entries] == [
        ("rules", "root\n"),
        ("rules", " a \n"),
        ("own", "own\n"),
    ]
    assert [entry.text for entry in found.on_read] == ["b\n"]


def test_lists_and_imports__never_reach_what_the_kernel_makes_up(empty: RepositoryBuilder) -> None:
    listed = {"instructions": ["/proc/**", "/proc/self/environ", "/sys/**", "notes.md"]}
    empty.write({"opencode.json": json.dumps(listed), "notes.md": "n\n"}).commit()
    body = ask(empty, "opencode")
    assert entries(body) == ["notes.md"]
    environ = [file for file in body["agent"]["absent"] if file["path"] == "/proc/self/environ"]
    assert [file["reason"] for file in environ] == ["access-denied"]
    empty.write({"CLAUDE.md": "@/proc/self/environ\n"}).commit()
    assert entries(ask(empty, "claude")) == ["CLAUDE.md"]
    # By a link too, whatever its name is.
    empty.link({"docs": "/proc", ".claude/rules": "/proc/self", ".opencode": "/proc/self"})
    empty.write({"opencode.json": json.dumps({"instructions": ["docs/**", "docs/*/environ"]})})
    # Without AGENTS.md it reads CLAUDE.md, whose imports it does not follow.
    assert entries(ask(empty, "opencode")) == ["CLAUDE.md"]
    assert entries(ask(empty, "claude")) == ["CLAUDE.md"]
