"""What a run says of tools: resident ones, and of each server pin, listing and allowlist."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from assembler.authorize.read_scope import ReadScope
from assembler.config.defaults import LOCK
from assembler.config.listing import pick_definitions, read_definitions, read_listing
from assembler.config.pin import pin_place, read_pin
from assembler.errors import ConfigError
from assembler.front.profiles import read_document, read_policy_file
from assembler.front.tool_policy import ToolPolicy
from assembler.model.catalog import Pin, ServerOffer, ToolDefinition, define_again
from assembler.model.paths import normal_path
from assembler.model.server import is_server_name
from assembler.ports import SourceTree

if TYPE_CHECKING:
    from assembler.config.profile import Server
    from assembler.front.policy import Policy
    from assembler.model.run import ToolTerms

MAX_LISTING_BYTES: Final = 16 * 1024 * 1024
_SHOWN_DIGEST: Final = len("sha256:") + 12


class ToolPlace(NamedTuple):
    """Where tools are read about, and by whose word."""

    policy: ToolPolicy
    tree: SourceTree
    """Where policy is read from."""
    scope: ReadScope
    """Its denies govern these files too."""
    locked: Mapping[str, str]
    """`sha256:…` of each catalog in the lock file, by server."""


class FoundPin(NamedTuple):
    """The pin of a server; or the slug and the words that say why there is none to rely on."""

    pin: Pin | None
    problem: str | None = None
    why: str | None = None


def tool_terms(policy: Policy, tree: SourceTree, scope: ReadScope) -> ToolTerms:
    """All that profile, host and repository say of tools.

    Args:
        policy: profile and host.
        tree: where policy is read from.
        scope: its denies govern these files too.

    Raises:
        ConfigError: resident tools have no definitions, or the lock says nothing usable.
    """
    from assembler.model.run import ToolTerms

    said = ToolPolicy(policy)
    locked = load_locked_catalogs(tree, scope) if said.servers else {}
    place = ToolPlace(said, tree, scope, locked)
    return ToolTerms(
        resident=resident_tools(place),
        withheld=tuple(name for name in dict.fromkeys(said.resident) if not said.is_granted(name)),
        servers=tuple(
            (
                server_offer(name, server.listing, place),
                allowed_tools(name, server, said),
            )
            for name, server in sorted(said.servers.items())
        ),
    )


def allowed_tools(name: str, server: Server | None, policy: ToolPolicy) -> frozenset[str]:
    """The names that profile and host both allow of a server.

    Args:
        name: of the server.
        server: what the profile says of it; None: nothing, so that nothing is allowed.
        policy: profile and host.
    """
    asked = frozenset(() if server is None else server.allow)
    if policy.host_place is None:
        return asked
    granted = policy.host_servers.get(name)
    return frozenset() if granted is None else asked & frozenset(granted.allow)


def load_locked_catalogs(tree: SourceTree, scope: ReadScope) -> dict[str, str]:
    """`sha256:…` of each catalog in the lock file, by server; none without the file.

    Raises:
        ConfigError: the lock file is there and says nothing usable.
    """
    data = read_policy_file(tree, LOCK, scope)
    if data is None:
        return {}
    from assembler.config.lock import read_lock

    return read_lock(data, path=LOCK, read_document=read_document).catalogs


def load_pin(name: str, place: ToolPlace) -> FoundPin:
    """The pin of a server, where its own digests, the host and the lock agree with it.

    Raises:
        ConfigError: the file is there and can't be read.
    """
    found = find_pin(name, place)
    if found.pin is None:
        return found
    other = contradiction(found.pin, place)
    return found if other is None else FoundPin(None, "tool-pin-broken", other.why)


def require_trusted_pin(name: str, place: ToolPlace) -> Pin:
    """The same pin, where there is one to rely on.

    Raises:
        ConfigError: `tool-pin-missing`, `tool-pin-broken`, or the file can't be read.
    """
    found = load_pin(name, place)
    if found.pin is not None:
        return found.pin
    raise ConfigError(
        found.problem or "tool-pin-missing",
        f"the pin {pin_place(name)} {found.why}",
        where=pin_place(name),
        next_step=f"assembler tools check {name}",
    )


def find_pin(name: str, place: ToolPlace) -> FoundPin:
    """The pin of a server as its file has it, whatever host and lock say.

    Raises:
        ConfigError: the file is there and can't be read.
    """
    if not is_server_name(name):
        return FoundPin(None, "tool-pin-missing", "no name for a pin's file")
    path = pin_place(name)
    data = read_pin_bytes(name, place)
    if data is None:
        return FoundPin(None, "tool-pin-missing", "not there")
    try:
        return FoundPin(read_pin(data, server=name, where=path))
    except ConfigError as error:
        return FoundPin(None, "tool-pin-broken", error.message.removeprefix(f"the pin {path} "))


def read_pin_bytes(name: str, place: ToolPlace) -> bytes | None:
    """The file of a pin; None: there is none.

    Raises:
        ConfigError: it is there and can't be read.
    """
    path = pin_place(name)
    return read_policy_file(place.tree, path, place.scope, limit_bytes=MAX_LISTING_BYTES)


class Contradiction(NamedTuple):
    """Somebody wants another catalog than the pinned one."""

    why: str
    is_of_lock: bool
    """The lock's word, and not the host's."""


def contradiction(pin: Pin, place: ToolPlace) -> Contradiction | None:
    """In which way host or lock want another catalog; None: in none."""
    host_server = place.policy.host_servers.get(pin.server)
    host_catalog = None if host_server is None else host_server.catalog
    locked = place.locked.get(pin.server)
    for wanted, who in ((host_catalog, "the host manifest asks for"), (locked, "the lock has")):
        if wanted is not None and wanted != pin.catalog:
            why = f"is {pin.catalog[:_SHOWN_DIGEST]}, {who} {wanted[:_SHOWN_DIGEST]}"
            return Contradiction(why, is_of_lock=wanted != host_catalog)
    return None


def resident_tools(place: ToolPlace) -> tuple[ToolDefinition, ...]:
    """The definitions of the resident tools that enter, in the profile's order.

    Raises:
        ConfigError: `tool-definition-missing`, or the file of definitions says nothing usable.
    """
    policy = place.policy
    names = [name for name in dict.fromkeys(policy.resident) if policy.is_granted(name)]
    if not names:
        return ()
    path = policy.definitions
    data = read_named(place, path)
    if data is None:
        raise ConfigError(
            "tool-definition-missing",
            f"resident tools are named and {path} is not there",
            where=path,
            next_step=f"write {path}: a JSON array of {{name, description, inputSchema}}",
        )
    definitions = {tool.name: tool for tool in read_definitions(data, where=path)}
    for name in names:
        if name not in definitions:
            _refuse_pinned(name, place)
    return pick_definitions(names, definitions, where=path)


def _refuse_pinned(name: str, place: ToolPlace) -> None:
    """Tell of a resident tool without a definition that it is one of a pinned catalog.

    Raises:
        ConfigError: `tool-definition-missing`.
    """
    for server in sorted(place.policy.servers):
        found = find_pin(server, place)
        if found.pin is not None and name in found.pin.tools:
            raise ConfigError(
                "tool-definition-missing",
                f"resident tool {name} has no definition in "
                f"{place.policy.definitions}, and {server} has a tool of that name",
                where=place.policy.definitions,
                next_step=f"allow it there: tools: {{servers: {{{server}: {{allow: [{name}]}}}}}}",
            )


def server_offer(name: str, named_listing: str | None, place: ToolPlace) -> ServerOffer:
    """What is known of a server: its pin, and the listing that the profile names for it.

    Args:
        name: of the server.
        named_listing: the file, if one is named.
        place: where both are read.

    Raises:
        ConfigError: a file is there and can't be read.
    """
    path = pin_place(name)
    found = load_pin(name, place)
    listing: dict[str, ToolDefinition] | None = None
    listing_problem, listing_place = None, named_listing
    if named_listing is not None:
        data = read_named(place, named_listing)
        try:
            tools = read_listing([data or b""], where=named_listing)
            listing = {tool.name: tool for tool in tools}
        except ConfigError as error:
            listing_problem = error.code if data is not None else "server-unavailable"
            listing_place = f"{named_listing}: not there" if data is None else error.message
    if listing is not None and found.pin is not None and found.pin.ignore:
        listing = define_again(listing, found.pin.ignore)
    return ServerOffer(
        server=name,
        pin=found.pin,
        pin_problem=found.problem,
        pin_place=path if found.why is None else f"{path}: {found.why}",
        listing=listing,
        listing_problem=listing_problem,
        listing_place=listing_place,
    )


def read_named(place: ToolPlace, path: str) -> bytes | None:
    """A file that the profile names; None where there is none.

    Raises:
        ConfigError: `path-outside`.
    """
    if normal_path(path) != path:
        raise ConfigError(
            "path-outside",
            f"profile: {path} is not a plain path inside the repository",
            where=path,
            next_step="write it relative to the repository's root, without . and ..",
        )
    return read_policy_file(place.tree, path, place.scope, limit_bytes=MAX_LISTING_BYTES)
