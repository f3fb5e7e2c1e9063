"""Which codes a word means: of the command line, and of a profile's exceptions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from assembler.errors import UsageError
from assembler.model.catalogue import RULES, find_code


def choose_codes(selected: Iterable[str], ignored: Iterable[str]) -> frozenset[str]:
    """The codes that are wanted: all or those selected, without those ignored.

    Args:
        selected: codes, beginnings of codes or slugs, several in one word with commas.
        ignored: the same.

    Raises:
        UsageError: `code-unknown`, with the nearest one.
    """
    wanted = {code for word in _words(selected) for code in _known(word)} or set(RULES)
    return frozenset(wanted.difference(*(_known(word) for word in _words(ignored))))


def codes_of(word: str) -> set[str]:
    """The codes that a word means; empty: none."""
    exact = find_code(word)
    if exact is not None:
        return {exact}
    return {code for code in RULES if word and code.startswith(word.upper())}


def near_code(word: str) -> str | None:
    """What somebody may have meant by a word that means no code."""
    import difflib  # for a mistake alone

    known = [*RULES, *(slug for slug, _ in RULES.values())]
    spelled = word.lower() if "-" in word or "_" in word else word.upper()
    begun = [code for code in RULES if spelled.startswith(code)]
    return next(iter(begun or difflib.get_close_matches(spelled, known, n=1)), None)


def _words(options: Iterable[str]) -> Iterator[str]:
    for option in options:
        yield from (word.strip() for word in option.split(","))


def _known(word: str) -> set[str]:
    codes = codes_of(word)
    if codes:
        return codes
    near = near_code(word)
    raise UsageError(
        "code-unknown",
        f"no such code: {word or 'an empty one'}",
        where=word or None,
        next_step=f"did you mean {near}?"
        if near
        else f"codes are {min(RULES)} to {max(RULES)}, or ASM1",
    )
