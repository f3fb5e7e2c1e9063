"""Read configuration text, YAML, into plain values that know their lines.

In: bytes, limits. Out: a `Document`, or `ConfigError` with a code and `LINE:COLUMN`.
Never here: constructed objects, anchors, aliases, tags, merge keys, two values for one key, a
guess at a type (dates, `no`, `1.10`, `0x10` and `1:30` stay text), the text in a message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, Literal, NoReturn, Protocol

from assembler.errors import ConfigError
from assembler.model.document import Document, DocumentPath, Position, Value

if TYPE_CHECKING:
    import yaml

DEFAULT_LIMIT_BYTES: Final = 1 << 20
DEFAULT_MAX_DEPTH: Final = 32
"""Containers inside one another, the top value counted as 1."""
DEFAULT_MAX_NODES: Final = 50_000
"""Keys, scalars and containers."""

MAX_INTEGER_DIGITS: Final = 15
"""So that every integer is exact in every JSON reader (RFC 8785 section 3.2.2.3)."""

Scalars = Literal["typed", "text"]

_INTEGER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)\Z")
_WORDS: Final[dict[str, bool | None]] = {
    "": None,
    "~": None,
    "null": None,
    "true": True,
    "false": False,
}
# An escape in a quoted scalar can make what the raw text may not hold; NEL is a line break.
_CONTROL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")
_NO_TEXT: Final = re.compile("[\x00\ud800-\udfff]")
"""What no text holds, escaped or not; a caller of `text` answers for the other controls."""
RAW_REFUSED: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]")
# Phrases of libyaml and PyYAML that quote nothing of the text; any other is not repeated.
_PHRASES: Final = frozenset(
    {
        "mapping values are not allowed in this context",
        "mapping values are not allowed here",
        "could not find expected ':'",
        "did not find expected key",
        "did not find expected '-' indicator",
        "did not find expected ',' or ']'",
        "did not find expected ',' or '}'",
        "did not find expected node content",
        "did not find expected <document start>",
        "found character that cannot start any token",
        "found a tab character that violates indentation",
        "found unexpected end of stream",
        "found unknown escape character",
        "found unexpected document indicator",
        "block sequence entries are not allowed in this context",
        "sequence entries are not allowed here",
    }
)
UNCLOSED_QUOTE: Final = "a quote opens here and is not closed"
_UNCLOSED: Final = frozenset(
    {"found unexpected end of stream", "found unexpected document indicator"}
)


class _Container:
    """A mapping or list that is still being read."""

    __slots__ = ("key", "lines", "path", "value")

    def __init__(self, value: dict[str, Value] | list[Value], path: DocumentPath) -> None:
        self.value = value
        self.path = path
        self.key: str | None = None
        """The key whose value comes next; None where a key, or an item, comes next."""
        self.lines: dict[str, int] = {}
        """Where each key stood first."""


def read_yaml(
    data: bytes,
    *,
    limit_bytes: int = DEFAULT_LIMIT_BYTES,
    max_depth: int = DEFAULT_MAX_DEPTH,
    max_nodes: int = DEFAULT_MAX_NODES,
    scalars: Scalars = "typed",
    first_line: int = 1,
) -> Document:
    """Read one YAML document without constructing anything but plain values.

    Args:
        data: the bytes as they were read; UTF-8, a leading byte order mark is dropped.
        limit_bytes: refused before parsing if longer.
        max_depth: containers inside one another.
        max_nodes: keys, scalars and containers together.
        scalars: `typed`: plain `null`, `~`, nothing, `true`, `false` and decimal integers get
            their type, all else is text. `text`: every scalar stays text, escaped control
            characters (but NUL) and a plain key of no characters are taken as they are.
        first_line: the number of its first line where a message names a line; `where` counts
            from 1.

    Raises:
        ConfigError: `size-limit`, `not-utf8`, `yaml-invalid`, `yaml-alias`, `yaml-tag`,
            `yaml-duplicate-key`, `yaml-too-deep`; `where` is `LINE:COLUMN` for the caller to
            put behind the path.
    """
    text = decode_text(data, limit_bytes)
    refused = RAW_REFUSED.search(text)
    if refused:
        refuse_at("yaml-invalid", "a control character", text, refused.start())
    builder = _Builder(
        max_depth=max_depth, max_nodes=max_nodes, scalars=scalars, first_line=first_line
    )
    for event in _events(text):
        builder.take(event)
    return Document(builder.top, builder.positions)


def decode_text(data: bytes, limit_bytes: int) -> str:
    """The text of the bytes, within the limit.

    Raises:
        ConfigError: `size-limit`, `not-utf8`.
    """
    if len(data) > limit_bytes:
        _refuse("size-limit", f"{len(data)} bytes, the limit is {limit_bytes}", (1, 1))
    bad_byte: int | None = None
    text = ""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        bad_byte = error.start
    if bad_byte is not None:
        before = data[:bad_byte].decode("utf-8")
        _refuse("not-utf8", f"byte {bad_byte} is not UTF-8", _place(before, len(before)))
    return text.removeprefix("\ufeff")


def _place(text: str, offset: int) -> Position:
    """Line and column of an offset in code points."""
    start = text.rfind("\n", 0, offset) + 1
    return (text.count("\n", 0, offset) + 1, offset - start + 1)


def refuse_at(code: str, problem: str, text: str, offset: int) -> NoReturn:
    """Refuse a text for what stands at an offset in code points.

    Raises:
        ConfigError: always.
    """
    _refuse(code, problem, _place(text, offset))


def _refuse(code: str, problem: str, place: Position) -> NoReturn:
    raise ConfigError(code, problem, where=f"{place[0]}:{place[1]}")


def _events(text: str) -> Iterator[yaml.Event]:
    """The parser's events; its errors become ours, position kept and text left behind.

    Raises:
        ConfigError: `yaml-invalid`.
    """
    import yaml

    parser = _parser(text)
    failure: ConfigError | None = None
    try:
        while (event := parser.get_event()) is not None:
            yield event
    except yaml.YAMLError as error:
        failure = _as_config_error(error)
    finally:
        parser.dispose()
    if failure is not None:
        raise failure


class _EventParser(Protocol):
    def get_event(self) -> yaml.Event | None: ...

    def dispose(self) -> None: ...


def _parser(text: str) -> _EventParser:
    """The C parser, or the ten times slower one where PyYAML was built without libyaml."""
    try:
        from yaml._yaml import CParser
    except ImportError:
        return _pure_parser(text)
    parser: _EventParser = CParser(text)
    return parser


def _pure_parser(text: str) -> _EventParser:
    from yaml.parser import Parser
    from yaml.reader import Reader
    from yaml.scanner import Scanner

    class PureParser(Reader, Scanner, Parser):
        def __init__(self) -> None:
            Reader.__init__(self, text)
            Scanner.__init__(self)
            Parser.__init__(self)

    parser: _EventParser = PureParser()
    return parser


def _as_config_error(error: yaml.YAMLError) -> ConfigError:
    opened = getattr(error, "context_mark", None)
    mark = getattr(error, "problem_mark", None) or opened
    phrase = getattr(error, "problem", None)
    detail = f": {phrase}" if phrase in _PHRASES else ""
    in_quotes = getattr(error, "context", None) == "while scanning a quoted scalar"
    if in_quotes and phrase in _UNCLOSED and opened is not None:
        # The end of the text says nothing: what to correct is where the quote begins.
        mark, detail = opened, f": {UNCLOSED_QUOTE}"
    place = f"{mark.line + 1}:{mark.column + 1}" if mark is not None else "1:1"
    return ConfigError("yaml-invalid", f"not valid YAML{detail}", where=place)


class _Builder:
    """Takes events one by one and builds the value, refusing what the format does not have."""

    def __init__(
        self, *, max_depth: int, max_nodes: int, scalars: Scalars, first_line: int
    ) -> None:
        self.top: Value = None
        self.positions: dict[DocumentPath, Position] = {}
        self._max_depth = max_depth
        self._max_nodes = max_nodes
        self._typed = scalars == "typed"
        self._lines_before = first_line - 1
        self._open: list[_Container] = []
        self._nodes = 0
        self._documents = 0

    def take(self, event: yaml.Event) -> None:
        """Work one event in."""
        import yaml

        mark = event.start_mark
        place = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
        match event:
            case yaml.ScalarEvent():
                self._scalar(event, place)
            case yaml.MappingStartEvent():
                self._start({}, event, place)
            case yaml.SequenceStartEvent():
                self._start([], event, place)
            case yaml.CollectionEndEvent():
                self._open.pop()
            case yaml.AliasEvent():
                _refuse("yaml-alias", "aliases are not read", place)
            case yaml.DocumentStartEvent():
                self._start_document(event, place)

    def _start_document(self, event: yaml.DocumentStartEvent, place: Position) -> None:
        self._documents += 1
        if self._documents > 1:
            _refuse("yaml-invalid", "a second document starts", place)
        if event.tags:
            _refuse("yaml-tag", "tags are not read", place)

    def _scalar(self, event: yaml.ScalarEvent, place: Position) -> None:
        self._admit(event, place)
        text: str = event.value
        if (_CONTROL if self._typed else _NO_TEXT).search(text):
            _refuse("yaml-invalid", "a control character or lone surrogate", place)
        plain = not event.style
        holder = self._open[-1] if self._open else None
        if holder is not None and isinstance(holder.value, dict) and holder.key is None:
            self._take_key(holder, text, place, plain=plain)
            return
        self._put(self._typed_value(text, place) if plain and self._typed else text, place)

    def _start(
        self,
        value: dict[str, Value] | list[Value],
        event: yaml.MappingStartEvent | yaml.SequenceStartEvent,
        place: Position,
    ) -> None:
        self._admit(event, place)
        if len(self._open) >= self._max_depth:
            _refuse("yaml-too-deep", f"nested deeper than {self._max_depth}", place)
        self._open.append(_Container(value, self._put(value, place)))

    def _admit(
        self,
        event: yaml.ScalarEvent | yaml.MappingStartEvent | yaml.SequenceStartEvent,
        place: Position,
    ) -> None:
        self._nodes += 1
        if self._nodes > self._max_nodes:
            _refuse("size-limit", f"more than {self._max_nodes} values", place)
        if event.anchor is not None:
            _refuse("yaml-alias", "anchors are not read", place)
        if event.tag is not None:
            _refuse("yaml-tag", "tags are not read", place)

    def _take_key(self, holder: _Container, key: str, place: Position, *, plain: bool) -> None:
        if plain and (key == "<<" or (not key and self._typed)):
            _refuse("yaml-invalid", "a merge key" if key else "a member without a key", place)
        first = holder.lines.setdefault(key, place[0])
        path = (*holder.path, key)
        if path in self.positions:
            told = first + self._lines_before
            _refuse("yaml-duplicate-key", f"a key stands twice, first in line {told}", place)
        self.positions[path] = place
        holder.key = key

    def _put(self, value: Value, place: Position) -> DocumentPath:
        """Hand the value to what holds it, and say its path."""
        if not self._open:
            self.top = value
            self.positions[()] = place
            return ()
        holder = self._open[-1]
        if isinstance(holder.value, list):
            path = (*holder.path, len(holder.value))
            self.positions[path] = place
            holder.value.append(value)
            return path
        if holder.key is None:
            _refuse("yaml-invalid", "a key that is not text", place)
        key, holder.key = holder.key, None
        holder.value[key] = value
        return (*holder.path, key)

    def _typed_value(self, text: str, place: Position) -> Value:
        if text in _WORDS:
            return _WORDS[text]
        if not _INTEGER.match(text):
            return text
        if len(text.lstrip("-")) > MAX_INTEGER_DIGITS:
            _refuse("yaml-invalid", f"an integer of over {MAX_INTEGER_DIGITS} digits", place)
        return int(text)
