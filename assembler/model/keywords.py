"""Find keywords in a text as whole words, in any script and whatever the case of letters."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Final

_JOINERS: Final = "\u200c\u200d"
"""Zero-width (non-)joiner: inside a word in Persian and in Indic scripts."""


def find_keyword(text: str, keywords: Iterable[str]) -> str | None:
    """The first of the keywords that stands in the text; None if none does.

    Time grows with the text, since a keyword is short (`MAX_KEYWORD_CHARACTERS`).
    Case and the Unicode form of letters make no difference, a run of white space is one blank.
    A keyword's end that is part of a word ends at the end of one: `pars` is not in `parser`.
    """
    folded = _fold(text)
    return next((keyword for keyword in keywords if _holds(folded, _fold(keyword))), None)


def _fold(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def _holds(text: str, keyword: str) -> bool:
    if not keyword:
        return False
    opens, closes = _is_in_word(keyword[0]), _is_in_word(keyword[-1])
    start = text.find(keyword)
    while start >= 0:
        end = start + len(keyword)
        is_begun = opens and start > 0 and _is_in_word(text[start - 1])
        goes_on = closes and end < len(text) and _is_in_word(text[end])
        if not is_begun and not goes_on:
            return True
        start = text.find(keyword, start + 1)
    return False


def _is_in_word(character: str) -> bool:
    """Letters, digits, marks and `_`: what a word is made of."""
    if character.isalnum() or character in _JOINERS or character == "_":
        return True
    return unicodedata.category(character).startswith("M")
