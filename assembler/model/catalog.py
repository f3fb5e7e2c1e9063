"""Tool definitions and their digests: over the whole wire object, so that nothing slips by.

A tool's digest is SHA-256 over the RFC 8785 form of the object as the server gave it; a
catalog's is over `{name: "sha256:…"}`. Pages, order and the result's envelope count for nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from assembler.model.canonical import canonical_bytes
from assembler.model.digest import sha256_hex

ALGORITHM: Final = "jcs-sha256/1"
RENDERED_MEMBERS: Final = ("name", "description", "inputSchema")
"""What a model is shown of a tool; the digest covers everything else too."""


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


class Pin(NamedTuple):
    """A catalog as a person approved it."""

    server: str
    catalog: str
    tools: Mapping[str, ToolDefinition]


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


def define_tool(wire: Mapping[str, Any]) -> ToolDefinition:
    """A definition with its digest; `wire` has a string `name`."""
    return ToolDefinition(wire["name"], wire, tag_digest(canonical_bytes(wire)))


def catalog_digest(tools: Iterable[ToolDefinition]) -> str:
    """`sha256:` and the digest of the catalog."""
    return tag_digest(canonical_bytes({tool.name: tool.digest for tool in tools}))


def tag_digest(data: bytes) -> str:
    """The digest of the bytes, with the name of its function."""
    return "sha256:" + sha256_hex(data)
