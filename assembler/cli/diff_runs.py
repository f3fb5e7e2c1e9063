"""Two runs side by side, for a person and for a program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from assembler.cli.diff_texts import ItemTexts, pair_texts
from assembler.cli.output import escape, lay_out, number
from assembler.cli.row_view import row_note, row_state
from assembler.model.counting import plural

if TYPE_CHECKING:
    from assembler.compare.packages import Change, Comparison
    from assembler.errors import RefusedError
    from assembler.front.run_pairs import RunPair, RunSide

_MARKS: Final = {"added": "A", "removed": "D"}
"""Of the other kinds of change it is M."""
SAME_REFUSAL: Final = "refused alike"
ONE_REFUSED: Final = "one of them is refused"


def to_lines(pair: RunPair, *, color: bool) -> list[str]:
    """The verdict, the identities, each change, and the figures of the budget that differ."""
    names = (pair.old.name, pair.new.name)
    if pair.comparison is None:
        return [_headline(names, _refusal_verdict(pair)), *_refusal_lines(pair)]
    assert pair.new.manifest is not None  # where there is a comparison, both have one
    unit = plural(pair.new.manifest["budget"]["unit"])
    return _lines(pair.comparison, names, unit, color=color)


def to_body(pair: RunPair) -> dict[str, Any]:
    """The members of the JSON document."""
    body = {
        "from": {"name": pair.old.name, "refusal": _refusal_body(pair.old)},
        "to": {"name": pair.new.name, "refusal": _refusal_body(pair.new)},
    }
    if pair.comparison is not None:
        return {**body, **_body(pair.comparison)}
    verdict = _refusal_verdict(pair)
    nothing = {"identities": {}, "changes": [], "unchanged": 0, "budget": {}}
    return {**body, "verdict": verdict, **nothing}


def texts_of(pair: RunPair) -> list[ItemTexts]:
    """What the model reads of each item that differs, on both sides, by id."""
    if pair.comparison is None:
        return []
    old, new = pair.texts()
    names = sorted(change.id for change in pair.comparison.changes)
    return pair_texts((name, old.get(name), new.get(name)) for name in names)


def _refusal_verdict(pair: RunPair) -> str:
    return SAME_REFUSAL if pair.is_identical else ONE_REFUSED


def _refusal_lines(pair: RunPair) -> list[str]:
    lines = []
    for side in (pair.old, pair.new):
        if side.refusal is None:
            lines.append(f"  {escape(side.name)}: makes an input")
        else:
            lines.append(f"  {escape(side.name)}: refused: {_spell(side.refusal)}")
    return lines


def _spell(error: RefusedError) -> str:
    where = f", {escape(error.where)}" if error.where else ""
    return f"{escape(error.message)} ({error.code}{where})"


def _refusal_body(side: RunSide) -> dict[str, Any] | None:
    error = side.refusal
    if error is None:
        return None
    return {"code": error.code, "message": error.message, "where": error.where}


def _headline(names: tuple[str, str], verdict: str) -> str:
    old, new = (f"run {name}" if name.isdecimal() else escape(name) for name in names)
    return f"{old} -> {new}: {verdict}"


def _lines(found: Comparison, names: tuple[str, str], unit: str, *, color: bool) -> list[str]:
    identities = [
        (name, f"{one[:12]} =" if one == other else f"{one[:12]} -> {other[:12]}")
        for name, (one, other) in found.identities.items()
    ]
    lines = [
        _headline(names, found.verdict),
        *(f"  {line}" for line in lay_out(identities, color=False)),
    ]
    rows = [
        (_MARKS.get(change.what, "M"), escape(change.id), _words(change, unit))
        for change in found.changes
    ]
    lines += lay_out(rows, color=color) if rows else []
    lines += [f"=  {found.unchanged} the same"] if found.unchanged else []
    lines += [
        f"budget {name}: {_figures(one, other)}" for name, (one, other) in found.budget.items()
    ]
    return lines


def _words(change: Change, unit: str) -> str:
    old, new = change.old, change.new
    if old is None or new is None:
        row = new if old is None else old
        assert row is not None  # one of the two is there
        return f"{change.what}: {row_state(row)}, {escape(row_note(row, {}))}".rstrip(", ")
    match change.what:
        case "moved":
            came_in = new["decision"] == "selected"
            note = escape(row_note(old if came_in else new, {}))
            return f"{row_state(old)} -> {row_state(new)}; {'was ' if came_in else ''}{note}"
        case "content":
            text = f"content {_short(old)} -> {_short(new)}"
            text += f", {_bytes(old)} -> {_bytes(new)} bytes"
            same = old["cost"] == new["cost"]
            return text if same else text + f", {_cost(old)} -> {_cost(new)} {unit}"
        case "reason":
            return f"{old['reason']} -> {escape(row_note(new, {}))}"
        case "size":
            return f"size {_size(old)} -> {_size(new)}, cost {_cost(old)} -> {_cost(new)} {unit}"
        case "sums":
            if old["reason"] == "fits":
                return f"sums {_sum(old)} -> {_sum(new)} {unit}"
            return f"sums {escape(row_note(old, {}))} -> {escape(row_note(new, {}))}"
        case _:
            return f"metadata: {', '.join(change.members)}"


def _short(row: Mapping[str, Any]) -> str:
    return "none" if row["content_sha256"] is None else str(row["content_sha256"][:12])


def _bytes(row: Mapping[str, Any]) -> str:
    return number(row["content_bytes"])


def _cost(row: Mapping[str, Any]) -> str:
    return number(row["cost"])


def _size(row: Mapping[str, Any]) -> str:
    size = row["size"]
    return "measured" if size is None else f"{number(size['value'])} {size['basis']}"


def _sum(row: Mapping[str, Any]) -> str:
    detail = row["detail"]
    return f"{number(detail['used_after'])} of {number(detail['limit'])}"


def _figures(old: object, new: object) -> str:
    """One figure, or those of the sections that differ."""
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return f"{_figure(old)} -> {_figure(new)}"
    names = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    return ", ".join(
        f"{escape(name)} {_figure(old.get(name, 0))} -> {_figure(new.get(name, 0))}"
        for name in names
    )


def _figure(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_figure(item)}" for name, item in value.items()) or "none"
    return number(value) if isinstance(value, int) else escape(str(value))


def _body(found: Comparison) -> dict[str, Any]:
    return {
        "verdict": found.verdict,
        "identities": {
            name: {"from": one, "to": other, "same": one == other}
            for name, (one, other) in found.identities.items()
        },
        "changes": [_change_body(change) for change in found.changes],
        "unchanged": found.unchanged,
        "budget": {name: {"from": one, "to": other} for name, (one, other) in found.budget.items()},
    }


def _change_body(change: Change) -> dict[str, Any]:
    return {
        "what": change.what,
        "id": change.id,
        "members": list(change.members),
        "from": None if change.old is None else _side(change.old),
        "to": None if change.new is None else _side(change.new),
    }


def _side(row: Mapping[str, Any]) -> dict[str, Any]:
    names = ("decision", "reason", "detail", "cost", "content_sha256", "content_bytes")
    return {"state": row_state(row), **{name: row[name] for name in names}}
