"""Look for text that tries to direct its reader, by RE2, whose time grows with the text alone."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import re2

from assembler.model.escapes import unescape
from assembler.model.hidden_runs import without_hidden
from assembler.model.signal_rules import SIGNAL_RULES, SignalHit, ascii_rules

_MAX_MEMORY_BYTES = 64 << 20
"""For the automaton: with RE2's own bound it is thrown away again and again."""


def scan_signals(data: bytes) -> tuple[SignalHit, ...]:
    """Every place of a text that has the form of an instruction, by line, then kind.

    Characters that nobody sees are passed over, and those that only look wider, older or joined
    are read as what they stand for: a model reads through both.
    """
    hits = {*_scan(data)}
    escaped = unescape(data)
    if escaped != data:
        hits |= {*scan_signals(escaped)}
    if not data.isascii() or b"\0" in data:
        text = data.decode("utf-8", "surrogateescape")
        seen = unicodedata.normalize("NFKC", without_hidden(text))
        plain = seen.encode("utf-8", "surrogateescape")
        if plain != data:
            hits |= {*_scan(plain)}
    return tuple(sorted(hits, key=lambda hit: (hit.line, hit.kind)))


def _scan(data: bytes) -> list[SignalHit]:
    found = []
    is_ascii = data.isascii()
    line, position = 1, 0
    for match in _any_rule(is_ascii).finditer(data):
        line += data.count(b"\n", position, match.start())
        position = match.start()
        found.append(SignalHit(_kind_of(match.group(), is_ascii), line))
    return found


def _kind_of(text: bytes, is_ascii: bool) -> str:
    """The first kind with a rule that the hit fits."""
    return next(kind for kind, pattern in _by_kind(is_ascii).items() if pattern.search(text))


@cache
def _any_rule(is_ascii: bool) -> Any:
    rules = _rules(is_ascii).values()
    return _compile("|".join(rule for kind in rules for rule in kind), is_ascii)


@cache
def _by_kind(is_ascii: bool) -> dict[str, Any]:
    return {kind: _compile("|".join(rules), is_ascii) for kind, rules in _rules(is_ascii).items()}


def _rules(is_ascii: bool) -> Mapping[str, Sequence[str]]:
    return ascii_rules() if is_ascii else SIGNAL_RULES


def _compile(pattern: str, is_ascii: bool) -> Any:
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = False
    options.max_mem = _MAX_MEMORY_BYTES
    options.encoding = re2.Options.Encoding.LATIN1 if is_ascii else re2.Options.Encoding.UTF8
    return re2.compile(pattern.encode("utf-8"), options)
