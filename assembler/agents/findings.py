"""What is worth saying of an agent's input: files that it does not read, and why; orders. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from assembler.agents.disk import Disk, Start
from assembler.agents.loaded import AbsentFile, AgentInput
from assembler.agents.places import folders_up, is_below, join, parent
from assembler.agents.rules import Walk
from assembler.model.finding import Finding, Severity, make_finding
from assembler.model.names import first_few
from assembler.model.tree import EntryKind


class _Word(NamedTuple):
    """How a reason is told."""

    code: str
    fix: str
    severity: Severity | None = None


_WORDS: Final = {
    "agents-file-switched-off": _Word(
        "ASM131", "import it there: write `@AGENTS.md` into that file, or remove that file"
    ),
    "import-outside-gate": _Word(
        "ASM132", "start the agent further up, or make the importing file a link to the target"
    ),
    "one-name-for-the-walk": _Word("ASM136", "use one name in every folder"),
    "import-missing": _Word("ASM137", "correct the path, or write it in a code span"),
    "import-too-deep": _Word("ASM138", "import it from a file further up"),
    "link-loop-loses-name": _Word("ASM139", "repair or remove the link"),
    "outer-checkout": _Word("ASM142", "none if meant"),
    "import-ending": _Word("ASM144", "give it an ending of text, such as .md"),
    "listed-missing": _Word("ASM145", "correct the list in the settings"),
    "url-not-asked": _Word("ASM147", "read it yourself: the agent asks for it at each start"),
    "excluded": _Word("ASM148", "none if meant"),
    "source-switched-off": _Word("ASM148", "none if meant"),
    "name-switched-off": _Word("ASM148", "none if meant"),
    "added-folder-off": _Word("ASM148", "set the variable, or leave the option out"),
    "behind-other-name": _Word("ASM148", "none if meant"),
    "instruction-unreadable": _Word("ASM107", "repair or remove it", "warning"),
    "not-a-file": _Word("ASM109", "replace it by a file"),
    "access-denied": _Word("ASM129", "rename what is no secret, or take the import out", "warning"),
    "size-limit": _Word("ASM107", "make it smaller", "warning"),
    "same-file-twice": _Word("ASM114", "none if meant"),
}

_BY_NAME: Final = ("agents-file-switched-off", "one-name-for-the-walk")
"""The agent would read the file, but for another name."""


def find_findings(found: AgentInput, start: Start, disk: Disk) -> tuple[Finding, ...]:
    """Everything that is worth saying, by code and place.

    Args:
        found: what the agent loads.
        start: where it is started.
        disk: asked about settings that stand where they are not read.
    """
    absent = _without_read_ones(found, disk)
    findings = [
        *_about_start(found),
        *(finding for file in absent for finding in _about_file(file, found, start)),
        *_about_order(found, start),
        *_about_settings(found, start, disk),
        *(_about_cut(path, note, found) for path, note in found.cut),
        *(_about_unscoped(path, found) for path in found.unscoped),
    ]
    placed = [_place(finding, start) for finding in findings]
    return tuple(sorted(placed, key=lambda one: (one.code, one.path or "", one.message)))


def _place(finding: Finding, start: Start) -> Finding:
    """The finding with its path below the repository, where it is in it."""
    if finding.path is None:
        return finding
    data = {**finding.data, "absolute_path": finding.path}
    return finding._replace(path=_short(finding.path, start), data=data)


def _short(path: str, start: Start) -> str:
    """A path below the repository, or with `~` for HOME, or as it is."""
    for base, shown in ((start.repository or start.cwd, ""), (start.home, "~/")):
        if base is not None and path.startswith(f"{base}/"):
            return shown + path[len(base) + 1 :]
        if base is not None and path == base:
            return shown.rstrip("/") or "."
    return path


def _about_start(found: AgentInput) -> Iterator[Finding]:
    if found.exit_code:
        yield make_finding(
            "ASM140",
            None,
            f"{found.rules.title} does not start here: it ends with {found.exit_code}, because "
            "the folder is not trusted",
            fix=_how_to_trust(found),
            data={"agent": found.rules.name, "exit_code": found.exit_code},
        )


def _how_to_trust(found: AgentInput) -> str:
    trust = found.rules.trust
    assert trust is not None  # only a question of trust ends a start
    return (
        f"trust the folder in the agent, or start it with --{trust.option}; with "
        f"{trust.variable}=true it is shown here what it would load"
    )


def _without_read_ones(found: AgentInput, disk: Disk) -> list[AbsentFile]:
    """Without names that are passed over while the same file is read by another one: links."""
    named = [file.path for file in found.absent if file.reason in _BY_NAME]
    entries = disk.look_up(named)
    read = {entry.target for entry in found.entries}
    same = {path for path, entry in entries.items() if (entry.real_path or path) in read}
    return [file for file in found.absent if file.reason not in _BY_NAME or file.path not in same]


def _about_file(file: AbsentFile, found: AgentInput, start: Start) -> Iterator[Finding]:
    word = _WORDS.get(file.reason)
    if word is not None:
        by = "" if file.by is None else f" ({_short(file.by, start)})"
        data = {"agent": found.rules.name, "reason": file.reason, "by": file.by}
        yield make_finding(
            word.code,
            file.path,
            f"{found.rules.name} does not read it: {file.note}{by}",
            fix=_fix(word, file),
            data=data,
            severity=word.severity,
        )


def _fix(word: _Word, file: AbsentFile) -> str:
    if word.code == "ASM131" and file.by is not None and parent(file.by) != parent(file.path):
        return "add a CLAUDE.md beside it that says `@AGENTS.md`, or remove that other file"
    return word.fix


def _about_order(found: AgentInput, start: Start) -> Iterator[Finding]:
    for group in found.order_is_open:
        names = [path.rpartition("/")[2] for path in group]
        yield make_finding(
            "ASM134",
            parent(group[0]),
            f"{found.rules.name} takes {len(group):,} files ({', '.join(first_few(names))}) in the "
            "order of the file system: two clones can give two inputs",
            fix="let no rule depend on standing before another",
            data={"agent": found.rules.name, "files": list(group)},
        )
    order = next((step.order for step in found.rules.steps if isinstance(step, Walk)), "down")
    walked = [entry.path for entry in found.entries if entry.kind.source == "project"]
    turned = None if order == "down" else _first_turned(walked)
    if turned is None:
        return
    deep, above = turned
    code = "ASM133" if order == "path-bytes" else "ASM143"
    how = "by the bytes of their paths" if order == "path-bytes" else "nearest first"
    yield make_finding(
        code,
        deep,
        f"{found.rules.name} orders files {how}: {_short(deep, start)} stands before "
        f"{_short(above, start)}",
        fix="let no rule depend on standing behind another"
        if order == "up"
        else "begin the names of folders with a small letter",
        data={"agent": found.rules.name, "before": above, "order": walked},
    )


def _first_turned(paths: list[str]) -> tuple[str, str] | None:
    """The first file that stands before one of a folder above it."""
    last: dict[str, str] = {}
    places: dict[str, int] = {}
    for place, path in enumerate(paths):
        last[parent(path)], places[parent(path)] = path, place
    for place, path in enumerate(paths):
        for folder in folders_up(parent(parent(path))):
            if places.get(folder, -1) > place:
                return path, last[folder]
    return None


def _about_settings(found: AgentInput, start: Start, disk: Disk) -> Iterator[Finding]:
    """Settings of the project that stand above the start, where the agent reads none."""
    top = start.repository
    if top is None or top == start.cwd:
        return
    for file in found.rules.settings.files:
        if file.layer != "project" or file.place.base != "cwd" or file.walks:
            continue
        for folder in folders_up(parent(start.cwd)):
            if not is_below(folder, top):
                break
            path = join(folder, file.place.path)
            if disk.look_up([path])[path].kind is EntryKind.FILE:
                yield make_finding(
                    "ASM135",
                    path,
                    f"{found.rules.name} reads settings of the project in the start folder alone: "
                    f"started in {_short(start.cwd, start)} it does not know these",
                    fix="start the agent in the folder of the settings",
                    data={"agent": found.rules.name, "start": start.cwd},
                )


def _about_unscoped(path: str, found: AgentInput) -> Finding:
    return make_finding(
        "ASM141",
        path,
        f"{found.rules.name} loads it at every start: it names `paths`, and its front matter is "
        "no YAML",
        fix="correct the front matter",
        data={"agent": found.rules.name, "reason": "rule-front-matter"},
    )


def _about_cut(path: str, note: str, found: AgentInput) -> Finding:
    return make_finding(
        "ASM146",
        path,
        f"{found.rules.name} does not read it whole: {note}",
        fix="shorten it",
        data={"agent": found.rules.name},
    )
