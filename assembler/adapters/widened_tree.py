"""What a tree that shows more than its repository leaves as the repository has it.

In: the repository's `SourceTree`. Out: the part of the ports that the trees around it share.
Never here: what is shown beside the repository, and how a link gets there.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from assembler.model.tree import Listing, NamedPaths
from assembler.ports import SourceTree


class WidenedTree:
    """A repository's tree, of which only some questions are answered with more."""

    def __init__(self, tree: SourceTree) -> None:
        self._tree = tree

    @property
    def at(self) -> str:
        """As the repository's tree."""
        return self._tree.at

    @property
    def revision(self) -> str | None:
        """As the repository's tree."""
        return self._tree.revision

    def names_in(self, folders: Sequence[str], *, most_names: int) -> Mapping[str, frozenset[str]]:
        """As the repository's tree."""
        return self._tree.names_in(folders, most_names=most_names)

    def list_files(self) -> Listing:
        """As the repository's tree."""
        return self._tree.list_files()

    def list_named(self, names: Collection[str]) -> NamedPaths:
        """As the repository's tree."""
        return self._tree.list_named(names)
