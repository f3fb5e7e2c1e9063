"""The check before anything leaves: a body that does not carry the text is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assembler.bind.request import bind, require_carried
from assembler.errors import RequestError, ToolUnfitError
from assembler.model.canonical import canonical_bytes
from assembler.record.package import Package
from tests.builders.inventories import compile_value, inventory_value, item
from tests.builders.vectors import compile_vector, load_vector

TOOL = '{"description":"D.","inputSchema":{"type":"object"},"name":"read"}'
ADAPTERS = ("text", "openai-responses", "openai-chat", "anthropic-messages")


def package_of(adapter: str) -> Package:
    value = inventory_value(
        item("policy", section="policy", trust="authorized"),
        item("tool", kind="tool", section="tools", trust="authorized", content={"text": TOOL}),
        item("e"),
        window=100,
        adapter={"name": adapter, "model": "m", "max_output": 5},
    )
    return compile_value(value)


def check(package: Package, body: Any) -> None:
    changed = package.request._replace(body=canonical_bytes(body))
    require_carried(
        changed,
        package.rendering,
        adapter=package.inventory.adapter,
        contents=package.objects,
    )


def walk(value: Any, pointer: str = "") -> list[tuple[Any, Any, str]]:
    """Every member of a body, with its container and pointer."""
    found = []
    steps = value.items() if isinstance(value, dict) else enumerate(value)
    for step, inner in steps:
        found.append((value, step, f"{pointer}/{step}"))
        if isinstance(inner, dict | list):
            found += walk(inner, f"{pointer}/{step}")
    return found


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_body__as_prepared_is_carried(adapter: str) -> None:
    package = package_of(adapter)
    check(package, json.loads(package.request.body))


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_body__with_any_member_removed_changed_or_added_is_refused(adapter: str) -> None:
    package = package_of(adapter)
    places = walk(json.loads(package.request.body))
    assert len(places) >= 2
    for number in range(len(places)):
        for change in ("remove", "replace", "add"):
            body = json.loads(package.request.body)
            container, step, pointer = walk(body)[number]
            if change == "remove":
                del container[step]
            elif change == "replace":
                container[step] = "other text" if container[step] != "other text" else ""
            elif isinstance(container, dict):
                container["more"] = "text"
            else:
                container.append({"type": "text", "text": "more"})
            with pytest.raises(RequestError) as caught:
                check(package, body)
            assert caught.value.code == "request-mismatch", (pointer, change)
            assert isinstance(caught.value.detail["pointer"], str)


def test_body__of_another_text_is_refused_and_named() -> None:
    package = package_of("text")
    body = json.loads(package.request.body)
    body["text"] = body["text"].replace("content of e", "content of E")
    with pytest.raises(RequestError) as caught:
        check(package, body)
    assert caught.value.detail == {"pointer": "/text"}


def test_body__that_is_no_json_is_refused() -> None:
    package = package_of("text")
    changed = package.request._replace(body=b"{")
    with pytest.raises(RequestError):
        require_carried(
            changed,
            package.rendering,
            adapter=package.inventory.adapter,
            contents=package.objects,
        )


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_segments__cover_the_rendered_bytes_once_in_order(adapter: str) -> None:
    package = package_of(adapter)
    position = 0
    for segment in package.request.segments:
        assert segment.start == position
        position = segment.end
    assert position == len(package.rendering.data)


def test_bind__needs_a_model_and_for_one_api_a_limit() -> None:
    package = package_of("text")
    for name, model, limit in (("openai-chat", None, 1), ("anthropic-messages", "m", None)):
        adapter = package.inventory.adapter._replace(name=name, model=model, max_output=limit)
        with pytest.raises(RequestError) as caught:
            bind(
                package.rendering,
                layout=package.inventory.layout,
                adapter=adapter,
                terms=package.inventory.budget,
                contents=package.objects,
            )
        assert caught.value.code == "adapter-incomplete"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ('{"inputSchema":{},"name":"a b"}', "tool-name-unfit"),
        ('{"name":"a","inputSchema":{}}', "tool-content-unfit"),
        ('{"inputSchema":{},"name":"a","title":"t"}', "tool-content-unfit"),
        ('{"description":1,"inputSchema":{},"name":"a"}', "tool-content-unfit"),
        ("[]", "tool-content-unfit"),
    ],
)
def test_tool__that_no_request_can_hold_is_refused(content: str, code: str) -> None:
    tool = item("t", kind="tool", section="tools", trust="authorized", content={"text": content})
    with pytest.raises(ToolUnfitError) as caught:
        compile_value(inventory_value(tool))
    assert caught.value.code == code


def test_bound__places_hold_the_body_of_each_item() -> None:
    outcome = compile_vector(load_vector("raj-declared"))
    package = outcome.package
    assert package is not None
    body = json.loads(package.request.body)
    for row in package.rows:
        if row["bound"] is None or row["bound"]["start"] is None:
            continue
        text: Any = body
        for step in row["bound"]["pointer"][1:].split("/"):
            text = text[int(step)] if isinstance(text, list) else text[step]
        span = row["span"]
        expected = package.rendering.data[span["body_start"] : span["body_end"]]
        assert text.encode()[row["bound"]["start"] : row["bound"]["end"]] == expected


def test_pipeline__refuses_a_body_that_does_not_carry_the_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from assembler import pipeline

    honest = pipeline.bind

    def dishonest(*arguments: Any, **options: Any) -> Any:
        request = honest(*arguments, **options)
        return request._replace(body=request.body.replace(b"content of e", b"content of f"))

    monkeypatch.setattr(pipeline, "bind", dishonest)
    with pytest.raises(RequestError) as caught:
        package_of("openai-chat")
    assert caught.value.code == "request-mismatch"
    assert caught.value.event_name == "context.preparation_failed"
