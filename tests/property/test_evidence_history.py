"""What was seen before is current exactly when its bytes are those where the run reads.

Random histories of a small repository: edits, reverts, renames, moved functions, touched files,
amended and rebased commits, shallow clones. What is right is worked out by git's own programs
and plain slicing, and by nothing of the product.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assembler import Task, assemble
from assembler.config.task import EvidenceEntry
from tests.builders.repositories import RepositoryBuilder, git_environment

NAMES = ("alpha", "beta", "gamma", "delta")
IN = {"fits", "required", "duplicate-content", "already-resident"}
"""Reasons of an item whose facts keep it in the running."""

HOWS = {"revision": 0, "both": 0, "sha256": 1, "summary": 2}
OPERATIONS = ("edit", "edit", "above", "swap", "drop", "rename", "revert", "touch", "commit",
              "commit", "stage", "amend", "rebase")  # fmt: skip


def source_text(number: int) -> str:
    functions = [
        f"def {name}():\n    step = {number}\n    return {place}\n"
        for place, name in enumerate(NAMES[:3])
    ]
    return "import os\n\n\n" + "\n\n".join(functions)


def start(repository: RepositoryBuilder) -> None:
    notes = "".join(f"note {number}\n" for number in range(12))
    repository.write({"one.py": source_text(1), "two.py": source_text(2), "notes.md": notes})
    repository.commit()


def act(repository: RepositoryBuilder, operation: str, dice: int, commits: list[str]) -> None:
    """One step of a history; one that is not possible is none."""
    files = sorted(path for path in repository.root.iterdir() if path.is_file())
    path = files[dice % len(files)]
    text = path.read_text()
    lines = text.splitlines(keepends=True)
    functions = re.findall(r"def \w+\(\):\n(?:    .*\n)+", text)
    match operation:
        case "edit" if lines:
            lines[dice % len(lines)] = f"    edited = {dice}\n"
            path.write_text("".join(lines))
        case "above":
            path.write_text(
                "".join(f"# {dice}-{number}\n" for number in range(1 + dice % 3)) + text
            )
        case "swap" if len(functions) > 1:
            one, two = functions[0], functions[-1]
            path.write_text(text.replace(one, "@1@").replace(two, one).replace("@1@", two))
        case "drop" if functions:
            path.write_text(text.replace(functions[dice % len(functions)], ""))
        case "rename":
            path.rename(path.with_name(f"{path.stem}x{path.suffix}"))
        case "revert":
            repository.git("checkout", "-q", commits[dice % len(commits)], "--", ".")
        case "touch":
            os.utime(path, (dice, dice))
        case "commit":
            commits.append(repository.commit(f"change {dice}"))
        case "stage":
            repository.git("add", "-A")
        case "amend":
            repository.git("commit", "-q", "--amend", "--allow-empty", "-m", f"amended {dice}")
            commits.append(repository.text("rev-parse", "HEAD"))
        case "rebase":
            run(repository.root, "rebase", "-q", "--autostash", "--onto", "HEAD~2", "HEAD~1")
            run(repository.root, "rebase", "--abort")
            run(repository.root, "checkout", "-q", "-f", "HEAD")
            commits.append(repository.text("rev-parse", "HEAD"))


def run(folder: Path, *arguments: str) -> bytes | None:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env=git_environment(folder.parent), capture_output=True,
        check=False,
    )  # fmt: skip
    return done.stdout if done.returncode == 0 else None


class Item(NamedTuple):
    """A section of a file of a commit."""

    commit: str
    path: str
    lines: tuple[int, int] | None
    symbol: str | None
    how: str
    """`revision`, `sha256`, `both` or `summary`."""

    @property
    def part(self) -> str:
        if self.lines is not None:
            return f"#L{self.lines[0]}-L{self.lines[1]}"
        return "" if self.symbol is None else f"#{self.symbol}"


def section(data: bytes, item: Item) -> bytes | None:
    """The bytes that are meant, by plain slicing."""
    if item.symbol is not None:
        return definitions(data).get(item.symbol)
    if item.lines is None:
        return data
    lines = data.splitlines(keepends=True)
    first, last = item.lines
    return b"".join(lines[first - 1 : last]) if last <= len(lines) else None


def definitions(data: bytes) -> dict[str, bytes]:
    """The lines of each function, as Python itself has them; none of a file that it refuses."""
    lines = data.splitlines(keepends=True)
    try:
        tree = ast.parse(data)
    except SyntaxError:
        return {}
    return {
        node.name: b"".join(lines[node.lineno - 1 : node.end_lineno])
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
    }


def count_places(data: bytes, wanted: bytes) -> int:
    """At how many places whole lines of a file are these bytes."""
    lines, length = data.splitlines(keepends=True), len(wanted.splitlines(keepends=True))
    places = range(len(lines) - length + 1)
    return sum(b"".join(lines[place : place + length]) == wanted for place in places)


def expected(item: Item, then: bytes | None, was: bytes, now: bytes | None) -> set[str]:
    """What may be said: `current`, `stale`, `unknown`; of lines that can't be told apart two.

    Args:
        item: the section.
        then: its file as it was, where that is known to the run.
        was: its bytes.
        now: its file as it is.
    """
    if now is None:
        return {"unknown"}
    there = section(now, item)
    if there == was:
        return {"current"}
    if item.lines is None:
        return {"unknown" if item.symbol is not None and there is None else "stale"}
    places = count_places(now, was)
    is_telling = sum(re.search(rb"\w", line) is not None for line in was.splitlines()) >= 3
    is_alone = then is None or (count_places(then, was) == 1 and not has_equal_lines(was, now))
    if places == 1 and is_telling and is_alone:
        return {"current"}
    if places == 0 or then is None or is_other_kept(item, then, was, now):
        return {"stale"}
    return {"current", "stale"}


def has_equal_lines(was: bytes, now: bytes) -> bool:
    """Whether a line of the section stands twice, so that a comparison may pair the other one."""
    lines = now.splitlines()
    return any(lines.count(line) > 1 for line in was.splitlines() if re.search(rb"\w", line))


def is_other_kept(item: Item, then: bytes, was: bytes, now: bytes) -> bool:
    """Whether only these lines changed, so that each place in the new file is that of another."""
    assert item.lines is not None
    first, last = item.lines
    old, new = then.splitlines(keepends=True), now.splitlines(keepends=True)
    others = [*range(first - 1), *range(last, len(old))]
    return len(old) == len(new) and all(old[line] == new[line] for line in others)


@st.composite
def histories(draw: st.DrawFn) -> list[tuple[str, int]]:
    dice = st.integers(0, 30)
    return draw(st.lists(st.tuples(st.sampled_from(OPERATIONS), dice), min_size=2, max_size=9))


def make_items(repository: RepositoryBuilder, commits: list[str], dice: list[int]) -> list[Item]:
    items: dict[tuple[Any, ...], Item] = {}
    for number, throw in enumerate(dice):
        commit = commits[throw % len(commits)]
        paths = repository.text("ls-tree", "-r", "--name-only", commit).splitlines()
        path = paths[throw // 7 % len(paths)]
        data = repository.git("show", f"{commit}:{path}")
        names = sorted(definitions(data)) if path.endswith(".py") else []
        size = len(data.splitlines())
        lines, symbol = None, None
        if number % 3 == 1 and size:
            first = 1 + throw % size
            lines = (first, min(size, first + throw % 5))
        elif number % 3 == 2 and names:
            symbol = names[throw % len(names)]
        how = ("revision", "summary", "revision", "sha256", "both", "summary", "summary")[
            number % 7
        ]
        item = Item(commit, path, lines, symbol, how)
        if section(data, item) is not None:
            # One section at one revision has one id, whatever else is known of it.
            at = digest(section(data, item)) if how == "sha256" else commit
            items.setdefault((at, path, lines, symbol, HOWS[how]), item)
    return [*items.values()]


def old_bytes(repository: RepositoryBuilder, item: Item) -> bytes:
    return repository.git("show", f"{item.commit}:{item.path}")


def digest(data: bytes | None) -> str:
    assert data is not None
    return hashlib.sha256(data).hexdigest()


def write_index(repository: RepositoryBuilder, folder: Path, items: list[Item]) -> None:
    """An index with a summary of each item's section, in the folder that the run reads."""
    artifacts = []
    for number, item in enumerate(items):
        then = old_bytes(repository, item)
        source: dict[str, Any] = {"path": item.path, "sha256": digest(section(then, item))}
        if item.lines is not None:
            source["lines"] = item.lines
        if item.symbol is not None:
            source["symbol"] = item.symbol
        artifacts.append(
            {"id": f"s{number}", "kind": "summary", "file": f"sum/{number}.md",
             "revision": item.commit, "sources": [source]}
        )  # fmt: skip
        (folder / "sum").mkdir(exist_ok=True)
        (folder / f"sum/{number}.md").write_text(f"summary {number} of {item}\n")
    (folder / ".assembler").mkdir(exist_ok=True)
    index = {"schema": "assembler/artifacts/1", "artifacts": artifacts}
    (folder / ".assembler/artifacts.json").write_text(json.dumps(index))


