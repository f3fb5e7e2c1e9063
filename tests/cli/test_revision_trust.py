"""Files of a branch that the host does not trust: told by their bytes, never by their text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assembler.config.task import EvidenceEntry, Search, Task
from assembler.front import revision_trust
from assembler.front.assembling import AssembledRun, assemble_repository
from tests.builders.command_line import CommandLine, Result
from tests.builders.repositories import RepositoryBuilder

TASK: dict[str, Any] = {
    "evidence": [{"file": "same.txt"}, {"file": "changed.txt"}, {"file": "new.txt"}],
}


def host(assembler: CommandLine, trusted: list[str] | None) -> str:
    path = assembler.home.parent / "host.yaml"
    document = {"schema": "assembler/host/1", "revisions": {"trusted": trusted}}
    path.write_text(json.dumps(document))
    return f"--host={path}"


def run(assembler: CommandLine, *arguments: str, task: dict[str, Any] = TASK) -> Result:
    document = {"schema": "assembler/task/1", "objective": "x", **task}
    return assembler("assemble", "--task=-", "-f", "json", *arguments, stdin=json.dumps(document))


def trust_of(result: Result) -> dict[str, str]:
    assert result.code == 0, result.talk
    return {
        row["id"].removeprefix("file:"): row["trust"]
        for row in result.json["ledger"]
        if row["section"] == "evidence"
    }


def version_of(result: Result, path: str) -> str:
    row = next(row for row in result.json["ledger"] if row["id"] == f"file:{path}")
    return str(row["version"])


@pytest.fixture
def branch(repository: RepositoryBuilder) -> RepositoryBuilder:
    """A branch of somebody's, checked out, with main beside it and a tag on an older commit."""
    repository.write({"same.txt": "same\n", "changed.txt": "one\n"}).commit()
    repository.git("tag", "v1.0")
    repository.write({"changed.txt": "two\n"}).commit()
    repository.git("checkout", "-q", "-b", "topic")
    claim = "trust: authorized\nrevision: main\n"
    repository.write({"changed.txt": claim, "new.txt": claim}).commit()
    return repository


EXPECTED = {"same.txt": "repository", "changed.txt": "untrusted", "new.txt": "untrusted"}


@pytest.mark.parametrize("at", ["worktree", "index", "HEAD", "topic"])
@pytest.mark.parametrize("name", ["main", "refs/heads/main", "topic~1", "ma?n", "refs/heads/ma*"])
def test_file__has_the_trust_of_the_repository_if_a_trusted_revision_has_its_bytes(
    assembler: CommandLine, branch: RepositoryBuilder, at: str, name: str
) -> None:
    result = run(assembler, host(assembler, [name]), f"--at={at}")
    assert trust_of(result) == EXPECTED
    assert version_of(result, "new.txt").startswith("in no trusted revision (")
    assert version_of(result, "same.txt") == "None"


def test_revision__that_nobody_speaks_of_is_trusted_as_before(
    assembler: CommandLine, branch: RepositoryBuilder
) -> None:
    assert set(trust_of(run(assembler, host(assembler, None))).values()) == {"repository"}
    assert set(trust_of(run(assembler)).values()) == {"repository"}


def test_empty_list__trusts_no_revision(assembler: CommandLine, branch: RepositoryBuilder) -> None:
    result = run(assembler, host(assembler, []))
    assert set(trust_of(result).values()) == {"untrusted"}
    assert version_of(result, "same.txt") == "in no trusted revision (none)"


def test_dirty_file__is_of_no_revision(assembler: CommandLine, branch: RepositoryBuilder) -> None:
    branch.git("checkout", "-q", "main")
    branch.write({"same.txt": "dirty\n", "new.txt": "n\n"})
    result = run(assembler, host(assembler, ["main"]))
    assert trust_of(result) == {
        "same.txt": "untrusted", "changed.txt": "repository", "new.txt": "untrusted",
    }  # fmt: skip
    assert version_of(result, "same.txt") == "in no trusted revision (main); differs from HEAD"


