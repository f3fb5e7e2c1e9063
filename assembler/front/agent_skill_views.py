"""Skills, commands and subagents of declared agents at one place in time.

As `agent_views` for instruction files: nothing of the user's machine counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from assembler.agents.rules import AgentRules
from assembler.agents.skill_catalog import list_skills
from assembler.agents.skill_rows import SkillAnswer, SkillRow
from assembler.compare.sights import SeenItem, SeenPart
from assembler.front.agent_skill_lists import read_block
from assembler.front.agent_views import (
    ROOT,
    TreeDisk,
    described_agents,
    plain_path,
    start_in,
    telling_place,
)
from assembler.front.seen_texts import SeenTexts
from assembler.model.chain import parent_folder
from assembler.model.digest import sha256_hex
from assembler.model.skill_places import SKILL_FILE
from assembler.model.tree import Unreadable
from assembler.ports import SourceTree

MAX_FILES: Final = 20_000
MAX_DEPTH: Final = 64


class AgentSkillView(NamedTuple):
    """What one agent lists, by the folder where it starts."""

    rules: AgentRules
    by_folder: Mapping[str, SkillAnswer]


def view_agent_skills(
    disk: TreeDisk, names: Iterable[str], listed: Iterable[str]
) -> tuple[AgentSkillView, ...]:
    """What each agent lists in the root and in every folder that has a folder of its skills.

    Args:
        disk: of the repository.
        names: of the agents; codex is passed over.
        listed: root-relative paths of a listing of SKILL.md.

    Raises:
        ConfigError: `agent-config`: settings in the repository that an agent can't read.
    """
    paths = [path for path in listed if path.rpartition("/")[2] == SKILL_FILE]
    return tuple(
        AgentSkillView(
            rules,
            {
                folder: _list(rules, folder, disk)
                for folder in sorted({"", *_starts_of(rules, paths)})
            },
        )
        for rules in described_agents(names)
        if rules.skills is not None
    )


def _list(rules: AgentRules, folder: str, disk: TreeDisk) -> SkillAnswer:
    with telling_place():
        return list_skills(rules, start_in(rules, folder), disk, read_block)


def _starts_of(rules: AgentRules, paths: Iterable[str]) -> Iterator[str]:
    assert rules.skills is not None  # asked of those alone that have them
    folders = [folder for place in rules.skills.places for folder in place.folders]
    for path in paths:
        for folder in folders:
            above, found, _ = f"/{path}".partition(f"/{folder}/")
            if found:
                yield above.lstrip("/")


def rows_of(views: Iterable[AgentSkillView]) -> Iterator[SkillRow]:
    """The rows of all agents and starts; one file may have several."""
    for view in views:
        for answer in view.by_folder.values():
            yield from answer.rows


def agent_skill_items(
    tree: SourceTree, disk: TreeDisk, views: Sequence[AgentSkillView], texts: SeenTexts
) -> dict[str, list[SeenItem]]:
    """The rows as items of a sight, by the folder where the agent starts.

    Args:
        tree: of the repository.
        disk: of the same.
        views: of the agents.
        texts: where lines and heads are counted and shown from.
    """
    by_source = {row.source: row for row in rows_of(views)}
    parts = {source: _parts(tree, disk, row, texts) for source, row in by_source.items()}
    lines = (_line(row) for row in rows_of(views) if row.line is not None)
    texts.add_all(dict.fromkeys(lines))
    found: dict[str, list[SeenItem]] = {}
    for view in views:
        for folder, answer in view.by_folder.items():
            items = found.setdefault(folder, [])
            taken: set[str] = set()
            for row in answer.rows:
                name = f"{view.rules.name}:{row.kind}:{row.name}"
                if name in taken:
                    name = f"{view.rules.name}:{row.kind}:{plain_path(row.source)}"
                taken.add(name)
                items.append(_item(name, row, texts, parts[row.source]))
    return found


def _item(name: str, row: SkillRow, texts: SeenTexts, parts: tuple[SeenPart, ...]) -> SeenItem:
    digest = None if row.line is None else sha256_hex(_line(row))
    return SeenItem(
        id=name,
        kind="agent",
        state="in" if row.is_listed else "out",
        path=plain_path(row.source),
        reason="" if row.is_listed else row.slug or row.state,
        tokens=texts.tokens(digest),
        text_sha256=digest,
        parts=parts,
    )


def _parts(
    tree: SourceTree, disk: TreeDisk, row: SkillRow, texts: SeenTexts
) -> tuple[SeenPart, ...]:
    files = {path: disk.read(f"{ROOT}/{path}") for path in files_of_row(tree, row)}
    own = plain_path(row.source)
    head = files.get(own)
    if isinstance(head, bytes):
        texts.add_all([head])
    folder = f"{parent_folder(own)}/".lstrip("/")
    found = []
    for path, data in sorted(files.items(), key=lambda item: (item[0] != own, item[0])):
        digest = None if isinstance(data, Unreadable) else sha256_hex(data)
        tokens = texts.tokens(digest) if path == own and digest is not None else None
        found.append(SeenPart(path.removeprefix(folder), digest, tokens))
    return tuple(found)


def _line(row: SkillRow) -> bytes:
    return (row.line or "").encode("utf-8", "surrogatepass")


def files_of_row(tree: SourceTree, row: SkillRow) -> list[str]:
    """The file of a row, and of a skill all that its folder holds; nothing outside."""
    path = plain_path(row.source)
    if path.startswith("/"):
        return []
    folder = parent_folder(path)
    if row.kind != "skill" or path.rpartition("/")[2] != SKILL_FILE or not folder:
        return [path]
    below = tree.list_under([folder], max_depth=MAX_DEPTH, max_entries=MAX_FILES)
    return sorted({path, *(entry.path for entry in below.entries)})