def entry_of(item: Item, then: bytes, summaries: dict[Item, str]) -> tuple[str, EvidenceEntry]:
    """The row's id, and what the task says."""
    if item in summaries:
        return f"summary:{summaries[item]}", EvidenceEntry(summary=summaries[item])
    seen = digest(section(then, item))
    revision = None if item.how == "sha256" else item.commit
    at = f"sha256:{seen[:12]}" if revision is None else revision
    sha256 = None if item.how == "revision" else seen
    name = f"file:{item.path}{item.part}@{at}"
    if item.symbol is not None:
        symbol = f"{item.path}#{item.symbol}"
        return name, EvidenceEntry(symbol=symbol, revision=revision, sha256=sha256)
    entry = EvidenceEntry(file=item.path, lines=item.lines, revision=revision, sha256=sha256)
    return name, entry


def read_now(folder: Path, at: str, path: str) -> bytes | None:
    if at == "worktree":
        return (folder / path).read_bytes() if (folder / path).is_file() else None
    return run(folder, "show", f"{'' if at == 'index' else at}:{path}")


def check(steps: list[tuple[str, int]], dice: list[int], at: str, depth: int) -> None:
    with tempfile.TemporaryDirectory() as top:
        repository = RepositoryBuilder(Path(top) / "r")
        start(repository)
        commits = [repository.text("rev-parse", "HEAD")]
        for operation, throw in steps:
            act(repository, operation, throw, commits)
        items = make_items(repository, commits, dice)
        folder = repository.root
        if depth:
            folder = Path(top) / "clone"
            run(Path(top), "clone", "-q", f"--depth={depth}", f"file://{repository.root}", "clone")
        summaries = {
            item: f"s{number}"
            for number, item in enumerate(one for one in items if one.how == "summary")
        }
        write_index(repository, folder, list(summaries))
        run(folder, "add", ".assembler", "sum")
        if at == "HEAD":
            run(folder, "commit", "-q", "-m", "index")
        entries = dict(entry_of(item, old_bytes(repository, item), summaries) for item in items)
        names = {item: entry_of(item, old_bytes(repository, item), summaries)[0] for item in items}
        made = assemble(
            folder, Task(objective="x", evidence=list(entries.values())), at=at,
            environment={"HOME": top},
        )  # fmt: skip
        rows = {row.id: row for row in made.ledger}
        for item, name in names.items():
            judge(item, rows[name], rows, repository, folder, at)


