"""Print what a pinned catalog is worth: every vector of drift through the command line.

A scratch repository pins the base catalog; then each vector is checked against that pin, every
command in a process of its own. A check that exits 0 on a changed catalog missed a change, one
that exits otherwise on an unchanged catalog is a false alarm. P is `python -I -c pass`, interleaved
with the checks, so that what else the machine does falls on both alike. Usage:

    python benchmarks/catalogs.py [--rounds N] [--write]

`--write` puts the table into docs/tool-catalogs.md, where a test holds what is no time.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parents[1]
VECTORS: Final = ROOT / "tests" / "conformance" / "catalogs"
PAGE: Final = ROOT / "docs" / "tool-catalogs.md"
BEGIN: Final = "<!-- benchmarks/catalogs.py: begin -->\n"
END: Final = "<!-- end -->\n"
SERVER: Final = "vector"
BASE: Final = "v01-base"

Run = Callable[[Sequence[str]], int]
"""Runs the product with these arguments in the scratch repository, and gives its exit code."""


class Vector(NamedTuple):
    """One listing, page by page, and what a check against the base must say."""

    name: str
    must: str
    """`MUST change the digest`, `must NOT change the digest` or `MUST be refused`."""
    pages: tuple[Path, ...]


class Peer(NamedTuple):
    """Another tool as it was measured: a live server under it, its strictest usual flags."""

    name: str
    false_alarms: int
    missed: int
    refused: int
    median: str


PEERS: Final = (
    Peer("mcpdrift 0.1.0", 3, 0, 0, "0.05 s"),
    Peer("mcp-pin / heldfast 0.1.8", 3, 4, 0, "0.13 s"),
    Peer("mcp-warden 2.2.0", 1, 5, 4, "0.77 s"),
    Peer("mcp-tool-pin-check 0.2.2", 1, 5, 0, "0.03 s"),
    Peer("toolgate-pin 0.1.0", 1, 7, 1, "0.40 s"),
    Peer("mcplock 1.0.3", 2, 9, 0, "0.70 s"),
    Peer("mcp-diff 0.1.0", 3, 24, 0, "0.06 s"),
)
"""On 49 vectors, of which those of this repository are 42."""
PEER_VECTORS: Final = (10, 32, 7)
"""How many of the 49 must not change, must change, must be refused."""


def load_vectors(scratch: Path) -> list[Vector]:
    """All vectors by name, their pages written into files."""
    vectors = []
    for path in sorted(VECTORS.glob("v*.json")):
        document = json.loads(path.read_bytes())
        pages = []
        for number, text in enumerate(document["pages"]):
            page = scratch / f"{path.stem}.{number}.json"
            page.write_bytes(text.encode("utf-8", "surrogatepass"))
            pages.append(page)
        vectors.append(Vector(path.stem, document["must"], tuple(pages)))
    return vectors


def pin_arguments(vectors: Sequence[Vector]) -> list[str]:
    """The command that pins the base."""
    base = next(vector for vector in vectors if vector.name == BASE)
    return ["tools", "pin", SERVER, *_saved(base)]


def check_arguments(vector: Vector) -> list[str]:
    """The command that checks a vector against the pin."""
    return ["tools", "check", SERVER, *_saved(vector)]


def _saved(vector: Vector) -> list[str]:
    return [word for page in vector.pages for word in ("--from", str(page))]


def check_all(vectors: Sequence[Vector], run: Run) -> dict[str, int]:
    """Pin the base, then the exit code of each vector's check, by its name."""
    if code := run(pin_arguments(vectors)):
        sys.exit(f"tools pin exited {code}")
    return {vector.name: run(check_arguments(vector)) for vector in vectors}


def of_kind(vectors: Sequence[Vector], word: str) -> list[str]:
    """The vectors that must `NOT` change the digest, must `change` it, or must be `refused`."""
    unchanged = [vector.name for vector in vectors if "NOT" in vector.must]
    if word == "NOT":
        return unchanged
    return [v.name for v in vectors if word in v.must and v.name not in unchanged]


def write_table(vectors: Sequence[Vector], codes: Mapping[str, int], median: str) -> str:
    """The table as the page has it."""
    same, changed, refused = (of_kind(vectors, word) for word in ("NOT", "change", "refused"))
    own = (
        f"{sum(codes[name] != 0 for name in same)} of {len(same)}",
        f"{sum(codes[name] == 0 for name in changed)} of {len(changed)}",
        f"{sum(codes[name] == 2 for name in refused)} of {len(refused)}",
    )
    lines = [
        "| tool | vectors | false alarms | missed changes | refused with exit 2 | median check |",
        "|---|---|---|---|---|---|",
        f"| assembler, `tools check --from` | {len(vectors)} | {' | '.join(own)} | {median} |",
    ]
    total = sum(PEER_VECTORS)
    for peer in PEERS:
        counts = zip((peer.false_alarms, peer.missed, peer.refused), PEER_VECTORS, strict=True)
        cells = " | ".join(f"{count} of {number}" for count, number in counts)
        lines.append(f"| {peer.name} | {total} | {cells} | {peer.median} |")
    return "\n".join(lines) + "\n"


def replace_table(text: str, table: str) -> str:
    """The page with another table between its marks."""
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}{table}{END}{rest.partition(END)[2]}"


def make_repository(folder: Path) -> None:
    """A repository with one commit, as `tools pin` wants one."""
    git = ["git", "-c", "user.name=b", "-c", "user.email=b@example.org", "-C", str(folder)]
    folder.mkdir()
    (folder / "AGENTS.md").write_text("# Rules\n")
    for arguments in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "all"]):
        subprocess.run([*git, *arguments], check=True)


def run_process(command: Sequence[str], cwd: Path, environment: Mapping[str, str]) -> int:
    """Run a command quietly; its exit code."""
    done = subprocess.run(
        command,
        cwd=cwd,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    return done.returncode


def measure(scratch: Path, *, rounds: int) -> str:
    """The table, with the median of all checks as a multiple of P."""
    repository = scratch / "repository"
    make_repository(repository)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(scratch),
        "LANG": "C.UTF-8",
        "PYTHONPATH": str(ROOT),
    }
    product = [sys.executable, "-m", "assembler"]
    plain = [sys.executable, "-I", "-c", "pass"]
    vectors = load_vectors(scratch)
    codes = check_all(
        vectors, lambda arguments: run_process([*product, *arguments], repository, environment)
    )
    starts: list[float] = []
    checks: list[float] = []
    for _ in range(rounds):
        for vector in vectors:
            for command, seconds in (
                (plain, starts),
                ([*product, *check_arguments(vector)], checks),
            ):
                begun = time.perf_counter()
                run_process(command, repository, environment)
                seconds.append(time.perf_counter() - begun)
    ratio = statistics.median(checks) / statistics.median(starts)
    return write_table(vectors, codes, f"{ratio:.1f} P")


def main() -> None:
    """Measure, print, and write on demand."""
    parser = argparse.ArgumentParser(description="What a pinned catalog is worth.")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", action="store_true", help=f"put the table into {PAGE.name}")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        table = measure(Path(scratch), rounds=options.rounds)
    print(table, end="")
    if options.write:
        PAGE.write_text(replace_table(PAGE.read_text(encoding="utf-8"), table), encoding="utf-8")


if __name__ == "__main__":
    main()
