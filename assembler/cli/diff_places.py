"""Two places in time side by side, for a person and for a program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from assembler.cli.diff_findings import beside_rows, codes_by_item, findings_line, item_key
from assembler.cli.diff_settings import NO_COMMITS, Cells, judging_lines, profile_rows
from assembler.cli.diff_texts import ItemTexts, line_counts, pair_texts
from assembler.cli.output import escape, lay_out, number
from assembler.model.chain import parent_folder
from assembler.model.names import first_few

if TYPE_CHECKING:
    from assembler.compare.sight_changes import FolderChange, ItemChange, SightChanges
    from assembler.compare.sights import SeenItem, Sight
    from assembler.front.differing import SightPair

_MARKS: Final = {"added": "A", "removed": "D"}
"""Of the other kinds of change it is M."""
MOST_STARTS: Final = 20
"""Rows of the first table; JSON has all folders."""


def texts_of(pair: SightPair) -> list[ItemTexts]:
    """What the model reads of each item that differs, on both sides; each once.

    Of a skill that is its line, and SKILL.md, which it reads when the skill is used.
    """
    found: dict[tuple[str, str | None, str | None], str] = {}
    told = {change.id for change in pair.changes.changes if change.item.kind == "instruction"}
    readers = _readers(pair.changes)
    for change in pair.changes.changes:
        name, one, other = change.id, change.old, change.new
        if change.item.kind == "skill":
            # What is listed of it is a line; the file is text of its own.
            found[f"{name} line", _text(one), _text(other)] = "\n"
            found[f"{name} SKILL.md", _head(one), _head(other)] = ""
        elif change.item.kind == "agent":
            # Another agent's own text of the same file differs in its edges at most.
            if change.item.parts:
                # A line has the place of the file on some machine; the file has not.
                found[str(change.item.path), _head(one), _head(other)] = ""
            elif change.item.path not in told:
                key = (str(change.item.path), _text(one), _text(other))
                found[readers.get(key, "") + key[0], *key[1:]] = "\n"
        else:
            found[name, _text(one), _text(other)] = ""
    items: list[ItemTexts] = []
    for (name, before, after), end in found.items():
        if before == after:
            continue
        sides = _bytes(pair.old, before, end), _bytes(pair.new, after, end)
        if None in (sides[0] if before else b"", sides[1] if after else b""):
            items.append(ItemTexts(name, None, None, is_withheld=True))
        else:
            items += pair_texts([(name, *sides)])
    return items


def _readers(changes: SightChanges) -> dict[tuple[str, str | None, str | None], str]:
    """`claude,gemini:` of each text that these agents alone begin or cease to read.

    The file itself may be as it was, which a hunk of the file's name would deny.
    """
    agents: dict[tuple[str, str | None, str | None], list[str]] = {}
    for change in changes.changes:
        one, other = _text(change.old), _text(change.new)
        if change.item.kind == "agent" and (one is None or other is None):
            key = (str(change.item.path), one, other)
            agents.setdefault(key, []).append(change.id.partition(":")[0])
    return {key: f"{','.join(sorted(set(names)))}:" for key, names in agents.items()}


def _text(item: SeenItem | None) -> str | None:
    return None if item is None else item.text_sha256


def _head(item: SeenItem | None) -> str | None:
    return item.parts[0].sha256 if item is not None and item.parts else None


def _bytes(sight: Sight, digest: str | None, end: str) -> bytes | None:
    """The text with its end, unless it has that; None where there is none that may be shown."""
    data = None if digest is None else sight.texts.get(digest)
    return None if data is None else data.removesuffix(end.encode()) + end.encode()


def headline(pair: SightPair) -> str:
    """What is compared with what."""
    old, new = place_of(pair.old), place_of(pair.new)
    return f"What an agent would see differently, {old} -> {new}"


def place_of(sight: Sight) -> str:
    """A place as it was named, and its commit."""
    short = (sight.revision or "")[:7]
    if sight.at in NO_COMMITS:
        return sight.at
    return escape(sight.name) if sight.name.startswith(short) else f"{escape(sight.name)} {short}"


def to_lines(pair: SightPair, *, color: bool) -> list[str]:
    """Figures of the folders, each change, and the findings that came and went."""
    changes = pair.changes
    lines = [f"{headline(pair)}        {counters_of(pair)}"]
    starts = start_rows(changes.folders)
    if starts:
        cells = [("", "started in", "policy", "skills", "tools", "all", ""), *starts]
        lines += lay_out(cells, right=(2, 3, 4, 5), color=color)
    rows = item_rows(pair)
    if rows:
        lines += [f"  {line}" for line in lay_out(rows, color=color)]
    lines += [f"verdict: {changes.verdict}", findings_line(changes)]
    lines += [f"  {line}" for line in beside_rows(changes)]
    return [*lines, *judging_lines(pair)]


def counters_of(pair: SightPair) -> str:
    """What is counted, on both sides."""
    old, new = pair.old.counter, pair.new.counter
    return f"tokens: {new}" if old == new else f"tokens: {old} -> {new}"


def start_rows(folders: Sequence[FolderChange]) -> list[Cells]:
    """A row for all folders with the same figures, those that change."""
    groups: dict[tuple[object, ...], list[FolderChange]] = {}
    for folder in folders:
        if not folder.is_same:
            groups.setdefault(folder[1:], []).append(folder)
    ordered = sorted(groups.values(), key=lambda group: (len(group), group[0].folder))
    rows = [_start_row(group) for group in ordered[:MOST_STARTS]]
    left = sum(len(group) for group in ordered[MOST_STARTS:])
    if left:
        rows.append(("", f"{left:,} more folders: --format json", "", "", "", "", ""))
    same = sum(folder.is_same for folder in folders)
    if rows and same:
        rows.append(("", f"{same:,} other{'s' if same > 1 else ''}", "the same", "", "", "", ""))
    return rows


def _start_row(group: Sequence[FolderChange]) -> Cells:
    first = group[0]
    more = len(group) - 1
    name = escape(first.folder or ".")
    if more:
        name += f" and {more:,} other{'s' if more > 1 else ''}"
    figures = [
        f"{number(one)} = {number(other)}" if one == other else f"{number(one)} -> {number(other)}"
        for one, other in zip(first.old, first.new, strict=True)
    ]
    note = ", ".join(
        f"{count:,} {'item' if count == 1 else 'items'} {words}"
        for count, words in (
            (first.lost, "no longer loads" if first.lost == 1 else "no longer load"),
            (first.gained, "more"),
        )
        if count
    )
    return ("", name, *figures, f"{first.total:+,}", note)


def item_rows(pair: SightPair) -> list[Cells]:
    """A row for each change of an item, a profile or a setting, and for tools that are the same."""
    changes = pair.changes
    codes = codes_by_item(changes)
    lines = {item.id: line_counts(item) for item in texts_of(pair)}
    rows: list[Cells] = []
    for change in changes.changes:
        words = _words(change, lines)
        where = _where(change, changes)
        told = " ".join(sorted(codes.get(item_key(change), ())))
        mark = _MARKS.get(change.what, "M")
        rows.append((mark, escape(change.id), f"{words}{where}", told))
    rows += profile_rows(changes)
    rows += _same_rows(changes.same)
    return rows


def _words(change: ItemChange, lines: Mapping[str, Mapping[str, int | None]]) -> str:
    old, new = change.old, change.new
    if old is None or new is None:
        return _one_sided(change)
    if change.item.parts and change.what in ("content", "files"):
        return f"{_skill_words(old, new)}{_why(new)}"
    figures = f"{number(old.tokens)} -> {number(new.tokens)} tokens"
    if change.what == "moved":
        came = new.is_in
        tokens = new.tokens if came else old.tokens
        amount = f"{number(tokens)} tokens {'more' if came else 'gone'}"
        return f"{_state(old)} -> {_state(new)}, {amount}{_why(new)}"
    if change.what == "content":
        state = "" if old.state == new.state else f"{old.state} -> {new.state}, "
        return f"{state}{figures}{_spell_lines(lines.get(change.id))}{_why(new)}"
    if change.what == "files":
        sizes = f"{number(old.size_bytes)} -> {number(new.size_bytes)} bytes"
        return f"{sizes}, and the same of it is read{_why(new)}"
    moved = f", {escape(old.path or '-')} -> {escape(new.path or '-')}"
    path = "" if old.path == new.path else moved
    return f"{_state(old)} -> {_state(new)}{path}{_why(new)}"


def _spell_lines(counted: Mapping[str, int | None] | None) -> str:
    """How many lines came and went, where that may be told."""
    if counted is None or counted["added"] is None:
        return ""
    return f", +{number(counted['added'])} -{number(counted['removed'])} lines"


def _one_sided(change: ItemChange) -> str:
    item = change.item
    if not item.is_in:
        was = "was " if change.new is None else ""
        return f"{was}{_state(item)}{_why(item)}"
    tokens = f"{number(item.tokens)} tokens"
    state = "" if item.state == "in" else f"{item.state}, "
    return f"{state}{tokens}{' gone' if change.new is None else ''}{_why(item)}"


def _state(item: SeenItem) -> str:
    return f"{item.state} ({item.reason})" if item.state == "out" and item.reason else item.state


def _why(item: SeenItem) -> str:
    """Why an item is not in whole, and what the model does not read of it."""
    if item.state == "in":
        return ""
    note = f": {escape(item.note)}" if item.note else ""
    headings = [f'"{escape(text)}"' for text in item.lost]
    lost = f"; lost {', '.join(first_few(headings))}" if headings else ""
    return f"{note}{lost}"


def _skill_words(old: SeenItem, new: SeenItem) -> str:
    parts = []
    if old.text_sha256 != new.text_sha256:
        parts.append(f"line {number(old.tokens)} -> {number(new.tokens)}")
    before = {part.name: part for part in old.parts}
    after = {part.name: part for part in new.parts}
    for name in sorted({*before, *after}, key=lambda name: (name != "SKILL.md", name)):
        one, other = before.get(name), after.get(name)
        if one == other:
            continue
        if one is None or other is None:
            parts.append(f"{'+' if one is None else '-'}{escape(name)}")
        elif one.tokens is not None and other.tokens is not None:
            parts.append(f"{escape(name)} {number(one.tokens)} -> {number(other.tokens)}")
        else:
            parts.append(escape(name))
    moved = "" if old.path == new.path else f", now {escape(new.path or '-')}"
    return ", ".join(first_few(parts)) + moved


def _where(change: ItemChange, changes: SightChanges) -> str:
    """In which folders, where not in all in which it could be."""
    item = change.item
    if item.kind == "tool":
        return ""
    level = parent_folder(change.id) if item.kind == "instruction" else ""
    could = [
        folder.folder
        for folder in changes.folders
        if not level or folder.folder == level or folder.folder.startswith(f"{level}/")
    ]
    if len(change.folders) >= len(could):
        return ""
    names = [escape(folder or ".") for folder in change.folders]
    more = len(names) - 1
    return f" in {names[0]}" + (f" and {more:,} other{'s' if more > 1 else ''}" if more else "")


def _same_rows(items: Iterable[SeenItem]) -> list[Cells]:
    """Tools that are in as before, a line for each server: that they are is worth knowing."""
    groups: dict[str, list[SeenItem]] = {}
    for item in filter(lambda one: one.is_in, items):
        server, has_server, _ = item.id.removeprefix("tool:").partition("/")
        groups.setdefault(f"tools:{server}" if has_server else "resident tools", []).append(item)
    rows: list[Cells] = []
    for name in sorted(groups):
        tools = groups[name]
        count = f"{len(tools):,} {'tool' if len(tools) == 1 else 'tools'}"
        tokens = sum(tool.tokens for tool in tools)
        rows.append(("=", escape(name), f"{count}, {number(tokens)} tokens", ""))
    return rows


def to_body(pair: SightPair) -> dict[str, Any]:
    """The members of the JSON document."""
    changes = pair.changes
    return {
        "from": _side_body(pair.old),
        "to": _side_body(pair.new),
        "verdict": changes.verdict,
        "folders": [_folder_body(folder) for folder in changes.folders],
        "changes": [
            {
                "what": change.what,
                "id": change.id,
                "kind": change.item.kind,
                "folders": [folder or "." for folder in change.folders],
                "from": None if change.old is None else change.old.to_json(),
                "to": None if change.new is None else change.new.to_json(),
            }
            for change in changes.changes
        ],
        "settings": [
            {"name": change.name, "from": change.old, "to": change.new}
            for change in changes.settings
        ],
        "profiles": [
            {"path": path, "from": one, "to": other} for path, one, other in changes.profiles
        ],
        "texts": [
            {"id": item.id, "withheld": item.is_withheld, **line_counts(item)}
            for item in texts_of(pair)
        ],
        "judging": [{"path": item.path, "what": item.what} for item in pair.judging],
        "findings_new": [finding.to_json() for finding in changes.findings_new],
        "findings_fixed": [finding.to_json() for finding in changes.findings_fixed],
        "findings_excepted": [finding.to_json() for finding in changes.findings_excepted],
    }


def _side_body(sight: Sight) -> dict[str, Any]:
    return {
        "name": sight.name,
        "at": sight.at,
        "revision": sight.revision,
        "profile": sight.profile,
        "counter": sight.counter,
    }


def _folder_body(folder: FolderChange) -> dict[str, Any]:
    names = ("policy", "skills", "tools")
    return {
        "folder": folder.folder or ".",
        "from": dict(zip(names, folder.old, strict=True)),
        "to": dict(zip(names, folder.new, strict=True)),
        "tokens": folder.total,
        "lost": folder.lost,
        "gained": folder.gained,
    }
