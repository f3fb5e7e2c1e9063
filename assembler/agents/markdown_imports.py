"""`@path` in a file whose target follows as an entry of its own: which paths a text names. Pure.

Held to the real Claude Code 2.1.332 on some 180 snippets and on random trees.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from assembler.agents.markdown import Block, read_blocks
from assembler.agents.markdown_inline import text_runs
from assembler.agents.white_space import JS_WHITE_SPACE

_MENTION: Final = re.compile(rf"(?:^|[{JS_WHITE_SPACE}])@((?:[^{JS_WHITE_SPACE}\\]|\\ )+)")
_COMMENT: Final = re.compile(r"<!--.*?-->", re.S)
_LABEL: Final = re.compile(r" {0,3}\[((?:\\.|[^\[\]\\])+)\]:")


def named_paths(text: str) -> list[str]:
    """The paths that a text names, in its order, each once.

    Args:
        text: as it is in the file, front matter taken off.
    """
    blocks = read_blocks(re.sub(r"\r\n?", "\n", text))
    labels = frozenset(_labels(blocks))
    return list(dict.fromkeys(_paths(blocks, labels)))


def _labels(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        if block.kind == "definition":
            found = _LABEL.match(block.raw)
            if found is not None:
                yield found.group(1).strip().lower()
        yield from _labels(block.inner)


def _paths(blocks: Iterable[Block], labels: frozenset[str]) -> Iterator[str]:
    for block in blocks:
        if block.kind == "text":
            for run in text_runs(block.raw, labels):
                yield from _in_run(run)
        elif block.kind == "html" and _is_comment(block.raw):
            # What stands on the lines of a comment beside it is text.
            yield from _in_run(_COMMENT.sub("", block.raw))
        yield from _paths(block.inner, labels)


def _in_run(run: str) -> Iterator[str]:
    for mention in _MENTION.finditer(run):
        path = mention.group(1).partition("#")[0].replace("\\ ", " ")
        if _is_path(path):
            yield path


def _is_path(path: str) -> bool:
    if path.startswith(("./", "../", "~/", "/")):
        return path != "/"
    return re.match(r"[A-Za-z0-9._-]", path) is not None


def without_comments(text: str) -> str:
    """The text without comments that are blocks of their own; what stands beside one stays.

    Where one is taken out, every end of a line is a line feed.
    """
    if "<!--" not in text:
        return text
    blocks = read_blocks(re.sub(r"\r\n?", "\n", text))
    kept = [_without(block) for block in blocks]
    if all(one == block.raw for one, block in zip(kept, blocks, strict=True)):
        return text
    return "".join(kept)


def _without(block: Block) -> str:
    if block.kind != "html" or not _is_comment(block.raw):
        return block.raw
    residue = _COMMENT.sub("", block.raw)
    if residue == block.raw:
        return block.raw
    return residue if residue.strip() else ""


def _is_comment(raw: str) -> bool:
    return raw.lstrip().startswith("<!--") and "-->" in raw
