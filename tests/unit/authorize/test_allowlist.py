"""Which tools enter, from however many servers and in whatever order."""

from __future__ import annotations

import itertools

from assembler.authorize.allowlist import admit_offers
from assembler.config.listing import define_listed
from assembler.model.catalog import ToolOffer
from tests.builders.catalogs import tool


def offer(server: str, name: str, problem: str | None = None) -> ToolOffer:
    (defined,) = define_listed([("x", tool(name))])
    approved = None if problem else defined
    return ToolOffer(server, name, approved, defined.digest, problem, f"{server}.json")


def test_name__of_two_servers_enters_from_neither_in_any_order() -> None:
    servers = [
        ([offer("a", "x"), offer("a", "y")], frozenset({"x", "y"})),
        ([offer("b", "x")], frozenset({"x"})),
        ([offer("c", "x")], frozenset[str]()),
    ]
    answers = []
    for order in itertools.permutations(servers):
        candidates, required = admit_offers(order, ())
        answers.append((sorted(candidates, key=lambda row: row.id), sorted(required)))
    assert all(answer == answers[0] for answer in answers)
    candidates, required = answers[0]
    codes = {row.id: getattr(row.content, "code", None) for row in candidates}
    assert codes == {
        "tool:a/x": "tool-name-collision", "tool:a/y": None,
        "tool:b/x": "tool-name-collision", "tool:c/x": "tool-new",
    }  # fmt: skip
    assert required == ["tool:a/x", "tool:a/y", "tool:b/x"]


def test_name__of_a_resident_tool_is_taken() -> None:
    candidates, required = admit_offers([([offer("a", "x")], frozenset({"x"}))], ["x"])
    (row,) = candidates
    assert getattr(row.content, "code", None) == "tool-name-collision"
    assert getattr(row.content, "where", None) == "same name as tool:x"
    assert required == ["tool:a/x"]


def test_tool__that_stays_out_takes_no_name() -> None:
    servers = [
        ([offer("a", "x", "tool-definition-invalid")], frozenset({"x"})),
        ([offer("b", "x")], frozenset({"x"})),
    ]
    candidates, required = admit_offers(servers, ())
    assert [row.kind for row in candidates] == ["tool-offer", "mcp-tool"]
    assert required == ["tool:b/x"]


def test_name__that_no_request_takes_is_turned_away() -> None:
    names = ["", "a/b", "a b", "x" * 65, "\u0430", "\u202e", "a.b"]
    offers = [offer("s", name) for name in names]
    candidates, required = admit_offers([(offers, frozenset(names))], ())
    assert {getattr(row.content, "code", None) for row in candidates} == {"tool-name"}
    assert len(set(required)) == len(names)
