"""What is an input schema, and what points out of one."""

from __future__ import annotations

from typing import Any

import pytest

from assembler.discover.tool_schemas import MAX_NODES, outside_references, schema_problem
from assembler.discover.tools import definition_problem

OBJECT: dict[str, Any] = {"type": "object"}


def of(**properties: Any) -> dict[str, Any]:
    return {**OBJECT, "properties": properties}


@pytest.mark.parametrize(
    "schema",
    [
        OBJECT,
        {**OBJECT, "properties": {}},
        of(q={"type": "string"}, any=True, none={}),
        of(q={"type": ["string", "null"], "enum": [1, None], "default": {"type": 7}}),
        of(title={"type": "string"}, type={"type": "array", "items": [{}, True]}),
        {**OBJECT, "$defs": {"a": {"minLength": 0}}, "required": ["q"], "x-vendor": {"type": 1}},
        {**OBJECT, "examples": [{"properties": 1}], "const": {"required": 1}},
        {**OBJECT, "properties": {"n": {"minimum": -1.5, "maxLength": 2.0, "maximum": 2**53 - 1}}},
        of(q={"exclusiveMinimum": True, "minimum": 0}, r={"exclusiveMaximum": 5.5}),
        {**OBJECT, "additionalProperties": False, "not": {}, "if": True, "then": False},
    ],
)
def test_schema__that_is_one_has_no_problem(schema: Any) -> None:
    assert schema_problem(schema) is None


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        (None, "inputSchema is missing"),
        (True, "inputSchema is no object"),
        ([], "inputSchema is no object"),
        ({}, "inputSchema.type is not object"),
        ({"type": "string"}, "inputSchema.type is not object"),
        ({"type": ["object"]}, "inputSchema.type is not object"),
        ({"anyOf": [OBJECT]}, "inputSchema.type is not object"),
        ({**OBJECT, "properties": []}, "inputSchema.properties is not"),
        ({**OBJECT, "properties": None}, "inputSchema.properties is not"),
        ({**OBJECT, "required": "q"}, "inputSchema.required is not"),
        ({**OBJECT, "required": ["q", "q"]}, "inputSchema.required is not"),
        ({**OBJECT, "required": [1]}, "inputSchema.required is not"),
        (of(q=5), "inputSchema.properties.q is no schema"),
        (of(q="string"), "inputSchema.properties.q is no schema"),
        (of(q={"type": "objekt"}), "inputSchema.properties.q.type is not"),
        (of(q={"type": []}), "inputSchema.properties.q.type is not"),
        (of(q={"description": 1}), "inputSchema.properties.q.description is not"),
        (of(q={"enum": "a"}), "inputSchema.properties.q.enum is not"),
        (of(q={"minLength": -1}), "inputSchema.properties.q.minLength is not"),
        (of(q={"minLength": True}), "inputSchema.properties.q.minLength is not"),
        (of(q={"maximum": "1"}), "inputSchema.properties.q.maximum is not"),
        (of(q={"anyOf": []}), "inputSchema.properties.q.anyOf is not"),
        (of(q={"anyOf": [{}, 1]}), "inputSchema.properties.q.anyOf[1] is no schema"),
        (of(q={"items": 1}), "inputSchema.properties.q.items is no schema"),
        ({**OBJECT, "$defs": {"a": {"b": 1, "type": 2}}}, "inputSchema.$defs.a.type is not"),
        (of(q={"exclusiveMinimum": "x"}), "inputSchema.properties.q.exclusiveMinimum is not"),
        (of(q={"uniqueItems": "x"}), "inputSchema.properties.q.uniqueItems is not"),
        ({**OBJECT, "dependentRequired": 5}, "inputSchema.dependentRequired is not"),
        ({**OBJECT, "dependentRequired": {"a": "b"}}, "inputSchema.dependentRequired is not"),
    ],
)
def test_schema__that_is_none_is_told_with_its_place(schema: Any, told: str) -> None:
    problem = schema_problem(schema)
    assert problem is not None
    assert problem.startswith(told)


def test_schema__of_too_many_parts_is_told() -> None:
    schema = {**OBJECT, "allOf": [{}] * MAX_NODES}
    assert "more than" in (schema_problem(schema) or "")


@pytest.mark.parametrize(
    ("target", "leads_out"),
    [("https://example.org/a.json", True), ("file:///etc/passwd", True), ("//host/a", True),
     ("urn:x:y", True), ("#/$defs/a", False), ("#a", False), ("a.json", True),
     ("/etc/passwd", True), ("?x", True), ("other.json#/x", True), ("", False), ("#", False)],
)  # fmt: skip
def test_reference__out_of_a_definition_is_found(target: str, leads_out: bool) -> None:
    schema = of(q={"anyOf": [{"$ref": target}]})
    places = ("inputSchema.properties.q.anyOf[0].$ref",) if leads_out else ()
    assert outside_references(schema) == places
    assert outside_references(None) == ()


def test_reference__to_a_name_that_the_schema_gives_itself_is_inside() -> None:
    schema = {**of(q={"$ref": "https://h/s#/$defs/a"}, r={"$ref": "inner"}), "$id": "https://h/s"}
    assert outside_references(schema) == ("inputSchema.properties.r.$ref",)
    named = {**schema, "$defs": {"a": {"$id": "inner"}}}
    assert outside_references(named) == ()


@pytest.mark.parametrize(
    ("wire", "told"),
    [
        ({"name": "a", "inputSchema": OBJECT}, None),
        ({"name": "a", "inputSchema": OBJECT, "description": ""}, None),
        ({"name": "a", "inputSchema": OBJECT, "description": None}, "description is no text"),
        ({"name": "a", "inputSchema": OBJECT, "title": 7, "outputSchema": 9}, None),
        ({"name": "a"}, "inputSchema is missing"),
    ],
)
def test_definition__is_fit_or_told(wire: dict[str, Any], told: str | None) -> None:
    assert definition_problem(wire) == told


def test_definition__as_deep_as_a_request_takes_is_fit_and_no_deeper() -> None:
    def nested(levels: int) -> dict[str, Any]:
        schema: dict[str, Any] = {}
        for _ in range(levels):
            schema = {"not": schema}
        return {"name": "a", "inputSchema": {**OBJECT, "not": schema}}

    # The definition itself, its schema, and the value of the innermost `not`.
    assert definition_problem(nested(57)) is None
    assert "deeper than 60" in (definition_problem(nested(58)) or "")
