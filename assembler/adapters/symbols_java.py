"""Java: its definitions, imports and names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from assembler.adapters.symbol_nodes import Brought, Found, Place, Table, named


def _read_fields(place: Place) -> Sequence[Found]:
    texts = [
        place.text(node.child_by_field_name("name"))
        for node in place.node.children_by_field_name("declarator")
    ]
    return [Found((text,), "variable") for text in texts if text]


def _read_import(place: Place) -> Brought:
    children = place.node.named_children
    if any(child.type == "asterisk" for child in children):
        return Brought((), keeps="wildcard")
    last = place.text(children[-1]).rpartition(".")[2].strip() if children else ""
    return Brought((last,) if last else ())


TABLE: Final = Table(
    definitions={
        "class_declaration": named("type"),
        "interface_declaration": named("type"),
        "enum_declaration": named("type"),
        "record_declaration": named("type"),
        "annotation_type_declaration": named("type"),
        "method_declaration": named("function", joins=True),
        "constructor_declaration": named("function", joins=True),
        "compact_constructor_declaration": named("function", joins=True),
        "annotation_type_element_declaration": named("function"),
        "enum_constant": named("variable"),
        "field_declaration": _read_fields,
        "constant_declaration": _read_fields,
    },
    imports={"import_declaration": _read_import},
    wrappers=frozenset(),
    attributes=frozenset(),
    comments=frozenset({"line_comment", "block_comment"}),
    is_doc=lambda comment: comment.startswith((b"/**", b"///")),
    nameless=frozenset({"lambda_expression", "static_initializer"}),
    uses=frozenset({"identifier", "type_identifier"}),
    not_uses=frozenset({("element_value_pair", "key")}),
)
