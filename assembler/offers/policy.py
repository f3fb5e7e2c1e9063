"""Policy: the instruction chain as candidates; whatever is lost of it is a loud row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from assembler.assess.chain import refuse_broken_chain, refused_findings
from assembler.assess.surroundings import with_surroundings
from assembler.model.candidate import Absent, Candidate, Inline
from assembler.model.chain import Chain, ChainRow
from assembler.model.finding import Finding
from assembler.model.limits import MAX_WORDS_BYTES, bounded_name, bounded_place
from assembler.model.run import PolicyTerms
from assembler.offers.chain import read_chain
from assembler.offers.reader import FileReader


class PolicyOffer(NamedTuple):
    """The chain, its candidates, and which of them a run can't do without."""

    chain: Chain
    candidates: tuple[Candidate, ...]
    required: tuple[str, ...]
    paths: Mapping[str, str]
    """Path in the tree of each candidate, by id."""
    broken: Finding | None
    """What strict mode refuses."""


def offer_policy(terms: PolicyTerms, reader: FileReader) -> PolicyOffer:
    """Every instruction file that the walk met, and the invoker's own instruction."""
    chain, deny_rules = read_chain(reader, terms.rules, ends=terms.ends)
    chain = with_surroundings(chain, terms.surroundings)
    broken = refuse_broken_chain(chain)
    refused = {
        finding.path: finding for finding in reversed(refused_findings(chain)) if broken is not None
    }
    candidates: list[Candidate] = []
    required: list[str] = []
    if terms.global_file is not None:
        candidates.append(_global(terms.global_file.label, terms.global_file.data))
        required.append(candidates[-1].id)
    for row in chain.rows:
        finding = refused.get(row.path) if row.state in ("in", "cut", "lost") else None
        content = _content(row, chain, finding, deny_rules.get(row.path))
        candidate = _candidate(row, content, len(candidates))
        candidates.append(candidate)
        # Policy that a rule keeps closed is refused: a profile must not take rules away.
        if finding is not None or _is_due(row, chain) or row.path in deny_rules:
            required.append(candidate.id)
    if terms.instruction is not None:
        candidates.append(_instruction(terms.instruction, len(candidates)))
        required.append(candidates[-1].id)
    return PolicyOffer(
        chain=chain,
        candidates=tuple(candidates),
        required=tuple(required),
        paths={policy_id(row.path): row.path for row in chain.rows},
        broken=broken,
    )


def _is_due(row: ChainRow, chain: Chain) -> bool:
    """Whether a run can't do without the file: all but what a cut that was asked for takes."""
    if chain.on_overflow == "cut" and (row.reason == "chain-lost" or row.state == "cut"):
        return row.path in chain.texts
    return row.state in ("in", "cut", "lost")


def _content(
    row: ChainRow, chain: Chain, finding: Finding | None, deny_rule: str | None
) -> Absent | Inline:
    if deny_rule is not None:
        return Absent("denied", rule=deny_rule)
    if finding is not None:
        where = _place(row.path, finding.line)
        return Absent("turned-away", code=finding.slug, where=where)
    if row.path in chain.texts:
        return Inline(chain.texts[row.path])
    line = None if row.cut is None else row.cut.line
    code = row.reason if row.cut is None else "chain-cut"
    return Absent("turned-away", code=code, where=_place(row.path, line))


def _candidate(row: ChainRow, content: Absent | Inline, position: int) -> Candidate:
    return Candidate(
        id=policy_id(row.path),
        kind="instruction",
        section="policy",
        trust="authorized",
        content=content,
        scope=bounded_name(row.scope, most_bytes=MAX_WORDS_BYTES),
        position=position,
        version=_version(row),
        discovered_by="instruction chain",
    )


def _version(row: ChainRow) -> str | None:
    """How the content differs from the file."""
    parts = ["byte order mark dropped"] if row.bom_dropped else []
    if row.cut is not None and row.size_bytes is not None:
        lost = row.size_bytes - row.cut.byte
        parts.append(
            f"cut: {row.loaded_bytes:,} of {row.size_bytes:,} bytes loaded, {lost:,} lost from "
            f"line {row.cut.line:,} on"
        )
    return "; ".join(parts) or None


def _global(label: str, data: bytes) -> Candidate:
    return Candidate(
        id=policy_id(label),
        kind="instruction",
        section="policy",
        trust="authorized",
        content=Inline(data),
        scope="/",
        discovered_by="host manifest",
    )


def _instruction(text: str, position: int) -> Candidate:
    return Candidate(
        id="instruction",
        kind="instruction",
        section="policy",
        trust="authorized",
        content=Inline(text.encode("utf-8")),
        position=position,
        discovered_by="task",
    )


def policy_id(path: str) -> str:
    """`policy:PATH`; a path too long for an id by its digest."""
    return bounded_name(path, prefix="policy:")


def _place(path: str, line: int | None) -> str:
    return bounded_place(path if line is None else f"{path}:{line}")
