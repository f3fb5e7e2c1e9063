"""Heads of skills as each agent reads them."""

from __future__ import annotations

import pytest

from assembler.agents.skill_heads import (
    Head,
    HeadFault,
    count_units,
    cut_units,
    read_head,
)
from assembler.agents.skill_rules import HeadRules
from assembler.front.agent_inputs import find_rules
from assembler.front.agent_skill_lists import read_block


def rules(agent: str) -> HeadRules:
    skills = find_rules(agent).skills
    assert skills is not None
    return skills.head


def read(agent: str, text: str) -> tuple[str | None, str] | str:
    """Name and description, or why not."""
    head = read_head(text.encode("utf-8", "surrogateescape"), rules(agent), read_block)
    return head.slug if isinstance(head, HeadFault) else (head.name, head.description)


def front(*lines: str, body: str = "body\n") -> str:
    return "\n".join(["---", *lines, "---", body])


AGENTS = ("claude", "gemini", "opencode")
FORMS = {
    "plain": (front("name: n", "description: d"), ("n", "d"), ("n", "d"), ("n", "d")),
    "quoted number": (front("name: '1'", 'description: "2"'), ("1", "2"), ("1", "2"), ("1", "2")),
    "number": (
        front("name: 1", "description: 2.5"),
        ("1", "2.5"),
        ("1", "2.5"),
        "skill-name",
    ),
    "date": (
        front("name: n", "description: 2026-01-02"),
        ("n", "2026-01-02"),
        ("n", "2026-01-02"),
        "skill-description",
    ),
    "null description": (
        front("name: n", "description:"),
        ("n", "body"),
        ("n", ""),
        "skill-description",
    ),
    "list": (
        front("name: n", "description: [a, b]"),
        ("n", "body"),
        ("n", "[a, b]"),
        "skill-description",
    ),
    "colon": (
        front("name: n", "description: Use when: x"),
        ("n", "Use when: x"),
        ("n", "Use when: x"),
        ("n", "Use when: x"),
    ),
    "open bracket": (
        front("name: n", "description: [x"),
        ("n", "[x"),
        ("n", "[x"),
        "skill-yaml",
    ),
    "no mending": (
        front("name: n", "  bad: - [", "description: d"),
        (None, "body"),
        ("n", "d"),
        "skill-yaml",
    ),
    "second key": (
        front("name: a", "name: b", "description: d"),
        (None, "body"),
        ("b", "d"),
        "skill-yaml",
    ),
    "folded": (
        front("name: n", "description: >-", "  one", "  two", "", "  three"),
        ("n", "one two three"),
        ("n", "one two\nthree"),
        ("n", "one two\nthree"),
    ),
    "continued, not YAML": (
        front("name: [n", "description: one", "  two"),
        ("[n", "one two"),
        ("[n", "one two"),
        "skill-yaml",
    ),
    "empty head": ("---\n---\nx\n", (None, "x"), "skill-no-front-matter", "skill-yaml"),
    "unclosed": (
        "---\nname: n\ndescription: d\n",
        (None, "---"),
        "skill-no-front-matter",
        ("n", "d"),
    ),
    "four dashes": (
        "----\nname: n\ndescription: d\n---\n",
        (None, "----"),
        "skill-no-front-matter",
        "skill-no-front-matter",
    ),
    "empty file": ("", (None, "Skill"), "skill-no-front-matter", "skill-no-front-matter"),
    "heading": (
        "\n# A title\ntext\n",
        (None, "A title"),
        "skill-no-front-matter",
        "skill-no-front-matter",
    ),
    "old line ends": (
        "---\r\nname: n\r\ndescription: d\r\n---\r\nb\r\n",
        ("n", "d"),
        ("n", "d"),
        ("n", "d"),
    ),
    "byte order mark": (
        "\ufeff" + front("name: n", "description: d"),
        ("n", "d"),
        "skill-byte-order-mark",
        ("n", "d"),
    ),
    "name with a colon": (
        front("name: 'a:b'", "description: d"),
        ("a:b", "d"),
        ("a-b", "d"),
        ("a:b", "d"),
    ),
    "when to use": (
        front("name: n", "description: d", "when_to_use: w"),
        ("n", "d - w"),
        ("n", "d"),
        ("n", "d"),
    ),
    "not UTF-8": (
        front("name: n", "description: a\udcffb"),
        ("n", "a\ufffdb"),
        ("n", "a\ufffdb"),
        ("n", "a\ufffdb"),
    ),
}


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("form", FORMS)
def test_form__is_read_by_the_agents_own_rule(form: str, agent: str) -> None:
    text, *answers = FORMS[form]
    assert read(agent, text) == answers[AGENTS.index(agent)]


@pytest.mark.parametrize(("size", "shown"), [(100, "x" * 100), (101, "x" * 97 + "...")])
def test_first_line__is_cut_when_it_is_one_too_long(size: int, shown: str) -> None:
    assert read("claude", "x" * size) == (None, shown)


def test_head__that_is_longer_than_is_read_here_is_not_decided() -> None:
    text = front("name: n", "description: d", f"more: {'x' * (64 << 10)}")

    assert [read(agent, text) for agent in AGENTS] == ["skill-unread"] * 3


def test_reason__holds_no_text_of_the_file() -> None:
    head = read_head(front("name: [sesame").encode(), rules("opencode"), read_block)

    assert isinstance(head, HeadFault)
    assert "sesame" not in head.reason


def test_repair__is_told() -> None:
    head = read_head(front("name: n", "description: a: b").encode(), rules("gemini"), read_block)

    assert isinstance(head, Head)
    assert head.is_repaired


@pytest.mark.parametrize(
    ("text", "most", "cut"), [("abc", 2, "ab"), ("a😀b", 3, "a😀"), ("a😀b", 2, "a\ufffd")]
)
def test_units__are_those_of_javascript(text: str, most: int, cut: str) -> None:
    assert cut_units(text, most) == cut
    assert count_units("a😀b") == 4
