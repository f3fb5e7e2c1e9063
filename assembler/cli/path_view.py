"""What is said of a path without a run: where it stops, and which sources were asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assembler.cli.explain import fix_of, row_lines
from assembler.cli.output import escape
from assembler.cli.row_view import row_code, row_note, row_state

if TYPE_CHECKING:
    from assembler.front.asked_sources import AskedSource
    from assembler.front.explaining import PathAnswer


def path_body(answer: PathAnswer) -> dict[str, Any]:
    """The members of the JSON answer."""
    row = answer.best_row if answer.rows else None
    return {
        "item": answer.path,
        "state": answer.state if row is None else row_state(row),
        "reason": answer.reason if row is None else row_code(row),
        "detail": {"text": answer.text if row is None else row_note(row, {})},
        "fix": answer.fix if row is None else fix_of(row),
        "states": {**answer.states, "received": "not-observable"},
        "stops_at": answer.stops_at,
        "sources": [source._asdict() for source in answer.sources],
        "rows": [dict(found) for found in answer.rows],
        "refusal": _refusal_of(answer),
    }


def _refusal_of(answer: PathAnswer) -> dict[str, str] | None:
    if answer.refusal is None:
        return None
    return {"code": answer.refusal.code, "message": answer.refusal.message}


def path_text(answer: PathAnswer) -> str:
    """The same for a person."""
    lines = _answer_lines(answer)
    if answer.refusal is not None:
        why = f"{answer.refusal.message} ({answer.refusal.code})"
        lines.append(f"  no run      a run of this task is refused: {escape(why)}")
    lines += _source_lines(answer.sources)
    fixes = [] if answer.rows or answer.fix is None else [f"fix: {escape(answer.fix)}"]
    return "\n".join([*lines, *fixes]) + "\n"


def _answer_lines(answer: PathAnswer) -> list[str]:
    if not answer.rows:
        head = f"{escape(answer.path)}   {answer.state.upper()}   {answer.reason}"
        return [head, f"  {escape(answer.text)}", *_stop_lines(answer)]
    lines = []
    for row in answer.rows:
        head = f"{escape(row['id'])}   {row_state(row).upper()}   {row_code(row)}"
        lines += [f"{head}   as this task would have it", *row_lines(row)]
    return lines


def _stop_lines(answer: PathAnswer) -> list[str]:
    words = {True: "yes", False: "no", None: "a run decides"}
    states = [f"{name} {words[reached]}" for name, reached in answer.states.items()]
    lines = ["  " + "   ".join([*states, "received not observable from here"])]
    if answer.stops_at is not None:
        lines.append(f"  stops at    {answer.stops_at}: {answer.why_stopped}")
    return lines


def _source_lines(sources: tuple[AskedSource, ...]) -> list[str]:
    """One line a source that was asked, and one for all others."""
    asked = [source for source in sources if source.asked]
    others = [source.source for source in sources if not source.asked]
    width = max((len(source.source) for source in asked), default=0)
    lines = []
    for source in asked:
        found = "yes" if source.found else "no"
        words = f"  asked       {escape(source.source):<{width}}  {found:<4} {escape(source.note)}"
        lines.append(words.rstrip())
    if others and not asked:
        lines.append(f"  not asked   {', '.join(others)}: no task was given (--task FILE, or -m)")
    elif others:
        lines.append(f"  not asked   {', '.join(others)}")
    return lines
