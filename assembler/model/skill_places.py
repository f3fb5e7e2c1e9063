"""Where skills stand: the file that makes one, and the folders that hold them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

SKILL_FILE: Final = "SKILL.md"
DEFAULT_SKILL_ROOTS: Final = (".agents/skills",)


def all_roots(inside: Sequence[str]) -> tuple[str, ...]:
    """The folders of skills that every level of a repository may have, the usual one first."""
    return tuple(dict.fromkeys((*DEFAULT_SKILL_ROOTS, *inside)))


def skill_names(roots: Sequence[str]) -> set[str]:
    """SKILL.md and the first part of each root: where they stand says where skills can be."""
    return {SKILL_FILE, *(root.partition("/")[0] for root in roots)}
