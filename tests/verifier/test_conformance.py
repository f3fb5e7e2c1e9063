"""Every directory of `tests/conformance/verify`, read from the disk as a stranger would."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assembler_verifier import Report, verify_chain, verify_package
from assembler_verifier.self_test.bases import base_names
from assembler_verifier.self_test.table import KINDS
from tools import regenerate_conformance

ROOT = Path(__file__).parent.parent.parent
CASES = ROOT / "tests" / "conformance" / "verify"
NAMES = sorted(path.name for path in CASES.iterdir())


def verify(case: Path, exported_head: str | None) -> Report:
    if (case / "package").is_dir():
        return verify_package(case / "package", exported_head=exported_head)
    events = [json.loads(line) for line in (case / "events.jsonl").read_text().splitlines()]
    payloads = {path.name: path.read_bytes() for path in (case / "payloads").iterdir()}
    return verify_chain(events, payloads, exported_head=exported_head)


@pytest.mark.parametrize("name", NAMES)
def test_case__fails_exactly_what_it_says(name: str) -> None:
    expected = json.loads((CASES / name / "expect.json").read_bytes())
    assert expected.keys() <= {"failed", "exported_head"}
    report = verify(CASES / name, expected.get("exported_head"))
    assert report.failed == expected["failed"]


def test_cases__are_the_bases_and_the_kinds() -> None:
    assert set(NAMES) == {f"good-{name}" for name in base_names()} | {kind.name for kind in KINDS}
    good = [json.loads((CASES / name / "expect.json").read_bytes())["failed"] for name in NAMES]
    assert good.count([]) == len(base_names())


def test_case__says_in_words_what_was_changed() -> None:
    for kind in KINDS:
        readme = (CASES / kind.name / "README.md").read_text()
        assert readme.startswith(f"# {kind.name}\n\n{kind.what}\n{kind.why}\n")
        assert all(f"`{check}`" in readme for check in kind.fails)


def test_regenerate__would_change_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert regenerate_conformance.main(["--check"]) == 0, capsys.readouterr().out


def test_regenerate__names_what_differs(tmp_path: Path) -> None:
    place = regenerate_conformance.CASES
    files = {place / "one" / "a": b"a", place / "one" / "b": b"b"}
    regenerate_conformance.write(files, place, tmp_path)
    assert regenerate_conformance.differences(files, tmp_path) == []
    (tmp_path / place / "one" / "a").write_bytes(b"changed")
    (tmp_path / place / "one" / "b").unlink()
    (tmp_path / place / "one" / "c").write_bytes(b"")
    assert regenerate_conformance.differences(files, tmp_path) == [
        f"{place}/one/a differs",
        f"{place}/one/b is missing",
        f"{place}/one/c should not be there",
    ]
