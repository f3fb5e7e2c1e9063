"""Which lines a definition is, and which imports it uses: a table a language, beside its source."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assembler.adapters.symbols import MAX_PARSED_BYTES, MAX_PARSED_BYTES_A_RUN, TreeSitterReader
from assembler.assess.excerpts import Excerpt, NoExcerpt, cut_symbol
from assembler.assess.symbols import MOST_RANGES, close_gaps, find_symbol, nearest_names
from assembler.model.lines import whole_lines
from assembler.model.symbols import Definition, Import, LineRange, Outline, Unparsed, split_symbol

SOURCES = Path(__file__).parent / "symbol_sources"
ENDINGS = {
    "python": "py",
    "typescript": "ts",
    "javascript": "jsx",
    "go": "go",
    "rust": "rs",
    "java": "java",
}

# Name, its lines, its lines with the imports that it uses.
TABLES: dict[str, list[tuple[str, str, str]]] = {
    "python": [
        ("Iterable", "5-8", "5-8"),
        ("Round", "9", "9"),
        ("LIMIT", "12", "1,10,12"),
        ("first", "13", "1,10,13"),
        ("parse", "16-19,26-27", "1,5-8,10,16-19,26-27"),
        ("helper", "22-23", "1,10,22-23"),
        ("Store", "31-53", "1,3-10,31-53"),
        ("Store.kind", "36", "1,10,36"),
        ("Store.__init__", "38-39", "1,5-10,38-39"),
        ("Store.path", "41-43,45-47", "1,3,10,41-43,45-47"),
        ("Store.Inner", "49-53", "1,4,10,49-53"),
        ("Store.Inner.walk", "50-53", "1,4,10,50-53"),
        ("Store.Inner.walk.step", "51-52", "1,4,10,51-52"),
        ("chosen", "57-58", "1,10,57-58"),
        ("Pair", "63", "1,10,63"),
        ("größe", "64", "1,9-10,64"),
    ],
    "typescript": [
        ("plain", "7", "7"),
        ("read", "10-16", "1-2,10-16"),
        ("tokenize", "19-22", "1,3-4,19-22"),
        ("tokenize.inner", "20", "3,20"),
        ("Reader", "24-27", "1,24-27"),
        ("Reader.read", "26", "26"),
        ("Name", "29", "29"),
        ("Kind", "30", "30"),
        ("Parser", "32-49", "4,6,32-49"),
        ("Parser.count", "37-39", "6,37-39"),
        ("Parser.open", "41", "41"),
        ("Parser.run", "43-46", "43-46"),
        ("Parser.#hidden", "48", "48"),
        ("plugins.load", "52", "52"),
        ("Outer.Deep.Node", "55", "55"),
        ("default", "57", "57"),
        ("Main", "57", "57"),
    ],
    "javascript": [
        ("glue", "2", "2"),
        ("two", "5", "5"),
        ("default", "7-11", "1,4,7-11"),
        ("Page", "7-11", "1,4,7-11"),
        ("Row", "13", "13"),
        ("api", "15-22", "2-3,15-22"),
        ("api.load", "16-18", "2,16-18"),
        ("api.save", "19-21", "3,19-21"),
        ("Queue", "24-31", "24-31"),
        ("Queue.#items", "26", "26"),
        ("Queue.push", "28-30", "28-30"),
        ("Queue.size", "33-35", "3,33-35"),
        ("numbers", "37", "37"),
        ("a", "38-39", "38-39"),
        ("b", "38-39", "38-39"),
        ("helper", "42", "42"),
    ],
    "go": [
        ("One", "17-21", "5,7,12,17-21"),
        ("Root", "23-25,27", "5-7,12,23-25,27"),
        ("Kind", "29-32", "5,7,12,29-32"),
        ("Pair", "34-38,40", "5,7,12,34-38,40"),
        ("Alias", "34,39-40", "5,7,12,34,39-40"),
        ("Reader", "42-45", "5,7,12,42-45"),
        ("Reader.Read", "44", "5,7,12,44"),
        ("New", "49", "5,7,12,49"),
        ("Store", "51", "5,7,11-12,51"),
        ("Store.Load", "53-58", "3,5,7,9,12,53-58"),
        ("Pair.First", "60", "5,7,12,60"),
        ("init", "62", "5,7,12,62"),
    ],
    "rust": [
        ("words", "5", "5"),
        ("Store", "8-14", "2-3,8-14"),
        ("Store.LIMIT", "17-18", "3,17-18"),
        ("Store.open", "20-24", "3-4,20-24"),
        ("Store.open.inner", "22", "3-4,22"),
        ("Store.fmt", "28", "2-3,28"),
        ("Reader", "31-34", "2-3,31-34"),
        ("Reader.read", "32", "2-3,32"),
        ("tests", "36-41", "3,6,36-41"),
        ("tests.opens", "39-40", "3,6,38-40"),
        ("Pair", "44", "3,44"),
        ("make", "46-47", "3-4,46-47"),
        ("place", "49", "3,49"),
    ],
    "java": [
        ("Store", "10-36", "3-7,10-36"),
        ("Store.LIMIT", "16", "3,16"),
        ("Store.Store", "18-19,21-23", "3,5-6,18-19,21-23"),
        ("Store.map", "25-26", "3-4,25-26"),
        ("Store.size", "28,30", "3,28,30"),
        ("Store.Kind", "32", "3,32"),
        ("Store.Kind.act", "32", "3,32"),
        ("Store.Pair", "33", "3,33"),
        ("Store.Mark.value", "34", "3,34"),
        ("Store.Reader.read", "35", "3,35"),
        ("Other.Deep.size", "39", "3,39"),
        ("Other.Deep.size.run", "39", "3,39"),
    ],
}


@pytest.fixture(scope="module")
def symbols() -> Iterator[TreeSitterReader]:
    with TreeSitterReader() as reader:
        yield reader


def source(language: str) -> bytes:
    return (SOURCES / f"{language}.txt").read_bytes()


def cut(
    symbols: TreeSitterReader, path: str, data: bytes, name: str, *, imports: bool = False
) -> Excerpt:
    found = cut_symbol(path, data, name, symbols, with_imports=imports)
    assert isinstance(found, Excerpt), found
    assert found.data == b"".join(lines_of(data, item) for item in found.ranges)
    return found


def missing(symbols: TreeSitterReader, path: str, data: bytes, name: str) -> str:
    found = cut_symbol(path, data, name, symbols, with_imports=False)
    assert isinstance(found, NoExcerpt), found
    return found.why


def lines_of(data: bytes, lines: LineRange) -> bytes:
    found = whole_lines(data, *lines)
    assert found is not None
    return found


def spell(ranges: tuple[LineRange, ...]) -> str:
    return ",".join(f"{a}" if a == b else f"{a}-{b}" for a, b in ranges)


@pytest.mark.parametrize(
    ("language", "name", "lines", "with_imports"),
    [(language, *row) for language, rows in TABLES.items() for row in rows],
)
def test_definition__is_these_lines(
    symbols: TreeSitterReader, language: str, name: str, lines: str, with_imports: str
) -> None:
    path, data = f"src/a.{ENDINGS[language]}", source(language)
    outline = symbols.outline(path, data)
    assert isinstance(outline, Outline)
    assert not outline.has_errors
    assert spell(cut(symbols, path, data, name).ranges) == lines
    assert spell(cut(symbols, path, data, name, imports=True).ranges) == with_imports


def test_tables__have_ten_rows_each() -> None:
    assert all(len(rows) >= 10 for rows in TABLES.values())


@pytest.mark.parametrize("language", sorted(ENDINGS))
def test_crlf_and_a_byte_order_mark__change_no_line(
    symbols: TreeSitterReader, language: str
) -> None:
    path = f"a.{ENDINGS[language]}"
    data = b"\xef\xbb\xbf" + source(language).replace(b"\n", b"\r\n").rstrip()
    for name, lines, with_imports in TABLES[language]:
        assert spell(cut(symbols, path, data, name).ranges) == lines, name
        assert spell(cut(symbols, path, data, name, imports=True).ranges) == with_imports, name


@pytest.mark.parametrize(
    ("path", "data", "name", "lines"),
    [
        ("a.py", b"def last(): pass", "last", "1"),
        ("a.go", b"package a\n\nfunc last() {}", "last", "3"),
        ("a.ts", "export const größe = 1;\nexport class Ünï {}\n".encode(), "Ünï", "2"),
        ("a.rs", b"impl A { fn one(&self) {} }\n", "A::one", "1"),
        ("a.rs", b"mod a { mod b {\nfn f() {} } }\n", "a::b::f", "2"),
        ("a.rs", b"mod a { mod b {\nfn f() {} } }\n", "b::f", "2"),
        ("a.js", b"export { default as Box } from './box';\n", "Box", "1"),
        ("a.js", b"module.exports = { one() {},\n two: () => 2 };\n", "two", "2"),
        ("a.ts", b"/** One. */\n// eslint-disable-next-line\nexport function f() {}\n", "f", "1-3"),
        ("a.ts", b"// Not of it.\nexport function f() {}\n", "f", "2"),
        ("a.ts", b"const a = 1; /** Of b? */\nconst b = 1;\n", "b", "2"),
        ("a.rs", b"#[test] fn a() {}\nfn b() {}\n", "b", "2"),
        ("a.go", b"package a\n\n// Far.\n\nfunc f() {}\n", "f", "5"),
        ("a.go", b"package a\nimport (\"fmt\"; \"os\")\nvar x = os.Args\n", "x", "3"),
        ("a.py", b"x = 1\ndef f():\n    x = 2\n", "x", "1"),
        ("a.py", b"class A:\n    def f(self): pass\ndef f(): pass\n", "f", "3"),
        ("a.py", b"from .b import f\nif x:\n    def f(): pass\n", "f", "3"),
        ("a.java", b"/// Marked down.\nclass A {}\n", "A", "1-2"),
        ("a.tsx", b"const A = () => <B/>;\nclass C { d = () => 1 }\n", "C.d", "2"),
    ],
)  # fmt: skip
def test_definition__at_an_edge(
    symbols: TreeSitterReader, path: str, data: bytes, name: str, lines: str
) -> None:
    assert spell(cut(symbols, path, data, name).ranges) == lines


def test_imports__are_those_that_the_place_sees(symbols: TreeSitterReader) -> None:
    data = b"def f():\n    import os\n    return os\ndef g():\n    return os.path\n"
    assert spell(cut(symbols, "a.py", data, "g", imports=True).ranges) == "4-5"
    assert spell(cut(symbols, "a.py", data, "f", imports=True).ranges) == "1-3"
    data = b"import os, sys\ndef f(x):\n    return x.os, g(sys=1)\n"
    assert spell(cut(symbols, "a.py", data, "f", imports=True).ranges) == "2-3"


def test_row__says_why_these_lines(symbols: TreeSitterReader) -> None:
    found = cut(symbols, "a.py", source("python"), "chosen", imports=True)
    assert found.why == (
        "Python chosen, lines 57-58; others of this name: lines 60-61; "
        "imports that it uses: __future__ (line 1), wildcard (line 10)"
    )
    found = cut(symbols, "a.ts", source("typescript"), "plain", imports=True)
    assert found.why == "re-export, TypeScript plain, line 7"


def test_missing_name__is_told_with_the_nearest(symbols: TreeSitterReader) -> None:
    told = missing(symbols, "a.ts", source("typescript"), "tokenise")
    assert told == "no definition of tokenise (TypeScript); nearest: tokenize"
    told = missing(symbols, "a.ts", source("typescript"), "Parser.runs")
    assert "nearest: Parser.run, " in told
    told = missing(symbols, "a.ts", source("typescript"), "glue")
    assert told.startswith("no definition of glue (TypeScript); line 2 imports it")
    hostile = "class \u202ename\u4e00 {}\n" * 3
    assert "\u4e00" not in missing(symbols, "a.ts", hostile.encode(), "name\u4e01")


def test_nearest_names__are_few_and_short(symbols: TreeSitterReader) -> None:
    names = "".join(
        f"def {'n' * 50}{'e' * 9000}{n}(): pass\ndef near{n}(): pass\n" for n in range(9)
    )
    outline = symbols.outline("a.py", names.encode())
    assert isinstance(outline, Outline)
    assert len(nearest_names(outline, "near")) == 3
    assert all(len(name) < 100 for name in nearest_names(outline, "n" * 9_000))


# What can't be taken apart is searched as text.


def broken(name: str) -> bytes:
    above = "".join(f"x{n} = {n}\n" for n in range(30))
    below = "".join(f"y{n} = {n}\n" for n in range(30))
    return f"{above}def {name}(a):\n    return a )( b\n{below}".encode()


def test_syntax_error_inside__gives_the_lines_around(symbols: TreeSitterReader) -> None:
    found = cut(symbols, "a.py", broken("f"), "f", imports=True)
    assert spell(found.ranges) == "16-46"
    assert found.why is not None
    assert "syntax error" in found.why
    assert "line 31" in found.why


def test_syntax_error_elsewhere__leaves_a_definition_whole(symbols: TreeSitterReader) -> None:
    data = b"def good():\n    return 1\n\n" + broken("f")
    found = cut(symbols, "a.py", data, "good")
    assert spell(found.ranges) == "1-2"
    assert found.why == "Python good, lines 1-2; the file has syntax errors elsewhere"


def test_no_definition_in_a_broken_file__is_missing(symbols: TreeSitterReader) -> None:
    told = missing(symbols, "a.py", broken("parse") + b"g(parsed)\n", "parsed")
    assert told.startswith("no definition of parsed (Python); nearest: parse")
    assert told.endswith("the file has syntax errors (Python)")


@pytest.mark.parametrize(
    ("data", "name", "line"),
    [
        (b"x = Store()\nclass Store\nend\n", "Store", 2),
        (b"call name\nsub name {\n", "name", 2),
        (b"return size(1)\nint size(int of) {\n", "size", 2),
        (b"module A\n  def b\n  end\nend\nmodule C\n  def b\n  end\nend\n", "C.b", 6),
        (b"nothing\nonly a name here\n", "name", 2),
    ],
)
def test_unknown_language__is_searched_as_text(
    symbols: TreeSitterReader, data: bytes, name: str, line: int
) -> None:
    data += b"z\n" * 40
    found = cut(symbols, "a.rb", data, name)
    assert spell(found.ranges) == f"1-{line + 15}"
    assert found.why is not None
    assert "a.rb was searched as text" in found.why
    assert f"around line {line}," in found.why
    assert "no line has name2" in missing(symbols, "a.rb", data, "name2")


def test_large_file__is_searched_as_text(symbols: TreeSitterReader) -> None:
    data = b"def f(): pass\n" + b"#" * (MAX_PARSED_BYTES - 14)
    assert spell(cut(symbols, "a.py", data, "f").ranges) == "1"
    found = cut(symbols, "a.py", data + b"\n", "f")
    assert found.why is not None
    assert "over 2,097,152 bytes" in found.why


def test_files_of_one_run__are_taken_apart_within_a_bound() -> None:
    data = b"def f(): pass\n" + b"#" * (MAX_PARSED_BYTES - 14)
    with TreeSitterReader() as reader:
        for number in range(MAX_PARSED_BYTES_A_RUN // MAX_PARSED_BYTES):
            assert isinstance(reader.outline(f"{number}.py", data), Outline)
        assert isinstance(reader.outline("more.py", b"def f(): pass\n"), Unparsed)


def test_words__fit_into_a_row(symbols: TreeSitterReader) -> None:
    names = [f"{'wört' * 40}{number}" for number in range(60)]
    imports = "".join(f"from a{n} import {n}, {n}b, {n}c, {n}d\n" for n in names)
    uses = "".join(f"    {n}, {n}b, {n}c, {n}d\n" for n in names)
    data = f"{imports}def f():\n{uses}".encode()
    found = cut(symbols, "a.py", data, "f", imports=True)
    assert found.why is not None
    assert len(found.why.encode()) < 2_000
    assert len(missing(symbols, "a.py", data, "wört" * 40).encode()) < 1_000


@pytest.mark.parametrize(
    ("path", "piece"),
    [
        pytest.param("a.java", b"x=>", marks=pytest.mark.long),
        ("a.rs", b"=f("),
        ("a.py", b"("),
        ("a.js", b"["),
        ("a.ts", b"{"),
        ("a.go", b"func(){"),
        ("a.tsx", b"<a b={"),
        ("a.py", b"`\xff\x00("),
    ],
)
def test_hostile_file__ends_and_leaves_the_reader_whole(
    symbols: TreeSitterReader, path: str, piece: bytes
) -> None:
    data = b"class wanted {}\n" + piece * (100_000 // len(piece))
    assert cut(symbols, path, data, "wanted").ranges[0][0] == 1
    assert spell(cut(symbols, "b.py", b"def f(): pass\n", "f").ranges) == "1"


def test_ranges__are_few_enough_for_an_address() -> None:
    ranges = tuple((line, line) for line in range(1, 1_000, 3))
    closed = close_gaps(ranges)
    assert len(closed) == MOST_RANGES
    assert (closed[0][0], closed[-1][1]) == (ranges[0][0], ranges[-1][1])
    assert close_gaps(ranges[:MOST_RANGES]) == ranges[:MOST_RANGES]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a.ts#f", ("a.ts", "f")),
        ("C#/a.ts#A.f", ("C#/a.ts", "A.f")),
        ("a.js#A.#f", ("a.js", "A.#f")),
        ("a.rs#m::r#type", ("a.rs", "m::r#type")),
        ("a.ts", None),
        ("#f", None),
        ("a.ts#", None),
        ("a.ts#f g", None),
        ("a.ts#L1-L3", None),
        ("a.ts#a..b", None),
        ("a.ts#x\u202ey", None),
        ("a.ts#x\u200dy", ("a.ts", "x\u200dy")),
        ("a.ts#" + "x" * 301, None),
    ],
)
def test_split_symbol__is_path_and_name(text: str, parts: tuple[str, str] | None) -> None:
    assert split_symbol(text) == parts


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_content__is_always_exactly_the_addressed_lines(
    symbols: TreeSitterReader, data: st.DataObject
) -> None:
    language = data.draw(st.sampled_from(sorted(ENDINGS)))
    lines = source(language).split(b"\n")
    for _ in range(data.draw(st.integers(0, 4))):
        place = data.draw(st.integers(0, len(lines) - 1))
        if data.draw(st.booleans()):
            del lines[place]
        else:
            lines.insert(place, data.draw(st.sampled_from([b"", b"}", b"\r", b"\xff(", b"'"])))
    text = data.draw(st.sampled_from([b"\n", b"\r\n"])).join(lines or [b""])
    name = data.draw(st.sampled_from(TABLES[language]))[0]
    path = f"a.{ENDINGS[language]}"
    found = cut_symbol(path, text, name, symbols, with_imports=data.draw(st.booleans()))
    if isinstance(found, Excerpt):
        assert found.data == b"".join(lines_of(text, item) for item in found.ranges)
        assert list(found.ranges) == sorted(found.ranges)
        assert all(before[1] + 1 < after[0] for before, after in pairwise(found.ranges))


def lines_run(count: int, make: Callable[[int], Outline]) -> int:
    """Calls of functions and steps of comprehensions that one question takes."""
    outline, steps = make(count), 0

    def note(frame: object, event: str, argument: object) -> None:
        nonlocal steps
        steps += 1

    sys.setprofile(note)
    try:
        assert find_symbol(outline, "f", with_imports=True) is not None
    finally:
        sys.setprofile(None)
    return steps


class Compared(str):
    """A kind of definition that counts how often it is compared."""

    count = 0
    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        Compared.count += 1
        return str.__eq__(self, other)


def overloads(count: int) -> Outline:
    """A function of so many parts, another name and an import between every two of them."""
    numbers = range(1, count + 1)
    parts = (
        Definition(("f",), (3 * line, 3 * line), Compared("function"), 3 * line, joins=line < count)
        for line in numbers
    )
    imports = (Import((3 * line + 1, 3 * line + 1), (f"n{line}",)) for line in numbers)
    uses = {f"n{line}": (3 * line,) for line in numbers}
    return Outline("Python", False, tuple(parts), tuple(imports), uses)


def test_symbol_of_many_parts__takes_work_that_grows_with_their_number() -> None:
    work = []
    for count in (100, 400):
        Compared.count = 0
        steps = lines_run(count, overloads)
        work.append((steps, Compared.count))
    (steps, compared), (more_steps, more_compared) = work
    assert more_steps <= 5 * steps
    assert more_compared <= 5 * compared
