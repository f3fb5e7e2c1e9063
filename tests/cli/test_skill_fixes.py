"""Each line that `skills check` gives as a fix mends what it was given for."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.builders.command_line import CommandLine
from tests.builders.trees import write_tree

SKILL = "skills/x/SKILL.md"
FIELD = re.compile(r"[^\s#-][^\n]*\n(?:[ \t]+[^\n]*\n|\n)*")
LINE = re.compile(r"[a-z-]+: ")
CLOSE = "write the closing quote where the value ends"
NB = "\u00a0"


def findings_of(folder: Path, block: str) -> list[dict[str, Any]]:
    write_tree(folder, {SKILL: f"---\n{block}---\nBody.\n"})
    run = CommandLine(cwd=folder, home=folder.parent / "home")
    body = run("skills", "check", SKILL, "--format", "json").json
    (skill,) = body["skills"]
    told = [(item["code"], item["data"].get("kind")) for item in body["findings"]]
    assert all((error["code"], error["kind"]) in told for error in skill["errors"])
    return list(body["findings"])


def apply(block: str, finding: dict[str, Any]) -> str:
    """The block with the line of the fix in place of the field that holds the finding's line."""
    number, done, out = finding["line"] or 1, 1, ""
    if number == 1:
        return f"{finding['fix']}\n{block}"
    for field in FIELD.findall(block):
        count = field.count("\n")
        is_here = done < number <= done + count
        out += f"{finding['fix']}\n" if is_here else field
        done += count
    return out


@pytest.mark.parametrize(
    ("block", "told"),
    [
        ("name: x\ndescripton: Does it.\n", "ASM206 3:1 description: Does it."),
        ("name: x\nDescription: 'a: b'\n", 'ASM206 3:1 description: "a: b"'),
        ("Name: x\ndescription: d\n", "ASM204 2:1 name: x"),
        ("Name: Foo Bar\ndescription: d\n", "ASM204 2:1 name: x"),
        ("nmae: x\ndescription: d\n", "ASM204 2:1 name: x"),
        (f"{NB}name: x\ndescription: d\n", "ASM204 2:1 name: x"),
        ("name: x\ndescription: d\nallowed_tools: Read\n", "ASM215 4:1 allowed-tools: Read"),
        ("name: x\ndescription: d\nallowedTools: Read\n", "ASM215 4:1 allowed-tools: Read"),
        ("name: x\ndescription: d\nlicence: MIT\n", "ASM215 4:1 license: MIT"),
        ("name: x\ndescription: d\nversion: 1.0\n", 'ASM215 4:1 metadata: {version: "1.0"}'),
        ("name: x\ndescription: 'd\nlicense: MIT\n", "ASM202 3:14 description: 'd'"),
        ('name: "x\ndescription: d\n', 'ASM202 2:7 name: "x"'),
        ('name: "x\ndescription: "d"\n', 'ASM202 2:7 name: "x"'),
        ("name: 'x\ndescription: d\nlicense: 'MIT'\n", "ASM202 2:7 name: 'x'"),
        ('name: x\ndescription: "a \\\n', 'ASM202 3:14 description: "a \\\\"'),
        ('name: x\ndescription: "a" b\n', 'ASM202 3:18 description: "\\"a\\" b"'),
        ("name: x\ndescription: 'it's fine'\n", 'ASM202 3:18 description: "it\'s fine"'),
        ('name: x\ndescription: "C:\\dir"\n', 'ASM202 3:17 description: "C:\\\\dir"'),
        ("name: x\ndescription: &a b\n", 'ASM202 3:14 description: "&a b"'),
        (f"name:{NB}x\ndescription: d\n", "ASM202 2:6 name: x"),
        (f"name: x\ndescription:{NB}d\n", "ASM202 3:13 description: d"),
        (f"name: x\ndescription:{NB}Use when: d\n", 'ASM206 3:13 description: "Use when: d"'),
        ("name:\u200bx\ndescription: d\n", "ASM202 2:6 name: x"),
        ("name:\u3000x\ndescription: d\n", "ASM202 2:6 name: x"),
        ("name:x\ndescription: d\n", "ASM202 2:6 name: x"),
        ("name: x\ndescription: Use when: d\n", 'ASM203 3:22 description: "Use when: d"'),
        ("name: x\ndescription: d: e #f\n", 'ASM203 3:15 description: "d: e #f"'),
        ("name: x\ndescription: Use C# #and more\n", 'ASM234 3:21 description: "Use C# #and more"'),
        ("name: x\ndescription:\n  a\n  b #c\n", 'ASM234 5:5 description: "a b #c"'),
        ("name: x\ndescription: #1 tool\n", 'ASM234 3:14 description: "#1 tool"'),
        (
            "name: x\ndescription: d\ncompatibility: [a, 'b: c']\n",
            'ASM215 4:16 compatibility: "a, b: c"',
        ),
        ("name: X\ndescription: d\n", "ASM204 2:7 name: x"),
        ("description: d\n", "ASM204 1:1 name: x"),
        ("name: x\n", "ASM206 1:1 description: What it does. Use when ..."),
    ],
)  # fmt: skip
def test_fix__that_is_a_line_mends_its_finding(tmp_path: Path, block: str, told: str) -> None:
    findings = findings_of(tmp_path / "p", block)

    spelled = [f"{item['code']} {item['line']}:{item['column']} {item['fix']}" for item in findings]
    assert told in spelled
    for finding in findings:
        if LINE.match(finding["fix"]):
            left = findings_of(tmp_path / "p", apply(block, finding))
            same = [item["code"] for item in left if item["data"] == finding["data"]]
            assert finding["code"] not in same, finding


