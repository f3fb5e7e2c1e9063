"""Chains of given files or texts, assessed as a command would."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assembler.assess.chain import assess_chain, refuse_broken_chain
from assembler.discover.instructions import files_to_read, find_instructions
from assembler.model.agent import CODEX
from assembler.model.chain import (
    STRICT,
    Chain,
    ChainRow,
    FolderFinds,
    InstructionSearch,
    WalkRules,
)
from assembler.model.tree import Entry, EntryKind, Unreadable
from tests.builders.trees import read_entries, write_tree

FAITHFUL = CODEX.walk


def chain_of_files(
    tmp_path: Path, files: dict[str, Any], end: str = "", rules: WalkRules = STRICT, **options: Any
) -> Chain:
    tree = write_tree(tmp_path, files)
    search = find_instructions(tree, [end], rules=rules, targets=options.pop("targets", ()))
    return assess_chain(search, read_entries(tree, files_to_read(search, rules)), rules, **options)


def chain_of_texts(
    *texts: bytes | Unreadable, limit: int = 100, rules: WalkRules = STRICT
) -> Chain:
    """A chain of one file a folder, `AGENTS.md`, `a/AGENTS.md`, `a/a/AGENTS.md` …"""
    folders, contents = [], {}
    for depth, text in enumerate(texts):
        folder = "/".join("a" * depth)
        path = f"{folder}/AGENTS.md".lstrip("/")
        size = len(text) if isinstance(text, bytes) else 7
        entry = Entry(path=path, kind=EntryKind.FILE, real_path=path, size_bytes=size)
        folders.append(FolderFinds(folder, used=entry))
        contents[path] = text
    search = InstructionSearch("", tuple(folders))
    return assess_chain(search, contents, rules._replace(limit_bytes=limit))


def states(chain: Chain) -> list[tuple[str, str]]:
    return [(row.state, row.path) for row in chain.rows]


def row_of(chain: Chain, path: str) -> ChainRow:
    return next(row for row in chain.rows if row.path == path)


def codes(chain: Chain) -> list[str]:
    return [finding.code for finding in chain.findings]


def refused(chain: Chain) -> str | None:
    finding = refuse_broken_chain(chain)
    return None if finding is None else finding.code
