"""Strict readers of tool listings and of resident definitions.

Two readers must never see two catalogs in one text: duplicate keys and names, NaN, integers
beyond 2^53 - 1 and lone surrogates are refused. Rules: docs/formats/catalogs.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NoReturn

from assembler.errors import ConfigError
from assembler.model.canonical import MAX_TOOL_DEPTH, Numbers, StrictJsonError, read_strict
from assembler.model.catalog import ToolDefinition, define_tool

MAX_TOOLS: Final = 10_000
"""Of one catalog; the largest known one has 81."""
MAX_LISTING_DEPTH: Final = MAX_TOOL_DEPTH + 4
"""A tool's own content may be 60 deep and stands three levels below the top of a message."""
MAX_NAME_CHARACTERS: Final = 40
"""What a message shows of a name."""


def read_listing(
    pages: Sequence[bytes], *, where: str | Sequence[str]
) -> tuple[ToolDefinition, ...]:
    """The tools of a saved `tools/list`, one result a page, sorted by name.

    A tool whose schema is none is a tool here: what may enter is another room's.

    Args:
        pages: in their order.
        where: the name of each page for messages, or one for all.

    Raises:
        ConfigError: `tool-listing-invalid`, `tool-name-collision`, or `tool-listing-partial`
            where a page is missing.
    """
    names = [where] * len(pages) if isinstance(where, str) else where
    tools: list[tuple[str, object]] = []
    cursor: object = None
    cursors: set[str] = set()
    place = names[0] if names else "the listing"
    for number, (data, place) in enumerate(zip(pages, names, strict=True)):
        result = _read_result(data, place)
        if number and cursor is None:
            _refuse(place, "follows a page that ends the list")
        tools += [(place, tool) for tool in result["tools"]]
        cursor = result.get("nextCursor")
        if isinstance(cursor, str):
            if cursor in cursors:
                _refuse(place, "ends with the cursor of an earlier page: one page is given twice")
            cursors.add(cursor)
        elif cursor is not None:
            _refuse(place, "ends with a cursor that is no text")
    if cursor is not None or not pages:
        raise ConfigError(
            "tool-listing-partial",
            f"{place} ends with a cursor: a page is missing",
            where=place,
            next_step="save every page, and give all of them in order",
        )
    return define_listed(tools)


def define_listed(tools: Iterable[tuple[str, object]]) -> tuple[ToolDefinition, ...]:
    """Definitions of listed objects, sorted by name.

    Args:
        tools: the place of each for messages, and the object.

    Raises:
        ConfigError: `tool-listing-invalid` where one has no name that is text, or is too deep,
            and where there are too many; `tool-name-collision` where a name stands twice.
    """
    defined: dict[str, ToolDefinition] = {}
    for number, (place, tool) in enumerate(tools, start=1):
        if number > MAX_TOOLS:
            _refuse(place, f"lists more than {MAX_TOOLS:,} tools")
        if not isinstance(tool, dict) or not isinstance(tool.get("name"), str):
            _refuse(place, f"has a tool without a name, number {number:,}")
        name = tool["name"]
        if name in defined:
            raise ConfigError(
                "tool-name-collision",
                f"{place} has one tool name twice: {shorten_name(name)}",
                where=place,
                next_step="ask the server's author: a call could reach either",
            )
        defined[name] = define_tool(tool)
    return tuple(defined[name] for name in sorted(defined))


def read_definitions(data: bytes, *, where: str) -> tuple[ToolDefinition, ...]:
    """Resident tools: a JSON array of `{name, description, inputSchema}`, sorted by name.

    Raises:
        ConfigError: `tool-listing-invalid`, `tool-name-collision`.
    """
    tools = _read(data, where)
    if not isinstance(tools, list):
        _refuse(where, "is no array of tool definitions")
    definitions = define_listed((where, tool) for tool in tools)
    for tool in definitions:
        if not isinstance(tool.wire.get("inputSchema"), dict):
            _refuse(where, f"has a tool without an input schema: {shorten_name(tool.name)}")
    return definitions


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
            import difflib

            near = difflib.get_close_matches(name, definitions, n=1)
            raise ConfigError(
                "tool-definition-missing",
                f"resident tool {name} has no definition in {where}",
                where=where,
                next_step=f"did you mean {near[0]}?" if near else f"define it in {where}",
            )
        picked.append(definitions[name])
    return tuple(picked)


def shorten_name(name: str) -> str:
    """The name, or its beginning: a server may give one of any length."""
    if len(name) <= MAX_NAME_CHARACTERS:
        return name
    return f"{name[:MAX_NAME_CHARACTERS]}... ({len(name):,} characters)"


def _read_result(data: bytes, where: str) -> dict[str, Any]:
    result = _read(data, where)
    if isinstance(result, dict) and "result" in result:
        if "tools" in result or "error" in result:
            _refuse(where, "is a message and a result at once: two readers would read two lists")
        result = result["result"]
    if not isinstance(result, dict) or not isinstance(result.get("tools"), list):
        _refuse(where, "is no result of tools/list")
    return result


def _read(data: bytes, where: str) -> Any:
    try:
        return read_strict(data, numbers=Numbers.EXACT, max_depth=MAX_LISTING_DEPTH)
    except StrictJsonError as error:
        place = where if error.line is None else f"{where}:{error.line}:{error.column}"
        _refuse(place, f"is not strict JSON: {error.problem}")


def _refuse(where: str, problem: str) -> NoReturn:
    raise ConfigError(
        "tool-listing-invalid", f"{where} {problem}", where=where, next_step="save it again"
    )
