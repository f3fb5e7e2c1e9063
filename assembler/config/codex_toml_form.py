"""The form of a TOML 1.1 text: its headers, pairs and values, none of them decoded yet.

In: the text. Out: statements that hold the place of every key and value. The first thing whose
form is wrong ends it, at the place that Codex names.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from assembler.config.codex_scalars import TomlError

MAX_DEPTH: Final = 80
"""Open brackets inside each other."""
_ATOM_ENDS: Final = frozenset(".=,[]{} \t#\r\n")
_QUOTES: Final = frozenset(("'", '"', "'''", '"""'))
_ENDS_SCALAR: Final = _QUOTES | frozenset(("#", ",", "\n", "", "=", "{", "}", "[", "]"))


class Token(NamedTuple):
    """A piece of the text.

    Its kind is the sign itself; a blank, a line feed or `#` for white space, a line's end and a
    comment; the quote of a string; `a` for a bare word; nothing for the end of the text.
    """

    kind: str
    start: int
    end: int


class Value(NamedTuple):
    """A value whose form is known and that is not decoded yet."""

    token: Token
    items: tuple[Value, ...] = ()
    pairs: tuple[tuple[tuple[Token, ...], Value | None], ...] = ()
    end: int = 0


class Statement(NamedTuple):
    """A pair of a key and a value, or a header."""

    keys: tuple[Token, ...]
    value: Value | None = None
    """Of a pair; None of a header."""
    start: int = 0
    """Of a header: its first bracket."""
    of_tables: bool = False


def read_form(text: str) -> list[Statement]:
    """The statements of a text, in order.

    Raises:
        TomlError: what stands there is no statement.
    """
    return _Form(text).read()


def _split(text: str) -> list[Token]:
    tokens: list[Token] = []
    at = 1 if text.startswith("\ufeff") else 0
    end_of_text = len(text)
    while at < end_of_text:
        kind, end = _token_at(text, at)
        tokens.append(Token(kind, at, end))
        at = end
    tokens.append(Token("", end_of_text, end_of_text))
    return tokens


def _token_at(text: str, at: int) -> tuple[str, int]:
    sign = text[at]
    if sign in ".=,[]{}":
        return sign, at + 1
    if sign in " \t":
        return " ", _skip(text, at, " \t")
    if sign == "\n":
        return "\n", at + 1
    if sign == "\r":
        return "\n", at + (2 if text.startswith("\n", at + 1) else 1)
    if sign == "#":
        return "#", _first_of(text, at, "\r\n")
    if sign in "'\"":
        return _string_at(text, at, sign)
    end = at + 1
    while end < len(text) and text[end] not in _ATOM_ENDS:
        end += 1
    return "a", end


def _string_at(text: str, at: int, quote: str) -> tuple[str, int]:
    if text.startswith(quote * 3, at):
        end = _closing(text, at + 3, quote * 3, escapes=quote == '"')
        for _ in range(2):
            if text.startswith(quote, end) and end > at + 3:
                end += 1
        return quote * 3, end
    end = at + 1
    while end < len(text) and text[end] != "\n":
        if text[end] == quote:
            return quote, end + 1
        end += 1
        if quote == '"' and text[end - 1] == "\\" and text[end : end + 1] in {"\\", '"'}:
            end += len(text[end : end + 1])
    return quote, end


def _closing(text: str, at: int, quotes: str, *, escapes: bool) -> int:
    while at < len(text):
        if escapes and text[at] == "\\":
            at += 2 if text[at + 1 : at + 2] in {"\\", '"'} and text[at + 1 : at + 2] else 1
        elif text.startswith(quotes, at):
            return at + 3
        else:
            at += 1
    return len(text)


def _skip(text: str, at: int, signs: str) -> int:
    while at < len(text) and text[at] in signs:
        at += 1
    return at


def _first_of(text: str, at: int, signs: str) -> int:
    found = [place for sign in signs if (place := text.find(sign, at)) >= 0]
    return min(found, default=len(text))


