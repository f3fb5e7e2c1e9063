"""A definition in full, for whoever approves it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from assembler.cli.text_change import hidden_note, spell_lines

_SHOWN_APART: Final = ("name", "description")


def definition_lines(wire: Mapping[str, Any]) -> Iterator[str]:
    """Description first, as text; everything else as JSON; then what nobody sees."""
    description = wire.get("description")
    if isinstance(description, str):
        yield from spell_lines(description)
    shown = {key: wire[key] for key in wire if key not in _SHOWN_APART}
    if not isinstance(description, str) and "description" in wire:
        shown["description"] = description
    yield from spell_lines(json.dumps(shown, ensure_ascii=False, sort_keys=True, indent=1))
    note = hidden_note(json.dumps(wire, ensure_ascii=False))
    if note:
        yield note
