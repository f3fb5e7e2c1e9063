"""Trust by source class: a rule of host and profile, never a word of the text itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from assembler.model.trust import TRUST_WORDS

DEFAULT_TRUST: Final = {
    "source": "repository",
    "test": "observed",
    "observation": "observed",
    "issue": "untrusted",
    "summary": "derived",
}


def combine_trust(asked: Mapping[str, str], *, may_widen: bool) -> dict[str, str]:
    """The trust word of each class.

    Args:
        asked: what the profile says.
        may_widen: the profile is the host's word; one found in the repository only narrows.
    """
    combined: dict[str, str] = {}
    for source_class, default in DEFAULT_TRUST.items():
        word = asked.get(source_class, default)
        combined[source_class] = word if may_widen else min_trust(word, default)
    return combined


def min_trust(one: str, other: str) -> str:
    """The word with less authority."""
    return max(one, other, key=TRUST_WORDS.index)
