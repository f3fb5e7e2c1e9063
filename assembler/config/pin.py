"""`assembler/pin/1`: a catalog as a person approved it, in bytes.

Every digest is computed again from the definitions: a pin vouches for nothing by its own word.
Rules: docs/formats/catalogs.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final, NoReturn

from assembler.config.listing import MAX_LISTING_DEPTH
from assembler.errors import ConfigError
from assembler.model.canonical import Numbers, StrictJsonError, read_strict
from assembler.model.catalog import (
    ALGORITHM,
    RENDERED_MEMBERS,
    Pin,
    ServerIdentity,
    ToolDefinition,
    catalog_digest,
    define_tool,
)
from assembler.model.paths import PINS_FOLDER
from assembler.model.pointers import parse_pointer

PIN_SCHEMA: Final = "assembler/pin/1"
_MEMBERS: Final = frozenset(
    {
        "schema", "server", "algorithm", "catalog", "instructions", "launch", "url", "protocol",
        "capabilities", "ignore", "tools",
    }
)  # fmt: skip
_LAUNCH: Final = frozenset({"command", "arguments", "environment"})
MAX_POINTER_CHARACTERS: Final = 200
MAX_POINTERS: Final = 20
_PIN_DEPTH: Final = MAX_LISTING_DEPTH + 2
"""A definition stands one level deeper here than in a bare listing."""
_DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}\Z")


def pin_place(server: str) -> str:
    """Where the pin of a server lies, root-relative."""
    return f"{PINS_FOLDER}/{server}.json"


def read_pin(data: bytes, *, server: str, where: str) -> Pin:
    """A pin whose digests are those of the definitions it holds.

    Raises:
        ConfigError: `tool-pin-broken`.
    """
    try:
        value = read_strict(data, numbers=Numbers.EXACT, max_depth=_PIN_DEPTH)
    except StrictJsonError as error:
        _refuse(where, f"is not strict JSON: {error.problem}")
    if not isinstance(value, dict) or set(value) != _MEMBERS:
        _refuse(where, "does not have the members of a pin")
    if value["schema"] != PIN_SCHEMA or value["algorithm"] != ALGORITHM:
        _refuse(where, f"is not {PIN_SCHEMA} with {ALGORITHM}")
    if value["server"] != server or not isinstance(value["tools"], dict):
        _refuse(where, "is of another server")
    ignore = _read_ignore(value["ignore"], where)
    tools = {
        name: _pinned_tool(name, value["tools"][name], ignore, where)
        for name in sorted(value["tools"])
    }
    if catalog_digest(tools.values()) != value["catalog"]:
        _refuse(where, "has a catalog digest that its tools do not give")
    return Pin(server, value["catalog"], tools, ignore, _read_identity(value, where))


def write_pin(pin: Pin) -> bytes:
    """The bytes of a pin's file: ASCII, so that a review sees what no eye does; sorted.

    Equal pins give equal bytes.
    """
    identity = pin.identity
    value = {
        "schema": PIN_SCHEMA,
        "server": pin.server,
        "algorithm": ALGORITHM,
        "catalog": pin.catalog,
        "instructions": identity.instructions,
        "launch": identity.launch,
        "url": identity.url,
        "protocol": identity.protocol,
        "capabilities": identity.capabilities,
        "ignore": list(pin.ignore),
        "tools": {
            name: {"digest": tool.digest, "definition": _sorted(tool.wire)}
            for name, tool in sorted(pin.tools.items())
        },
    }
    return json.dumps(value, indent=1).encode("ascii") + b"\n"


def check_ignore(pointer: str) -> str:
    """The pointer, where it may be left out of digests: what is rendered has to be covered.

    Raises:
        ValueError: it is no pointer, too long, or leads to what a model is shown.
    """
    if len(pointer) > MAX_POINTER_CHARACTERS:
        raise ValueError(f"is longer than {MAX_POINTER_CHARACTERS} characters")
    first = parse_pointer(pointer)[0]
    if first in RENDERED_MEMBERS:
        raise ValueError(f"leads to {first}, which a model is shown: digests cover all of it")
    return pointer


def _sorted(value: Any) -> Any:
    """The value with its members in one order, whatever order the server has."""
    if isinstance(value, Mapping):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value


def _read_ignore(value: object, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        _refuse(where, "has no list of pointers in `ignore`")
    if len(value) > MAX_POINTERS:
        _refuse(where, f"has more than {MAX_POINTERS} pointers in `ignore`")
    try:
        return tuple(sorted({check_ignore(pointer) for pointer in value}))
    except ValueError as error:
        _refuse(where, f"has an entry of `ignore` that {error}")


def _pinned_tool(name: str, entry: object, ignore: tuple[str, ...], where: str) -> ToolDefinition:
    if not isinstance(entry, dict) or set(entry) != {"digest", "definition"}:
        _refuse(where, "has a tool without digest and definition")
    wire = entry["definition"]
    if not isinstance(wire, dict) or wire.get("name") != name:
        _refuse(where, "has a definition that is none")
    tool = define_tool(wire, ignore)
    if tool.digest != entry["digest"]:
        _refuse(where, "has a definition that its digest does not fit")
    return tool


def _read_identity(value: Mapping[str, Any], where: str) -> ServerIdentity:
    instructions, launch = value["instructions"], value["launch"]
    if instructions is not None and not (
        isinstance(instructions, str) and _DIGEST.match(instructions)
    ):
        _refuse(where, "has `instructions` that are no digest")
    if launch is not None and not _is_launch(launch):
        _refuse(where, "has a `launch` that is none")
    for name in ("url", "protocol"):
        if value[name] is not None and not isinstance(value[name], str):
            _refuse(where, f"has a `{name}` that is no text")
    if value["capabilities"] is not None and not isinstance(value["capabilities"], dict):
        _refuse(where, "has `capabilities` that are no object")
    return ServerIdentity(
        instructions, launch, value["url"], value["protocol"], value["capabilities"]
    )


def _is_launch(value: object) -> bool:
    if not isinstance(value, dict) or set(value) != _LAUNCH:
        return False
    lists = (value["arguments"], value["environment"])
    return isinstance(value["command"], str) and all(
        isinstance(items, list) and all(isinstance(item, str) for item in items) for items in lists
    )


def _refuse(where: str, problem: str) -> NoReturn:
    raise ConfigError(
        "tool-pin-broken",
        f"the pin {where} {problem}",
        where=where,
        next_step="restore the file, or pin the server again after a review",
    )
