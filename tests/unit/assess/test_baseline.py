"""Findings beside a baseline: equal ones are counted, and too many of them are all told."""

from __future__ import annotations

import pytest

from assembler.assess.baseline import compare_baseline, make_baseline
from assembler.model.catalogue import RULES
from assembler.model.finding import Finding, make_finding
from assembler.model.known_finding import identify

ALL = frozenset(RULES)


def finding(message: str = "is wrong", line: int = 1, code: str = "ASM203") -> Finding:
    return make_finding(code, "a/SKILL.md", message, line=line)


@pytest.mark.parametrize(("there", "told", "gone"), [(0, 0, 2), (1, 0, 1), (2, 0, 0), (3, 3, 0)])
def test_equal_findings__are_known_up_to_their_count(there: int, told: int, gone: int) -> None:
    baseline = make_baseline([finding(line=1), finding(line=2)])
    assert [entry.times for entry in baseline] == [2]
    compared = compare_baseline([finding(line=n) for n in range(1, there + 1)], baseline, ALL)
    assert (len(compared.told), len(compared.known), compared.gone) == (told, there - told, gone)


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("1,234 of 5,678 bytes", "9 of 10 bytes", True),
        ("line 4 holds it", "line 40 holds it", True),
        ("first U+200B at byte 3", "first U+200B at byte 30", True),
        ("first U+200B at byte 3", "first U+202E at byte 3", False),
        ("tool2 is gone", "tool3 is gone", False),
        ("is 12ab45cd, locked", "is 12ab45ce, locked", False),
        ("delete \\u{2028}", "delete \\u{2029}", False),
        ("release-1.2 is there", "release-1.3 is there", False),
        ("-> ../../1/x: never opened", "-> ../../2/x: never opened", False),
        ("/etc/1 is outside", "/etc/2 is outside", False),
        ("1,2/x is outside", "1,3/x is outside", False),
        ("1.md is never read", "2.md is never read", False),
        ("hides AGENTS.md (1,290 bytes) of it", "hides AGENTS.md of it", True),
        ("hides AGENTS.md (8 lines) of it", "hides AGENTS.md of it", False),
        ("4 of 40: it grew (limit 9).", "5 of 1,000: it grew (limit 10).", True),
    ],
)
def test_identity__is_of_words_without_lines_and_sizes(one: str, other: str, is_same: bool) -> None:
    assert (identify(finding(one)) == identify(finding(other, line=9))) is is_same


def test_identity__is_of_code_and_file_too() -> None:
    assert identify(finding()) != identify(finding(code="ASM205"))
    assert identify(finding()) != identify(finding()._replace(path="b/SKILL.md"))


def test_tool__is_known_as_the_definition_it_had() -> None:
    drifts = [
        make_finding("ASM302", "p.json", "x is not what was approved", data={"listed": digest})
        for digest in ("sha256:1", "sha256:2")
    ]
    compared = compare_baseline(drifts, make_baseline(drifts[:1]), ALL)
    assert (compared.told, compared.known) == ((drifts[1],), (drifts[0],))


@pytest.mark.parametrize("code", ["ASM307", "ASM316", "ASM702", "ASM703", "ASM705"])
def test_some__are_never_known(code: str) -> None:
    told = [finding(code=code)]
    assert make_baseline(told) == ()
    forged = [*identify(told[0])]
    assert compare_baseline(told, forged, ALL).told == tuple(told)


def test_gone__is_of_what_was_looked_for() -> None:
    baseline = make_baseline([finding()])
    assert compare_baseline([], baseline, ALL - {"ASM203"}).gone == 0
    assert compare_baseline([], baseline, frozenset({"ASM203"})).gone == 1


def never_loaded(*agents: str) -> Finding:
    words = f"{', '.join(agents)} never load it"
    return make_finding("ASM150", "AGENTS.md", words, data={"agents": list(agents)})


def test_agent_more__is_told_and_agent_less_is_not() -> None:
    known = make_baseline([never_loaded("claude", "gemini")])
    assert len(known) == 2
    for agents in (("claude", "gemini"), ("gemini",)):
        compared = compare_baseline([never_loaded(*agents)], known, ALL)
        assert (compared.told, compared.gone) == ((), 2 - len(agents))
    worse = compare_baseline([never_loaded("claude", "codex", "gemini")], known, ALL)
    assert (len(worse.told), worse.gone) == (1, 0)


def test_entry__whose_place_tells_another_finding_is_not_gone() -> None:
    """Writing the file again, which is the advice for what is gone, would make it known."""
    known = make_baseline([never_loaded("claude", "gemini"), finding()])
    compared = compare_baseline([never_loaded("codex")], known, ALL)
    assert ([one.code for one in compared.told], compared.gone) == (["ASM150"], 1)
