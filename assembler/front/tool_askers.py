"""Skills that ask for tools which their server no longer lists: a rename breaks them in silence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assembler.assess.catalog_drift import CatalogDrift
from assembler.assess.skill_tools import KnownTools, unknown_tools
from assembler.front.skill_looking import find_asking_skills
from assembler.front.tool_place import ToolWork
from assembler.model.catalog import Catalog, Pin
from assembler.model.finding import Finding, make_finding
from assembler.offers.reader import FileReader
from assembler.offers.skill_tools import read_known_tools


def find_askers(
    work: ToolWork, pin: Pin, listed: Catalog, drift: CatalogDrift
) -> Iterator[Finding]:
    """A finding for each tool that a skill asks for, and that is pinned and gone.

    Args:
        work: the repository and its other pins.
        pin: what was approved.
        listed: what the server lists now.
        drift: the difference of the two.

    Raises:
        UsageError: the skills could not be looked at.
    """
    renamed = {
        change.name: change.other_name for change in drift.changes if change.kind == "removed"
    }
    place = work.place
    skills = find_asking_skills(place.tree, place.scope, place.policy.skill_roots())
    if not renamed or not skills:
        return
    resident = place.policy.resident
    known = read_known_tools(resident, FileReader(place.tree, place.scope))
    before = KnownTools(known.resident, {**known.servers, pin.server: frozenset(pin.tools)})
    after = KnownTools(known.resident, {**known.servers, pin.server: frozenset(listed.tools)})
    for skill in skills:
        lost = {tool.asked for tool in unknown_tools(skill.asks_for, after)}
        lost -= {tool.asked for tool in unknown_tools(skill.asks_for, before)}
        for asked in (asked for asked in skill.asks_for if asked in lost):
            new = _new_name(asked, renamed)
            yield make_finding(
                "ASM212",
                skill.path,
                f"asks for {asked}, which {pin.server} no longer lists",
                fix=f"it is now {new}" if new else "correct the name",
                data={"tool": asked, "near": new, "skill": skill.name},
            )


def _new_name(asked: str, renamed: Mapping[str, str | None]) -> str | None:
    """What the tool is called now, where it only has another name."""
    bare = asked.partition("(")[0].strip()
    names = [name for name in renamed if bare.endswith(name)]
    return renamed[max(names, key=len)] if names else None
