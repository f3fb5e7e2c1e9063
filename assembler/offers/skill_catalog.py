"""The catalog: a line for each listed skill, within its ceiling where it has one.

What a ceiling shortens or drops has a row with what it would cost.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final, NamedTuple

from assembler.model.candidate import Absent, Candidate, Inline
from assembler.model.counting import plural
from assembler.model.finding import Finding, make_finding
from assembler.model.limits import MAX_ID_BYTES, bounded_name
from assembler.model.names import first_few
from assembler.model.run import CatalogCeiling
from assembler.model.skill import Skill, catalog_line
from assembler.model.skill_pin import FolderDigest
from assembler.offers.skill_folders import spell_digests
from assembler.select.catalog import CatalogLine, FittedLine, fit_catalog

PriceItem = Callable[[Candidate], int]
"""The cost of a candidate whose content is inline, in the budget's unit."""

CODE: Final = "catalog-over-budget"


class CatalogOffer(NamedTuple):
    """The lines, and the rows of what a ceiling took away."""

    lines: tuple[Candidate, ...]
    lost: tuple[Candidate, ...] = ()
    findings: tuple[Finding, ...] = ()


def offer_catalog(
    skills: Sequence[Skill],
    folders: Mapping[str, FolderDigest],
    *,
    scopes: Sequence[str],
    kept: Collection[str],
    ceiling: CatalogCeiling | None,
    price: PriceItem,
) -> CatalogOffer:
    """The catalog of the listed skills.

    Args:
        skills: the listed ones.
        folders: what their folders hold, by the path of SKILL.md.
        scopes: the levels that were looked in, nearest first.
        kept: names whose lines are the last to lose anything.
        ceiling: None: all lines are in whole.
        price: of a line as it will be rendered.
    """
    entries = {str(skill.name): _line(skill, folders[skill.path]) for skill in skills}
    if ceiling is None:
        return CatalogOffer(tuple(entries.values()))
    by_name = {str(skill.name): skill for skill in skills}
    ordered = sorted(skills, key=lambda skill: _order(skill, scopes))
    fitted = fit_catalog(
        [
            CatalogLine(str(skill.name), skill.description or "", skill.name in kept)
            for skill in ordered
        ],
        ceiling.amount,
        lambda name, description: price(_with_line(entries[name], name, description)),
    )
    lost = [line for line in fitted if line.description is None or line.is_shortened]
    if not lost:
        return CatalogOffer(tuple(entries.values()))
    used = sum(line.cost for line in fitted if line.description is not None)
    return CatalogOffer(
        lines=tuple(
            _with_line(entries[line.name], line.name, line.description)
            for line in fitted
            if line.description is not None
        ),
        lost=tuple(
            _lost(line, by_name[line.name], entries[line.name], used, ceiling) for line in lost
        ),
        findings=(_finding(lost, by_name, used, ceiling),),
    )


def _order(skill: Skill, scopes: Sequence[str]) -> tuple[int, str, str]:
    """Nearest level first, then name, then path."""
    nearness = scopes.index(skill.scope) if skill.scope in scopes else len(scopes)
    return (nearness, skill.name or "", skill.path)


def _line(skill: Skill, folder: FolderDigest) -> Candidate:
    line = catalog_line(skill.name or "", skill.description or "")
    return Candidate(
        id=f"skill:{skill.name}",
        kind="skill-entry",
        section="tools",
        trust="authorized",
        content=Inline(line.encode("utf-8")),
        version=spell_digests(skill, folder),
        discovered_by=f"skills of {skill.root}",
    )


def _with_line(entry: Candidate, name: str, description: str) -> Candidate:
    return entry._replace(content=Inline(catalog_line(name, description).encode("utf-8")))


def _lost(
    line: FittedLine, skill: Skill, entry: Candidate, used: int, ceiling: CatalogCeiling
) -> Candidate:
    """The row of a line that is not in, or not whole."""
    unit = plural(ceiling.unit)
    of = f"of {ceiling.amount:,} {unit}"
    version = entry.version
    if line.description is None:
        identifier = entry.id
        shortest = f", {line.cost:,} at its shortest" if line.cost != line.full_cost else ""
        words = f"{line.full_cost:,} {of}{shortest}; {used:,} are used"
    else:
        # The digests stand in the row of the line that is in.
        identifier, version = f"{entry.id}#line", None
        words = f"{line.full_cost:,} {of} whole, shortened to {line.cost:,}"
    place = bounded_name(skill.path, most_bytes=MAX_ID_BYTES - len(words) - 2)
    return entry._replace(
        id=identifier,
        trust="untrusted",
        version=version,
        content=Absent("turned-away", code=CODE, where=f"{place}: {words}"),
    )


def _finding(
    lost: Sequence[FittedLine], skills: Mapping[str, Skill], used: int, ceiling: CatalogCeiling
) -> Finding:
    dropped = [line.name for line in lost if line.description is None]
    shortened = [line.name for line in lost if line.description is not None]
    parts = [
        f"{len(names)} {word} ({', '.join(first_few(names))})"
        for word, names in (("dropped", dropped), ("shortened", shortened))
        if names
    ]
    unit = plural(ceiling.unit)
    return make_finding(
        "ASM211",
        None,
        f"the catalog of skills has {ceiling.amount:,} {unit}, {used:,} are used: "
        + " and ".join(parts),
        fix="raise `skills.budget`, shorten descriptions, or name what must stay in "
        "`skills.always`",
        data={
            "ceiling": ceiling.amount,
            "used": used,
            "unit": ceiling.unit,
            "lost": [
                {
                    "name": line.name,
                    "path": skills[line.name].path,
                    "cost": line.full_cost,
                    "shown": line.cost if line.description is not None else None,
                }
                for line in lost
            ],
        },
    )
