"""One row for each skill that was found: its state, and what it costs at each level."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from assembler.discover.skill_rules import about_tokens
from assembler.model.candidate import Absent, Candidate, Inline
from assembler.model.finding import Finding
from assembler.model.inventory import TEXT_LAYOUT
from assembler.model.skill import Skill, catalog_line
from assembler.model.skill_pin import FolderDigest, PinCheck
from assembler.offers.skills import SkillOffer
from assembler.pipeline import render_inline
from assembler.ports import Counter

ListState: TypeAlias = Literal["listed", "shadowed", "rejected", "hidden"]
"""`hidden`: a sound skill whose line does not reach the input."""


class SkillCosts(NamedTuple):
    """What one skill counts, in the unit of the profile's counter."""

    line: int | None
    """Of name and description alone; None where there are none."""
    instructions: int | None
    """Of SKILL.md alone; None where it was not read, or is no text."""
    rendered_line: int | None
    """Of the line as it stands in an input, its header included; None: it stands in none."""
    rendered_instructions: int | None
    """The same of SKILL.md."""


class SkillRow(NamedTuple):
    """One skill, or what looks like one, with its cost at each level."""

    skill: Skill
    state: ListState
    reason: str | None
    """Why it is not listed: the slug."""
    where: str | None
    """The place that says so."""
    active: str | None
    """Why its SKILL.md is in; None: it is not."""
    costs: SkillCosts
    shown: str | None = None
    """The description as its line has it."""
    shortened: str | None = None
    """What a ceiling took from its line."""
    folder: FolderDigest | None = None
    """None where it has no files."""
    pin: PinCheck | None = None
    """Of a listed skill, or one whose pin is broken: what became of its pin."""

    @property
    def source(self) -> str:
        """The folder of skills that it was found in."""
        return self.skill.root

    @property
    def name(self) -> str:
        """What it is called: its name, without one that of its folder."""
        return self.skill.called or self.skill.path

    @property
    def folder_sha256(self) -> str | None:
        """None where a file of the folder can't be read, or nobody asked for it."""
        return None if self.folder is None else self.folder.sha256


def make_rows(
    offer: SkillOffer, contents: Mapping[str, bytes], counter: Counter, *, layout: str
) -> tuple[SkillRow, ...]:
    """A row for each skill, in the order of the offer.

    Args:
        offer: what a run would be offered.
        contents: bytes of each file that was read, by path.
        counter: of the profile.
        layout: of the profile; but one has no place for skills.
    """
    candidates = {candidate.id: candidate for candidate in offer.candidates}
    entries = [_entry_of(skill, candidates) for skill in offer.skills]
    active = [_active_of(skill, candidates) for skill in offer.skills]
    texts = [_line(*pair) for pair in zip(offer.skills, entries, strict=True)]
    heads = [_text_of(skill, contents) for skill in offer.skills]
    rendered = [[_rendered(item) for item in items] for items in (entries, active)]
    count = len(offer.skills)
    costs = _count(counter, [*texts, *heads, *rendered[0], *rendered[1]])
    rows = (
        _row(
            skill,
            entries[index],
            active[index],
            SkillCosts(*costs[index::count]),
            offer=offer,
            shortened=candidates.get(f"skill:{skill.name}#line"),
        )
        for index, skill in enumerate(offer.skills)
    )
    return tuple(rows) if layout == TEXT_LAYOUT else tuple(_without_place(row) for row in rows)


def _without_place(row: SkillRow) -> SkillRow:
    """The row of a run whose layout has no place for skills: what is sound stays out."""
    if row.state != "listed":
        return row
    costs = row.costs._replace(rendered_line=None, rendered_instructions=None)
    return row._replace(
        state="hidden", reason="layout-excludes", where=None, active=None, costs=costs
    )


def about_lengths(rows: Iterable[SkillRow], unit: str) -> list[Finding]:
    """A note for each skill that has too many tokens; of too many lines it says so itself."""
    if unit != "token":
        return []
    notes = (about_tokens(row.skill, row.costs.instructions or 0) for row in rows)
    return [note for note in notes if note is not None]


def _row(
    skill: Skill,
    entry: Candidate | None,
    active: Candidate | None,
    costs: SkillCosts,
    *,
    offer: SkillOffer,
    shortened: Candidate | None,
) -> SkillRow:
    state: ListState = skill.state
    reason, where = skill.slug, skill.where
    pin = offer.pins.get(str(skill.name)) if state == "listed" else None
    if entry is not None and isinstance(entry.content, Absent):
        is_broken = pin is not None and pin.state == "broken"
        state = "rejected" if is_broken else "hidden"
        reason, where = entry.content.code, entry.content.where
    cut = shortened.content if shortened is not None and state == "listed" else None
    return SkillRow(
        skill=skill,
        state=state,
        reason=reason,
        where=where,
        active=None if active is None else active.discovered_by,
        costs=costs,
        shown=_shown(skill, entry),
        shortened=cut.where if isinstance(cut, Absent) else None,
        folder=offer.folders.get(skill.path),
        pin=pin,
    )


def _entry_of(skill: Skill, candidates: Mapping[str, Candidate]) -> Candidate | None:
    """The catalog's candidate of a listed skill."""
    return candidates.get(f"skill:{skill.name}") if skill.state == "listed" else None


def _active_of(skill: Skill, candidates: Mapping[str, Candidate]) -> Candidate | None:
    """The SKILL.md of a listed skill that is in."""
    found = candidates.get(f"skill:{skill.name}#instructions")
    is_in = found is not None and isinstance(found.content, Inline)
    return found if is_in and skill.state == "listed" else None


def _line(skill: Skill, entry: Candidate | None) -> bytes | None:
    """The line that is rendered, else the one that would be."""
    if entry is not None and isinstance(entry.content, Inline):
        return entry.content.data
    if skill.name is None or skill.description is None:
        return None
    return catalog_line(skill.name, skill.description).encode()


def _shown(skill: Skill, entry: Candidate | None) -> str | None:
    """The description in the rendered line: a ceiling may have cut it."""
    if entry is None or not isinstance(entry.content, Inline):
        return None
    return entry.content.data.decode().removeprefix(f"{skill.name}: ")


def _text_of(skill: Skill, contents: Mapping[str, bytes]) -> bytes | None:
    """SKILL.md, if it is text: of nothing else there is a count."""
    data = contents.get(skill.path)
    if data is None or any(error.kind == "not_utf8" for error in skill.errors):
        return None
    return data


def _rendered(candidate: Candidate | None) -> bytes | None:
    if candidate is None or not isinstance(candidate.content, Inline):
        return None
    return render_inline(candidate)


def _count(counter: Counter, texts: Sequence[bytes | None]) -> list[int | None]:
    """The cost of each text; None stays None."""
    costs = iter(counter.count_all([text for text in texts if text is not None]))
    return [None if text is None else next(costs) for text in texts]