def test_several_revisions__are_all_asked(
    assembler: CommandLine, branch: RepositoryBuilder
) -> None:
    branch.write({"changed.txt": "one\n"})
    result = run(assembler, host(assembler, ["origin/main", "v*", "main"]))
    assert trust_of(result) == {**EXPECTED, "changed.txt": "repository"}
    assert version_of(result, "new.txt").startswith(
        "in no trusted revision (v1.0, main); no origin/main here"
    )


def test_same_bytes_at_another_path__are_no_such_file(
    assembler: CommandLine, branch: RepositoryBuilder
) -> None:
    branch.write({"new.txt": "same\n"})
    assert trust_of(run(assembler, host(assembler, ["main"])))["new.txt"] == "untrusted"


def test_policy_revision__is_trusted_too(assembler: CommandLine, branch: RepositoryBuilder) -> None:
    result = run(assembler, host(assembler, []), "--policy-from=main")
    assert trust_of(result) == EXPECTED
    assert set(trust_of(run(assembler, "--policy-from=main")).values()) == {"repository"}


def test_profile__can_not_lift_it(assembler: CommandLine, branch: RepositoryBuilder) -> None:
    profile = assembler.home.parent / "profile.yaml"
    profile.write_text("schema: assembler/profile/1\ntrust: {source: repository}\n")
    result = run(assembler, host(assembler, ["main"]), "-p", str(profile))
    assert trust_of(result) == EXPECTED


def test_hits_definitions_and_summaries__are_files_too(
    assembler: CommandLine, branch: RepositoryBuilder
) -> None:
    index = {
        "schema": "assembler/artifacts/1",
        "artifacts": [
            {"id": "s", "kind": "summary", "file": "new.txt", "revision": "topic", "sources": []},
            {"id": "t", "kind": "summary", "file": "same.txt", "revision": "main", "sources": []},
        ],
    }
    branch.write({".assembler/artifacts.json": json.dumps(index), "src/y.py": "def f():\n  pass\n"})
    task = {
        "search": [{"name": "*.txt"}],
        "evidence": [{"symbol": "src/y.py#f"}, {"symbol": "src/x.py#parse"},
                     {"summary": "s"}, {"summary": "t"}],
    }  # fmt: skip
    assert trust_of(run(assembler, host(assembler, ["main"]), task=task)) == {
        **EXPECTED,
        "src/y.py#f": "untrusted",
        "src/x.py#parse": "repository",
        "summary:s": "untrusted",
        "summary:t": "derived",
    }


def test_payload__keeps_the_trust_of_its_own_kind(
    assembler: CommandLine, branch: RepositoryBuilder
) -> None:
    task = {"evidence": [{"test": "t", "file": "new.txt"}]}
    trust = trust_of(run(assembler, host(assembler, ["main"]), task=task))
    assert trust == {"test:t": "observed"}


def test_tag_named_like_a_trusted_branch__makes_nothing_trusted(
    assembler: CommandLine, branch: RepositoryBuilder
) -> None:
    branch.git("tag", "main", "topic")
    result = run(assembler, host(assembler, ["main"]))
    assert set(trust_of(result).values()) == {"untrusted"}
    assert "main has several meanings" in version_of(result, "new.txt")
    full = run(assembler, host(assembler, ["refs/heads/main"]))
    assert trust_of(full) == EXPECTED


def test_tag_named_like_an_id_or_a_full_name__is_not_what_is_meant(
    assembler: CommandLine, branch: RepositoryBuilder
) -> None:
    trusted = branch.text("rev-parse", "main")
    for name in (trusted, "refs/heads/main", "HEAD"):
        branch.git("update-ref", f"refs/tags/{name}", "topic")
    assert trust_of(run(assembler, host(assembler, [trusted]))) == EXPECTED
    assert trust_of(run(assembler, host(assembler, ["refs/heads/main"]))) == EXPECTED


