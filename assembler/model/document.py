"""A configuration document: its plain value, and where in the text each part of it stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

Value: TypeAlias = "dict[str, Value] | list[Value] | str | int | float | bool | None"
"""What a document holds; a float comes from JSON text alone."""

DocumentPath: TypeAlias = tuple[str | int, ...]
"""Keys and 0-based indexes from the top, such as `("evidence", 0, "file")`; `()` is the top."""

Position: TypeAlias = tuple[int, int]
"""Line and column, both from 1, the column in code points."""


class Document(NamedTuple):
    """One document that was read from YAML or JSON text."""

    value: Value
    positions: Mapping[DocumentPath, Position]
    """Of a member its key, of a list's item the item itself."""

    def position(self, path: DocumentPath) -> Position:
        """Where the path stands, or the nearest part of the document that holds it."""
        for length in range(len(path), -1, -1):
            found = self.positions.get(path[:length])
            if found is not None:
                return found
        return (1, 1)

    def where(self, path: DocumentPath) -> str:
        """The position of the path as `LINE:COLUMN`."""
        line, column = self.position(path)
        return f"{line}:{column}"
