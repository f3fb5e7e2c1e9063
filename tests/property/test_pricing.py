"""The law of marginal costs: count with the item, less count without, in any order of admission.

The product cuts the text where no piece of a vocabulary reaches across; here the whole text is
counted each time, which is what the rule says.
"""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assembler.adapters.vocabulary import open_counter
from assembler.model.candidate import Address, Candidate, Stored
from assembler.model.digest import sha256_hex
from assembler.model.order import canonical_key
from assembler.ports import Counter
from assembler.render.contract import render_contract, render_control
from assembler.render.marginal import ContractPricing, ControlPricing

COUNTERS = ("o200k_base", "cl100k_base", "code-points", "utf8-bytes")

# Whatever a pattern treats apart: letters and marks, digits, blanks, breaks, slashes, quotes.
PARTS = [
    "a", "B", "\u0301", "7", "123", " ", "  ", "\n", "\r\n", "/", "//", ".", '"', "'s", "'LL", "_",
    "\u3000", "\u2028", "\x85", "\x1c", "中", "source", '{"source_id":"', ',"', "\t", "\u200d", "é",
    "\\", "\x00", "😀",
]  # fmt: skip
texts = st.lists(st.sampled_from(PARTS), max_size=6).map("".join)


@cache
def counter_of(name: str) -> Counter:
    return open_counter(name, None)


def item(number: int, text: str, *, section: str, kind: str) -> tuple[Candidate, bytes]:
    data = text.encode()
    return (
        Candidate(
            id=f"i{number}",
            kind=kind,
            section=section,
            trust="authorized",
            content=Stored(sha256_hex(data), len(data)),
            address=Address(text or "s", "1", 1, number + 1) if section == "evidence" else None,
        ),
        data,
    )


@pytest.mark.parametrize("name", COUNTERS)
@settings(max_examples=150)
@given(st.lists(texts, max_size=5), st.lists(texts, min_size=2, max_size=2), st.randoms())
def test_contract__costs_what_the_whole_text_counts_more(
    name: str, quotes: list[str], singles: list[str], chance: object
) -> None:
    items = [item(n, text, section="evidence", kind="note") for n, text in enumerate(quotes)]
    items.append(item(90, singles[0], section="policy", kind="instruction"))
    items.append(item(91, singles[1], section="task", kind="question"))
    items.append(item(92, '{"question":"a","answer":"b."}', section="task", kind="example"))
    contents = {sha256_hex(data): data for _, data in items}
    chance.shuffle(items)  # type: ignore[attr-defined]
    counter = counter_of(name)
    pricing = ContractPricing(lambda: counter, contents)
    inside: list[Candidate] = []
    assert pricing.overhead == counter.count(render_contract([], contents).data)
    for candidate, _ in items:
        before = counter.count(render_contract(inside, contents).data)
        inside = sorted([*inside, candidate], key=canonical_key)
        after = counter.count(render_contract(inside, contents).data)
        assert pricing.price([candidate]) == [after - before]
        pricing.admit([candidate])


@pytest.mark.parametrize("name", COUNTERS)
@settings(max_examples=150)
@given(st.lists(texts.map(lambda text: text.replace("\x00", "")), max_size=7), st.randoms())
def test_control__costs_what_the_whole_text_counts_more(
    name: str, rules: list[str], chance: object
) -> None:
    items = [item(n, text, section="policy", kind="rule") for n, text in enumerate(rules)]
    contents = {sha256_hex(data): data for _, data in items}
    chance.shuffle(items)  # type: ignore[attr-defined]
    counter = counter_of(name)
    pricing = ControlPricing(lambda: counter, contents)
    inside: list[Candidate] = []
    for candidate, _ in items:
        before = counter.count(render_control(inside, contents).data)
        inside = sorted([*inside, candidate], key=canonical_key)
        after = counter.count(render_control(inside, contents).data)
        assert pricing.price([candidate]) == [after - before]
        pricing.admit([candidate])


def test_price__of_some_items_is_the_sum_of_steps_and_admits_nothing() -> None:
    items = [item(n, text, section="evidence", kind="note") for n, text in enumerate("abc")]
    contents = {sha256_hex(data): data for _, data in items}
    candidates = [candidate for candidate, _ in items]
    counter = counter_of("o200k_base")
    pricing = ContractPricing(lambda: counter, contents)
    costs = pricing.price(candidates)
    assert pricing.price(candidates) == costs
    whole = counter.count(render_contract(candidates, contents).data)
    assert pricing.overhead + sum(costs) == whole
