"""What profile and host say of how instruction files are walked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from assembler.authorize.read_scope import ReadScope
from assembler.config.defaults import COUNTER
from assembler.errors import RefusedError, UsageError
from assembler.front.default_grant import DEFAULT_LAYER, is_configured
from assembler.front.places import Workplace
from assembler.front.trees import Trees
from assembler.model.chain import STRICT, WalkRules
from assembler.ports import SourceTree

if TYPE_CHECKING:
    from assembler.front.policy import Policy


class WalkTerms(NamedTuple):
    """What profile and host say of a walk."""

    rules: WalkRules
    scope: ReadScope
    profile: str
    counter: str
    instruction_tree: SourceTree | None = None
    """The tree with the links out of it that the host allows; None: it allows none."""
    policy: Policy | None = None
    """None: neither profile nor host manifest is there."""


def read_walk_terms(
    workplace: Workplace,
    trees: Trees,
    cwd: Path,
    *,
    environment: Mapping[str, str],
    profile: str | None,
    host: Path | None,
) -> WalkTerms:
    """The terms of a walk; without any configuration nothing is loaded.

    A profile that asks for more than the host grants is no reason not to look.
    """
    if not is_configured(trees.policy, environment, profile=profile, host=host):
        return WalkTerms(STRICT, ReadScope((DEFAULT_LAYER,)), "built-in", COUNTER)
    from assembler.front.policy import load_policy, open_instructions

    try:
        policy = load_policy(
            workplace,
            trees.policy,
            profile=profile,
            host=host,
            base=cwd,
            environment=environment,
            policy_from=trees.policy_from,
        )
    except RefusedError as error:
        raise UsageError(
            error.code, error.message, where=error.where, next_step=error.next_step
        ) from None
    return WalkTerms(
        rules=policy.walk_rules,
        scope=policy.read_scope(),
        profile=policy.loaded.name,
        counter=policy.profile.counter,
        instruction_tree=open_instructions(policy, workplace, trees.evidence, environment),
        policy=policy,
    )
