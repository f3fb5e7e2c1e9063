"""What a table of one language says of the nodes of a syntax tree, and small readers of nodes.

Nothing here calls itself: a tree may be as deep as its file is long.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node


class Found(NamedTuple):
    """What one node defines."""

    names: tuple[str, ...]
    """Its own name, with those in front of it that no node around it says."""
    kind: str
    """`function`, `type`, `variable`, `re-export`, or `scope`, which only names what is inside."""
    joins: bool = False
    opens: bool = True
    """Whether what stands inside is named by it."""
    frame: Node | None = None
    """The group whose first and last line go with it, where it does not stand alone."""


class Brought(NamedTuple):
    """What one node imports."""

    names: tuple[str, ...]
    keeps: str | None = None
    frame: Node | None = None


class Place(NamedTuple):
    """A node with what stands around it."""

    node: Node
    data: bytes
    around: Sequence[Node]
    """From the root to the parent."""

    def text(self, node: Node | None) -> str:
        """A node's text; blank for none, and for bytes that are not UTF-8."""
        if node is None:
            return ""
        try:
            return self.data[node.start_byte : node.end_byte].decode("utf-8")
        except UnicodeDecodeError:
            return ""

    def field(self, name: str) -> Node | None:
        """The node in a field."""
        return self.node.child_by_field_name(name)

    def own_name(self) -> str:
        """The text of the field `name`."""
        return self.text(self.field("name"))

    def parent_type(self) -> str:
        """The type of the parent."""
        return self.around[-1].type if self.around else ""


DefinitionReader = Callable[[Place], Sequence[Found]]
ImportReader = Callable[[Place], Brought | None]


class Table(NamedTuple):
    """How one language writes definitions, imports and names."""

    definitions: Mapping[str, DefinitionReader]
    """By type of node."""
    imports: Mapping[str, ImportReader]
    wrappers: frozenset[str]
    """Types whose lines are those of the one definition in them."""
    attributes: frozenset[str]
    """Types that stand above a definition and belong to it."""
    is_doc: Callable[[bytes], bool]
    """Whether a comment belongs to the definition below it."""
    comments: frozenset[str]
    nameless: frozenset[str]
    """Types of functions without a name: what stands inside is theirs."""
    uses: frozenset[str]
    """Types of names that may be imported ones."""
    not_uses: frozenset[tuple[str, str]] = frozenset()
    """Type and field in which a name is no use of it."""
    quoted: str | None = None
    """The type in which a text holds names: an annotation in quotes."""


def named(kind: str, *, joins: bool = False) -> DefinitionReader:
    """A reader of nodes that have their name in the field `name`."""

    def read(place: Place) -> Sequence[Found]:
        name = place.own_name()
        return [Found((name,), kind, joins=joins)] if name else []

    return read


def first_line(node: Node) -> int:
    """From 1."""
    return node.start_point[0] + 1


def last_line(node: Node) -> int:
    """From 1; a node that ends with a line feed ends on the line before."""
    row, column = node.end_point
    return row if column == 0 and node.end_byte > node.start_byte else row + 1
