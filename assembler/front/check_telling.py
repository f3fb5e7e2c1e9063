"""Which findings a check tells, and which a profile or a baseline keeps quiet.

`check` and both sides of `diff` ask here, so that a finding is new in a comparison where the check
of one side tells it and that of the other does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from assembler.front.opening import OpenRepository
from assembler.model.chain import Chain
from assembler.model.finding import Finding, finding_order
from assembler.model.quieted import Quieted

if TYPE_CHECKING:
    from assembler.assess.excepted_findings import FindingException
    from assembler.front.chains import ChainsFound
    from assembler.front.check_others import OthersFound
    from assembler.model.known_finding import Known

OF_A_START: Final = frozenset({"ASM115"})
"""What says something of where an agent is started, and nothing of a file."""


def all_chains(found: ChainsFound) -> Iterator[tuple[str, Chain]]:
    """Every chain, and what the root's says where it has no instructions."""
    yield from found.bare.items()
    yield from found.by_folder.items()


def tell_apart(
    repository: OpenRepository,
    chains: Iterable[Chain],
    others: Iterable[Finding],
    codes: frozenset[str],
) -> tuple[tuple[Finding, ...], tuple[Quieted, ...]]:
    """What is told, and what an exception of the profile is about; both by place.

    Args:
        repository: as opened.
        chains: with their findings; what several of them say is told once.
        others: every other finding.
        codes: those that are wanted.
    """
    from assembler.assess.merged_findings import merge_findings

    wanted = [finding for finding in others if finding.code in codes]
    exceptions = _load_exceptions(repository)
    if not exceptions:
        merged = merge_findings(chains, codes - OF_A_START)
        return tuple(sorted((*merged, *wanted), key=finding_order)), ()
    from assembler.assess.excepted_findings import find_exception, split_chains

    told_chains, excepted_chains = split_chains(chains, exceptions)
    told = [*merge_findings(told_chains, codes - OF_A_START)]
    told += [finding for finding in wanted if find_exception(finding, exceptions) is None]
    all_of = [*merge_findings(excepted_chains, codes - OF_A_START), *wanted]
    quieted = [
        Quieted(finding, "profile", exception.reason)
        for finding in sorted(all_of, key=finding_order)
        if (exception := find_exception(finding, exceptions)) is not None
    ]
    return tuple(sorted(told, key=finding_order)), tuple(quieted)


def _load_exceptions(repository: OpenRepository) -> tuple[FindingException, ...]:
    loaded = repository.policy.loaded
    if loaded is None or not loaded.profile.ignore:
        return ()
    from assembler.front.exceptions import load_exceptions

    return load_exceptions(repository.policy)


def find_unused_exceptions(
    repository: OpenRepository, found: ChainsFound, others: OthersFound, codes: frozenset[str]
) -> tuple[Finding, ...]:
    """A note for each exception that is about nothing in the whole repository.

    Args:
        repository: as opened.
        found: all chains.
        others: all that is found beside them.
        codes: what was looked for.
    """
    exceptions = _load_exceptions(repository)
    if not exceptions:
        return ()
    from assembler.assess.excepted_findings import find_unused
    from assembler.front.exceptions import tell_unused

    of_chains = (finding for _, chain in all_chains(found) for finding in chain.findings)
    unused = find_unused(exceptions, (*of_chains, *others.findings), codes)
    return tuple(tell_unused(unused, repository.policy, repository.trees.judge))


def load_known(
    repository: OpenRepository, named: str | None, cwd: Path
) -> tuple[Known, ...] | None:
    """The entries of the baseline that is named; None: none is.

    Args:
        repository: as opened.
        named: the file, as given.
        cwd: what it is relative to.

    Raises:
        UsageError, ConfigError: it is missing, or says nothing usable.
    """
    if named is None:
        return None
    from assembler.front.baselines import load_baseline

    return load_baseline(repository, named, cwd)


def baseline_places(repository: OpenRepository, named: str | None, cwd: Path) -> tuple[str, ...]:
    """Where the baseline stands in the repository; nowhere where none is named, or one outside.

    Args:
        repository: as opened.
        named: the file, as given.
        cwd: what it is relative to.
    """
    if named is None:
        return ()
    from assembler.front.profiles import path_inside

    place = path_inside(repository.workplace, named, cwd)
    return () if place is None else (place,)


def beside_baseline(
    known: tuple[Known, ...],
    told: tuple[Finding, ...],
    quieted: tuple[Quieted, ...],
    codes: frozenset[str],
    named: str,
) -> tuple[tuple[Finding, ...], tuple[Quieted, ...], int]:
    """The same with what a baseline knows among what is quiet, and how much of it is gone.

    Args:
        known: the entries of the baseline.
        told: all that the profile does not except.
        quieted: what it does.
        codes: what was looked for.
        named: the baseline, as given.
    """
    from assembler.assess.baseline import compare_baseline

    compared = compare_baseline(told, known, codes)
    more = [Quieted(finding, "baseline", f"in the baseline {named}") for finding in compared.known]
    both = sorted((*quieted, *more), key=lambda item: finding_order(item.finding))
    return compared.told, tuple(both), compared.gone
