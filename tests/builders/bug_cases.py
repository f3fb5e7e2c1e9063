"""Cases made from public bug reports, on disk and with a command line in their folder.

They lie beside the repository; without them the tests of them are skipped.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.builders.command_line import CommandLine, Result

CASES = Path(__file__).parents[3] / "shared" / "cases" / "bugs"


def numbers_of(room: range) -> list[str]:
    """The cases of a room by number; one that is skipped where there are none."""
    found = (path.name[:3] for path in CASES.glob("*.json"))
    return sorted(name for name in found if int(name) in room) or ["missing"]


class Built(NamedTuple):
    """A case on disk, with a command line in its folder."""

    case: dict[str, Any]
    top: Path
    command: CommandLine
    profile: Path | None

    @property
    def expected(self) -> dict[str, Any]:
        expected: dict[str, Any] = self.case["expected"]
        return expected

    def run(self, *arguments: str, cwd: Path | None = None, stdin: str = "") -> Result:
        options = () if self.profile is None else ("-p", str(self.profile))
        return self.command(*arguments, *options, cwd=cwd, stdin=stdin)

    def absolute(self, path: str) -> str:
        """Of a path of the case."""
        return os.path.normpath(self.top / path)

    def absolute_row(self, path: str) -> str:
        """Of a path in a row: below the folder of the command, which is the repository's root
        in the cases about skills, or below the home."""
        base = self.command.home if path.startswith("~/") else self.command.cwd
        return os.path.normpath(base / path.removeprefix("~/"))


def read_case(number: str) -> dict[str, Any]:
    """A case as it was recorded; the test is skipped where there are none."""
    if not CASES.is_dir():
        pytest.skip("the recorded cases are not here (../shared/cases/bugs)")
    case: dict[str, Any] = json.loads(next(CASES.glob(f"{number}-*.json")).read_bytes())
    return case


def build(number: str, top: Path, *, on_overflow: str | None = None) -> Built:
    case = read_case(number)
    setup = case["setup"]
    place = top / "case"
    place.mkdir(parents=True)
    for path, spec in setup.get("files", {}).items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_bytes(content(spec))
    for path, target in setup.get("symlinks", {}).items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).symlink_to(target)
    for step in setup.get("steps", ()):
        subprocess.run(["bash", "-ec", step], cwd=place, check=True, env=git_environment(place))
    home = place / setup["home"] if "home" in setup else top / "home"
    (place / setup.get("cwd", ".")).mkdir(parents=True, exist_ok=True)
    command = CommandLine(cwd=place / setup.get("cwd", "."), home=home)
    return Built(case, place, command, profile_of(setup.get("config", {}), top, on_overflow))


def profile_of(config: dict[str, Any], top: Path, on_overflow: str | None) -> Path | None:
    limit, names = config.get("max_instruction_bytes"), config.get("fallback_names", [])
    if limit is None and not names:
        return None
    path = top / "case-profile.yaml"
    write_profile(path, limit or 32_768, fallbacks=names, on_overflow=on_overflow)
    return path


def write_profile(
    path: Path, limit: int, *, fallbacks: list[str] | None = None, on_overflow: str | None = None
) -> None:
    lines = ["schema: assembler/profile/1", "instructions:", f"  limit_bytes: {limit}"]
    lines += [f"  fallbacks: {json.dumps(fallbacks)}"] if fallbacks else []
    lines += [f"  on_overflow: {on_overflow}"] if on_overflow else []
    path.write_text("\n".join(lines) + "\n")


def content(spec: dict[str, Any]) -> bytes:
    if "text" in spec:
        return str(spec["text"]).encode("utf-8", "surrogatepass")
    if "b64" in spec:
        return base64.b64decode(spec["b64"])
    unit, times = spec["repeat"]
    return (spec.get("prefix", "") + unit * times + spec.get("suffix", "")).encode()


def git_environment(home: Path) -> dict[str, str]:
    who = {"NAME": "Case", "EMAIL": "case@example.invalid", "DATE": "2026-01-02T03:04:05Z"}
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        **{
            f"GIT_{role}_{name}": value
            for role in ("AUTHOR", "COMMITTER")
            for name, value in who.items()
        },
    }
