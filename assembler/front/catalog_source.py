"""Where a catalog comes from: saved listings, or a server that the host manifest names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from assembler.adapters.filesystem import read_host_file
from assembler.config.listing import define_listed, read_listing, shorten_name
from assembler.errors import ConfigError, ServerError, UsageError
from assembler.front.tool_policy import ToolPolicy
from assembler.front.tool_terms import MAX_LISTING_BYTES, ToolPlace, read_named
from assembler.model.canonical import canonical_bytes
from assembler.model.catalog import (
    UNKNOWN_IDENTITY,
    Catalog,
    ServerIdentity,
    ToolDefinition,
    tag_digest,
)
from assembler.model.secret_rules import may_hold_secret
from assembler.model.server import Endpoint, LiveCatalog, ServerAddress

if TYPE_CHECKING:
    from assembler.config.profile import Server

DEFAULT_TIMEOUT_SECONDS: Final = 20.0
MAX_TIMEOUT_SECONDS: Final = 600.0

Report = Callable[[str], None]


class Live(NamedTuple):
    """How a server is asked."""

    environment: Mapping[str, str]
    """Only what the manifest names of it reaches the server."""
    timeout_seconds: float
    report: Report
    """Told what is being done, in a few words."""
    note: Report
    """Told what is odd about a server that answered, in one line."""


class Source(NamedTuple):
    """What a catalog is taken from: files, a live server, or what the profile names."""

    files: tuple[tuple[str, Path], ...] = ()
    """Name as given and path, in page order."""
    live: Live | None = None


def read_saved(files: Sequence[tuple[str, Path]]) -> Catalog:
    """The catalog of saved pages.

    Raises:
        UsageError: a file is missing or can't be read.
        ConfigError: as `read_listing`.
    """
    pages = [read_host_file(path, limit_bytes=MAX_LISTING_BYTES) for _, path in files]
    return _catalog(read_listing(pages, where=[name for name, _ in files]))


def read_named_listing(name: str, server: Server | None, place: ToolPlace) -> Catalog:
    """The catalog of the listing that the profile names for a server.

    Raises:
        ConfigError: `server-unavailable` where none is named or it is not there; as
            `read_listing`.
    """
    listing = None if server is None else server.listing
    if listing is None:
        raise ServerError(
            "server-unavailable",
            f"could not check {name}: no listing is given",
            where=name,
            next_step=f"assembler tools check {name} --from LISTING; or `listing` in the profile",
        )
    data = read_named(place, listing)
    if data is None:
        raise ServerError(
            "server-unavailable",
            f"could not check {name}: {listing} is not there",
            where=listing,
            next_step="save the server's tools/list result there",
        )
    return _catalog(read_listing([data], where=listing))


def ask_server(name: str, policy: ToolPolicy, live: Live) -> Catalog:
    """The catalog of a running server.

    Raises:
        ServerError: it can't be asked, or gave no whole catalog.
    """
    address, folder = find_address(name, policy)
    # The SDK costs half a second to import, so only this way reaches it.
    from assembler.adapters.mcp_client import list_live

    found = list_live(
        name,
        address,
        environment=live.environment,
        folder=folder,
        timeout_seconds=live.timeout_seconds,
        report=live.report,
    )
    if found.skipped_lines:
        lines = "1 line" if found.skipped_lines == 1 else f"{found.skipped_lines:,} lines"
        live.note(
            f"{name}: skipped {lines} of its output that no message is in; "
            "a log belongs on standard error"
        )
    return live_catalog(name, address, found)


def find_address(name: str, policy: ToolPolicy) -> tuple[ServerAddress, Path]:
    """How the host reaches a server, and the folder that it is started in.

    That is the manifest's: a server started inside the repository could load code from there.

    Raises:
        ServerError: `server-unknown`.
    """
    server = policy.host_servers.get(name)
    address = None if server is None else server.address
    if address is None or policy.host_place is None:
        told = "the host manifest does not have it" if server is None else "it has no command"
        raise ServerError(
            "server-unknown",
            f"could not check {name}: {told}",
            where=name,
            next_step=f"servers: {{{name}: {{command: [...], allow: [...]}}}} in the host "
            "manifest: nothing in a repository starts a server",
        )
    return address, policy.host_place.absolute().parent


def live_catalog(name: str, address: ServerAddress, found: LiveCatalog) -> Catalog:
    """The catalog of what a running server listed.

    Raises:
        ServerError: by the codes of `define_listed`.
    """
    try:
        defined = define_listed((name, tool) for tool in found.tools)
    except ConfigError as error:
        raise ServerError(
            error.code,
            f"could not check {name}: it {error.message.removeprefix(f'{name} ')}",
            where=name,
            next_step="ask the server's author: nothing is pinned of such a list",
        ) from None
    identity = ServerIdentity(
        instructions=None
        if found.instructions is None
        else tag_digest(found.instructions.encode("utf-8", "surrogatepass")),
        launch=None if isinstance(address, Endpoint) else address.to_json(),
        url=address.url if isinstance(address, Endpoint) else None,
        protocol=found.protocol,
        capabilities=found.capabilities,
    )
    refuse_secrets(defined)
    return Catalog({tool.name: tool for tool in defined}, identity, found.instructions)


def require_timeout(seconds: float) -> float:
    """The deadline, where it is one.

    Raises:
        UsageError: `timeout-invalid`.
    """
    if 0 < seconds <= MAX_TIMEOUT_SECONDS:
        return seconds
    raise UsageError(
        "timeout-invalid",
        f"--timeout takes more than 0 and at most {MAX_TIMEOUT_SECONDS:.0f} seconds",
        next_step=f"--timeout {DEFAULT_TIMEOUT_SECONDS:.0f}",
    )


def refuse_secrets(tools: Sequence[ToolDefinition]) -> None:
    """Refuse a listing with a secret in it, before anything of it is printed or kept.

    Raises:
        UsageError: `secret-in-text`, by tool and rule.
    """
    for tool in tools:
        data = canonical_bytes(tool.wire)
        if not may_hold_secret(data):
            continue
        from assembler.adapters.secret_scan import scan_secrets

        hits = scan_secrets(data)
        if hits:
            name = "a tool" if scan_secrets(tool.name.encode()) else shorten_name(tool.name)
            raise UsageError(
                "secret-in-text",
                f"{name} holds what has the form of a secret ({hits[0].rule})",
                next_step="rotate it, and ask the server's author: a definition is sent to models",
            )


def _catalog(tools: Sequence[ToolDefinition]) -> Catalog:
    refuse_secrets(tools)
    return Catalog({tool.name: tool for tool in tools}, UNKNOWN_IDENTITY)
