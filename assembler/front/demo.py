"""The demo: a real repository of its own, one run in it, and the package it leaves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from assembler.adapters.clock import utc_now
from assembler.adapters.sample_repository import build_sample, sample_source
from assembler.config.task import read_task
from assembler.front.assembling import AssembledRun, assemble_repository
from assembler.front.chain import report_chain
from assembler.front.chain_report import ChainReport
from assembler.front.profiles import read_document
from assembler.front.recording import Wanted

PROFILE: Final = "parser-repair"
REVISION: Final = "r42"
TASK_FILE: Final = "task.yaml"
TARGET: Final = "packages/parser/src/tokenize.ts"


@dataclass(frozen=True, slots=True, kw_only=True)
class Demo:
    """What the demo built and made."""

    folder: Path
    repository: Path
    package: Path
    state: Path
    chain: ChainReport
    run: AssembledRun


def run_demo(
    folder: Path, *, environment: Mapping[str, str], clock: Callable[[], str] = utc_now
) -> Demo:
    """Build the sample in a new or empty folder and assemble its task.

    The run's record stays in the folder too, so that the user's own is not touched.

    Raises:
        UsageError: the folder holds something.
    """
    sample = build_sample(folder, sample_source())
    state = folder / "state"
    own = {**environment, "ASSEMBLER_STATE": str(state)}
    own.pop("ASSEMBLER_PROFILE", None)
    task_data = (sample.root / TASK_FILE).read_bytes()
    task = read_task(
        task_data, path=TASK_FILE, read_document=lambda data: read_document(data, TASK_FILE)
    )
    package = folder / "package"
    repository = sample.root.resolve()
    run = assemble_repository(
        repository,
        task,
        environment=own,
        at=REVISION,
        profile=PROFILE,
        host=sample.host,
        wanted=Wanted(out=package, clock=clock),
    )
    chain = report_chain(
        (repository / TARGET).parent, environment=own, at=REVISION, host=sample.host
    )
    return Demo(
        folder=folder,
        repository=repository,
        package=package,
        state=state,
        chain=chain,
        run=run,
    )
