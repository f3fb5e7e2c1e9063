"""The list of tools as text and JSON.

The JSON body: `servers` (of each: `server` or null, `source`, `catalog_digest`, `tokens`,
`tokens_in`, `problem`, `why`, `ignore`, and `tools`: `name`, `digest`, `tokens`, `state`, `code`,
`where`, `problem`, `definition` as the server gave it), and `declared`: `id`, `code` and `where` of
servers that files of the repository declare.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from assembler.cli.output import envelope, escape, lay_out, number
from assembler.errors import EXIT_OK
from assembler.model.counting import plural

if TYPE_CHECKING:
    from assembler.front.tool_listing import ServerRow, ToolReport, ToolRow

SCHEMA: Final = "assembler/tools/1"
SHOWN_CHARACTERS: Final = 60
_WORDS: Final = {"tool-new": "not allowed", "tool-pin-missing": "no pin"}


def to_text(report: ToolReport, *, color: bool) -> str:
    """A block for each server, for a person."""
    declared = _declared_lines(report)
    if not report.servers:
        none = "No tools: the profile names no server, and .assembler/pins holds no pin."
        return "\n".join([none, *declared]) + "\n"
    unit = plural(report.unit)
    blocks = ["\n".join(_block(row, unit, color=color)) for row in report.servers]
    basis = (
        f"{unit[0].upper()}{unit[1:]}: {report.counter}, counted on name, description and "
        "inputSchema, which is all that is rendered of a tool; its header comes on top."
    )
    blocks += ["\n".join(declared)] if declared else []
    return "\n\n".join([*blocks, basis]) + "\n"


def to_json(report: ToolReport) -> str:
    """The envelope."""
    inputs = {
        "at": report.at,
        "revision": report.revision,
        "profile": {"name": report.profile},
    }
    body = {
        "counter": {"unit": report.unit, "name": report.counter, "basis": "measured"},
        "servers": [_server_to_json(row) for row in report.servers],
        "declared": [row._asdict() for row in report.declared],
    }
    return envelope(SCHEMA, EXIT_OK, inputs, body)


def _declared_lines(report: ToolReport) -> list[str]:
    """Servers that nobody but the repository names."""
    return [
        f"out  {escape(row.id)}  {row.code}: {escape(row.where)}"
        + (", declared by the repository and never started" if row.id != row.where else "")
        for row in report.declared
    ]


def short_digest(digest: str | None) -> str:
    """Twelve digits of it."""
    return "-" if digest is None else digest.removeprefix("sha256:")[:12]


def tool_name(name: str) -> str:
    """The name with everything shown that is not ASCII: two names may look alike."""
    shown = escape(name.encode("ascii", "backslashreplace").decode("ascii"))
    if not shown:
        return '""'
    return shown if len(shown) <= SHOWN_CHARACTERS else f"{shown[:SHOWN_CHARACTERS]}..."


def _block(row: ServerRow, unit: str, *, color: bool) -> list[str]:
    count = len(row.tools)
    counts = f"{number(count)} {'tool' if count == 1 else 'tools'}, {number(row.tokens)} {unit}"
    entering = sum(tool.state == "in" for tool in row.tools)
    if row.server is not None:
        counts += f"; in: {number(entering)}, {number(row.tokens_in)} {unit}"
    head = "  ".join((escape(row.server or row.source), short_digest(row.catalog_digest), counts))
    lines = [head if row.server is None else f"{head}  {escape(row.source)}"]
    if row.problem is not None:
        lines.append(f"  {row.problem}: {escape(row.why or '')}")
    if row.ignore:
        lines.append(f"  digests leave out {escape(', '.join(row.ignore))}")
    cells = [
        (
            tool.state or "",
            tool_name(tool.name),
            number(tool.tokens),
            short_digest(tool.digest),
            _note(tool),
        )
        for tool in row.tools
    ]
    return lines + (lay_out(cells, right=(2,), color=color) if cells else [])


def _note(tool: ToolRow) -> str:
    """Why it is out; of one that is in, how its text begins."""
    if tool.code is not None and tool.code not in _WORDS:
        return f"{tool.code}: {escape(tool.where or '')}"
    words = _WORDS.get(tool.code or "")
    if tool.problem is not None:
        return "; ".join(filter(None, (words, escape(tool.problem))))
    return words or _beginning(tool)


def _beginning(tool: ToolRow) -> str:
    text = (tool.wire or {}).get("description")
    if not isinstance(text, str):
        return ""
    line = escape(text.strip().partition("\n")[0])
    return line if len(line) <= SHOWN_CHARACTERS else f"{line[:SHOWN_CHARACTERS]}..."


def _server_to_json(row: ServerRow) -> dict[str, Any]:
    return {
        "server": row.server,
        "source": row.source,
        "catalog_digest": row.catalog_digest,
        "tokens": row.tokens,
        "tokens_in": row.tokens_in,
        "problem": row.problem,
        "why": row.why,
        "ignore": list(row.ignore),
        "tools": [
            {
                "name": tool.name,
                "digest": tool.digest,
                "tokens": tool.tokens,
                "state": tool.state,
                "code": tool.code,
                "where": tool.where,
                "problem": tool.problem,
                "definition": tool.wire,
            }
            for tool in row.tools
        ],
    }
