"""The action's own scripts, run as a runner of GitHub runs them, on real repositories."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.builders.command_line import ROOT, CommandLine
from tests.builders.composite import EXPRESSION, ActionRun, load_action, run_action
from tests.builders.documents import put_on_path
from tests.builders.repositories import RepositoryBuilder
from tests.builders.sarif import require_sarif

ACTION = ROOT / "action.yml"
STEPS = load_action(ACTION)["runs"]["steps"]
SCRIPTS = [step for step in STEPS if "run" in step]
RUNNERS_OWN = {"GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_ACTION_PATH", "GITHUB_BASE_REF"}


class Job:
    """One checkout, and the action called in it."""

    def __init__(self, repository: RepositoryBuilder, assembler: CommandLine) -> None:
        self.repository = repository
        self.assembler = assembler
        self.calls = 0

    def __call__(
        self, *, base_ref: str = "", workspace: Path | None = None, **inputs: str
    ) -> ActionRun:
        self.calls += 1
        home = self.assembler.home
        program = put_on_path(home / "bin") / "assembler"
        return run_action(
            ACTION,
            workspace=workspace or self.repository.root,
            environment=self.assembler.environment(GITHUB_BASE_REF=base_ref),
            scratch=home / f"runner {self.calls}",
            inputs={name.replace("_", "-"): value for name, value in inputs.items()},
            answers={"install": {"program": str(program)}},
        )


@pytest.fixture
def job(repository: RepositoryBuilder, assembler: CommandLine) -> Job:
    assembler.home.mkdir()
    return Job(repository, assembler)


# What stands in the file.


@pytest.mark.parametrize("step", SCRIPTS, ids=lambda step: str(step["id"]))
def test_script__has_no_expression_and_only_variables_that_it_is_given(
    step: dict[str, Mapping[str, str] | str],
) -> None:
    script = str(step["run"])
    assert not EXPRESSION.search(script)
    assert "${{" not in script
    assert step["shell"] == "bash"
    named = set(re.findall(r"\$\{?([A-Z][A-Z_]+)", script))
    given = set(step.get("env", {}))
    assert given <= named
    assert named <= given | RUNNERS_OWN | {"RUNNER_TEMP"}


def test_other_action__is_named_by_its_commit() -> None:
    for step in STEPS:
        assert "run" in step or re.fullmatch(r"[\w-]+(/[\w-]+)+@[0-9a-f]{40}", step["uses"])


def test_every_input__is_used_and_described() -> None:
    text = ACTION.read_text(encoding="utf-8")
    for name, entry in load_action(ACTION)["inputs"].items():
        assert f"inputs.{name} " in text
        assert entry["description"].endswith(".")
        assert isinstance(entry["default"], str)


def test_every_output__is_one_of_a_step() -> None:
    written = {
        (step["id"], name)
        for step in SCRIPTS
        for name in re.findall(r'echo "([a-z-]+)=', step["run"])
    }
    for entry in load_action(ACTION)["outputs"].values():
        match = EXPRESSION.fullmatch(entry["value"])
        assert match is not None
        _, step, _, name = match[1].split(".")
        assert (step, name) in written


# On a push: the revision itself judges.


def test_push__that_is_clean_passes_and_writes_nothing(job: Job) -> None:
    run = job()
    assert (run.code, run.summary, run.log) == (0, "", "")
    assert run.outputs["verdict"] == {"exit-code": "0"}
    assert set(run.steps) == {"base", "check", "verdict"}
    assert set(run.used) == {"python"}
    assert job.repository.text("status", "--porcelain") == ""


def test_push__that_is_not_fails_by_its_annotations_after_all_steps(job: Job) -> None:
    job.repository.write({"src/AGENTS.md": "# Source\n\nA \u202e line.\n"}).commit()
    run = job()
    assert run.code == 1
    assert run.steps["check"].out.startswith("::error file=src/AGENTS.md,line=3,")
    assert "title=ASM601 hidden-characters" in run.steps["check"].out
    assert run.outputs["verdict"] == {"exit-code": "1"}


def test_revision__is_checked_and_not_the_files_beside_it(job: Job) -> None:
    job.repository.write({"AGENTS.md": b"\xff\n"})
    assert job().code == 0


def test_fail_on__reaches_the_check(job: Job) -> None:
    job.repository.write({"AGENTS.override.md": "\n"}).commit()
    assert job().code == 1
    assert job(fail_on="error").code == 0
    wrong = job(fail_on="notes")
    assert wrong.code == 2
    assert "notes" in wrong.steps["check"].err


def test_profile_and_host__reach_the_check(job: Job) -> None:
    job.repository.write({".assembler/small.yaml": "schema: assembler/profile/1\n"}).commit()
    assert job(profile="small").code == 0
    assert "(profile-missing)" in job(profile="nothing").steps["check"].err
    missing = job(host="nothing.yaml")
    assert missing.code == 2
    assert missing.outputs["verdict"] == {"exit-code": "2"}


def test_baseline__reaches_the_check_from_the_revision_that_judges(job: Job) -> None:
    repository = job.repository
    repository.write({"AGENTS.override.md": "\n"}).commit()
    assert job.assembler("check", "--write-baseline", "known.json").code == 0
    repository.commit()
    assert job().code == 1
    assert job(baseline="known.json").code == 0
    assert job(baseline="../known.json", working_directory="src").code == 0
    missing = job(baseline="nothing.json")
    assert missing.code == 2
    assert "(baseline-missing)" in missing.steps["check"].err
    # A pull request makes nothing of its own known.
    base = repository.text("rev-parse", "HEAD").strip()
    repository.write({"src/AGENTS.override.md": "\n"}).commit()
    assert job.assembler("check", "--write-baseline", "known.json").code == 0
    repository.commit()
    assert job(baseline="known.json").code == 0
    judged = job(baseline="known.json", policy_from=base)
    assert judged.code == 1
    said = judged.steps["check"].out
    assert ("src/AGENTS.override.md" in said, "title=ASM703" in said) == (True, True)
    # It has options no other way than as a file's name.
    assert "--fail-on" in job(baseline="--fail-on=never").steps["check"].err


def test_folder__is_where_the_check_starts(job: Job) -> None:
    assert job(working_directory="src").code == 0
    missing = job(working_directory="nothing")
    assert missing.code == 2
    assert "no such folder: nothing" in missing.steps["check"].err


# SARIF.


def test_sarif__is_written_for_findings_and_for_none(job: Job, tmp_path: Path) -> None:
    clean = job(sarif_file="clean.sarif")
    assert clean.code == 0
    assert require_sarif(json.loads((job.repository.root / "clean.sarif").read_bytes())) == []
    (job.repository.root / "clean.sarif").unlink()
    job.repository.write({"AGENTS.md": b"\xff\n"}).commit()
    path = tmp_path / "found here.sarif"
    run = job(sarif_file=str(path))
    assert run.code == 1
    assert run.outputs["check"]["sarif-file"] == str(path)
    assert require_sarif(json.loads(path.read_bytes())) == ["ASM110"]
    assert "upload" not in run.used


def test_upload__is_given_the_file_where_it_is_wanted(job: Job) -> None:
    job.repository.write({"AGENTS.md": b"\xff\n"}).commit()
    run = job(upload_sarif="true")
    assert run.code == 1
    file = Path(run.used["upload"]["sarif_file"])
    assert require_sarif(json.loads(file.read_bytes())) == ["ASM110"]
    assert not file.is_relative_to(job.repository.root)


def test_sarif__is_not_written_where_nothing_could_be_checked(job: Job) -> None:
    job.repository.write({".assembler/profile.yaml": "schema: nothing\n"}).commit()
    run = job(upload_sarif="true", sarif_file="x.sarif")
    assert run.code == 2
    assert "upload" not in run.used
    assert not (job.repository.root / "x.sarif").exists()


def test_sarif__replaces_a_link_and_does_not_follow_it(job: Job, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("kept\n")
    job.repository.link({"x.sarif": str(target)}).commit()
    assert job(sarif_file="x.sarif").code == 0
    assert target.read_text() == "kept\n"
    assert not (job.repository.root / "x.sarif").is_symlink()


def test_sarif__does_not_follow_a_link_to_a_folder(job: Job, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    job.repository.link({"x.sarif": str(tmp_path / "elsewhere")}).commit()
    assert job(sarif_file="x.sarif").code == 0
    assert [*(tmp_path / "elsewhere").iterdir()] == []
    assert require_sarif(json.loads((job.repository.root / "x.sarif").read_bytes())) == []


@pytest.mark.parametrize("file", ["folder", "no/such/folder.sarif", "x\ncode=0"])
def test_sarif__that_can_not_be_written_is_exit_2(job: Job, file: str) -> None:
    """A clean check that leaves no file is no pass, and no finding either."""
    (job.repository.root / "folder").mkdir()
    run = job(sarif_file=file)
    assert (run.code, run.outputs["verdict"]["exit-code"]) == (2, "2")
    assert "::error title=assembler::sarif-file can not be written\n" in run.log
    assert "sarif-file" not in run.outputs["check"]
    assert [*(job.repository.root / "folder").iterdir()] == []


# What is given.


@pytest.mark.parametrize(
    "value", ["$(touch made)", "`touch made`", "'; touch made; '", '"; touch made; "', "a\nb", "-x"]
)
@pytest.mark.parametrize("name", ["policy_from", "working_directory", "profile", "host", "fail_on"])
def test_input__is_never_run(job: Job, name: str, value: str) -> None:
    run = job(**{name: value})
    assert run.code == 2
    assert not (job.repository.root / "made").exists()
    assert all("made" not in outputs for outputs in run.outputs.values())


@pytest.mark.parametrize("name", ["diff", "upload_sarif"])
@pytest.mark.parametrize("value", ["yes", "True", ""])
def test_switch__is_true_or_false(job: Job, name: str, value: str) -> None:
    run = job(**{name: value})
    assert run.code == 2
    assert run.steps["base"].out == (
        "::error title=assembler::diff and upload-sarif are true or false\n"
    )


# The base.


@pytest.mark.parametrize("given", ["policy_from", "base_ref"])
def test_base__that_a_shallow_clone_lacks_is_told_with_the_way_out(
    job: Job, tmp_path: Path, given: str
) -> None:
    job.repository.git("checkout", "-q", "-b", "topic")
    job.repository.write({"AGENTS.md": "# Other\n"}).commit()
    shallow = RepositoryBuilder(tmp_path / "shallow")
    # As actions/checkout does by default: one commit, no branch.
    shallow.git("fetch", "-q", "--depth=1", f"file://{job.repository.root}", "topic")
    shallow.git("checkout", "-q", "FETCH_HEAD")
    name = "origin/main" if given == "policy_from" else "main"
    run = job(workspace=shallow.root, **{given: name})
    assert run.code == 2
    assert "fetch-depth: 0" in run.steps["base"].out
    assert set(run.steps) == {"base"}
    assert run.summary == ""


# The whole of it.


@pytest.mark.long
def test_install__makes_a_program_of_the_actions_own_checkout(
    repository: RepositoryBuilder, assembler: CommandLine, tmp_path: Path
) -> None:
    # A module of the workspace that would be imported if the interpreter looked there.
    repository.write({"pip.py": "raise SystemExit(9)\n", "venv.py": "raise SystemExit(9)\n"})
    repository.commit()
    environment = assembler.environment()
    del environment["PYTHONPATH"]
    run = run_action(
        ACTION,
        workspace=repository.root,
        environment=environment,
        scratch=tmp_path / "runner",
        answers={"python": {"python-path": sys.executable}},
    )
    assert run.code == 0, run.steps
    assert run.steps["check"].err.endswith("2 chains, 1 skill: no findings\n")
    assert repository.text("status", "--porcelain") == ""
