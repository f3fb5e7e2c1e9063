"""Evidence that has not the trust of its kind: untrusted, whatever the profile says of files.

In: what was offered, and the ids that somebody who compares bytes has found. Out: the same, with
another word of trust and the reason for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from assembler.model.candidate import Inline
from assembler.offers.evidence import EvidenceOffer
from assembler.offers.reader import FileReader


class TrustedFiles(Protocol):
    """Tells the files whose bytes a revision has that the host trusts."""

    @property
    def reason(self) -> str:
        """Why a file is not among them."""

    def find_untrusted(self, paths: Mapping[str, str], reader: FileReader) -> frozenset[str]:
        """Those of the names whose file is not; the reader has read them all."""


def files_read(evidence: EvidenceOffer) -> dict[str, str]:
    """Path by id of everything of the tree that is offered with its bytes, whatever its kind."""
    return {
        item.id: evidence.paths[item.id]
        for item in evidence.candidates
        if item.id in evidence.paths and isinstance(item.content, Inline)
    }


def sources_read(evidence: EvidenceOffer) -> dict[str, str]:
    """The same of files and records alone; what a rule closed is not opened for less."""
    kinds = {item.id: item.kind for item in evidence.candidates}
    return {
        name: path
        for name, path in files_read(evidence).items()
        if kinds[name] in ("source", "record")
    }


def distrust(
    evidence: EvidenceOffer, ids: frozenset[str], *, why: str | None = None
) -> EvidenceOffer:
    """The same evidence, with some of its items untrusted.

    Args:
        evidence: as it was offered.
        ids: of these items.
        why: what their rows say of it.
    """
    return evidence._replace(
        candidates=tuple(
            item._replace(trust="untrusted", version=join_words(item.version, why))
            if item.id in ids
            else item
            for item in evidence.candidates
        )
    )


def join_words(*words: str | None) -> str | None:
    """What several parties say, in one line; None if nobody says anything."""
    return "; ".join(word for word in words if word) or None
