"""What the JSON of an issue or pull request says of itself, as `gh` writes it.

Facts only: the content stays the payload's own bytes (docs/decisions/0027).
"""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

from assembler.model.canonical import Numbers, StrictJsonError, read_strict
from assembler.model.limits import MAX_WORDS_BYTES, bounded_name
from assembler.model.names import write_name
from assembler.model.times import is_time

MAX_STATE_BYTES: Final = 40

_URL: Final = re.compile(
    r"https?://[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::\d{1,5})?"
    r"(?:[/?#][A-Za-z0-9!#$%&()*+,./:;=?@_~-]*)?"
)
"""Without a user, blanks or quotes; in it nothing has to be escaped."""

_SHAPE: Final[dict[str, tuple[type, ...]]] = {
    "title": (str,),
    "number": (int,),
    "body": (str, type(None)),
    "state": (str,),
    "url": (str,),
    "html_url": (str,),
    "comments": (list, int),
    "labels": (list,),
    "author": (dict, type(None)),
    "user": (dict, type(None)),
    "createdAt": (str,),
    "created_at": (str,),
    "updatedAt": (str,),
    "updated_at": (str,),
}
"""Members of `gh issue view --json`, `gh pr view --json` and `gh api`, and what each may be."""


class IssueFacts(NamedTuple):
    """What is taken over into a row."""

    number: int
    url: str | None
    """A plain http(s) URL, else None."""
    updated_at: str | None
    """`YYYY-MM-DDThh:mm:ssZ`, else None."""
    words: str
    """Number, state and comments, for people."""


def read_issue(data: bytes) -> IssueFacts | None:
    """The facts, or None where the bytes are no such JSON: then they are text."""
    if data.lstrip()[:1] != b"{":
        return None
    try:
        value = read_strict(data, numbers=Numbers.FINITE)
    except StrictJsonError:
        return None
    if not _is_issue(value):
        return None
    number = value["number"]
    updated = value.get("updatedAt", value.get("updated_at"))
    return IssueFacts(
        number=number,
        url=_plain_url(value),
        updated_at=updated if updated is not None and is_time(updated) else None,
        words=_describe(number, value.get("state"), value.get("comments")),
    )


def _is_issue(value: Any) -> bool:
    if not isinstance(value, dict) or not {"title", "number"} <= value.keys():
        return False
    for name, types in _SHAPE.items():
        # A boolean is an integer to Python, and none to JSON.
        if name in value and (not isinstance(value[name], types) or isinstance(value[name], bool)):
            return False
    return bool(value["number"] > 0)


def _plain_url(value: dict[str, Any]) -> str | None:
    """The page's URL; where there are two, `url` is the one for programs."""
    url = value.get("html_url", value.get("url"))
    if url is None or len(url) > MAX_WORDS_BYTES or _URL.fullmatch(url) is None:
        return None
    return str(url)


def _describe(number: int, state: str | None, comments: list[Any] | int | None) -> str:
    parts = [f"number {number}"]
    if state is not None:
        parts.append(bounded_name(write_name(state.lower()), most_bytes=MAX_STATE_BYTES))
    if comments is not None:
        count = comments if isinstance(comments, int) else len(comments)
        parts.append("1 comment" if count == 1 else f"{count} comments")
    return f"issue as JSON: {', '.join(parts)}"
