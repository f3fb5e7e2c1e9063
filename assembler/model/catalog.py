"""Tool definitions and their digests: over the whole wire object, so that nothing slips by.

A tool's digest is SHA-256 over the RFC 8785 form of the object as the server gave it; a
catalog's is over `{name: "sha256:…"}`. Pages, order and the result's envelope count for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from assembler.model.canonical import canonical_bytes
from assembler.model.digest import sha256_hex
from assembler.model.pointers import parse_pointer, without_members

ALGORITHM: Final = "jcs-sha256/1"
RENDERED_MEMBERS: Final = ("name", "description", "inputSchema")
"""What a model is shown of a tool; the digest covers everything else too."""

BINDABLE_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")
"""What all three providers accept as a function's name."""


class ToolDefinition(NamedTuple):
    """One tool as it was listed."""

    name: str
    wire: Mapping[str, Any]
    digest: str
    """`sha256:` and 64 hex digits."""

    def rendered(self) -> bytes:
        """The canonical JSON of the members that a model is shown."""
        return canonical_bytes(
            {key: self.wire[key] for key in RENDERED_MEMBERS if key in self.wire}
        )


class ServerIdentity(NamedTuple):
    """What is known of a server beside its tools; None: a saved listing does not say it."""

    instructions: str | None = None
    """`sha256:…` of its text for the model."""
    launch: Mapping[str, Any] | None = None
    """`{command, arguments, environment}`; templates and names, no value of a variable."""
    url: str | None = None
    protocol: str | None = None
    """The protocol version that was spoken."""
    capabilities: Mapping[str, Any] | None = None
    """What the client said that it can do."""

    @property
    def is_live(self) -> bool:
        """Whether a running server was asked: then no instructions means that it has none."""
        return self.launch is not None or self.url is not None


UNKNOWN_IDENTITY: Final = ServerIdentity()


class Catalog(NamedTuple):
    """Every tool that a server lists at one time."""

    tools: Mapping[str, ToolDefinition]
    """By name, sorted."""
    identity: ServerIdentity = UNKNOWN_IDENTITY
    instructions_text: str | None = None
    """The server's text for the model, where a running one was asked."""

    @property
    def digest(self) -> str:
        """`sha256:` and the digest of the catalog."""
        return catalog_digest(self.tools.values())


class Pin(NamedTuple):
    """A catalog as a person approved it."""

    server: str
    catalog: str
    tools: Mapping[str, ToolDefinition]
    ignore: tuple[str, ...] = ()
    """JSON pointers into each tool, sorted: members that no digest covers."""
    identity: ServerIdentity = UNKNOWN_IDENTITY


class ServerOffer(NamedTuple):
    """What is known of one server: its pin, and a saved listing where there is one."""

    server: str
    pin: Pin | None
    pin_problem: str | None
    """`tool-pin-missing` or `tool-pin-broken` where there is no pin to rely on."""
    pin_place: str
    """The pin's file, with what is wrong with it."""
    listing: Mapping[str, ToolDefinition] | None
    listing_problem: str | None
    """`tool-listing-invalid` where a listing was named and can't be relied on."""
    listing_place: str | None
    """The listing's file, with what is wrong with it."""


class ToolOffer(NamedTuple):
    """One tool of a server: as approved, or with the slug that says why it can't be relied on."""

    server: str
    name: str
    approved: ToolDefinition | None
    listed_digest: str | None
    problem: str | None
    where: str
    ignored: tuple[str, ...] = ()
    """JSON pointers that no digest of the pin covers."""


def define_tool(wire: Mapping[str, Any], ignore: Iterable[str] = ()) -> ToolDefinition:
    """A definition with its digest.

    Args:
        wire: the object as the server gave it, with a string `name`.
        ignore: JSON pointers to members that the digest leaves out.
    """
    covered = without_members(wire, map(parse_pointer, ignore))
    return ToolDefinition(wire["name"], wire, tag_digest(canonical_bytes(covered)))


def define_again(
    catalog: Mapping[str, ToolDefinition], ignore: Iterable[str]
) -> dict[str, ToolDefinition]:
    """The same tools with digests that leave these members out."""
    pointers = tuple(ignore)
    return {name: define_tool(tool.wire, pointers) for name, tool in catalog.items()}


def pin_catalog(server: str, catalog: Catalog, ignore: Iterable[str] = ()) -> Pin:
    """The pin of a catalog, as it stands."""
    pointers = tuple(sorted(set(ignore)))
    tools = define_again(catalog.tools, pointers) if pointers else catalog.tools
    return Pin(server, catalog_digest(tools.values()), tools, pointers, catalog.identity)


def catalog_digest(tools: Iterable[ToolDefinition]) -> str:
    """`sha256:` and the digest of the catalog."""
    return tag_digest(canonical_bytes({tool.name: tool.digest for tool in tools}))


def tag_digest(data: bytes) -> str:
    """The digest of the bytes, with the name of its function."""
    return "sha256:" + sha256_hex(data)
