"""Print what reading skills costs, as ratios inside one interleaved run.

Y is `yaml.load(block, CSafeLoader)` of the front matter of the same files. Rounds are interleaved
(A B, A B, ...), and each figure is a median, so that what else the machine does falls on all rows
alike. The files are made up in real sizes: front matter of 275 bytes in the median and 1,152 at
the 99th percentile, bodies of 6.6 KB in the median (2,049 public SKILL.md).

A second table has the list of 1,000 skills with two resources each. R is to walk their folders and
read every file once; the list is that of `skills list`, in this process and with every count
cached, then with the digest of every folder, then the whole command. Usage:

    python benchmarks/skills.py [--rounds N] [--files N] [--skills N]
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import yaml

from assembler.adapters.frontmatter import read_front_matter, split_front_matter
from assembler.discover.skills import build_skill
from assembler.front.skill_listing import report_skills
from assembler.model.skill import SkillFolder
from assembler.model.tree import Entry, EntryKind

CEILINGS = {"read_front_matter": "1.2 Y", "skills list": "3 R"}
"""Of the design; a row without one is there to compare with."""

PROSE = (
    "use when the user asks about rain totals per month, reads a PDF, or migrates callers from one "
    "version to the next; covers tests (unit and end to end), naming, errors and what to do first"
)


class Row:
    """One measured pass over all files, and its times."""

    def __init__(self, name: str, run: Callable[[], None]) -> None:
        self.name = name
        self.run = run
        self.seconds: list[float] = []

    def measure(self) -> None:
        """Run it once and keep its wall time."""
        start = time.perf_counter()
        self.run()
        self.seconds.append(time.perf_counter() - start)

    @property
    def median(self) -> float:
        """Median of its wall times, in seconds."""
        return statistics.median(self.seconds)


def make_file(number: int, chance: random.Random) -> bytes:
    """A SKILL.md of a real size; four in ten are quoted, a third have more than two fields."""
    length = min(1_024, max(40, int(chance.lognormvariate(5.2, 0.6))))
    some = chance.choices(PROSE.split(), k=length // 5 + 1)
    words = " ".join(some)[:length].strip()
    quote = '"' if chance.random() < 0.4 else ""
    plain = words if quote else words.replace(": ", " ")
    lines = [f"name: skill-{number}", f"description: {quote}{plain}{quote}"]
    if chance.random() < 0.2:
        lines.append("license: MIT")
    if chance.random() < 0.3:
        lines.append("origin: mirror")
    if chance.random() < 0.17:
        lines += [
            "metadata:",
            "  author: someone",
            '  version: "1.0"',
            "  tags:",
            "    - a",
            "    - b",
        ]
    if chance.random() < 0.05:
        lines.append("allowed-tools: Bash(git:*) Read Grep")
    body = ("Do the first thing, then the next one.\n" * 400)[
        : int(chance.lognormvariate(8.8, 0.7))
    ]
    head = "\n".join(lines)
    return f"---\n{head}\n---\n\n# Skill {number}\n\n{body}\n".encode()


def make_rows(files: Sequence[bytes]) -> list[Row]:
    """Every measured pass; the first is the one that the others are compared with."""
    blocks = [file[(at := split_front_matter(file)).start : at.end] for file in files]
    folder = SkillFolder("s/x", "", "s", Entry("s/x/SKILL.md", EntryKind.FILE), ())

    def load_yaml() -> None:
        for block in blocks:
            yaml.load(block, Loader=yaml.CSafeLoader)

    def read_front() -> None:
        for file in files:
            read_front_matter(file)

    def build() -> None:
        for file in files:
            build_skill(folder, file, read_front_matter)

    return [
        Row("Y: yaml.load(CSafeLoader)", load_yaml),
        Row("read_front_matter", read_front),
        Row("build_skill: read, checked, digests", build),
    ]


def write_skills(root: Path, count: int, chance: random.Random) -> None:
    """A repository of skills, each with two files of references."""
    words = PROSE.split()
    for number in range(count):
        folder = root / f".agents/skills/skill-{number}"
        (folder / "references").mkdir(parents=True)
        (folder / "SKILL.md").write_bytes(make_file(number, chance))
        for name in ("one.md", "two.md"):
            text = f"{number} {name} " + " ".join(chance.choices(words, k=900))
            (folder / "references" / name).write_text(text)
    subprocess.run(["git", "init", "-q", str(root)], check=True)


def read_once(root: Path) -> None:
    """Every file below the folder, read and forgotten."""
    for folder, _, names in os.walk(root):
        for name in names:
            Path(folder, name).read_bytes()


def make_list_rows(root: Path, environment: dict[str, str]) -> list[Row]:
    """To read the files once, and to list their skills."""

    def list_skills() -> None:
        report_skills(root, environment=environment, every_digest=False)

    def list_digests() -> None:
        report_skills(root, environment=environment)

    def run_command() -> None:
        command = [sys.executable, "-m", "assembler", "skills", "list"]
        subprocess.run(command, cwd=root, env=environment, check=True, capture_output=True)

    return [
        Row("R: read every file once", lambda: read_once(root / ".agents")),
        Row("skills list", list_skills),
        Row("skills list, every digest", list_digests),
        Row("the command, its start included", run_command),
    ]


def print_table(rows: Sequence[Row], unit_name: str, rounds: int) -> None:
    """Measure the rows in turn, and print each with its ratio to the first."""
    for row in rows:
        row.run()
    for _ in range(rounds):
        for row in rows:
            row.measure()
    unit = rows[0].median
    print(f"{'row':<36} {'ms':>8} {unit_name:>6}  ceiling")
    for row in rows:
        ceiling = CEILINGS.get(row.name, "")
        print(
            f"{row.name:<36} {row.median * 1e3:>8.1f} {row.median / unit:>6.2f}  {ceiling}".rstrip()
        )


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--files", type=int, default=2_000)
    parser.add_argument("--skills", type=int, default=1_000)
    options = parser.parse_args()
    chance = random.Random(1)
    files = [make_file(number, chance) for number in range(options.files)]
    print_table(make_rows(files), "Y", options.rounds)
    with tempfile.TemporaryDirectory() as name:
        root = Path(name).resolve() / "repository"
        write_skills(root, options.skills, chance)
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": name,
            "PYTHONPATH": str(Path(__file__).resolve().parents[1]),
        }
        print()
        print_table(make_list_rows(root, environment), "R", options.rounds)


if __name__ == "__main__":
    main()
