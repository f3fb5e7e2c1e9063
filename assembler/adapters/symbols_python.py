"""Python: its definitions, imports and names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from assembler.adapters.symbol_nodes import Brought, Found, Place, Table, named

if TYPE_CHECKING:
    from tree_sitter import Node

_PARTS_OF_ONE: Final = (".setter", ".getter", ".deleter", ".register")


def _read_function(place: Place) -> Sequence[Found]:
    name = place.own_name()
    return [Found((name,), "function", joins=_is_a_part(place, name))] if name else []


def _is_a_part(place: Place, name: str) -> bool:
    """Whether a decorator says that others of this name belong to it."""
    if place.parent_type() != "decorated_definition":
        return False
    for child in place.around[-1].named_children:
        words = place.text(child).removeprefix("@").strip() if child.type == "decorator" else ""
        called = words.partition("(")[0]
        if called == "overload" or called.endswith(".overload"):
            return True
        if called in (f"{name}{part}" for part in _PARTS_OF_ONE):
            return True
    return False


def _read_assignment(place: Place) -> Sequence[Found]:
    left = place.field("left")
    if left is None:
        return []
    targets = [left] if left.type == "identifier" else _targets(left)
    return [Found((place.text(target),), "variable") for target in targets]


def _targets(left: Node) -> list[Node]:
    if left.type not in ("pattern_list", "tuple_pattern", "list_pattern"):
        return []
    return [child for child in left.named_children if child.type == "identifier"]


def _read_alias(place: Place) -> Sequence[Found]:
    left = place.field("left")
    name = place.text(left).partition("[")[0].strip()
    # `type(x).y = z` is read as such a statement, too.
    return [Found((name,), "type", opens=False)] if name.isidentifier() else []


def _read_reexport(place: Place) -> Sequence[Found]:
    brought = _read_import(place)
    return [Found((name,), "re-export", opens=False) for name in brought.names]


def _read_import(place: Place) -> Brought:
    names = []
    for child in place.node.named_children:
        if child.type == "wildcard_import":
            return Brought((), keeps="wildcard")
        if child.type == "aliased_import":
            names.append(place.text(child.child_by_field_name("alias")))
        elif child.type == "dotted_name" and not _is_module(place, child):
            names.append(place.text(child).partition(".")[0].strip())
    return Brought(tuple(name for name in names if name))


def _is_module(place: Place, child: Node) -> bool:
    module = place.field("module_name")
    return module is not None and module.start_byte == child.start_byte


def _read_future(place: Place) -> Brought:
    return Brought((), keeps="__future__")


TABLE: Final = Table(
    definitions={
        "function_definition": _read_function,
        "class_definition": named("type"),
        "assignment": _read_assignment,
        "type_alias_statement": _read_alias,
        "import_statement": _read_reexport,
        "import_from_statement": _read_reexport,
    },
    imports={
        "import_statement": _read_import,
        "import_from_statement": _read_import,
        "future_import_statement": _read_future,
    },
    wrappers=frozenset({"decorated_definition", "expression_statement"}),
    attributes=frozenset(),
    comments=frozenset(),
    is_doc=lambda comment: False,
    nameless=frozenset({"lambda"}),
    uses=frozenset({"identifier"}),
    not_uses=frozenset({("keyword_argument", "name")}),
    quoted="type",
)
