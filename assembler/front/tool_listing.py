"""`tools list`: every tool that is pinned or listed, what it costs, and what enters of it.

What enters is decided by the code that a run uses, from the same offers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from assembler.config.pin import pin_place
from assembler.discover.tools import definition_problem, discover_offers
from assembler.errors import UsageError
from assembler.front.catalog_source import Live, ask_server, read_saved
from assembler.front.counting import counters
from assembler.front.declared_servers import known_servers, read_declared
from assembler.front.tool_place import ToolWork, open_tool_work, require_server_name
from assembler.front.tool_terms import allowed_tools, server_offer
from assembler.model.catalog import Catalog, Pin, ServerOffer, ToolDefinition, define_again
from assembler.model.counting import counter_unit
from assembler.ports import Counter

if TYPE_CHECKING:
    from assembler.model.candidate import Candidate


class ToolRow(NamedTuple):
    """One tool."""

    name: str
    digest: str | None
    """None: nothing lists or pins it."""
    tokens: int | None
    """Of what is rendered of it, in the counter's unit; None where no request could hold it."""
    state: str | None
    """`in` or `out`; None where nobody asked for a server by name."""
    code: str | None
    """Why it is out: a slug of the catalogue."""
    where: str | None
    wire: Mapping[str, Any] | None
    """The definition as the server gave it."""
    problem: str | None
    """What keeps the definition from standing in a request."""


class ServerRow(NamedTuple):
    """One server with its tools."""

    server: str | None
    """None: saved pages that nobody gave a name."""
    source: str
    """The pin's file, the saved pages, or `live`."""
    catalog_digest: str | None
    """None: there is no catalog to rely on."""
    problem: str | None
    """Why not: the slug."""
    why: str | None
    ignore: tuple[str, ...]
    tools: tuple[ToolRow, ...]

    @property
    def tokens(self) -> int:
        """Of all its tools."""
        return sum(row.tokens or 0 for row in self.tools)

    @property
    def tokens_in(self) -> int:
        """Of those that enter a run."""
        return sum(row.tokens or 0 for row in self.tools if row.state == "in")


class DeclaredRow(NamedTuple):
    """A server that a file of the repository declares, or the file itself; never started."""

    id: str
    code: str
    where: str


class ToolReport(NamedTuple):
    """Servers with their tools."""

    servers: tuple[ServerRow, ...]
    declared: tuple[DeclaredRow, ...]
    """Where nobody asked for one server."""
    at: str
    revision: str | None
    profile: str
    counter: str
    unit: str


def report_tools(
    cwd: Path,
    *,
    environment: Mapping[str, str],
    server: str | None = None,
    files: Sequence[tuple[str, Path]] = (),
    live: Live | None = None,
    at: str = "worktree",
    profile: str | None = None,
    host: Path | None = None,
) -> ToolReport:
    """The tools of saved pages, of a running server, or of every server that is pinned or allowed.

    Args:
        cwd: where the command was given; absolute, links resolved.
        environment: for the user's folders and the documented variables.
        server: whose tools; None: of all, or of pages without a name.
        files: saved pages, name as given and path.
        live: asks the server itself.
        at: where profile and pins are read.
        profile: a name or a file.
        host: the host manifest.

    Raises:
        UsageError, ConfigError, ServerError: what was named can't be had or is no catalog.
    """
    if server is not None:
        require_server_name(server)
    # What is asked for comes first: a listing that is none is refused whatever else there is.
    saved = read_saved(files) if files else None
    with (
        open_tool_work(cwd, environment=environment, at=at, profile=profile, host=host) as work,
        counters(environment) as open_counter,
    ):
        counter = open_counter(work.policy.counter)
        if live is not None:
            saved = ask_server(_require_named(server), work.policy, live)
        if saved is not None and server is None:
            rows = [_unnamed(saved, ", ".join(name for name, _ in files), counter)]
        else:
            offers = _offers(work, server, saved)
            rows = _server_rows(work, offers, saved, counter, is_live=live is not None)
        return ToolReport(
            servers=tuple(row for row in rows if server in (None, row.server)),
            declared=_declared(work) if server is None and saved is None else (),
            at=at,
            revision=work.place.tree.revision,
            profile=work.policy.profile_name,
            counter=work.policy.counter,
            unit=counter_unit(work.policy.counter),
        )


def count_tools(tools: Sequence[ToolDefinition], counter: Counter) -> list[int | None]:
    """What is rendered of each, counted; None where no request could hold it."""
    fit = [tool for tool in tools if definition_problem(tool.wire) is None]
    counts = dict(
        zip(
            (tool.name for tool in fit),
            counter.count_all([tool.rendered() for tool in fit]),
            strict=True,
        )
    )
    return [counts.get(tool.name) for tool in tools]