class _Form:
    """The first pass: what is a header, a pair, a value; nothing is decoded."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = _split(text)
        self.at = 0

    def read(self) -> list[Statement]:
        statements: list[Statement] = []
        while True:
            token = self.next_checked()
            if token.kind == "":
                return statements
            if token.kind == "[":
                statements.append(self.header(token))
            elif token.kind in {"]", ",", "{", "}"}:
                raise TomlError(token.start, "a key or a header was expected")
            elif token.kind not in {" ", "\n", "#"}:
                self.at -= 1
                statements.append(self.pair())

    def next(self) -> Token:
        token = self.tokens[self.at]
        self.at += 1
        return token

    def next_checked(self) -> Token:
        """The next token, its comment or line break looked into."""
        token = self.next()
        if token.kind == "#":
            for place in range(token.start, token.end):
                sign = self.text[place]
                if (sign < " " and sign != "\t") or sign == "\x7f":
                    raise TomlError(place, "a control character stands in a comment")
        elif token.kind == "\n" and self.text[token.start] == "\r" and token.end == token.start + 1:
            raise TomlError(token.end, "a carriage return has no line feed after it")
        return token

    def peek(self) -> Token:
        return self.tokens[self.at]

    def skip_blanks(self) -> None:
        if self.peek().kind == " ":
            self.at += 1

    def header(self, opening: Token) -> Statement:
        of_tables = self.peek().kind == "["
        self.at += of_tables
        self.skip_blanks()
        keys, whole = self.keys()
        self.skip_blanks()
        if self.peek().kind == "]":
            closing = self.next()
            if of_tables and self.peek().kind != "]":
                raise TomlError(closing.end, "a header of tables is not closed")
            self.at += of_tables
            self.end_of_line()
        elif whole:
            last = self.tokens[self.at - 1]
            if last.kind == " ":
                last = self.tokens[self.at - 2]
            raise TomlError(last.end, "a header is not closed")
        else:
            self.rest_of_line()
        return Statement(keys, None, opening.start, of_tables)

    def rest_of_line(self) -> None:
        """To the line's end, behind something that the second pass refuses."""
        while self.peek().kind not in {"", "\n"}:
            self.next_checked()

    def end_of_line(self) -> None:
        while True:
            token = self.next_checked()
            if token.kind in {"", "\n"}:
                self.at -= token.kind == ""
                return
            if token.kind not in {" ", "#"}:
                raise TomlError(token.start, "the line goes on where it must end")

    def keys(self) -> tuple[tuple[Token, ...], bool]:
        """The parts of a key, a missing one as an empty token, and whether it ends well."""
        parts: list[Token] = []
        while True:
            token = self.next()
            if token.kind == " ":
                continue
            if token.kind in _QUOTES or token.kind == "a":
                parts.append(token)
                self.skip_blanks()
                if self.peek().kind != ".":
                    return tuple(parts), True
                self.at += 1
            else:
                parts.append(Token("a", token.start, token.start))
                if token.kind != ".":
                    self.at -= 1
                    return tuple(parts), False

    def pair(self) -> Statement:
        keys, _ = self.keys()
        self.skip_blanks()
        if self.peek().kind != "=":
            raise TomlError(self.peek().start, "a key has no value")
        self.next()
        self.skip_blanks()
        value = self.value(1)
        self.end_of_line()
        return Statement(keys, value)

    def value(self, depth: int) -> Value:
        token = self.next()
        if token.kind in {"#", ",", "\n", "", " "}:
            self.at -= 1
            return Value(Token("a", token.start, token.start))
        if token.kind == "[":
            return self.array(token, depth)
        if token.kind == "{":
            return self.inline_table(token, depth)
        if token.kind in {"=", "]", "}"}:
            raise TomlError(token.start, "a value was expected")
        return self.scalar(token)

    def scalar(self, token: Token) -> Value:
        """One scalar; bare words that only blanks part belong together."""
        if token.kind in _QUOTES:
            return Value(token)
        end = token.end
        while (kind := self.peek().kind) not in _ENDS_SCALAR:
            if kind == " " and self.tokens[self.at + 1].kind != "a":
                break
            self.at += 1 + (kind == " ")
            end = self.tokens[self.at - 1].end
        return Value(Token("a", token.start, end))

    def array(self, opening: Token, depth: int) -> Value:
        self.check_depth(opening, depth)
        items: list[Value] = []
        needs_comma = False
        while True:
            token = self.next_checked()
            if token.kind in {"#", " ", "\n"}:
                continue
            if token.kind == "]":
                return Value(opening, tuple(items))
            if token.kind == "," and needs_comma:
                needs_comma = False
                continue
            if needs_comma or token.kind in {"", ",", "=", "}"}:
                raise TomlError(self.place_of(token), "an array goes wrong here")
            self.at -= 1
            items.append(self.value(depth + 1))
            needs_comma = True

    def inline_table(self, opening: Token, depth: int) -> Value:
        self.check_depth(opening, depth)
        pairs: list[tuple[tuple[Token, ...], Value | None]] = []
        keys: tuple[Token, ...] | None = None
        needs = "key"
        while True:
            token = self.next_checked()
            kind = token.kind
            if kind in {"#", " ", "\n"}:
                continue
            if kind == "}":
                if keys is not None:
                    pairs.append((keys, None))
                return Value(opening, (), tuple(pairs), token.start)
            if needs == "comma" and kind == ",":
                needs = "key"
            elif needs == "equals" and kind == "=":
                needs = "value"
            elif needs == "key" and (kind in _QUOTES or kind in {"a", ".", "="}):
                self.at -= 1
                keys = self.keys()[0]
                needs = "equals"
            elif keys is not None and needs == "value" and kind not in {"", ",", "=", "]"}:
                self.at -= 1
                pairs.append((keys, self.value(depth + 1)))
                keys, needs = None, "comma"
            else:
                raise TomlError(self.place_of(token), "an inline table goes wrong here")

    def place_of(self, token: Token) -> int:
        """Where a token is wrong; the end of the text is told behind the last thing of weight."""
        if token.kind:
            return token.start
        at = self.at - 1
        while self.tokens[at].kind in {"", " ", "\n", "#"}:
            at -= 1
        return self.tokens[at].end

    def check_depth(self, opening: Token, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise TomlError(opening.start, f"more than {MAX_DEPTH} brackets inside each other")
