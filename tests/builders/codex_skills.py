"""What a real Codex makes of the skills of a folder: its list, its errors, its block."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

SLUGS = {
    "failed to read file": "skill-unreadable",
    "missing YAML frontmatter": "skill-no-front-matter",
    "invalid YAML": "skill-yaml",
    "missing field `description`": "skill-description",
    "invalid name": "skill-name",
    "invalid qualified name": "skill-name",
}


class SkillAnswer(NamedTuple):
    """One side of a comparison."""

    lines: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()
    block_size_bytes: int | None = None
    listed: tuple[tuple[str, str, str, bool], ...] = ()
    """Name, scope, path, whether it is on."""
    errors: tuple[tuple[str, str, str], ...] = ()
    """Path, slug, `LINE:COLUMN` in the front matter or nothing; sorted, each once."""
    refused: bool = False


def ask_codex(
    program: str, cwd: Path, environment: Mapping[str, str], overrides: Sequence[str]
) -> SkillAnswer:
    """Both oracles: the block of its model input, and the list of its server."""
    options = [part for text in overrides for part in ("-c", text)]
    done = subprocess.run(
        [program, "debug", "prompt-input", *options, "hi"],
        cwd=cwd,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    if done.returncode:
        return SkillAnswer(refused=True)
    block = find_block(json.loads(done.stdout))
    listed = ask_server(program, cwd, environment, options)
    return read_answer(block, listed)


def find_block(messages: Any) -> str | None:
    """The text about skills in a dump of the model's input."""
    for message in messages:
        passed = message.get("internal_chat_message_metadata_passthrough") or {}
        kinds = passed.get("content_item_kinds") or []
        for content, kind in zip(message.get("content") or [], kinds, strict=False):
            if kind == "host_skills.instructions":
                text: str = content["text"]
                return text
    return None


def ask_server(
    program: str, cwd: Path, environment: Mapping[str, str], options: Sequence[str]
) -> dict[str, Any]:
    """`skills/list` of a server of its own."""
    calls = [
        ("initialize", {"clientInfo": {"name": "test", "version": "1"}}),
        ("skills/list", {"cwds": [str(cwd)], "forceReload": True}),
    ]
    with subprocess.Popen(
        [program, "app-server", *options],
        cwd=cwd,
        env=dict(environment),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        answer: dict[str, Any] = {}
        for number, (method, params) in enumerate(calls):
            message = json.dumps({"id": number, "method": method, "params": params})
            server.stdin.write(message + "\n")
            server.stdin.flush()
            while answer.get("id") != number:
                answer = json.loads(server.stdout.readline())
        server.kill()
    found: dict[str, Any] = answer["result"]["data"][0]
    return found


def read_answer(block: str | None, listed: Mapping[str, Any]) -> SkillAnswer:
    """The two answers as one."""
    lines, roots = split_block(block)
    return SkillAnswer(
        lines=lines,
        roots=roots,
        block_size_bytes=None if block is None else len(block.encode()),
        listed=tuple(
            (skill["name"], skill["scope"], skill["path"], skill["enabled"])
            for skill in listed["skills"]
        ),
        errors=tuple(sorted({read_error(error) for error in listed["errors"]})),
    )


def split_block(block: str | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The lines of the skills, and those of the roots; a name may hold line feeds."""
    if block is None:
        return (), ()
    head, _, rest = block.partition("\n### Available skills\n")
    body = rest.rpartition("\n</skills_instructions>")[0]
    body = body.partition("\n### How to use skills\n")[0]
    roots = head.partition("\n### Skill roots\n")[2]
    lines = re.findall(r"- .*?\(file: [^\n]*\)(?=\n|\Z)", body, re.DOTALL)
    return tuple(lines), tuple(roots.split("\n")) if roots else ()


def read_error(error: Mapping[str, str]) -> tuple[str, str, str]:
    """Path, slug and place of an error of the list."""
    message = error["message"]
    slug = next(slug for start, slug in SLUGS.items() if message.startswith(start))
    place = re.search(r" at line (\d+) column (\d+)", message)
    return (error["path"], slug, f"{place[1]}:{place[2]}" if place else "")