def _declared(work: ToolWork) -> tuple[DeclaredRow, ...]:
    """What a run started here would be told of servers that the repository declares."""
    from assembler.model.chain import folders_down_to
    from assembler.model.run import ToolTerms
    from assembler.offers.reader import FileReader
    from assembler.offers.servers import offer_servers

    terms = ToolTerms(
        (),
        (),
        (),
        tuple(folders_down_to(work.workplace.cwd)),
        known_servers(work.policy.host_servers),
    )
    reader = FileReader(work.place.tree, work.place.scope)
    return tuple(
        DeclaredRow(
            row.id,
            getattr(row.content, "code", None) or "access-denied",
            getattr(row.content, "where", None) or getattr(row.content, "rule", None) or "",
        )
        for row in offer_servers(terms, reader, read_declared)
    )


def _require_named(server: str | None) -> str:
    if server is None:
        raise UsageError(
            "server-name",
            "--live asks one server, and none is named",
            next_step="assembler tools list SERVER --live",
        )
    return server


def _unnamed(catalog: Catalog, source: str, counter: Counter) -> ServerRow:
    tools = [*catalog.tools.values()]
    counts = count_tools(tools, counter)
    rows = tuple(
        ToolRow(
            tool.name,
            tool.digest,
            tokens,
            None,
            None,
            None,
            tool.wire,
            definition_problem(tool.wire),
        )
        for tool, tokens in zip(tools, counts, strict=True)
    )
    return ServerRow(None, source, catalog.digest, None, None, (), rows)


def _offers(
    work: ToolWork, server: str | None, saved: Catalog | None
) -> list[tuple[ServerOffer, frozenset[str]]]:
    """What a run would be offered of each server; of one that is asked about, what is listed.

    Of all of them, whatever was asked: names collide between servers.
    """
    servers = work.policy.servers
    if server is not None and saved is None and server not in work.servers:
        raise UsageError(
            "server-unknown",
            f"neither the profile nor a pin names {server}",
            where=server,
            next_step=f"assembler tools pin {server} --from LISTING",
        )
    names = sorted({*work.servers, *([] if server is None else [server])})
    offers = []
    for name in names:
        # Not naming a server allows nothing of it, and asks for no listing.
        named_listing = servers[name].listing if name in servers else None
        offer = server_offer(name, named_listing, work.place)
        if name == server and saved is not None:
            tools = define_again(saved.tools, offer.pin.ignore) if offer.pin else saved.tools
            offer = offer._replace(listing=tools, listing_problem=None, listing_place="the listing")
        offers.append((offer, allowed_tools(name, servers.get(name), work.policy)))
    return offers


def _server_rows(
    work: ToolWork,
    offers: Sequence[tuple[ServerOffer, frozenset[str]]],
    saved: Catalog | None,
    counter: Counter,
    *,
    is_live: bool,
) -> list[ServerRow]:
    from assembler.authorize.allowlist import admit_offers, tool_id

    discovered = [(discover_offers(offer, allowed), allowed) for offer, allowed in offers]
    resident = [name for name in work.policy.resident if work.policy.is_granted(name)]
    admitted, _ = admit_offers(discovered, resident)
    by_id = {candidate.id: candidate for candidate in admitted}
    rows = []
    for (offer, _), (tools, _) in zip(offers, discovered, strict=True):
        known = {**(offer.pin.tools if offer.pin else {}), **(offer.listing or {})}
        counts = dict(zip(known, count_tools([*known.values()], counter), strict=True))
        listed = offer.listing is not None and saved is not None
        source = ("live" if is_live else "the listing") if listed else pin_place(offer.server)
        rows.append(
            ServerRow(
                server=offer.server,
                source=source,
                catalog_digest=_digest_of(offer.pin, offer.listing if listed else None),
                problem=offer.pin_problem,
                why=offer.pin_place if offer.pin_problem else None,
                ignore=offer.pin.ignore if offer.pin else (),
                tools=tuple(
                    _row(
                        by_id[tool_id(offer.server, tool.name)],
                        tool.name,
                        known.get(tool.name),
                        counts.get(tool.name),
                    )
                    for tool in tools
                ),
            )
        )
    return rows


def _digest_of(pin: Pin | None, listing: Mapping[str, ToolDefinition] | None) -> str | None:
    if listing is not None:
        return Catalog(listing).digest
    return None if pin is None else pin.catalog


def _row(
    candidate: Candidate, name: str, definition: ToolDefinition | None, tokens: int | None
) -> ToolRow:
    is_in = candidate.kind == "mcp-tool"
    content = candidate.content
    return ToolRow(
        name=name,
        digest=None if definition is None else definition.digest,
        tokens=tokens,
        state="in" if is_in else "out",
        code=None if is_in else getattr(content, "code", None),
        where=None if is_in else getattr(content, "where", None),
        wire=None if definition is None else definition.wire,
        problem=None if definition is None else definition_problem(definition.wire),
    )
