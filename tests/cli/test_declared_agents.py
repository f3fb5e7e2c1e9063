"""What a profile's `agents` change: findings of `check`, rows of `diff`, entries of `lock`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.builders.agent_command import command
from tests.builders.command_line import CommandLine
from tests.builders.repositories import RepositoryBuilder

FOUR = ("claude", "codex", "gemini", "opencode")


@pytest.fixture
def empty(tmp_path: Path) -> RepositoryBuilder:
    return RepositoryBuilder(tmp_path / "repository")


def declare(empty: RepositoryBuilder, *agents: str) -> None:
    text = f"schema: assembler/profile/1\nagents: [{', '.join(agents)}]\n"
    empty.write({".assembler/profile.yaml": text})


def told(body: Any) -> set[tuple[str, str]]:
    return {(finding["code"], finding["path"]) for finding in body["findings"]}


def test_declared_agents__make_a_file_that_one_never_loads_a_finding(
    empty: RepositoryBuilder,
) -> None:
    declare(empty, "claude", "codex", "gemini", "opencode")
    empty.write({"AGENTS.md": "# Root\n", "a/b/GEMINI.md": "# B\n"}).commit()
    body = command(empty)("check", "-f", "json").json
    never = {
        finding["path"]: finding["data"]["agents"]
        for finding in body["findings"]
        if finding["code"] == "ASM150"
    }
    assert never == {"AGENTS.md": ["gemini"], "a/b/GEMINI.md": ["claude", "codex", "opencode"]}
    # One text under the names of all of them is loaded by all.
    empty.git("rm", "-q", "a/b/GEMINI.md")
    empty.link({"GEMINI.md": "AGENTS.md"})
    empty.commit()
    for at in ("worktree", "index", "HEAD"):
        clean = command(empty)("check", "--at", at, "-f", "json").json
        assert "ASM150" not in {finding["code"] for finding in clean["findings"]}


def test_agents__are_checked_without_the_users_machine(empty: RepositoryBuilder) -> None:
    """HOME's settings and its trust decide nothing of a check: it is the same everywhere."""
    empty.write({"GEMINI.md": "x\n", "TEAM.md": "t\n"}).commit()
    first = command(empty)("check", "--agent", "gemini", "-f", "json").json
    home = empty.root.parent / "home/.gemini"
    home.mkdir()
    (home / "settings.json").write_text('{"context": {"fileName": "TEAM.md"}}')
    untrusted = CommandLine(cwd=empty.root, home=empty.root.parent / "home")
    assert untrusted("check", "--agent", "gemini", "-f", "json").json == first
    assert first["findings"] == []
    plain = command(empty)("check", "-f", "json").json
    assert "ASM150" not in {finding["code"] for finding in plain["findings"]}


def test_pull_request__shows_what_changes_for_which_agent(empty: RepositoryBuilder) -> None:
    declare(empty, "claude", "opencode")
    empty.write({"AGENTS.md": "# Root\n", "web/x": ""}).commit()
    empty.write({"web/CLAUDE.local.md": "# Mine\n"}).commit()
    body = command(empty)("diff", "HEAD~1..HEAD", "-f", "json").json
    changes = {
        (change["what"], change["id"], tuple(change["folders"])) for change in body["changes"]
    }
    assert ("moved", "claude:AGENTS.md", ("web",)) in changes
    assert ("added", "claude:web/CLAUDE.local.md", ("web",)) in changes
    assert not any(name.startswith("opencode:AGENTS") for _, name, _ in changes)
    assert ("ASM131", "AGENTS.md") in {
        (finding["code"], finding["path"]) for finding in body["findings_new"]
    }
    # Figures of runs are not those of other agents.
    assert all(folder["tokens"] == 0 for folder in body["folders"])
    named = command(empty)("diff", "HEAD~1..HEAD", "--agent", "gemini", "-f", "json").json
    assert not any(change["id"].startswith("gemini:") for change in named["changes"])
    text = command(empty)("diff", "HEAD~1..HEAD").text
    assert "claude:AGENTS.md" in text
    assert "(web/CLAUDE.local.md)" not in text


SKILL = "---\nname: deploy\ndescription: {}\n---\nbody\n"


def every_kind(empty: RepositoryBuilder) -> None:
    """A file of each kind that steers one of the agents, and no other."""
    declare(empty, *FOUR)
    empty.write(
        {
            "AGENTS.md": "# A\n",
            "CLAUDE.md": "@docs/style.md\n",
            "docs/style.md": "style\n",
            "GEMINI.md": "# G\n",
            "a/b/GEMINI.md": "# B\n",
            ".claude/rules/always.md": "always\n",
            ".claude/commands/c.md": "---\ndescription: c\n---\nrun\n",
            ".claude/skills/deploy/SKILL.md": SKILL.format("Deploys."),
            ".claude/skills/deploy/scripts/x.sh": "x\n",
            ".agents/skills/notes/SKILL.md": "---\nname: notes\ndescription: n\n---\n",
            "src/other.md": "no agent reads it\n",
        }
    )


def test_revision__is_no_other_place_to_start_than_the_worktree(empty: RepositoryBuilder) -> None:
    """No revision holds `.git`, where Gemini's walk ends."""
    every_kind(empty)
    empty.commit()
    for sides in (("index", "worktree"), ("HEAD", "index"), ("HEAD", "worktree")):
        assert command(empty)("diff", *sides, "-f", "json").json["changes"] == []
    empty.write({"GEMINI.md": "# G\nmore\n"}).commit()
    body = command(empty)("diff", "HEAD~1..HEAD", "-f", "json").json
    (change,) = body["changes"]
    assert change["id"] == "gemini:GEMINI.md"
    assert {".", "a/b"} <= set(change["folders"])


