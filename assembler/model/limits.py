"""Bounds of what one run takes in, in one place; each with its unit and reason."""

from __future__ import annotations

from typing import Final

from assembler.model.digest import sha256_hex

MAX_CANDIDATES: Final = 20_000
MAX_ITEM_BYTES: Final = 8 * 1024 * 1024
"""Most bytes of one item; a bigger discovered file is a row and not an item."""
MAX_INVENTORY_BYTES: Final = 64 * 1024 * 1024
MAX_REASON_BYTES: Final = 64 * 1024 * 1024
"""Most bytes that reasons may repeat of an inventory's lists: a ledger is read back whole."""
MAX_REASON_ITEMS: Final = 2_000_000
"""Most ids, dates and topics in all of them; a verifier takes on no more."""
MAX_WHITE_SPACE_RUN: Final = 100_000
"""Characters; tiktoken 0.14 fails on a run of 999,999 (measured)."""
MAX_KEYWORD_CHARACTERS: Final = 100
"""A bound on the time that one keyword takes of each character of a text."""
MAX_ID_BYTES: Final = 512
MAX_WORDS_BYTES: Final = 2_048
MAX_REVISION_BYTES: Final = 128
MAX_PATH_BYTES: Final = 4_096


def is_countable(data: bytes) -> bool:
    """Whether every counter can take the bytes: no run of white space beyond the bound."""
    if len(data) < MAX_WHITE_SPACE_RUN:
        return True
    text = data.decode("utf-8", "replace")
    # A run of that length holds one of these places, so that no other one is looked at.
    return not any(
        text[place].isspace() and _run_around(text, place) >= MAX_WHITE_SPACE_RUN
        for place in range(MAX_WHITE_SPACE_RUN - 1, len(text), MAX_WHITE_SPACE_RUN)
    )


def _run_around(text: str, place: int) -> int:
    """Characters of the run of white space at a place, as far as the bound reaches."""
    before = text[max(0, place - MAX_WHITE_SPACE_RUN) : place]
    behind = text[place : place + MAX_WHITE_SPACE_RUN]
    return len(before) - len(before.rstrip()) + len(behind) - len(behind.lstrip())


def are_words(text: str) -> bool:
    """Whether a reason or a decision says something, within its limit."""
    return bool(text.strip()) and len(text.encode("utf-8")) <= MAX_WORDS_BYTES


def bounded_name(text: str, *, most_bytes: int = MAX_ID_BYTES, prefix: str = "") -> str:
    """`prefix` and the text, or the text's digest where both together are too long.

    A name is never cut: two long paths with one beginning are two things.
    """
    whole = prefix + text
    # A name that looks like a digest is told by its own, or it could pose as a long one.
    if len(whole.encode("utf-8")) <= most_bytes and not text.startswith("sha256:"):
        return whole
    return f"{prefix}sha256:{sha256_hex(text.encode('utf-8'))}"


def bounded_place(text: str) -> str:
    """A place for people, cut at a character where it is too long."""
    return text.encode("utf-8")[:MAX_ID_BYTES].decode("utf-8", "ignore")
