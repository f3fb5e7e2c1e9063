"""One walk over a syntax tree: what its file defines, imports and names.

The walk goes by a cursor and calls no function of its own kind, so that depth costs nothing;
each node is seen once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from assembler.adapters.symbol_nodes import Brought, Found, Place, Table, first_line, last_line
from assembler.model.symbols import Definition, Import, LineRange, Outline, merge_ranges

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

_NAME: Final = re.compile(r"[^\W\d]\w*")
_REST_OF_LINE: Final = re.compile(rb"[ \t\r]*(?:\n|\Z)")
_MOST_INDENT: Final = 1_000
"""Bytes before a comment that are looked at: one far to the right documents nothing."""
_MOST_BLANKS: Final = 200
_MOST_AROUND: Final = 8
"""Nodes between an annotation and a text in it."""
_BLANK: Final = b" \t\xef\xbb\xbf"
"""Before the first words of a line, a byte order mark included."""


class _Scope(NamedTuple):
    end_byte: int
    names: tuple[str, ...]
    lines: LineRange | None
    is_function: bool


_NO_SCOPE: Final = _Scope(0, (), None, False)


class _Above:
    """Lines of comments and attributes, by their last line: what may stand above a definition."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._starts: dict[int, tuple[int, bool]] = {}
        self._known: dict[int, int] = {}

    def take(self, node: Node, data: bytes) -> None:
        """Keep the node, where nothing but others of its kind stands on its lines."""
        belongs = node.type in self._table.attributes
        if not belongs:
            if not _begins_its_line(node, data):
                return
            belongs = self._table.is_doc(data[node.start_byte : node.start_byte + 5])
        if node.end_point[1] and not _REST_OF_LINE.match(data, node.end_byte):
            return
        self._starts[last_line(node)] = (first_line(node), belongs)

    def first_line_above(self, line: int) -> int:
        """Where the things that belong to a definition on this line begin."""
        if line not in self._known:
            self._known[line] = self._find_first(line)
        return self._known[line]

    def _find_first(self, line: int) -> int:
        first = reached = line
        while reached - 1 in self._starts:
            reached, belongs = self._starts[reached - 1]
            # A plain comment belongs only where documentation stands above it.
            first = reached if belongs else first
        return first


def _begins_its_line(node: Node, data: bytes) -> bool:
    column = node.start_point[1]
    before = data[node.start_byte - column : node.start_byte] if column <= _MOST_INDENT else b"?"
    return not before.strip(_BLANK)


def read_outline(tree: Tree, data: bytes, table: Table, language: str) -> Outline:
    """What a file defines, imports and names."""
    walk = _OutlineWalk(table)
    told = {*table.definitions, *table.imports, *table.nameless}
    above = table.comments | table.attributes
    for node, around in _walk(tree):
        kind = node.type
        if kind in table.uses:
            walk.read_name(Place(node, data, around))
        elif kind in told:
            walk.read(Place(node, data, around))
        elif kind in above:
            walk.above.take(node, data)
        elif table.quoted is not None and kind == "string_content":
            walk.read_quoted(Place(node, data, around))
    return walk.outline(language, tree.root_node.has_error)


