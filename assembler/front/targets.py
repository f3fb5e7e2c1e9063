"""The paths that an invoker names: they have to be there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assembler.errors import ConfigError, UsageError
from assembler.front.places import Workplace
from assembler.model.paths import normal_path
from assembler.model.tree import EntryKind
from assembler.ports import SourceTree


def find_targets(
    workplace: Workplace,
    tree: SourceTree,
    cwd: Path,
    on_command_line: Sequence[str],
    in_task: Sequence[str],
) -> list[str]:
    """All targets, root-relative, each once; what the invoker names has to be there."""
    named = [(text, workplace.relative(text, base=cwd)) for text in on_command_line]
    for text in in_task:
        path = normal_path(text)
        if path is None:
            raise ConfigError(
                "path-outside",
                f"target {text} is no path inside the repository",
                where=text,
                next_step="write it relative to the repository's root",
            )
        named.append((text, path))
    require_paths(tree, named)
    return list(dict.fromkeys(path for _, path in named))


def require_paths(tree: SourceTree, named: Sequence[tuple[str, str]]) -> None:
    """Refuse a path that is not there.

    Args:
        tree: where it has to be.
        named: each path as it was given, and root-relative.

    Raises:
        UsageError: `path-missing`, with the nearest name.
    """
    entries = tree.look_up([path for _, path in named])
    for text, path in named:
        if entries[path].kind is EntryKind.MISSING:
            raise path_missing(text, path, tree)


def path_missing(text: str, path: str, tree: SourceTree) -> UsageError:
    """The error for a path that is not there, with the nearest one that is, from the root."""
    paths = {entry.path for entry in tree.list_files().entries}
    folders = {path.rpartition("/")[0] for path in paths} - {""}
    import difflib  # for a mistake alone

    near = difflib.get_close_matches(path, sorted(paths | folders), n=1)
    if path in paths:
        hint = "git tracks it and it is not on disk: restore it, or ask with --at HEAD"
    elif not near:
        hint = "name a path that is there, relative to where the agent starts"
    elif near[0] == text:
        hint = "that path is meant from the root: name it relative to where the agent starts"
    else:
        hint = f"did you mean {near[0]}?"
    return UsageError("path-missing", f"no such path: {text}", where=text, next_step=hint)
