"""Skills: where they are looked for, which are listed, and what is said of the others."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from assembler.adapters.frontmatter import read_front_matter
from assembler.discover.skill_search import find_skills
from assembler.discover.skills import build_skills, skill_roots
from assembler.model.skill import (
    Skill,
    SkillSearch,
    catalog_line,
    folder_sha256,
    named_skills,
    split_tools,
)
from assembler.model.tree import Entry, EntryKind, Listing, Unreadable
from tests.builders.found_skills import HOME, load, skills_of, text
from tests.builders.trees import FIFO, Link, write_tree


def listed(skills: list[Skill]) -> list[str | None]:
    return [skill.name for skill in skills if skill.state == "listed"]


def codes(skills: list[Skill]) -> list[str]:
    return [finding.code for skill in skills for finding in skill.findings]


def test_roots__are_nearest_first_and_in_their_order() -> None:
    assert skill_roots("a/b", roots=(".agents/skills", "skills")) == (
        ("a/b", "a/b/.agents/skills"),
        ("a/b", "a/b/skills"),
        ("a", "a/.agents/skills"),
        ("a", "a/skills"),
        ("", ".agents/skills"),
        ("", "skills"),
    )


def test_skill__has_everything_of_its_levels(tmp_path: Path) -> None:
    source = text("pdf", "Reads\n  PDF files.", "Body.\n")
    files = {f"{HOME}/pdf/SKILL.md": source, f"{HOME}/pdf/references/a.md": "ref", ".git/HEAD": ""}
    (skill,) = skills_of(tmp_path, files)

    assert (skill.state, skill.slug, skill.findings) == ("listed", None, ())
    assert (skill.folder, skill.scope, skill.root) == (f"{HOME}/pdf", "", HOME)
    assert skill.description == "Reads PDF files."
    assert skill.instructions_sha256 == hashlib.sha256(source.encode()).hexdigest()
    inner = source.partition("---\n")[2].partition("---\n")[0]
    assert skill.front_matter_sha256 == hashlib.sha256(inner.encode()).hexdigest()
    assert [entry.path for entry in skill.files] == [
        f"{HOME}/pdf/SKILL.md",
        f"{HOME}/pdf/references/a.md",
    ]
    assert catalog_line("pdf", "Reads\n  PDF files.") == "pdf: Reads PDF files."


def test_search__opens_nothing_and_asks_twice() -> None:
    class Recorder:
        at, revision = "worktree", None

        def __init__(self) -> None:
            self.calls: list[str] = []

        def look_up(self, paths: Any) -> dict[str, Entry]:
            self.calls.append("look_up")
            return {
                path: Entry(path=path, kind=EntryKind.DIRECTORY, real_path=path) for path in paths
            }

        def list_under(self, folders: Any, *, max_depth: int, max_entries: int) -> Listing:
            self.calls.append("list_under")
            path = f"{HOME}/a/SKILL.md"
            return Listing(entries=(Entry(path=path, kind=EntryKind.FILE, real_path=path),))

        def list_files(self) -> Listing:
            raise AssertionError("not asked here")

        def read(self, files: Any, *, limit_bytes: int) -> Any:
            raise AssertionError("nothing is opened here")

    tree = Recorder()
    search = find_skills(tree, skill_roots(""))

    assert [folder.path for folder in search.folders] == [f"{HOME}/a"]
    assert tree.calls == ["list_under", "look_up"]


def test_listed__are_sorted_by_name_whatever_the_folder(tmp_path: Path) -> None:
    files = {f"{HOME}/{folder}/SKILL.md": text(name) for folder, name in
             [("z", "alpha"), ("a", "zeta"), ("m", "beta-2"), ("n", "beta")]}  # fmt: skip

    assert listed(skills_of(tmp_path, files)) == ["alpha", "beta", "beta-2", "zeta"]


def test_walk__looks_at_each_level_and_never_aside(tmp_path: Path) -> None:
    files = {
        f"{HOME}/one/SKILL.md": text("one"),
        f"a/{HOME}/two/SKILL.md": text("two"),
        f"a/b/{HOME}/three/SKILL.md": text("three"),
        f"x/{HOME}/four/SKILL.md": text("four"),
    }

    assert listed(skills_of(tmp_path, files, "a")) == ["one", "two"]


def test_same_name__the_nearer_one_wins_and_the_other_is_told(tmp_path: Path) -> None:
    files = {
        f"{HOME}/deploy/SKILL.md": text("deploy", "Of the root."),
        f"a/{HOME}/deploy/SKILL.md": text("deploy", "Of a."),
    }
    near, far = skills_of(tmp_path, files, "a")

    assert (near.state, near.scope, near.findings) == ("listed", "a", ())
    assert (far.state, far.slug, far.where) == ("shadowed", "skill-name-taken", near.path)
    assert codes([far]) == ["ASM207"]


def test_same_name_and_bytes__fold_without_a_finding(tmp_path: Path) -> None:
    files = {f"{HOME}/x/SKILL.md": text("x"), f"a/{HOME}/x/SKILL.md": text("x")}
    near, far = skills_of(tmp_path, files, "a")

    assert (near.scope, far.state, far.slug) == ("a", "shadowed", "skill-name-taken")
    assert codes([near, far]) == []


@pytest.mark.parametrize(
    ("content", "slug", "code"),
    [
        ("# No head\n", "skill-no-front-matter", "ASM201"),
        (b"", "skill-no-front-matter", "ASM201"),
        ('---\nname: "x\n---\n', "skill-yaml", "ASM202"),
        (b"---\nname: x\ndescription: y\n---\n\xff", "skill-unreadable", "ASM213"),
        ("---\ndescription: y\n---\n", "skill-name", "ASM204"),
        (text("X"), "skill-name", "ASM204"),
        (text("a--b"), "skill-name", "ASM204"),
        (text("-a"), "skill-name", "ASM204"),
        (text("\u0430b c"), "skill-name", "ASM204"),
        (text("x\u202e"), "skill-name", "ASM204"),
        (text("x" * 65), "skill-name", "ASM204"),
        (text("[a]"), "skill-name", "ASM204"),
        ("---\nname: x\n---\n", "skill-description", "ASM206"),
        (text("x", "''"), "skill-description", "ASM206"),
        (text("x", "' '"), "skill-description", "ASM206"),
        (text("x", "[a]"), "skill-description", "ASM206"),
        (text("x", "é" * 1025), "skill-description", "ASM206"),
        (text("x", '"a\\x1b[31m"'), "hidden-characters", "ASM601"),
        (text("x", "d", "a\u202eb"), "hidden-characters", "ASM601"),
    ],
)
def test_rejected__has_the_slug_of_its_finding(
    tmp_path: Path, content: Any, slug: str, code: str
) -> None:
    (skill,) = skills_of(tmp_path, {f"{HOME}/x/SKILL.md": content})

    assert (skill.state, skill.slug) == ("rejected", slug)
    assert code in codes([skill])
    assert skill.where is not None
    assert skill.where.startswith(f"{HOME}/x/SKILL.md")


@pytest.mark.parametrize("name", ["x", "x" * 64, "a-1", "007"])
def test_name__of_the_format_is_listed(tmp_path: Path, name: str) -> None:
    files = {f"{HOME}/{name}/SKILL.md": text(name, "é" * 1024)}
    (skill,) = skills_of(tmp_path, files)

    assert (skill.state, skill.findings) == ("listed", ())


def test_place__is_line_and_column_of_the_member(tmp_path: Path) -> None:
    (skill,) = skills_of(tmp_path, {f"{HOME}/x/SKILL.md": "---\nname: x\nlicense: MIT\n---\n"})
    (other,) = skills_of(tmp_path / "b", {f"{HOME}/x/SKILL.md": "---\nlicense: M\nname: X\n---\n"})

    assert skill.where == f"{HOME}/x/SKILL.md:1:1"
    assert other.where == f"{HOME}/x/SKILL.md:3:7"


@pytest.mark.parametrize(
    ("head", "code"),
    [
        ("name: y\ndescription: d", "ASM205"),
        ("name: x\ndescription: use: d", "ASM203"),
        ("name: x\ndescription: d\nversion: 1.0", "ASM215"),
        ("name: x\ndescription: d\nmetadata: {a: {b: c}}", "ASM215"),
        ("name: x\ndescription: d\ncompatibility: ''", "ASM215"),
        (f"name: x\ndescription: d\ncompatibility: {'c' * 501}", "ASM215"),
    ],
)
def test_warning__lists_the_skill_all_the_same(tmp_path: Path, head: str, code: str) -> None:
    (skill,) = skills_of(tmp_path, {f"{HOME}/x/SKILL.md": f"---\n{head}\n---\n"})

    assert (skill.state, codes([skill])) == ("listed", [code])
    assert skill.findings[0].severity == "warning"


def test_length__is_a_note_from_line_501(tmp_path: Path) -> None:
    long = {f"{HOME}/x/SKILL.md": text("x", body="l\n" * 495)}
    longer = {f"{HOME}/x/SKILL.md": text("x", body="l\n" * 496)}

    assert codes(skills_of(tmp_path / "a", long)) == []
    assert codes(skills_of(tmp_path / "b", longer)) == ["ASM208"]


def test_nested__is_a_file_of_the_outer_skill(tmp_path: Path) -> None:
    files = {
        f"{HOME}/group/one/SKILL.md": text("one"),
        f"{HOME}/two/SKILL.md": text("two"),
        f"{HOME}/two/A/SKILL.md": text("inner"),
    }
    skills = skills_of(tmp_path, files)

    assert listed(skills) == ["one", "two"]
    assert (skills[2].state, skills[2].slug) == ("rejected", "skill-nested")
    assert skills[1].resource("A/SKILL.md") is not None


def test_nested__is_no_skill_beside_a_file_in_the_skills_folder_itself(tmp_path: Path) -> None:
    files = {"skills/SKILL.md": text("skills"), "skills/one/SKILL.md": text("one")}

    assert listed(skills_of(tmp_path, files, roots=("skills",))) == ["one", "skills"]


def test_scan__passes_over_hidden_folders_and_node_modules(tmp_path: Path) -> None:
    files = {
        f"{HOME}/.hidden/x/SKILL.md": text("x"),
        f"{HOME}/node_modules/y/SKILL.md": text("y"),
        f"{HOME}/z/SKILL.md": text("z"),
        f"{HOME}/z/.data/notes.md": "kept",
    }
    (skill,) = skills_of(tmp_path, files)

    assert skill.name == "z"
    assert skill.resource(".data/notes.md") is not None


def test_scan__that_reaches_its_bound_says_so(tmp_path: Path) -> None:
    deep = "/".join("abcdefgh")
    search = find_skills(
        write_tree(tmp_path, {f"{HOME}/{deep}/SKILL.md": text("h")}), skill_roots("")
    )

    assert search.folders == ()
    assert [finding.code for finding in search.findings] == ["ASM216"]


def test_wrong_case__is_turned_away_unless_the_right_name_is_there(tmp_path: Path) -> None:
    files = {
        f"{HOME}/a/skill.md": text("a"),
        f"{HOME}/b/SKILL.md": text("b"),
        f"{HOME}/b/Skill.md": text("b"),
    }
    skills = skills_of(tmp_path, files)

    assert listed(skills) == ["b"]
    assert [(skill.path, skill.slug) for skill in skills if skill.state == "rejected"] == [
        (f"{HOME}/a/skill.md", "wrong-case-name")
    ]


def test_linked_root__is_followed_and_its_skills_are_found_once(tmp_path: Path) -> None:
    files = {
        "skills/alpha/SKILL.md": text("alpha"),
        "skills/alpha/references/a.md": "ref",
        ".agents/skills": Link("../skills"),
        ".claude/skills": Link("../skills"),
    }
    skills = skills_of(tmp_path, files, roots=(".agents/skills", ".claude/skills"))

    assert listed(skills) == ["alpha"]
    assert skills[0].resource("references/a.md") is not None
    assert (skills[1].state, skills[1].slug) == ("shadowed", "same-file-twice")
    assert skills[1].where == ".agents/skills/alpha/SKILL.md"


def test_linked_folder__is_followed_inside_the_root(tmp_path: Path) -> None:
    files = {
        "shared/pdf/SKILL.md": text("pdf"),
        "shared/pdf/references/a.md": "ref",
        f"{HOME}/pdf": Link("../../shared/pdf"),
        "shared/one/SKILL.md": text("one"),
        f"{HOME}/one/SKILL.md": Link("../../../shared/one/SKILL.md"),
    }
    skills = skills_of(tmp_path, files)

    assert listed(skills) == ["one", "pdf"]
    assert skills[1].path == f"{HOME}/pdf/SKILL.md"
    assert skills[1].resource("references/a.md") is not None
    assert codes(skills) == []


@pytest.mark.parametrize(
    ("files", "path"),
    [
        ({f"{HOME}/x": Link("/etc")}, f"{HOME}/x"),
        ({f"{HOME}/x/SKILL.md": Link("/etc/passwd")}, f"{HOME}/x/SKILL.md"),
        ({f"{HOME}/x/SKILL.md": Link("gone")}, f"{HOME}/x/SKILL.md"),
        ({f"{HOME}/x/SKILL.md": FIFO}, f"{HOME}/x/SKILL.md"),
        ({HOME: Link("/etc")}, HOME),
    ],
)
def test_unreadable__is_turned_away_and_never_opened(
    tmp_path: Path, files: dict[str, Any], path: str
) -> None:
    (skill,) = skills_of(tmp_path, files)

    assert (skill.state, skill.slug, skill.path) == ("rejected", "skill-unreadable", path)
    assert codes([skill]) == ["ASM213"]


def test_unreadable__content_rejects_with_its_reason(tmp_path: Path) -> None:
    search = find_skills(write_tree(tmp_path, {f"{HOME}/x/SKILL.md": text("x")}), skill_roots(""))
    contents = {f"{HOME}/x/SKILL.md": Unreadable("size-limit")}

    (skill,) = build_skills(search, contents, read_front_matter)

    assert (skill.slug, skill.findings[0].message) == ("skill-unreadable", "size-limit")


def test_references__that_leave_the_folder_are_told_and_no_resource(tmp_path: Path) -> None:
    body = (
        "See [env](../../../.env), [abs](/etc/passwd), [in](references/a.md#part),\n"
        "[up and down](references/../references/a.md), [web](https://x.example/../y).\n"
    )
    files = {
        f"{HOME}/x/SKILL.md": text("x", body=body),
        f"{HOME}/x/references/a.md": "ref a",
        f"{HOME}/x/references/b.md": Link("../../../../.env"),
        ".env": "TOKEN=SENTINEL",
    }
    (skill,) = skills_of(tmp_path, files)

    assert [finding.data["reference"] for finding in skill.findings] == [
        "../../../.env",
        "/etc/passwd",
        "../../../../.env",
    ]
    assert {finding.code for finding in skill.findings} == {"ASM209"}
    assert skill.findings[0].line == 6
    assert [entry.path for entry in skill.files] == [
        f"{HOME}/x/SKILL.md",
        f"{HOME}/x/references/a.md",
    ]


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ("é [x](../../.env)", (6, 7)),
        ("a\n[x]: ../../.env 'title'", (7, 6)),
        ("[x]: <../../.env>", (6, 7)),
        ('<img src="../../.env">', (6, 11)),
        ("[a](file:///etc/passwd)", (6, 5)),
        ("[a](a.md) [b](https://x.y/../../z) [c](../c)", (6, 40)),
    ],
)
def test_reference__out_of_the_folder_is_told_at_its_place(
    tmp_path: Path, body: str, place: tuple[int, int]
) -> None:
    (skill,) = skills_of(tmp_path, {f"{HOME}/x/SKILL.md": text("x", body=f"{body}\n")})

    (finding,) = skill.findings
    assert (finding.code, finding.line, finding.column) == ("ASM209", *place)


@pytest.mark.parametrize(
    "body",
    [
        "```js\nhandlers[0](/api/)\n```",
        "~~~~\n[a](../x)\n~~~\n[b](../y)\n~~~~",
        "```\n[a](../x)",
        'see `[text](../url)` and `re.findall(r"[^/](/\\w+)", s)`',
        "<!-- [a](../x)\n[b](../y) -->",
        "[^1]: ../footnote text",
        "[x](//cdn.example.com/x.js)",
        '<link href="/favicon.ico"><script src="/static/app.js"></script>',
    ],
)
def test_text__that_is_shown_and_not_meant_refers_to_nothing(tmp_path: Path, body: str) -> None:
    (skill,) = skills_of(tmp_path, {f"{HOME}/x/SKILL.md": text("x", body=f"{body}\n")})

    assert skill.findings == ()


def test_reference__behind_code_is_told(tmp_path: Path) -> None:
    body = "```\n[a](../x)\n```\n`b` <!-- c --> [d](../y)\n"
    (skill,) = skills_of(tmp_path, {f"{HOME}/x/SKILL.md": text("x", body=body)})

    assert [finding.data["reference"] for finding in skill.findings] == ["../y"]


def test_references__on_one_line_are_placed_in_linear_time(tmp_path: Path) -> None:
    body = "".join(f"é[a](../{number}) " for number in range(40_000))
    (skill,) = skills_of(tmp_path, {f"{HOME}/x/SKILL.md": text("x", body=body)})

    last = skill.findings[-1]
    assert len(skill.findings) == 40_000
    assert body[(last.column or 0) - 1 :].startswith("../39999")


@pytest.mark.parametrize(
    ("line", "kinds"),
    [
        ("compatibility: null", set()),
        ("compatibility: ~", set()),
        ("compatibility:", {"compatibility_empty"}),
        ('compatibility: ""', {"compatibility_empty"}),
    ],
)
def test_compatibility__that_is_null_is_not_there(
    tmp_path: Path, line: str, kinds: set[str]
) -> None:
    head = f"---\nname: x\ndescription: d\n{line}\n---\n"
    (skill,) = skills_of(tmp_path, {f"{HOME}/x/SKILL.md": head})

    assert {error.kind for error in skill.errors} == kinds


@pytest.mark.parametrize(
    "name",
    ["../.env", "..", "references/../SKILL.md", "/etc/passwd", "references\\a.md", "", ".",
     "%2e%2e/x", "references/a.md\0", "references"],
)  # fmt: skip
def test_resource__is_a_listed_name_and_no_other(tmp_path: Path, name: str) -> None:
    files = {f"{HOME}/x/SKILL.md": text("x"), f"{HOME}/x/references/a.md": "a"}
    (skill,) = skills_of(tmp_path, files)

    assert skill.resource(name) is None
    found = skill.resource("references/a.md")
    assert found is not None
    assert found.path == f"{HOME}/x/references/a.md"


def test_allowed_tools__are_shown_in_all_three_spellings() -> None:
    assert split_tools("Bash(git:*, ls) Read,Grep") == ("Bash(git:*, ls)", "Read", "Grep")
    assert split_tools(["Read", " Grep "]) == ("Read", "Grep")
    assert split_tools(None) == ()


def test_allowed_tools__of_any_other_shape_are_spelled_out() -> None:
    assert split_tools({"Bash": "x", "Read": None}) == ("Bash: x", "Read: ")
    assert split_tools(["Read", {"Bash(rm": "-rf)"}, ["Write"], None]) == (
        "Read",
        "Bash(rm: -rf)",
        "[Write]",
    )


def test_folder_digest__is_over_paths_and_digests_in_canonical_order() -> None:
    digests = {"b.md": "2" * 64, "SKILL.md": "1" * 64}
    preimage = f'{{"SKILL.md":"sha256:{"1" * 64}","b.md":"sha256:{"2" * 64}"}}'

    assert folder_sha256(digests) == hashlib.sha256(preimage.encode()).hexdigest()
    assert folder_sha256(digests) != folder_sha256({**digests, "b.md": "3" * 64})


def test_named_skills__are_whole_words_behind_a_dollar() -> None:
    names = {"pdf", "pdf-extraction", "home"}

    assert named_skills("Use $pdf-extraction, then $pdf. $pdf again", names) == (
        "pdf-extraction",
        "pdf",
    )
    assert named_skills("$pdf-", names) == ("pdf",)
    assert named_skills("($home)", names) == ("home",)
    for text_without in ("pdf", "$$pdf", "\\$pdf", "a$pdf", "$pdfs", "$pdf_x", "$HOME", "${pdf}"):
        assert named_skills(text_without, names) == (), text_without


def test_build__keeps_everything_that_was_found(tmp_path: Path) -> None:
    files = {
        f"{HOME}/a/SKILL.md": text("a"), f"{HOME}/b/SKILL.md": text("a"), f"{HOME}/c/SKILL.md": "",
        f"{HOME}/a/x/SKILL.md": "", f"{HOME}/d/skill.md": "",
    }  # fmt: skip
    tree = write_tree(tmp_path, files)
    search: SkillSearch = find_skills(tree, skill_roots(""))

    assert {skill.path for skill in load(tree)} == set(files)
    assert len(search.folders) + len(search.turned_away) == len(files)
