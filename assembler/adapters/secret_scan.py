"""Look for secrets by RE2, whose time grows with the text alone, whatever the text is."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import re2

from assembler.model.escapes import unescape
from assembler.model.hidden_runs import without_hidden
from assembler.model.secret_rules import SECRET_RULES, SecretHit, is_picture

MAX_HITS: Final = 1_000
"""Told of one text: one is enough to keep it out."""


def scan_secrets(data: bytes) -> tuple[SecretHit, ...]:
    """Every place of a text that has the form of a secret, by line.

    Characters that nobody sees are passed over: they hide a token from a pattern, and not from
    whoever copies it.
    """
    hits = {*_scan(data)}
    escaped = unescape(data)
    if escaped != data:
        hits |= {*scan_secrets(escaped)}
    if not data.isascii():
        text = data.decode("utf-8", "surrogateescape")
        seen = without_hidden(text).encode("utf-8", "surrogateescape")
        if seen != data:
            hits |= {*_scan(seen)}
    return tuple(sorted(hits, key=lambda hit: (hit.line, hit.rule)))


def _scan(data: bytes) -> list[SecretHit]:
    found = []
    line, position = 1, 0
    for match in _compiled().finditer(data):
        # From hit to hit: a file full of hits would be counted through for each of them.
        line += data.count(b"\n", position, match.start())
        position = match.start()
        if is_picture(match.group().decode("latin-1")):
            continue
        found.append(SecretHit(_rule_of(match.group()), line))
        if len(found) == MAX_HITS:
            break
    return found


def _rule_of(text: bytes) -> str:
    """The first rule that the whole hit fits."""
    return next(
        name for name, pattern in SECRET_RULES.items() if re2.search(pattern.encode(), text)
    )


@cache
def _compiled() -> Any:
    options = re2.Options()
    options.log_errors = False
    return re2.compile("|".join(SECRET_RULES.values()).encode(), options)
