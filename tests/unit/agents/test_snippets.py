"""What two real programs make of small texts: which of them import, and what is cut out.

Recorded from Claude Code 2.1.332 and Gemini CLI 0.61.0, and equal to ours at that time; the
differential tests ask the programs anew where they are installed.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from assembler.agents.inline_imports import mentions
from assembler.agents.markdown import read_blocks
from assembler.agents.markdown_imports import named_paths, without_comments
from assembler.agents.texts import JS_WHITE_SPACE, split_front_matter

CASES = Path(__file__).parents[2] / "conformance/agents"


def snippets(name: str) -> list[Any]:
    found: list[Any] = json.loads((CASES / f"{name}-snippets.json").read_bytes())["snippets"]
    return found


@pytest.mark.parametrize("case", snippets("claude"), ids=lambda case: repr(case["text"])[:40])
def test_claude__follows_what_it_followed(case: dict[str, Any]) -> None:
    body = split_front_matter(case["text"])[1].strip()
    paths = named_paths(body)
    assert ("x.md" in paths or "./x.md" in paths) == case["imports"]
    assert without_comments(body).strip() == case["without_comments"]


@pytest.mark.parametrize("case", snippets("gemini"), ids=lambda case: repr(case["text"])[:40])
def test_gemini__replaces_what_it_replaced(case: dict[str, Any]) -> None:
    assert [found.group(1) for found in mentions(case["text"])] == case["imports"]


@pytest.mark.parametrize(
    "text",
    [
        "> " * 5_000 + "a",
        "- " * 5_000 + "a",
        "`" * 40_000,
        "` `` " * 20_000,
        "*a " * 30_000,
        "_a* " * 30_000,
        "[" * 50_000,
        "![a](" * 20_000,
        "<a " * 30_000,
        "<!--" * 30_000,
        "<!-- a\n" * 20_000,
        "<div>\n" * 20_000,
        "<script>\n" * 20_000,
        "[a]: " * 20_000,
        "- a\n  - b\n" * 5_000,
        "> a\nb\n" * 10_000,
        "    a\n\n" * 20_000,
        "a\n" * 50_000,
        "\\" * 50_000,
        "@a " * 30_000,
        "~~~\n" * 20_001,
        "---\n" * 20_000,
        "&" * 50_000,
    ],
    ids=lambda text: repr(text[:8]),
)
def test_hostile_text__ends(text: str) -> None:
    began = time.monotonic()
    assert "".join(block.raw for block in read_blocks(text)) == text
    named_paths(text)
    without_comments(text)
    list(mentions(text))
    assert time.monotonic() - began < 60  # a hang, not a speed


@pytest.mark.parametrize(
    ("text", "block", "rest"),
    [
        ("---\na: b\n---\nc", "a: b\n", "c"),
        ("--- \n\na\n---\n\n  c", "a\n", "c"),
        ("---\na --- b\n---\nc", "a ", "b\n---\nc"),
        ("\n---\na\n---\n", None, "\n---\na\n---\n"),
        ("---\na", None, "---\na"),
        ("", None, ""),
    ],
)
def test_front_matter__ends_at_the_next_dashes(text: str, block: str | None, rest: str) -> None:
    assert split_front_matter(text) == (block, rest)


def test_white_space__is_that_of_javascript() -> None:
    assert " \u00a0\ufeff\u2028a\x85\u2029".strip(JS_WHITE_SPACE) == "a\x85"
