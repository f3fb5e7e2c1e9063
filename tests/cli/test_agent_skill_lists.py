"""`skills list --agent claude|gemini|opencode|all` on folders of our own."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from assembler.agents.skill_places import MAX_DEPTH, MAX_WAYS
from assembler.cli.agent_list_table import show_all_lists
from assembler.cli.session import Session
from assembler.errors import ConfigError, UsageError
from assembler.front.agent_skill_comparison import SkillComparison, compare_skill_lists
from assembler.front.agent_skill_lists import (
    MAX_SKILL_FILE_BYTES,
    AgentSkillList,
    report_skill_list,
)
from tests.builders.command_line import CommandLine
from tests.builders.trees import FIFO, FOLDER, Link, write_tree

GIT = {".git/HEAD": b"ref: refs/heads/main\n"}
TRUSTED = {"GEMINI_CLI_TRUST_WORKSPACE": "true"}
AGENTS = ("claude", "gemini", "opencode")
PLACES = {"claude": ".claude", "gemini": ".gemini", "opencode": ".opencode"}


def skill(name: str, description: str = "d", *more: str) -> bytes:
    head = "\n".join([f"name: {name}", f"description: {description}", *more])
    return f"---\n{head}\n---\nbody\n".encode()


def make(
    tmp_path: Path, files: dict[str, Any], home: dict[str, Any] | None = None
) -> tuple[Path, dict[str, str]]:
    base = Path(os.path.realpath(tmp_path))
    write_tree(base / "t", {**GIT, **files})
    write_tree(base / "h", {".codex": FOLDER, **(home or {})})
    return base / "t", {"HOME": str(base / "h"), **TRUSTED}


def report(
    tmp_path: Path, agent: str, files: dict[str, Any], *, cwd: str = "", **given: Any
) -> AgentSkillList:
    root, environment = make(tmp_path, files, given.pop("home", None))
    environment |= given.pop("variables", {})
    return report_skill_list(agent, root / cwd, environment=environment, **given)


def states(found: AgentSkillList) -> dict[str, tuple[str, str | None]]:
    return {row.name: (row.state, row.slug) for row in found.answer.rows}


def slugs(found: AgentSkillList | SkillComparison) -> list[str]:
    return [finding.slug for finding in found.findings]


def names(found: AgentSkillList) -> list[str]:
    return [row.name for row in found.answer.rows if row.line is not None]


def test_fields__that_only_claude_acts_on_are_told_for_the_others(tmp_path: Path) -> None:
    text = skill("x", "d", "disable-model-invocation: true", "when_to_use: now")
    files = {f"{folder}/skills/x/SKILL.md": text for folder in PLACES.values()}

    found = {agent: report(tmp_path / agent, agent, files) for agent in AGENTS}
    assert states(found["claude"]) == {"x": ("hidden", "not-offered")}
    for agent in ("gemini", "opencode"):
        assert states(found[agent])["x"][0] in ("listed", "race")
        fields = [
            finding.data["field"]
            for finding in found[agent].findings
            if finding.slug == "skill-field-ignored"
        ]
        assert fields == ["disable-model-invocation", "when_to_use"]


def test_disabling__that_is_off_hides_nothing(tmp_path: Path) -> None:
    text = skill("x", "d", "disable-model-invocation: false")

    found = report(tmp_path, "claude", {".claude/skills/x/SKILL.md": text})
    assert states(found) == {"x": ("listed", None)}
    assert "skill-field-ignored" not in slugs(
        report(tmp_path / "2", "opencode", {".claude/skills/x/SKILL.md": text})
    )


def test_claude__over_its_budget_says_so_once_and_lists_names_in_order(tmp_path: Path) -> None:
    files = {
        f".claude/skills/s{number:02}/SKILL.md": skill(f"s{number:02}", "x" * 1_500)
        for number in range(20)
    }
    found = report(tmp_path, "claude", files)

    kept = [row.name for row in found.answer.rows if row.state == "listed"]
    assert kept == [f"s{number:02}" for number in range(len(kept))]
    assert names(found) == [f"s{number:02}" for number in range(20)]
    (over,) = (one for one in found.findings if one.slug == "catalog-over-budget")
    assert over.data["bare"] == 20 - len(kept) > 0
    assert over.data["used"] <= over.data["limit"]


def test_claude__without_a_repository_walks_up_to_below_home(tmp_path: Path) -> None:
    home = Path(os.path.realpath(tmp_path))
    write_tree(
        home,
        {
            ".claude/skills/u/SKILL.md": skill("u"),
            "w/.claude/skills/p/SKILL.md": skill("p"),
            "w/a/.claude/skills/c/SKILL.md": skill("c"),
        },
    )
    found = report_skill_list("claude", home / "w/a", environment={"HOME": str(home)})

    assert [(row.name, row.scope) for row in found.answer.rows] == [
        ("u", "user"),
        ("c", "repo"),
        ("p", "repo"),
    ]


def test_claude__takes_sources_and_its_folder_from_the_start(tmp_path: Path) -> None:
    files = {".claude/skills/p/SKILL.md": skill("p"), "other/skills/o/SKILL.md": skill("o")}
    home = {".claude/skills/u/SKILL.md": skill("u")}

    def listed(name: str, **given: Any) -> list[str]:
        return names(report(tmp_path / name, "claude", files, home=home, **given))

    assert listed("1", options=["setting-sources=project"]) == ["p"]
    assert listed("2", options=["setting-sources=user,project"]) == ["u", "p"]
    assert listed("3", options=["bare"]) == []
    assert listed("4", variables={"CLAUDE_CONFIG_DIR": "other"}) == ["o", "p"]


def test_claude__lists_one_file_behind_two_links_once(tmp_path: Path) -> None:
    files = {
        "ext/SKILL.md": skill("x"),
        ".claude/skills/a": Link("../../ext"),
        ".claude/skills/b": Link("../../ext"),
    }
    found = report(tmp_path, "claude", files)

    assert states(found) == {"a (x)": ("listed", None), "b": ("shadowed", "same-file")}


def test_claude__lists_commands_with_the_skills_and_subagents_with_their_tools(
    tmp_path: Path,
) -> None:
    files = {
        ".claude/skills/z/SKILL.md": skill("z"),
        ".claude/commands/a.md": b"# Do it\n",
        ".claude/commands/b/c.md": skill("n", "d", "disable-model-invocation: true"),
        ".claude/agents/x.md": skill("x", "one", "tools: Read, Grep"),
        ".claude/agents/y.md": skill("u", "two"),
        ".claude/agents/nameless.md": b"---\ndescription: d\n---\n",
    }
    home = {".claude/agents/u.md": skill("u", "user's")}
    found = report(tmp_path, "claude", files, home=home)

    assert [row.line for row in found.answer.rows if row.line is not None] == [
        "- z: d",
        "- a: Do it",
        "- u: two (Tools: All tools)",
        "- x: one (Tools: Read, Grep)",
    ]
    assert states(found)["nameless"] == ("rejected", "skill-name")


def test_opencode__leaves_primary_agents_out_and_heeds_its_switches(tmp_path: Path) -> None:
    files = {
        ".opencode/agent/p.md": b"---\ndescription: d\nmode: primary\n---\n",
        ".opencode/agents/s.md": b"---\ndescription: d\n---\n",
        ".opencode/skills/o/SKILL.md": skill("o"),
        ".claude/skills/c/SKILL.md": skill("c"),
    }

    def listed(name: str, **variables: str) -> list[str]:
        return names(report(tmp_path / name, "opencode", files, variables=variables))

    assert listed("1") == ["c", "o", "s"]
    assert listed("2", OPENCODE_DISABLE_CLAUDE_CODE="1") == ["o", "s"]
    assert listed("3", OPENCODE_DISABLE_PROJECT_CONFIG="1") == ["c"]


def test_gemini__does_not_start_where_nobody_trusts_the_folder(tmp_path: Path) -> None:
    root, environment = make(tmp_path, {".gemini/skills/x/SKILL.md": skill("x")})
    del environment["GEMINI_CLI_TRUST_WORKSPACE"]
    found = report_skill_list("gemini", root, environment=environment)

    assert (found.answer.exit_code, found.answer.rows) == (55, ())


def test_settings__that_an_agent_does_not_start_with_are_refused(tmp_path: Path) -> None:
    files = {"opencode.json": "{"}

    with pytest.raises(ConfigError) as caught:
        report(tmp_path, "opencode", files)
    assert caught.value.code == "agent-config"


def test_link__out_of_the_project_is_told(tmp_path: Path) -> None:
    write_tree(Path(os.path.realpath(tmp_path)) / "out", {"SKILL.md": skill("x")})
    for agent in AGENTS:
        files = {f"{PLACES[agent]}/skills/x": Link("../../../../out")}
        found = report(tmp_path / agent, agent, files)
        assert ("skill-linked-outside" in slugs(found), names(found)) == (True, ["x"])


def test_hidden_characters__of_a_line_are_told(tmp_path: Path) -> None:
    files = {".claude/skills/x/SKILL.md": skill("x", "a\u202eb")}

    assert "hidden-characters" in slugs(report(tmp_path, "claude", files))


@pytest.mark.parametrize("agent", AGENTS)
def test_hostile_folder__is_answered_without_a_read_that_hangs(agent: str, tmp_path: Path) -> None:
    base = f"{PLACES[agent]}/skills"
    deep = "/".join(["d"] * (MAX_DEPTH + 5))
    root, environment = make(
        tmp_path,
        {
            f"{base}/fifo/SKILL.md": FIFO,
            f"{base}/folder/SKILL.md/x": b"",
            f"{base}/loop/SKILL.md": Link("SKILL.md"),
            f"{base}/gone/SKILL.md": Link("nowhere"),
            f"{base}/self": Link("."),
            f"{base}/up": Link("../.."),
            f"{base}/secret/SKILL.md": Link("../../../.env"),
            ".env": skill("secret", "sesame"),
            f"{base}/bytes/SKILL.md": b"---\nname: bytes\ndescription: \xff\xfe\n---\n",
            f"{base}/nul/SKILL.md": b"---\nname: n\0\ndescription: d\n---\n",
            f"{base}/huge/SKILL.md": b"",
            f"{base}/deep/{deep}/SKILL.md": skill("deep"),
            f"{base}/ok/SKILL.md": skill("ok"),
        },
    )
    os.truncate(root / base / "huge/SKILL.md", MAX_SKILL_FILE_BYTES + 1)
    found = report_skill_list(agent, root, environment=environment)
    seen = states(found)

    assert seen["ok"] == ("listed", None)
    assert {seen[name] for name in ("fifo", "folder", "loop", "gone")} == {
        ("rejected", "skill-file-skipped")
    }
    assert {seen[name] for name in ("huge", "secret")} == {("unread", "skill-unread")}
    assert seen["bytes"] == ("listed", None)
    shown = json.dumps([row.to_json() for row in found.answer.rows])
    assert "sesame" not in shown + json.dumps([one.to_json() for one in found.findings])
    assert ("skill-scan-bounded" in slugs(found)) is (agent == "opencode")


def test_links__of_many_folders_to_one_another_do_not_multiply(tmp_path: Path) -> None:
    base, numbers = ".opencode/skills", range(12)
    files: dict[str, Any] = {f"{base}/d{one}/SKILL.md": skill(f"s{one}") for one in numbers}
    files |= {f"{base}/d{one}/l{two}": Link(f"../d{two}") for one in numbers for two in numbers}
    start = time.monotonic()
    found = report(tmp_path, "opencode", files)

    assert len({row.source for row in found.answer.rows if row.is_listed}) == len(numbers)
    assert len(found.answer.rows) <= MAX_WAYS * len(numbers)
    assert time.monotonic() - start < 10


@pytest.mark.skipif(os.geteuid() != 0, reason="a name that is no text needs a file system for it")
def test_name__that_is_no_text_is_passed_over(tmp_path: Path) -> None:
    root, environment = make(tmp_path, {".claude/skills/ok/SKILL.md": skill("ok")})
    odd = os.fsencode(root / ".claude/skills") + b"/\xff"
    os.mkdir(odd)  # noqa: PTH102 - the name is bytes
    (root / ".claude/skills/ok/x").mkdir()

    assert names(report_skill_list("claude", root, environment=environment)) == ["ok"]


@pytest.mark.long
def test_ten_thousand_skills__are_listed_in_seconds(tmp_path: Path) -> None:
    files = {
        f"{folder}/skills/s{number:05}/SKILL.md": skill(f"s{number:05}")
        for folder in (".claude", ".gemini")
        for number in range(10_000)
    }
    root, environment = make(tmp_path, files)
    start = time.monotonic()
    found = compare_skill_lists(root, environment=environment)

    assert {agent.name: agent.lines for agent in found.agents if agent.name != "codex"} == {
        "claude": 10_000,
        "gemini": 10_000,
        "opencode": 10_000,
    }
    assert time.monotonic() - start < 60


def mixed() -> dict[str, Any]:
    return {
        ".agents/skills/deploy/SKILL.md": skill("deploy", "one"),
        ".opencode/skill/deploy/SKILL.md": skill("deploy", "two"),
        ".claude/skills/pdf/SKILL.md": skill("pdf"),
        ".claude/skills/bare/SKILL.md": b"text alone\n",
        ".claude/commands/c.md": b"do it\n",
    }


def test_all__says_who_lists_what(tmp_path: Path) -> None:
    root, environment = make(tmp_path, mixed())
    found = compare_skill_lists(root, environment=environment)

    cells = {
        (file.name, file.source.split("/")[-3]): {
            name: cell.position or cell.slug for name, cell in file.cells.items()
        }
        for file in found.files
    }
    assert cells == {
        ("c", ".claude"): {"claude": 3},
        ("bare", "skills"): {"claude": 1, "opencode": "skill-no-front-matter"},
        ("deploy", "skills"): {"codex": 1, "gemini": 1, "opencode": 1},
        ("deploy", "skill"): {"opencode": "skill-name-race"},
        ("pdf", "skills"): {"claude": 2, "opencode": 2},
    }
    assert (found.same_set, found.has_race) == (False, True)
    assert {agent.name for agent in found.agents} == {"claude", "codex", "gemini", "opencode"}


def test_all__says_when_the_sets_are_the_same(tmp_path: Path) -> None:
    root, environment = make(
        tmp_path,
        {
            ".agents/skills/x/SKILL.md": skill("x"),
            ".claude/skills/x": Link("../../.agents/skills/x"),
        },
    )
    found = compare_skill_lists(root, environment=environment)

    assert found.same_set
    assert [file.name for file in found.files] == ["x"]


def test_all__as_text_and_as_json(tmp_path: Path) -> None:
    root, environment = make(tmp_path, mixed())
    command = CommandLine(
        cwd=root, home=Path(environment["HOME"]), variables=tuple(environment.items())
    )

    text = command("skills", "list", "--agent", "all")
    assert text.code == 0
    assert "The agents do not list the same set of skills" in text.text
    assert "race" in text.text
    document = command("skills", "list", "--agent=all", "--format=json").json
    assert document["schema"] == "assembler/agent-skills/1"
    assert [agent["name"] for agent in document["agents"]] == [
        "claude",
        "codex",
        "gemini",
        "opencode",
    ]
    assert document["same_set"] is False


def test_text__of_each_agent_has_its_lines_and_what_is_lost(tmp_path: Path) -> None:
    root, environment = make(tmp_path, mixed())
    command = CommandLine(
        cwd=root, home=Path(environment["HOME"]), variables=tuple(environment.items())
    )

    claude = command("skills", "list", "--agent=claude").text
    assert "6,090 of them assumed for its own skills" in claude
    assert "ASM239 skill-description-from-body" in claude
    assert "ASM236 skill-name-race" in command("skills", "list", "--agent=opencode").text
    assert "Order: " in command("skills", "list", "--agent=gemini").text


def told(found: AgentSkillList) -> set[tuple[str, str | None]]:
    return {(finding.code, finding.path) for finding in found.findings}


def test_findings__say_what_is_lost_and_why(tmp_path: Path) -> None:
    base = ".claude/skills"
    claude = {
        f"{base}/a/SKILL.md": skill("a", "one: two"),
        f"{base}/long/SKILL.md": skill("long", "x" * 1_537),
        f"{base}/full/SKILL.md": skill("full", "x" * 1_536),
        f"{base}/group/deep/SKILL.md": skill("deep"),
        f"{base}/SKILL.md": skill("top"),
        f"{base}/lower/skill.md": skill("lower"),
        f"{base}/twice/SKILL.md": skill("twice"),
    }
    home = {f"{base}/twice/SKILL.md": skill("twice")}
    assert told(report(tmp_path / "1", "claude", claude, home=home)) == {
        ("ASM203", f"{base}/a/SKILL.md"),
        ("ASM222", f"{base}/long/SKILL.md"),
        ("ASM237", f"{base}/group/deep/SKILL.md"),
        ("ASM237", f"{base}/SKILL.md"),
        ("ASM108", f"{base}/lower/skill.md"),
        ("ASM207", f"{base}/twice/SKILL.md"),
    }
    base = ".gemini/skills"
    gemini = {
        f"{base}/above/SKILL.md": skill("above"),
        f"a/{base}/none/SKILL.md": b"text\n",
        f"a/{base}/mark/SKILL.md": b"\xef\xbb\xbf" + skill("mark"),
        f"a/{base}/nameless/SKILL.md": b"---\ndescription: d\n---\n",
        f"a/{base}/silent/SKILL.md": b"---\nname: n\n---\n",
    }
    assert told(report(tmp_path / "2", "gemini", gemini, cwd="a")) == {
        ("ASM238", base),
        ("ASM201", f"a/{base}/none/SKILL.md"),
        ("ASM233", f"a/{base}/mark/SKILL.md"),
        ("ASM204", f"a/{base}/nameless/SKILL.md"),
        ("ASM206", f"a/{base}/silent/SKILL.md"),
    }
    broken = {".opencode/skill/x/SKILL.md": b"---\nname: [x\n---\n"}
    assert told(report(tmp_path / "3", "opencode", broken)) == {
        ("ASM202", ".opencode/skill/x/SKILL.md")
    }


def test_finding__is_shown_a_few_times_and_then_counted(tmp_path: Path) -> None:
    files = {f".claude/skills/s{number}/SKILL.md": b"text" for number in range(7)}
    root, environment = make(tmp_path, files)
    command = CommandLine(
        cwd=root, home=Path(environment["HOME"]), variables=tuple(environment.items())
    )

    text = command("skills", "list", "--agent=claude").text
    assert text.count("ASM239") == 5
    assert "2 more of skill-description-from-body: --format json" in text


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--agent=nobody",), "agent-unknown"),
        (("--agent=claude", "--agent-config=a=b"), "option-conflict"),
        (("--agent=codex", "--agent-option=a=b"), "option-conflict"),
        (("--agent=claude", "--agent-option==b"), "agent-option"),
        (("--agent=gemini", "--agent-option=x=b"), "agent-option"),
        (("--agent=all", "--agent-option=bare"), "option-conflict"),
        (("--agent=all", "--agent-config=a=b"), "option-conflict"),
        (("--agent=all", "--agent-system-dir=."), "option-conflict"),
        (("--agent=all", "--format=prompt"), "format-unknown"),
        (("--agent=claude", "--format=prompt"), "format-unknown"),
        (("--agent=all", "--target=x"), "option-conflict"),
        (("--agent-option=a=b",), "option-needs-agent"),
    ],
)
def test_option__that_means_nothing_is_refused(
    words: tuple[str, ...], code: str, tmp_path: Path
) -> None:
    root, environment = make(tmp_path, {})
    command = CommandLine(
        cwd=root, home=Path(environment["HOME"]), variables=tuple(environment.items())
    )

    result = command("skills", "list", *words)
    assert result.code == 2
    assert code in result.talk


def test_option__of_the_agent_itself_counts(tmp_path: Path) -> None:
    files = {".claude/skills/p/SKILL.md": skill("p")}
    home = {".claude/skills/u/SKILL.md": skill("u")}
    root, environment = make(tmp_path, files, home)
    command = CommandLine(
        cwd=root, home=Path(environment["HOME"]), variables=tuple(environment.items())
    )

    result = command(
        "skills",
        "list",
        "--agent=claude",
        "--agent-option=--setting-sources=user",
        "--format=json",
    )
    assert [row["name"] for row in result.json["skills"]] == ["u"]
    assert result.json["inputs"]["agent"]["options"] == ["--setting-sources=user"]


def test_all__needs_no_codex(tmp_path: Path) -> None:
    root, environment = make(tmp_path, mixed())
    found = compare_skill_lists(root, environment={**environment, "HOME": ""})

    assert "codex" not in {agent.name for agent in found.agents}
    session = Session(
        cwd=root,
        cwd_as_named=root,
        output_format="prompt",
        quiet=False,
        verbose=False,
        color=False,
        environment=environment,
    )
    with pytest.raises(UsageError):
        show_all_lists(session, {})
