"""A baseline: what was there when a repository began to be checked is known, all else is new."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.builders.command_line import CommandLine, Result
from tests.builders.repositories import RepositoryBuilder
from tests.builders.secrets import make_tokens
from tests.cli.test_readme import cut_chain

FILE = ".assembler/baseline.json"
BROKEN = "---\nname: {0}\ndescription: Use when: the input is a CSV\n---\n"
CSV = ".agents/skills/csv/SKILL.md"
KEYS = make_tokens(8)["aws-access-key-id"]


def told(result: Result) -> list[tuple[str, str]]:
    return [(one["code"], one["path"]) for one in result.json["findings"]]


def check(command: CommandLine, *words: str, known: str = FILE) -> Result:
    return command("check", "-f", "json", "--baseline", known, *words)


def write(command: CommandLine, *words: str, named: str = FILE) -> Result:
    return command("check", "--write-baseline", named, *words)


def entries(repository: RepositoryBuilder, name: str = FILE) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((repository.root / name).read_bytes())["findings"]
    return found


@pytest.fixture
def old(assembler: CommandLine, repository: RepositoryBuilder) -> RepositoryBuilder:
    """A repository with a warning and a note, and a baseline of both."""
    repository.write({CSV: BROKEN.format("csv"), "CLAUDE.md": "x", ".assembler/.keep": ""})
    repository.commit()
    result = write(assembler)
    assert result.code == 0, result.talk
    assert result.text == (
        f"2 chains, 2 skills: no findings; 2 in the baseline\nWrote {FILE}: 2 findings\n"
    )
    return repository


def test_known__is_not_told_and_new_is(assembler: CommandLine, old: RepositoryBuilder) -> None:
    assert assembler("check").code == 1, "it is not read unasked"
    result = check(assembler)
    assert (result.code, told(result)) == (0, [])
    assert result.json["baseline"] == {
        "file": FILE, "known": 2, "gone": 0, "is_written": False,
    }  # fmt: skip
    old.write({".agents/skills/tsv/SKILL.md": BROKEN.format("tsv")})
    result = check(assembler)
    assert (result.code, told(result)) == (1, [("ASM203", ".agents/skills/tsv/SKILL.md")])
    text = assembler("check", "--baseline", FILE).text
    assert text.splitlines()[-1].startswith("1 warning in 2 chains, 3 skills; 2 in the baseline. ")


def test_file__is_one_entry_a_line_sorted_and_the_same_bytes(
    assembler: CommandLine, old: RepositoryBuilder
) -> None:
    data = (old.root / FILE).read_bytes()
    assert [(one["path"], one["code"], one["count"]) for one in entries(old)] == [
        (CSV, "ASM203", 1),
        ("CLAUDE.md", "ASM116", 1),
    ]
    assert len(data.splitlines()) == 4
    assert b"CSV" not in data
    write(assembler)
    assert (old.root / FILE).read_bytes() == data
    write(assembler, "-C", "src", named=f"../{FILE}")
    assert (old.root / FILE).read_bytes() == data


def test_moved_line__is_not_new(assembler: CommandLine, old: RepositoryBuilder) -> None:
    old.write({CSV: BROKEN.format("csv").replace("name", "license: MIT\nname")})
    result = assembler("check", "-f", "json")
    assert [one["line"] for one in result.json["findings"] if one["code"] == "ASM203"] == [4]
    assert told(check(assembler)) == []


def test_gone__is_a_count_and_advice(assembler: CommandLine, old: RepositoryBuilder) -> None:
    (old.root / "CLAUDE.md").unlink()
    result = check(assembler)
    assert (result.code, result.json["baseline"]["gone"]) == (0, 1)
    advice = (
        f"1 of {FILE} is no longer there. Write it again: assembler check --write-baseline {FILE}"
    )
    assert assembler("check", "--baseline", FILE).text.splitlines()[1:] == [advice]
    assert advice in assembler("check", "--baseline", FILE, "-f", "markdown").text
    assert advice in assembler("check", "--baseline", FILE, "-f", "github").talk
    # What was not looked for is not gone.
    assert check(assembler, "--ignore", "ASM116").json["baseline"]["gone"] == 0
    assert check(assembler, "src").json["baseline"]["gone"] is None
    write(assembler)
    assert check(assembler).json["baseline"]["gone"] == 0


GROWN = {
    "secret": (f"a {KEYS[0]}\n", f"\n\na {KEYS[0]}\n", f"a {KEYS[0]}\nb {KEYS[1]}\n"),
    "hidden": ("a\u200bb\n", "\n\na\u200bb\n", "a\u200bb\u200bc\n"),
}


@pytest.mark.parametrize("case", GROWN)
def test_more_of_it_in_one_file__is_new(
    assembler: CommandLine, repository: RepositoryBuilder, case: str
) -> None:
    before, moved, more = GROWN[case]
    repository.write({"AGENTS.md": before})
    assert write(assembler, named="b.json").code == 0
    repository.write({"AGENTS.md": moved})
    assert told(check(assembler, known="b.json")) == []
    repository.write({"AGENTS.md": more})
    assert [path for _, path in told(check(assembler, known="b.json"))] == ["AGENTS.md"]
    assert not any(key in (repository.root / "b.json").read_text() for key in KEYS)


def test_file_that_is_lost_behind_a_known_cut__is_new(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    cut_chain(repository.root)
    repository.commit()
    write(assembler, named="b.json")
    assert check(assembler, known="b.json").code == 0
    repository.write({"packages/other/AGENTS.md": "# Other\n"})
    repository.commit()
    assert told(check(assembler, known="b.json")) == [("ASM101", "AGENTS.md")]
    # One that is lost no longer is nothing new, and neither is a cut that loses no file.
    repository.git("rm", "-q", "packages/other/AGENTS.md", "packages/parser/AGENTS.md")
    less = check(assembler, known="b.json")
    assert (told(less), less.json["baseline"]["gone"]) == ([], 1)
    repository.git("rm", "-q", "src/AGENTS.md")
    least = check(assembler, known="b.json")
    assert (told(least), least.json["baseline"]["gone"]) == ([], 2)


def test_content_that_is_not_locked__is_known_as_these_bytes(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    assembler("lock")
    repository.write({"AGENTS.md": "# Other\n", ".agents/skills/pdf/more.md": "x\n"})
    write(assembler, named="b.json")
    assert told(check(assembler, known="b.json")) == []
    repository.write({"AGENTS.md": "# Another\n", ".agents/skills/pdf/more.md": "y\n"})
    assert told(check(assembler, known="b.json")) == [
        ("ASM210", ".agents/skills/pdf"),
        ("ASM701", "AGENTS.md"),
    ]


@pytest.mark.parametrize("at", ["index", "HEAD", "main"])
def test_baseline__in_the_repository_is_read_where_policy_is(
    assembler: CommandLine, old: RepositoryBuilder, at: str
) -> None:
    missing = check(assembler, "--at", at)
    assert (missing.code, missing.json["code"]) == (2, "baseline-missing")
    assert f"assembler check --write-baseline {FILE}, and add it there" in missing.talk
    old.commit("baseline")
    (old.root / FILE).write_text("broken here")
    assert check(assembler, "--at", at).code == 0


def test_baseline__of_the_worktree_knows_the_same_in_the_index_and_at_a_commit(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    """A worktree tells sizes that git does not."""
    repository.write({"AGENTS.override.md": "\n", "src/AGENTS.override.md": "# Used\n"}).commit()
    assert write(assembler, named="b.json").code == 0
    repository.commit()
    for at in ("worktree", "index", "HEAD"):
        result = check(assembler, "--at", at, known="b.json")
        assert (result.code, told(result), result.json["baseline"]["known"]) == (0, [], 2)


def test_pull_request__can_make_nothing_of_its_own_known(
    assembler: CommandLine, old: RepositoryBuilder, tmp_path: Path
) -> None:
    old.commit("base")
    old.git("checkout", "-q", "-b", "feature")
    old.write({".agents/skills/tsv/SKILL.md": BROKEN.format("tsv")})
    write(assembler)
    outside = str(tmp_path / "b.json")
    write(assembler, named=outside)
    old.commit("fork")
    new = [("ASM203", ".agents/skills/tsv/SKILL.md")]
    assert told(check(assembler, "--at", "HEAD")) == []
    changed = [("ASM703", FILE)]
    for named in (FILE, str(old.root / FILE)):
        judged = check(assembler, "--at", "HEAD", "--policy-from", "main", known=named)
        assert (judged.code, sorted(told(judged))) == (1, new + changed)
    # What lies outside the repository is the invoker's word.
    judged = check(assembler, "--at", "HEAD", "--policy-from", "main", known=outside)
    assert told(judged) == []


def test_baseline_that_a_change_edits__is_told_as_each_file_that_judges(
    assembler: CommandLine, old: RepositoryBuilder, tmp_path: Path
) -> None:
    old.commit("base")
    old.git("checkout", "-q", "-b", "feature")
    old.write({FILE: '{"schema": "assembler/baseline/1", "findings": []}\n'})
    old.commit("fork")
    judge = ["--at", "HEAD", "--policy-from", "main"]
    judged = check(assembler, *judge)
    (finding,) = judged.json["findings"]
    assert (finding["code"], finding["severity"], finding["path"]) == ("ASM703", "warning", FILE)
    assert (judged.code, judged.json["baseline"]["known"]) == (1, 2), "that of main still judges"
    # It is told where it is named, and where it has to do with what is asked about.
    assert told(check(assembler, *judge, "src")) == []
    assert told(check(assembler, *judge, FILE)) == [("ASM703", FILE)]
    plain = assembler("check", "-f", "json", *judge, "--ignore", "ASM1,ASM2")
    assert told(plain) == []
    assert told(assembler("check", "-f", "json", *judge, cwd=old.root / "src")) != []
    inside = assembler(
        "check", "-f", "json", "--baseline", f"../{FILE}", *judge, cwd=old.root / "src"
    )
    assert told(inside) == [("ASM703", FILE)]
    (old.root / FILE).unlink()
    old.commit("gone")
    assert told(check(assembler, *judge)) == [("ASM703", FILE)]
    assert told(check(assembler, "--at", "main", "--policy-from", "main")) == []
    # Nothing judges by a file of the branch alone, so that none is a first one.
    old.write({"other.json": '{"schema": "assembler/baseline/1", "findings": []}\n'})
    old.commit("first")
    missing = check(assembler, *judge, known="other.json")
    assert (missing.code, missing.json["code"]) == (2, "baseline-missing")


def test_sarif__has_what_is_known_as_suppressed(
    assembler: CommandLine, old: RepositoryBuilder
) -> None:
    document = assembler("check", "--baseline", FILE, "-f", "sarif").json
    reasons = [one["suppressions"][0]["justification"] for one in document["runs"][0]["results"]]
    assert reasons == [f"in the baseline {FILE}"] * 2


@pytest.mark.parametrize("at", ["index", "HEAD"])
def test_write__touches_the_named_file_alone(
    assembler: CommandLine, old: RepositoryBuilder, at: str
) -> None:
    old.write({CSV: "---\nname: csv\ndescription: C.\n---\n"})
    before = old.text("status", "--porcelain")
    index = (old.root / ".git/index").read_bytes()
    assert write(assembler, "--at", at, named="other.json").code == 0
    assert old.text("status", "--porcelain") == f"{before}\n?? other.json"
    assert (old.root / ".git/index").read_bytes() == index
    assert {one["path"] for one in entries(old, "other.json")} == {CSV, "CLAUDE.md"}


def test_write__over_anything_else_is_refused(
    assembler: CommandLine, old: RepositoryBuilder
) -> None:
    (old.root / "link.json").symlink_to(FILE)
    for named, code in (
        ("AGENTS.md", "baseline-other-file"),
        ("link.json", "path-outside"),
        ("src", "baseline-other-file"),
        ("no/such/folder.json", "path-missing"),
    ):
        before = old.text("status", "--porcelain")
        result = write(assembler, named=named)
        assert result.code == 2
        assert f"({code})" in result.talk
        assert old.text("status", "--porcelain") == before


def test_write__of_a_part_or_beside_another_is_exit_2(
    assembler: CommandLine, old: RepositoryBuilder
) -> None:
    for more in (("src",), ("--baseline", FILE)):
        result = write(assembler, *more, named="other.json")
        assert (result.code, "(option-conflict)" in result.talk) == (2, True)
    assert not (old.root / "other.json").exists()


def test_profile_that_widens__leaves_nothing_to_be_known(
    assembler: CommandLine, old: RepositoryBuilder
) -> None:
    """Nothing was looked at, so that a baseline of it would quiet everything."""
    old.write({".assembler/profile.yaml": "schema: assembler/profile/1\nexecutor: {hosts: [x]}\n"})
    result = write(assembler, named="other.json")
    assert (result.code, "(profile-widens-host)" in result.talk) == (2, True)
    assert not (old.root / "other.json").exists()
    assert told(check(assembler)) == [("ASM702", ".assembler/profile.yaml")]


ENTRY = {"code": "ASM203", "path": "a", "identity": "0" * 64, "count": 1}
BAD = {
    "no JSON": ("{\n <<<<<<< main\n", "config-json", ":2:2"),
    "another schema": ('{"schema": "assembler/lock/1", "findings": []}', "config-schema", ":1:"),
    "another key": (
        {**ENTRY, "lines": [3]},
        "config-unknown-key",
        ":3:",
    ),
    "no identity": ({"code": "ASM203", "path": "a"}, "config-missing-key", ":3:1"),
    "no code": ({**ENTRY, "code": "ASM1"}, "config-type", ":3:"),
    "count of none": ({**ENTRY, "count": 0}, "config-type", ":3:"),
    "twice": (f"{json.dumps(ENTRY)},\n{json.dumps({**ENTRY, 'count': 2})}", "config-value", ":4:1"),
}


@pytest.mark.parametrize("case", BAD)
def test_baseline__that_is_broken_is_exit_2_with_its_place(
    assembler: CommandLine, repository: RepositoryBuilder, case: str
) -> None:
    body, code, place = BAD[case]
    text = body if isinstance(body, str) else json.dumps(body)
    if not text.startswith(("{\n", '{"schema')):
        text = f'{{"schema": "assembler/baseline/1",\n "findings": [\n{text}\n]}}\n'
    repository.write({"b.json": text})
    result = check(assembler, known="b.json")
    assert (result.code, result.json["code"]) == (2, code)
    assert result.json["where"].startswith(f"b.json{place}")


def test_empty_baseline__knows_nothing(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    assert "Wrote b.json: 0 findings" in write(assembler, named="b.json").text
    assert (repository.root / "b.json").read_bytes() == (
        b'{"schema":"assembler/baseline/1","findings":[]}\n'
    )
    repository.write({CSV: BROKEN.format("csv")})
    assert told(check(assembler, known="b.json")) == [("ASM203", CSV)]