def judge(
    item: Item, row: Any, rows: Any, repository: RepositoryBuilder, folder: Path, at: str
) -> None:
    then = old_bytes(repository, item)
    was = section(then, item)
    assert was is not None
    now = read_now(folder, at, item.path)
    told = f"{item} at {at}: {row}"
    if item.how == "revision" and run(folder, "cat-file", "-e", item.commit) is None:
        assert (row.reason, row.detail["code"]) == ("turned-away", "revision-unavailable"), told
        return
    if item.how == "summary" and now is None:
        judge_gone(item, row, then, repository, folder, at)
        return
    reasons = {"current": IN, "stale": {"stale"}, "unknown": {"freshness-unknown"}}
    if item.symbol is not None and now is not None and not definitions(now):
        # A file that Python refuses is still taken apart; what is said must hold all the same.
        assert row.reason in {"stale", "freshness-unknown", *(IN if was in now else ())}, told
        return
    is_known = item.how != "sha256" and run(folder, "cat-file", "-e", item.commit) is not None
    right = expected(item, then if is_known else None, was, now)
    assert row.reason in set().union(*(reasons[word] for word in right)), told
    if row.reason in IN and item.how != "summary":
        assert row.content_sha256 == digest(was), told
    if row.reason == "stale":
        # Lines alone can be lost.
        assert row.refreshed_by is not None or item.lines is not None, told
        assert row.refreshed_by is None or row.id in rows[row.refreshed_by].replaces, told


def judge_gone(
    item: Item, row: Any, then: bytes, repository: RepositoryBuilder, folder: Path, at: str
) -> None:
    """A source that was renamed: followed where one new file has its bytes, and never invented."""
    listed = ["ls-files"] if at != "worktree" else ["ls-files", "-c", "-o", "--exclude-standard"]
    paths = (run(folder, *listed) or b"").decode().splitlines()
    files = {path: data for path in paths if (data := read_now(folder, at, path)) is not None}
    before = repository.text("ls-tree", "-r", "--name-only", item.commit).splitlines()
    same = [path for path, data in files.items() if data == then and path not in before]
    is_known = run(folder, "cat-file", "-e", item.commit) is not None
    if is_known and then and len(set(same)) == 1:
        assert row.reason in IN, (item, row, same)
    if row.reason in IN:
        was = section(then, item)
        assert was is not None
        assert any(was in data for data in files.values()), (item, row)
    else:
        assert row.reason in ("stale", "freshness-unknown"), (item, row)


DRAWN = (
    histories(),
    st.lists(st.integers(0, 400), min_size=6, max_size=14),
    st.sampled_from(("worktree", "worktree", "index", "HEAD")),
    st.sampled_from((0, 0, 0, 1, 2)),
)


@settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow])
@given(*DRAWN)
def test_item__is_current_exactly_when_its_bytes_are_there(
    steps: list[tuple[str, int]], dice: list[int], at: str, depth: int
) -> None:
    check(steps, dice, at, depth)


@pytest.mark.long
@settings(max_examples=600, suppress_health_check=[HealthCheck.too_slow])
@given(*DRAWN)
def test_item__is_current_exactly_when_its_bytes_are_there_in_many_histories(
    steps: list[tuple[str, int]], dice: list[int], at: str, depth: int
) -> None:
    check(steps, dice, at, depth)
