"""`@path` in a file whose target follows as an entry of its own: which paths a text names. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from assembler.agents.markdown import mask_code_spans, scan

_MENTION: Final = re.compile(r"(?:^|(?<=[\s*_~\[]))@((?:[^\s\\\0]|\\ )+)")
_COMMENT: Final = re.compile(r"<!--.*?-->")
_EMPHASIS: Final = "*_~"


def named_paths(text: str) -> list[str]:
    """The paths that a text names, in its order, each once.

    Not in code, not in comments that are blocks, and not behind a letter, a quote or a bracket.

    Args:
        text: as it is in the file, front matter taken off.
    """
    found: dict[str, None] = {}
    for line in scan(text).lines:
        for path in _in_line(line.text):
            found[path] = None
    return list(found)


def _in_line(line: str) -> Iterator[str]:
    masked = _COMMENT.sub(lambda found: "\0" * len(found.group()), mask_code_spans(line))
    for mention in _MENTION.finditer(masked):
        path = mention.group(1)
        before = masked[mention.start() - 1 : mention.start()]
        if before and before in _EMPHASIS:
            path = path.partition(before)[0] or path
        elif before == "[":
            path = path.partition("]")[0]
        path = path.partition("#")[0].replace("\\ ", " ")
        if _is_path(path):
            yield path


def _is_path(path: str) -> bool:
    if path.startswith(("./", "../", "~/", "/")):
        return len(path) > 2 or path[:1] == "/"
    return re.match(r"[A-Za-z0-9._-]", path) is not None
