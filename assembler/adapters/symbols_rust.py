"""Rust: its definitions, imports and names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from assembler.adapters.symbol_nodes import Brought, Found, Place, Table, named

if TYPE_CHECKING:
    from tree_sitter import Node

_INSIDE_TYPE: Final = {
    "generic_type": "type",
    "scoped_type_identifier": "name",
    "reference_type": "type",
    "pointer_type": "type",
}


def _read_impl(place: Place) -> Sequence[Found]:
    """What stands in an `impl` is named by the type, not by the trait."""
    node = place.field("type")
    while node is not None and node.type in _INSIDE_TYPE:
        node = node.child_by_field_name(_INSIDE_TYPE[node.type])
    name = place.text(node)
    return [Found((name,), "scope")] if name else []


def _read_use(place: Place) -> Brought:
    names, keeps = _use_names(place)
    return Brought(names, keeps=keeps)


def _read_reexport(place: Place) -> Sequence[Found]:
    first = place.node.named_children[:1]
    if not first or first[0].type != "visibility_modifier":
        return []
    return [Found((name,), "re-export", opens=False) for name in _use_names(place)[0]]


def _use_names(place: Place) -> tuple[tuple[str, ...], str | None]:
    """The names that a `use` brings in, and whether it brings in more than can be told."""
    names: list[str] = []
    keeps = None
    argument = place.field("argument")
    waiting: list[tuple[Node, str]] = [] if argument is None else [(argument, "")]
    while waiting:
        node, above = waiting.pop()
        if node.type == "use_wildcard":
            keeps = "wildcard"
        elif node.type == "use_as_clause":
            names.append(place.text(node.child_by_field_name("alias")))
        elif node.type == "scoped_use_list":
            above = _last_part(place, node.child_by_field_name("path"))
            inner = node.child_by_field_name("list")
            waiting += [] if inner is None else [(inner, above)]
        elif node.type == "use_list":
            waiting += [(child, above) for child in node.named_children]
        else:
            names.append(above if node.type == "self" else _last_part(place, node))
    return tuple(sorted({name for name in names if name not in ("", "_")})), keeps


def _last_part(place: Place, node: Node | None) -> str:
    if node is not None and node.type == "scoped_identifier":
        node = node.child_by_field_name("name")
    return "" if node is None or node.type.endswith("comment") else place.text(node)


def _read_crate(place: Place) -> Brought:
    name = place.text(place.field("alias")) or place.own_name()
    return Brought((name,) if name else ())


def _is_doc(comment: bytes) -> bool:
    """`///` and `/** */`; `//!` belongs to what is around it, `////` is no documentation."""
    line = comment.startswith(b"///") and not comment.startswith(b"////")
    return line or (comment.startswith(b"/**") and not comment.startswith((b"/***", b"/**/")))


TABLE: Final = Table(
    definitions={
        "function_item": named("function"),
        "function_signature_item": named("function"),
        "macro_definition": named("function"),
        "struct_item": named("type"),
        "enum_item": named("type"),
        "union_item": named("type"),
        "trait_item": named("type"),
        "mod_item": named("type"),
        "type_item": named("type"),
        "associated_type": named("type"),
        "const_item": named("variable"),
        "static_item": named("variable"),
        "impl_item": _read_impl,
        "use_declaration": _read_reexport,
    },
    imports={"use_declaration": _read_use, "extern_crate_declaration": _read_crate},
    wrappers=frozenset(),
    attributes=frozenset({"attribute_item"}),
    comments=frozenset({"line_comment", "block_comment"}),
    is_doc=_is_doc,
    nameless=frozenset({"closure_expression"}),
    uses=frozenset({"identifier", "type_identifier", "shorthand_field_identifier"}),
)
