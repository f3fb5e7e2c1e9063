"""Print how compiling an inventory grows with the number of its candidates, as ratios.

Each figure of the first part is time / (n log2 n), divided by the same at the smallest n: 1.0
everywhere is growth by n log n exactly, and a row that rises grows faster. The second part runs
the whole command and adds the ratio to P, which is `python -I -c pass`. Usage:

    python benchmarks/compile.py [--rounds N] [--sizes N,N,N]

The inventories are those of tests/builders/many.py: seals, groups, lineage, duplicates and
conflicts, and half of what could enter fits.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from assembler.adapters.vocabulary import open_counter  # noqa: E402
from assembler.config.inventory_limits import check_limits  # noqa: E402
from assembler.pipeline import compile_inventory  # noqa: E402
from tests.builders.inventories import normal_form  # noqa: E402
from tests.builders.many import CONTRACT_LAYOUT, TEXT_LAYOUT, many_candidates  # noqa: E402

ROWS = [
    (counter, layout)
    for counter in ("declared", "o200k_base", "code-points")
    for layout in (TEXT_LAYOUT, CONTRACT_LAYOUT)
]
COMMANDS = (("declared", TEXT_LAYOUT), ("o200k_base", TEXT_LAYOUT), ("o200k_base", CONTRACT_LAYOUT))


def compile_once(value: dict[str, Any]) -> None:
    """Everything between a parsed document and a package, without the record."""
    inventory, contents = normal_form(value)
    check_limits(inventory, contents)
    compile_inventory(inventory, contents, lambda name: open_counter(name, None))


def seconds(work: Callable[[], object], *, rounds: int) -> float:
    """The median of some rounds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def rounds_for(size: int, sizes: Sequence[int], rounds: int) -> int:
    """More rounds where one is short: a small one is soon disturbed."""
    return max(rounds, rounds * min(sizes[-1] // size, 7))


def growth(times: Sequence[float], sizes: Sequence[int]) -> list[float]:
    """Time / (n log2 n), relative to the first."""
    scaled = [spent / (size * math.log2(size)) for spent, size in zip(times, sizes, strict=True)]
    return [figure / scaled[0] for figure in scaled]


def run_command(arguments: Sequence[str], home: Path) -> None:
    """Run Python in a home of its own; a failure ends the benchmark."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=home,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=False,
    )
    if done.returncode != 0:
        sys.exit(f"{arguments} exited {done.returncode}: {done.stderr.decode()}")


def print_compiling(sizes: Sequence[int], rounds: int) -> None:
    """The first part: in this process."""
    open_counter("o200k_base", None).count(b"loads the vocabulary, which is no part of this")
    print("compile, in process: time / (n log2 n), relative to the first column")
    print(f"{'':38}" + "".join(f"{size:>10,}" for size in sizes))
    for counter, layout in ROWS:
        values = [many_candidates(size, counter=counter, layout=layout) for size in sizes]
        times = [
            seconds(
                lambda value=value: compile_once(value),
                rounds=rounds_for(size, sizes, rounds),
            )
            for value, size in zip(values, sizes, strict=True)
        ]
        figures = growth(times, sizes)
        print(f"{counter + ', ' + layout:38}" + "".join(f"{figure:10.2f}" for figure in figures))


def print_commands(sizes: Sequence[int], rounds: int, scratch: Path) -> None:
    """The second part: `assemble --inventory FILE`, counts cached, without a package folder."""
    pass_seconds = seconds(
        lambda: run_command(["-I", "-c", "pass"], scratch), rounds=2 * rounds + 1
    )
    print("\nassemble --inventory FILE: ratio to P, then growth as above")
    print(f"{'':38}" + "".join(f"{size:>18,}" for size in sizes))
    for counter, layout in COMMANDS:
        times = []
        for size in sizes:
            path = scratch / "inventory.json"
            path.write_text(json.dumps(many_candidates(size, counter=counter, layout=layout)))
            command = ["-m", "assembler", "assemble", "--inventory", str(path)]
            run_command(command, scratch)  # once unmeasured: file caches and counts
            times.append(
                seconds(lambda command=command: run_command(command, scratch), rounds=rounds)
            )
        cells = [
            f"{spent / pass_seconds:9.1f} P {figure:6.2f}"
            for spent, figure in zip(times, growth(times, sizes), strict=True)
        ]
        print(f"{counter + ', ' + layout:38}" + "".join(f"{cell:>18}" for cell in cells))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Growth as ratios.")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sizes", default="100,1000,10000")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    print_compiling(sizes, options.rounds)
    with tempfile.TemporaryDirectory() as scratch:
        print_commands(sizes, options.rounds, Path(scratch))


if __name__ == "__main__":
    main()
