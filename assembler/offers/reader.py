"""Reads authorized files of one tree, each once: the tree is asked for many at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from assembler.authorize.read_scope import ReadScope, authorize_policy
from assembler.model.limits import MAX_ITEM_BYTES, is_countable
from assembler.model.tree import Authorized, Denied, Entry, Unreadable
from assembler.ports import SourceTree


class FileReader:
    """Reads authorized files of one tree, each once, and remembers what it read."""

    def __init__(
        self, tree: SourceTree, scope: ReadScope, *, instruction_tree: SourceTree | None = None
    ) -> None:
        """Read from a tree.

        Args:
            tree: what everything is read from.
            scope: what stays closed.
            instruction_tree: the same tree with the links out of it that the host allows for
                instruction files.
        """
        self.tree = tree
        self.instruction_tree = tree if instruction_tree is None else instruction_tree
        self.scope = scope
        self.contents: dict[str, bytes] = {}
        """Bytes of each file that was read, by path."""
        self.real_paths: dict[str, str] = {}
        """Where the links of each file's path lead."""
        self._failures: dict[str, Unreadable] = {}

    def read(self, files: Iterable[Authorized]) -> Mapping[str, bytes | Unreadable]:
        """The bytes of each file, from memory where they were read before."""
        asked = list(files)
        new = [
            file
            for file in asked
            if file.entry.path not in self.contents and file.entry.path not in self._failures
        ]
        for file in new:
            self.real_paths[file.entry.path] = file.entry.real_path or file.entry.path
        for path, found in self.instruction_tree.read(new, limit_bytes=MAX_ITEM_BYTES).items():
            if isinstance(found, Unreadable):
                self._failures[path] = found
            elif not is_countable(found):
                self._failures[path] = Unreadable("size-limit")
            else:
                self.contents[path] = found
        return {
            path: self.contents[path] if path in self.contents else self._failures[path]
            for path in (file.entry.path for file in asked)
        }

    def read_policy(
        self, entries: Iterable[Entry], role: str
    ) -> tuple[dict[str, bytes | Unreadable], list[Denied]]:
        """The bytes of policy files, and those that a deny rule keeps closed."""
        allowed: list[Authorized] = []
        denied: list[Denied] = []
        for entry in entries:
            permission = authorize_policy(entry, self.scope, role)
            if isinstance(permission, Denied):
                denied.append(permission)
            else:
                allowed.append(permission)
        return dict(self.read(allowed)), denied