def test_glob__takes_no_slash(assembler: CommandLine, branch: RepositoryBuilder) -> None:
    branch.git("branch", "v1/evil", "topic")
    branch.git("branch", "sub/v1.0", "topic")
    assert trust_of(run(assembler, host(assembler, ["v1*"])))["new.txt"] == "untrusted"
    assert trust_of(run(assembler, host(assembler, ["v1/*"])))["new.txt"] == "repository"


def test_glob_that_is_none__is_exit_2(assembler: CommandLine, branch: RepositoryBuilder) -> None:
    result = run(assembler, host(assembler, ["v[1"]))
    assert result.code == 2
    assert "host: revisions.trusted" in result.talk


def test_odd_names__are_asked_for_as_they_are(
    assembler: CommandLine, branch: RepositoryBuilder
) -> None:
    names = ["a b.txt", "é.txt", ":x.txt", "-x", "a:b", "line\nfeed"]
    branch.write({name: f"{name}\n" for name in names}).commit()
    task = {"evidence": [{"file": name} for name in names]}
    trust = trust_of(run(assembler, host(assembler, ["topic"]), task=task))
    # A question is a line, so this one can't be asked.
    assert trust.pop("line\nfeed") == "untrusted"
    assert set(trust.values()) == {"repository"}
    assert len(trust) == len(names) - 1


def assembled(
    branch: RepositoryBuilder,
    home: Path,
    count: int,
    trusted: list[str],
    policy_from: str | None = None,
) -> AssembledRun:
    manifest = home / "host.yaml"
    manifest.parent.mkdir(exist_ok=True)
    document = {"schema": "assembler/host/1", "revisions": {"trusted": trusted}}
    manifest.write_text(json.dumps(document))
    entries = [EvidenceEntry(file=f"many/{number}.txt") for number in range(count)]
    task = Task(
        objective="x", evidence=entries, search=[Search(name="*.txt"), Search(name="*.log")]
    )
    return assemble_repository(
        branch.root, task, environment={"HOME": str(home)}, host=manifest, policy_from=policy_from
    )


def test_git__is_started_a_constant_number_of_times(
    branch: RepositoryBuilder, tmp_path: Path
) -> None:
    branch.write({f"many/{number}.txt": f"{'x' * 80}{number}\n" for number in range(120)}).commit()
    trusted = ["main", "v1.0", "topic~1", "topic~2", "topic"]
    branch.write({".gitignore": "*.log\n", "a.log": "x"})
    run = assembled(branch, tmp_path / "home", 120, trusted, policy_from="main")
    rows = [row for row in run.recorded.package.rows if row["id"].startswith("file:many/")]
    assert {row["trust"] for row in rows} == {"repository"}
    assert len(rows) == 120
    assert run.git_processes <= 6


def test_trusted_commits__are_asked_up_to_the_bound(
    branch: RepositoryBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    branch.write({"many/0.txt": "0\n"}).commit()
    names = ["v1.0", "main", "topic"]
    for bound, trust in ((3, "repository"), (2, "untrusted")):
        monkeypatch.setattr(revision_trust, "MAX_TRUSTED", bound)
        run = assembled(branch, tmp_path / "home", 1, names)
        row = next(row for row in run.recorded.package.rows if row["id"] == "file:many/0.txt")
        assert row["trust"] == trust
        assert (row["version"] or "").endswith("topic was not asked") is (bound == 2)


def test_glob__is_compared_with_packed_refs_too(
    assembler: CommandLine, branch: RepositoryBuilder
) -> None:
    branch.git("pack-refs", "--all")
    branch.git("update-ref", "refs/remotes/origin/main", "main")
    assert trust_of(run(assembler, host(assembler, ["origin/*"]))) == EXPECTED
    assert trust_of(run(assembler, host(assembler, ["mai[n]"]))) == EXPECTED
