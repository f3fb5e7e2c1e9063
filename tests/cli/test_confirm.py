"""`--confirm` runs an installed agent and compares; nothing else runs it. The agent is a script."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.builders.command_line import CommandLine, Result

SCRIPT = """#!{python}
import json, os, sys
with open({log!r}, "a") as log:
    log.write(json.dumps([sys.argv[1:], os.getcwd()]) + "\\n")
if sys.argv[1:] == ["--version"]:
    print("codex-cli 0.999.0")
    sys.exit(0)
block = open({answer!r}).read()
if block == "fail":
    sys.exit(1)
if block == "noise":
    print("no JSON at all")
    sys.exit(0)
kinds = ["agents_md.instructions"] if block else []
notes = {{"content_item_kinds": kinds}}
message = {{"internal_chat_message_metadata_passthrough": notes, "content": [{{"text": block}}]}}
print(json.dumps([{{"content": None}}, message]))
"""


class Agent:
    """A stand-in for an installed Codex that says what it is told to say."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "bin"
        self.folder.mkdir()
        self._log, self._answer = folder / "log", folder / "answer"
        script = self.folder / "codex"
        script.write_text(
            SCRIPT.format(python=sys.executable, log=str(self._log), answer=str(self._answer))
        )
        script.chmod(0o755)

    def answer(self, block: str) -> None:
        self._answer.write_text(block)

    @property
    def calls(self) -> list[tuple[list[str], str]]:
        if not self._log.exists():
            return []
        return [tuple(json.loads(line)) for line in self._log.read_text().splitlines()]


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    return Agent(tmp_path)


def chain(assembler: CommandLine, agent: Agent, *options: str) -> Result:
    return assembler("chain", "--agent=codex", *options, PATH=f"{agent.folder}:/usr/bin:/bin")


def test_agent__is_run_only_when_it_is_asked(assembler: CommandLine, agent: Agent) -> None:
    for arguments in (("--format=json",), ("--format=input",), ()):
        assert chain(assembler, agent, *arguments).code == 0
    for command in (("chain", "--all"), ("check",), ("assemble", "-m", "x")):
        assembler(*command, PATH=f"{agent.folder}:/usr/bin:/bin")
    assert agent.calls == []


def test_same_block__is_confirmed_with_its_digest(assembler: CommandLine, agent: Agent) -> None:
    agent.answer(chain(assembler, agent, "--format=input").text)

    text = chain(assembler, agent, "--confirm", "--agent-config", "model=x")
    told = chain(assembler, agent, "--confirm", "--format=json")

    assert (text.code, told.code) == (0, 0)
    assert "confirmed: codex 0.999.0 gives the same block, sha256:" in text.text
    assert told.json["agent"]["confirmed"]["is_equal"] is True
    dump = ["debug", "prompt-input", "-c", "model=x", "hi"]
    assert [dump, str(assembler.cwd)] in [list(call) for call in agent.calls]


def test_other_block__is_exit_1_with_the_first_byte(assembler: CommandLine, agent: Agent) -> None:
    own = chain(assembler, agent, "--format=input").text
    agent.answer(own[:40] + "#" + own[41:])

    text = chain(assembler, agent, "--confirm")
    told = chain(assembler, agent, "--confirm", "--format=json")

    assert (text.code, told.code) == (1, 1)
    assert "DIFFERS: codex 0.999.0 gives another block: first difference at byte 40" in text.text
    assert told.json["exit_code"] == 1
    assert told.json["agent"]["confirmed"]["first_difference"] == 40


def test_no_block__on_both_sides_is_confirmed(plain: CommandLine, agent: Agent) -> None:
    agent.answer("")
    text = chain(plain, agent, "--confirm")
    assert (text.code, "loads no instructions either" in text.text) == (0, True)


@pytest.mark.parametrize("answer", ["fail", "noise"])
def test_agent__that_says_nothing_usable_is_exit_2(
    answer: str, assembler: CommandLine, agent: Agent
) -> None:
    agent.answer(answer)
    result = chain(assembler, agent, "--confirm")
    assert (result.code, "agent-failed" in result.talk) == (2, True)


def test_agent__that_is_not_installed_is_exit_2(assembler: CommandLine) -> None:
    result = assembler("chain", "--agent=codex", "--confirm", PATH="/nowhere:bin:")
    assert (result.code, "agent-missing" in result.talk) == (2, True)


def test_program__of_the_repository_is_never_run(assembler: CommandLine, agent: Agent) -> None:
    (assembler.cwd / "codex").write_text(f"#!/bin/sh\ntouch {assembler.cwd}/MARK\n")
    (assembler.cwd / "codex").chmod(0o755)
    for path in (".", "", f".:{agent.folder}"):
        assembler("chain", "--agent=codex", "--confirm", PATH=path)
    assert not (assembler.cwd / "MARK").exists()


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--agent=nobody",), "agent-unknown"),
        (("--agent=codex", "--at=HEAD"), "option-conflict"),
        (("--agent=codex", "--profile=x"), "option-conflict"),
        (("--agent=codex", "--host=x"), "option-conflict"),
        (("--agent=codex", "--agent-system-dir=gone"), "path-missing"),
        (("--agent=codex", "--agent-system-dir=src", "--confirm"), "option-conflict"),
        (("--agent=codex", "--all"), "options-exclude"),
        (("--agent=codex", "-t", "gone.py"), "path-missing"),
        (("--agent=codex", "-t", "/"), "path-outside"),
        (("--agent=codex", "--agent-config=novalue"), "agent-config"),
        (("--agent=codex", "--agent-config=project_doc_max_bytes=-1"), "agent-config"),
        (("--agent-config=a=b",), "option-needs-agent"),
        (("--agent-system-dir=src",), "option-needs-agent"),
        (("--confirm",), "option-needs-agent"),
    ],
)
def test_options__that_mean_nothing_together_are_exit_2(
    options: tuple[str, ...], code: str, assembler: CommandLine
) -> None:
    result = assembler("chain", *options)
    assert result.code == 2
    assert f"({code})" in result.talk
