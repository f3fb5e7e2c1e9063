"""Each finding code: it is explained, it fires in a tree, and it does not in the nearest other one.

And what an error means: a run that meets it is refused, or has a row that says so.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from assembler.model.catalogue import RULES, explain_code
from tests.builders.finding_cases import CASES
from tests.builders.finding_cases.case import Ground, told

CODES = sorted(RULES)


def test_cases__are_those_of_the_catalogue() -> None:
    assert sorted(CASES) == CODES


@pytest.mark.parametrize("code", CODES)
def test_code__is_explained_with_a_fix_of_one_line(code: str) -> None:
    explained = explain_code(code)
    assert explained is not None
    assert all((explained.meaning, explained.why, explained.example, explained.fix))
    assert "\n" not in explained.fix


@pytest.mark.parametrize("code", CODES)
def test_code__fires_here_and_not_in_the_tree_beside_it(code: str, tmp_path: Path) -> None:
    fired = CASES[code].answer(Ground(tmp_path / "fires"), fires=True)
    assert code in told(fired), fired.text + fired.talk
    innocent = CASES[code].answer(Ground(tmp_path / "innocent"), fires=False)
    assert code not in told(innocent), innocent.text


ERRORS = [
    code
    for code, case in sorted(CASES.items())
    if RULES[code][1] == "error" and case.run is not None
]


@pytest.mark.parametrize("code", ERRORS)
def test_error__is_refused_by_a_run_or_has_a_row_that_says_so(code: str, tmp_path: Path) -> None:
    ground, case = Ground(tmp_path), CASES[code]
    case.answer(ground, fires=True)
    assert case.run is not None
    task = () if {"-m", "--task"} & set(case.run) else ("-m", "x")
    run = ground.ask(("assemble", *task, *case.run), case.stdin)
    if run.code == 0:
        rows = [row["code"] for row in run.json["ledger"] if row["state"] == "out"]
        assert RULES[code][0] in rows, run.text
    else:
        assert run.code == 3 or code in told(run), run.talk
