"""A fault anywhere in a run tells nothing of what the run had in hand, and leaves nothing half."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import pytest

from tests.builders.command_line import CommandLine, all_bytes_below
from tests.builders.repositories import RepositoryBuilder

CANARY = "canary-of-no-form-91ab"
STAGES = (
    "assembler.front.gathering.load_policy",
    "assembler.front.gathering.make_terms",
    "assembler.front.gathering.discover_inventory",
    "assembler.front.assembling.normalise",
    "assembler.front.assembling.check_limits",
    "assembler.front.assembling.compile_on_record",
    "assembler.front.recording.compile_inventory",
    "assembler.pipeline.offer_policy",
    "assembler.pipeline.offer_evidence",
    "assembler.pipeline.offer_skills",
    "assembler.pipeline.withhold_secrets",
    "assembler.offers.settling.write_work_record",
    "assembler.pipeline.choose_pricing",
    "assembler.pipeline.select",
    "assembler.pipeline.render",
    "assembler.pipeline.bind",
    "assembler.pipeline.require_carried",
    "assembler.pipeline.write_package",
)


@pytest.mark.parametrize("stage", STAGES)
def test_fault__tells_nothing_of_the_contents(
    assembler: CommandLine,
    repository: RepositoryBuilder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    stage: str,
) -> None:
    repository.write({"src/x.py": f"x = '{CANARY}'\n"})
    repository.commit()
    temporary, out = tmp_path / "temporary", tmp_path / "out"
    temporary.mkdir()

    def fail(*_: object, **__: object) -> NoReturn:
        raise ValueError((repository.root / "src/x.py").read_text())

    monkeypatch.setattr(stage, fail)
    result = replace(assembler, patched=True)(
        "assemble", "-m", "x", "-t", "src/x.py", "-f", "json", "--out", str(out),
        TMPDIR=str(temporary),
    )  # fmt: skip

    assert result.code == 70
    assert result.json["code"] == "internal-error"
    assert CANARY.encode() not in result.out + result.err + all_bytes_below(temporary)
    assert not out.exists()
    monkeypatch.undo()
    log = assembler("log", "--events", "-f", "json")
    assert CANARY not in log.text + assembler("log").text
    assert assembler("assemble", "-m", "x", "-t", "src/x.py", "--out", str(out)).code == 0
    assert assembler("verify", str(out)).code == 0
