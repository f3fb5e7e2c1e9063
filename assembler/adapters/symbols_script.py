"""JavaScript and TypeScript, with JSX: their definitions, imports and names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from assembler.adapters.symbol_nodes import Brought, Found, Place, Table, named

if TYPE_CHECKING:
    from tree_sitter import Node

_FUNCTIONS: Final = ("arrow_function", "function_expression", "generator_function")
_VALUES: Final = {**dict.fromkeys(_FUNCTIONS, "function"), "class": "type"}
_REQUIRE: Final = re.compile(rb"(?:await\s+import|require)\s*\(")
_PLAIN_OWNERS: Final = ("module", "exports", "prototype", "this")
"""Parts of `module.exports.name = …` that name nothing of the file."""


def _read_member(place: Place) -> Sequence[Found]:
    """A method; a getter and a setter of one name are one property."""
    name = _property_name(place)
    return [Found((name,), "function", joins=True)] if name else []


def _read_field(place: Place) -> Sequence[Found]:
    name = _property_name(place)
    value = place.field("value")
    kind = "variable" if value is None else _VALUES.get(value.type, "variable")
    return [Found((name,), kind)] if name else []


def _property_name(place: Place) -> str:
    node = place.field("name") or place.field("property") or place.field("key")
    if node is None or node.type == "computed_property_name":
        return ""
    return place.text(node).strip("'\"")


def _read_pair(place: Place) -> Sequence[Found]:
    value = place.field("value")
    if value is None or value.type not in (*_VALUES, "object"):
        return []
    name = _property_name(place)
    return [Found((name,), _VALUES.get(value.type, "scope"))] if name else []


def _read_declarator(place: Place) -> Sequence[Found]:
    name, value = place.field("name"), place.field("value")
    if name is None:
        return []
    if name.type != "identifier":
        return [Found((text,), "variable", opens=False) for text in _pattern_names(place, name)]
    kind = "variable" if value is None else _VALUES.get(value.type, "variable")
    return [Found((place.text(name),), kind)]


def _pattern_names(place: Place, pattern: Node) -> list[str]:
    """The names that a destructuring makes."""
    names = []
    waiting = [pattern]
    while waiting:
        node = waiting.pop()
        if node.type in ("identifier", "shorthand_property_identifier_pattern"):
            names.append(place.text(node))
        elif node.type == "pair_pattern":
            value = node.child_by_field_name("value")
            waiting += [] if value is None else [value]
        elif node.type in ("object_assignment_pattern", "assignment_pattern"):
            left = node.child_by_field_name("left")
            waiting += [] if left is None else [left]
        elif node.type in ("object_pattern", "array_pattern", "rest_pattern"):
            waiting += reversed(node.named_children)
    return names


def _read_assignment(place: Place) -> Sequence[Found]:
    """`exports.name = function () {}`, `Name.prototype.method = () => {}`."""
    left, right = place.field("left"), place.field("right")
    if left is None or right is None or right.type not in _VALUES:
        return []
    if left.type not in ("member_expression", "identifier"):
        return []
    parts = [part.strip() for part in place.text(left).split(".")]
    names = tuple(part for part in parts if part not in _PLAIN_OWNERS)
    return [Found(names, _VALUES[right.type])] if all(names) and names else []


def _read_module(place: Place) -> Sequence[Found]:
    name = place.own_name().strip("'\"")
    return [Found(tuple(name.split(".")), "type")] if name else []


def _read_export(place: Place) -> Sequence[Found]:
    """What is exported as `default`."""
    words = place.data[place.node.start_byte : place.node.start_byte + 200].split(None, 2)
    value = place.field("value")
    is_default = words[:2] == [b"export", b"default"] or value is not None
    if not is_default:
        return []
    kind = "variable" if value is None else _VALUES.get(value.type, "variable")
    return [Found(("default",), kind, opens=value is not None and value.type in _VALUES)]


def _read_specifier(place: Place) -> Sequence[Found]:
    name = place.text(place.field("alias")) or place.own_name()
    return [Found((name.strip("'\""),), "re-export", opens=False)] if name else []


def _read_namespace_export(place: Place) -> Sequence[Found]:
    names = [place.text(child) for child in place.node.named_children]
    return [Found((name,), "re-export", opens=False) for name in names]


def _read_import(place: Place) -> Brought:
    names = []
    waiting = list(place.node.named_children)
    while waiting:
        node = waiting.pop()
        if node.type == "identifier":
            names.append(place.text(node))
        elif node.type == "import_specifier":
            alias = node.child_by_field_name("alias") or node.child_by_field_name("name")
            names.append(place.text(alias))
        elif node.type in ("import_clause", "namespace_import", "named_imports"):
            waiting += node.named_children
        elif node.type == "import_require_clause":
            waiting += [child for child in node.named_children if child.type == "identifier"]
    return Brought(tuple(sorted(name for name in names if name)))


def _read_require(place: Place) -> Brought | None:
    """`const {a, b: c} = require("x")`."""
    name, value = place.field("name"), place.field("value")
    if name is None or value is None or not _REQUIRE.match(place.data, value.start_byte):
        return None
    return Brought(tuple(sorted(_pattern_names(place, name))))


def _read_import_alias(place: Place) -> Brought:
    names = [node for node in place.node.named_children if node.type == "identifier"]
    return Brought(tuple(place.text(node) for node in names[:1]))


TABLE: Final = Table(
    definitions={
        "function_declaration": named("function"),
        "generator_function_declaration": named("function"),
        "function_signature": named("function", joins=True),
        "class_declaration": named("type"),
        "abstract_class_declaration": named("type"),
        "interface_declaration": named("type"),
        "type_alias_declaration": named("type"),
        "enum_declaration": named("type"),
        "internal_module": _read_module,
        "module": _read_module,
        "method_definition": _read_member,
        "method_signature": _read_member,
        "abstract_method_signature": _read_member,
        "field_definition": _read_field,
        "public_field_definition": _read_field,
        "pair": _read_pair,
        "variable_declarator": _read_declarator,
        "assignment_expression": _read_assignment,
        "export_statement": _read_export,
        "export_specifier": _read_specifier,
        "namespace_export": _read_namespace_export,
    },
    imports={
        "import_statement": _read_import,
        "import_alias": _read_import_alias,
        "variable_declarator": _read_require,
    },
    wrappers=frozenset(
        {
            "export_statement",
            "export_clause",
            "ambient_declaration",
            "expression_statement",
            "lexical_declaration",
            "variable_declaration",
        }
    ),
    attributes=frozenset({"decorator"}),
    comments=frozenset({"comment"}),
    is_doc=lambda comment: comment.startswith(b"/**"),
    nameless=frozenset(_FUNCTIONS),
    uses=frozenset({"identifier", "type_identifier", "shorthand_property_identifier"}),
)
