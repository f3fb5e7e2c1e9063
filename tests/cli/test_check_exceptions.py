"""Exceptions of the profile: what they except is not told, and nothing is forgotten."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.builders.command_line import CommandLine, Result
from tests.builders.repositories import RepositoryBuilder
from tests.builders.secrets import make_tokens
from tests.cli.test_readme import cut_chain

PROFILE = ".assembler/profile.yaml"
AWS_KEY = make_tokens(8)["aws-access-key-id"][0]
HEAD = "schema: assembler/profile/1\n"
BROKEN = "---\nname: {0}\ndescription: Use when: the input is a CSV\n---\n"


def profile(*exceptions: dict[str, str]) -> str:
    return f"{HEAD}ignore: {json.dumps(exceptions)}\n"


def told(result: Result) -> list[tuple[str, str]]:
    return [(one["code"], one["path"]) for one in result.json["findings"]]


def excepted(result: Result) -> list[tuple[str, str, str]]:
    return [(one["code"], one["path"], one["reason"]) for one in result.json["excepted"]]


def check(command: CommandLine, *words: str) -> Result:
    return command("check", "-f", "json", *words)


@pytest.fixture
def two(assembler: CommandLine, repository: RepositoryBuilder) -> RepositoryBuilder:
    """The same warning of two skills, one of them somebody else's."""
    repository.write(
        {
            "vendor/.agents/skills/csv/SKILL.md": BROKEN.format("csv"),
            ".agents/skills/tsv/SKILL.md": BROKEN.format("tsv"),
        }
    )
    repository.commit()
    return repository


THEIRS = ("ASM203", "vendor/.agents/skills/csv/SKILL.md")
OURS = ("ASM203", ".agents/skills/tsv/SKILL.md")


@pytest.mark.parametrize("code", ["ASM203", "asm203", "skill-yaml-repaired", "ASM2", "ASM20"])
def test_exception__is_of_a_code_and_a_path(
    assembler: CommandLine, two: RepositoryBuilder, code: str
) -> None:
    two.write({PROFILE: profile({"code": code, "path": "vendor/**", "reason": "not ours"})})
    result = check(assembler)
    assert (result.code, told(result)) == (1, [OURS])
    assert excepted(result) == [(*THEIRS, "not ours")]
    assert result.json["counted"]["warnings"] == 1
    assert assembler("check").text.splitlines()[-1] == (
        "1 warning in 2 chains, 3 skills; 1 excepted. More: assembler explain ASM203"
    )


def test_all_excepted__is_no_finding_and_exit_0(
    assembler: CommandLine, two: RepositoryBuilder
) -> None:
    two.write({PROFILE: profile({"code": "ASM203", "reason": "a client that is lenient"})})
    result = assembler("check")
    assert (result.code, result.text) == (0, "2 chains, 3 skills: no findings; 2 excepted\n")
    for name in ("github", "markdown"):
        shown = assembler("check", "-f", name)
        assert shown.code == 0
        assert "2 excepted" in shown.text + shown.talk
        assert "ASM203" not in shown.text


def test_sarif__has_it_as_suppressed(assembler: CommandLine, two: RepositoryBuilder) -> None:
    two.write({PROFILE: profile({"code": "ASM203", "path": "vendor/**", "reason": "not ours"})})
    document = assembler("check", "-f", "sarif").json
    results: list[dict[str, Any]] = document["runs"][0]["results"]
    assert ["suppressions" in result for result in results] == [False, True]
    assert results[1]["suppressions"] == [
        {"kind": "external", "status": "accepted", "justification": "not ours"}
    ]
    assert len(document["runs"][0]["tool"]["driver"]["rules"]) == 1


def test_unused__is_a_note_at_its_line(assembler: CommandLine, two: RepositoryBuilder) -> None:
    two.write(
        {
            PROFILE: f"{HEAD}ignore:\n"
            "  - {code: ASM203, reason: lenient}\n"
            "  - {code: ASM203, path: 'gone/**', reason: was theirs}\n"
            "  - {code: ASM208, reason: long}\n"
        }
    )
    result = check(assembler)
    assert result.code == 0
    lines = [(one["code"], one["line"], one["severity"]) for one in result.json["findings"]]
    assert lines == [("ASM705", 4, "note"), ("ASM705", 5, "note")]
    # What was not looked for can't be unused.
    assert told(check(assembler, "--ignore", "ASM208,ASM705")) == []
    assert len(told(check(assembler, "--ignore", "ASM208"))) == 1


def test_unused__is_of_the_repository_whatever_paths_are_told(
    assembler: CommandLine, two: RepositoryBuilder
) -> None:
    two.write({PROFILE: profile({"code": "ASM203", "path": "vendor/**", "reason": "not ours"})})
    assert told(check(assembler, ".agents")) == [OURS]
    assert told(check(assembler, PROFILE)) == []
    assert excepted(check(assembler, "vendor")) == [(*THEIRS, "not ours")]
    two.write({PROFILE: profile({"code": "ASM204", "path": "vendor/**", "reason": "not ours"})})
    assert told(check(assembler, ".agents")) == [OURS]
    assert told(check(assembler, PROFILE)) == [("ASM705", PROFILE)]


@pytest.mark.parametrize(
    ("exception", "holds"),
    [
        ({"code": "ASM602", "path": "AGENTS.md"}, True),
        ({"code": "secret-in-text", "path": "*.md"}, True),
        ({"code": "ASM602", "path": "src/**"}, False),
        ({"code": "ASM6", "path": "AGENTS.md"}, False),
        ({"code": "ASM6"}, False),
        ({"code": "ASM"}, False),
    ],
)
def test_error__is_excepted_by_its_own_code_and_a_path_alone(
    assembler: CommandLine, repository: RepositoryBuilder, exception: dict[str, str], holds: bool
) -> None:
    repository.write(
        {
            "AGENTS.md": f"key {AWS_KEY}\n",
            PROFILE: profile({**exception, "reason": "an example of the documentation"}),
        }
    )
    result = check(assembler)
    assert (("ASM602", "AGENTS.md") in told(result)) is not holds
    assert result.code == (0 if holds else 1)
    # A run refuses whatever is excepted.
    assert assembler("assemble", "-m", "x").code == 3
    assert AWS_KEY not in result.text


