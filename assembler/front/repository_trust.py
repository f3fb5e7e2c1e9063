"""Whose skills are used: whether the host trusts the repository that a run is in."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path


def judge_repository(
    root: Path, *, trusted: Sequence[Path] | None, untrusted: Sequence[Path]
) -> str | None:
    """Why the repository is not trusted; None: it is.

    The deepest folder that holds the root decides, and of one folder that stands in both lists
    the distrust. Links are resolved on both sides.

    Args:
        root: of the repository.
        trusted: None: the host names none, and what nobody speaks of is trusted.
        untrusted: folders of repositories that are not.
    """
    place = Path(os.path.realpath(root))
    trust = _deepest(place, trusted or ())
    distrust = _deepest(place, untrusted)
    if distrust is not None and (trust is None or len(distrust.parts) >= len(trust.parts)):
        return "the host manifest has its repository under `repositories.untrusted`"
    if trust is None and trusted is not None:
        return "the host manifest has its repository under none of `repositories.trusted`"
    return None


def _deepest(place: Path, folders: Sequence[Path]) -> Path | None:
    real = [Path(os.path.realpath(folder)) for folder in folders]
    holding = [folder for folder in real if place.is_relative_to(folder)]
    return max(holding, key=lambda folder: len(folder.parts), default=None)
