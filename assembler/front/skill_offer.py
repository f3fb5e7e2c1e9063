"""What a run would be offered of skills, without the rest of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from assembler.adapters.frontmatter import read_front_matter
from assembler.adapters.git import GitRepository
from assembler.config.task import Task
from assembler.front.changed_paths import ChangedPaths
from assembler.front.places import Workplace
from assembler.front.policy import Policy
from assembler.front.skill_roots import join_skill_roots
from assembler.front.skills import skill_terms
from assembler.front.terms import task_terms
from assembler.front.trees import Trees
from assembler.offers.reader import FileReader
from assembler.offers.skills import SkillOffer, offer_skills
from assembler.pipeline import price_inline
from assembler.ports import Counter, SourceTree


class SkillPlace(NamedTuple):
    """Where skills are looked for, and the world as it came in."""

    workplace: Workplace
    git: GitRepository | None
    tree: SourceTree
    environment: Mapping[str, str]


class FoundOffer(NamedTuple):
    """The offer, and what was read for it."""

    offer: SkillOffer
    contents: Mapping[str, bytes]
    """By path."""


def find_offer(
    task: Task,
    policy: Policy,
    place: SkillPlace,
    *,
    targets: list[str],
    counter: Counter,
    every_digest: bool,
) -> FoundOffer:
    """The skills of a run, by the terms that the run would have.

    Args:
        task: what is asked; an empty one activates nothing.
        policy: profile and host.
        place: where.
        targets: root-relative, those of the task included.
        counter: of the profile; asked only where the catalog has a ceiling.
        every_digest: as `offer_skills` takes it.

    Raises:
        UsageError, ConfigError: what was named is missing or says nothing usable.
    """
    scope = policy.read_scope()
    terms = skill_terms(
        task,
        policy,
        Trees(place.tree, place.tree),
        place.workplace,
        scope=scope,
        targets=targets,
        environment=place.environment,
        find_changed=ChangedPaths(place.tree, place.git, scope).find,
    )
    joined = join_skill_roots(place.tree, place.workplace.root, terms.outside, place.environment)
    reader = FileReader(joined, scope)
    offer = offer_skills(
        terms,
        task_terms(task, targets),
        reader,
        read_front_matter,
        resident_tools=policy.profile.tools.resident,
        price=lambda item: price_inline(item, counter),
        every_digest=every_digest,
    )
    return FoundOffer(offer, reader.contents)
