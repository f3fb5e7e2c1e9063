"""The five sections of an input: where each stands in the text, and where in the request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assembler.model.candidate import SECTIONS


def place_sections(manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Section, `start` and `end` in the text, and `bound`: its stretches of the request.

    A stretch is a JSON pointer and the bytes of the string there; a tool's place has no bytes.
    Layouts without headings have no offsets for sections, and no stretches.
    """
    if not manifest["sections"]:
        return [{"section": name, "start": None, "end": None, "bound": []} for name in SECTIONS]
    return [
        {**section, "bound": _stretches(section, manifest["segments"])}
        for section in manifest["sections"]
    ]


def _stretches(
    section: Mapping[str, Any], segments: list[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    stretches = []
    for segment in segments:
        start = max(section["start"], segment["start"])
        end = min(section["end"], segment["end"])
        if start >= end:
            continue
        shift = None if segment["at"] is None else segment["at"] - segment["start"]
        stretches.append(
            {
                "pointer": segment["pointer"],
                "start": None if shift is None else start + shift,
                "end": None if shift is None else end + shift,
            }
        )
    return stretches