def test_lock__holds_whatever_steers_a_declared_agent(empty: RepositoryBuilder) -> None:
    every_kind(empty)
    assert command(empty)("lock").code == 0
    empty.commit()
    assert command(empty)("lock", "--check").code == 0
    steering = (
        "AGENTS.md",
        "CLAUDE.md",
        "docs/style.md",
        "GEMINI.md",
        "a/b/GEMINI.md",
        ".claude/rules/always.md",
        ".claude/commands/c.md",
        ".claude/skills/deploy/SKILL.md",
        ".claude/skills/deploy/scripts/x.sh",
    )
    for path in steering:
        before = (empty.root / path).read_text()
        empty.write({path: before + "\nnever run the review\n"})
        body = command(empty)("check", "--policy-from", "HEAD", "-f", "json").json
        assert ("ASM701", path) in told(body)
        assert command(empty)("lock", "--check").code == 1
        empty.write({path: before})
    empty.write({"src/other.md": "changed\n", ".claude/rules/more.md": "new\n"})
    stale = command(empty)("check", "--policy-from", "HEAD", "-f", "json").json
    assert [place for code, place in told(stale) if code == "ASM701"] == [".claude/rules/more.md"]


def test_lock__of_no_agents_holds_none_of_their_files(empty: RepositoryBuilder) -> None:
    every_kind(empty)
    empty.write({".assembler/profile.yaml": "schema: assembler/profile/1\n"})
    assert command(empty)("lock").code == 0
    text = (empty.root / ".assembler/lock.json").read_text()
    assert "AGENTS.md" in text
    assert "CLAUDE.md" not in text
    assert ".claude" not in text


def test_pull_request__shows_what_changes_of_an_agents_skills(empty: RepositoryBuilder) -> None:
    every_kind(empty)
    empty.commit()
    empty.write(
        {
            ".claude/skills/deploy/SKILL.md": SKILL.format("Deploys well."),
            ".claude/skills/bad/SKILL.md": "no head\n",
        }
    ).commit()
    empty.write({".claude/skills/deploy/scripts/x.sh": "y\n"}).commit()
    body = command(empty)("diff", "HEAD~2..HEAD~1", "-f", "json").json
    changes = {change["id"]: change["what"] for change in body["changes"]}
    assert changes["claude:skill:deploy"] == changes["opencode:skill:deploy"] == "content"
    assert changes["claude:skill:bad"] == "added"
    assert changes["opencode:skill:bad"] == "added"
    assert not any(name.startswith("gemini:") for name in changes)
    text = command(empty)("diff", "HEAD~2..HEAD~1").text
    assert "+description: Deploys well." in text
    assert "/repository" not in text
    resource = command(empty)("diff", "HEAD~1..HEAD").text
    assert "claude:skill:deploy" in resource
    assert "scripts/x.sh" in resource


def test_layout_of_links__is_clean_for_all_four(empty: RepositoryBuilder) -> None:
    declare(empty, *FOUR)
    empty.write({"AGENTS.md": "# Root\n", "web/AGENTS.md": "# Web\n", "web/x": ""})
    links = {
        f"{folder}{name}": "AGENTS.md"
        for folder in ("", "web/")
        for name in ("CLAUDE.md", "GEMINI.md")
    }
    empty.link(links).commit()
    result = command(empty)("check", "-f", "json")
    assert result.code == 0
    assert told(result.json) == {("ASM143", "web/AGENTS.md")}
    body = command(empty, "web")("chain", "--agent", "all", "-f", "json").json
    rows = [Path(row["path"]).relative_to(empty.root).as_posix() for row in body["files"]]
    assert rows == ["AGENTS.md", "web/AGENTS.md"]
    assert body["same_set"] is True


def test_file_that_another_imports__is_a_finding_for_who_never_loads_it(
    empty: RepositoryBuilder,
) -> None:
    declare(empty, "claude", "codex")
    empty.write({"CLAUDE.md": "@docs/style.md\n", "docs/style.md": "s\n"})
    empty.write({".claude/rules/a.md": "a\n"}).commit()
    found = told(command(empty)("check", "-f", "json").json)
    never = {path for code, path in found if code == "ASM150"}
    assert never == {"CLAUDE.md", "docs/style.md", ".claude/rules/a.md"}


def test_all__is_every_agent_that_is_known(empty: RepositoryBuilder) -> None:
    every_kind(empty)
    empty.commit()
    declared = command(empty)("check", "-f", "json").json["findings"]
    empty.git("rm", "-q", ".assembler/profile.yaml")
    empty.commit()
    named = command(empty)("check", "--agent", "all", "-f", "json").json["findings"]
    assert named == declared


def test_table__shows_what_joins_for_a_target_and_who_does_not_start(
    empty: RepositoryBuilder,
) -> None:
    empty.write({"GEMINI.md": "# G\n", "web/CLAUDE.md": "# W\n", "web/x.ts": ""}).commit()
    body = command(empty)("chain", "--agent", "all", "-t", "web/x.ts", "-f", "json").json
    cells = {Path(row["path"]).name: row["cells"]["claude"] for row in body["files"]}
    assert cells["CLAUDE.md"] == "joins 1"
    untrusted = CommandLine(cwd=empty.root, home=empty.root.parent)
    body = untrusted("chain", "--agent", "all", "-f", "json").json
    assert {row["cells"]["gemini"] for row in body["files"]} == {"not started"}


def test_one_agent_where_a_list_is_meant__is_told_with_the_form(
    empty: RepositoryBuilder,
) -> None:
    text = "schema: assembler/profile/1\nagents: claude\n"
    empty.write({".assembler/profile.yaml": text, "AGENTS.md": "# Root\n"})
    answer = command(empty)("check")
    assert answer.code == 2
    assert "write a list, `agents: [...]`" in answer.talk
