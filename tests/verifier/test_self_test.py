"""The self-test, and that it fails where it should."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import assembler_verifier
from assembler_verifier import run_self_test
from assembler_verifier.chain import CHAIN_CHECKS
from assembler_verifier.self_test import run, table
from assembler_verifier.self_test.bases import base_names
from assembler_verifier.self_test.kind import Kind
from assembler_verifier.verify import PACKAGE_CHECKS, WORLD_CHECKS

ROOT = Path(__file__).parent.parent.parent
SCRIPT = ROOT / "assembler_verifier" / "__main__.py"
ALONE = [kind for kind in table.KINDS if len(kind.fails) == 1]
SHARED = [kind for kind in table.KINDS if len(kind.fails) > 1]


def command(*words: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-I", "-S", str(SCRIPT), "--self-test", *words]
    return subprocess.run(line, capture_output=True, text=True, timeout=120, check=False, env={})


def test_self_test__finds_every_kind_by_exactly_its_check() -> None:
    report = run_self_test()
    assert [result for result in (*report.bases, *report.kinds) if result.problem] == []
    assert report.exit_code == 0
    kinds = len(table.KINDS)
    first = f"self-test: {kinds} kinds of corruption, {kinds} caught by exactly their check"
    assert report.to_text().splitlines()[0] == first


def test_table__has_many_kinds_and_few_that_fail_more_than_one_check() -> None:
    assert len(ALONE) >= 60
    assert 10 * len(SHARED) < len(ALONE)
    assert all(kind.because for kind in SHARED)
    assert not any(kind.because for kind in ALONE)
    names = Counter(kind.name for kind in table.KINDS)
    assert set(names.values()) == {1}


def test_table__is_for_every_check_that_needs_no_world() -> None:
    covered = {check for kind in table.KINDS for check in kind.fails}
    assert covered == {*PACKAGE_CHECKS, *CHAIN_CHECKS} - {*WORLD_CHECKS}
    alone = {kind.fails[0] for kind in ALONE}
    # These two never come alone: each kind of theirs says why.
    assert covered - alone == {"count", "incomplete"}


def test_table__uses_every_base() -> None:
    used = {kind.base for kind in table.KINDS}
    assert used <= set(base_names())
    assert len(used) >= 10


@pytest.mark.parametrize("kind", table.KINDS, ids=lambda kind: kind.name)
def test_kind__says_what_and_why_in_a_sentence(kind: Kind) -> None:
    for sentence in (kind.what, kind.why):
        assert sentence.endswith(".")
        assert not sentence.endswith("..")


def with_kind(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> Any:
    """The report over a table of one kind, changed."""
    kind = next(kind for kind in table.KINDS if kind.name == "total-altered")
    monkeypatch.setattr(run, "KINDS", (dataclasses.replace(kind, **changes),))
    monkeypatch.setattr(run, "uncovered", tuple)
    return run.run_self_test()


def test_self_test__passes_over_a_table_of_one_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    assert with_kind(monkeypatch).exit_code == 0


def test_self_test__fails_if_another_check_finds_it(monkeypatch: pytest.MonkeyPatch) -> None:
    report = with_kind(monkeypatch, fails=("cost",))
    assert report.exit_code == 1
    said = "FAIL  total-altered (codeai-16-bound): found otherwise; it should fail cost, fails"
    assert f"{said} budget" in report.to_text()


def test_self_test__fails_if_more_checks_find_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert with_kind(monkeypatch, fails=("budget", "cost")).exit_code == 1
    assert with_kind(monkeypatch, fails=()).exit_code == 1


def test_self_test__fails_if_nothing_is_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    report = with_kind(monkeypatch, change=lambda _: None, fails=())
    assert report.exit_code == 1
    assert "the change changes nothing" in report.to_text()


def test_self_test__fails_if_a_kind_breaks(monkeypatch: pytest.MonkeyPatch) -> None:
    def break_down(_: Any) -> None:
        raise RecursionError

    report = with_kind(monkeypatch, change=break_down)
    assert report.exit_code == 1
    assert "broke with RecursionError" in report.to_text()


def test_self_test__fails_if_a_base_does_not_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "head_of", lambda _: "0" * 64)
    report = with_kind(monkeypatch)
    assert report.exit_code == 1
    assert "the good base does not hold" in report.to_text()


def test_self_test__fails_if_a_check_has_no_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = tuple(kind for kind in table.KINDS if "span" not in kind.fails)
    monkeypatch.setattr(run, "KINDS", kinds)
    report = run.run_self_test()
    assert report.exit_code == 1
    assert report.to_text().endswith("no kind of corruption is for span")


def test_command__runs_the_self_test_without_any_other_package() -> None:
    done = command()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"self-test: {len(table.KINDS)} kinds of corruption, ")


def test_command__lists_all_kinds_as_json() -> None:
    report = json.loads(command("--format", "json").stdout)
    assert (report["schema"], report["exit_code"]) == ("assembler/self-test/1", 0)
    assert [kind["name"] for kind in report["kinds"]] == [kind.name for kind in table.KINDS]
    assert all(kind["caught"] and kind["failed"] == kind["expected"] for kind in report["kinds"])
    assert all(base["holds"] for base in report["bases"])


def test_verification__does_not_load_the_self_test() -> None:
    code = "import sys, assembler_verifier.__main__; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = done.stdout.split()
    assert "assembler_verifier.verify" in loaded
    assert [name for name in loaded if "self_test" in name or name == "sqlite3"] == []


def test_bases__stand_inside_the_package() -> None:
    folder = Path(assembler_verifier.__file__).parent / "self_test" / "bases"
    assert sorted(path.stem for path in folder.iterdir()) == base_names()
