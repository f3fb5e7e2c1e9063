"""YAML as Codex takes it: text in, values of a wanted shape out, all else passed over.

In: the text of a front matter or of a side file, and the shape that is looked for. Out: plain
values, or `YamlProblem` with a place. Never here: a constructed object, a tag that means anything,
an alias that is copied: it is one more way to the same node, so that no bomb grows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from assembler.model.document import Position

if TYPE_CHECKING:
    import yaml

MAX_YAML_CHARACTERS: Final = 1 << 20
"""The largest of 2,049 real front matters has 2,964 bytes."""

Problem: TypeAlias = Literal["syntax", "anchor", "type", "duplicate-key", "documents", "size-limit"]

_NULLS: Final = frozenset({"~", "null", "Null", "NULL"})
_BOOLEANS: Final = {
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}
_NULL_TAG: Final = "tag:yaml.org,2002:null"
_REFUSED: Final = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class YamlProblem(NamedTuple):
    """Why there is no value; never any of the text."""

    kind: Problem
    place: Position | None
    """Line and column in the text, from 1, in code points."""


class YamlProblemError(Exception):
    """Carries a `YamlProblem` out of the reader."""

    def __init__(self, kind: Problem, place: Position | None) -> None:
        super().__init__(kind)
        self.problem = YamlProblem(kind, place)


class Shape(NamedTuple):
    """What a value has to be; a value of another form is a problem."""

    kind: Literal["text", "boolean", "word", "fields", "list"]
    fields: Mapping[str, Shape] = {}
    """Of `fields`: the members that are looked at; all others may be anything."""
    items: Shape | None = None
    """Of `list`."""
    words: frozenset[str] = frozenset()
    """Of `word`."""
    is_optional: bool = False
    """Whether null is fine, which is None."""


class Node:
    """A value as it stands in the text; an alias is the same node once more."""

    __slots__ = ("is_plain", "items", "kind", "pairs", "place", "tag", "text")

    def __init__(self, kind: Literal["text", "list", "map", "nothing"], place: Position) -> None:
        self.kind = kind
        self.place = place
        self.text = ""
        self.is_plain = False
        self.tag: str | None = None
        self.items: list[Node] = []
        self.pairs: list[tuple[Node, Node | None]] = []

    @property
    def is_empty(self) -> bool:
        """A value that is not written: it may stand for any container without members."""
        return self.kind == "nothing" or (self.kind == "text" and self.is_plain and not self.text)


class Parsed(NamedTuple):
    """A text as nodes, as far as it could be read."""

    top: Node
    problem: YamlProblem | None
    """Where reading ended, if that is not the end of the text."""


def read_shape(text: str, shape: Shape) -> Any:
    """The values of a shape: text, bool, list and dict; a member that is not there is missing.

    Raises:
        YamlProblemError: the first problem of the text, as Codex meets it: a value of a wrong
            form counts before broken text behind it.
    """
    parsed = parse(text)
    value = _take(parsed.top, shape)
    if parsed.problem is not None:
        raise YamlProblemError(*parsed.problem)
    return value


def is_readable(text: str) -> bool:
    """Whether a text is YAML of one document in which no key stands twice."""
    parsed = parse(text)
    return parsed.problem is None and not _has_duplicates(parsed.top)


def parse(text: str) -> Parsed:
    """The first document of a text."""
    nothing = Node("nothing", (1, 1))
    if len(text) > MAX_YAML_CHARACTERS:
        return Parsed(nothing, YamlProblem("size-limit", None))
    import yaml

    builder = _Builder(nothing)
    problem: YamlProblem | None = None
    try:
        for event in yaml.parse(text, Loader=_loader()):
            builder.take(event)
    except YamlProblemError as error:
        problem = error.problem
    except yaml.YAMLError as error:
        problem = YamlProblem("syntax", _place_of(error, text))
    # A broken second document is still a second document.
    if builder.documents > 1 or (problem is not None and builder.is_closed):
        problem = YamlProblem("documents", None)
    return Parsed(builder.top, problem)


def _loader() -> Any:
    """The C parser, or the slower one where PyYAML was built without libyaml."""
    import yaml

    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _place_of(error: yaml.YAMLError, text: str) -> Position | None:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is not None:
        return (mark.line + 1, mark.column + 1)
    refused = _REFUSED.search(text)
    if refused is None:
        return None
    start = text.rfind("\n", 0, refused.start()) + 1
    return (text.count("\n", 0, refused.start()) + 1, refused.start() - start + 1)


class _Builder:
    """Makes nodes of the events of one document."""

    def __init__(self, nothing: Node) -> None:
        self.top = nothing
        self.documents = 0
        self.is_closed = False
        self._anchors: dict[str, Node] = {}
        self._open: list[Node] = []
        self._has_top = False

    def take(self, event: yaml.Event) -> None:
        """Work one event in.

        Raises:
            YamlProblemError: an alias to nothing.
        """
        import yaml

        if isinstance(event, yaml.DocumentStartEvent):
            self.documents += 1
        elif isinstance(event, yaml.DocumentEndEvent):
            self.is_closed = True
        elif self.documents > 1:
            return
        elif isinstance(event, yaml.CollectionEndEvent):
            self._open.pop()
        elif isinstance(event, yaml.NodeEvent):
            self._put(event)

    def _put(self, event: yaml.NodeEvent) -> None:
        import yaml

        mark = event.start_mark
        place = (1, 1) if mark is None else (mark.line + 1, mark.column + 1)
        if isinstance(event, yaml.AliasEvent):
            known = self._anchors.get(event.anchor or "")
            if known is None:
                raise YamlProblemError("anchor", place)
            self._hand_over(known)
            return
        node = _node_of(event, place)
        if event.anchor is not None:
            self._anchors[event.anchor] = node
        self._hand_over(node)
        if node.kind in {"list", "map"}:
            self._open.append(node)

    def _hand_over(self, node: Node) -> None:
        """Give the node to what holds it."""
        if not self._open:
            self.top = self.top if self._has_top else node
            self._has_top = True
            return
        holder = self._open[-1]
        if holder.kind == "list":
            holder.items.append(node)
        elif holder.pairs and holder.pairs[-1][1] is None:
            holder.pairs[-1] = (holder.pairs[-1][0], node)
        else:
            holder.pairs.append((node, None))


def _node_of(event: yaml.NodeEvent, place: Position) -> Node:
    import yaml

    if isinstance(event, yaml.SequenceStartEvent):
        return Node("list", place)
    if isinstance(event, yaml.MappingStartEvent):
        return Node("map", place)
    assert isinstance(event, yaml.ScalarEvent)
    node = Node("text", place)
    node.text = event.value
    node.is_plain = not event.style
    node.tag = event.tag
    return node


def _take(node: Node, shape: Shape, holder: Position | None = None) -> Any:
    """The value of a node.

    Raises:
        YamlProblemError: `type`, `duplicate-key`.
    """
    if shape.is_optional and _is_null(node, holder):
        return None
    match shape.kind:
        case "fields":
            return _take_fields(node, shape)
        case "list":
            assert shape.items is not None
            if node.kind != "list" and not node.is_empty:
                raise YamlProblemError("type", node.place)
            return [_take(item, shape.items) for item in node.items]
        case "boolean":
            if node.kind != "text" or not node.is_plain or node.text not in _BOOLEANS:
                raise YamlProblemError("type", node.place)
            return _BOOLEANS[node.text]
        case _:
            fits = node.kind == "text" and (shape.kind == "text" or node.text in shape.words)
            if not fits:
                raise YamlProblemError("type", node.place)
            return node.text


def _take_fields(node: Node, shape: Shape) -> dict[str, Any]:
    if node.kind != "map" and not node.is_empty:
        raise YamlProblemError("type", node.place)
    values: dict[str, Any] = {}
    for key, value in node.pairs:
        if key.kind != "text":
            raise YamlProblemError("type", key.place)
        field = shape.fields.get(key.text)
        if field is None:
            continue
        if key.text in values:
            raise YamlProblemError("duplicate-key", node.place)
        # A text that breaks off behind the key has no value here, and a problem of its own.
        values[key.text] = None if value is None else _take(value, field, node.place)
    return values


def _is_null(node: Node, holder: Position | None) -> bool:
    """Whether an optional value is not there.

    Args:
        node: the value.
        holder: where the mapping around it starts, which is the place that Codex tells.

    Raises:
        YamlProblemError: `type`: the tag says null and the text does not.
    """
    if node.kind != "text" or not node.is_plain:
        return node.kind == "nothing"
    if node.tag == _NULL_TAG and node.text not in _NULLS:
        raise YamlProblemError("type", holder)
    return not node.text or (node.tag in {None, _NULL_TAG} and node.text in _NULLS)


def _has_duplicates(top: Node) -> bool:
    """Whether some mapping has a key twice; each node is looked at once."""
    seen: set[int] = set()
    waiting = [top]
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        keys = [(key.kind, key.text, key.is_plain) for key, _ in node.pairs if key.kind == "text"]
        if len(keys) != len(set(keys)):
            return True
        waiting.extend(node.items)
        waiting.extend(part for pair in node.pairs for part in pair if part is not None)
    return False
