"""Write what is made of the vectors and of the self-test's table, or say what differs from it.

    python tools/regenerate_conformance.py            writes
    python tools/regenerate_conformance.py --check    writes nothing; exits 1 and names what differs

Two places are written: the bases of the self-test (`assembler_verifier/self_test/bases`), out of
the vectors, and one directory a case (`tests/conformance/verify`), out of the bases and the table.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from assembler_verifier.self_test.bases import text_of  # noqa: E402
from assembler_verifier.self_test.cases import Case, cases  # noqa: E402
from tests.verifier import vectors  # noqa: E402

BASES = Path("assembler_verifier/self_test/bases")
CASES = Path("tests/conformance/verify")
PACKAGE_BASES = (
    "codeai-16-bound",
    "codeai-duplicate-group",
    "code-points",
    "control-measured",
    "freshness",
    "ka2-2026-09-14",
    "raj-declared",
    "raj-declared-openai-responses",
    "raj-o200k",
    "slots-group",
    "tool-numbers",
)


def base_files() -> dict[Path, bytes]:
    """The files of all bases, by their path in the repository."""
    packages = {name: {"files": vectors.package_files(name)} for name in PACKAGE_BASES}
    bases: dict[str, Any] = {**packages, "chain": vectors.chain_with_contents()}
    return {BASES / f"{name}.json": _spelled(base) for name, base in bases.items()}


def case_files() -> dict[Path, bytes]:
    """The files of all cases, by their path in the repository."""
    return {
        CASES / case.name / path: data for case in cases() for path, data in _files(case).items()
    }


def _files(case: Case) -> dict[str, bytes]:
    expected = json.dumps(case.expected(), indent=1) + "\n"
    return {**case.files, "README.md": case.readme().encode(), "expect.json": expected.encode()}


def _spelled(base: Any) -> bytes:
    spelled = {
        member: {name: text_of(data) for name, data in sorted(value.items())}
        if isinstance(value, dict)
        else value
        for member, value in base.items()
    }
    return (json.dumps(spelled, indent=1, ensure_ascii=False) + "\n").encode()


def differences(expected: dict[Path, bytes], root: Path = ROOT) -> list[str]:
    """What stands in the two places and should not, or the other way round."""
    found = {
        path.relative_to(root)
        for place in (BASES, CASES)
        for path in (root / place).rglob("*")
        if path.is_file()
    }
    return sorted(
        [f"{path} should not be there" for path in found - expected.keys()]
        + [f"{path} is missing" for path in expected.keys() - found]
        + [
            f"{path} differs"
            for path in found & expected.keys()
            if (root / path).read_bytes() != expected[path]
        ]
    )


def write(expected: dict[Path, bytes], place: Path, root: Path = ROOT) -> None:
    """Put files in a place that holds nothing else afterwards."""
    shutil.rmtree(root / place, ignore_errors=True)
    for path, data in expected.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)


def main(arguments: list[str] | None = None) -> int:
    """Write or check; the exit code says whether everything was as it should be."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing, name what differs")
    if parser.parse_args(arguments).check:
        problems = differences(base_files() | case_files())
        sys.stdout.write("".join(f"{problem}\n" for problem in problems))
        return 1 if problems else 0
    # The cases are made of the bases, so these come first.
    write(base_files(), BASES)
    write(case_files(), CASES)
    return 0


if __name__ == "__main__":
    sys.exit(main())
