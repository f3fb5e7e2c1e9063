"""Laws of the rendering over arbitrary bytes: parse-back, one spelling, outline, sums."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assembler.model.candidate import SECTIONS, Candidate, Stored
from assembler.model.digest import sha256_hex
from assembler.render.envelope import LINE_BREAK, shown_revision
from assembler.render.input_text import SKELETON, render_input
from assembler.render.reader import InputUnreadableError, ReadItem, read_input
from tests.builders.vectors import load_vector

# Text built from the format's own syntax finds more than random text does.
SYNTAX = [
    "[[", "]]", "[[end]]\n", "[[end 00000000]]\n", "> ", "\n", "\r", "\r\n", "\u2028", "\x85",
    "\x0b", "\x1c", "\\", "\\x00", "\x00", "a", " ", "%", "[[5 current work record]]\n",
    "[[source a repository 1 bytes ca978112]] a\n", "\u00a0", "\t", "\ud7ff",
]  # fmt: skip
texts = st.lists(st.sampled_from(SYNTAX), max_size=8).map("".join)
contents = st.one_of(
    st.binary(max_size=40),
    texts.map(lambda text: text.encode("utf-8")),
    st.tuples(texts, st.binary(max_size=3)).map(lambda pair: pair[0].encode() + pair[1]),
)
names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)


@st.composite
def candidates(draw: st.DrawFn) -> tuple[Candidate, bytes]:
    section = draw(st.sampled_from(SECTIONS))
    content = draw(contents)
    trust = "authorized"
    if section == "evidence":
        trust = draw(st.sampled_from(["observed", "repository", "derived", "untrusted"]))
    candidate = Candidate(
        id=draw(names),
        kind=draw(st.sampled_from(["source", "issue", "end-x", "a1", "from"])),
        section=section,
        trust=trust,
        content=Stored(sha256_hex(content), len(content)),
        source=draw(st.none() | names),
        revision=draw(st.none() | names | st.just("a" * 40)),
    )
    return candidate, content


items = st.lists(candidates(), max_size=5).map(
    lambda pairs: sorted(pairs, key=lambda pair: SECTIONS.index(pair[0].section))
)


def shown(candidate: Candidate, content: bytes) -> ReadItem:
    """What a header shows of a candidate."""
    has_revision = candidate.section in ("evidence", "work") and candidate.revision is not None
    return ReadItem(
        section=candidate.section,
        kind=candidate.kind,
        id=candidate.id,
        source=None if candidate.source == candidate.id else candidate.source,
        revision=shown_revision(candidate.revision or "") if has_revision else None,
        trust=candidate.trust,
        content=content,
    )


@settings(max_examples=400)
@given(items)
def test_rendering__reads_back_as_the_items_it_was_written_from(
    pairs: list[tuple[Candidate, bytes]],
) -> None:
    by_digest = {sha256_hex(content): content for _, content in pairs}
    rendering = render_input([candidate for candidate, _ in pairs], by_digest)
    assert read_input(rendering.data) == tuple(shown(*pair) for pair in pairs)


@settings(max_examples=200)
@given(items, st.integers(0, 10_000), st.integers(1, 255))
def test_rendering__with_one_changed_byte_is_refused_or_says_something_else(
    pairs: list[tuple[Candidate, bytes]], place: int, change: int
) -> None:
    by_digest = {sha256_hex(content): content for _, content in pairs}
    data = bytearray(render_input([candidate for candidate, _ in pairs], by_digest).data)
    data[place % len(data)] ^= change
    try:
        found = read_input(bytes(data))
    except InputUnreadableError:
        return
    assert found != tuple(shown(*pair) for pair in pairs)


@settings(max_examples=200)
@given(items)
def test_rendering__lines_of_structure_are_exactly_those_that_begin_with_two_brackets(
    pairs: list[tuple[Candidate, bytes]],
) -> None:
    by_digest = {sha256_hex(content): content for _, content in pairs}
    rendering = render_input([candidate for candidate, _ in pairs], by_digest)
    text = rendering.data.decode("utf-8")
    assert "\0" not in text
    lines = LINE_BREAK.split(text)
    # What no viewer shows in front of the brackets makes a line look like structure too.
    outline = [line for line in lines if re.match(r"[^\t\u0020-\u007e]*\[\[", line)]
    assert outline == [line for line in text.split("\n") if line.startswith("[[")]
    blocks = sum(item.span.form != "inline" for item in rendering.items)
    assert len(outline) == 7 + len(pairs) + blocks


@settings(max_examples=100)
@given(items)
def test_rendering__counts_what_its_parts_count(pairs: list[tuple[Candidate, bytes]]) -> None:
    from assembler.adapters.vocabulary import VOCABULARIES, load_encoding

    by_digest = {sha256_hex(content): content for _, content in pairs}
    rendering = render_input([candidate for candidate, _ in pairs], by_digest)
    for vocabulary in VOCABULARIES.values():
        encoding = load_encoding(vocabulary)

        def count(data: bytes, encoding=encoding) -> int:
            return len(encoding.encode(data.decode("utf-8"), disallowed_special=()))

        parts = sum(count(rendering.data[i.span.start : i.span.end]) for i in rendering.items)
        assert count(rendering.data) == count(SKELETON) + parts


@pytest.mark.parametrize(
    "vector", load_vector("envelope")["refused_by_a_reader"], ids=lambda vector: str(vector["name"])
)
def test_reader__refuses_what_no_writer_writes(vector: dict[str, str]) -> None:
    with pytest.raises(InputUnreadableError):
        read_input(vector["text"].encode("utf-8"))
