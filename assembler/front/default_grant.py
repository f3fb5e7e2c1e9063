"""Whether anything is configured, and what is granted where it is not, for next to no cost."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from assembler.authorize.read_scope import GrantLayer
from assembler.config.defaults import DEFAULT_DENY, DEFAULT_PROFILE
from assembler.front.places import config_folder
from assembler.model.tree import EntryKind

if TYPE_CHECKING:
    from assembler.ports import PatternSet, SourceTree

_PLAIN_NAMES: Final = frozenset({"agents.override.md", "agents.md", "claude.md", "gemini.md"})
"""Names that no default deny means."""


class _DefaultDenies:
    """The default denies; compiled only for a path that could be meant.

    Most chains are plain names in plain folders, and the patterns cost as much as the rest.
    """

    def may_match(self, text: str) -> bool:
        """Whether a path of the text could be meant."""
        return not all(map(_is_plain, text.split("\n"))) and _compiled().may_match(text)

    def match(self, path: str) -> str | None:
        """The pattern that takes the path in."""
        return None if _is_plain(path) else _compiled().match(path)


class _Everything:
    """An allow list of a host without a manifest."""

    def may_match(self, text: str) -> bool:
        """Always."""
        del text
        return True

    def match(self, path: str) -> str | None:
        """The pattern that takes in every path."""
        del path
        return "**"


def _is_plain(path: str) -> bool:
    folder, _, name = path.rpartition("/")
    return name.lower() in _PLAIN_NAMES and not {".", "_"} & set(folder)


@cache
def _compiled() -> PatternSet:
    from assembler.adapters.patterns import compile_patterns

    return compile_patterns(DEFAULT_DENY, where="built-in")


DEFAULT_DENIES: Final = _DefaultDenies()
DEFAULT_LAYER: Final = GrantLayer(name="host", deny=DEFAULT_DENIES, allow=_Everything())
"""Of a command without configuration."""


def is_configured(
    tree: SourceTree,
    environment: Mapping[str, str],
    *,
    profile: str | None,
    host: Path | None,
) -> bool:
    """Whether there is anything to load; reading configuration costs as much as the rest."""
    if profile is not None or host is not None:
        return True
    if environment.get("ASSEMBLER_PROFILE") or environment.get("ASSEMBLER_HOST"):
        return True
    folder = config_folder(environment)
    if folder is not None and os.path.lexists(folder / "host.yaml"):
        return True
    return tree.look_up([DEFAULT_PROFILE])[DEFAULT_PROFILE].kind is not EntryKind.MISSING
