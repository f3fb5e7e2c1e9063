"""What a place changes of the policy that judges it, where that is another revision's.

The lock names instructions and skills; here are the files that say how it is judged. None of them
is believed, and each is told, so that no change of theirs goes by as one of content.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from assembler.config.defaults import DEFAULT_PROFILE, LOCK
from assembler.discover.servers import declaration_paths
from assembler.front.opening import OpenRepository
from assembler.front.policy_folder import YAML_ENDINGS, list_policy_files
from assembler.model.finding import Finding, Severity
from assembler.offers.differences import PolicyDifference, about_difference, compare_files
from assembler.offers.reader import FileReader

CODE: Final = "ASM703"
_ENDINGS: Final = (".json", *YAML_ENDINGS)


def find_policy_changes(
    repository: OpenRepository,
    *,
    paths: Collection[str] | None = None,
    more: Sequence[str] = (),
) -> tuple[Finding, ...]:
    """A finding for each file of configuration that is not what the policy's revision has.

    Args:
        repository: as opened.
        paths: those that are asked about; None: all that policy is made of.
        more: files that judge beside those, such as a baseline that is named.

    Raises:
        ConfigError: a pattern of the profile is none.
    """
    evidence, policy, revision = repository.trees
    if revision is None or policy is evidence:
        return ()
    scope = repository.policy.read_scope()
    files = [*_configuration(repository), *more] if paths is None else [*paths]
    differences = compare_files(FileReader(policy, scope), FileReader(evidence, scope), files)
    return tuple(
        about_difference(
            item,
            revision.id,
            fix=f"review it as a change of policy; it counts once it is in {revision.name}",
            severity=_severity(item),
        )
        for item in differences
        if paths is None or item.path in paths
    )


def compare_judging(old: OpenRepository, new: OpenRepository) -> tuple[PolicyDifference, ...]:
    """The files of configuration and the pins that two places hold differently.

    Args:
        old: what would judge; what its rules close is not compared.
        new: what would be judged.

    Returns:
        Sorted by path.
    """
    scope = old.policy.read_scope()
    files = [*_configuration(old), *_configuration(new)]
    # A baseline has no place that is known.
    files += [path for side in (old, new) for path in list_policy_files(side.tree, _ENDINGS)]
    return compare_files(FileReader(old.tree, scope), FileReader(new.tree, scope), files)


def _severity(item: PolicyDifference) -> Severity:
    """A first lock takes nothing away: without one nothing was held to anything."""
    return "note" if item.path == LOCK and item.what == "added" else "warning"


def _configuration(repository: OpenRepository) -> list[str]:
    loaded = repository.policy.loaded
    declared = declaration_paths([""])
    if loaded is None:
        return [DEFAULT_PROFILE, LOCK, *declared]
    from assembler.front.policy import configuration_files

    return [*configuration_files(loaded), *declared]
