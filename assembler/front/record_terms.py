"""The dated records of a run: the file that the profile names, read where the task can use it."""

from __future__ import annotations

from assembler.authorize.read_scope import ReadScope
from assembler.config.dated_records import read_records
from assembler.config.task import EvidenceEntry, Task
from assembler.discover.records import discover_record, record_id, record_not_found
from assembler.errors import ConfigError
from assembler.front.policy import Policy
from assembler.front.profiles import read_document, read_policy_file
from assembler.model.candidate import Candidate
from assembler.model.dated_record import DatedRecord, RecordTerms
from assembler.model.paths import normal_path
from assembler.ports import SourceTree


def record_terms(task: Task, policy: Policy, tree: SourceTree, scope: ReadScope) -> RecordTerms:
    """Every record that the profile's file has, with what the task asks of it.

    Args:
        task: what is asked; without topics, dates and records of its own nothing is read.
        policy: names the file.
        tree: where the evidence of the run is from.
        scope: its denies govern the file too.

    Raises:
        ConfigError: the file is not there, can't be read, or says nothing usable.
    """
    if not task.asks_for_records:
        return RecordTerms()
    named = {str(entry.record): entry for entry in task.evidence if entry.record is not None}
    trust = policy.trust["source"]
    if policy.profile.records is None:
        unfound = [record_not_found(name, path=None, trust=trust) for name in sorted(named)]
        return RecordTerms(unfound=tuple(unfound))
    path = policy.profile.records.file
    records = read_records_file(path, tree, scope)
    asks_for_all = bool(task.topics or task.as_of)
    candidates = []
    for record in records:
        entry = named.pop(record.id, None)
        is_asked = asks_for_all or entry is not None or record_id(record.id) in task.required
        candidate = discover_record(record, path=path, trust=trust, is_asked=is_asked)
        candidates.append((record, _with_facts(candidate, entry)))
    unfound = [record_not_found(name, path=path, trust=trust) for name in sorted(named)]
    return RecordTerms(file=path, records=tuple(candidates), unfound=tuple(unfound))


def read_records_file(path: str, tree: SourceTree, scope: ReadScope) -> tuple[DatedRecord, ...]:
    """The records of a file that a profile names.

    Raises:
        ConfigError: it is not there, can't be read, or says nothing usable.
    """
    if normal_path(path) != path:
        raise ConfigError(
            "path-outside",
            f"records: {path} is not a plain path inside the repository",
            where=path,
            next_step="write it relative to the repository's root, without . and ..",
        )
    data = read_policy_file(tree, path, scope)
    if data is None:
        raise ConfigError(
            "records-missing",
            f"the profile names the records {path}, which are not there",
            where=path,
            next_step="write the file, correct `records.file`, or leave `records` out",
        )
    return read_records(read_document(data, path), path=path)


def _with_facts(candidate: Candidate, entry: EvidenceEntry | None) -> Candidate:
    """What an entry of the task says beside the record's own words."""
    if entry is None:
        return candidate
    return candidate._replace(
        observed_at=entry.observed_at,
        retrieved_at=entry.retrieved_at,
        expires_at=entry.expires_at,
        lineage=tuple(sorted(set(entry.lineage))),
        group=entry.group,
    )
