"""Tools that skills ask for: which are known, by whom, and what is said of the others."""

from __future__ import annotations

import pytest

from assembler.assess.skill_tools import (
    KnownTools,
    UnknownTool,
    find_unknown_tools,
    unknown_tools,
)
from assembler.model.skill import Skill

KNOWN = KnownTools(
    resident=frozenset({"run_test"}),
    servers={"repo-index": frozenset({"find_symbol", "read_range"}), "a__b": frozenset({"t"})},
)


@pytest.mark.parametrize(
    "name",
    [
        "Bash", "Bash(git:*)", "Bash(jq:*, sed:*)", "Read", "WebFetch", "run_test", "find_symbol",
        "find_symbol(x)", "repo-index/find_symbol", "mcp__repo-index__find_symbol",
        "mcp__repo-index", "mcp__repo-index__*", "mcp__a__b__t", "*",
    ],
)  # fmt: skip
def test_tool__that_something_has_is_known(name: str) -> None:
    assert unknown_tools([name], KNOWN) == ()


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("find_symbl", "find_symbol"),
        ("find_symbl(x:*)", "find_symbol"),
        ("Bsh", "Bash"),
        ("repo-index/find_symbl", "repo-index/find_symbol"),
        ("mcp__repo-index__find_symbl", "mcp__repo-index__find_symbol"),
        ("mcp__other__zzzzzzzz", None),
        ("qqqqqqqqqqqq", None),
        ("bash", "Bash"),
    ],
)
def test_tool__that_nothing_has_is_told_with_the_nearest(name: str, near: str | None) -> None:
    assert unknown_tools([name], KNOWN) == (UnknownTool(name, near),)


def test_nothing_known__makes_nothing_unknown() -> None:
    assert unknown_tools(["anything"], KnownTools()) == ()
    assert unknown_tools(["anything"], KnownTools(servers={"x": None})) == ()


def test_pin_that_is_none__leaves_its_tools_untold() -> None:
    known = KnownTools(resident=frozenset({"a"}), servers={"x": None})
    assert unknown_tools(["mcp__x__t", "x/t", "bare"], known) == ()
    assert [tool.asked for tool in unknown_tools(["mcp__y__t"], known)] == ["mcp__y__t"]


def test_finding__is_of_listed_skills_and_once_a_tool() -> None:
    skill = Skill("listed", "s/SKILL.md", "s", "", "", "s", members={"allowed-tools": "Reed, Reed"})
    (finding,) = find_unknown_tools([skill, skill._replace(state="shadowed")], KNOWN)
    assert (finding.code, finding.slug) == ("ASM212", "skill-tool-unknown")
    assert finding.fix == "did you mean Read?"
