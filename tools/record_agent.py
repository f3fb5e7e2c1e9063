"""Record what a real agent sends for the trees of a folder, and print what changed.

    CLAUDE_BIN=/path/to/claude python tools/record_agent.py CASES OUT

CASES holds cases in the form of the recorded ones (`tests/builders/agent_cases.py` reads them);
each is built anew, the program is run on loopback in a network of its own, and OUT gets the case
with what was sent in place of `expected.blocks`. Exit 1 where anything differs.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.builders.agent_cases import Built, build  # noqa: E402
from tests.builders.real_agents import VARIABLES, ask_case, program_of  # noqa: E402


def plain(built: Built, text: str) -> str:
    """The text with the case's own words for its places."""
    return text.replace(str(built.root), "{ROOT}").replace(str(built.home), "{HOME}")


def record(path: Path, out: Path) -> list[str]:
    """Record one case; what differs from what it says, in words."""
    base = Path(os.path.realpath(tempfile.mkdtemp(prefix="agent-")))
    try:
        built = build(path, base)
        if program_of(built.agent) is None:
            return [f"{VARIABLES[built.agent]} names no program"]
        sent = ask_case(built)
        blocks = [plain(built, block) for block in sent.blocks]
    finally:
        shutil.rmtree(base)
    case = json.loads(path.read_bytes())
    old = [block["text"].rstrip("\n") for block in case["expected"].get("blocks", ())]
    code = sent.code or 0
    found = []
    if code != case["expected"].get("rc", 0):
        found.append(f"ends with {code}, recorded {case['expected'].get('rc', 0)}")
    if old != [block.rstrip("\n") for block in blocks]:
        found.append(f"sends {blocks!r}, recorded {old!r}")
    case["expected"] = {**case["expected"], "rc": code, "blocks": [{"text": b} for b in blocks]}
    out.mkdir(parents=True, exist_ok=True)
    (out / path.name).write_text(json.dumps(case, indent=1, ensure_ascii=False) + "\n")
    return found


def main() -> int:
    """Record all cases."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    changed = 0
    for path in sorted(options.cases.glob("*.json")):
        differences = record(path, options.out)
        changed += bool(differences)
        for text in differences:
            print(f"{path.stem}: {text}")
    print(f"{changed} changed")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
