"""Print what an evidence task costs on real source trees, each committed into a new repository.

The task of each tree is made from the tree itself: its largest source file as target, the longest
definition of the next ones with its imports, excerpts, a failing test that names it, a summary
whose source has changed, and searches over everything. Times are medians of whole commands, as
ratios to P, `python -I -c pass`, interleaved. Usage:

    python benchmarks/evidence.py [--rounds N] [--tree DIR ...]

Without `--tree` the trees are packages that are installed beside the tests.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from assembler.adapters.symbols import TreeSitterReader  # noqa: E402
from assembler.config.task import Task, read_task  # noqa: E402
from assembler.front.assembling import assemble_repository  # noqa: E402
from assembler.front.profiles import read_document  # noqa: E402
from assembler.model.digest import sha256_hex  # noqa: E402
from assembler.model.symbols import Outline  # noqa: E402

PACKAGES: Final = ("mypy", "hypothesis", "anthropic")
ENDINGS: Final = (".py", ".ts", ".tsx", ".js", ".go", ".rs", ".java")
SKIPPED: Final = ("__pycache__", ".git", "node_modules")
MOST_FILE_BYTES: Final = 400_000
SYMBOLS: Final = 8
"""Files of which a definition is wanted."""


class Tree(NamedTuple):
    """A repository with a source tree in it."""

    name: str
    root: Path
    files: int
    size_bytes: int
    task: dict[str, Any]


def find_packages() -> list[Path]:
    """Where the packages lie that are installed here."""
    specs = (importlib.util.find_spec(name) for name in PACKAGES)
    return [Path(spec.origin).parent for spec in specs if spec is not None and spec.origin]


def commit_tree(source: Path, root: Path) -> Tree:
    """Commit a copy of a source tree into a new repository, and make its task."""
    place = root / source.name
    ignored = shutil.ignore_patterns(*SKIPPED, "*.pyc", "*.so")
    shutil.copytree(source, place / "src", ignore=ignored, symlinks=True)
    files = sorted(path for path in place.rglob("*") if path.is_file() and not path.is_symlink())
    chosen = choose_files(place, files)
    (place / "summaries").mkdir()
    (place / "summaries/notes.md").write_text("What the second file does, as it was.\n")
    index = {"schema": "assembler/artifacts/1", "artifacts": [make_artifact(place, chosen[1][0])]}
    (place / ".assembler").mkdir()
    (place / ".assembler/artifacts.json").write_text(json.dumps(index))
    for words in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-q", "-m", "tree")):
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.invalid")
        subprocess.run(["git", *identity, *words], cwd=place, check=True)
    size_bytes = sum(path.stat().st_size for path in files)
    return Tree(source.name, place, len(files), size_bytes, make_task(place, chosen))


def choose_files(place: Path, files: Sequence[Path]) -> list[tuple[str, str]]:
    """The largest source files with the longest definition of each."""
    sources = [
        path for path in files if path.suffix in ENDINGS and path.stat().st_size <= MOST_FILE_BYTES
    ]
    sources.sort(key=lambda path: (-path.stat().st_size, path))
    chosen = []
    with TreeSitterReader() as symbols:
        for path in sources[: 4 * SYMBOLS]:
            name = path.relative_to(place).as_posix()
            outline = symbols.outline(name, path.read_bytes())
            if isinstance(outline, Outline) and outline.definitions:
                longest = max(outline.definitions, key=lambda item: item.lines[1] - item.lines[0])
                chosen.append((name, ".".join(longest.names)))
    return chosen[: SYMBOLS + 2]


def make_artifact(place: Path, path: str) -> dict[str, Any]:
    """A summary that was made from other bytes of a file's first lines."""
    assert (place / path).is_file()
    source = {"path": path, "lines": [1, 40], "sha256": sha256_hex(b"as it was")}
    return {
        "id": "notes", "kind": "summary", "file": "summaries/notes.md", "revision": "before",
        "sources": [source],
    }  # fmt: skip


def make_task(place: Path, chosen: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """An evidence task over the chosen files."""
    target, name = chosen[0]
    word = name.rpartition(".")[2]
    report = f"FAILED {target}::{word} - AssertionError: {word}\nE   assert {word}\n"
    (place / "failure.txt").write_text(report)
    return {
        "schema": "assembler/task/1",
        "objective": f"repair {word}",
        "targets": [target],
        "evidence": [
            {"test": "suite", "file": "failure.txt", "around": word},
            *({"symbol": f"{path}#{symbol}", "imports": True} for path, symbol in chosen[2:]),
            {"file": chosen[1][0], "lines": [1, 20]},
            {"summary": "notes"},
        ],
        "search": [{"text": word}, {"name": "*.md"}, {"text": "import", "limit": 200}],
        "proof": f"pytest {target}",
    }


def run_here(tree: Tree, home: Path, at: str) -> Any:
    """One run in this process, for its figures."""
    data = json.dumps(tree.task).encode()
    task: Task = read_task(data, path="task.json", read_document=lambda d: read_document(d, "task"))
    environment = {"HOME": str(home), "PATH": os.environ["PATH"]}
    return assemble_repository(tree.root, task, environment=environment, at=at)


def measure(trees: Sequence[Tree], home: Path, rounds: int) -> dict[tuple[str, str], list[float]]:
    """Seconds of whole commands by tree and place in time; of P under two empty names."""
    seconds: dict[tuple[str, str], list[float]] = {}
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    commands = {("", ""): ([sys.executable, "-I", "-c", "pass"], home)}
    for tree in trees:
        (tree.root.parent / f"{tree.name}.json").write_text(json.dumps(tree.task))
        for at in ("worktree", "HEAD"):
            task = str(tree.root.parent / f"{tree.name}.json")
            words = [sys.executable, "-m", "assembler", "assemble", "--task", task, "--at", at]
            commands[tree.name, at] = (words, tree.root)
    for _ in range(rounds + 1):  # the first fills the cache of counts
        for key, (words, cwd) in commands.items():
            began = time.perf_counter()
            done = subprocess.run(words, cwd=cwd, env=environment, capture_output=True, check=False)
            seconds.setdefault(key, []).append(time.perf_counter() - began)
            if done.returncode:
                sys.exit(f"{key}: {done.stderr.decode()}")
    return {key: values[1:] for key, values in seconds.items()}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tree", type=Path, action="append", help="a source tree to take")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        home = scratch / "home"
        home.mkdir()
        sources = [path.resolve() for path in options.tree or find_packages()]
        trees = [commit_tree(source, scratch) for source in sources]
        seconds = measure(trees, home, options.rounds)
        one = statistics.median(seconds.pop(("", "")))
        print(f"P = {one * 1000:.1f} ms")
        print("tree            files     MB  at        time     P  candidates  in  git processes")
        for tree in trees:
            for at in ("worktree", "HEAD"):
                run = run_here(tree, home, at)
                rows = run.recorded.package.rows
                median = statistics.median(seconds[tree.name, at])
                selected = sum(row["decision"] == "selected" for row in rows)
                print(
                    f"{tree.name[:14]:<14} {tree.files:>6,} {tree.size_bytes / 1e6:>6.1f}  "
                    f"{at:<8} {median:>5.2f} s {median / one:>5.1f}  {len(rows):>10}  "
                    f"{selected:>2}  {run.git_processes:>13}"
                )
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        print(f"largest process: {peak / 1024:.0f} MB")


if __name__ == "__main__":
    main()
