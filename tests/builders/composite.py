"""Runs the steps of a composite action as a runner of GitHub would: shell, environment, outputs.

`uses` steps are not run; what they answer is given. Of expressions there is as much as the action
needs: names, text, `==`, `!=`, `&&`. Anything else fails, so that nothing is passed over.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")
NAME = re.compile(r"(inputs|steps)\.([\w-]+)(?:\.outputs\.([\w-]+))?")


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


@dataclass
class ActionRun:
    """What came of one call of an action."""

    steps: dict[str, Ran] = field(default_factory=dict)
    outputs: dict[str, dict[str, str]] = field(default_factory=dict)
    used: dict[str, dict[str, str]] = field(default_factory=dict)
    """What each `uses` step was given."""
    code: int = 0
    """That of the first step that failed."""
    summary: str = ""

    @property
    def log(self) -> str:
        return "".join(step.out for step in self.steps.values())


def load_action(path: Path) -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return document


def run_action(
    path: Path,
    *,
    workspace: Path,
    environment: Mapping[str, str],
    scratch: Path,
    inputs: Mapping[str, str] | None = None,
    answers: Mapping[str, Mapping[str, str]] | None = None,
) -> ActionRun:
    """Run every `run` step in order, until one fails.

    Args:
        path: the action's own file.
        workspace: where the repository was checked out.
        environment: of the job, the runner's own variables aside.
        scratch: a new folder for the runner's files.
        inputs: those that the workflow gives.
        answers: the outputs of steps that are not run, by id.
    """
    action = load_action(path)
    known = {name: str(entry["default"]) for name, entry in action["inputs"].items()}
    assert set(inputs or {}) <= set(known)
    run = ActionRun(outputs={name: dict(told) for name, told in (answers or {}).items()})
    names = {"inputs": {**known, **(inputs or {})}, "steps": run.outputs}
    scratch.mkdir()
    for step in action["runs"]["steps"]:
        if not is_true(step.get("if", "true"), names):
            continue
        if "uses" in step:
            run.used[step["id"]] = {
                name: fill(str(text), names) for name, text in step["with"].items()
            }
        elif step["id"] not in run.outputs:
            _run_step(step, names, run, path.parent, workspace, environment, scratch)
            if run.code:
                break
    summary = scratch / "summary"
    run.summary = summary.read_text(encoding="utf-8") if summary.exists() else ""
    return run


def _run_step(
    step: dict[str, Any],
    names: dict[str, Any],
    run: ActionRun,
    folder: Path,
    workspace: Path,
    environment: Mapping[str, str],
    scratch: Path,
) -> None:
    assert step["shell"] == "bash"
    script, output = scratch / f"{step['id']}.sh", scratch / f"{step['id']}.output"
    script.write_text(step["run"], encoding="utf-8")
    output.touch()
    own = {name: fill(str(text), names) for name, text in step.get("env", {}).items()}
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
        cwd=workspace,
        env={
            **environment,
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTION_PATH": str(folder),
            "GITHUB_WORKSPACE": str(workspace),
            "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(scratch / "summary"),
            "RUNNER_TEMP": str(scratch),
            **own,
        },
        capture_output=True,
        check=False,
        text=True,
        timeout=600,
    )
    told = (line.partition("=") for line in output.read_text(encoding="utf-8").splitlines())
    run.outputs[step["id"]] = {name: value for name, _, value in told}
    run.steps[step["id"]] = Ran(done.returncode, done.stdout, done.stderr)
    run.code = done.returncode


def fill(text: str, names: Mapping[str, Any]) -> str:
    """Text with its expressions replaced by their values."""
    return EXPRESSION.sub(lambda match: _value(match[1], names), text)


def is_true(condition: str, names: Mapping[str, Any]) -> bool:
    """A condition of `==` and `!=`, joined by `&&`."""
    return all(_holds(part.strip(), names) for part in condition.split("&&"))


def _holds(part: str, names: Mapping[str, Any]) -> bool:
    if part == "true":
        return True
    left, word, right = part.split()
    assert word in ("==", "!="), part
    return (_value(left, names) == _value(right, names)) is (word == "==")


def _value(word: str, names: Mapping[str, Any]) -> str:
    if word.startswith("'") and word.endswith("'"):
        return word[1:-1]
    match = NAME.fullmatch(word)
    assert match is not None, word
    kind, name, output = match.groups()
    if kind == "inputs":
        assert output is None, word
        return str(names["inputs"][name])
    # A step that did not run has no outputs, and each is empty.
    return str(names["steps"].get(name, {}).get(output, ""))
