"""A drift in words: which tool, which member, what it is for, what it was and what it is now."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from assembler.assess.catalog_drift import (
    MISSING,
    CatalogDrift,
    Difference,
    IdentityChange,
    ToolChange,
    code_of_change,
    code_of_identity,
)
from assembler.cli.definition_view import definition_lines
from assembler.cli.output import escape, number, paint
from assembler.cli.text_change import notes, side_by_side, spell_line
from assembler.cli.tool_list_view import tool_name
from assembler.model.catalog import RENDERED_MEMBERS

CLASS_WORDS: Final = {
    "text": "text the model reads",
    "schema": "schema the model reads",
    "annotations": "a hint, decides nothing",
    "display": "for people, not rendered",
    "vendor": "the vendor's own, not rendered",
}
_SCHEMA_WORDS: Final[dict[str | int, str]] = {
    "outputSchema": "schema of its answer, not rendered",
    "execution": "how it is called, not rendered",
}
MAX_INLINE_CHARACTERS: Final = 40
"""Two values that stand on one line."""
_KIND_WORDS: Final = {"added": "new", "removed": "gone", "changed": "changed"}


def drift_lines(
    drift: CatalogDrift, allowed: frozenset[str], instructions: str | None, *, color: bool
) -> Iterator[str]:
    """Every change, indented below its server's line.

    Args:
        drift: what changed.
        allowed: names that host and profile allow.
        instructions: the server's text as it is now, where it was asked.
        color: paint removed and added lines.
    """
    width = max((len(tool_name(change.name)) for change in drift.changes), default=0)
    if len(drift.changes) > 1:
        yield f"  {_summary(drift)}"
    for change in drift.changes:
        head = f"  {tool_name(change.name).ljust(width)}  {_KIND_WORDS[change.kind]:<7}"
        if change.kind != "changed":
            yield f"{head}  {_told(change, allowed)}"
        if change.new_wire is not None and change.kind == "added":
            for line in definition_lines(change.new_wire):
                yield paint(f"    + {line}", "32", color=color)
        for difference in sorted(change.differences, key=_is_unseen):
            yield from _difference_lines(head, difference, change.name in allowed, color=color)
    for identity in drift.identity:
        yield from _identity_lines(identity, instructions, color=color)
    if drift.unchanged:
        yield f"  {number(drift.unchanged)} {'tool' if drift.unchanged == 1 else 'tools'} unchanged"


def _summary(drift: CatalogDrift) -> str:
    """How many tools, and how many of them in what a model is shown."""
    kinds = [change.kind for change in drift.changes]
    counts = [
        f"{number(kinds.count(kind))} {word}" for kind, word in _KIND_WORDS.items() if kind in kinds
    ]
    seen = sum(
        any(not _is_unseen(difference) for difference in change.differences)
        for change in drift.changes
    )
    changed = kinds.count("changed")
    shown = f"; of the changed {number(seen)} in what a model is shown" if changed else ""
    return f"{', '.join(counts)}{shown}"


def _is_unseen(difference: Difference) -> bool:
    """Whether nothing of it is rendered; such changes are told behind the others."""
    return difference.steps[0] not in RENDERED_MEMBERS


def change_to_json(change: ToolChange, *, is_allowed: bool) -> dict[str, Any]:
    """`kind`, `code`, `fields`, and each difference with what stood and stands there."""
    return {
        "kind": change.kind,
        "code": code_of_change(change, is_allowed=is_allowed),
        "fields": list(change.fields),
        "other_name": change.other_name,
        "definition": change.new_wire if change.kind == "added" else None,
        "differences": [
            {
                "path": difference.path,
                "class": difference.field_class,
                "order_alone": difference.is_order_alone,
                **({} if difference.old is MISSING else {"old": difference.old}),
                **({} if difference.new is MISSING else {"new": difference.new}),
            }
            for difference in change.differences
        ],
    }


def identity_to_json(change: IdentityChange) -> dict[str, Any]:
    """One change of the server beside its tools."""
    return {
        "field": change.field, "code": code_of_identity(change),
        "old": change.old, "new": change.new, "drift": change.is_drift,
    }  # fmt: skip


def _told(change: ToolChange, allowed: frozenset[str]) -> str:
    is_allowed = change.name in allowed
    if change.kind == "added":
        told = "allowed; enters once it is approved" if is_allowed else "stays out: not allowed"
    else:
        told = "allowed, and no longer listed" if is_allowed else "no longer listed"
    if change.other_name is None:
        return told
    verb = "was" if change.kind == "added" else "is now"
    return f"{told}; {verb} {tool_name(change.other_name)}, the same but for its name"


def _difference_lines(
    head: str, difference: Difference, is_allowed: bool, *, color: bool
) -> Iterator[str]:
    words = _SCHEMA_WORDS.get(difference.steps[0]) or CLASS_WORDS[difference.field_class]
    if difference.is_order_alone:
        words += ", order alone"
    if is_allowed:
        words += "; allowed"
    path = escape(difference.path)
    old, new = difference.old, difference.new
    if isinstance(old, str) and isinstance(new, str) and difference.field_class == "text":
        yield f"{head}  {path}: {words}"
        yield from side_by_side(old, new, color=color)
        return
    short = _spell(old), _spell(new)
    if sum(map(len, short)) <= MAX_INLINE_CHARACTERS:
        yield f"{head}  {path}: {' -> '.join(map(spell_line, short))}      {words}"
        yield from notes(*short)
        return
    yield f"{head}  {path}: {words}"
    yield from side_by_side(_spell_long(old), _spell_long(new), color=color)


def _identity_lines(
    change: IdentityChange, instructions: str | None, *, color: bool
) -> Iterator[str]:
    match change.field:
        case "instructions":
            was = "changed" if change.is_drift else "were not pinned so far"
            yield f"  server instructions {was}: text the model may read"
            old, new = (_short(value) for value in (change.old, change.new))
            if instructions is None:
                yield f"    digest {old} -> {new}: it says nothing any more"
                return
            yield f"    digest {old} -> {new}; the old text is not kept, the new one:"
            yield from side_by_side("", instructions, color=color)
        case "protocol":
            yield f"  protocol version {escape(str(change.old))} -> {escape(str(change.new))}: told"
        case "capabilities":
            yield "  the client announces other capabilities than when it was pinned: told"
        case _:
            if change.is_drift:
                yield f"  {change.field} is not what was pinned: another server under this name?"
            else:
                yield f"  {change.field} was not pinned so far: the pin came from a listing"
            old, new = (json.dumps(v, indent=1, sort_keys=True) for v in (change.old, change.new))
            yield from side_by_side(old, new, color=color)


def _short(digest: str | None) -> str:
    return "none" if digest is None else digest.removeprefix("sha256:")[:12]


def _spell(value: Any) -> str:
    """As JSON on one line, so that a text and a number of the same letters differ."""
    return "(none)" if value is MISSING else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _spell_long(value: Any) -> str:
    """As JSON over several lines."""
    if value is MISSING:
        return "(none)"
    return json.dumps(value, ensure_ascii=False, sort_keys=True, indent=1)
