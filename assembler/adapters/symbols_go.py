"""Go: its definitions, imports and names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from assembler.adapters.symbol_nodes import Brought, Found, Place, Table, named

if TYPE_CHECKING:
    from tree_sitter import Node

_GROUP: Final = re.compile(rb"(?:const|import|type|var)\s*\(")
_DECLARATIONS: Final = (
    "const_declaration",
    "import_declaration",
    "type_declaration",
    "var_declaration",
)
_VERSION: Final = re.compile(r"v\d+")
_VERSION_ENDING: Final = re.compile(r"\.v\d+\Z")
_INSIDE_TYPE: Final = {"pointer_type": None, "generic_type": "type", "parenthesized_type": None}


def _read_method(place: Place) -> Sequence[Found]:
    name = place.own_name()
    receiver = _receiver_type(place)
    names = (receiver, name) if receiver else (name,)
    return [Found(names, "function")] if name else []


def _receiver_type(place: Place) -> str:
    receiver = place.field("receiver")
    parameters = [] if receiver is None else receiver.named_children
    node = parameters[0].child_by_field_name("type") if parameters else None
    while node is not None and node.type in _INSIDE_TYPE:
        field = _INSIDE_TYPE[node.type]
        inner = node.named_children
        node = node.child_by_field_name(field) if field else inner[0] if inner else None
    return place.text(node) if node is not None and node.type == "type_identifier" else ""


def _read_type(place: Place) -> Sequence[Found]:
    name = place.own_name()
    return [Found((name,), "type", frame=_group(place))] if name else []


def _read_values(place: Place) -> Sequence[Found]:
    """The names of one line of constants or variables."""
    frame = _group(place)
    if place.node.type == "const_spec" and _counts(place):
        # What such a constant is, only the lines above it say.
        frame = None
    names = place.node.children_by_field_name("name")
    texts = [place.text(node) for node in names if node.type == "identifier"]
    return [Found((text,), "variable", opens=False, frame=frame) for text in texts]


def _counts(place: Place) -> bool:
    return place.field("value") is None or "iota" in place.text(place.node)


def _group(place: Place) -> Node | None:
    """The declaration in parentheses that a line stands in."""
    for node in reversed(place.around[-2:]):
        if node.type in _DECLARATIONS:
            return node if _GROUP.match(place.data, node.start_byte) else None
    return None


def _read_import(place: Place) -> Brought:
    name, path = place.field("name"), place.field("path")
    if name is not None and name.type == "dot":
        return Brought((), keeps="wildcard", frame=_group(place))
    if name is not None:
        names: tuple[str, ...] = () if name.type == "blank_identifier" else (place.text(name),)
    else:
        names = _package_names(place.text(path).strip('"`'))
    return Brought(names, frame=_group(place))


def _package_names(path: str) -> tuple[str, ...]:
    """What a package of this path may be called; its own files say which it is."""
    parts = path.split("/")
    last = parts[-1]
    if _VERSION.fullmatch(last) and len(parts) > 1:
        last = parts[-2]
    last = _VERSION_ENDING.sub("", last)
    short = last.removeprefix("go-").removesuffix("-go").removesuffix(".go")
    return tuple(sorted({last, short, short.rpartition("-")[2], short.replace("-", "_")} - {""}))


TABLE: Final = Table(
    definitions={
        "function_declaration": named("function"),
        "method_declaration": _read_method,
        "method_elem": named("function"),
        "type_spec": _read_type,
        "type_alias": _read_type,
        "const_spec": _read_values,
        "var_spec": _read_values,
    },
    imports={"import_spec": _read_import},
    wrappers=frozenset({*_DECLARATIONS, "var_spec_list"}),
    attributes=frozenset(),
    comments=frozenset({"comment"}),
    is_doc=lambda comment: True,
    nameless=frozenset({"func_literal"}),
    uses=frozenset({"identifier", "type_identifier", "package_identifier"}),
)
