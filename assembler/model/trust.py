"""The words of trust, the most first; a rule gives them, never a text."""

from __future__ import annotations

from typing import Final

TRUST_WORDS: Final = ("authorized", "observed", "repository", "derived", "untrusted")
