"""An installed agent, run only when somebody asks for it: its version and its own dump.

In: a description, a folder, the environment. Out: the version, the block as bytes.
Never here: a shell; an answer that is waited for without end; a program out of the folder.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from assembler.errors import UsageError
from assembler.model.agent import Agent

TIMEOUT_SECONDS: Final = 60


def find_program(agent: Agent, environment: Mapping[str, str]) -> Path:
    """The agent's program on PATH; entries of PATH that are not absolute are passed over.

    Raises:
        UsageError: `agent-missing`.
    """
    # A relative entry would run what a repository laid there.
    folders = [
        folder
        for folder in environment.get("PATH", os.defpath).split(os.pathsep)
        if folder.startswith("/")
    ]
    found = shutil.which(agent.program, path=os.pathsep.join(folders)) if folders else None
    if found is None:
        raise UsageError(
            "agent-missing",
            f"no {agent.program} on PATH to ask",
            where=agent.program,
            next_step=f"install {agent.title}, or leave out --confirm",
        )
    return Path(found)


def ask_version(program: Path, agent: Agent, environment: Mapping[str, str]) -> str:
    """What the program calls its version.

    Raises:
        UsageError: `agent-failed`.
    """
    answer = _run([str(program), "--version"], Path("/"), agent, environment)
    words = answer.decode("utf-8", "replace").split()
    return words[-1] if words else "unknown"


def dump_block(
    program: Path,
    agent: Agent,
    cwd: Path,
    *,
    environment: Mapping[str, str],
    overrides: Sequence[str],
) -> bytes | None:
    """The instructions in the model input that the program prints; None where it has none.

    Raises:
        UsageError: `agent-failed`: it refused, did not answer, or said something else.
    """
    options = [part for override in overrides for part in ("-c", override)]
    command = [str(program), *agent.dump_arguments, *options, "hi"]
    answer = _run(command, cwd, agent, environment)
    try:
        return _find_block(json.loads(answer), agent.dump_kind)
    except (ValueError, TypeError, AttributeError, KeyError):
        raise _failed(agent, "its dump has another form than the one known here") from None


def _find_block(messages: Any, kind: str) -> bytes | None:
    """The text of the item of that kind."""
    for message in messages:
        notes = message.get("internal_chat_message_metadata_passthrough") or {}
        kinds = notes.get("content_item_kinds") or []
        for item_kind, item in zip(kinds, message.get("content") or [], strict=False):
            if item_kind == kind:
                text: str = item["text"]
                return text.encode("utf-8")
    return None


def _run(command: list[str], cwd: Path, agent: Agent, environment: Mapping[str, str]) -> bytes:
    try:
        done = subprocess.run(
            command,
            cwd=cwd,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise _failed(agent, f"no answer in {TIMEOUT_SECONDS} s") from None
    except OSError as error:
        raise _failed(agent, f"can't be run ({error.strerror})") from None
    if done.returncode != 0:
        raise _failed(agent, f"exited {done.returncode}")
    return done.stdout


def _failed(agent: Agent, problem: str) -> UsageError:
    return UsageError(
        "agent-failed",
        f"could not ask {agent.program}: {problem}",
        where=agent.program,
        next_step=f"run it yourself: {agent.program} {' '.join(agent.dump_arguments)}",
    )
