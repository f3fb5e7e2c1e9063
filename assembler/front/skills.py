"""What a run says of skills: which are active and why, their pins, and whose skills are used.

`$name` mentions are found where names are known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from assembler.adapters.patterns import compile_patterns
from assembler.authorize.read_scope import ReadScope
from assembler.config.defaults import LOCK
from assembler.config.lock import read_lock
from assembler.config.profile import Activation, Profile
from assembler.config.task import Task
from assembler.front.places import Workplace
from assembler.front.policy import Policy
from assembler.front.profiles import read_document, read_policy_file
from assembler.front.repository_trust import judge_repository
from assembler.front.skill_roots import inside_roots, outside_roots
from assembler.front.trees import Trees, named_in
from assembler.model.counting import counter_unit
from assembler.model.inventory import TEXT_LAYOUT
from assembler.model.keywords import find_keyword
from assembler.model.run import TASK_NAMES_IT, CatalogCeiling, SkillResource, SkillTerms
from assembler.model.skill_pin import SkillPin
from assembler.model.skill_places import SKILL_FILE
from assembler.ports import PatternSet, SourceTree

HOST_PLACE: Final = "the host manifest"
FindChanged = Callable[["PatternSet | None"], "str | None"]
"""The first changed path that a pattern set matches; None as patterns: any."""


class Activations(NamedTuple):
    """What task and profile activate."""

    skills: tuple[tuple[str, str], ...]
    """Name and reason, each name once."""
    resources: tuple[SkillResource, ...]


def activate_skills(
    task: Task, profile: Profile, targets: Sequence[str], find_changed: FindChanged
) -> Activations:
    """Name and reason of each activation, and the files that come with them.

    Args:
        task: names skills and files of them, and has the words that keywords are looked for in.
        profile: its rules.
        targets: root-relative.
        find_changed: asked only where a rule asks for changed paths and nothing else holds.
    """
    active: dict[str, str] = {}
    resources: dict[tuple[str, str], SkillResource] = {}
    for named in task.skills:
        name, _, path = named.partition("/")
        active.setdefault(name, TASK_NAMES_IT)
        _add(resources, name, path, TASK_NAMES_IT)
    words = "\n".join(text for text in (task.objective, task.question) if text is not None)
    for rule in profile.skills.activate:
        reason = _why_active(rule, targets, words, find_changed)
        if reason is None:
            continue
        active.setdefault(rule.skill, reason)
        for path in rule.resources:
            _add(resources, rule.skill, path, reason)
    return Activations(tuple(active.items()), tuple(resources.values()))


def _add(
    resources: dict[tuple[str, str], SkillResource], name: str, path: str, reason: str
) -> None:
    # The whole SKILL.md is what an active skill brings in anyway.
    if path not in ("", SKILL_FILE):
        resources.setdefault((name, path), SkillResource(name, path, reason))


def _why_active(
    rule: Activation, targets: Sequence[str], words: str, find_changed: FindChanged
) -> str | None:
    """The first condition of the rule that holds, in words; None: none does."""
    if rule.when is None and not rule.keywords and not rule.changed:
        return "profile activates it"
    pattern = None
    if rule.when is not None:
        pattern = compile_patterns([rule.when], where=f"skills.activate: {rule.when}")
        hit = next((target for target in targets if pattern.match(target)), None)
        if hit is not None:
            return f"profile: {rule.when} holds {hit}"
    keyword = find_keyword(words, rule.keywords)
    if keyword is not None:
        return f"profile: the task says {keyword}"
    changed = find_changed(pattern) if rule.changed else None
    if changed is None:
        return None
    return f"profile: {rule.when or 'what is changed'} holds {changed}, which is changed"


def skill_terms(
    task: Task,
    policy: Policy,
    trees: Trees,
    workplace: Workplace,
    *,
    scope: ReadScope,
    targets: Sequence[str],
    environment: Mapping[str, str],
    find_changed: FindChanged,
) -> SkillTerms:
    """All that task, profile, host and lock say of skills.

    Args:
        task: what is asked.
        policy: profile and host.
        trees: the lock is that of the policy's tree.
        workplace: the repository, and where the agent starts.
        scope: its denies govern the lock too.
        targets: root-relative.
        environment: for HOME.
        find_changed: as `activate_skills` takes it.

    Raises:
        UsageError, ConfigError: the lock, a root or a rule says nothing usable.
    """
    profile = policy.profile
    activations = activate_skills(task, profile, targets, find_changed)
    distrust = why_distrusted(policy, workplace, environment)
    with named_in(policy.policy_from):
        # A lock pins the skills that are its repository's, and of those none is used.
        locked = {} if distrust is not None else load_locked(trees.policy, scope)
    return SkillTerms(
        roots=inside_roots(profile),
        cwd=workplace.cwd,
        active=activations.skills,
        outside=outside_roots(profile),
        resources=activations.resources,
        named=_named_in_profile(profile, policy.loaded.place),
        always=frozenset(profile.skills.always),
        ceiling=catalog_ceiling(profile),
        pins={**locked, **_host_pins(policy, locked)},
        distrust=distrust,
    )


def _named_in_profile(profile: Profile, place: str) -> tuple[tuple[str, str], ...]:
    """Name and place of each skill that the profile speaks of."""
    rules = [(rule.skill, f"{place}: skills.activate") for rule in profile.skills.activate]
    return (*rules, *((name, f"{place}: skills.always") for name in profile.skills.always))


def catalog_ceiling(profile: Profile) -> CatalogCeiling | None:
    """The ceiling of the catalog; the other layouts have no place for one."""
    budget = profile.skills.budget
    if budget is None or profile.layout != TEXT_LAYOUT:
        return None
    return CatalogCeiling(budget.ceiling(profile.window), counter_unit(profile.counter))


def load_locked(tree: SourceTree, scope: ReadScope) -> dict[str, SkillPin]:
    """The pins of skills in the lock file, by name; none without the file.

    Args:
        tree: where the policy is from; its lock judges.
        scope: its denies govern the lock too.

    Raises:
        ConfigError: the lock file is there and says nothing usable.
    """
    data = read_policy_file(tree, LOCK, scope)
    if data is None:
        return {}
    return read_lock(data, path=LOCK, read_document=read_document).skill_pins


def _host_pins(policy: Policy, locked: Mapping[str, SkillPin]) -> dict[str, SkillPin]:
    """The host's pins; where the lock has the same digest, its list of files says what changed."""
    pins = {}
    for name, spelled in policy.host.skills.pins.items():
        digest = spelled.removeprefix("sha256:")
        same = locked.get(name)
        known = same if same is not None and same.sha256 == digest else SkillPin(digest, LOCK)
        # The manifest holds for every repository; the lock says what this one must have.
        pins[name] = known._replace(place=HOST_PLACE, must_exist=name in locked)
    return pins


def why_distrusted(
    policy: Policy, workplace: Workplace, environment: Mapping[str, str]
) -> str | None:
    """Why the skills of the repository are not used; None: they are.

    Raises:
        UsageError: `home-missing`.
    """
    repositories = policy.host.repositories
    return judge_repository(
        workplace.root,
        trusted=None
        if repositories.trusted is None
        else [policy.host_path(named, environment) for named in repositories.trusted],
        untrusted=[policy.host_path(named, environment) for named in repositories.untrusted],
    )
