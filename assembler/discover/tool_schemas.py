"""Whether a tool's input schema is one, and what it points to outside itself.

In: the schema as it was listed. Out: what is wrong with it, in words. Nothing is resolved or
fetched. Rules: the MCP specification (an object whose `type` is `object`) and the meta-schema of
JSON Schema 2020-12, as far as it speaks of the types of keywords.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from typing import Any, Final

MAX_NODES: Final = 100_000
"""Subschemas of one tool; a bound on time."""

_TYPES: Final = ("array", "boolean", "integer", "null", "number", "object", "string")
_ONE: Final = (
    "additionalProperties", "propertyNames", "contains", "if", "then", "else", "not",
    "unevaluatedItems", "unevaluatedProperties", "additionalItems", "contentSchema",
)  # fmt: skip
_MANY: Final = ("allOf", "anyOf", "oneOf", "prefixItems")
_NAMED: Final = (
    "properties", "patternProperties", "$defs", "definitions", "dependentSchemas",
)  # fmt: skip
_COUNTS: Final = (
    "maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties",
    "maxContains", "minContains",
)  # fmt: skip
_AMOUNTS: Final = ("maximum", "minimum", "multipleOf")
_TEXTS: Final = (
    "$id", "$schema", "$ref", "$anchor", "$dynamicRef", "$dynamicAnchor", "$comment", "title",
    "description", "format", "contentEncoding", "contentMediaType", "pattern",
)  # fmt: skip
_FLAGS: Final = ("uniqueItems", "deprecated", "readOnly", "writeOnly")
_BOUNDS: Final = ("exclusiveMaximum", "exclusiveMinimum")
"""Numbers, and before draft 6 flags."""


def schema_problem(schema: object) -> str | None:
    """What keeps a value from being an input schema, with its place; None: it is one."""
    if not isinstance(schema, Mapping):
        return "inputSchema is missing" if schema is None else "inputSchema is no object"
    if schema.get("type") != "object":
        return "inputSchema.type is not object"
    for nodes, (place, node) in enumerate(_walk(schema), start=1):
        problem = f"more than {MAX_NODES:,} schemas" if nodes > MAX_NODES else _problem(node)
        if problem is not None:
            return f"{place}{problem}"
    return None


def outside_references(schema: object) -> tuple[str, ...]:
    """Places of `$ref` that lead out of the schema: nothing here follows them."""
    if not isinstance(schema, Mapping):
        return ()
    nodes = [
        (place, node)
        for place, node in islice(_walk(schema), MAX_NODES)
        if isinstance(node, Mapping)
    ]
    own = {node["$id"].partition("#")[0] for _, node in nodes if isinstance(node.get("$id"), str)}
    return tuple(
        f"{place}.{name}"
        for place, node in nodes
        for name in ("$ref", "$dynamicRef")
        if isinstance(target := node.get(name), str) and not _is_inside(target, own)
    )


def _is_inside(target: str, own: Collection[str]) -> bool:
    """Whether a reference stays in the definition: a fragment, or one of a name it gives itself."""
    address = target.partition("#")[0]
    return not address or address in own


def _walk(schema: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Every value that stands where a schema must, with its place; parents first."""
    pending: list[tuple[str, Any]] = [("inputSchema", schema)]
    while pending:
        place, node = pending.pop()
        yield place, node
        if isinstance(node, Mapping):
            pending += reversed(list(_children(place, node)))


def _children(place: str, node: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name in _ONE:
        if name in node:
            yield f"{place}.{name}", node[name]
    items = node.get("items")
    # A list of schemas is how versions before 2020-12 wrote `prefixItems`.
    lists = [(name, node.get(name)) for name in _MANY]
    for name, group in [*lists, ("items", items)]:
        if isinstance(group, list):
            for index, value in enumerate(group):
                yield f"{place}.{name}[{index}]", value
    if "items" in node and not isinstance(items, list):
        yield f"{place}.items", items
    for name in _NAMED:
        group = node.get(name)
        if isinstance(group, Mapping):
            for key in sorted(group):
                yield f"{place}.{name}.{key}", group[key]


def _problem(node: object) -> str | None:
    """What is wrong with one schema itself, as the end of a sentence that its place begins."""
    if isinstance(node, bool):
        return None
    if not isinstance(node, Mapping):
        return " is no schema"
    for name, value in node.items():
        if not _fits(name, value):
            return f".{name} is not what JSON Schema has there"
    return None


def _fits(name: str, value: object) -> bool:
    if name == "type":
        words = value if isinstance(value, list) else [value]
        return bool(words) and all(isinstance(word, str) and word in _TYPES for word in words)
    if name in _NAMED:
        return isinstance(value, Mapping)
    if name in _MANY:
        return isinstance(value, list) and bool(value)
    if name == "required":
        return _is_set_of_texts(value)
    if name == "enum":
        return isinstance(value, list)
    if name in _COUNTS:
        return (
            _is_number(value)
            and isinstance(value, int | float)
            and value >= 0
            and value == int(value)
        )
    if name in _AMOUNTS:
        return _is_number(value)
    if name in _TEXTS:
        return isinstance(value, str)
    if name in _FLAGS:
        return isinstance(value, bool)
    if name in _BOUNDS:
        return isinstance(value, int | float)
    if name == "dependentRequired":
        return isinstance(value, Mapping) and all(map(_is_set_of_texts, value.values()))
    return True


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_set_of_texts(value: object) -> bool:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        return False
    return len(set(value)) == len(value)
