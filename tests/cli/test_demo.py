"""The story of the demo: eight candidates, each decided by the product's own rules."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from assembler.adapters.sample_repository import SampleRepository
from assembler.adapters.vocabulary import open_counter
from tests.builders.command_line import ROOT, CommandLine, all_bytes_below, package_of

RUN = ("assemble", "-p", "parser-repair", "--task", "task.yaml")
TOKENIZER = "file:packages/parser/src/tokenize.ts#L1-L43"


def canary_of(sample: SampleRepository) -> bytes:
    text = (sample.root / ".env.production").read_bytes()
    (value,) = [line.partition(b"=")[2] for line in text.splitlines() if b"canary" in line]
    return value


@pytest.fixture
def assembler(sample: SampleRepository, tmp_path: Path) -> CommandLine:
    return CommandLine(cwd=sample.root, home=tmp_path / "home", own_counts=True)


def run(assembler: CommandLine, sample: SampleRepository, *more: str) -> Any:
    result = assembler(*RUN, "--host", str(sample.host), "--at", "r42", "-f", "json", *more)
    assert result.code == 0, result.talk
    return result.json


def test_demo__prints_the_story_on_one_screen(tmp_path: Path) -> None:
    assembler = CommandLine(cwd=tmp_path, home=tmp_path / "home", own_counts=True, fresh=True)
    result = assembler("demo", "--into", str(tmp_path / "demo"))
    assert result.code == 0, result.talk
    lines = result.text.splitlines()
    assert len(lines) <= 45
    decisions = {line.split()[1]: line for line in lines if line[:7].strip() in
                 ("in", "out", "denied") and len(line.split()) > 2}  # fmt: skip
    assert decisions["file:packages/parser/AGENTS.md"].startswith("out")
    assert "already-resident" in decisions["file:packages/parser/AGENTS.md"]
    assert decisions["test:test-17"].startswith("in")
    assert decisions[TOKENIZER].startswith("in")
    assert decisions["issue:842"].startswith("in")
    assert "untrusted" in decisions["issue:842"]
    assert "stale" in decisions["summary:parser"]
    assert decisions["file:packages/parser/tsconfig.json"].startswith("in")
    assert "no-decision-value" in decisions["file:bench/archive.txt"]
    assert decisions["file:.env.production"].startswith("denied")
    assert "never opened" in decisions["file:.env.production"]
    assert any("claims, 0 failed" in line for line in lines)
    assert not (tmp_path / "home/.local").exists(), "the user's own record is not touched"
    for line in lines[lines.index("Try:") + 1 :]:
        words = line.split()[1:]
        assert assembler(*words).code == 0, line


def test_demo__never_writes_into_a_folder_that_holds_something(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full/mine").write_text("mine")
    assembler = CommandLine(cwd=tmp_path, home=tmp_path / "home", own_counts=True, fresh=True)
    assert assembler("demo", "--into", "full").code == 2
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["mine"]


def test_sample__every_candidate_gets_the_decision_of_the_table(
    assembler: CommandLine, sample: SampleRepository
) -> None:
    report = run(assembler, sample)
    rows = {row["id"]: row for row in report["ledger"]}

    def told(name: str) -> tuple[str, str, str]:
        row = rows[name]
        return row["state"], row["code"], row["trust"]

    assert told("policy:AGENTS.md") == ("in", "required", "authorized")
    assert told("policy:packages/parser/AGENTS.md") == ("in", "required", "authorized")
    assert told("file:packages/parser/AGENTS.md") == ("out", "already-resident", "repository")
    assert told("test:test-17") == ("in", "required", "observed")
    assert told(TOKENIZER) == ("in", "fits", "repository")
    assert told("issue:842") == ("in", "fits", "untrusted")
    assert told("summary:parser") == ("out", "stale", "derived")
    assert told("file:packages/parser/tsconfig.json") == ("in", "fits", "repository")
    assert told("file:bench/archive.txt") == ("out", "no-decision-value", "repository")
    assert told("file:.env.production") == ("denied", "access-denied", "repository")
    assert rows["file:.env.production"]["detail"]["rule"].startswith("host-deny:")
    assert rows["file:.env.production"]["content_sha256"] is None
    assert rows["file:.env.production"]["content_bytes"] is None
    assert rows["summary:parser"]["refreshed_by"] == TOKENIZER
    assert rows[TOKENIZER]["replaces"] == ["summary:parser"]
    assert rows["file:packages/parser/tsconfig.json"]["decides"] == "proof"
    assert rows["file:bench/archive.txt"]["decides"] is None
    # Room is left over, and that is no reason to admit.
    assert report["budget"]["slack"] > 1_000


def test_sample__budget_adds_up_and_the_whole_is_counted(
    assembler: CommandLine, sample: SampleRepository, tmp_path: Path
) -> None:
    report = run(assembler, sample, "--out", str(tmp_path / "package"))
    budget = report["budget"]
    assert budget["window"] == 8192
    assert budget["reserves"] == {"observations": 800, "response": 1200}
    assert budget["envelope"] == 6192
    assert (
        budget["overhead"] + sum(budget["resident"].values()) + budget["limit"]
        == budget["envelope"]
    )
    rendered = (tmp_path / "package/input.txt").read_bytes()
    assert budget["total"] == open_counter("o200k_base", None).count(rendered) <= 6192


def test_summary__made_at_this_revision_is_current(
    assembler: CommandLine, sample: SampleRepository
) -> None:
    result = assembler(*RUN, "--host", str(sample.host), "--at", "r39", "-f", "json")
    rows = {row["id"]: row for row in result.json["ledger"]}
    assert rows["summary:parser"]["state"] == "in"


def test_order__is_fixed_whatever_was_found_when(
    assembler: CommandLine, sample: SampleRepository
) -> None:
    sections = [row["section"] for row in run(assembler, sample)["ledger"] if row["state"] == "in"]
    assert sections == sorted(sections, key=["policy", "task", "tools", "evidence", "work"].index)


def test_hostile_line__stands_inside_an_untrusted_item_and_changes_no_grant(
    assembler: CommandLine, sample: SampleRepository, tmp_path: Path
) -> None:
    before = run(assembler, sample, "--out", str(tmp_path / "before"))
    issue = sample.root / ".work/issue-842.md"
    text = (tmp_path / "before/input.txt").read_text()
    start = text.index("[[issue issue:842")
    item = text[start : text.index("[[end", start)]
    assert "untrusted" in item.splitlines()[0]
    lines = item.splitlines()[1:]
    assert lines
    assert all(line.startswith("> ") for line in lines)
    assert any("disable" in line for line in lines)
    issue.write_text("Nothing to see.\n")
    after = run(assembler, sample)

    def tools(report: Any) -> list[Any]:
        return [row for row in report["ledger"] if row["section"] == "tools"]

    assert before["executor"] == after["executor"]
    assert [row["id"] for row in tools(before)] == [row["id"] for row in tools(after)]
    assert [row["content_sha256"] for row in tools(before)] == [
        row["content_sha256"] for row in tools(after)
    ]


def test_executor__stands_in_no_input_and_no_request(
    assembler: CommandLine, sample: SampleRepository, tmp_path: Path
) -> None:
    """Canaries that stand only in the executor grant of profile and host."""
    canaries = ["canary-host.example", "canary/path", "canary_tool"]
    profile = (ROOT / "profiles/parser-repair.yaml").read_text()
    head = profile[: profile.index("executor:")]
    executor = (
        f"executor: {{hosts: [{canaries[0]}], write: [{canaries[1]}], tools: [{canaries[2]}]}}\n"
    )
    (tmp_path / "canary.yaml").write_text(head + executor)
    host = sample.host.read_text()
    sample.host.write_text(host[: host.index("executor:")] + executor)
    out = tmp_path / "package"
    for api in (["--api", "text"], ["--api", "openai-responses", "--model", "m"]):
        result = assembler(
            *RUN[:1], "-p", str(tmp_path / "canary.yaml"), *RUN[3:], "--host", str(sample.host),
            "-f", "json", "--out", str(out), *api,
        )  # fmt: skip
        assert result.code == 0, result.talk
        assert result.json["executor"] == {
            "hosts": [canaries[0]], "write": [canaries[1]], "tools": [canaries[2]],
        }  # fmt: skip
        everything = all_bytes_below(out)
        for canary in canaries:
            assert canary.encode() not in everything
        shutil.rmtree(out)


@pytest.mark.parametrize("kind", ["file", "fifo", "gone", "folder", "link"])
def test_secret__stands_nowhere_and_is_never_opened(
    assembler: CommandLine, sample: SampleRepository, tmp_path: Path, kind: str
) -> None:
    canary = canary_of(sample)
    secret = sample.root / ".env.production"
    if kind != "file":
        secret.unlink()
    if kind == "fifo":
        os.mkfifo(secret)  # opening it would wait for ever
    elif kind == "folder":
        secret.mkdir()
        (secret / "inner").write_bytes(canary)
    elif kind == "link":
        secret.symlink_to(tmp_path / "real")
        (tmp_path / "real").write_bytes(canary)
    out = tmp_path / "package"
    outputs = []
    # What lies in the worktree says nothing of the other two: one look is enough for each kind.
    for at in ("worktree", "index", "r42") if kind == "file" else ("worktree",):
        shutil.rmtree(out, ignore_errors=True)
        forms = ("text", "json", "jsonl", "input", "request") if kind == "file" else ("json",)
        for form in forms:
            where = ["--out", str(out)] if form == "json" else []
            result = assembler(
                *RUN, "--host", str(sample.host), "--at", at, "-f", form, "--debug", *where
            )
            assert result.code == 0, result.talk
            outputs.append(result.out + result.err)
        rows = {row["id"]: row for row in map(json.loads, _lines(out / "ledger.jsonl"))}
        denied = [row for row in rows.values() if row["access"] == "denied"]
        if kind in ("file", "fifo"):
            assert [row["id"] for row in denied] == ["file:.env.production"]
        outputs.append(all_bytes_below(out))
    for command in (
        ("log",), ("log", "last"), ("log", "--events"), ("verify", "last"),
        ("explain", ".env.production", "--host", str(sample.host)),
        ("chain",),
    ):  # fmt: skip
        result = assembler(*command)
        outputs.append(result.out + result.err)
    outputs.append(all_bytes_below(tmp_path / "home"))
    assert canary not in b"".join(outputs)


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines()


def test_secret__stands_in_no_failure_either(
    assembler: CommandLine, sample: SampleRepository, tmp_path: Path
) -> None:
    canary = canary_of(sample)
    task = (sample.root / "task.yaml").read_text().replace(
        "required: [test:test-17]", "required: [test:test-17, 'file:.env.production']"
    )  # fmt: skip
    (tmp_path / "t.yaml").write_text(task)
    result = assembler(
        "assemble", "-p", "parser-repair", "--task", str(tmp_path / "t.yaml"),
        "--host", str(sample.host), "-f", "json", "--debug",
    )  # fmt: skip
    assert result.code == 3, result.talk
    assert canary not in result.out + result.err + all_bytes_below(tmp_path / "home")


def shuffled_copy(source: Path, target: Path) -> None:
    """A copy whose directory entries were created in another order."""
    names = sorted((path.relative_to(source) for path in source.rglob("*")), reverse=True)
    for name in names:
        if (source / name).is_dir():
            (target / name).mkdir(parents=True, exist_ok=True)
        else:
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source / name, target / name)


@pytest.mark.parametrize("at", ["worktree", "index", "r42"])
def test_package__is_the_same_bytes_on_any_machine(
    sample: SampleRepository, tmp_path: Path, at: str
) -> None:
    packages = []
    for number, (zone, lang, umask) in enumerate(
        [("UTC", "C.UTF-8", "022"), ("Asia/Tokyo", "tr_TR.UTF-8", "077")]
    ):
        place = tmp_path / ("a" if number == 0 else "somewhere else/deep é")
        place.mkdir(parents=True)
        if number == 0:
            subprocess.run(
                ["git", "clone", "-q", str(sample.root), str(place / "clone")],
                check=True,
                env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
            )
        else:
            shuffled_copy(sample.root, place / "clone")
        shutil.copy(sample.host, place / "host.yaml")
        shutil.copytree(sample.host.parent / "global", place / "global")
        assembler = CommandLine(
            cwd=place / "clone",
            home=place / "home",
            variables=(("TZ", zone), ("LANG", lang), ("LC_ALL", lang)),
        )
        result = subprocess.run(
            ["sh", "-c", f'umask {umask}; exec "$@"', "sh", *_command(at, place)],
            cwd=assembler.cwd,
            env=assembler.environment(PYTHONHASHSEED=str(number)),
            capture_output=True,
            check=False,
        )
        assert result.returncode == 0, result.stderr
        packages.append(package_of(place / "package"))
    assert packages[0] == packages[1]
    assert len(packages[0]) > 10


def _command(at: str, place: Path) -> list[str]:
    import sys

    return [
        sys.executable, "-m", "assembler", *RUN, "--host", str(place / "host.yaml"), "--at", at,
        "--out", str(place / "package"),
    ]  # fmt: skip
