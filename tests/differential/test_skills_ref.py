"""Random skills against the specification's reference library, where it is installed.

SKILLS_REF_PYTHON names an interpreter that has it (`pip install skills-ref==0.1.1` in a virtual
environment of its own), SKILLS_REF_CASES how many skills are tried.
"""

from __future__ import annotations

import json
import os
import re
import unicodedata
from random import Random

import pytest

from assembler.adapters.frontmatter import read_front_matter
from assembler.discover.skills import build_skill
from assembler.model.skill import SkillFolder
from assembler.model.tree import Entry, EntryKind
from tests.builders.skills_oracle import Verdict, ask_reference

PYTHON = os.environ.get("SKILLS_REF_PYTHON", "")
CASES = int(os.environ.get("SKILLS_REF_CASES", "2000"))

pytestmark = pytest.mark.skipif(
    not PYTHON, reason="SKILLS_REF_PYTHON names no interpreter with skills-ref to compare with"
)

LETTERS = "abz019-éßſİıﬁﬃⅧⅷ²ªΩς技дЙñ１Ａ·्خʼ'ǅʰ𝐚Ⓐⓐ☔_. /\u200d\u0301\u1e9e"
TYPED = (
    *("123", "007", "1e5", "true", "no", "1.5", "2024-01-01", "+1", ".5", "1_000", "12:30:45"),
    *("y", "off", "-", "--", "---a"),
)
WORDS = (
    *(
        "Use",
        "when:",
        "it's",
        "x:y",
        "#5",
        "#",
        "c",
        "-",
        "[a]",
        "{b}",
        "*s*",
        "&",
        "R&D",
        "!",
        "?",
    ),
    *("a|b", ">", "%", "@m", "`c`", "10:30", "é", "技", "::", "http://x", "<b>", "'"),
)
FIELDS = (
    "license: MIT", "license:", "license:\n  - MIT",
    "compatibility: git", "compatibility:\n  - git",
    f"compatibility: {'c' * 500}", f"compatibility: {'c' * 501}", "compatibility: 5",
    "allowed-tools: Bash(git:*) Read", "allowed-tools:\n  - Read", "version: 1.0", "Name: x",
    "metadata:\n  a: 1\n  b: yes", "metadata:\n  a:\n    b: c\n    d:\n      - 1\n      - 2",
    "metadata:\n  - a", "metadata: x", "metadata:", "metadata:\n  a: ''\n  b:\n  c: ~",
    "metadata:\n  a:\n    b: c\n  d:\n      e: f", "metadata:\n  a: b\n  a: c", "# comment", "",
    "x: a\tb", "x:\ty", "x: y\t# c", "x: 'a\tb'", "x: |\n  a\tb", "x: >-\n  a\n   b\n\n  c", "? x",
    "x: a\n  b\n\n  c", "x: \"a \\\n   b\"", "x: 'a' b", "x: !a b", "x: &a b", "x: *a", "x: %a",
    "x: a: b", "x: ]", "x: a]", "x: |x", "x: \"\\q\"", "x", "...", "1: 2", "é: x", "'x': y", "- x",
    "\u3000x: y", "x: \u00a0y", "x: \u2028y", "x: y\u200b",
)  # fmt: skip


def make_name(chance: Random) -> str:
    kind = chance.random()
    if kind < 0.3:
        return "".join(chance.choices("abc019-", k=chance.randint(1, 12)))
    if kind < 0.7:
        return "".join(chance.choices(LETTERS, k=chance.randint(1, 8)))
    if kind < 0.85:
        return chance.choice("aﬃé技") * chance.choice([21, 22, 63, 64, 65])
    return chance.choice(TYPED)


def quoted(chance: Random, text: str) -> str:
    kind = chance.random()
    if kind < 0.6:
        return text
    return (
        "'" + text.replace("'", "''") + "'" if kind < 0.8 else json.dumps(text, ensure_ascii=False)
    )


def make_description(chance: Random) -> str:
    kind, words = chance.random(), " ".join(chance.choices(WORDS, k=chance.randint(1, 6)))
    if kind < 0.4:
        return quoted(chance, "Does it well. Use it.")
    if kind < 0.7:
        return quoted(chance, words)
    if kind < 0.8:
        return chance.choice("aé😀") * chance.choice([1_023, 1_024, 1_025])
    if kind < 0.95:
        head = chance.choice("|>") + chance.choice(["", "-", "+", "2"])
        return f"{head}\n  {words}\n{chance.choice(['', ' ', '    b'])}\n  c"
    return chance.choice(["", "''", '"  "', "yes", "42", "\n  - one", "\n  en: one"])


def make_case(chance: Random) -> tuple[str, str]:
    name = make_name(chance)
    fields = [f"name: {quoted(chance, name)}", f"description: {make_description(chance)}"]
    fields += chance.choices(FIELDS, k=chance.choice([0, 0, 1, 2]))
    if chance.random() < 0.1:
        fields.pop(chance.randrange(len(fields)))
    folder = name if chance.random() < 0.85 else unicodedata.normalize("NFD", name.upper())
    folder = folder.replace("/", "_")
    return "---\n" + "\n".join(fields) + "\n---\nBody\n", "x" if folder in {".", ".."} else folder


def is_told_apart(text: str, verdict: Verdict) -> bool:
    """Whether we read this input otherwise on purpose: docs/decisions/0019."""
    head = text[4 : text.rindex("\n---\n")]
    return (
        "---" in head
        or "crash" in verdict.kinds
        or any("flow mapping" in message for message in verdict.messages)
        or re.search(r": *(~|null|=|<<)( #.*)?$|^ *: ", head, re.MULTILINE) is not None
        or head.count("\n...") > 1
        or re.search(r":\s*\n\s*\t", head) is not None
    )


def test_errors_and_properties__are_those_of_the_reference_library() -> None:
    chance = Random(0)
    cases = [make_case(chance) for _ in range(CASES)]
    different = []
    for (text, folder), verdict in zip(cases, ask_reference(PYTHON, cases), strict=True):
        entry = Entry(f"{folder}/SKILL.md", EntryKind.FILE)
        found = build_skill(
            SkillFolder(folder, "", "", entry, ()), text.encode(), read_front_matter
        )
        ours = frozenset(error.kind for error in found.errors)
        same = ours == verdict.kinds and found.properties == verdict.properties
        if not same and not is_told_apart(text, verdict):
            different.append((text, folder, sorted(verdict.kinds), sorted(ours)))
    assert different == [], different[0]
