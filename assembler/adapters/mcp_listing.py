"""Read the whole list of a server's tools: every page, once, and undisturbed.

In: an open session. Out: the entries as they were sent.
Never here: a part of a list, a mix of two lists, a judgement about a tool.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import mcp_types as types
from mcp.shared.exceptions import MCPError

from assembler.adapters.mcp_session import Link
from assembler.errors import ServerError
from assembler.model.canonical import canonical_text


class Listing(NamedTuple):
    """One list of tools, of all pages."""

    tools: tuple[Any, ...]
    pages: int


class _CursorRefusedError(Exception):
    """A cursor that the server gave is not valid any more."""


async def list_tools(link: Link, *, has_tools: bool) -> tuple[Listing, int]:
    """The list, and the number of changes that the server had told before it was read.

    Args:
        link: after its handshake.
        has_tools: the server announced tools; one that did not need not know the request.

    Raises:
        ServerError: `server-protocol`, `server-limit`, `tool-listing-*`, or the fault that came.
    """
    walk = _Walk(link, has_tools=has_tools)
    previous: Listing | None = None
    refused = 0
    for _ in range(link.wire.meter.limits.listings):
        before = link.wire.changes
        try:
            listing = await walk.read()
        except _CursorRefusedError:
            refused += 1
            if refused > 1:
                raise link.wire.failure(
                    "tool-listing-unstable", "it refuses a cursor that it gave"
                ) from None
            previous = None
            continue
        # Some servers tell of changes at their start while the list stays the same.
        if link.wire.changes == before or _is_same(listing, previous):
            return listing, before
        previous = listing
    raise link.wire.failure(
        "tool-listing-unstable",
        "its list of tools keeps changing while it is read",
        "ask again when the server has settled",
    )


class _Walk:
    """Reads lists; the pages of all of them count against one limit."""

    def __init__(self, link: Link, *, has_tools: bool) -> None:
        self._link = link
        self._has_tools = has_tools
        self._pages = 0

    async def read(self) -> Listing:
        """One list, from its first page to its last."""
        tools: list[Any] = []
        seen: set[str] = set()
        cursor: str | None = None
        pages = 0
        while True:
            pages += 1
            self._count_page(pages)
            result = await self._ask(cursor)
            tools += self._tools_of(result)
            if len(tools) > self._link.wire.meter.limits.tools:
                limit = self._link.wire.meter.limits.tools
                raise self._failure("server-limit", f"it lists more than {limit:,} tools")
            cursor = self._cursor_of(result)
            if cursor is None:
                return Listing(tuple(tools), pages)
            if cursor in seen:
                raise self._failure(
                    "tool-listing-loop", "it gives a cursor again, so the list has no end"
                )
            seen.add(cursor)

    async def _ask(self, cursor: str | None) -> dict[str, Any]:
        try:
            return await self._link.request(
                "tools/list", {} if cursor is None else {"cursor": cursor}
            )
        except MCPError as error:
            if cursor is not None and error.code == types.INVALID_PARAMS:
                raise _CursorRefusedError from None
            if error.code == types.METHOD_NOT_FOUND and not self._has_tools:
                return {"tools": []}
            raise self._link.error_answer(error) from None

    def _count_page(self, page: int) -> None:
        self._link.wire.enter("listing" if page == 1 else f"listing, page {page:,}")
        self._pages += 1
        limit = self._link.wire.meter.limits.pages
        if self._pages > limit:
            raise self._failure("server-limit", f"its list has more than {limit:,} pages")

    def _tools_of(self, result: dict[str, Any]) -> list[Any]:
        tools = result.get("tools")
        if not isinstance(tools, list):
            raise self._failure("server-protocol", "its answer has no list of tools")
        return tools

    def _cursor_of(self, result: dict[str, Any]) -> str | None:
        cursor = result.get("nextCursor")
        if cursor is not None and not isinstance(cursor, str):
            raise self._failure("server-protocol", "its cursor is no text")
        return cursor

    def _failure(self, code: str, reason: str) -> ServerError:
        return self._link.wire.failure(code, reason)


def _is_same(listing: Listing, previous: Listing | None) -> bool:
    if previous is None:
        return False
    # As text: in Python True == 1, and a schema tells them apart.
    return canonical_text(listing.tools) == canonical_text(previous.tools)
