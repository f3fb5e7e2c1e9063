"""The request shapes that two providers publish, as their own SDKs type them.

A typed dictionary passes over members that it does not know, and an `Iterable` is looked at only
when it is walked. So a body is validated, walked whole, and compared with itself: what is not in
the shape is missing then. Why: docs/decisions/0015-request-shapes-from-the-sdks.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming
from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming
from pydantic import TypeAdapter, ValidationError

SHAPES: Mapping[str, Any] = {
    "openai-responses": ResponseCreateParamsNonStreaming,
    "openai-chat": CompletionCreateParamsNonStreaming,
    "anthropic-messages": MessageCreateParamsNonStreaming,
}


class ShapeError(AssertionError):
    """A body that its provider's public shape does not have."""


@cache
def _adapter_of(name: str) -> TypeAdapter[Any]:
    return TypeAdapter(SHAPES[name])


def require_shape(adapter: str, body: Any) -> None:
    """Refuse a body that is not of the shape, in any member at any depth.

    Raises:
        ShapeError: a member is missing, of another type, or unknown.
    """
    try:
        found = _walked(_adapter_of(adapter).validate_python(body, strict=True))
    except ValidationError as error:
        raise ShapeError(str(error)) from None
    if found != body:
        raise ShapeError(f"members that {adapter} does not know: {_differences(found, body, '')}")


def _walked(value: Any) -> Any:
    """The value with every lazy sequence read, which is when its items are validated."""
    if isinstance(value, Mapping):
        return {name: _walked(inner) for name, inner in value.items()}
    if isinstance(value, str | bytes) or not hasattr(value, "__iter__"):
        return value
    return [_walked(inner) for inner in value]


def _differences(found: Any, body: Any, pointer: str) -> list[str]:
    return list(_pointers(found, body, pointer))


def _pointers(found: Any, body: Any, pointer: str) -> Iterator[str]:
    if isinstance(found, dict) and isinstance(body, dict):
        for name in sorted({*found, *body}):
            if name not in found or name not in body:
                yield f"{pointer}/{name}"
            else:
                yield from _pointers(found[name], body[name], f"{pointer}/{name}")
    elif isinstance(found, list) and isinstance(body, list) and len(found) == len(body):
        for index, (one, other) in enumerate(zip(found, body, strict=True)):
            yield from _pointers(one, other, f"{pointer}/{index}")
    elif found != body:
        yield pointer
