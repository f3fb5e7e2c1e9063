"""Skills, locks and profiles as files of a repository, and runs with them."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from assembler.adapters.store import Store
from assembler.model.event import REQUESTED
from assembler.model.skill import folder_sha256
from assembler_verifier import verify_package
from tests.builders.command_line import CommandLine, Result
from tests.builders.repositories import RepositoryBuilder

HOME = ".agents/skills"


def skill_text(
    name: str, description: str = "Does it.", body: str = "Body.", head: str = ""
) -> str:
    return f"---\nname: {name}\ndescription: {description}\n{head}---\n\n{body}\n"


def skill_files(name: str, more: dict[str, str] | None = None, **parts: str) -> dict[str, str]:
    """A skill's folder, as `RepositoryBuilder.write` takes it."""
    files = {"SKILL.md": skill_text(name, **parts), **(more or {})}
    return {f"{HOME}/{name}/{path}": text for path, text in files.items()}


def digests_of(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def lock_entry(repository: RepositoryBuilder, name: str, *, whole: bool = True) -> dict[str, Any]:
    files = digests_of(repository.root / HOME / name)
    entry: dict[str, Any] = {"kind": "skill", "name": name, "sha256": folder_sha256(files)}
    if whole:
        entry |= {"tokens": 1, "instructions": files["SKILL.md"], "files": files}
    return entry


def write_lock(repository: RepositoryBuilder, *entries: dict[str, Any]) -> None:
    lines = ",\n".join(json.dumps(entry) for entry in entries)
    text = f'{{"schema": "assembler/lock/1", "entries": [\n{lines}\n]}}\n'
    repository.write({".assembler/lock.json": text})


def write_profile(repository: RepositoryBuilder, skills: object, **members: object) -> None:
    profile = {"schema": "assembler/profile/1", "skills": skills, **members}
    repository.write({".assembler/profile.yaml": json.dumps(profile)})


def run_task(
    assembler: CommandLine, *arguments: str, skills: list[str] | None = None, words: str = "Do it."
) -> Result:
    """A run of a task document, as JSON."""
    task = {"schema": "assembler/task/1", "id": "t", "objective": words, "skills": skills or []}
    return assembler("assemble", "--task", "-", "-f", "json", *arguments, stdin=json.dumps(task))


def skill_rows(result: Result) -> dict[str, dict[str, Any]]:
    """The ledger's rows of skills by id, after the run has been seen to compile."""
    assert result.code == 0, result.talk
    return {row["id"]: row for row in result.json["ledger"] if row["id"].startswith("skill:")}


def offered_skills(assembler: CommandLine) -> dict[str, dict[str, Any]]:
    """The candidates of skills of the last run that was requested, compiled or not, by id."""
    with Store(assembler.home / ".local/state/assembler") as store:
        (chain,) = store.chains()
        requests = [event for event in store.events(chain) if event.event == REQUESTED]
        inventory = json.loads(store.read_object(requests[-1].payload_sha256) or b"")
    found = {item["id"]: item for item in inventory["candidates"]}
    return {name: item for name, item in found.items() if name.startswith("skill:")}


def require_verified(assembler: CommandLine, folder: Path, *arguments: str, **task: Any) -> None:
    """Make the package of a run and have the verifier hold it."""
    result = run_task(assembler, "--out", str(folder), *arguments, **task)
    assert result.code == 0, result.talk
    report = verify_package(folder)
    assert report.failed == [], report
