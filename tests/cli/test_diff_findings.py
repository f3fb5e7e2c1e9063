"""What `diff` calls new, fixed or excepted is what the checks of both sides tell, and no other."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.builders.command_line import CommandLine
from tests.builders.repositories import RepositoryBuilder
from tests.builders.secrets import make_tokens

PROFILE, LOCK = ".assembler/profile.yaml", ".assembler/lock.json"
HEAD = "schema: assembler/profile/1\n"


@pytest.fixture
def empty(tmp_path: Path) -> RepositoryBuilder:
    return RepositoryBuilder(tmp_path / "repository")


@pytest.fixture
def assembler(empty: RepositoryBuilder, tmp_path: Path) -> CommandLine:
    return CommandLine(cwd=empty.root, home=tmp_path / "home")


def commit(empty: RepositoryBuilder, profile: str, **files: str) -> None:
    empty.write({PROFILE: HEAD + profile, **files})
    empty.git("add", "-A")
    empty.git("commit", "-q", "-m", "x")


def diff(assembler: CommandLine, *more: str) -> Any:
    result = assembler("diff", "HEAD~1..HEAD", "-f", "json", *more)
    assert result.code == 0, result.talk
    return result.json


def rows(assembler: CommandLine) -> list[str]:
    text = assembler("diff", "HEAD~1..HEAD").text
    return [re.sub(r"  +", "  ", line).strip() for line in text.splitlines()]


def words(findings: Any) -> Counter[tuple[str, str, str]]:
    return Counter((one["code"], one["path"], one["message"]) for one in findings)


def of_check(assembler: CommandLine, at: str, *more: str) -> Counter[tuple[str, str, str]]:
    return words(assembler("check", "--at", at, "-f", "json", *more).json["findings"])


def require_checks(assembler: CommandLine, *more: str) -> Any:
    """The comparison, once it is shown to be that of both checks."""
    body = diff(assembler, *more)
    old, new = of_check(assembler, "HEAD~1", *more), of_check(assembler, "HEAD", *more)
    assert words(body["findings_new"]) == new - old
    assert words(body["findings_fixed"]) + words(body["findings_excepted"]) == old - new
    return body


def codes(findings: Any) -> list[str]:
    return [one["code"] for one in findings]


def test_agent_that_a_change_declares__is_judged_on_its_side_alone(
    empty: RepositoryBuilder, assembler: CommandLine
) -> None:
    commit(empty, "", **{"AGENTS.md": "# A\n", "CLAUDE.md": "# C\n"})
    commit(empty, "agents: [claude]\n")
    body = require_checks(assembler)
    assert codes(body["findings_new"]) == ["ASM131", "ASM150"]
    assert codes(body["findings_fixed"]) == ["ASM116"]
    # Rows are of both sides, so that what did not change is no change.
    assert body["changes"] == []
    assert "M  profile: agents  +claude" in rows(assembler)
    # One agent more than what was told is told; one less is no new finding.
    commit(empty, "agents: [claude, gemini]\n")
    worse = diff(assembler)
    assert worse["findings_fixed"] == []
    assert [one["data"]["agents"] for one in worse["findings_new"]] == [
        ["claude", "gemini"],
        ["gemini"],
    ]
    back = assembler("diff", "HEAD..HEAD~1", "-f", "json").json
    assert back["findings_new"] == []
    assert back["findings_fixed"] == worse["findings_new"]


def test_new_finding__that_stands_beside_no_changed_row_is_told_with_its_place(
    empty: RepositoryBuilder, assembler: CommandLine
) -> None:
    commit(empty, "", **{"AGENTS.md": "# A\n", "CLAUDE.md": "# C\n"})
    commit(empty, "agents: [claude]\n")
    assert any(row.startswith("ASM150 AGENTS.md: ") for row in rows(assembler))
    markdown = assembler("diff", "HEAD~1..HEAD", "-f", "markdown").text
    assert "- `ASM150 AGENTS.md: " in markdown
    # One that stands in a row is not told twice.
    commit(empty, "agents: [claude]\n", **{"AGENTS.override.md": "\n"})
    lines = rows(assembler)
    assert [line for line in lines if "ASM103" in line and "new findings" not in line] == [
        line for line in lines if line.startswith("A  ") and line.endswith("ASM103")
    ]


def test_file_that_an_agent_reads_no_more__is_not_shown_as_gone(
    empty: RepositoryBuilder, assembler: CommandLine
) -> None:
    commit(empty, "agents: [claude]\n", **{"AGENTS.md": "# A\n"})
    commit(empty, "agents: [claude]\n", **{"CLAUDE.md": "# C\n"})
    told = rows(assembler)
    assert "@@ claude:AGENTS.md -1,1 +0,0 @@" in told
    assert "@@ AGENTS.md -1,1 +0,0 @@" not in told
    assert not any("No newline" in row for row in told)


def test_baseline_beside_the_lock__is_a_file_that_judges(
    empty: RepositoryBuilder, assembler: CommandLine
) -> None:
    commit(empty, "", **{"AGENTS.md": "# A\n"})
    place = ".assembler/known.json"
    commit(empty, "", **{place: '{"schema": "assembler/baseline/1", "findings": []}\n'})
    assert diff(assembler)["judging"] == [{"path": place, "what": "added"}]


def test_agent_that_is_named__is_asked_about_on_both_sides(
    empty: RepositoryBuilder, assembler: CommandLine
) -> None:
    commit(empty, "", **{"AGENTS.md": "# A\n"})
    commit(empty, "agents: [gemini]\n")
    assert codes(require_checks(assembler)["findings_new"]) == ["ASM150"]
    assert require_checks(assembler, "--agent", "gemini")["findings_new"] == []
    assert diff(assembler, "--agent", "all")["findings_new"] == []


def test_file_that_is_lost_besides__is_new(
    empty: RepositoryBuilder, assembler: CommandLine
) -> None:
    commit(empty, "", **{"AGENTS.md": "x\n" * 20_000, "a/AGENTS.md": "# A\n"})
    commit(empty, "", **{"b/AGENTS.md": "# B\n"})
    body = diff(assembler)
    assert [one["data"]["lost_files"] for one in body["findings_new"]] == [
        ["a/AGENTS.md", "b/AGENTS.md"]
    ]
    assert body["findings_fixed"] == []
    commit(empty, "", **{"AGENTS.md": "x\n" * 20_001})
    assert (diff(assembler)["findings_new"], diff(assembler)["findings_fixed"]) == ([], [])


def test_exception__quiets_and_mends_nothing(
    empty: RepositoryBuilder, assembler: CommandLine
) -> None:
    empty.write({"a/AGENTS.override.md": "\n", "a/AGENTS.md": "# A\n"})
    commit(empty, "", **{"b/AGENTS.override.md": "\n", "b/AGENTS.md": "# B\n"})
    commit(empty, "ignore:\n- {code: ASM103, path: a/**, reason: meant}\n")
    body = require_checks(assembler)
    assert [(one["code"], one["path"]) for one in body["findings_excepted"]] == [
        ("ASM103", "a/AGENTS.override.md")
    ]
    assert (body["findings_new"], body["findings_fixed"]) == ([], [])
    assert "new findings: none; fixed: none; now excepted: 1 warning (ASM103)" in rows(assembler)
    assert "M  profile: ignore  +ASM103 a/** (meant)" in rows(assembler)
    # What is mended beside it is fixed, and an exception about nothing is a note of its own.
    empty.git("rm", "-q", "a/AGENTS.override.md", "b/AGENTS.override.md")
    commit(empty, "ignore:\n- {code: ASM103, path: a/**, reason: meant}\n")
    mended = require_checks(assembler)
    assert codes(mended["findings_new"]) == ["ASM705"]
    assert [one["path"] for one in mended["findings_fixed"]] == ["b/AGENTS.override.md"]
    assert mended["findings_excepted"] == []
    # An exception that goes brings back what it was about.
    empty.write({"a/AGENTS.override.md": "\n"})
    commit(empty, "ignore:\n- {code: ASM103, path: a/**, reason: meant}\n")
    commit(empty, "")
    assert codes(require_checks(assembler)["findings_new"]) == ["ASM103"]


def test_lock__judges_its_own_side_and_another_one_is_checks_to_tell(
    empty: RepositoryBuilder, assembler: CommandLine
) -> None:
    empty.write({"AGENTS.md": "# A\n"})
    assert assembler("lock").code == 0
    commit(empty, "")
    assert assembler("lock").code == 0
    commit(empty, "")
    assert diff(assembler)["judging"] == [{"path": LOCK, "what": "changed"}]
    commit(empty, "", **{"AGENTS.md": "# B\n"})
    stale = require_checks(assembler)
    assert (codes(stale["findings_new"]), stale["judging"]) == (["ASM701"], [])
    assert not any("told by check alone" in row for row in rows(assembler))
    # A lock that follows is clean by itself, and what judges it is another question.
    assert assembler("lock").code == 0
    commit(empty, "")
    body = require_checks(assembler)
    assert codes(body["findings_fixed"]) == ["ASM701"]
    old, new = (body[side]["revision"][:12] for side in ("from", "to"))
    asked = ["check", "--at", new, "--policy-from", old]
    told = (
        "told by check alone: ASM703, and what the older lock and pins say (ASM210, ASM3xx, "
        f"ASM701): assembler {' '.join(asked)}"
    )
    assert rows(assembler)[-2:] == [f"files that judge differ: {LOCK} (changed)", told]
    comment = assembler("diff", "HEAD~1..HEAD", "-f", "markdown").text
    assert f"`files that judge differ: {LOCK} (changed)`\n\n`{told}`\n" in comment
    assert "ASM703" in codes(assembler(*asked, "-f", "json").json["findings"])


def test_lock_alone__changes_nothing_that_an_agent_sees_and_is_said(
    empty: RepositoryBuilder, assembler: CommandLine
) -> None:
    commit(empty, "", **{"AGENTS.md": "# A\n"})
    empty.write({LOCK: '{"schema": "assembler/lock/1", "entries": []}\n'})
    empty.git("add", "-A")
    result = assembler("diff", "HEAD", "index", "--no-text")
    assert "ASM701" in result.text
    assert "assembler check --at index --policy-from" in result.text
    empty.git("commit", "-q", "-m", "lock")
    empty.write({LOCK: '{"schema": "assembler/lock/1",\n"entries": []}\n'})
    same = assembler("diff")
    assert (same.code, same.text) == (0, "")
    assert f"files that judge differ: {LOCK}" in same.talk
    assert "assembler check --at worktree --policy-from" in same.talk
    turned = assembler("diff", "worktree", "HEAD")
    assert "--policy-from REV" in turned.talk


def test_settings__name_each_entry_that_came_and_went(
    empty: RepositoryBuilder, assembler: CommandLine
) -> None:
    commit(
        empty,
        "agents: [claude, codex]\nread: {deny: [a, b]}\n"
        "ignore:\n- {code: ASM2, reason: vendored}\n- {code: ASM104, reason: meant}\n",
        **{"AGENTS.md": "# A\n"},
    )
    commit(
        empty,
        "agents: [codex, gemini]\nread: {deny: [b, a]}\n"
        "ignore:\n- {code: ASM2, reason: other words}\n- {code: ASM104, reason: meant}\n",
    )
    told = rows(assembler)
    assert "M  profile: agents  +gemini, -claude" in told
    assert "M  profile: ignore  +ASM2 (other words), -ASM2 (vendored)" in told
    assert "M  profile: read.deny  the same in another order" in told
    named = {one["name"]: one for one in diff(assembler)["settings"]}
    assert named["ignore"]["to"][0]["reason"] == "other words"


def test_settings__are_bounded_and_nobodys_markup(
    empty: RepositoryBuilder, assembler: CommandLine
) -> None:
    commit(empty, "", **{"AGENTS.md": "# A\n"})
    secret = make_tokens(7)["github-token"][0]
    reasons = ["x" * 1_000, "| `@all` [x](http://evil.example)", "a\\u202eb", f"key {secret}"]
    entries = [
        f'- {{code: ASM104, path: p{n}, reason: "{text}"}}' for n, text in enumerate(reasons)
    ]
    entries += [f"- {{code: ASM104, path: q{n}, reason: y}}" for n in range(6)]
    commit(empty, "ignore:\n" + "\n".join(entries) + "\n")
    (row,) = [row for row in rows(assembler) if row.startswith("M  profile: ignore")]
    assert row.endswith("+ASM104 q3 (y), and 2 more")
    assert "x" * 140 + "..." in row
    assert "x" * 160 not in row
    assert "a\\u202eb" in row
    comment = assembler("diff", "HEAD~1..HEAD", "-f", "markdown", "--no-text").text
    assert secret not in row + comment
    assert "\u202e" not in row + comment
    (line,) = [line for line in comment.splitlines() if "profile: ignore" in line]
    plain = re.sub(r"(`+) ?.*? ?\1(?!`)", "", line)
    assert plain == "|  |  |  |  |"


def test_hidden_file_of_a_clean_worktree__is_no_difference(
    empty: RepositoryBuilder, assembler: CommandLine
) -> None:
    # A commit tells no size of a file that is not read, and a worktree does.
    commit(empty, "", **{"AGENTS.md": "# hidden\n", "AGENTS.override.md": "# A\n"})
    body = assembler("diff", "HEAD", "-f", "json").json
    assert (body["changes"], body["verdict"]) == ([], "identical")
    empty.write({"AGENTS.override.md": "# other\n"})
    assert [one["id"] for one in assembler("diff", "HEAD", "-f", "json").json["changes"]] == [
        "AGENTS.override.md"
    ]
