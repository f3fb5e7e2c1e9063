"""What an agent would see differently between two places in time of one repository."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assembler.front.differing import compare_places
from tests.builders.command_line import CommandLine
from tests.builders.repositories import RepositoryBuilder
from tests.builders.secrets import make_tokens

LIMIT = 32_768


@pytest.fixture
def empty(tmp_path: Path) -> RepositoryBuilder:
    return RepositoryBuilder(tmp_path / "repository")


@pytest.fixture
def assembler(empty: RepositoryBuilder, tmp_path: Path) -> CommandLine:
    return CommandLine(cwd=empty.root, home=tmp_path / "home")


def skill(name: str, words: str, body: str = "do it\n") -> str:
    return f"---\nname: {name}\ndescription: {words}\n---\n{body}"


def diff(assembler: CommandLine, *words: str) -> Any:
    result = assembler("diff", *words, "-f", "json")
    assert result.code == 0, result.talk
    return result.json


def told(body: Any) -> list[tuple[str, str]]:
    return [(change["what"], change["id"]) for change in body["changes"]]


def test_leaf_that_no_longer_fits__is_lost_with_its_headings_and_tokens(
    empty: RepositoryBuilder, assembler: CommandLine
) -> None:
    """The root has room for all of the leaf; one line more, and nothing is left for it."""
    leaf = "# Parser\n\n## Escapes\n\nKeep them.\n"
    line = "- one more rule that everybody keeps\n"
    size = LIMIT - len(line)
    empty.write({"AGENTS.md": "x" * (size - 1) + "\n", "packages/parser/AGENTS.md": leaf})
    empty.write({"packages/parser/AGENTS.md": leaf[: len(line)].ljust(len(line), "\n")})
    old = empty.commit()
    empty.write({"AGENTS.md": "x" * (size - 1) + "\n" + line})
    new = empty.commit()
    body = diff(assembler, f"{old}..{new}")
    lost = next(change for change in body["changes"] if change["id"].startswith("packages/"))
    assert (lost["what"], lost["folders"]) == ("moved", ["packages/parser"])
    assert (lost["from"]["state"], lost["to"]["state"]) == ("in", "lost")
    assert lost["to"]["headings_lost"] == ["# Parser", "## Escapes"]
    text = assembler("diff", f"{old}..{new}").text
    tokens = lost["from"]["tokens"]
    assert tokens > 5
    assert f"in -> lost, {tokens} tokens gone" in text
    assert 'lost "# Parser", "## Escapes"' in text
    assert "1 item no longer loads" in text
    assert "ASM102" in text
    assert [finding["code"] for finding in body["findings_new"]] == ["ASM102"]


def test_leaf_that_fits_exactly__is_in(empty: RepositoryBuilder, assembler: CommandLine) -> None:
    leaf = "# Leaf\n"
    empty.write({"AGENTS.md": "x" * (LIMIT - len(leaf)), "p/AGENTS.md": leaf})
    empty.commit()
    empty.write({"AGENTS.md": "x" * (LIMIT - len(leaf) + 1)})
    empty.commit()
    body = diff(assembler, "HEAD~1..HEAD")
    assert [(c["id"], c["from"]["state"], c["to"]["state"]) for c in body["changes"]] == [
        ("AGENTS.md", "in", "in"),
        ("p/AGENTS.md", "in", "cut"),
    ]


@pytest.mark.parametrize("words", [("HEAD..HEAD",), ("HEAD", "HEAD"), ("HEAD",), (), ("HEAD..",)])
def test_same_place__is_empty(
    empty: RepositoryBuilder, assembler: CommandLine, words: tuple[str, ...]
) -> None:
    empty.write({"AGENTS.md": "# Rules\n", ".agents/skills/a/SKILL.md": skill("a", "does a")})
    empty.commit()
    result = assembler("diff", *words, "--exit-code")
    assert (result.code, result.text) == (0, "")
    assert "an agent would see the same" in result.talk
    body = diff(assembler, *words)
    assert (body["verdict"], body["changes"], body["findings_new"]) == ("identical", [], [])
    assert all(folder["tokens"] == 0 for folder in body["folders"])
    assert "nothing that an agent sees differs" in assembler("diff", *words, "-f", "markdown").text


def test_worktree_and_index__are_sides_as_revisions_are(
    empty: RepositoryBuilder, assembler: CommandLine
) -> None:
    empty.write({"AGENTS.md": "one\n"}).commit()
    empty.write({"AGENTS.md": "two\n"})
    empty.git("add", "-A")
    empty.write({"AGENTS.md": "three\n", "p/AGENTS.md": "new\n"})
    for words, changes in (
        (("HEAD", "index"), [("content", "AGENTS.md")]),
        (("index..worktree",), [("content", "AGENTS.md"), ("added", "p/AGENTS.md")]),
        ((), [("content", "AGENTS.md"), ("added", "p/AGENTS.md")]),
    ):
        assert told(diff(assembler, *words)) == changes
    assert assembler("diff", "--exit-code").code == 1
    text = assembler("diff", "index", "worktree").text
    assert "index -> worktree" in text
    assert "@@ AGENTS.md -1,1 +1,1 @@\n-two\n+three\n" in text


def test_every_kind_of_change_is_told(empty: RepositoryBuilder, assembler: CommandLine) -> None:
    empty.write(
        {
            "AGENTS.md": "# Root\n",
            "web/AGENTS.md": "# Web\nuse it\n",
            "old/AGENTS.md": "# Old\n",
            ".agents/skills/rel/SKILL.md": skill("rel", "releases"),
            ".agents/skills/rel/run.sh": "echo 1\n",
            ".agents/skills/gone/SKILL.md": skill("gone", "goes"),
            "web/.agents/skills/css/SKILL.md": skill("css", "styles"),
        }
    ).commit()
    empty.git("rm", "-rq", "old", ".agents/skills/gone")
    empty.write(
        {
            "web/AGENTS.override.md": "\n",
            ".agents/skills/rel/SKILL.md": skill("rel", "releases well", "do it twice\n"),
            ".agents/skills/rel/run.sh": "echo 2\n",
            ".agents/skills/rel/notes.md": "n\n",
            "web/.agents/skills/rel/SKILL.md": skill("rel", "releases the web"),
            ".assembler/profile.yaml": "schema: assembler/profile/1\nwindow: 200000\n"
            "reserve: {response: 9000}\n",
        }
    ).commit()
    result = assembler("diff", "HEAD~1..HEAD", "--no-text")
    assert result.code == 0, result.talk
    rows = [re.sub(r"  +", "  ", line) for line in result.text.splitlines()]
    for wanted in (
        "  D  old/AGENTS.md  3 tokens gone",
        "  M  web/AGENTS.md  in -> hidden, 6 tokens gone: behind AGENTS.override.md",
        "  A  web/AGENTS.override.md  blank: only white space  ASM103",
        "  M  profile: window  128,000 -> 200,000",
        "  M  profile: reserve.response  8,192 -> 9,000",
        "  M  profile: reserve.observations  4,096 -> 0",
    ):
        assert wanted in rows
    assert any(re.fullmatch(r"  D  skill:gone  \d tokens gone", row) for row in rows)
    root, web = [row for row in rows if row.startswith("  M  skill:rel  line ")]
    assert root.endswith(", +notes.md, run.sh in . and 1 other  ASM207")
    assert web.endswith(", -run.sh, now web/.agents/skills/rel/SKILL.md in web")
    body = diff(assembler, "HEAD~1..HEAD")
    by_folder = {folder["folder"]: folder for folder in body["folders"]}
    assert by_folder["web"]["lost"] == 2  # gone, and its own AGENTS.md
    assert by_folder["web"]["to"]["skills"] > by_folder["."]["to"]["skills"]
    assert {setting["name"] for setting in body["settings"]} == {
        "window",
        "reserve.response",
        "reserve.observations",
    }


def test_tools__are_told_by_definition_and_those_that_stay_too(
    empty: RepositoryBuilder, assembler: CommandLine
) -> None:
    def tool(name: str, words: str) -> dict[str, Any]:
        return {"name": name, "description": words, "inputSchema": {"type": "object"}}

    profile = "schema: assembler/profile/1\ntools: {resident: [read, write, run]}\n"
    tools = [tool("read", "reads"), tool("write", "writes"), tool("run", "runs")]
    empty.write({".assembler/profile.yaml": profile})
    empty.write({".assembler/tools.json": json.dumps(tools)}).commit()
    tools[1] = tool("write", "writes\nand says so")
    empty.write({".assembler/tools.json": json.dumps(tools)}).commit()
    body = diff(assembler, "HEAD~1..HEAD")
    assert told(body) == [("content", "tool:write")]
    assert body["verdict"] == "same selection, other content"
    text = assembler("diff", "HEAD~1..HEAD").text
    assert "  =  resident tools  2 tools, " in re.sub(r"  +", "  ", text)
    assert '- "description": "writes",\n+ "description": "writes\\nand says so",' in text


def test_objects_of_git_are_all_that_is_read(
    empty: RepositoryBuilder, assembler: CommandLine
) -> None:
    """No file of the worktree, nothing on record, three processes."""
    empty.write({"AGENTS.md": "one\n", "p/AGENTS.md": "p\n"}).commit()
    empty.write({"AGENTS.md": "two\n"}).commit()
    with_files = assembler("diff", "HEAD~1..HEAD").text
    for path in empty.root.iterdir():
        if path.name != ".git":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert assembler("diff", "HEAD~1..HEAD").text == with_files
    assert [path.name for path in empty.root.iterdir()] == [".git"]
    assert not (assembler.home / ".local").exists()
    for words in (("HEAD~1", "HEAD"), ("HEAD", "worktree"), ("index", "HEAD")):
        pair = compare_places(empty.root, *words, environment={"HOME": str(assembler.home)})
        assert pair.git_processes <= 4


def test_secret__is_not_shown_in_any_form(empty: RepositoryBuilder, assembler: CommandLine) -> None:
    tokens = make_tokens(3)
    secret = tokens["github-token"][0]
    empty.write({"AGENTS.md": "# Rules\nsay hello\n"}).commit()
    empty.write({"AGENTS.md": f"# Rules\nsay hello\nuse {secret}\nand keep it\n"}).commit()
    for form in ("text", "json", "markdown"):
        result = assembler("diff", "HEAD~1..HEAD", "-f", form)
        assert secret not in result.text
        assert "and keep it" not in result.text
        assert "ASM602" in result.text
    assert "not shown" in assembler("diff", "HEAD~1..HEAD").text


def test_packages__differ_as_the_revisions_do_that_they_came_from(
    empty: RepositoryBuilder, assembler: CommandLine, tmp_path: Path
) -> None:
    empty.write(
        {
            "AGENTS.md": "# Root\n",
            "p/AGENTS.md": "# P\n",
            "p/x.py": "x = 1\n",
            ".agents/skills/a/SKILL.md": skill("a", "does a"),
        }
    ).commit()
    empty.write({"AGENTS.md": "# Root\nmore\n", "p/x.py": "x = 2\n", "p/y.py": "y\n"}).commit()
    asked = ("-t", "p/x.py", "-m", "repair x")
    for name, revision in (("one", "HEAD~1"), ("two", "HEAD")):
        folder = str(tmp_path / name)
        made = assembler("assemble", *asked, "--at", revision, "--out", folder)
        assert made.code == 0, made.talk
    runs = len(assembler("log", "-f", "json").json["runs"])
    packages = diff(assembler, str(tmp_path / "one"), str(tmp_path / "two"))
    revisions = diff(assembler, "HEAD~1..HEAD", *asked)
    for body in (packages, revisions):
        del body["from"], body["to"]
    assert packages == revisions
    assert ("content", "policy:AGENTS.md") in told(revisions)
    assert ("content", "file:p/x.py") in told(revisions)
    text = assembler("diff", "HEAD~1..HEAD", *asked).text
    assert "@@ file:p/x.py -1,1 +1,1 @@\n-x = 1\n+x = 2\n" in text
    assert (
        text.partition("\n\n")[2]
        == (
            assembler("diff", str(tmp_path / "one"), str(tmp_path / "two")).text.partition("\n\n")[
                2
            ]
        )
    )
    # A comparison is no run.
    assert len(assembler("log", "-f", "json").json["runs"]) == runs
    assert assembler("diff", "HEAD..HEAD", *asked, "--exit-code").code == 0


def test_side_that_is_refused__is_what_differs(
    empty: RepositoryBuilder, assembler: CommandLine
) -> None:
    empty.write({"AGENTS.md": "x" * LIMIT, "p/x.py": "x\n"}).commit()
    empty.write({"AGENTS.md": "x" * (LIMIT + 1)}).commit()
    result = assembler("diff", "HEAD~1..HEAD", "-t", "p/x.py", "--exit-code")
    assert result.code == 1
    assert "one of them is refused" in result.text
    assert "HEAD~1: makes an input" in result.text
    assert "HEAD: refused: " in result.text
    body = diff(assembler, "HEAD~1..HEAD", "-t", "p/x.py")
    assert body["from"]["refusal"] is None
    assert body["to"]["refusal"]["code"]
    assert diff(assembler, "HEAD..HEAD", "-t", "p/x.py")["verdict"] == "refused alike"


def test_comment__is_bounded_and_nobodys_markup(
    empty: RepositoryBuilder, assembler: CommandLine
) -> None:
    profile = "schema: assembler/profile/1\ninstructions: {limit_bytes: 1000000}\n"
    empty.write({"AGENTS.md": "# Root\n", ".assembler/profile.yaml": profile}).commit()
    evil = "````\n</details>\n@everyone [x](http://evil.example) <img src=x>\n| a | b |\n"
    empty.write({"AGENTS.md": "# Root\n" + evil + "line of text\n" * 9_000})
    empty.write({f"d{n}/AGENTS.md": f"# {n} @team `x` | [y](z)\n" for n in range(30)})
    empty.write({"a|b`@c/AGENTS.md": "odd\n"}).commit()
    comment = assembler("diff", "HEAD~1..HEAD", "-f", "markdown").text
    assert comment.startswith("<!-- assembler-diff -->\n### assembler diff: ")
    assert len(comment) <= 60_000
    assert re.search(r"[\d,]+ more lines \([\d,]+ characters\) are left off", comment)
    outside, fence, inside = comment.partition("`````diff\n")
    assert fence
    body, end, _ = inside.partition("\n`````\n")
    assert end
    assert "</details>" in body
    # Outside the fence everything of the repository stands in code spans.
    plain = re.sub(r"(`+) ?.*? ?\1(?!`)", "", outside)
    assert "@" not in plain
    assert "](" not in plain
    many = "".join(f"- {n}\n" for n in range(3))
    empty.write({f"e{n:04}/AGENTS.md": many for n in range(1_500)}).commit()
    comment = assembler("diff", "HEAD~1..HEAD", "-f", "markdown").text
    assert len(comment) <= 60_000
    assert "more changes are left off" in comment


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("nosuch..HEAD",), "revision-missing"),
        (("HEAD..nosuch",), "revision-missing"),
        (("main...HEAD",), "range-unknown"),
        (("a..b..c",), "range-unknown"),
        (("a", "b", "c"), "range-unknown"),
        (("last", "HEAD"), "range-unknown"),
        (("1", "2", "-t", "x"), "options-exclude"),
        (("--inputs",), ""),
    ],
)
def test_words_that_name_nothing__are_refused(
    empty: RepositoryBuilder, assembler: CommandLine, words: tuple[str, ...], code: str
) -> None:
    empty.write({"AGENTS.md": "x\n"}).commit()
    result = assembler("diff", *words)
    assert (result.code, result.text) == (2, "")
    assert code in result.talk


def test_side_that_cannot_be_looked_at__is_named(
    empty: RepositoryBuilder, assembler: CommandLine
) -> None:
    empty.write({"AGENTS.md": "x\n", ".assembler/profile.yaml": "schema: [\n"}).commit()
    empty.write({".assembler/profile.yaml": "schema: assembler/profile/1\n"}).commit()
    result = assembler("diff", "HEAD~1..HEAD")
    assert result.code == 2
    assert "(at HEAD~1)" in result.talk


def test_folder_without_git__has_no_revisions(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    result = CommandLine(cwd=tmp_path / "plain", home=tmp_path / "home")("diff")
    assert result.code == 2
    assert "(not-a-repository)" in result.talk


NAMES = st.sampled_from(["AGENTS.md", "AGENTS.override.md"])
FOLDERS = st.sampled_from(["", "a/", "a/b/", "c/"])
WORDS = st.sampled_from(["", "\n", "# One\n", "# Two\nmore\n", "x" * 20_000, "y\n" * 9_000])
TREES = st.dictionaries(st.tuples(FOLDERS, NAMES), WORDS, max_size=5)
SKILLS = st.dictionaries(
    st.tuples(FOLDERS, st.sampled_from(["s", "t"])), st.sampled_from(["one", "two"]), max_size=3
)


@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(TREES, TREES, SKILLS, SKILLS)
def test_comparison_turned_round__is_its_own_mirror(
    tmp_path_factory: pytest.TempPathFactory, one: Any, other: Any, skills: Any, others: Any
) -> None:
    root = tmp_path_factory.mktemp("mirror")
    builder = RepositoryBuilder(root / "r")
    for files, chosen in ((one, skills), (other, others)):
        builder.git("rm", "-rqf", "--ignore-unmatch", ".")
        builder.write({f"{folder}{name}": text for (folder, name), text in files.items()})
        builder.write(
            {
                f"{folder}.agents/skills/{name}/SKILL.md": skill(name, words)
                for (folder, name), words in chosen.items()
            }
        )
        builder.write({"keep.txt": "k\n"})
        builder.git("commit", "-q", "--allow-empty", "-m", "x")
        builder.git("add", "-A")
        builder.git("commit", "-q", "--allow-empty", "-m", "tree")
    assembler = CommandLine(cwd=builder.root, home=root / "home")
    there = diff(assembler, "HEAD~2..HEAD")
    back = diff(assembler, "HEAD..HEAD~2")
    turned = {"added": "removed", "removed": "added"}
    assert there["verdict"] == back["verdict"]
    assert (there["from"]["revision"], there["to"]["revision"]) == (
        back["to"]["revision"],
        back["from"]["revision"],
    )
    assert [
        {**change, "what": turned.get(change["what"], change["what"]), "from": change["to"],
         "to": change["from"]}
        for change in there["changes"]
    ] == back["changes"]  # fmt: skip
    assert (there["findings_new"], there["findings_fixed"]) == (
        back["findings_fixed"],
        back["findings_new"],
    )
    assert [
        {**folder, "from": folder["to"], "to": folder["from"], "tokens": -folder["tokens"],
         "lost": folder["gained"], "gained": folder["lost"]}
        for folder in there["folders"]
    ] == back["folders"]  # fmt: skip
    assert [
        {**text, "added": text["removed"], "removed": text["added"]} for text in there["texts"]
    ] == back["texts"]
