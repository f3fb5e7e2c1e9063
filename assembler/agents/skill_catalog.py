"""What an agent lists of skills, commands and subagents: what is found and how it is read. Pure.

In: a description, a start, the disk. Out: one row a file, the lines of those that are listed.
Never here: a rule of one agent alone. Names, order and budget: `skill_lists`.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from assembler.agents.disk import Disk, Start
from assembler.agents.places import find_top
from assembler.agents.rules import AgentRules, Walk
from assembler.agents.settings import is_on, read_settings
from assembler.agents.skill_heads import (
    Head,
    HeadFault,
    ReadBlock,
    count_units,
    is_true,
    read_head,
)
from assembler.agents.skill_lists import Item, write_list
from assembler.agents.skill_places import (
    Found,
    FoundFile,
    find_beside,
    find_folders,
    find_skill_files,
    folder_name,
    name_by_path,
)
from assembler.agents.skill_rows import SkillAnswer, SkillKind, SkillRow
from assembler.agents.skill_rules import (
    BesideRules,
    HeadRules,
    SkillRules,
)
from assembler.agents.trust import find_trust
from assembler.model.tree import Unreadable

MAX_TOTAL_BYTES: Final = 256 * 1024 * 1024
"""Of all files that are read for one answer."""


def list_skills(rules: AgentRules, start: Start, disk: Disk, read_block: ReadBlock) -> SkillAnswer:
    """What an agent lists of skills, commands and subagents when it is started.

    Args:
        rules: its description, with one of skills.
        start: where and how.
        disk: the file system.
        read_block: reads a head of YAML.

    Raises:
        ConfigError: `agent-config`: settings that it does not start with.
    """
    skills = rules.skills
    assert skills is not None  # a caller asks only for an agent that has them
    walk = next(step for step in rules.steps if isinstance(step, Walk))
    settings = read_settings(rules, start, find_top(walk.stop, start, rules.markers, disk), disk)
    top = find_top(skills.stop, start, rules.markers, disk)
    trust = find_trust(rules, start, settings, disk)
    if trust is not None and trust.exit_code:
        return SkillAnswer(rules, trust.exit_code, top)
    if any(is_on(switch, start, settings) for switch in skills.nothing):
        return SkillAnswer(rules, 0, top)
    return _Listing(rules, skills, _World(start, disk, read_block, top)).answer()


class _World(NamedTuple):
    """What an answer is made of."""

    start: Start
    disk: Disk
    read_block: ReadBlock
    top: str


class _Listing:
    """One answer in the making."""

    def __init__(self, rules: AgentRules, skills: SkillRules, world: _World) -> None:
        self._rules = rules
        self._skills = skills
        self._world = world
        self._read_bytes = 0
        self._bounds: list[tuple[str, str]] = []
        self._heads: dict[tuple[str, HeadRules], Head | HeadFault] = {}

    def answer(self) -> SkillAnswer:
        """The whole answer."""
        skills = self._skills
        folders = find_folders(skills.places, skills, self._world.start, self._world.top)
        found = self._without_sources(find_skill_files(folders, skills, self._world.disk))
        items, lost = self._read("skill", found, skills.head, None)
        joined = [beside for beside in skills.beside if beside.joins_skills]
        for beside in joined:
            more, gone = self._beside(beside)
            items, lost = [*items, *more], [*lost, *gone]
        rows, spending = write_list(items, skills.listing)
        rest: list[SkillRow] = []
        for beside in skills.beside:
            if not beside.joins_skills:
                rest += self._list_beside(beside)
        lost = sorted(lost, key=lambda row: (row.kind, row.path))
        return SkillAnswer(
            rules=self._rules,
            exit_code=0,
            top=self._world.top,
            rows=(*rows, *lost, *rest),
            spending=spending,
            bounds=tuple(self._bounds),
        )

    def _without_sources(self, found: Found) -> Found:
        """What is left where an option of the agent names the sources that count."""
        self._bounds += found.bounds
        option = self._rules.sources_option
        if option is None or option not in self._world.start.options:
            return found
        named = self._world.start.values_of(option)
        scopes = {"repo" if name == "project" else name for name in named}
        return found._replace(files=tuple(file for file in found.files if file.scope in scopes))

    def _beside(self, beside: BesideRules) -> tuple[list[Item], list[SkillRow]]:
        folders = find_folders(beside.places, self._skills, self._world.start, self._world.top)
        found = self._without_sources(find_beside(folders, beside.ending, self._world.disk))
        return self._read(beside.kind, found, beside.head or self._skills.head, beside)

    def _list_beside(self, beside: BesideRules) -> list[SkillRow]:
        if not beside.is_listed:
            folders = find_folders(beside.places, self._skills, self._world.start, self._world.top)
            files = find_beside(folders, beside.ending, self._world.disk).files
            return [_not_listed(file, beside) for file in files]
        items, lost = self._beside(beside)
        listing = beside.listing or self._skills.listing
        rows, _ = write_list(items, listing)
        return [*rows, *sorted(lost, key=lambda row: row.path)]

    def _read(
        self, kind: SkillKind, found: Found, head: HeadRules, beside: BesideRules | None
    ) -> tuple[list[Item], list[SkillRow]]:
        """The files that the agent takes, and the rows of those that it does not."""
        items: list[Item] = []
        lost: list[SkillRow] = []
        met: dict[str, str] = {}
        for file in found.files:
            row = _first_row(kind, file, beside)
            if file.slug is not None:
                lost.append(row._replace(slug=file.slug, reason=file.reason))
                continue
            if self._skills.file_counts_once and file.real_path in met:
                lost.append(_met_before(row, met[file.real_path]))
                continue
            met[file.real_path] = file.path
            taken = _take(row, self._head(file, head), head, beside, self._skills)
            if isinstance(taken, Item):
                items.append(taken)
            else:
                lost.append(taken)
        return items, lost

    def _head(self, file: FoundFile, rules: HeadRules) -> Head | HeadFault:
        key = (file.real_path, rules)
        if key not in self._heads:
            self._heads[key] = self._read_head(file, rules)
        return self._heads[key]

    def _read_head(self, file: FoundFile, rules: HeadRules) -> Head | HeadFault:
        if self._read_bytes > MAX_TOTAL_BYTES:
            return HeadFault("skill-unread", "more was read before it than is read here")
        data = self._world.disk.read(file.path)
        if isinstance(data, Unreadable):
            if data.reason in ("access-denied", "size-limit"):
                return HeadFault("skill-unread", f"it is not read here ({data.reason})")
            return HeadFault("skill-unreadable", f"it can't be read ({data.reason})")
        self._read_bytes += len(data)
        return read_head(data, rules, self._world.read_block)


def _take(
    row: SkillRow,
    head: Head | HeadFault,
    head_rules: HeadRules,
    beside: BesideRules | None,
    skills: SkillRules,
) -> Item | SkillRow:
    """What is offered; a row alone for a file that the agent drops."""
    if isinstance(head, HeadFault):
        is_open = head.slug == "skill-unread"
        row = row._replace(slug=head.slug, reason=head.reason)
        return row._replace(state="unread") if is_open else row
    name = head.name if head_rules.name_from == "field" else row.name
    assert name is not None  # the reader asks for it
    ignored = tuple(field for field in skills.ignored_fields if _acts(head, field))
    row = row._replace(
        state="listed",
        name=name,
        description=head.description,
        description_units=count_units(head.description),
        ignored=ignored,
    )
    row = _tell_head(row, head)
    field = _hiding_field(head, head_rules, beside)
    if field is not None:
        reason = f"`{field}` keeps it out of the list"
        row = row._replace(state="hidden", slug="not-offered", reason=reason)
    return Item(row, name, head.name, _tools_of(head, beside))


def _hiding_field(head: Head, rules: HeadRules, beside: BesideRules | None) -> str | None:
    """The field that keeps a file out of the list."""
    if rules.hidden_by is not None and is_true(head.fields.get(rules.hidden_by)):
        return rules.hidden_by
    if beside is not None and beside.left_out is not None:
        field, values = beside.left_out
        return field if head.fields.get(field) in values else None
    return None


def _tools_of(head: Head, beside: BesideRules | None) -> str:
    if beside is None or beside.tools_field is None:
        return ""
    value = head.fields.get(beside.tools_field)
    if isinstance(value, list):
        value = ", ".join(part for part in value if isinstance(part, str))
    return value if isinstance(value, str) and value.strip() else beside.all_tools


def _met_before(row: SkillRow, first: str) -> SkillRow:
    return row._replace(
        state="shadowed",
        slug="same-file",
        reason="the same file was met before, by another way",
        by=first,
    )


def _first_row(kind: SkillKind, file: FoundFile, beside: BesideRules | None) -> SkillRow:
    name = folder_name(file)
    if beside is not None:
        name = name_by_path(file, beside.ending, beside.joint)
    return SkillRow(
        kind=kind,
        state="rejected",
        name=name,
        scope=file.scope,
        path=file.path,
        source=file.real_path,
        root=file.root,
    )


def _not_listed(file: FoundFile, beside: BesideRules) -> SkillRow:
    return _first_row(beside.kind, file, beside)._replace(
        state="hidden",
        slug="kind-not-listed",
        reason=f"the agent tells the model of no {beside.kind} of a file",
    )


def _acts(head: Head, field: str) -> bool:
    value = head.fields.get(field)
    return is_true(value) if field.startswith("disable") else bool(value)


def _tell_head(row: SkillRow, head: Head) -> SkillRow:
    """What the agent made of the head without a word."""
    if head.from_body:
        reason = "its description is the first line of its text"
        return row._replace(slug="skill-description-from-body", reason=reason)
    if head.is_repaired:
        reason = "its front matter is no YAML, and is read by another way"
        return row._replace(slug="skill-yaml-repaired", reason=reason)
    return row
