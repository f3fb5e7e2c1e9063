"""One item: the 29 of the vectors, and the laws of its form over arbitrary bytes."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assembler.model.candidate import Absent, Candidate
from assembler.model.names import write_name
from assembler.render.envelope import LINE_BREAK, choose_form, quote, write_item
from tests.builders.vectors import load_vector

ITEMS = load_vector("envelope")["items"]


def candidate(**members: Any) -> Candidate:
    return Candidate(
        **{
            "id": "a",
            "kind": "source",
            "section": "evidence",
            "trust": "repository",
            "content": Absent("unread"),
            **members,
        }
    )


@pytest.mark.parametrize("vector", ITEMS, ids=lambda vector: str(vector["name"]))
def test_item__is_written_as_the_vector_has_it(vector: dict[str, Any]) -> None:
    names = ("id", "kind", "section", "trust", "source", "revision")
    item = candidate(**{name: vector[name] for name in names})
    written = write_item(item, base64.b64decode(vector["content_base64"]))
    assert written.data == vector["rendered"].encode()
    assert written.form == vector["form"]
    assert (written.body_start, written.body_end) == (vector["body_start"], vector["body_end"])


BREAKS = ["\n", "\r", "\r\n", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"]


@pytest.mark.parametrize("line_break", BREAKS)
def test_quote__marks_the_line_behind_every_break_a_viewer_may_honour(line_break: str) -> None:
    assert quote(f"a{line_break}b\n") == f"> a{line_break}> b\n"


def test_quote__a_break_at_the_end_gets_no_mark_behind_it() -> None:
    assert quote("a\n") == "> a\n"
    assert quote("a\r\n") == "> a\r\n"
    # The line feed that is added makes one break of two characters.
    assert quote("a\r") == "> a\r\n"
    assert quote("a\u2028") == "> a\u2028> \n"


@given(st.text())
def test_quote__every_line_of_an_untrusted_text_is_marked(text: str) -> None:
    quoted = quote(text)
    if text:
        starts = [0, *(match.end() for match in LINE_BREAK.finditer(quoted))]
        assert all(quoted.startswith("> ", start) for start in starts if start < len(quoted))
        assert quoted.endswith("\n")


@pytest.mark.parametrize(
    ("trust", "content", "form"),
    [
        ("repository", b"", "block"),
        ("repository", b"x", "inline"),
        ("repository", b"x\n", "block"),
        ("repository", b"x\rx", "block"),
        ("untrusted", b"x", "quoted"),
        ("untrusted", b"", "quoted"),
        ("authorized", b"[[end]]", "quoted"),
        ("authorized", b"a [[end]]", "inline"),
        ("authorized", "a\u00a0[[x".encode(), "quoted"),
        ("authorized", b"a\tx [[x", "inline"),
        ("authorized", b"a\x00b", "escaped"),
        ("untrusted", b"\xff", "escaped"),
    ],
)
def test_form__follows_from_trust_and_content_alone(trust: str, content: bytes, form: str) -> None:
    assert choose_form(trust, content) == form


@given(st.text(min_size=1))
def test_name__is_one_word_of_ascii_and_reads_back(text: str) -> None:
    text = text.encode("utf-8", "replace").decode("utf-8")
    name = write_name(text)
    assert name.isascii()
    assert not set(name) & set(' []\n"')
    data = bytearray()
    position = 0
    while position < len(name):
        if name[position] == "%":
            data.append(int(name[position + 1 : position + 3], 16))
            position += 3
        else:
            data.append(ord(name[position]))
            position += 1
    assert data.decode() == text


def test_revision__is_shown_in_evidence_and_work_only() -> None:
    commit = "4f2c9e1a7b6053d4c8e1f00918273645aabbccdd"
    shown = write_item(candidate(revision=commit), b"x").data
    assert b" @4f2c9e1a repository " in shown
    hidden = write_item(candidate(revision=commit, section="policy", trust="authorized"), b"x").data
    assert b"@" not in hidden
    assert b" @r42 " in write_item(candidate(revision="r42"), b"x").data
