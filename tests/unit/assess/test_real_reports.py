"""Reports of the runners that are installed here, read as they come."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from assembler.assess.report_lines import cut_ranges
from assembler.assess.reports import read_report
from assembler.model.report import ReportLines

PYTHON = '''
import unittest
class TestA(unittest.TestCase):
    def test_good(self): pass
    def test_bad(self):
        """Doc line."""
        self.assertEqual("left", "right")
    def test_error(self): raise ValueError("boom")
    @unittest.skip("why")
    def test_off(self): pass
'''
NODE = """
import {test, describe, it} from 'node:test'; import assert from 'node:assert';
describe('outer', () => {
  it('passes', () => {});
  it('fails # hard', () => { assert.equal('left', 'right'); });
});
test('todo', {todo: true}, () => { throw new Error('t'); });
"""
RUST = """
#[cfg(test)]
mod tests {
    #[test] fn works() {}
    #[test] fn fails() { assert_eq!("left", "right"); }
    #[test] fn also() { panic!("boom"); }
}
"""


def run(folder: Path, command: Sequence[str]) -> bytes:
    environment = {**os.environ, "PYTEST_ADDOPTS": "", "RUST_BACKTRACE": "0"}
    environment.pop("NODE_TEST_CONTEXT", None)
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, timeout=120, check=False
    )
    return done.stdout + done.stderr


def check(data: bytes, case: str, told: str, *, holds: bytes, others: Sequence[bytes]) -> None:
    reading = read_report(data, case)
    assert isinstance(reading, ReportLines), (reading, data)
    assert reading.ranges is not None
    assert told in reading.why
    content = cut_ranges(data, reading.ranges)
    assert holds in content
    assert not [other for other in others if other in content]


@pytest.fixture
def python_tests(tmp_path: Path) -> Path:
    (tmp_path / "test_a.py").write_text(PYTHON)
    return tmp_path


def pytest_command(*options: str) -> list[str]:
    plain = ["-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:hypothesispytest"]
    return [sys.executable, "-m", "pytest", *plain, *options, "test_a.py"]


def test_pytest__writes_xml(python_tests: Path) -> None:
    run(python_tests, pytest_command("--junitxml=r.xml"))
    data = (python_tests / "r.xml").read_bytes()
    node = "test_a.py::TestA::test_bad"
    told = "JUnit XML: case test_a.TestA.test_bad failed: "
    check(data, node, told, holds=b"right", others=[])
    assert "2 of 4 cases failed" in str(read_report(data, None).why)


@pytest.mark.parametrize("options", [(), ("-v",), ("-q", "--tb=short"), ("--color=yes",)])
def test_pytest__prints(python_tests: Path, options: tuple[str, ...]) -> None:
    data = run(python_tests, pytest_command(*options))
    told = "pytest output: case TestA.test_bad failed: "
    for name in ("test_bad", "TestA.test_bad", "test_a.py::TestA::test_bad"):
        check(data, name, told, holds=b"right", others=[b"boom", b"short test summary"])
    assert "2 of " in str(read_report(data, None).why)


def test_unittest__prints(python_tests: Path) -> None:
    data = run(python_tests, [sys.executable, "-m", "unittest", "-v", "test_a"])
    told = "unittest output: case test_bad%20(test_a.TestA.test_bad) failed: "
    check(data, "test_a.TestA.test_bad", told, holds=b"right", others=[b"boom", b"Ran 4"])
    check(data, "test_good", " passed: ", holds=b"... ok", others=[b"right"])


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize(("reporter", "told"), [("tap", "TAP 13: case "), ("junit", "JUnit XML: ")])
def test_node__reports(tmp_path: Path, reporter: str, told: str) -> None:
    (tmp_path / "a.test.mjs").write_text(NODE)
    data = run(tmp_path, ["node", "--test", f"--test-reporter={reporter}", "a.test.mjs"])
    if b"bad option" in data or b"Cannot find package" in data:
        pytest.skip("node has no such reporter")
    check(data, "fails # hard", told, holds=b"left", others=[b"passes", b"todo"])
    check(data, "todo", "was skipped: ", holds=b"todo", others=[b"left"])


@pytest.mark.skipif(shutil.which("rustc") is None, reason="rustc is not installed")
def test_rust__prints(tmp_path: Path) -> None:
    (tmp_path / "a.rs").write_text(RUST)
    built = run(tmp_path, ["rustc", "--test", "a.rs", "-o", "a"])
    if not (tmp_path / "a").exists():
        pytest.skip(f"rustc cannot link here: {built[:100]!r}")
    data = run(tmp_path, ["./a"])
    told = "cargo test output: case tests::fails failed: "
    check(data, "tests::fails", told, holds=b"right", others=[b"boom", b"failures:"])
    check(data, "works", " passed: ", holds=b"tests::works ... ok", others=[b"boom"])
    assert "2 of 3 cases failed" in str(read_report(data, None).why)