class _OutlineWalk:
    """What was met so far on the way through a tree."""

    def __init__(self, table: Table) -> None:
        self.above = _Above(table)
        self._table = table
        self._scopes: list[_Scope] = []
        self._definitions: list[Definition] = []
        self._imports: list[Import] = []
        self._uses: dict[str, set[int]] = {}

    def outline(self, language: str, has_errors: bool) -> Outline:
        """All that was met; only now is it known what stands above each definition."""
        definitions = (
            item._replace(lines=(self.above.first_line_above(item.lines[0]), item.lines[1]))
            for item in self._definitions
        )
        uses = {name: tuple(sorted(lines)) for name, lines in self._uses.items()}
        return Outline(language, has_errors, tuple(definitions), tuple(self._imports), uses)

    def read_name(self, place: Place) -> None:
        """A name that may be of something imported."""
        if _is_use(place, self._table):
            self._uses.setdefault(place.text(place.node), set()).add(first_line(place.node))

    def read_quoted(self, place: Place) -> None:
        """The names of an annotation that is written as a text."""
        if any(outer.type == self._table.quoted for outer in place.around[-_MOST_AROUND:]):
            for name in _NAME.findall(place.text(place.node)):
                self._uses.setdefault(name, set()).add(first_line(place.node))

    def read(self, place: Place) -> None:
        """One node that may define, import, or be a function without a name."""
        table, kind = self._table, place.node.type
        while self._scopes and self._scopes[-1].end_byte <= place.node.start_byte:
            self._scopes.pop()
        in_function = bool(self._scopes) and self._scopes[-1].is_function
        if kind in table.nameless:
            self._open(place, Found((), "function"))
            return
        if kind in table.imports and not in_function:
            brought = table.imports[kind](place)
            self._imports += [] if brought is None else [self._import(place, brought)]
        pieces = table.definitions[kind](place) if kind in table.definitions else ()
        self._definitions += [
            self._definition(place, piece)
            for piece in pieces
            if piece.kind in ("function", "type")
            or (piece.kind in ("variable", "re-export") and not in_function)
        ]
        if pieces and pieces[0].opens:
            self._open(place, pieces[0])

    def _open(self, place: Place, piece: Found) -> None:
        outer = self._scopes[-1] if self._scopes else _NO_SCOPE
        is_function = piece.kind == "function" or (piece.kind != "type" and outer.is_function)
        lines = (first_line(place.node), last_line(place.node))
        names = (*outer.names, *piece.names)
        self._scopes.append(_Scope(place.node.end_byte, names, lines, is_function))

    def _definition(self, place: Place, piece: Found) -> Definition:
        scope = self._scopes[-1] if self._scopes else _NO_SCOPE
        outer = place.node if piece.frame is not None else _outermost(place, self._table)
        return Definition(
            names=(*scope.names, *piece.names),
            lines=(first_line(outer), max(last_line(outer), last_line(place.node))),
            kind=piece.kind,
            name_line=first_line(place.node),
            scope=scope.lines,
            joins=piece.joins,
            has_error=place.node.has_error,
            frame=_frame(piece.frame),
        )

    def _import(self, place: Place, brought: Brought) -> Import:
        outer = place.node if brought.frame is not None else _outermost(place, self._table)
        return Import(
            lines=(first_line(outer), last_line(outer)),
            names=brought.names,
            keeps=brought.keeps,
            scope=self._scopes[-1].lines if self._scopes else None,
            frame=_frame(brought.frame),
        )


def _outermost(place: Place, table: Table) -> Node:
    """The node, or the one that is wrapped around it and nothing else."""
    outer = place.node
    for node in reversed(place.around):
        if node.type not in table.wrappers:
            break
        outer = node
    return outer


def _frame(node: Node | None) -> tuple[LineRange, ...]:
    if node is None:
        return ()
    first, last = first_line(node), last_line(node)
    return merge_ranges([(first, first), (last, last)])


def _is_use(place: Place, table: Table) -> bool:
    """Whether the name stands for itself: behind `.` or `::` it is a part of something else."""
    node, data = place.node, place.data
    parent = place.around[-1] if place.around else None
    for outer, field in table.not_uses:
        if parent and parent.type == outer and parent.child_by_field_name(field) == node:
            return False
    before = data[max(0, node.start_byte - _MOST_BLANKS) : node.start_byte].rstrip()
    if before.endswith(b"::"):
        return False
    return not before.endswith(b".") or before.endswith(b"..")


def _walk(tree: Tree) -> Iterator[tuple[Node, list[Node]]]:
    """Each node with the nodes around it, from the root down."""
    cursor = tree.walk()
    around: list[Node] = []
    while True:
        node = cursor.node
        assert node is not None  # a cursor of a tree stands somewhere
        yield node, around
        if cursor.goto_first_child():
            around.append(node)
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return
            around.pop()
