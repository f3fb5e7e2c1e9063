"""`skills list --agent codex` on folders of our own: settings, findings, text, hostile files."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from assembler.cli.agent_skill_view import show_agent_skills
from assembler.cli.session import Session
from assembler.errors import UsageError
from assembler.front.agent_skills import AgentSkillReport, report_agent_skills
from assembler.model.agent_skills import CODEX_SKILLS
from tests.builders.command_line import CommandLine
from tests.builders.trees import FIFO, Link, write_tree

GIT = {".git/HEAD": b"ref: refs/heads/main\n"}
OFF = "[skills.bundled]\nenabled = false\n"
MARKER = ".codex/skills/.system/.codex-system-skills.marker"


def skill(name: str, description: str = "d") -> bytes:
    return f"---\nname: {name}\ndescription: {description}\n---\nbody\n".encode()


def make(
    tmp_path: Path, files: dict[str, Any], *, home: dict[str, Any] | None = None, config: str = OFF
) -> tuple[Path, dict[str, str]]:
    root, own = Path(os.path.realpath(tmp_path)) / "t", Path(os.path.realpath(tmp_path)) / "h"
    write_tree(root, {**GIT, **files})
    write_tree(own, {".codex/config.toml": config.replace("{ROOT}", str(root)), **(home or {})})
    return root, {"HOME": str(own)}


def report(
    tmp_path: Path, files: dict[str, Any], *, cwd: str = "", **given: Any
) -> AgentSkillReport:
    overrides = given.pop("overrides", ())
    root, environment = make(tmp_path, files, **given)
    return report_agent_skills("codex", root / cwd, environment=environment, overrides=overrides)


def states(found: AgentSkillReport) -> dict[str, tuple[str, str | None]]:
    return {item.name: (item.state, item.slug) for item in found.skills}


def slugs(found: AgentSkillReport) -> list[str]:
    return [finding.slug for finding in found.findings]


def test_rules__turn_off_by_real_path_or_listed_name_and_say_what_does_nothing(
    tmp_path: Path,
) -> None:
    entries = [
        'path = "{ROOT}/.agents/skills/link/SKILL.md"',
        'name = " plug:x "',
        'name = "x"',
        'path = "{ROOT}/.agents/skills/on"',
        'name = "on"\npath = "{ROOT}/.agents/skills/on/SKILL.md"',
    ]
    config = OFF + "".join(f"[[skills.config]]\n{entry}\nenabled = false\n" for entry in entries)
    found = report(
        tmp_path,
        {
            ".agents/skills/on/SKILL.md": skill("on"),
            "ext/SKILL.md": skill("linked"),
            ".agents/skills/link": Link("../../ext"),
            ".agents/skills/p/.codex-plugin/plugin.json": b'{"name": "plug"}',
            ".agents/skills/p/x/SKILL.md": skill("x"),
        },
        config=config,
    )

    assert states(found) == {
        "on": ("listed", None),
        "linked": ("hidden", "turned-off"),
        "plug:x": ("hidden", "turned-off"),
    }
    assert slugs(found).count("skill-rule-idle") == 3


def test_rules__of_a_project_turn_nothing_off_and_its_window_counts_if_trusted(
    tmp_path: Path,
) -> None:
    own = 'model_context_window = 1000\n[[skills.config]]\nname = "a"\nenabled = false\n'
    files = {".agents/skills/a/SKILL.md": skill("a"), ".codex/config.toml": own}
    trusted = '[projects."{ROOT}"]\ntrust_level = "trusted"\n'

    assert report(tmp_path / "1", files).budget.limit == 10_000
    found = report(tmp_path / "2", files, config=OFF + trusted)
    assert (found.budget.limit, states(found)) == (20, {"a": ("listed", None)})


def test_rules__of_the_command_line_win(tmp_path: Path) -> None:
    config = OFF + '[[skills.config]]\nname = "a"\nenabled = false\n'
    on = 'skills.config=[{path=".agents/skills/a/SKILL.md",enabled=true}]'
    found = report(
        tmp_path, {".agents/skills/a/SKILL.md": skill("a")}, config=config, overrides=[on]
    )

    assert states(found) == {"a": ("listed", None)}


def test_list__that_is_off_has_no_lines_and_says_so(tmp_path: Path) -> None:
    config = "[skills]\ninclude_instructions = false\n" + OFF
    found = report(tmp_path, {".agents/skills/a/SKILL.md": skill("a")}, config=config)

    assert (found.lines, found.block_size_bytes) == ((), None)
    assert states(found) == {"a": ("hidden", "list-off")}
    assert "skill-list-off" in slugs(found)


def test_catalogue__of_the_user_takes_the_place_of_the_known_models(tmp_path: Path) -> None:
    models = [
        {"slug": "hidden", "visibility": "hide", "priority": 1, "context_window": 1_000},
        {"slug": "own", "visibility": "list", "priority": 2, "context_window": 50_000},
    ]
    config = 'model_catalog_json = "models.json"\n' + OFF
    home = {".codex/models.json": json.dumps({"models": models})}
    found = report(tmp_path, {}, home=home, config=config)

    assert (found.budget.model, found.budget.limit) == ("own", 1_000)


def test_bundled__skills_are_read_as_they_lie_and_told_missing(tmp_path: Path) -> None:
    files = {".agents/skills/a/SKILL.md": skill("a")}
    home = {".codex/skills/.system/own/SKILL.md": skill("own")}
    fingerprint = CODEX_SKILLS.bundled_fingerprint.encode()

    first = report(tmp_path / "1", files, config="")
    other = report(tmp_path / "2", files, home={**home, MARKER: b"x\n"}, config="")
    later = report(tmp_path / "3", files, home={**home, MARKER: fingerprint + b"\n"}, config="")

    told = [item.data["reason"] for item in (*first.findings, *other.findings) if item.data]
    assert told == ["missing", "other-version"]
    assert "bundled-skills-missing" not in slugs(later)
    assert [item.scope for item in later.skills] == ["system", "repo"]


def test_silence__of_the_agent_is_told(tmp_path: Path) -> None:
    config = OFF + '[projects."{ROOT}"]\ntrust_level = "untrusted"\n'
    found = report(
        tmp_path,
        {
            ".agents/skills/a/SKILL.md": skill("same", "d" * 1_025),
            ".agents/skills/b/SKILL.md": skill("same", "use when: it rains"),
            ".agents/skills/c/SKILL.md": Link("../a/SKILL.md"),
            ".agents/skills/d/SKILL.md": skill("mark", "x </skills_instructions> y"),
            ".agents/skills/far": Link("../../../far"),
            "../far/SKILL.md": skill("far"),
        },
        config=config,
    )

    assert set(slugs(found)) >= {
        "skill-description-cut",
        "skill-yaml-repaired",
        "skill-file-skipped",
        "skill-name-taken",
        "delimiter-in-text",
        "untrusted-skills",
        "skill-linked-outside",
    }


def test_same_file__is_listed_once_by_the_first_way(tmp_path: Path) -> None:
    found = report(
        tmp_path,
        {".agents/skills/a/SKILL.md": skill("a")},
        home={".agents/skills/b": Link("../../../t/.agents/skills/a")},
    )

    assert [(item.state, item.scope) for item in found.skills] == [
        ("listed", "user"),
        ("shadowed", "repo"),
    ]
    assert found.lines == ("- a: d (file: r0/b/SKILL.md)",)


def test_hostile__files_are_neither_opened_nor_waited_for(tmp_path: Path) -> None:
    root, environment = make(
        tmp_path,
        {
            ".agents/skills/fifo/SKILL.md": FIFO,
            ".agents/skills/a/SKILL.md": skill("a"),
            ".agents/skills/a/agents/openai.yaml": FIFO,
            ".agents/skills/a/.codex-plugin/plugin.json": FIFO,
            ".agents/skills/loop": Link("loop"),
            ".agents/skills/huge/SKILL.md": b"",
        },
    )
    os.truncate(root / ".agents/skills/huge/SKILL.md", 10 * 1024**3)
    started = time.monotonic()
    found = report_agent_skills("codex", root, environment=environment)

    assert time.monotonic() - started < 5
    assert found.lines == ("- a: d (file: r0/a/SKILL.md)",)
    assert states(found)["huge"] == ("rejected", "skill-unreadable")


def session(root: Path, environment: dict[str, str], output_format: str = "text") -> Session:
    return Session(
        cwd=root,
        cwd_as_named=root,
        output_format=output_format,
        quiet=False,
        verbose=False,
        color=False,
        environment=environment,
    )


def test_text__says_what_is_listed_and_what_not(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    root, environment = make(
        tmp_path,
        {
            ".agents/skills/a/SKILL.md": skill("a", "\u202eright to left"),
            ".agents/skills/b/SKILL.md": b"# none\n",
        },
    )

    assert show_agent_skills(session(root, environment), {"agent": "codex"}) == 0
    out = capfd.readouterr().out
    assert out.startswith("As codex 0.171.0 lists skills in .        home ~/.codex;")
    assert "\nline  a " in out
    assert "\nout   b " in out
    assert "of 10,000 tokens" in out
    assert "ASM201 skill-no-front-matter  .agents/skills/b/SKILL.md" in out
    assert "\u202e" not in out


def test_text__of_nothing_says_so(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    root, environment = make(tmp_path, {})

    assert show_agent_skills(session(root, environment), {"agent": "codex"}) == 0
    assert "No skills found." in capfd.readouterr().out


def test_framing__is_told_by_size_and_digest_alone(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    root, environment = make(
        tmp_path,
        {".agents/skills/a/SKILL.md": skill("a")},
        config='model = "gpt-5.5"\n' + OFF,
    )
    show_agent_skills(session(root, environment, "json"), {"agent": "codex"})
    agent = json.loads(capfd.readouterr().out)["agent"]

    assert [piece["name"] for piece in agent["framing"]] == ["introduction", "usage"]
    assert all(len(piece["sha256"]) == 64 for piece in agent["framing"])
    assert agent["roots"] == [
        {"alias": "r0", "path": str(root / ".agents/skills"), "scope": "repo"}
    ]


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"agent": "codex", "system_folder": "none"}, "path-missing"),
        ({"agent": "other"}, "agent-unknown"),
    ],
)
def test_options__that_mean_nothing_are_refused(
    options: dict[str, str], code: str, tmp_path: Path
) -> None:
    root, environment = make(tmp_path, {})

    with pytest.raises(UsageError) as caught:
        show_agent_skills(session(root, environment), options)
    assert caught.value.code == code


def shown(tmp_path: Path, files: dict[str, Any]) -> tuple[list[str], dict[str, Any]]:
    """The text by lines, and the JSON."""
    root, environment = make(tmp_path, files)
    run = CommandLine(cwd=root, home=Path(environment["HOME"]))
    text = run("skills", "list", "--agent", "codex")
    assert text.code == 0, text.talk
    return text.text.splitlines(), run("skills", "list", "--agent", "codex", "-f", "json").json


def test_summary__counts_what_is_not_listed_and_what_is_cut(tmp_path: Path) -> None:
    files = {f".agents/skills/{name}/SKILL.md": skill(name) for name in "ab"}
    lines, _ = shown(tmp_path / "1", {".agents/skills/a/SKILL.md": skill("a")})
    assert any(line.startswith("Nothing is lost. 1 line, ") for line in lines)

    files[".agents/skills/long/SKILL.md"] = skill("long", "d" * 1_025)
    files[".agents/skills/bad/SKILL.md"] = b"# none\n"
    files[".agents/skills/low/skill.md"] = skill("low")
    lines, body = shown(tmp_path / "2", files)

    summary = "2 of 5 skills are not listed, 1 description is cut. 3 lines, "
    assert any(line.startswith(summary) for line in lines)
    assert next(line.split()[0] for line in lines if " skill-description-cut" in line) == "cut"
    rows = {row["name"]: row for row in body["skills"]}
    assert (rows["long"]["state"], rows["long"]["slug"]) == ("listed", "skill-description-cut")
    assert rows["long"]["reason"] == (
        "its description has 1,025 characters: the first 1,021 are listed"
    )
    lines, _ = shown(tmp_path / "3", {".agents/skills/low/Skill.md": skill("low")})
    assert not any("Nothing is lost" in line for line in lines)


def test_name__in_other_letters_has_a_row_and_a_finding(tmp_path: Path) -> None:
    found = report(
        tmp_path,
        {
            ".agents/skills/low/skill.md": skill("low"),
            ".agents/skills/deep/x/Skill.md": skill("x"),
            ".agents/skills/both/SKILL.md": skill("both"),
            ".agents/skills/both/skill.md": skill("other"),
            ".agents/skills/folder/skill.md/x": b"x",
            "docs/skill.md": skill("nobody"),
        },
    )

    assert states(found) == {
        "both": ("listed", None),
        "low": ("rejected", "wrong-case-name"),
        "x": ("rejected", "wrong-case-name"),
    }
    assert [(item.code, item.path) for item in found.findings] == [
        ("ASM108", ".agents/skills/low/skill.md"),
        ("ASM108", ".agents/skills/deep/x/Skill.md"),
    ]


def test_key__that_stands_twice_is_mended_by_no_quotes(tmp_path: Path) -> None:
    twice = b"---\nname: a\nname: b\ndescription: d\n---\n"
    found = report(tmp_path, {".agents/skills/a/SKILL.md": twice})

    assert [(item.code, item.fix) for item in found.findings] == [
        ("ASM202", "delete one of the two lines")
    ]


@pytest.mark.parametrize("mark", ["\t", "\n", "\r"])
def test_path__with_a_break_loses_the_skill_and_one_with_other_odd_characters_does_not(
    tmp_path: Path, mark: str
) -> None:
    text = "---\nname: {}\ndescription: d\n---\n"
    files = {
        f".agents/skills/a{mark}b/SKILL.md": text.format("lost"),
        ".agents/skills/a\x1b\u2028b/SKILL.md": text.format("kept"),
    }
    found = report(tmp_path, files)

    assert [line.partition(":")[0] for line in found.lines] == ["- kept"]
    (lost,) = (skill for skill in found.skills if skill.state == "rejected")
    assert (lost.name, lost.slug) == ("lost", "skill-file-skipped")
    assert "ASM221" in {finding.code for finding in found.findings}
