"""The verifier stands alone: it runs without the producer, and nothing of it was copied over."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

from assembler_verifier.self_test.bases import package_base
from tests.verifier.stores import whole_chain, write_store
from tests.verifier.vectors import lay_out

ROOT = Path(__file__).parent.parent.parent
SHARED_LINES = 6
"""Lines in a row that no two files of the two packages may share.

Two people who write the same page of a format down in one language do share single statements,
and members that the page names give up to five in a row (`start`, `end`, `body_start`, `body_end`,
`form` of a span). Six lines in a row, compared after both are spelled the same way, are more than
the two packages have in common today, and fewer than any function that would be worth copying.
"""
TRIVIAL = frozenset(
    {"else:", "try:", "return None", "pass", "break", "continue", "raise", "return"}
)

BLOCKED = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "assembler":
            raise ModuleNotFoundError(f"{name} is blocked")
        return None

sys.meta_path.insert(0, Blocked())
sys.path.insert(0, sys.argv[1])
"""
RUN = """
from assembler_verifier.__main__ import main
code = main(sys.argv[2:])
loaded = sorted(name for name in sys.modules if name.partition(".")[0] == "assembler")
sys.exit(f"loaded {loaded}" if loaded else code)
"""


def blocked(code: str, *words: str | Path) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-I", "-S", "-c", BLOCKED + code, str(ROOT), *map(str, words)]
    return subprocess.run(line, capture_output=True, text=True, timeout=120, check=False, env={})


def test_block__blocks_the_producer() -> None:
    for name in ("assembler", "assembler.model"):
        done = blocked(f"import {name}")
        assert done.returncode == 1
        assert "is blocked" in done.stderr


def test_verifier__runs_where_the_producer_is_blocked(tmp_path: Path) -> None:
    package = lay_out(package_base("raj-declared"), tmp_path / "package")
    store = write_store(tmp_path / "store", {"chain": whole_chain()})
    for words in ([package], ["--store", store], ["--self-test"]):
        done = blocked(RUN, *words)
        assert (done.returncode, done.stderr) == (0, ""), words
    (package / "input.txt").write_bytes(b"")
    assert blocked(RUN, package).returncode == 1


@cache
def statements(source: str) -> tuple[str, ...]:
    """The lines of a file in one spelling: no comment, no docstring, no import, nothing trivial."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [item for item in body if not is_left_out(item)] or [ast.Pass()]
    lines = (line.strip() for line in ast.unparse(tree).splitlines())
    return tuple(line for line in lines if line and line not in TRIVIAL)


def is_left_out(node: ast.stmt) -> bool:
    if isinstance(node, ast.Import | ast.ImportFrom):
        return True
    # A docstring, or a string that says what a constant is for.
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def runs(lines: Sequence[str], length: int) -> Iterator[tuple[str, ...]]:
    return zip(*(lines[start:] for start in range(length)), strict=False)


def shared(
    one: Iterable[tuple[str, str]], other: Iterable[tuple[str, str]], length: int
) -> list[str]:
    """Places of runs of lines in `other` that stand in `one` too; both are names and sources."""
    known = {run: name for name, source in one for run in runs(statements(source), length)}
    return [
        f"{name} and {known[run]}: {run[0]}"
        for name, source in other
        for run in runs(statements(source), length)
        if run in known
    ]


def sources(package: str) -> list[tuple[str, str]]:
    paths = sorted((ROOT / package).rglob("*.py"))
    return [(str(path.relative_to(ROOT)), path.read_text()) for path in paths]


def test_packages__share_no_run_of_lines() -> None:
    assert shared(sources("assembler"), sources("assembler_verifier"), SHARED_LINES) == []


@pytest.mark.parametrize("name", ["order.py", "request.py", "strict_json.py"])
def test_shared__finds_a_planted_copy(name: str) -> None:
    source = (ROOT / "assembler_verifier" / name).read_text()
    # Another layout, other comments, other imports: it is the same code.
    copied = "import os\n" + ast.unparse(ast.parse(source)).replace("\n", "  # copied\n")
    planted = [*sources("assembler"), ("planted.py", copied)]
    found = shared(planted, sources("assembler_verifier"), SHARED_LINES)
    assert any(f"{name} and planted.py" in place for place in found)


def test_shared__finds_one_copied_function() -> None:
    tree = ast.parse((ROOT / "assembler_verifier" / "envelope.py").read_text())
    function = next(
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name == "render_envelope"
    )
    planted = [("planted.py", f"A = 1\n{ast.unparse(function)}\nB = 2\n")]
    assert shared(planted, sources("assembler_verifier"), SHARED_LINES)


def test_shared__allows_what_both_have_to_spell() -> None:
    one = "def f():\n    a = 1\n    b = 2\n    return a + b\n"
    other = "def f():\n    # other\n    a = 1\n\n    b = 2\n    return a - b\n"
    assert shared([("one", one)], [("other", other)], 3)
    assert not shared([("one", one)], [("other", other)], 4)
