"""Print what each command costs as ratios inside one interleaved run.

P is `python -I -c pass`, L is `git ls-files -s` in the big repository, T is one cold load of the
o200k_base vocabulary. Rounds are interleaved (A B C, A B C, ...), and each figure is a median, so
that what else the machine does falls on all rows alike. Usage:

    [CODEX_BIN=/path/to/codex] python benchmarks/start_up.py [--rounds N] [--files N]

The product is measured as users have it: installed from a wheel, byte-compiled, in a virtual
environment of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOAD_VOCABULARY = (
    "from assembler.adapters.vocabulary import VOCABULARIES, load_encoding;"
    "load_encoding(VOCABULARIES['o200k_base'])"
)
CHECK = "check in the big repository"
CHECK_OF_A_COMMIT = "check --at HEAD in the big repository"
DIFF = "diff of two revisions in the big repository"
MOST_CHECKS = 2.2
"""Of a diff: it looks at two places as a check looks at one."""
CEILINGS = {
    "--version": "2 P",
    "--help": "6 P",
    "chain, cached": "6 P",
    "chain with a profile, cached": "9 P",
    "chain in the big repository, cached": "6 P",
    "chain --agent codex, cached": "6 P",
    "assemble, cached": "18 P",
    "tools list, saved listing": "9 P",
    "tools check, saved listing": "9 P",
    "tools list SERVER with a profile and a host manifest": "9 P",
    "tools check with a profile": "9 P",
    "tools check with a profile and a host manifest": "9 P",
    "tools list in the big repository, saved listing": "9 P",
    "tools check in the big repository, saved listing": "9 P",
    CHECK: "12 P",
    "chain --all in the big repository, cached": "18 L",
}
"""Of the design; a row without one is there to compare with."""
SIZES = {5_000: (200, 30), 100_000: (1_000, 1_000)}
"""Instruction files and skills of a big repository, by its files."""
CEILINGS_OF_THE_LARGEST = {CHECK: "18 L"}

LISTING = ROOT / "tests/conformance/catalogs/v01-base.json"
"""Its first page is a saved listing of three tools."""

ALLOWED = "servers: {index: {allow: [read_file]}}"
"""One of them, as profile and host manifest allow it."""

CODEX_ITSELF = "codex debug prompt-input"
"""Measured where CODEX_BIN names it: `chain --agent codex` should be no slower."""


class Row:
    """One measured command: how to run it, whether its counts are known, and its times."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        cwd: Path,
        *,
        cold: bool = False,
    ) -> None:
        self.name = name
        self.command = list(command)
        self.cwd = cwd
        self.cold = cold
        self.seconds: list[float] = []

    def run(self, environment: dict[str, str]) -> None:
        """Run it once and keep its wall time; a cold row has a home of its own, made anew."""
        if self.cold:
            home = Path(environment["HOME"] + "-cold")
            shutil.rmtree(home, ignore_errors=True)
            environment = {**environment, "HOME": str(home)}
        start = time.perf_counter()
        done = subprocess.run(
            self.command,
            cwd=self.cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            check=False,
        )
        self.seconds.append(time.perf_counter() - start)
        if done.returncode != 0:
            sys.exit(f"{self.name} exited {done.returncode}: {done.stderr.decode()}")

    @property
    def median(self) -> float:
        """Median of its wall times, in seconds."""
        return statistics.median(self.seconds)


def make_repository(
    folder: Path, *, files: int, git: list[str], instructions: int = 0, skills: int = 0
) -> None:
    """A repository with that many files; instruction files and skills in folders of their own."""
    folder.mkdir(parents=True)
    subprocess.run([*git, "init", "-q", "-b", "main", str(folder)], check=True)
    (folder / "AGENTS.md").write_text("# Rules\n\n" + "Keep the diff small.\n" * 40)
    for number in range(files):
        path = folder / f"p{number % 100:02}/d{number // 100 % 50:02}/f{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"def f{number}():\n    return {number}\n")
        if number < instructions:
            (path.parent / "AGENTS.md").write_text(f"# Folder {number}\n\nOne rule.\n")
    for number in range(skills):
        # Thirty in the root, which every run lists, and the others where few runs start.
        level = folder if number < 30 else folder / f"p{number % 100:02}"
        skill = level / f".agents/skills/skill-{number}"
        (skill / "scripts").mkdir(parents=True)
        (skill / "SKILL.md").write_text(
            f"---\nname: skill-{number}\ndescription: Does thing {number}, when asked.\n---\n"
            + "One step after the other.\n" * 20
        )
        (skill / "scripts/run.sh").write_text(f"echo {number}\n")
    subprocess.run([*git, "-C", str(folder), "add", "-A"], check=True)
    subprocess.run([*git, "-C", str(folder), "commit", "-q", "-m", "all"], check=True)


def install(folder: Path) -> Path:
    """The product in a virtual environment, as `pip install` leaves it; its folder of scripts.

    What it depends on is taken from the environment that runs this file.
    """
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    quiet = ["--quiet", "--disable-pip-version-check"]
    wheels = folder.parent / "wheels"
    build = [sys.executable, "-m", "pip", *quiet, "wheel", "--no-deps", "--no-build-isolation"]
    subprocess.run([*build, "-w", str(wheels), str(ROOT)], check=True, env=environment)
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    (wheel,) = wheels.glob("*.whl")
    pip = [str(folder / "bin/python"), "-m", "pip", *quiet]
    subprocess.run([*pip, "install", "--no-deps", str(wheel)], check=True, env=environment)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder / "bin"


