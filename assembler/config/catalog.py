"""Strict readers of tool listings, resident definitions and pins.

Two readers must never see two catalogs in one text: duplicate keys and names, NaN, integers
beyond 2^53 - 1 and lone surrogates are refused. Rules: docs/formats/catalogs.md.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from assembler.errors import ConfigError
from assembler.model.canonical import MAX_TOOL_DEPTH, Numbers, StrictJsonError, read_strict
from assembler.model.catalog import ALGORITHM, Pin, ToolDefinition, catalog_digest, define_tool

PIN_SCHEMA: Final = "assembler/pin/1"
_PIN_MEMBERS: Final = frozenset(
    {
        "schema", "server", "algorithm", "catalog", "instructions", "launch", "url", "protocol",
        "capabilities", "ignore", "tools",
    }
)  # fmt: skip


def read_listing(pages: Sequence[bytes], *, where: str) -> tuple[ToolDefinition, ...]:
    """The tools of a saved `tools/list`, one result a page, sorted by name.

    Raises:
        ConfigError: `tool-listing-invalid`, or `tool-listing-partial` where a page is missing.
    """
    tools: list[object] = []
    cursor: object = None
    for data in pages:
        result = _read(data, where)
        if isinstance(result, dict) and isinstance(result.get("result"), dict):
            result = result["result"]
        if not isinstance(result, dict) or not isinstance(result.get("tools"), list):
            raise _invalid(where, "is no result of tools/list")
        tools.extend(result["tools"])
        cursor = result.get("nextCursor")
    if cursor is not None:
        raise ConfigError(
            "tool-listing-partial",
            f"{where} ends with a cursor: a page is missing",
            where=where,
            next_step="save every page, and give all of them in order",
        )
    return _define_all(tools, where)


def read_definitions(data: bytes, *, where: str) -> tuple[ToolDefinition, ...]:
    """Resident tools: a JSON array of `{name, description, inputSchema}`, sorted by name.

    Raises:
        ConfigError: `tool-listing-invalid`.
    """
    tools = _read(data, where)
    if not isinstance(tools, list):
        raise _invalid(where, "is no array of tool definitions")
    return _define_all(tools, where)


def pick_definitions(
    names: Iterable[str], definitions: Mapping[str, ToolDefinition], *, where: str
) -> tuple[ToolDefinition, ...]:
    """The named definitions.

    Raises:
        ConfigError: `tool-definition-missing`, with the nearest name.
    """
    picked = []
    for name in names:
        if name not in definitions:
            near = difflib.get_close_matches(name, definitions, n=1)
            raise ConfigError(
                "tool-definition-missing",
                f"resident tool {name} has no definition in {where}",
                where=where,
                next_step=f"did you mean {near[0]}?" if near else f"define it in {where}",
            )
        picked.append(definitions[name])
    return tuple(picked)


def read_pin(data: bytes, *, server: str, where: str) -> Pin:
    """A pin whose digests are those of the definitions it holds.

    Raises:
        ConfigError: `tool-pin-broken`.
    """
    try:
        value = read_strict(data, numbers=Numbers.EXACT)
    except StrictJsonError as error:
        raise _broken(where, error.problem) from None
    if not isinstance(value, dict) or set(value) != _PIN_MEMBERS:
        raise _broken(where, "does not have the members of a pin")
    if value["schema"] != PIN_SCHEMA or value["algorithm"] != ALGORITHM:
        raise _broken(where, f"is not {PIN_SCHEMA} with {ALGORITHM}")
    if value["server"] != server or not isinstance(value["tools"], dict):
        raise _broken(where, "is of another server")
    tools = {name: _pinned_tool(name, entry, where) for name, entry in value["tools"].items()}
    if catalog_digest(tools.values()) != value["catalog"]:
        raise _broken(where, "has a catalog digest that its tools do not give")
    return Pin(server=server, catalog=value["catalog"], tools=tools)


def _pinned_tool(name: str, entry: object, where: str) -> ToolDefinition:
    if not isinstance(entry, dict) or set(entry) != {"digest", "definition"}:
        raise _broken(where, "has a tool without digest and definition")
    try:
        (tool,) = _define_all([entry["definition"]], where)
    except ConfigError:
        raise _broken(where, "has a definition that is none") from None
    if tool.name != name or tool.digest != entry["digest"]:
        raise _broken(where, "has a definition that its digest does not fit")
    return tool


def _define_all(tools: Sequence[object], where: str) -> tuple[ToolDefinition, ...]:
    defined: dict[str, ToolDefinition] = {}
    for tool in tools:
        if (
            not isinstance(tool, dict)
            or not isinstance(tool.get("name"), str)
            or not isinstance(tool.get("inputSchema"), dict)
        ):
            raise _invalid(where, "has a tool without a name or an input schema")
        definition = define_tool(tool)
        if definition.name in defined:
            raise _invalid(where, "has one tool name twice")
        defined[definition.name] = definition
    return tuple(defined[name] for name in sorted(defined))


def _read(data: bytes, where: str) -> Any:
    try:
        # A tool's own content may be 60 deep and stands three levels below the top here.
        return read_strict(data, numbers=Numbers.EXACT, max_depth=MAX_TOOL_DEPTH + 4)
    except StrictJsonError as error:
        place = where if error.line is None else f"{where}:{error.line}:{error.column}"
        raise _invalid(place, f"is not strict JSON: {error.problem}") from None


def _invalid(where: str, problem: str) -> ConfigError:
    return ConfigError(
        "tool-listing-invalid", f"{where} {problem}", where=where, next_step="save it again"
    )


def _broken(where: str, problem: str) -> ConfigError:
    return ConfigError(
        "tool-pin-broken",
        f"the pin {where} {problem}",
        where=where,
        next_step="restore the file, or pin the server again after a review",
    )
