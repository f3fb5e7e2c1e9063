"""What `tools pin` and `tools approve` did, as text and JSON.

The JSON body: `server`, `place`, `written`, `locked`, `catalog_digest`, `wanted_digests`, `tools`
(`name`, `digest`, `tokens`, `allowed`, `problem`, `definition`, `change` or null), `identity`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from assembler.cli.definition_view import definition_lines
from assembler.cli.output import envelope, escape, number
from assembler.cli.text_change import hidden_note, spell_lines
from assembler.cli.tool_drift_view import change_to_json, drift_lines, identity_to_json
from assembler.cli.tool_list_view import short_digest, tool_name
from assembler.errors import EXIT_FINDINGS, EXIT_OK
from assembler.front.tool_pinning import PinReport
from assembler.model.counting import plural

SCHEMA: Final = "assembler/tool-pin/1"
_BESIDE: Final = ("instructions", "launch", "url")
"""What an approval takes over beside the tools."""


def pin_exit_code(report: PinReport) -> int:
    """1 where another catalog is pinned."""
    return EXIT_FINDINGS if report.drift is not None and report.drift.is_drift else EXIT_OK


def pin_to_text(report: PinReport, options: str, *, color: bool) -> str:
    """Every tool in full; of a pin that was there, what differs."""
    if report.drift is None:
        lines = [*_full_text(report)]
    elif not report.drift.is_drift:
        digest = short_digest(report.pin.catalog)
        lines = [f"{escape(report.server)} is pinned already, {digest}: nothing changed"]
    else:
        lines = [
            f"{escape(report.server)} is pinned already; nothing was written",
            *_drift(report, color=color),
            f"next: assembler tools check {report.server} {options}".rstrip(),
        ]
    return _as_text(lines)


def pinned_to_text(report: PinReport) -> str:
    """What was written."""
    lines = [*_pinned(report)] if report.drift is None else [*_lock_line(report)]
    return _as_text(lines)


def approval_to_text(report: PinReport, options: str, *, color: bool) -> str:
    """What changes, and why it is not approved where it is not."""
    new = short_digest(report.pin.catalog)
    if not report.wanted and report.due is None:
        return f"{escape(report.server)} is pinned as it is, {new}: nothing to approve\n"
    lines = [*_drift(report, color=color)]
    if report.wanted:
        lines.append(f"Not approved: {_missing(report)} and nothing was written")
        lines.append(f"next: {approve_command(report, options)}")
    return _as_text(lines)


def _missing(report: PinReport) -> str:
    """Which digests an approval has to give, and what of."""
    told = [f"the catalog is {short_digest(report.wanted[0])}"]
    told += [f"the server's instructions are {short_digest(d)}" for d in report.wanted[1:]]
    return f"{', '.join(told)}; --digest has to name {'both' if len(told) > 1 else 'it'},"


def approved_to_text(report: PinReport) -> str:
    """What is approved now; nothing where nothing was written."""
    if not report.is_written:
        return ""
    assert report.drift is not None  # an approval replaces something
    old, new = short_digest(report.drift.pinned_digest), short_digest(report.pin.catalog)
    lines = [f"Approved {escape(report.server)} {old} -> {new}: {_counts(report)}"]
    lines += [*_ignore_line(report), *_lock_line(report)]
    return _as_text(lines)


def approve_command(report: PinReport, options: str) -> str:
    """The approval of exactly what was shown."""
    given = " ".join(f"--digest {digest}" for digest in report.wanted)
    return " ".join(filter(None, (f"assembler tools approve {report.server}", options, given)))


def _as_text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def to_json(report: PinReport, exit_code: int) -> str:
    """The envelope."""
    drift = report.drift
    changes = {} if drift is None else {change.name: change for change in drift.changes}
    body = {
        "server": report.server,
        "place": report.place,
        "written": report.is_written,
        "locked": report.is_locked,
        "catalog_digest": report.pin.catalog,
        "wanted_digests": list(report.wanted),
        "tools": [
            {
                "name": tool.name,
                "digest": tool.digest,
                "tokens": tool.tokens,
                "allowed": tool.is_allowed,
                "problem": tool.problem,
                "definition": tool.wire,
                "change": change_to_json(changes[tool.name], is_allowed=tool.is_allowed)
                if tool.name in changes
                else None,
            }
            for tool in report.tools
        ],
        "removed": [change.name for change in changes.values() if change.kind == "removed"],
        "identity": [] if drift is None else [identity_to_json(c) for c in drift.identity],
    }
    return envelope(SCHEMA, exit_code, {"server": report.server}, body)


def _full_text(report: PinReport) -> Iterator[str]:
    """What the first approval is about: all of it, with what nobody sees made visible."""
    unit = plural(report.unit)
    for tool in report.tools:
        state = "allowed" if tool.is_allowed else "not allowed"
        cost = "no request can hold it" if tool.tokens is None else f"{number(tool.tokens)} {unit}"
        yield f"{tool_name(tool.name)}  {cost}, {state}, {short_digest(tool.digest)}"
        if tool.problem is not None:
            yield f"  stays out: {escape(tool.problem)}"
        yield from (f"  {line}" for line in definition_lines(tool.wire))
        yield ""
    if report.instructions_text:
        yield "server instructions, which a client may show to the model:"
        yield from _indented(report.instructions_text)
        yield from _note(report.instructions_text)
        yield ""


def _note(text: str) -> Iterator[str]:
    note = hidden_note(text)
    if note:
        yield f"  {note}"


def _indented(text: str) -> Iterator[str]:
    return (f"  {line}" for line in spell_lines(text))


def _pinned(report: PinReport) -> Iterator[str]:
    """What was written, and what of it a run would take."""
    count = len(report.tools)
    digest = short_digest(report.pin.catalog)
    yield (
        f"Pinned {escape(report.server)}: {number(count)} {'tool' if count == 1 else 'tools'}, "
        f"sha256:{digest}, in {escape(report.place)}"
    )
    wanted = [tool for tool in report.tools if tool.is_allowed]
    allowed = [tool for tool in wanted if tool.problem is None]
    unit = plural(report.unit)
    names = ", ".join(f"{tool_name(t.name)} ({number(t.tokens)} {unit})" for t in allowed)
    others = count - len(allowed)
    rest = "" if not others else f" The other {number(others)} stay out."
    if not wanted:
        yield "Allowed here: none; all stay out until profile and host allow them by name."
    elif not allowed:
        yield f"Allowed here: none that a request can hold.{rest}"
    else:
        yield f"Allowed here: {names}.{rest}"
    absent = sorted(report.allowed - {tool.name for tool in report.tools})
    if absent:
        yield f"Allowed and not listed: {', '.join(map(tool_name, absent))} (tool-missing)"
    yield from _ignore_line(report)
    yield from _lock_line(report)


def _ignore_line(report: PinReport) -> Iterator[str]:
    if report.pin.ignore:
        yield f"Digests leave out {escape(', '.join(report.pin.ignore))}"


def _lock_line(report: PinReport) -> Iterator[str]:
    if report.is_locked:
        yield "Its entry in .assembler/lock.json was written too."


def _drift(report: PinReport, *, color: bool) -> Iterator[str]:
    assert report.drift is not None  # asked for where there is one
    yield from drift_lines(report.drift, report.allowed, report.instructions_text, color=color)


def _counts(report: PinReport) -> str:
    assert report.drift is not None  # asked for where there is one
    kinds = [change.kind for change in report.drift.changes]
    words = (("changed", "changed"), ("added", "new"), ("removed", "gone"))
    told = [f"{number(kinds.count(kind))} {word}" for kind, word in words if kind in kinds]
    told += [change.field for change in report.drift.identity if change.field in _BESIDE]
    return f"{', '.join(told) or 'the same tools'}. Old runs keep the old."
