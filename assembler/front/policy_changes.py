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
from assembler.model.chain import parent_folder
from assembler.model.finding import Finding, Severity
from assembler.offers.differences import PolicyDifference, about_difference, compare_files
from assembler.offers.reader import FileReader

CODE: Final = "ASM703"
MAX_POLICY_FILES: Final = 1_000
"""Of the folder that holds policy."""
_ENDINGS: Final = (".json", ".yaml", ".yml")


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
    files = [*_configuration(old), *_configuration(new), *_policy_folder(old), *_policy_folder(new)]
    return compare_files(FileReader(old.tree, scope), FileReader(new.tree, scope), files)


def _policy_folder(repository: OpenRepository) -> list[str]:
    """The files of the folder that holds policy: a baseline has no place that is known."""
    listing = repository.tree.list_under(
        [parent_folder(LOCK)], max_depth=0, max_entries=MAX_POLICY_FILES
    )
    return [entry.path for entry in listing.entries if entry.path.endswith(_ENDINGS)]


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
