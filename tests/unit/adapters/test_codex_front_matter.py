"""Front matter as Codex 0.171.0 takes it; each row was measured on it."""

from __future__ import annotations

import time

import pytest

from assembler.adapters.codex_front_matter import SkillHeadError, collapse, read_skill_head, repair
from assembler.adapters.codex_side_files import SkillPolicy, read_plugin_name, read_policy
from assembler.model.agent_skills import CODEX_SKILLS


def head(text: str | bytes, folder: str = "folder") -> tuple[str, str]:
    data = text if isinstance(text, bytes) else text.encode()
    found = read_skill_head(data, folder, CODEX_SKILLS)
    return found.name, found.description


def problem(text: str | bytes) -> tuple[str, tuple[int, int] | None]:
    with pytest.raises(SkillHeadError) as caught:
        head(text)
    return caught.value.slug, caught.value.place


def block(members: str) -> str:
    return f"---\n{members}\n---\nbody\n"


@pytest.mark.parametrize(
    ("members", "name", "description"),
    [
        ("name: a\ndescription: use: this, [x] {y} # not comment", "a", "use: this, [x] {y}"),
        ("name: [a\ndescription: d", "[a", "d"),
        ("name: a\ndescription: @at sign", "a", "@at sign"),
        ("name: a\ndescription: `code` first", "a", "`code` first"),
        ("name: {a: b}\ndescription: d", "{a: b}", "d"),
        ("name: a\ndescription: it's: quoted", "a", "it's: quoted"),
        ("name: a\ndescription: d\nmetadata:\n  note: a: b", "a", "d"),
        ("name: &n a\ndescription: *n", "a", "a"),
        ("name: a\ndescription: !!python/object x", "a", "x"),
        ("name: a\ndescription: !!int x", "a", "x"),
        ("description: d", "folder", "d"),
        ("name: ~\ndescription: d", "folder", "d"),
        ('name: null\ndescription: "null"', "folder", "null"),
        ("name: 1.50\ndescription: 1e3", "1.50", "1e3"),
        ("name: a\ndescription: |\n  one\n\n  two   three", "a", "one two three"),
        ('name: a\ndescription: "a\\tb\\u00a0c"', "a", "a b c"),
        ('name: a\ndescription: "x\\x1cy"', "a", "x\x1cy"),
        ("name: a\ndescription: d\nfoo: 1\nfoo: 2", "a", "d"),
        ("name: a\ndescription: d\nmetadata: {a: 1, a: 2}", "a", "d"),
        ("name: a\ndescription: d\nmetadata:", "a", "d"),
        ("{name: a, description: d}", "a", "d"),
        ("name: a\ndescription: d\n... ", "a", "d"),
    ],
)
def test_head__is_read_leniently(members: str, name: str, description: str) -> None:
    assert head(block(members)) == (name, description)


@pytest.mark.parametrize(
    ("members", "slug", "place"),
    [
        ('name: b\ndescription: "unclosed', "skill-yaml", (3, 23)),
        ("name: f\ndescription: first: x\n  second line", "skill-yaml", (3, 19)),
        ("name: h\ndescription: *anchor", "skill-yaml", (3, 14)),
        ("name: m\ndescription: %percent", "skill-yaml", (3, 14)),
        ("name: n\ndescription: - dash", "skill-yaml", (3, 14)),
        ("name: j\n\tdescription: d", "skill-yaml", (3, 1)),
        ("- a\n- b", "skill-yaml", (2, 1)),
        ("name: a\nname: b\ndescription: d", "skill-yaml", (2, 1)),
        ("name: a\ndescription: [a, b]", "skill-yaml", (3, 14)),
        ("name: a\ndescription: d\nmetadata: hi", "skill-yaml", (4, 11)),
        ("name: a\ndescription: d\nmetadata: ~", "skill-yaml", (4, 11)),
        ("name: a\ndescription: d\n...\nmore: x", "skill-yaml", None),
        ("name: a\ndescription: x\x07y", "skill-yaml", (3, 15)),
        ("name: a", "skill-description", None),
        ("name: a\ndescription: ~", "skill-description", None),
        ('name: a\ndescription: " "', "skill-description", None),
        ("# only a comment", "skill-description", None),
        ("name: " + "n" * 65 + "\ndescription: d", "skill-name", None),
    ],
)
def test_head__is_rejected_with_its_place(
    members: str, slug: str, place: tuple[int, int] | None
) -> None:
    assert problem(block(members)) == (slug, place)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---",
        "# heading\n",
        "---\nname: a\ndescription: d\n",
        "---\n---\n",
        "\n---\nname: a\ndescription: d\n---\n",
        "\ufeff---\nname: a\ndescription: d\n---\n",
        "----\nname: a\ndescription: d\n----\n",
        "---\rname: a\rdescription: d\r---\r",
        "--- # c\nname: a\ndescription: d\n---\n",
    ],
)
def test_delimiters__must_be_lines_of_three_dashes(text: str) -> None:
    assert problem(text)[0] == "skill-no-front-matter"


