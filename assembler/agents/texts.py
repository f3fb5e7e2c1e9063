"""What becomes of the bytes of an instruction file before a model reads them. Pure."""

from __future__ import annotations

import re
from typing import Final

from assembler.agents.markdown_imports import without_comments
from assembler.agents.rules import TextRules
from assembler.agents.white_space import JS_WHITE_SPACE

_FRONT_MATTER: Final = re.compile(r"\A\ufeff?---\s*\n(.*?)---\s*\n?", re.S)
"""Of Claude Code: the block ends at the next dashes, wherever they stand (measured)."""


def split_front_matter(text: str) -> tuple[str | None, str]:
    """The block between two lines of dashes at the beginning, and what follows it."""
    found = _FRONT_MATTER.match(text)
    return (None, text) if found is None else (found.group(1), text[found.end() :])


def decode(data: bytes, rules: TextRules) -> str:
    """The text of the bytes; what is not UTF-8 becomes U+FFFD, as many as a browser makes."""
    text = data.decode("utf-8", "replace")
    return text.removeprefix("\ufeff") if rules.drops_bom and not rules.parses_bom else text


def treat(text: str, rules: TextRules) -> str:
    """The text as the model reads it; empty where there is no entry.

    Args:
        text: decoded.
        rules: of the agent.
    """
    if rules.drops_front_matter:
        text = split_front_matter(text)[1]
    if rules.drops_comments:
        text = without_comments(text)
    if rules.parses_bom:
        text = text.removeprefix("\ufeff")
    if not rules.keeps_blank and not text.strip(JS_WHITE_SPACE):
        return ""
    return text.strip(JS_WHITE_SPACE) if rules.trims else text
