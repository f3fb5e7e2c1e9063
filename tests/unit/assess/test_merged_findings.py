"""The findings of many chains as one list: nothing twice, nothing lost, the worst figure wins."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from assembler.assess.merged_findings import merge_findings
from assembler.front.chains import list_chains
from assembler.model.catalogue import RULES
from assembler.model.chain import Chain
from assembler.model.finding import Finding, finding_order, make_finding
from tests.builders.instruction_trees import random_repository


def chain(*findings: Finding) -> Chain:
    return Chain(rows=(), texts={}, total_bytes=0, limit_bytes=100, findings=findings)


def cut(over: int, *lost: str) -> Finding:
    figures = {"lost_bytes": 5, "size_bytes": 105, "limit_bytes": 100, "over_bytes": over}
    data = {**figures, "lost_files": list(lost)}
    return make_finding("ASM101", "A", "told", line=7, fix=f"move {over}", data=data)


def lost(path: str, over: int = 1) -> Finding:
    return make_finding("ASM102", path, "never", fix=f"shorten {over}", data={"over_bytes": over})


def merge(*chains: Chain, codes: frozenset[str] = frozenset(RULES)) -> list[Finding]:
    return list(merge_findings(chains, codes))


def test_cut__of_several_chains_is_one_with_the_worst_figure() -> None:
    (found,) = merge(
        chain(cut(5)),
        chain(cut(9, "b/A"), lost("b/A", 9)),
        chain(cut(6, "a/A"), lost("a/A", 6)),
        chain(cut(9, "b/A"), lost("b/A", 9)),
    )
    assert (
        found.message == "5 of 105 bytes never load in 4 chains; 2 files below are lost (limit 100)"
    )
    assert (found.fix, found.line) == ("move 9", 7)
    assert (found.data["lost_files"], found.data["chains"]) == (["a/A", "b/A"], 4)


def test_cut__of_one_chain_says_so() -> None:
    (found,) = merge(chain(cut(6, "a/A"), lost("a/A")))
    assert found.message == "5 of 105 bytes never load; 1 file below is lost (limit 100)"
    (found,) = merge(chain(cut(5)))
    assert found.message == "5 of 105 bytes never load (limit 100)"


def test_lost_file__is_told_by_itself_where_no_cut_tells_of_it() -> None:
    exactly_full = chain(lost("a/A", 3)), chain(lost("a/A", 8))
    (found,) = merge(*exactly_full)
    assert (found.code, found.fix, found.data["chains"]) == ("ASM102", "shorten 8", 2)
    both = chain(cut(6, "a/A"), lost("a/A"))
    assert [found.code for found in merge(both, codes=frozenset({"ASM102"}))] == ["ASM102"]
    assert [found.code for found in merge(both, codes=frozenset({"ASM101"}))] == ["ASM101"]
    assert merge(both, codes=frozenset({"ASM103"})) == []


def test_place__is_told_once_for_each_code() -> None:
    first = make_finding("ASM601", "A", "x", line=3, column=1)
    other = make_finding("ASM603", "A", "x", line=3, column=1)
    later = make_finding("ASM603", "A", "x", line=4)
    found = merge(chain(first, other), chain(later, first), chain(other))
    assert [(one.code, one.line, one.data["chains"]) for one in found] == [
        ("ASM601", 3, 2),
        ("ASM603", 3, 2),
        ("ASM603", 4, 1),
    ]


@pytest.mark.parametrize("seed", range(100, 110))
def test_list__has_each_place_and_code_of_the_chains(tmp_path: Path, seed: int) -> None:
    repository = random_repository(tmp_path / "r", random.Random(seed))
    environment = {"HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin"}
    found = list_chains(repository.root, environment=environment).found
    chains = [*found.bare.values(), *found.by_folder.values()]
    merged = merge_findings(chains, frozenset(RULES))
    told = [(one.code, one.path, one.line, one.column) for one in merged]
    assert len(set(told)) == len(told)
    assert list(merged) == sorted(merged, key=finding_order)
    everything = {(one.code, one.path) for chain in chains for one in chain.findings}
    behind = {("ASM102", path) for one in merged for path in one.data.get("lost_files", ())}
    assert {(code, path) for code, path, _, _ in told} | behind == everything
    assert merge_findings(reversed(chains), frozenset(RULES)) == merged
