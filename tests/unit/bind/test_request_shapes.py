"""The four bodies against the shapes that providers publish; and that a wrong one is noticed."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from tests.builders.inventories import compile_value, inventory_value, item
from tests.builders.request_shapes import SHAPES, ShapeError, require_shape
from tests.builders.vectors import compile_run, load_vector, vector_names
from tests.property.inventories import ADAPTERS, CONTRACT, TEXT, Case, cases

PACKAGES = [name for name in vector_names() if "failure" not in load_vector(name)["expected"]]
TOOL = (
    '{"description":"D.","inputSchema":{"properties":{"a":{"type":"string"}},"type":"object"},'
    '"name":"read"}'
)


def require_text_shape(body: Any) -> None:
    """The body of no provider: the whole text, and the model if one was named."""
    assert set(body) - {"model"} == {"text"}
    assert all(isinstance(value, str) for value in body.values())


def require_any_shape(adapter: str, body: Any) -> None:
    if adapter == "text":
        require_text_shape(body)
    else:
        require_shape(adapter, body)


@pytest.mark.parametrize("adapter", ADAPTERS)
@pytest.mark.parametrize("name", PACKAGES)
def test_body__of_a_vector_has_the_published_shape(name: str, adapter: str) -> None:
    vector = load_vector(name)
    # An output of one token is below every reserve of the vectors.
    given_adapter = {"name": adapter, "model": "m", "max_output": 1}
    value = {**vector["inventory"], "adapter": given_adapter}
    outcome = compile_run(value, repository=vector.get("repository", {}))
    assert outcome.package is not None, outcome.failure
    require_any_shape(adapter, json.loads(outcome.package.request.body))


@pytest.mark.parametrize("adapter", ADAPTERS)
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(case=cases(layouts=(TEXT, CONTRACT), counter="declared"))
def test_body__of_any_run_has_the_published_shape(adapter: str, case: Case) -> None:
    value = {**case.value, "adapter": {"name": adapter, "model": "m", "max_output": 5}}
    outcome = compile_run(value, repository=case.repository, objects=case.objects)
    if outcome.package is not None:
        require_any_shape(adapter, json.loads(outcome.package.request.body))


def body_of(adapter: str, **members: Any) -> Any:
    value = inventory_value(
        item("policy", section="policy", trust="authorized"),
        item("tool", kind="tool", section="tools", trust="authorized", content={"text": TOOL}),
        item("e"),
        window=100,
        adapter={"name": adapter, "model": "m", "max_output": 5},
        **members,
    )
    return json.loads(compile_value(value).request.body)


def containers(value: Any, pointer: str = "") -> list[str]:
    """Pointers of every object of a body, but for what a tool's schema may hold of its own."""
    found = [pointer] if isinstance(value, dict) else []
    steps = value.items() if isinstance(value, dict) else enumerate(value)
    for step, inner in steps:
        if isinstance(inner, dict | list) and step not in ("parameters", "input_schema"):
            found += containers(inner, f"{pointer}/{step}")
    return found


def at(body: Any, pointer: str) -> Any:
    for step in pointer.split("/")[1:]:
        body = body[int(step)] if isinstance(body, list) else body[step]
    return body


@pytest.mark.parametrize("adapter", SHAPES)
def test_shape__notices_a_member_that_it_does_not_have_at_any_depth(adapter: str) -> None:
    body = body_of(adapter)
    require_shape(adapter, body)
    places = containers(body)
    assert len(places) >= 4
    for pointer in places:
        changed = copy.deepcopy(body)
        at(changed, pointer)["no_such_member"] = "x"
        with pytest.raises(ShapeError):
            require_shape(adapter, changed)


def _without_model(body: Any) -> None:
    del body["model"]


def _with_numbered_limit(body: Any) -> None:
    for name in body:
        if name.startswith("max_"):
            body[name] = "5"


def _with_a_tool_without_a_name(body: Any) -> None:
    tool = body["tools"][0]
    del tool.get("function", tool)["name"]


def _with_another_role(body: Any) -> None:
    for message in body.get("messages", body.get("input")):
        message["role"] = "nobody"


def _with_a_number_for_text(body: Any) -> None:
    message = body.get("messages", body.get("input"))[-1]
    message["content"] = 5


CHANGES = (
    _without_model,
    _with_numbered_limit,
    _with_a_tool_without_a_name,
    _with_another_role,
    _with_a_number_for_text,
)
WRONG = [(adapter, change) for adapter in SHAPES for change in CHANGES]
# The published shape of this one does without a model; our bodies never do.
WRONG.remove(("openai-responses", _without_model))


@pytest.mark.parametrize(("adapter", "change"), WRONG)
def test_shape__notices_what_is_missing_or_of_another_type(
    adapter: str, change: Callable[[Any], None]
) -> None:
    body = body_of(adapter)
    changed = copy.deepcopy(body)
    change(changed)
    assert changed != body
    with pytest.raises(ShapeError):
        require_shape(adapter, changed)


CONTROL_TEXT = "Use the source.\n\nWhen was it opened?"
CONTROL_BODIES = {
    "text": {"model": "m", "text": CONTROL_TEXT},
    "openai-responses": {
        "model": "m",
        "input": [{"role": "user", "content": [{"type": "input_text", "text": CONTROL_TEXT}]}],
        "max_output_tokens": 5,
    },
    "openai-chat": {
        "model": "m",
        "messages": [{"role": "user", "content": CONTROL_TEXT}],
        "max_completion_tokens": 5,
    },
    "anthropic-messages": {
        "model": "m",
        "messages": [{"role": "user", "content": [{"type": "text", "text": CONTROL_TEXT}]}],
        "max_tokens": 5,
    },
}


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_control__carries_exactly_instruction_and_question(adapter: str) -> None:
    value = inventory_value(
        item("i", section="policy", trust="authorized", content={"text": "Use the source."}),
        item("q", kind="question", section="task", trust="authorized",
             content={"text": "When was it opened?"}),
        item("e"),
        item("t", kind="tool", section="tools", trust="authorized", content={"text": TOOL}),
        item("w", section="work", trust="authorized"),
        window=100,
        layout="control/1",
        adapter={"name": adapter, "model": "m", "max_output": 5},
    )  # fmt: skip
    body = json.loads(compile_value(value).request.body)
    assert body == CONTROL_BODIES[adapter]
    require_any_shape(adapter, body)
