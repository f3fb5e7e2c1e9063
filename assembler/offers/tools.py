"""Tools: resident ones, and what servers offer, admitted by allowlist and pin."""

from __future__ import annotations

from assembler.authorize.allowlist import admit_offers, admit_resident, withhold_resident
from assembler.discover.tools import discover_offers
from assembler.model.candidate import Candidate
from assembler.model.run import ToolTerms


def offer_tools(terms: ToolTerms) -> tuple[list[Candidate], list[str]]:
    """Candidates of resident tools and of every server, and the ids that are required."""
    candidates = admit_resident(terms.resident)
    required = [candidate.id for candidate in candidates]
    candidates += withhold_resident(terms.withheld)
    offered, wanted = admit_offers(
        [(discover_offers(server, allowed), allowed) for server, allowed in terms.servers],
        [tool.name for tool in terms.resident],
    )
    return candidates + offered, required + wanted
