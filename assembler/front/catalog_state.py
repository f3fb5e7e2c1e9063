"""Which tools of a server may be offered now, by the rules that a run is made under."""

from __future__ import annotations

from collections.abc import Mapping

from assembler.authorize.allowlist import admit_offers
from assembler.config.pin import pin_place
from assembler.discover.tools import discover_offers
from assembler.model.catalog import Catalog, Pin, ServerOffer, define_again
from assembler.model.catalog_event import CatalogState, KeptOut

CHANGED = "tool-pin-broken"
UNAVAILABLE = "server-unavailable"


def judge_catalog(
    pin: Pin, allowed: frozenset[str], listed: Catalog, gone: Mapping[str, str]
) -> CatalogState:
    """The state of a server that was read.

    Args:
        pin: what was approved when the run began, or at its last transition.
        allowed: names that host and profile allow.
        listed: what it lists now.
        gone: by name the code of tools that changed under this pin: they don't come back to it.
    """
    tools = define_again(listed.tools, pin.ignore) if pin.ignore else listed.tools
    offer = ServerOffer(
        server=pin.server,
        pin=pin,
        pin_problem=None,
        pin_place=pin_place(pin.server),
        listing=tools,
        listing_problem=None,
        listing_place="the server",
    )
    admitted: list[str] = []
    kept_out: list[KeptOut] = []
    offers = discover_offers(offer, allowed)
    candidates, _ = admit_offers([(offers, allowed)], ())
    for judged, candidate in zip(offers, candidates, strict=True):
        code = gone.get(judged.name) or getattr(candidate.content, "code", None)
        if code is None:
            admitted.append(judged.name)
        else:
            digest = tools[judged.name].digest if judged.name in tools else None
            kept_out.append(KeptOut(judged.name, code, digest))
    return CatalogState(
        tuple(admitted), tuple(kept_out), Catalog(tools).digest, listed.identity.instructions
    )


def close_catalog(pin: Pin, allowed: frozenset[str], code: str) -> CatalogState:
    """The state of a server that could not be read: nothing of it is offered."""
    kept = tuple(KeptOut(name, code, None) for name in sorted({*pin.tools, *allowed}))
    return CatalogState((), kept, None, None)
