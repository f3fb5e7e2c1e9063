"""What tools cost in an input: each, and those of one server together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assembler.cli.output import escape, number
from assembler.model.candidate import TOOL_KINDS
from assembler.model.names import first_few


def tool_costs(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Of each server, resident tools first: `server` or null, `cost`, `tools` (`id`, `cost`).

    Costs are those of ledger rows, headers of the items included; a server of which nothing is in
    is not told.
    """
    servers: dict[str | None, list[dict[str, Any]]] = {}
    for row in rows:
        if row["kind"] in TOOL_KINDS and row["decision"] == "selected":
            servers.setdefault(_server_of(row), []).append({"id": row["id"], "cost": row["cost"]})
    return [
        {
            "server": server,
            "cost": sum(tool["cost"] or 0 for tool in servers[server]),
            "tools": servers[server],
        }
        for server in sorted(servers, key=lambda name: (name is not None, name or ""))
    ]


def tool_cost_lines(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """A line for each server, where there is one."""
    costs = tool_costs(rows)
    if all(group["server"] is None for group in costs):
        return []
    return [_line(group) for group in costs]


def _line(group: Mapping[str, Any]) -> str:
    who = "resident tools" if group["server"] is None else f"tools of {escape(group['server'])}"
    tools = [
        f"{escape(tool['id'].removeprefix('tool:').rpartition('/')[2])} {number(tool['cost'])}"
        for tool in group["tools"]
    ]
    return f"  {who}  {number(group['cost'])}: {', '.join(first_few(tools))}"


def _server_of(row: Mapping[str, Any]) -> str | None:
    name = str(row["id"]).removeprefix("tool:")
    return name.partition("/")[0] if row["kind"] == "mcp-tool" and "/" in name else None
