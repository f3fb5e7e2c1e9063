"""What was known before a run: wanted summaries, and what the task saw at a revision.

What judges them is loaded for the first of them alone: most tasks have none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from assembler.model.candidate import Candidate
from assembler.model.evidence import Discovered
from assembler.model.run import EvidenceTerms
from assembler.model.tree import Entry
from assembler.offers.reader import FileReader
from assembler.ports import History, SymbolReader


class Known(NamedTuple):
    """What was known before this run, judged."""

    candidates: tuple[Candidate, ...] = ()
    refreshed: tuple[Discovered, ...] = ()
    """Sections to read in place of stale ones."""
    renamed: tuple[Discovered, ...] = ()
    """New places of files that are gone; they decide nothing."""
    told: Mapping[str, tuple[str, ...]] = {}
    """Lines of the work record, by id."""


def judge_known(
    terms: EvidenceTerms,
    summaries: Sequence[Candidate],
    *,
    entries: Mapping[str, Entry],
    reader: FileReader,
    history: History,
    symbols: SymbolReader,
) -> Known:
    """The wanted summaries and what was seen; git is asked for renames once for both.

    Args:
        terms: what the task asks for.
        summaries: those of `terms.summaries`, read.
        entries: of every path that `terms` names.
        reader: of the tree that the run reads.
        history: of the repository.
        symbols: finds definitions by name.
    """
    seen = [item for item in terms.named if item.seen is not None]
    if not summaries and not seen:
        return Known()
    from assembler.assess.line_map import LineMaps
    from assembler.offers.renames import follow_gone
    from assembler.offers.sightings import judge_sightings, look_at_sightings
    from assembler.offers.summaries import judge_summaries, look_at_sources

    artifacts = [terms.artifacts[item.candidate.id] for item in terms.summaries]
    sources = look_at_sources(artifacts, entries, reader, history)
    sightings = look_at_sightings(seen, entries, reader, history)
    moves = follow_gone([*sources.gone, *sightings.gone], reader, history)
    maps = LineMaps()
    trust = terms.trust["source"]
    of_summaries = judge_summaries(
        summaries,
        sources,
        moves,
        reader=reader,
        history=history,
        symbols=symbols,
        maps=maps,
        trust=trust,
    )
    of_sightings = judge_sightings(
        sightings,
        moves,
        reader=reader,
        history=history,
        symbols=symbols,
        maps=maps,
        trust=trust,
    )
    return Known(
        candidates=(*of_summaries.candidates, *of_sightings.candidates),
        refreshed=(*of_summaries.refreshed, *of_sightings.refreshed),
        renamed=of_sightings.renamed,
        told={**of_summaries.told, **of_sightings.told},
    )