@pytest.mark.parametrize(
    "text",
    [
        "--- \nname: a\ndescription: d\n  ---  \nbody",
        "---\r\nname: a\r\ndescription: d\r\n---\r\nbody",
        "\u00a0---\u3000\nname: a\ndescription: d\n\u2003---",
        "---\nname: a\ndescription: d\n---",
    ],
)
def test_delimiters__may_have_white_space_around(text: str) -> None:
    assert head(text) == ("a", "d")


def test_text__is_utf8_to_its_last_byte() -> None:
    assert problem(block("name: a\ndescription: d").encode() + b"x" * 5_000 + b"\xff") == (
        "skill-unreadable",
        (6, 1),
    )


def test_repair__is_told() -> None:
    found = read_skill_head(block("name: a\ndescription: b: c").encode(), "x", CODEX_SKILLS)

    assert found.repaired == (3, 15)
    assert repair("description: b: c # why") == "description: 'b: c' # why"
    assert repair("a: |\n  b: c: d") is None


@pytest.mark.parametrize("count", [1_000, 50_000])
def test_bomb__of_aliases_stays_small(count: int) -> None:
    levels = "\n".join(
        f"k{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]" if level else "k0: &a0 [x]"
        for level in range(min(count // 10, 400))
    )
    started = time.process_time()

    assert head(block(f"name: a\n{levels}\ndescription: d")) == ("a", "d")
    assert time.process_time() - started < 5


def test_depth__is_no_recursion() -> None:
    deep = "[" * 20_000 + "]" * 20_000

    assert head(block(f"name: a\ndescription: d\nx: {deep}"))[0] == "a"


def test_white_space__is_unicodes() -> None:
    assert collapse(" a\u2003\u0085b\x1c c ") == "a b\x1c c"


@pytest.mark.parametrize(
    ("text", "policy"),
    [
        ("policy: {allow_implicit_invocation: false}", SkillPolicy(is_offered=False)),
        ("policy:\n  allow_implicit_invocation: FALSE", SkillPolicy(is_offered=False)),
        ("policy:\n  allow_implicit_invocation: !x false", SkillPolicy(is_offered=False)),
        ("x: &a {allow_implicit_invocation: false}\npolicy: *a", SkillPolicy(is_offered=False)),
        ("\ufeffpolicy: {allow_implicit_invocation: false}", SkillPolicy(is_offered=False)),
        ('policy: {allow_implicit_invocation: "false"}', SkillPolicy()),
        ("policy: {allow_implicit_invocation: no}", SkillPolicy()),
        ("policy: {allow_implicit_invocation: false}\ninterface: [", SkillPolicy()),
        ("policy: {allow_implicit_invocation: false}\ninterface: []", SkillPolicy()),
        ("policy: {allow_implicit_invocation: false}\n---\nx: 1", SkillPolicy()),
        ("policy: {allow_implicit_invocation: false}\nfoo: *z", SkillPolicy()),
        ("policy: {products: [CHATGPT, codex]}", SkillPolicy(products=("chatgpt", "codex"))),
        ("policy: {products: [other], allow_implicit_invocation: false}", SkillPolicy()),
        ("policy: false", SkillPolicy()),
        ("", SkillPolicy()),
    ],
)
def test_policy__counts_only_if_the_whole_file_is_right(text: str, policy: SkillPolicy) -> None:
    assert read_policy(text.encode()) == policy


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b'{"name": "plug"}', "plug"),
        (b'{"name": " a b "}', " a b "),
        (b'{"name": "  "}', "folder"),
        (b"{}", "folder"),
        (b'["arr"]', "arr"),
        (b'{"name": null}', None),
        (b'{"name": 1}', None),
        (b'{"name": "a", "name": "b"}', None),
        (b'\xef\xbb\xbf{"name": "a"}', None),
        (b'{"name": "a", "z": NaN}', None),
        (b'{"name": "a"} x', None),
        (b'{"name": "x\xff"}', None),
        (b'{"name": "x\\ud800"}', None),
        (b"[" * 100_000, None),
        (b"bad", None),
    ],
)
def test_plugin__has_a_name_or_none(data: bytes, name: str | None) -> None:
    assert read_plugin_name(data, "folder") == name


def test_fix__of_a_key_that_stands_twice_is_no_quote() -> None:
    with pytest.raises(SkillHeadError) as caught:
        read_skill_head(b"---\nname: a\nname: b\ndescription: d\n---\n", "a", CODEX_SKILLS)

    assert (caught.value.slug, caught.value.fix) == ("skill-yaml", "delete one of the two lines")
