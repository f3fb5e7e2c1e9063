"""Where a run looks for skills: in the repository, and in folders of the host outside it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from assembler.config.profile import Profile
from assembler.errors import ConfigError, UsageError
from assembler.front.places import home_folder
from assembler.model.paths import normal_path
from assembler.ports import SourceTree


def inside_roots(profile: Profile) -> tuple[str, ...]:
    """The profile's folders of skills in the repository, root-relative, each once.

    Raises:
        ConfigError: `path-outside`.
    """
    roots = []
    for named in profile.skills.roots:
        if is_outside(named):
            continue
        root = normal_path(named)
        if not root or root != named.rstrip("/"):
            raise ConfigError(
                "path-outside",
                f"skills.roots: {named} is not a plain path inside the repository",
                where=named,
                next_step="write it relative to the repository's root, without . and ..; a folder "
                "outside begins with ~/ or /",
            )
        roots.append(root)
    return tuple(dict.fromkeys(roots))


def outside_roots(profile: Profile) -> tuple[str, ...]:
    """The profile's folders of skills outside the repository, as labels, each once."""
    return tuple(
        dict.fromkeys(root_label(root) for root in profile.skills.roots if is_outside(root))
    )


def is_outside(root: str) -> bool:
    """Whether a folder of skills is named by its place on this machine."""
    return root.startswith(("~/", "/"))


def root_label(root: str) -> str:
    """How paths of a folder outside the repository begin: as it is named, in plain spelling."""
    return os.path.normpath(root)


def join_skill_roots(
    tree: SourceTree, root: Path, labels: tuple[str, ...], environment: Mapping[str, str]
) -> SourceTree:
    """The tree with the folders outside it; the tree itself where there are none.

    Args:
        tree: that of the repository, at the place where policy comes from.
        root: the folder of the repository.
        labels: as `outside_roots` has them; what the host does not grant was refused before.
        environment: for HOME.

    Raises:
        UsageError: `home-missing`.
    """
    if not labels:
        return tree
    folders: dict[str, Path] = {}
    for label in labels:
        if label.startswith("/"):
            folders[label] = Path(label)
            continue
        home = home_folder(environment)
        if home is None:
            raise UsageError("home-missing", f"{label} needs HOME", where=label)
        folders[label] = home / label[2:]
    from assembler.adapters.joined_tree import JoinedTree

    return JoinedTree(tree, root, folders)
