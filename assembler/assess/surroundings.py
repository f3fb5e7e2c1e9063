"""What lies around a chain: rows and findings about it.

Pure: facts in, a chain with more rows and findings out. Never here: an opened file.
"""

from __future__ import annotations

from collections.abc import Iterable

from assembler.assess.chain import with_findings
from assembler.assess.chain_findings import about_no_root
from assembler.model.chain import Chain, ChainRow, Surroundings, parent_folder
from assembler.model.finding import Finding, make_finding
from assembler.model.tree import Entry


def with_surroundings(chain: Chain, around: Surroundings) -> Chain:
    """The chain with a row for each file above its root, and what else is odd around it."""
    if around == Surroundings():
        return chain
    rows = [_row(entry) for entry in around.outer]
    rows += [
        _odd_row(path, parent_folder(path) or ".", "hollow-git", "no repository")
        for path in around.hollow
    ]
    if around.root_is_home:
        rows.append(_odd_row("~", ".", "root-is-home", "the root is the home folder"))
    found = [about_hollow(path) for path in around.hollow]
    found += [_about_home()] if around.root_is_home else []
    found += _about_outer(around.outer)
    found += [] if around.has_root else [about_no_root()]
    return with_findings(chain._replace(rows=(*chain.rows, *rows)), found)


def about_hollow(path: str, *, stops: bool = False) -> Finding:
    """A `.git` that git does not take for a repository.

    Args:
        path: of the entry.
        stops: whether the walk ends there all the same.
    """
    effect = "stops the walk of this agent" if stops else "passed over, as git does"
    folder = parent_folder(path) or "."
    return make_finding(
        "ASM123",
        path,
        f"is no repository: {effect}",
        fix=f"remove it, or make it one: git init {folder}",
        data={"folder": folder, "stops": stops},
    )


def _about_home() -> Finding:
    return make_finding(
        "ASM124",
        None,
        "the root of this project is the home folder: its instruction files hold in every folder "
        "below that is no repository of its own",
        fix="make the project a repository: git init",
    )


def _about_outer(entries: Iterable[Entry]) -> list[Finding]:
    return [
        make_finding(
            "ASM125",
            entry.path,
            "belongs to the repository around this one: not loaded here",
            fix="copy what should hold here into a file of this repository",
            data={"size_bytes": entry.size_bytes},
        )
        for entry in entries
    ]


def _odd_row(path: str, scope: str, reason: str, note: str) -> ChainRow:
    return ChainRow("off", path, scope, None, 0, reason, note)


def _row(entry: Entry) -> ChainRow:
    return ChainRow(
        state="off",
        path=entry.path,
        scope=parent_folder(entry.path) or ".",
        size_bytes=entry.size_bytes,
        loaded_bytes=0,
        reason="outside-root",
        note="of the repository around this one",
        link_text=entry.link_text,
    )
