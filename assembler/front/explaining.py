"""Why a path of the present tree would be in or out, without a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assembler.adapters.git import GitRepository
from assembler.adapters.trees import open_tree
from assembler.authorize.read_scope import authorize_evidence
from assembler.errors import UsageError
from assembler.front.places import find_workplace, hook_index
from assembler.front.policy import load_policy
from assembler.front.targets import path_missing
from assembler.model.chain import WalkRules, clean_fallbacks
from assembler.model.tree import Denied, EntryKind
from assembler.offers.chain import read_chain
from assembler.offers.reader import FileReader
from assembler.ports import SourceTree


@dataclass(frozen=True, slots=True, kw_only=True)
class PathAnswer:
    """What would become of a path, and what to do about it."""

    path: str
    state: str
    reason: str
    text: str
    fix: str | None
    revision: str | None


def explain_path(
    named: str,
    cwd: Path,
    *,
    environment: Mapping[str, str],
    at: str,
    targets: Sequence[str],
    profile: str | None,
    host: Path | None,
) -> PathAnswer:
    """The answer for one path: of the instruction chain, else of the read grant.

    Args:
        named: a path relative to `cwd`, or a unique end of one.
        cwd: where the agent starts; absolute, links resolved.
        environment: for the user's folders.
        at: `worktree`, `index` or a revision.
        targets: the files to work on; the chain is theirs.
        profile: a name or a file.
        host: the host manifest.

    Raises:
        UsageError: the path is not there, or two paths end so.
    """
    workplace = find_workplace(cwd)
    git = GitRepository(workplace.places) if workplace.is_repository else None
    try:
        tree = open_tree(
            workplace.places, git, at, index_file=hook_index(environment, workplace, at)
        )
        path = _find(workplace.relative(named, base=cwd), named, tree)
        policy = load_policy(
            workplace, tree, profile=profile, host=host, base=cwd, environment=environment
        )
        instructions = policy.profile.instructions
        rules = WalkRules(
            fallbacks=clean_fallbacks(instructions.fallbacks),
            limit_bytes=instructions.limit_bytes,
        )
        reader = FileReader(tree, policy.read_scope())
        ends = tuple(workplace.relative(target, base=cwd) for target in targets)
        chain, _ = read_chain(reader, rules, ends=ends or (workplace.cwd,))
        for row in chain.rows:
            if row.path == path:
                finding = next((item for item in chain.findings if item.path == path), None)
                return PathAnswer(
                    path=path,
                    state=row.state,
                    reason="instructions" if row.state == "in" else row.reason,
                    text=row.note or f"{row.loaded_bytes:,} bytes load, for {row.scope}",
                    fix=None if finding is None else finding.fix,
                    revision=tree.revision,
                )
        return _answer_outside_chain(path, rules, reader, tree)
    finally:
        if git is not None:
            git.close()


def _answer_outside_chain(
    path: str, rules: WalkRules, reader: FileReader, tree: SourceTree
) -> PathAnswer:
    folder, _, name = path.rpartition("/")
    if name in rules.names:
        return PathAnswer(
            path=path,
            state="out",
            reason="outside-chain",
            text=f"applies to {folder}/** only",
            fix=None,
            revision=tree.revision,
        )
    permission = authorize_evidence(tree.look_up([path])[path], reader.scope)
    if isinstance(permission, Denied):
        return PathAnswer(
            path=path,
            state="denied",
            reason="access-denied",
            text=f"{permission.rule}; never opened",
            fix=None,
            revision=tree.revision,
        )
    return PathAnswer(
        path=path,
        state="out",
        reason="not-offered",
        text="exists and is inside the read grant; it enters when a task names it: as a target, "
        "under `evidence`, by a search, or by the proof command",
        fix=f"add `- file: {path}` under `evidence` in the task, or -t {path}",
        revision=tree.revision,
    )


def _find(path: str, named: str, tree: SourceTree) -> str:
    """The path itself, else the one path that ends so."""
    if tree.look_up([path])[path].kind is not EntryKind.MISSING:
        return path
    ends = f"/{named}"
    paths = [entry.path for entry in tree.list_files().entries if entry.path.endswith(ends)]
    if len(paths) == 1:
        return paths[0]
    if paths:
        raise UsageError(
            "path-ambiguous",
            f"{named} ends {len(paths)} paths: {', '.join(paths[:5])}",
            where=named,
            next_step="give more of the path",
        )
    raise path_missing(named, path, tree)
