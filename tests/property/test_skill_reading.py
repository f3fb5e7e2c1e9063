"""Reading a skill in load mode: whatever the bytes are, it answers, and by the same value."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assembler.adapters.frontmatter import read_front_matter
from assembler.adapters.yaml_events import read_yaml
from assembler.adapters.yaml_nodes import read_text_block
from assembler.discover.skill_rules import CODES_OF_KINDS
from assembler.discover.skills import build_skill
from assembler.errors import ConfigError
from assembler.model.skill import Skill, SkillFolder
from assembler.model.tree import Entry, EntryKind

NOISE_SECONDS = 0.002
FOLDER = SkillFolder("skills/x", "", "skills", Entry("skills/x/SKILL.md", EntryKind.FILE), ())
VALID = (
    '---\nname: x\ndescription: "Does \\x1b it: well"\nlicense: >-\n  a\n  b\n'
    "metadata:\n  é: [1, {a: 'b'}]\nallowed-tools: Bash(git:*) Read\n--- \n# T\n\u2028é\n"
).encode()

_WORDS = (
    "--- name description metadata : : - ? x ' \" | > # [ ] { } , &a *a !t % @ ` ~ null ... << é 技"
)
_MARKS = (": ", "- ", " ", "  ", "\t", "\n", "\n", "\r", "\r\n", "\x00", "\x85", "\u202e", "\ufeff")
_PIECES = st.sampled_from([*_WORDS.split(" "), *_MARKS, "Use when: y", "\\x07", "\\0", " # c"])
YAMLISH = st.lists(_PIECES, max_size=40).map("".join)


def read(data: bytes) -> Skill:
    skill = build_skill(FOLDER, data, read_front_matter)
    assert skill.state in {"listed", "rejected"}
    # What is refused says why; an error of the specification is a finding too.
    assert skill.state == "listed" or any(item.severity == "error" for item in skill.findings)
    told = {item.data.get("kind") for item in skill.findings}
    assert all(error.kind in told and error.kind in CODES_OF_KINDS for error in skill.errors)
    assert set(skill.error_codes()) <= {item.code for item in skill.findings}
    assert all((error.line or 0) >= 1 and (error.column or 0) >= 1 for error in skill.errors)
    return skill


@given(st.binary(max_size=400))
def test_random_bytes__are_answered(data: bytes) -> None:
    read(data)
    read(b"---\n" + data + b"\n---\n")


@given(YAMLISH)
@settings(max_examples=400)
def test_random_text__is_answered(text: str) -> None:
    read(f"---\n{text}\n---\nB\n".encode())
    read(f"---\nname: x\ndescription: {text}\n---\nB\n".encode())


_BREAKS = re.compile("[\n\r\x00\x85]")


@given(YAMLISH.map(lambda text: _BREAKS.sub("", text)), st.sampled_from([": ", ":", ":\u00a0"]))
@settings(max_examples=400)
def test_fix__that_is_a_line_mends_the_line(value: str, colon: str) -> None:
    skill = read(f"---\nname: x\ndescription{colon}{value}\n---\nB\n".encode())
    for finding in skill.findings:
        if finding.line == 3 and (finding.fix or "").startswith("description: "):
            mended = read(f"---\nname: x\n{finding.fix}\n---\nB\n".encode())
            assert finding.code not in {item.code for item in mended.findings}, finding


@given(st.integers(0, len(VALID)), st.integers(0, len(VALID)), st.binary(max_size=3))
def test_valid_file__cut_or_overwritten_is_answered(end: int, start: int, patch: bytes) -> None:
    read(VALID[:end])
    read(VALID[:start] + patch + VALID[start + len(patch) :])


@given(YAMLISH.map(lambda text: f"name: x\n{text}"))
@settings(max_examples=400)
def test_nodes__are_what_the_events_say(text: str) -> None:
    # The events know no stand-ins for what YAML 1.2 took out of its line breaks.
    text = re.sub("[\r\x85\u2028\u2029\ufeff]", "", text)
    results = []
    for reader in (
        lambda: read_text_block(text, limit_bytes=4096).value,
        lambda: read_yaml(text.encode(), limit_bytes=4096, max_depth=256, scalars="text").value,
    ):
        try:
            results.append(reader())
        except ConfigError as error:
            results.append((error.code, error.where))
    assert results[0] == (results[1] if results[1] != "" else None) or results[0] == results[1]


SHAPES = {
    "blanks": lambda size: "a: " + " " * size + "b",
    "tabs": lambda size: "a: " + "\t " * (size // 2) + "b",
    "comments": lambda size: " #" * (size // 2),
    "quotes": lambda size: '"' + "a: " * (size // 3),
    "brackets": lambda size: "[" * size,
    "lines": lambda size: "x: a: b\ndescription: " * (size // 30),
    "no-break": lambda size: "\u00a0" * (size // 2),
    "keys": lambda size: "b\n" + "".join(f"k{number}: v: w\n" for number in range(size // 12)),
    "fields": lambda size: "b\n" + "".join(f"nam{number}: v\n" for number in range(size // 10)),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_hostile_shape__takes_no_more_than_its_length(shape: str) -> None:
    def seconds(size: int) -> float:
        data = f"---\nname: x\ndescription: {SHAPES[shape](size)}\n---\n".encode()
        start = time.process_time()
        read(data)
        return time.process_time() - start

    read(f"---\nname: x\ndescription: {SHAPES[shape](99)}\n---\n".encode())
    small, large = (min(seconds(size) for _ in range(3)) for size in (7_500, 60_000))

    # Eight times the length: a quadratic reader takes 64 times as long.
    assert large / small < 32 or large < 16 * NOISE_SECONDS
