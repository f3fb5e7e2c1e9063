"""The list as a whole: bounds, and a fifth agent that is a description alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from assembler.agents import skill_catalog
from assembler.agents.disk import Start
from assembler.agents.known import opencode
from assembler.agents.rules import AgentRules
from assembler.agents.skill_catalog import list_skills
from assembler.agents.skill_rules import (
    BesideRules,
    HeadRules,
    ListRules,
    ScanRules,
    SkillPlace,
    SkillRules,
)
from assembler.front.agent_skill_lists import read_block
from assembler.model.tree import Entry, EntryKind, Unreadable


class MemoryDisk:
    """Implements `Disk` over files in memory."""

    def __init__(self, files: Mapping[str, bytes | Unreadable]) -> None:
        self.files = files
        self.reads = 0
        self.folders = {
            "/".join(path.split("/")[:end]) or "/"
            for path in files
            for end in range(1, path.count("/") + 1)
        }

    def look_up(self, paths: Sequence[str]) -> Mapping[str, Entry]:
        return {path: Entry(path, self._kind(path), real_path=path) for path in paths}

    def _kind(self, path: str) -> EntryKind:
        if path in self.files:
            return EntryKind.FILE
        return EntryKind.DIRECTORY if path in self.folders else EntryKind.MISSING

    def read(self, path: str) -> bytes | Unreadable:
        self.reads += 1
        return self.files[path]

    def names_in(self, folder: str) -> tuple[str, ...] | None:
        prefix = folder.rstrip("/") + "/"
        inner = (path for path in (*self.files, *self.folders) if path.startswith(prefix))
        return tuple(sorted({path[len(prefix) :].split("/")[0] for path in inner} - {""}))


def start(**options: tuple[str, ...]) -> Start:
    return Start(
        cwd="/w/a",
        home="/h",
        system_folder="/etc/x",
        environment={},
        options=options,
        repository="/w",
    )


INVENTED = opencode.RULES._replace(
    name="invented",
    title="Invented",
    skills=SkillRules(
        places=(SkillPlace("cwd", ("tricks",), "repo"), SkillPlace("home", ("tricks",), "user")),
        scan=ScanRules(),
        head=HeadRules(
            block=r"\A~~~\n(.*?)~~~\n(.*)",
            drops_bom=True,
            faulty="lines",
            name_from="folder",
            description_from="field",
        ),
        listing=ListRules("* {name} | {description}", "places-name", "first"),
        stop="marker-or-cwd",
        file_name="TRICK.md",
        beside=(
            BesideRules(
                "subagent",
                (SkillPlace("cwd", ("helpers",), "repo"),),
                ".txt",
                is_listed=True,
                joint="::",
                listing=ListRules("@ {name} [{tools}]", "name", "last"),
                tools_field="may",
                all_tools="all",
            ),
        ),
    ),
)


def lines(rules: AgentRules, files: Mapping[str, bytes]) -> list[str]:
    answer = list_skills(rules, start(), MemoryDisk(files), read_block)
    return [row.line for row in answer.rows if row.line is not None]


def test_fifth_agent__is_a_description() -> None:
    head = b"~~~\ndescription: %s\n~~~\n"
    found = lines(
        INVENTED,
        {
            "/w/a/tricks/b/TRICK.md": head % b"one",
            "/w/a/tricks/a/TRICK.md": head % b"two",
            "/h/tricks/b/TRICK.md": head % b"three",
            "/w/a/helpers/x/y.txt": b"~~~\ndescription: d\nmay: [Read, Grep]\n~~~\n",
            "/w/a/helpers/z.txt": head % b"d",
        },
    )

    assert found == ["* a | two", "* b | one", "@ x::y [Read, Grep]", "@ z [all]"]


def test_skills_above__are_told_and_not_read() -> None:
    disk = MemoryDisk({"/w/.git/HEAD": b"", "/w/tricks/b/TRICK.md": b"", "/w/a/x": b""})
    answer = list_skills(INVENTED, start(), disk, read_block)

    assert [(row.slug, row.root) for row in answer.rows] == [("skills-not-read-here", "/w/tricks")]
    assert disk.reads == 0


@pytest.mark.parametrize(
    ("reason", "state", "slug"),
    [
        ("EACCES", "rejected", "skill-unreadable"),
        ("access-denied", "unread", "skill-unread"),
        ("size-limit", "unread", "skill-unread"),
    ],
)
def test_file__that_is_not_read_says_whose_doing_it_is(reason: str, state: str, slug: str) -> None:
    disk = MemoryDisk({"/w/a/tricks/b/TRICK.md": Unreadable(reason)})
    rows = list_skills(INVENTED, start(), disk, read_block).rows

    assert [(row.state, row.slug) for row in rows] == [(state, slug)]


def test_bytes__of_all_files_together_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(skill_catalog, "MAX_TOTAL_BYTES", 100)
    head = b"~~~\ndescription: d\n~~~\n".ljust(101)
    disk = MemoryDisk({f"/w/a/tricks/{name}/TRICK.md": head for name in "abc"})
    rows = list_skills(INVENTED, start(), disk, read_block).rows

    assert [row.state for row in rows] == ["listed", "unread", "unread"]
    assert disk.reads == 1
