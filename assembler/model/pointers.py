"""JSON pointers (RFC 6901) to members of objects, and values without those members."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

_INDEX: Final = re.compile(r"(?:0|[1-9][0-9]{0,8})\Z")
_STEP: Final = re.compile(r"(?:[^~/]|~[01])*\Z")


def parse_pointer(text: str) -> tuple[str, ...]:
    """The steps of a pointer; the whole value is no member and has none here.

    Raises:
        ValueError: it is no pointer to a member.
    """
    head, *steps = text.split("/")
    if head or not steps or not all(_STEP.match(step) for step in steps):
        raise ValueError("is no JSON pointer to a member: /annotations/title")
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in steps)


def write_pointer(steps: Iterable[str | int]) -> str:
    """The pointer of these steps."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


def has_member(value: object, steps: Sequence[str]) -> bool:
    """Whether the value has the member."""
    holder = _find(value, steps[:-1])
    return isinstance(holder, Mapping) and steps[-1] in holder


def without_members(value: Any, pointers: Iterable[Sequence[str]]) -> Any:
    """The value without these members of its objects; a member that is not there is no fault."""
    for steps in pointers:
        if has_member(value, steps):
            value = _without(value, steps)
    return value


def _without(value: Any, steps: Sequence[str]) -> Any:
    first, *rest = steps
    if isinstance(value, Mapping):
        if not rest:
            return {key: member for key, member in value.items() if key != first}
        return {
            key: _without(member, rest) if key == first else member for key, member in value.items()
        }
    index = int(first)
    return [_without(item, rest) if at == index else item for at, item in enumerate(value)]


def _find(value: object, steps: Sequence[str]) -> object:
    for step in steps:
        if isinstance(value, Mapping):
            value = value.get(step)
        elif isinstance(value, list) and _INDEX.match(step) and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value
