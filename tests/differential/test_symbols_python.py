"""Python's own parser as the oracle: the lines of every definition of real modules."""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterator
from pathlib import Path

from assembler.adapters.symbols import TreeSitterReader
from assembler.model.symbols import Definition, Outline

MODULES = (
    "argparse", "ast", "asyncio.base_events", "collections", "configparser", "dataclasses",
    "decimal", "email.message", "enum", "functools", "inspect", "logging", "pathlib", "pickle",
    "re", "subprocess", "tarfile", "typing", "unittest.mock", "zipfile",
)  # fmt: skip


def source_of(module: str) -> bytes:
    spec = importlib.util.find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).read_bytes()


def definitions_of(tree: ast.Module) -> Iterator[tuple[str, int, int]]:
    """Name, first line with decorators, and last line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            first = min([node.lineno, *(item.lineno for item in node.decorator_list)])
            assert node.end_lineno is not None
            yield node.name, first, node.end_lineno


def test_definitions__are_those_of_the_language_itself() -> None:
    seen = 0
    with TreeSitterReader() as symbols:
        for module in MODULES:
            data = source_of(module)
            outline = symbols.outline(f"{module}.py", data)
            assert isinstance(outline, Outline), module
            assert not outline.has_errors, module
            found = {
                (item.names[-1], item.lines[0]): item
                for item in outline.definitions
                if item.kind in ("function", "type")
            }
            for name, first, last in definitions_of(ast.parse(data)):
                assert (name, first) in found, (module, name, first)
                require_end(found.pop((name, first)), last, data)
                seen += 1
            assert not found, module
    assert seen > 1_500


def require_end(found: Definition, last: int, data: bytes) -> None:
    """The same last line; comments of a body behind its last statement are of the body."""
    behind = data.split(b"\n")[last : found.lines[1]]
    assert found.lines[1] >= last
    assert all(not line.strip() or line.strip().startswith(b"#") for line in behind)
