"""Who may import whom; read off the syntax tree, so that a lazy import counts too."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "assembler"
ROOMS = ("discover", "authorize", "assess", "select", "render", "bind", "record")
CORE = {"model", "ports", "errors"}

# Rooms of the package that a room may import, and packages of others.
ALLOWED: dict[str, tuple[set[str], set[str]]] = {
    "model": ({"model"}, set()),
    "ports": ({"model"}, set()),
    "errors": (set(), set()),
    **{room: (CORE | {room}, set()) for room in ROOMS},
    "config": ({"model", "errors", "config"}, {"msgspec"}),
    "adapters": (
        CORE | {"adapters"},
        {
            "yaml",
            "tree_sitter",
            "re2",
            "tiktoken",
            "git",
            "mcp",
            "mcp_types",
            "anyio",
            "httpx2",
            "pydantic",
        },
    ),
    "offers": (CORE | {"offers", *ROOMS}, set()),
    "compare": ({"model", "errors", "compare"}, set()),
    "diagnose": ({"model", "errors", "diagnose"}, set()),
    "agents": ({"model", "errors", "agents"}, set()),
    "transcript": ({"model", "errors", "transcript"}, set()),
    "pipeline": (CORE | {"offers", *ROOMS}, set()),
    "front": (
        CORE
        | {
            "front",
            "pipeline",
            "offers",
            "adapters",
            "agents",
            "compare",
            "config",
            "diagnose",
            "transcript",
            *ROOMS,
        },
        {"msgspec", "anyio"},
    ),
    "cli": (
        CORE
        | {
            "cli",
            "front",
            "assess",
            "adapters",
            "compare",
            "config",
            "diagnose",
            "transcript",
            "assembler",
        },
        {"click", "assembler_verifier"},
    ),
    "__init__": ({"errors", "front", "config", "pipeline", "ports"}, set()),
    "__main__": ({"cli", "assembler"}, set()),
}
CORE_ROOMS = {*ROOMS, "model", "pipeline", "offers", "compare", "diagnose", "agents", "transcript"}
WORLD = {
    "os", "socket", "subprocess", "sqlite3", "shutil", "tempfile", "time", "datetime", "random",
    "pathlib", "io", "glob", "urllib", "threading", "asyncio", "signal", "sys",
}  # fmt: skip
"""What touches the world; closed to the core."""


@cache
def modules() -> tuple[Path, ...]:
    return tuple(sorted(PACKAGE.rglob("*.py")))


def room_of(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


@cache
def imported_names(path: Path) -> tuple[str, ...]:
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            assert node.module is not None
            if node.module == "assembler":
                names += [f"assembler.{alias.name}" for alias in node.names]
            else:
                names.append(node.module)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id != "__import__", f"{path} imports by name"
    return tuple(names)


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_import__stays_inside_what_the_room_may_use(path: Path) -> None:
    room = room_of(path)
    own, others = ALLOWED[room]
    for name in imported_names(path):
        top, _, rest = name.partition(".")
        if top == "assembler":
            target = rest.partition(".")[0]
            if target == "__version__":
                target = "assembler"
            assert target in own, f"{room} imports assembler.{target}"
        elif top not in sys.stdlib_module_names:
            assert top in others, f"{room} imports {top}"


@pytest.mark.parametrize(
    "path",
    [path for path in modules() if room_of(path) in CORE_ROOMS],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_core__does_not_touch_the_world(path: Path) -> None:
    touched = {name.partition(".")[0] for name in imported_names(path)} & WORLD
    assert not touched


def test_click__stands_in_the_command_line_alone() -> None:
    homes = {room_of(path) for path in modules() if "click" in imported_names(path)}
    assert homes == {"cli"}


def test_msgspec__is_imported_in_one_place() -> None:
    users = [path for path in modules() if "msgspec" in imported_names(path)]
    assert [path.relative_to(PACKAGE).as_posix() for path in users] == ["config/records.py"]


def test_mcp__stands_in_the_client_of_servers_alone() -> None:
    users = {
        path.relative_to(PACKAGE).as_posix()
        for path in modules()
        if {"mcp", "mcp_types", "httpx2", "pydantic"}
        & {name.partition(".")[0] for name in imported_names(path)}
    }
    assert users
    assert all(user.startswith("adapters/mcp_") for user in users)


def test_mcp__is_not_loaded_before_a_server_is_asked() -> None:
    program = (
        "import sys, assembler, assembler.cli, assembler.adapters.mcp_client\n"
        "print(sorted({'mcp', 'mcp_types', 'anyio', 'httpx2', 'pydantic'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_re2__stands_where_patterns_secrets_and_signals_are_looked_for() -> None:
    users = [path.name for path in modules() if "re2" in imported_names(path)]
    assert sorted(users) == ["patterns.py", "secret_scan.py", "signal_scan.py"]


def test_tree_sitter__stands_where_the_process_of_the_parser_runs() -> None:
    users = {path.name for path in modules() if "tree_sitter" in imported_names(path)}
    assert "symbol_parser.py" in users
    assert all(name.startswith("symbol") for name in users)
    parents = {path.name for path in modules() if "assembler.adapters.symbol_parser" in
               imported_names(path)}  # fmt: skip
    assert parents == {"symbol_worker.py"}
    assert not [path for path in modules() if "assembler.adapters.symbol_worker" in
                imported_names(path)]  # fmt: skip


def test_event_loops__are_the_live_listings_and_the_sessions() -> None:
    users = {
        str(path.relative_to(PACKAGE)) for path in modules() if "anyio" in imported_names(path)
    }
    assert {name for name in users if not name.startswith("adapters/mcp_")} == {
        "adapters/process_group.py",
        "front/catalog_session.py",
    }


def test_verifier__imports_the_standard_library_and_itself() -> None:
    for path in sorted((ROOT / "assembler_verifier").rglob("*.py")):
        for name in imported_names(path):
            top = name.partition(".")[0]
            assert top == "assembler_verifier" or top in sys.stdlib_module_names, f"{path}: {name}"


def test_rule__would_see_a_forbidden_import(tmp_path: Path) -> None:
    lazy = tmp_path / "lazy.py"
    lazy.write_text("def f():\n    import subprocess\n    from assembler.front import places\n")
    assert set(imported_names(lazy)) == {"subprocess", "assembler.front"}