def evidence_task(entries: int) -> str:
    """A task that wants that many files as evidence."""
    lines = "".join(
        f"  - {{file: p{number % 100:02}/d{number // 100 % 50:02}/f{number}.py}}\n"
        for number in range(entries)
    )
    return f"schema: assembler/task/1\nobjective: measure\nevidence:\n{lines}"


def measure(scratch: Path, *, rounds: int, files: int) -> list[Row]:
    """All rows, measured side by side."""
    home = scratch / "home"
    home.mkdir()
    git = ["git", "-c", "user.name=b", "-c", "user.email=b@example.org"]
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"}
    small, profiled, big = scratch / "small", scratch / "profiled", scratch / "big"
    granted = scratch / "granted"
    make_repository(small, files=400, git=git)
    shutil.copytree(small, profiled)
    (profiled / ".assembler").mkdir()
    (profiled / ".assembler/profile.yaml").write_text("schema: assembler/profile/1\n")
    shutil.copytree(profiled, granted)
    with (granted / ".assembler/profile.yaml").open("a") as profile:
        profile.write(f"tools: {{{ALLOWED}}}\n")
    (scratch / "host.yaml").write_text(f"schema: assembler/host/1\n{ALLOWED}\n")
    instructions, skills = SIZES[files]
    make_repository(big, files=files, instructions=instructions, skills=skills, git=git)
    with (big / "AGENTS.md").open("a") as root_file:
        root_file.write("One rule more.\n")
    subprocess.run([*git, "-C", str(big), "commit", "-qam", "more"], check=True)
    (scratch / "task.yaml").write_text(evidence_task(200))
    scripts = install(scratch / "venv")
    python, product = str(scripts / "python"), str(scripts / "assembler")
    assemble = [product, "assemble", "--task", str(scratch / "task.yaml")]
    listing = scratch / "listing.json"
    listing.write_text(json.loads(LISTING.read_bytes())["pages"][0])
    list_tools = [product, "tools", "list", "--from", str(listing)]
    check_tools = [product, "tools", "check", "index", "--from", str(listing)]
    by_host = ["--host", str(scratch / "host.yaml")]
    for repository, more in ((small, []), (profiled, []), (granted, by_host), (big, [])):
        pin_tools = [product, "tools", "pin", "index", "--from", str(listing), *more]
        subprocess.run(pin_tools, cwd=repository, env=environment, check=True, capture_output=True)
    list_server = [product, "tools", "list", "index", "--from", str(listing), *by_host]

    rows = [
        Row("P  python -I -c pass", [python, "-I", "-c", "pass"], small),
        Row("L  git ls-files -s, big", ["git", "ls-files", "-s"], big),
        Row("T  load o200k_base", [python, "-I", "-c", LOAD_VOCABULARY], small),
        Row("--version", [product, "--version"], small),
        Row("--help", [product, "--help"], small),
        Row("chain, cold", [product, "chain"], small, cold=True),
        Row("chain, cached", [product, "chain"], small),
        Row("chain with a profile, cached", [product, "chain"], profiled),
        Row("chain in the big repository, cached", [product, "chain", "-C", "p00/d00"], big),
        Row("chain --agent codex, cached", [product, "chain", "--agent", "codex"], small),
        Row("chain --all in the big repository, cached", [product, "chain", "--all"], big),
        Row(CHECK, [product, "check"], big),
        Row(CHECK_OF_A_COMMIT, [product, "check", "--at", "HEAD"], big),
        Row(DIFF, [product, "diff", "HEAD~1..HEAD"], big),
        Row("assemble, cold", assemble, small, cold=True),
        Row("assemble, cached", assemble, small),
        Row("assemble in the big repository, cached", assemble, big),
        Row("tools list, saved listing", list_tools, small),
        Row("tools check, saved listing", check_tools, small),
        Row("tools list SERVER with a profile and a host manifest", list_server, granted),
        Row("tools check with a profile", check_tools, profiled),
        Row("tools check with a profile and a host manifest", [*check_tools, *by_host], granted),
        Row("tools list in the big repository, saved listing", list_tools, big),
        Row("tools check in the big repository, saved listing", check_tools, big),
    ]
    if program := os.environ.get("CODEX_BIN"):
        rows.append(Row(CODEX_ITSELF, [program, "debug", "prompt-input"], small))
    for row in rows:  # once unmeasured: file caches, and the counts that `cached` rows rely on
        row.run(environment)
        row.seconds.clear()
    for _ in range(rounds):
        for row in rows:
            row.run(environment)
    return rows


def print_table(rows: Sequence[Row], *, files: int) -> None:
    """One line a row, every figure a ratio: to P, and to L."""
    ceilings = CEILINGS | (CEILINGS_OF_THE_LARGEST if files == max(SIZES) else {})
    start, listing = rows[0].median, rows[1].median
    width = max(len(row.name) for row in rows)
    print(f"{'':{width}}          to P       to L   ceiling   (P = {start * 1000:.1f} ms here)")
    for row in rows:
        ratios = f"{row.median / start:10.1f} {row.median / listing:10.1f}"
        print(f"{row.name:{width}}   {ratios}   {ceilings.get(row.name, ''):>7}")
    named = {row.name: row.median for row in rows}
    checks = named[DIFF] / named[CHECK]
    print(f"a diff of two revisions takes {checks:.1f} checks (ceiling {MOST_CHECKS})")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Speed as ratios.")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument(
        "--files", type=int, choices=SIZES, default=min(SIZES), help="files of the big repository"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        rows = measure(Path(scratch), rounds=options.rounds, files=options.files)
        print_table(rows, files=options.files)


if __name__ == "__main__":
    main()
