"""The findings of many chains as one list: each place and code once, with its worst figures.

Pure. A file stands in the chain of every folder below it, and each of these chains tells of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Final

from assembler.model.chain import Chain
from assembler.model.finding import Finding, finding_order

CUT: Final = "ASM101"
LOST: Final = "ASM102"


def merge_findings(chains: Iterable[Chain], codes: Collection[str]) -> tuple[Finding, ...]:
    """What the chains say, each thing once, by place.

    A file that is lost behind a cut is told with the cut, whose fix is its fix as well.

    Args:
        chains: in any order.
        codes: those that are wanted; an unwanted cut tells of no lost file, so that each such
            file is a finding of its own.

    Returns:
        `data.chains` says in how many chains a finding stands.
    """
    told: dict[tuple[object, ...], list[Finding]] = {}
    for chain in chains:
        for finding in chain.findings:
            if finding.code in codes:
                told.setdefault(_place(finding), []).append(finding)
    merged = [_merge(group) for group in told.values()]
    behind = {path for finding in merged for path in finding.data.get("lost_files", ())}
    return tuple(
        sorted(
            (found for found in merged if found.code != LOST or found.path not in behind),
            key=finding_order,
        )
    )


def _place(finding: Finding) -> tuple[object, ...]:
    if finding.code in {CUT, LOST}:
        return finding.code, finding.path
    return finding.code, finding.path, finding.line, finding.column


def _merge(group: list[Finding]) -> Finding:
    """The worst of several findings about one place; the walk to it is the same in each chain."""
    worst = max(group, key=_gravity)
    data: dict[str, Any] = {**worst.data, "chains": len(group)}
    if worst.code != CUT:
        return worst._replace(data=data)
    data["lost_files"] = sorted(set(_lost_files(group)))
    return worst._replace(message=_cut_message(data), data=data)


def _gravity(finding: Finding) -> int:
    """How much is lost in a chain; only there do figures differ from chain to chain."""
    over: int = finding.data.get("over_bytes", 0)
    return over


def _lost_files(group: list[Finding]) -> Iterator[str]:
    for finding in group:
        yield from finding.data["lost_files"]


def _cut_message(data: Mapping[str, Any]) -> str:
    message = f"{data['lost_bytes']:,} of {data['size_bytes']:,} bytes never load"
    if data["chains"] > 1:
        message += f" in {data['chains']:,} chains"
    files = len(data["lost_files"])
    if files:
        message += f"; {files:,} {'file below is' if files == 1 else 'files below are'} lost"
    return f"{message} (limit {data['limit_bytes']:,})"
