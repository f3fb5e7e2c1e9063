"""The skills of each start as items of a sight: what is listed, shortened, and left out.

As `skills list` has them for a run without a task, but for those outside the repository.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from assembler.compare.sights import SeenItem, SeenPart
from assembler.front.check_others import OthersFound
from assembler.front.opening import OpenRepository
from assembler.front.seen_texts import SeenTexts
from assembler.front.skill_clashes import rank_root
from assembler.model.chain import folders_down_to
from assembler.model.digest import sha256_hex
from assembler.model.skill import Skill, catalog_line
from assembler.model.skill_pin import FolderDigest
from assembler.model.skill_places import SKILL_FILE
from assembler.offers.skill_folders import digest_folders

if TYPE_CHECKING:
    from assembler.offers.skill_catalog import CatalogOffer

FitCatalog = Callable[[Sequence[Skill], str], "CatalogOffer"]
"""The lines of some skills for a start in a folder, within the ceiling of the profile."""


class _SeenSkill(NamedTuple):
    rank: int
    skill: Skill
    item: SeenItem


class SeenSkills:
    """Every skill of the repository's folders of skills, and which of them a start has."""

    def __init__(
        self, found: Sequence[_SeenSkill], texts: SeenTexts, fit: FitCatalog | None
    ) -> None:
        self._found = sorted(found, key=_nearest_first)
        self._texts = texts
        self._fit = fit
        self._fitted: dict[tuple[str, ...], list[SeenItem]] = {}
        self.levels = {seen.skill.scope for seen in found}
        """The folders whose starts, and those below them, find a skill."""

    def listed(self, folder: str) -> list[SeenItem]:
        """The skills of a start, one of each name; one that is sound hides one that is not."""
        ways = {*folders_down_to(folder)}
        chosen: dict[str, _SeenSkill] = {}
        for seen in self._found:
            if seen.skill.scope in ways:
                known = chosen.get(seen.item.id)
                if known is None or (seen.item.is_in and not known.item.is_in):
                    chosen[seen.item.id] = seen
        if self._fit is None:
            return [seen.item for seen in chosen.values()]
        key = tuple(seen.skill.path for seen in chosen.values())
        if key not in self._fitted:
            self._fitted[key] = self._within_ceiling([*chosen.values()], folder, self._fit)
        return self._fitted[key]

    def _within_ceiling(
        self, chosen: Sequence[_SeenSkill], folder: str, fit: FitCatalog
    ) -> list[SeenItem]:
        """The items with what the ceiling of the catalog leaves of their lines."""
        from assembler.model.candidate import Inline
        from assembler.offers.skill_catalog import CODE

        offer = fit([seen.skill for seen in chosen if seen.item.is_in], folder)
        lines = {
            entry.id: entry.content.data
            for entry in offer.lines
            if isinstance(entry.content, Inline)
        }
        self._texts.add_all(lines.values())
        items: list[SeenItem] = []
        for _, _, item in chosen:
            digest = sha256_hex(lines[item.id]) if item.id in lines else None
            if not item.is_in or digest == item.text_sha256:
                items.append(item)
            elif digest is None:
                items.append(SeenItem(item.id, "skill", "out", item.path, CODE))
            else:
                items.append(
                    item._replace(
                        state="cut",
                        reason=CODE,
                        note="shortened, since the catalog is over its budget",
                        tokens=self._texts.tokens(digest),
                        text_sha256=digest,
                    )
                )
        return items


def see_skills(
    repository: OpenRepository, others: OthersFound, roots: Sequence[str], texts: SeenTexts
) -> SeenSkills:
    """The skills of a repository.

    Args:
        repository: as opened.
        others: what was found beside the chains.
        roots: the folders of skills that every level may have.
        texts: where lines and SKILL.md files are counted and shown from.

    Raises:
        UsageError, ConfigError: something could not be looked at.
    """
    reader = repository.reader
    seen = [
        skill
        for skill in others.seen.skills
        if skill.is_one and rank_root(skill, roots) < len(roots)
    ]
    excluded = _why_excluded(repository)
    whole = [skill for skill in seen if skill.state == "listed" and not excluded]
    lines = {skill.path: _line(skill) for skill in whole}
    heads = {skill.path: reader.contents.get(skill.path, b"") for skill in whole}
    texts.add_all(dict.fromkeys((*lines.values(), *heads.values())))
    folders = digest_folders(whole, others.seen.search, reader, wanted=lambda _: True)

    def see(skill: Skill) -> SeenItem:
        if skill.path not in lines:
            reason = skill.slug or excluded or skill.state
            return SeenItem(f"skill:{skill.called}", "skill", "out", skill.path, reason)
        line = sha256_hex(lines[skill.path])
        return SeenItem(
            id=f"skill:{skill.name}",
            kind="skill",
            state="in",
            path=skill.path,
            tokens=texts.tokens(line),
            size_bytes=skill.size_bytes,
            text_sha256=line,
            parts=_parts(heads[skill.path], folders[skill.path], texts),
        )

    return SeenSkills(
        [_SeenSkill(rank_root(skill, roots), skill, see(skill)) for skill in seen],
        texts,
        _catalog_fit(repository, folders, texts),
    )


def _parts(head: bytes, digests: FolderDigest, texts: SeenTexts) -> tuple[SeenPart, ...]:
    files = {**digests.files, **{name: None for name, _ in digests.untold if name}}
    files.pop(SKILL_FILE, None)
    digest = sha256_hex(head)
    return (
        SeenPart(SKILL_FILE, digest, texts.tokens(digest)),
        *(SeenPart(path, files[path]) for path in sorted(files)),
    )


def _why_excluded(repository: OpenRepository) -> str:
    """Why no skill has a place in an input: the layout of the profile; empty: they have one."""
    loaded = repository.policy.loaded
    if loaded is None:
        return ""
    from assembler.model.inventory import TEXT_LAYOUT

    return "" if loaded.profile.layout == TEXT_LAYOUT else "layout-excludes"


def _catalog_fit(
    repository: OpenRepository, folders: Mapping[str, FolderDigest], texts: SeenTexts
) -> FitCatalog | None:
    """What fits lines into the ceiling that the profile sets; None: it sets none."""
    loaded = repository.policy.loaded
    if loaded is None or loaded.profile.skills.budget is None:
        return None
    # Few profiles set one, and pricing a line loads what makes an input of it.
    from assembler.config.task import Task
    from assembler.front.skills import activate_skills, catalog_ceiling
    from assembler.model.candidate import Candidate
    from assembler.offers.skill_catalog import offer_catalog
    from assembler.pipeline import render_inline

    profile = loaded.profile
    active = activate_skills(Task(), profile, (), lambda _: None).skills
    kept: Collection[str] = {*profile.skills.always, *(name for name, _ in active)}
    ceiling = catalog_ceiling(profile)

    def price(item: Candidate) -> int:
        return texts.price(render_inline(item))

    def fit(skills: Sequence[Skill], folder: str) -> CatalogOffer:
        scopes = [*reversed(folders_down_to(folder))]
        return offer_catalog(
            skills, folders, scopes=scopes, kept=kept, ceiling=ceiling, price=price
        )

    return fit


def _nearest_first(seen: _SeenSkill) -> tuple[int, int, str]:
    level = seen.skill.scope
    depth = level.count("/") + 1 if level else 0
    return -depth, seen.rank, seen.item.path or ""


def _line(skill: Skill) -> bytes:
    return catalog_line(skill.name or "", skill.description or "").encode()
