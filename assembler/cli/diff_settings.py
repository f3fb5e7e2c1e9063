"""What differs of the profile between two places, and of the other files that judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from assembler.cli.output import escape, number
from assembler.model.names import first_few

if TYPE_CHECKING:
    from assembler.compare.sight_changes import SightChanges
    from assembler.front.differing import SightPair

Cells = tuple[str, ...]
NO_COMMITS: Final = ("worktree", "index")
TOLD_BY_CHECK: Final = "ASM703, and what the older lock and pins say (ASM210, ASM3xx, ASM701)"
"""What needs one side to judge the other; in a comparison each side judges itself."""
MAX_ENTRY_CHARACTERS: Final = 160
"""Of one entry of a list, or one path; JSON has them whole."""


def profile_rows(changes: SightChanges) -> list[Cells]:
    """A row for each profile file that differs, and for each member of the one in use."""
    rows: list[Cells] = []
    for path, one, other in changes.profiles:
        mark = "A" if one is None else "D" if other is None else "M"
        digests = " -> ".join(digest[:12] for digest in (one, other) if digest)
        rows.append((mark, escape(path), digests, ""))
    rows += [
        ("M", f"profile: {escape(change.name)}", _setting(change.old, change.new), "")
        for change in changes.settings
    ]
    return rows


def judging_lines(pair: SightPair) -> list[str]:
    """Which files that judge differ, and who tells what that means: no comparison does."""
    paths = [f"{_cut(escape(item.path))} ({item.what})" for item in pair.judging]
    if not paths:
        return []
    old, new = pair.old, pair.new
    at = new.at if new.at in NO_COMMITS else (new.revision or "")[:12]
    by = "REV" if old.at in NO_COMMITS else (old.revision or "")[:12]
    return [
        f"files that judge differ: {', '.join(first_few(paths))}",
        f"told by check alone: {TOLD_BY_CHECK}: assembler check --at {at} --policy-from {by}",
    ]


def _setting(old: object, new: object) -> str:
    if isinstance(old, list) or isinstance(new, list):
        return _entries(_list(old), _list(new))
    words = _value(old), _value(new)
    return "other ones" if words[0] == words[1] else " -> ".join(words)


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _entries(old: Sequence[object], new: Sequence[object]) -> str:
    """The entries of a list that came and went."""
    came = [f"+{_cut(_entry(entry))}" for entry in new if entry not in old]
    went = [f"-{_cut(_entry(entry))}" for entry in old if entry not in new]
    return ", ".join([*first_few(came), *first_few(went)]) or "the same in another order"


def _entry(value: object) -> str:
    """One entry of a list: of an exception its code, path and reason."""
    if not isinstance(value, Mapping):
        return escape(str(value))
    words = [f"{escape(str(key))}: {_value(item)}" for key, item in value.items() if item]
    if "reason" in value:
        named = [escape(str(value[key])) for key in ("code", "path") if value.get(key)]
        words = [*named, f"({escape(str(value['reason']))})"]
    return " ".join(words)


def _value(value: object) -> str:
    """A member of the profile in a word or a figure; of a mapping how much it has."""
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case int():
            return number(value)
        case list() | dict():
            return f"{len(value):,} {'entry' if len(value) == 1 else 'entries'}"
        case _:
            return escape(str(value))


def _cut(text: str) -> str:
    if len(text) <= MAX_ENTRY_CHARACTERS:
        return text
    return f"{text[: MAX_ENTRY_CHARACTERS - 3]}..."
