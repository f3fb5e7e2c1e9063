"""Read a block of YAML whose scalars all stay text, as fast as the C composer gives its nodes.

In: text with plain line feeds. Out: a `TextBlock`, the same values that `read_yaml` gives.
What the composer would take in silently (an anchor, a tag, a second key) and what it refuses goes
through the events of `read_yaml`, which say what it is and where.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from assembler.adapters.text_block import NULLS, TextBlock
from assembler.adapters.yaml_events import RAW_REFUSED, read_yaml, refuse_at
from assembler.model.document import Position, Value

MAX_DEPTH: Final = 256
"""Containers inside one another; mappings in blocks within 64 KiB get no deeper than 360."""
MAX_NODES: Final = 50_000
MAX_OPENINGS: Final = 512
"""Beginnings of flow collections and of list items: the C composer recurses once for each."""

_MAYBE_PROPERTY: Final = re.compile(r"(?<!\w)[&*](?=\S)|(?<!\w)!")
"""Where an anchor, an alias or a tag could stand."""
_TAB: Final = re.compile(r"(?:(?<=[ \n])|^)#.*|\t")
"""A comment, or a tab that stands in none."""
# YAML 1.2 took three of them out of its line breaks, libyaml did not; the mark it drops anywhere.
_OLD_BREAKS: Final = ("\x85", "\u2028", "\u2029", "\ufeff")
_STAND_INS: Final = "\ufdd0\ufdd1\ufdd2\ufdd3"
_REFUSED_ESCAPED: Final = re.compile("[\x00\ud800-\udfff]")


class _IrregularError(Exception):
    """The nodes are not those of a plain block; no text of it is kept."""


def read_text_block(text: str, *, limit_bytes: int, first_line: int = 1) -> TextBlock:
    """Read one block of YAML, every scalar as text.

    Args:
        text: without carriage returns.
        limit_bytes: refused before parsing if longer in UTF-8.
        first_line: the number of its first line in the places of the members and in the words
            of an error; an error's place counts from 1.

    Raises:
        ConfigError: as `read_yaml`.
    """
    refused = RAW_REFUSED.search(text)
    if refused is not None:
        refuse_at("yaml-invalid", "a control character", text, refused.start())
    restored = not text.isascii() and any(mark in text for mark in _OLD_BREAKS)
    swapped = _swap(text, _OLD_BREAKS, _STAND_INS) if restored else text
    if _is_odd(text) or len(text) > limit_bytes // 4:
        _require_plain(swapped, limit_bytes, first_line)
    block = _try_nodes(swapped, first_line, restored=restored)
    if block is not None:
        return block
    _require_plain(swapped, limit_bytes, first_line)
    refuse_at("yaml-invalid", "no plain YAML", swapped, 0)


def _is_odd(text: str) -> bool:
    """Whether the composer could take something in silently, or recurse too deep."""
    # Three searches for a character are ten times faster than one for the pattern.
    marked = "&" in text or "*" in text or "!" in text
    if marked and _MAYBE_PROPERTY.search(text) is not None:
        return True
    if len(text) <= MAX_OPENINGS:
        return False
    openings = text.count("[") + text.count("{") + text.count("- ") + text.count("? ")
    return openings > MAX_OPENINGS


def _require_plain(text: str, limit_bytes: int, first_line: int) -> None:
    """Say by the events what is wrong with a text, if anything is.

    Raises:
        ConfigError: as `read_yaml`.
    """
    read_yaml(
        text.encode(),
        limit_bytes=limit_bytes,
        max_depth=MAX_DEPTH,
        max_nodes=MAX_NODES,
        scalars="text",
        first_line=first_line,
    )


def _try_nodes(text: str, first_line: int, *, restored: bool) -> TextBlock | None:
    """The block as the composer has it; None where its events have to say what is wrong."""
    import yaml

    composer = _composer_class()(text)
    try:
        node = composer.get_single_node()
        if node is None:
            return TextBlock(None, {}, {}, frozenset())
        return _block(node, text, first_line, restored=restored)
    except (yaml.YAMLError, _IrregularError):
        return None
    finally:
        composer.dispose()


@cache
def _composer_class() -> Any:
    """The C composer, or the slower one where PyYAML was built without libyaml; no tag is told."""
    base: Any
    try:
        from yaml._yaml import CParser
    except ImportError:
        base = _pure_composer()
    else:
        base = CParser

    class Composer(base):  # type: ignore[misc]  # which of the two is known when it runs
        """Resolves nothing: what a scalar means is not asked here."""

        def resolve(self, kind: Any, value: Any, implicit: Any) -> str:
            return ""

        def descend_resolver(self, node: Any, index: Any) -> None: ...

        def ascend_resolver(self) -> None: ...

    return Composer


def _pure_composer() -> Any:
    from yaml.composer import Composer
    from yaml.parser import Parser
    from yaml.reader import Reader
    from yaml.scanner import Scanner

    class PureComposer(Reader, Scanner, Parser, Composer):
        def __init__(self, text: str) -> None:
            Reader.__init__(self, text)
            Scanner.__init__(self)
            Parser.__init__(self)
            Composer.__init__(self)

    return PureComposer


def _block(node: Any, text: str, first_line: int, *, restored: bool) -> TextBlock:
    walk = _Walk(escapes="\\" in text, restored=restored)
    if not _is_mapping(node):
        return TextBlock(walk.plain(node, 0), {}, {}, frozenset())
    as_they_are = "\\" not in text and not restored
    members: dict[str, Value] = {}
    keys: dict[str, Position] = {}
    values: dict[str, Position] = {}
    nulls: list[str] = []
    is_deep = False
    for key_node, value_node in node.value:
        key, value = walk.key(key_node), value_node.value
        if key in members:
            raise _IrregularError
        is_text = isinstance(value, str)
        is_deep = is_deep or not is_text
        members[key] = value if is_text and as_they_are else walk.plain(value_node, 1)
        mark = key_node.start_mark
        keys[key] = (mark.line + first_line, mark.column + 1)
        mark = value_node.start_mark
        values[key] = (mark.line + first_line, mark.column + 1)
        # The style of a plain scalar is "" or None, by the version of PyYAML.
        if is_text and value in NULLS and not value_node.style:
            nulls.append(key)
    irregular = tuple(_irregular(node, text, first_line)) if is_deep or "\t" in text else ()
    return TextBlock(members, keys, values, frozenset(nulls), irregular)


def _is_mapping(node: Any) -> bool:
    return bool(node.id == "mapping")


class _Walk:
    """Nodes to plain values."""

    def __init__(self, *, escapes: bool, restored: bool) -> None:
        self._escapes = escapes
        self._restored = restored
        self._nodes = 0

    def plain(self, node: Any, depth: int) -> Value:
        """The value of a node.

        Raises:
            _IrregularError: a bound, a key that is no text or stands twice, a refused escape.
        """
        value = node.value
        if isinstance(value, str):
            return self._text(value)
        self._nodes += len(value)
        if depth >= MAX_DEPTH or self._nodes > MAX_NODES:
            raise _IrregularError
        if not _is_mapping(node):
            return [self.plain(item, depth + 1) for item in value]
        members: dict[str, Value] = {}
        for key_node, value_node in value:
            key = self.key(key_node)
            if key in members:
                raise _IrregularError
            members[key] = self.plain(value_node, depth + 1)
        return members

    def key(self, node: Any) -> str:
        """The text of a key."""
        if not isinstance(node.value, str) or (node.value == "<<" and not node.style):
            raise _IrregularError
        return self._text(node.value)

    def _text(self, text: str) -> str:
        if self._escapes and _REFUSED_ESCAPED.search(text):
            raise _IrregularError
        return _swap(text, _STAND_INS, _OLD_BREAKS) if self._restored else text


def _swap(text: str, before: Any, after: Any) -> str:
    for old, new in zip(before, after, strict=True):
        text = text.replace(old, new)
    return text


def _irregular(node: Any, text: str, first_line: int) -> Iterator[tuple[Position, str]]:
    """Tabs between tokens, and sibling mappings that are indented differently."""
    found = [*_stray_tabs(node, text), *_uneven(node)] if "\t" in text else [*_uneven(node)]
    for (line, column), what in found:
        yield (line + first_line - 1, column), what


def _stray_tabs(node: Any, text: str) -> Iterator[tuple[Position, str]]:
    """The first tab that stands in no quotes, no block scalar and no comment."""
    position = 0
    for start, end in [*sorted(_spans(node)), (len(text), len(text))]:
        found = _TAB.search(text, position, start)
        while found is not None and found.group() != "\t":
            found = _TAB.search(text, found.end(), start)
        if found is not None:
            offset = found.start()
            column = offset - text.rfind("\n", 0, offset)
            place = (text.count("\n", 0, offset) + 1, column)
            yield place, "a tab between two parts of the line"
            return
        position = end


def _spans(node: Any) -> Iterator[tuple[int, int]]:
    """Where each scalar in quotes or in a block stands, in characters."""
    open_nodes = [node]
    while open_nodes:
        current = open_nodes.pop()
        if isinstance(current.value, str):
            if current.style:
                yield current.start_mark.index, current.end_mark.index
        elif _is_mapping(current):
            open_nodes += [part for pair in current.value for part in pair]
        else:
            open_nodes += current.value


def _uneven(node: Any) -> Iterator[tuple[Position, str]]:
    """Block mappings that are values of one mapping and begin in different columns."""
    open_nodes = [node]
    while open_nodes:
        current = open_nodes.pop()
        if not _is_mapping(current):
            open_nodes += [item for item in current.value if not isinstance(item.value, str)]
            continue
        inner = [value for _, value in current.value if not isinstance(value.value, str)]
        open_nodes += inner
        mappings = [value.start_mark for value in inner if _is_block_mapping(value)]
        odd = next((mark for mark in mappings if mark.column != mappings[0].column), None)
        if odd is not None:
            yield (odd.line + 1, odd.column + 1), "a mapping that is indented unlike the one before"
            return


def _is_block_mapping(node: Any) -> bool:
    return _is_mapping(node) and not node.flow_style
