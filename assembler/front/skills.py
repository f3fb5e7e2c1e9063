"""Which skills a run activates, and why: by task, by profile, by `$name` in the objective."""

from __future__ import annotations

from collections.abc import Sequence

from assembler.adapters.patterns import compile_patterns
from assembler.config.profile import Profile
from assembler.config.task import Task


def activate_skills(task: Task, profile: Profile, targets: Sequence[str]) -> list[tuple[str, str]]:
    """Name and reason of each activation; `$name` mentions are found where names are known."""
    active = [(name, "task names it") for name in task.skills]
    for rule in profile.skills.activate:
        if rule.when is None:
            active.append((rule.skill, "profile activates it"))
            continue
        pattern = compile_patterns([rule.when], where=f"skills.activate: {rule.when}")
        hit = next((target for target in targets if pattern.match(target)), None)
        if hit is not None:
            active.append((rule.skill, f"profile: {rule.when} holds {hit}"))
    return list(dict(reversed(active)).items())[::-1]