def test_lost_file__is_told_by_itself_where_the_cut_is_excepted(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    cut_chain(repository.root)
    cut = {"code": "ASM101", "path": "AGENTS.md", "reason": "known"}
    repository.write({PROFILE: profile(cut)})
    repository.commit()
    assert told(check(assembler)) == [
        ("ASM102", "packages/parser/AGENTS.md"),
        ("ASM102", "src/AGENTS.md"),
    ]
    lost = {"code": "ASM102", "path": "*", "reason": "known"}
    repository.write({PROFILE: profile(cut, lost)})
    assert told(check(assembler)) == []
    assert [code for code, _, _ in excepted(check(assembler))] == ["ASM101"]


BAD = {
    "no code": ({"code": "ASM999", "reason": "x"}, "`ignore[0].code` is no code"),
    "near": ({"code": "skill-lang", "reason": "x"}, "hint: did you mean ASM208 skill-long or "),
    "no number": ({"code": "ASM1O3", "reason": "x"}, "did you mean ASM103 blank-override"),
    "a part": (
        {"code": "override", "reason": "x"},
        "override-hides or ASM103 blank-",
    ),
    "far": ({"code": "ASM999", "reason": "x"}, "hint: codes are ASM101 to ASM"),
    "of policy": ({"code": "ASM702", "path": "x", "reason": "x"}, "speaks of policy itself"),
    "of unused": ({"code": "exception-unused", "reason": "x"}, "speaks of policy itself"),
    "error everywhere": ({"code": "ASM602", "reason": "x"}, "wants a `path` beside it"),
    "no pattern": ({"code": "ASM208", "path": "a[", "reason": "x"}, "`ignore[0].path` is no"),
    "no reason": ({"code": "ASM208"}, "no key `ignore[0].reason`"),
    "blank reason": ({"code": "ASM208", "reason": " \t"}, "`ignore[0].reason`"),
    "empty path": ({"code": "ASM208", "path": "", "reason": "x"}, "`ignore[0].path`"),
    "another key": ({"code": "ASM208", "reason": "x", "paths": "y"}, "did you mean `path`?"),
}


@pytest.mark.parametrize("case", BAD)
def test_exception__that_says_nothing_is_exit_2_with_its_place(
    assembler: CommandLine, repository: RepositoryBuilder, case: str
) -> None:
    exception, words = BAD[case]
    repository.write({PROFILE: profile(exception)})
    for command in (("check",), ("chain",), ("assemble", "-m", "x")):
        result = assembler(*command)
        assert result.code == 2
        assert words in result.talk
        assert f"{PROFILE}:2:" in result.talk


def test_pull_request__can_except_nothing_of_its_own(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write({PROFILE: HEAD})
    assembler("lock")
    repository.commit("base")
    repository.git("checkout", "-q", "-b", "feature")
    all_of_it = [{"code": code, "reason": "mine"} for code in ("ASM1", "ASM2", "ASM6", "ASM7")]
    key = {"code": "ASM602", "path": "**", "reason": "mine"}
    repository.write({"AGENTS.md": f"key {AWS_KEY}\n", PROFILE: profile(*all_of_it, key)})
    assembler("lock")
    repository.commit("fork")
    assert check(assembler).code == 0
    result = check(assembler, "--at", "HEAD", "--policy-from", "main")
    assert result.code == 1
    assert {("ASM602", "AGENTS.md"), ("ASM701", "AGENTS.md"), ("ASM703", PROFILE)} <= {
        *told(result)
    }
    assert excepted(result) == []


def test_exceptions__of_the_revision_count(assembler: CommandLine, two: RepositoryBuilder) -> None:
    theirs = {"code": "ASM203", "path": "vendor/**", "reason": "not ours"}
    gone = {"code": "ASM203", "path": "gone/**", "reason": "was theirs"}
    two.write({PROFILE: profile(theirs, gone)})
    main = two.commit("base")
    two.write({PROFILE: HEAD})
    two.commit("fork")
    result = check(assembler, "--at", "HEAD", "--policy-from", main)
    assert excepted(result) == [(*THEIRS, "not ours")]
    (unused,) = [one for one in result.json["findings"] if one["code"] == "ASM705"]
    assert (unused["path"], unused["line"]) == (PROFILE, None)
    assert main[:7] in unused["message"]


def test_profile__outside_the_repository_excepts_too(
    assembler: CommandLine, two: RepositoryBuilder, tmp_path: Path
) -> None:
    outside = tmp_path / "mine.yaml"
    unused = {"code": "ASM208", "reason": "long"}
    outside.write_text(profile({"code": "ASM203", "reason": "lenient"}, unused))
    result = check(assembler, "-p", str(outside))
    assert (result.code, told(result)) == (0, [("ASM705", None)])
    assert len(excepted(result)) == 2


def test_reason__breaks_out_of_nothing(assembler: CommandLine, two: RepositoryBuilder) -> None:
    two.write({PROFILE: profile({"code": "ASM203", "reason": "a\u202e`x`\n::error::"})})
    for name in ("text", "github", "markdown", "sarif", "json"):
        result = assembler("check", "-f", name)
        assert result.code == 0
        assert "\u202e" not in result.text + result.talk
