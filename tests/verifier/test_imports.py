from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import assembler_verifier

PACKAGE = Path(assembler_verifier.__file__).parent
HEAVY = {"asyncio", "email", "http", "logging", "subprocess", "tempfile", "unittest", "urllib"}


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} imports relatively"
            yield node.module or ""
        elif isinstance(node, ast.Name):
            assert node.id not in {"__import__", "eval", "exec"}, f"{path.name} hides an import"


def test_package__imports_the_standard_library_and_itself_only() -> None:
    for path in sorted(PACKAGE.rglob("*.py")):
        for name in imported(path):
            top = name.partition(".")[0]
            assert top == "assembler_verifier" or top in sys.stdlib_module_names, path.name
            assert top not in HEAVY | {"importlib"}, path.name


def test_package__keeps_files_short() -> None:
    for path in sorted(PACKAGE.rglob("*.py")):
        assert len(path.read_text().splitlines()) <= 400, path.name