@pytest.mark.parametrize(
    ("block", "fixes"),
    [
        ("name: x\ndescription: d\nname: x\n", {"delete one of the two lines"}),
        ("name: x\ndescription: d\ndisallowed-tools: a\nmode: b\n", {"move it under metadata"}),
        ("name: x\ndescription: d\nDescription: e\n", {"delete it"}),
        ("name: x\ndescription: 'd\n\n  e\n", {CLOSE}),
        ("name: x\ndescription: |\n  d\nmetadata:\n  a: \"b\n", {CLOSE}),
        ("Name: Foo\ndescription: d\n", {"name: x"}),
    ],
)  # fmt: skip
def test_fixes__of_one_fault_are_one(tmp_path: Path, block: str, fixes: set[str]) -> None:
    assert {item["fix"] for item in findings_of(tmp_path / "p", block)} == fixes


@pytest.mark.parametrize(
    "value",
    ["'Use C# #and'", '"Use C# #and"', "|\n  Use C# #and", "d\n  # a line\n  #b", "Use C#", "a#b"],
)
def test_comment__is_told_of_plain_values_alone(tmp_path: Path, value: str) -> None:
    codes = [
        item["code"]
        for block in (f"# n\nname: x\ndescription: {value}\nlicense: MIT # n\n",)
        for item in findings_of(tmp_path / "p", block)
    ]
    assert "ASM234" not in codes


def test_numbers__in_words_count_in_the_file(tmp_path: Path) -> None:
    (finding,) = findings_of(tmp_path / "p", "name: x\ndescription: d\nname: x\n")

    assert (finding["line"], finding["message"]) == (4, "a key stands twice, first in line 2")


@pytest.mark.parametrize(
    ("mark", "words"),
    [(NB, "U+00A0 (no-break space)"), ("\u200b", "U+200B (zero width space)")],
)
def test_blank__that_is_none_is_named(tmp_path: Path, mark: str, words: str) -> None:
    for rest in ("d", "a: b"):
        findings = findings_of(tmp_path / "p", f"name: x\ndescription:{mark}{rest}\n")
        message = f"behind the colon of description stands {words}: to YAML that is no blank"
        assert message in [item["message"] for item in findings]
