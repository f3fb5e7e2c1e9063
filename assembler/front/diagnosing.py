"""The files of a run for a diagnosis: those of the record, or bytes of a package folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from assembler.adapters.store import FILE_NAME, Store
from assembler.diagnose.diagnosis import Diagnosis, diagnose
from assembler.diagnose.trace import Use, make_trace
from assembler.front.consuming import consumptions_of
from assembler.front.places import find_workplace, state_folder
from assembler.front.reading import require_package
from assembler.front.records import (
    find_run,
    package_files,
    read_run,
    require_compiled,
    runs_of,
)
from assembler.model.canonical import read_strict


class RecordedFiles(NamedTuple):
    """A run of the record: the files of its package, and who used what of it."""

    number: int
    files: Mapping[str, bytes]
    uses: tuple[Use, ...]
    store: Path
    """The file of the record, for whoever checks it."""
    chain: str


def read_recorded(name: str, *, cwd: Path, environment: Mapping[str, str]) -> RecordedFiles:
    """The files of a run of this repository's record.

    Args:
        name: a number or `last`.
        cwd: absolute, links resolved.
        environment: for the state folder.

    Raises:
        UsageError: there is no such run, it has no package, or the record is damaged.
    """
    workplace = find_workplace(cwd)
    state = state_folder(environment, workplace)
    with Store(state) as store:
        events = store.events(workplace.chain_key)
        run = find_run(runs_of(events), name)
        record = require_package(read_run(store, run))
        consumptions = consumptions_of(store, events, require_compiled(run), record)
        return RecordedFiles(
            number=run.number,
            files=package_files(store, run),
            uses=tuple(Use(item.id, item.decision, item.seq) for item in consumptions),
            store=state / FILE_NAME,
            chain=workplace.chain_key,
        )


def diagnose_files(files: Mapping[str, bytes], uses: Sequence[Use] | None) -> Diagnosis:
    """The diagnosis of a package from the bytes of its ledger, inventory and manifest.

    Args:
        files: of the package, by name. They were verified: what an altered row claims to prove
            is no proof, and nothing is checked a second time here.
        uses: what decisions used of it; None where there is no record to ask.
    """
    trace = make_trace(
        read_strict(files["inventory.json"]),
        [read_strict(line) for line in files["ledger.jsonl"].split(b"\n") if line],
        read_strict(files["manifest.json"])["budget"],
        uses=uses,
    )
    return diagnose(trace)
