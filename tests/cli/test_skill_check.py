"""`skills check`: skills beside the specification, as a person, a hook and a pipeline see it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.builders.command_line import CommandLine
from tests.builders.repositories import RepositoryBuilder
from tests.builders.sarif import require_sarif
from tests.builders.trees import FIFO, Link, write_tree

HOME = ".agents/skills"
PROFILE = "schema: assembler/profile/1\n"
ROOTS = f"{PROFILE}skills:\n  roots: [.claude/skills]\n"
COLON = "---\nname: pdf\ndescription: Use when: the input is a PDF\n---\n# PDF\n"


def text(name: str, description: str = "Does it.", more: str = "", body: str = "Body.\n") -> str:
    return f"---\nname: {name}\ndescription: {description}\n{more}---\n\n{body}"


@pytest.fixture
def empty(tmp_path: Path) -> RepositoryBuilder:
    return RepositoryBuilder(tmp_path / "skills-repository")


def command(builder: RepositoryBuilder) -> CommandLine:
    return CommandLine(cwd=builder.root, home=builder.root.parent / "home")


def checked(folder: Path, files: dict[str, Any], *arguments: str) -> Any:
    """The JSON body for a plain folder with these files."""
    write_tree(folder, files)
    run = CommandLine(cwd=folder, home=folder.parent / "home")
    return run("skills", "check", *arguments, "--format", "json").json


def codes(body: Any) -> list[tuple[str, str | None]]:
    return [(finding["code"], finding["path"]) for finding in body["findings"]]


def test_check__says_place_reason_and_the_line_that_mends_it(empty: RepositoryBuilder) -> None:
    empty.write({f"{HOME}/pdf/SKILL.md": COLON, f"{HOME}/ok/SKILL.md": text("ok")}).commit()
    result = command(empty)("skills", "check")

    assert (result.code, result.talk) == (1, "")
    assert result.text == (
        ".agents/skills/pdf/SKILL.md:3:22: warning ASM203 skill-yaml-repaired: "
        'value holds ": " unquoted\n'
        '    fix    description: "Use when: the input is a PDF"\n'
        "2 skills, 1 warning\n"
    )


def test_check__of_nothing_wrong_and_of_nothing_is_one_line(
    assembler: CommandLine, plain: CommandLine
) -> None:
    clean, nothing = assembler("skills", "check"), plain("skills", "check")

    assert (clean.code, clean.text) == (0, "1 skill: no findings\n")
    assert (nothing.code, nothing.text) == (0, "no skills found\n")


def test_json__has_errors_and_properties_of_each_skill(empty: RepositoryBuilder) -> None:
    empty.write(
        {
            f"{HOME}/pdf/SKILL.md": COLON,
            f"{HOME}/ok/SKILL.md": text("Ok", more="metadata:\n  version: 1.10\nversion: 2\n"),
        }
    )
    result = command(empty)("skills", "check", "--format", "json")

    ok, pdf = result.json["skills"]
    assert (result.code, result.json["schema"]) == (1, "assembler/skill-check/1")
    assert (ok["path"], ok["valid"]) == (f"{HOME}/ok/SKILL.md", False)
    assert ok["properties"] == {
        "name": "Ok",
        "description": "Does it.",
        "metadata": {"version": "1.10"},
    }
    assert [(item["kind"], item["line"], item["column"], item["fix"]) for item in ok["errors"]] == [
        ("unexpected_fields", 6, 1, "move it under metadata"),
        ("name_not_lowercase", 2, 7, "name: ok"),
        ("dir_mismatch", 2, 7, "name: ok"),
    ]
    assert pdf["properties"] is None
    assert [(item["kind"], item["line"], item["column"]) for item in pdf["errors"]] == [
        ("invalid_yaml", 3, 22)
    ]
    kinds = [finding["data"]["kind"] for finding in result.json["findings"]]
    assert sorted(kinds) == sorted(
        ["invalid_yaml", "unexpected_fields", "name_not_lowercase", "dir_mismatch"]
    )
    assert result.json["counted"] == {
        "skills": 2, "valid": 0, "errors": 1, "warnings": 3, "notes": 0,
    }  # fmt: skip


@pytest.mark.parametrize("output_format", ["github", "markdown", "sarif"])
def test_formats__are_those_of_check(empty: RepositoryBuilder, output_format: str) -> None:
    empty.write({f"{HOME}/pdf/SKILL.md": COLON})
    result = command(empty)("skills", "check", "--format", output_format)

    assert result.code == 1
    if output_format == "github":
        assert result.text.startswith("::warning file=.agents/skills/pdf/SKILL.md,line=3,col=22,")
        assert result.talk == "1 skill, 1 warning\n"
    elif output_format == "markdown":
        assert result.text.startswith("### assembler skills check: 1 skill, 1 warning\n")
    else:
        (found,) = json.loads(result.text)["runs"][0]["results"]
        assert found["ruleId"] == "ASM203"
        assert require_sarif(json.loads(result.text)) == ["ASM203"]


def test_options__choose_findings_and_what_fails(empty: RepositoryBuilder) -> None:
    empty.write({f"{HOME}/pdf/SKILL.md": COLON, f"{HOME}/no/SKILL.md": "# no\n"})
    run = command(empty)

    assert run("skills", "check", "--ignore", "ASM201", "--fail-on", "error").code == 0
    assert run("skills", "check", "--fail-on", "never").code == 0
    assert run("skills", "check", "--fail-on", "error").code == 1
    only = run("skills", "check", "--select", "skill-no-front-matter")
    assert [line.split()[2] for line in only.text.splitlines()[:1]] == ["ASM201"]
    assert run("skills", "check", "--select", "ASM9").code == 2


@pytest.mark.parametrize("path", ["docs", ".agents/skills/empty", "docs/deep"])
def test_folder__without_the_file_is_a_skill_that_lacks_it(
    empty: RepositoryBuilder, path: str
) -> None:
    empty.write({"docs/deep/notes.md": "n", ".agents/skills/empty/README.md": "x"})
    result = command(empty)("skills", "check", path, "-f", "json")

    (skill,) = result.json["skills"]
    assert (result.code, skill["valid"], skill["path"]) == (1, False, f"{path}/SKILL.md")
    assert [(error["kind"], error["code"]) for error in skill["errors"]] == [
        ("missing_file", "ASM213")
    ]


@pytest.mark.parametrize(
    ("path", "code", "hint"),
    [
        ("nope", "path-missing", "name a path"),
        (f"{HOME}/pdff", "path-missing", f"did you mean {HOME}/pdf?"),
        ("docs/notes.md", "skill-missing", "a skill is a folder with a SKILL.md"),
        (f"{HOME}/pdf/references", "skill-missing", "a skill is a folder with a SKILL.md"),
        ("..", "path-outside", ""),
    ],
)
def test_path__without_a_skill_is_exit_2(
    empty: RepositoryBuilder, path: str, code: str, hint: str
) -> None:
    files = {f"{HOME}/pdf/SKILL.md": text("pdf"), f"{HOME}/pdf/references/a.md": "a"}
    empty.write({**files, "docs/notes.md": "n"})
    result = command(empty)("skills", "check", f"{HOME}/pdf", path)

    assert result.code == 2
    assert f"({code})" in result.talk
    assert hint in result.talk


@pytest.mark.parametrize(
    ("path", "found"),
    [
        (f"{HOME}/pdf", [f"{HOME}/pdf/SKILL.md"]),
        (f"{HOME}/pdf/SKILL.md", [f"{HOME}/pdf/SKILL.md"]),
        (HOME, [f"{HOME}/ok/SKILL.md", f"{HOME}/pdf/SKILL.md"]),
        ("deep", ["deep/1/2/3/4/5/6/7/8/.x/sk/SKILL.md"]),
        ("loose/skill.md", ["loose/skill.md"]),
        (
            ".",
            [
                f"{HOME}/ok/SKILL.md", f"{HOME}/pdf/SKILL.md",
                "deep/1/2/3/4/5/6/7/8/.x/sk/SKILL.md", "loose/skill.md",
            ],
        ),
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["plain", "worktree", "index", "HEAD"])
def test_path__is_a_file_a_folder_or_one_above(
    tmp_path: Path, path: str, found: list[str], kind: str
) -> None:
    builder = RepositoryBuilder(tmp_path / "r", make=kind != "plain")
    builder.write(
        {
            f"{HOME}/pdf/SKILL.md": text("pdf"),
            f"{HOME}/ok/SKILL.md": text("ok"),
            "deep/1/2/3/4/5/6/7/8/.x/sk/SKILL.md": text("sk"),
            "deep/node_modules/x/SKILL.md": "no skill of ours\n",
            "loose/skill.md": text("loose"),
        }
    )
    if kind != "plain":
        builder.commit()
    at = "worktree" if kind == "plain" else kind
    body = command(builder)("skills", "check", path, "--at", at, "-f", "json").json

    assert [skill["path"] for skill in body["skills"]] == found


def test_at__reads_the_index_and_revisions(empty: RepositoryBuilder) -> None:
    empty.write({f"{HOME}/pdf/SKILL.md": text("pdf")}).commit()
    empty.write({f"{HOME}/pdf/SKILL.md": COLON})
    run = command(empty)

    assert run("skills", "check", "--at", "HEAD").code == 0
    assert run("skills", "check", "--at", "index").code == 0
    assert run("skills", "check").code == 1
    empty.git("add", "-A")
    assert run("skills", "check", "--at", "index").code == 1
    assert run("skills", "check", "--at", "nope").code == 2


def test_roots__are_found_at_every_level_and_by_profile(empty: RepositoryBuilder) -> None:
    empty.write(
        {
            f"{HOME}/a/SKILL.md": text("a"),
            f"packages/web/{HOME}/b/SKILL.md": text("b"),
            "packages/web/.claude/skills/c/SKILL.md": text("c"),
            "docs/d/SKILL.md": text("other"),
            ".assembler/profile.yaml": ROOTS,
        }
    )
    body = command(empty)("skills", "check", "-f", "json").json

    assert [skill["properties"]["name"] for skill in body["skills"]] == ["a", "b", "c"]


def test_names__clash_where_an_agent_meets_both(empty: RepositoryBuilder) -> None:
    empty.write(
        {
            f"{HOME}/deploy/SKILL.md": text("deploy"),
            f"{HOME}/lint/SKILL.md": text("lint"),
            f"packages/web/{HOME}/deploy/SKILL.md": text("deploy", "Web."),
            f"packages/api/{HOME}/deploy/SKILL.md": text("deploy", "Api."),
            f"packages/api/{HOME}/lint/SKILL.md": text("lint"),
        }
    )
    body = command(empty)("skills", "check", "-f", "json").json

    assert codes(body) == [("ASM207", f"{HOME}/deploy/SKILL.md")]
    assert all(skill["valid"] for skill in body["skills"])


def test_links__make_one_skill_of_one_real_file(empty: RepositoryBuilder) -> None:
    empty.write({"skills/alpha/SKILL.md": text("alpha")})
    empty.link({HOME: "../skills", ".claude/skills": "../skills"})
    empty.write({".assembler/profile.yaml": ROOTS}).commit()
    run = command(empty)

    for arguments in ((), ("--at", "index"), ("--at", "HEAD"), (".",), (".claude/skills",)):
        result = run("skills", "check", *arguments)
        assert (result.code, result.text) == (0, "1 skill: no findings\n"), arguments


def test_link__that_names_a_skill_otherwise_is_told(tmp_path: Path) -> None:
    files = {f"{HOME}/ok/SKILL.md": text("ok"), "elsewhere/alias": Link(f"../{HOME}/ok")}
    body = checked(tmp_path / "p", files, "elsewhere/alias")

    assert codes(body) == [("ASM205", "elsewhere/alias/SKILL.md")]


def test_things__that_are_no_file_are_findings_and_never_opened(tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text(text("secret", "SENTINEL"))
    body = checked(
        tmp_path / "p",
        {
            f"{HOME}/folder/SKILL.md/x": "x",
            f"{HOME}/fifo/SKILL.md": FIFO,
            f"{HOME}/out/SKILL.md": Link("../../../../secret.md"),
            f"{HOME}/dead/SKILL.md": Link("nowhere.md"),
            f"{HOME}/loop/SKILL.md": Link("SKILL.md"),
            f"{HOME}/case/Skill.md": text("case"),
            f"{HOME}/etc": Link("/etc"),
        },
    )

    kinds = {skill["path"].split("/")[2]: skill["errors"][0]["kind"] for skill in body["skills"]}
    assert kinds == {
        "case": "missing_file", "dead": "missing_file", "fifo": "missing_file",
        "folder": "missing_file", "loop": "missing_file", "out": "unreadable",
    }  # fmt: skip
    assert [code for code, _ in codes(body)].count("ASM213") == 6
    assert "SENTINEL" not in json.dumps(body)


def test_device__at_a_path_of_its_own_is_told(tmp_path: Path) -> None:
    for name in ("fifo", "folder"):
        body = checked(
            tmp_path / name,
            {"s/SKILL.md": FIFO} if name == "fifo" else {"s/SKILL.md/x": "x"},
            "s",
        )
        assert codes(body) == [("ASM213", "s/SKILL.md")]
        again = checked(tmp_path / name, {}, "s/SKILL.md")
        assert codes(again) == [("ASM213", "s/SKILL.md")]


def test_nested__is_a_note_until_it_is_asked_for(tmp_path: Path) -> None:
    files = {"s/out/SKILL.md": text("out"), "s/out/examples/in/SKILL.md": "# none\n"}
    folder = tmp_path / "p"

    for asked in ("s", "s/out", "."):
        body = checked(folder, files, asked)
        assert codes(body) == [("ASM214", "s/out/examples/in/SKILL.md")], asked
        assert [skill["path"] for skill in body["skills"]] == ["s/out/SKILL.md"]
        files = {}
    assert codes(checked(folder, {}, "s/out/examples/in")) == [
        ("ASM201", "s/out/examples/in/SKILL.md")
    ]


def test_root__that_is_a_skill_is_compared_with_its_folder(tmp_path: Path) -> None:
    assert codes(checked(tmp_path / "pdf", {"SKILL.md": text("pdf")}, ".")) == []
    assert codes(checked(tmp_path / "other", {"SKILL.md": text("pdf")}, "SKILL.md")) == [
        ("ASM205", "SKILL.md")
    ]


def test_denied__skill_is_never_opened(empty: RepositoryBuilder) -> None:
    empty.write(
        {
            f"{HOME}/pdf/SKILL.md": text("pdf", "SENTINEL"),
            ".assembler/profile.yaml": f"{PROFILE}read:\n  deny: ['{HOME}/pdf/**']\n",
        }
    )
    result = command(empty)("skills", "check", "-f", "json")

    assert codes(result.json) == [("ASM213", f"{HOME}/pdf/SKILL.md")]
    assert "SENTINEL" not in result.text


def test_findings__of_our_own_are_no_errors(tmp_path: Path) -> None:
    body = checked(
        tmp_path / "p",
        {
            f"{HOME}/escape/SKILL.md": text("escape", '"a\\x1b[31m\\u202eb"'),
            f"{HOME}/\u0441ode/SKILL.md": text("\u0441ode"),
            f"{HOME}/m\u0438x/SKILL.md": text("m\u0438x"),
            f"{HOME}/技能/SKILL.md": text("技能"),
            f"{HOME}/refs/SKILL.md": text("refs", body="[a](../../x.md)\n"),
            f"{HOME}/tags/SKILL.md": text("tags", body="a\U000e0041b\n"),
        },
    )

    assert all(skill["valid"] for skill in body["skills"])
    assert {(code, str(path).split("/")[2]) for code, path in codes(body)} == {
        ("ASM601", "escape"), ("ASM231", "\u0441ode"), ("ASM231", "m\u0438x"),
        ("ASM209", "refs"), ("ASM601", "tags"),
    }  # fmt: skip
    escape = next(skill for skill in body["skills"] if "escape" in skill["path"])
    assert escape["properties"]["description"] == "a\x1b[31m\u202eb"


def test_text__shows_nothing_raw(tmp_path: Path) -> None:
    write_tree(
        tmp_path / "p",
        {
            f"{HOME}/x\x1b[31m/SKILL.md": text('"\\x1b\\u202e"', '"\\x1b[31m"', "\u202ex: y\n"),
            f"{HOME}/bad/SKILL.md": '---\nname: bad\ndescription: @\u202e"x\n---\n',
        },
    )
    run = CommandLine(cwd=tmp_path / "p", home=tmp_path / "home")
    for output_format in ("text", "github", "markdown"):
        shown = run("skills", "check", "-f", output_format).text
        assert "\x1b" not in shown
        assert "\u202e" not in shown


def test_repository__inside_is_not_looked_into(empty: RepositoryBuilder) -> None:
    RepositoryBuilder(empty.root / "inner").write({f"{HOME}/x/SKILL.md": "# no\n"}).commit()
    run = command(empty)

    assert run("skills", "check").text == "no skills found\n"
    assert run("skills", "check", f"inner/{HOME}/x").code == 2


def test_name__that_is_not_utf8_is_never_called_clean(empty: RepositoryBuilder) -> None:
    folder = os.path.join(os.fsencode(empty.root), b".agents/skills/caf\xe9")  # noqa: PTH118
    os.makedirs(folder)  # noqa: PTH103
    Path(os.fsdecode(folder), "SKILL.md").write_text("# no\n")

    result = command(empty)("skills", "check")

    assert result.code == 2
    assert "(path-not-utf8)" in result.talk
