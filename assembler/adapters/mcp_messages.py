"""Tell the messages of a server from noise, and refuse those that two readers read differently.

In: the bytes of one line, event or body. Out: a JSON object, nothing, or why it can't be used.
Pure: no stream, no SDK.
"""

from __future__ import annotations

import json
from typing import Any, Final, NamedTuple

from assembler.model.canonical import MAX_TOOL_DEPTH, Numbers, StrictJsonError, read_strict

MAX_MESSAGE_DEPTH: Final = MAX_TOOL_DEPTH + 8
"""A tool stands three levels deep in its message; a few more, so that it is judged by itself."""

LIST_CHANGED: Final = "notifications/tools/list_changed"


class Unusable(NamedTuple):
    """Bytes that were meant as a message, and can't be taken as one."""

    problem: str
    """Never holds the bytes."""
    is_json: bool
    """A lenient reader would have taken them."""


def read_message(data: bytes) -> dict[str, Any] | Unusable | None:
    """One message; None for noise, which may be skipped.

    A line was meant as a message when it begins like an object and names `jsonrpc`. Of those that
    are not strict JSON, a notification is noise, unless it tells that the list of tools changed.
    """
    try:
        value = read_strict(data, numbers=Numbers.EXACT, max_depth=MAX_MESSAGE_DEPTH)
    except StrictJsonError as error:
        return _judge_refused(data, error.problem)
    return value if isinstance(value, dict) and "jsonrpc" in value else None


def _judge_refused(data: bytes, problem: str) -> Unusable | None:
    text = data.decode("utf-8", "replace").lstrip("\ufeff \t\r")
    if not text.startswith("{") or '"jsonrpc"' not in text:
        return None
    try:
        # Digits are not counted here: Python refuses to read thousands of them.
        value = json.loads(text, parse_int=len)
    except RecursionError:
        return Unusable(problem, is_json=True)
    except ValueError:
        return Unusable(problem, is_json=False)
    if problem == "not UTF-8":
        return Unusable(problem, is_json=False)
    method = value.get("method") if isinstance(value, dict) else None
    if method is not None and "id" not in value and method != LIST_CHANGED:
        return None
    return Unusable(problem, is_json=True)
