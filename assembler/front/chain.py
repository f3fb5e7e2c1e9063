"""`chain`: the instruction files of a folder or target, and what is lost of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from assembler.adapters.git import GitRepository
from assembler.assess.chain import with_findings
from assembler.assess.surroundings import with_surroundings
from assembler.front.chain_report import ChainReport
from assembler.front.counting import counters
from assembler.front.places import Workplace
from assembler.front.revisions import Versions
from assembler.front.secret_findings import find_in_instructions
from assembler.front.surroundings import look_around
from assembler.front.trees import Trees, open_workplace, open_workplace_tree
from assembler.front.walk_terms import read_walk_terms
from assembler.offers.chain import read_chain
from assembler.offers.reader import FileReader


def report_chain(
    cwd: Path,
    *,
    environment: Mapping[str, str],
    at: str = "worktree",
    targets: Sequence[str] = (),
    profile: str | None = None,
    host: Path | None = None,
) -> ChainReport:
    """The chain that an agent started in a folder would load, by the strict rules.

    Args:
        cwd: where the agent starts; absolute, links resolved.
        environment: for the user's folders and the documented variables.
        at: `worktree`, `index` or a revision.
        targets: paths whose own instructions are shown too where the walk misses them.
        profile: a name or a file; its `instructions` and denies count.
        host: the host manifest.

    Raises:
        UsageError, ConfigError: what was named is missing or says nothing usable.
        RefusedError: `profile-widens-host`.
    """
    with open_workplace(cwd) as (workplace, git):
        return _report(
            workplace,
            git,
            cwd,
            environment=environment,
            at=at,
            targets=targets,
            profile=profile,
            host=host,
        )


def _report(
    workplace: Workplace,
    git: GitRepository | None,
    cwd: Path,
    *,
    environment: Mapping[str, str],
    at: str,
    targets: Sequence[str],
    profile: str | None,
    host: Path | None,
) -> ChainReport:
    tree = open_workplace_tree(workplace, git, at, environment)
    named = tuple(workplace.relative(target, base=cwd) for target in targets)
    if named:
        from assembler.front.targets import require_paths

        require_paths(tree, list(zip(targets, named, strict=True)))
    terms = read_walk_terms(
        workplace, Trees(tree, tree), cwd, environment=environment, profile=profile, host=host
    )
    reader = FileReader(tree, terms.scope, instruction_tree=terms.instruction_tree)
    versions = Versions(tree, git, reader)
    chain, _ = read_chain(
        reader,
        terms.rules,
        ends=(workplace.cwd,),
        targets=named,
        find_untracked=versions.find_untracked,
    )
    chain = with_surroundings(chain, look_around(workplace, tree.at, environment, terms.rules))
    chain = with_findings(chain, find_in_instructions(chain.texts))
    with counters(environment) as open_counter:
        counter = open_counter(terms.counter)
        tokens = {path: counter.count(text) for path, text in chain.texts.items()}
    return ChainReport(
        chain=chain,
        tokens=tokens,
        versions={path: versions.by_path[path] for path in chain.texts if path in versions.by_path},
        cwd=workplace.cwd,
        targets=named,
        at=at,
        revision=tree.revision,
        searched_folders=workplace.cwd.count("/") + 2 if workplace.cwd else 1,
        profile=terms.profile,
        counter=terms.counter,
        names=terms.rules.names,
    )
