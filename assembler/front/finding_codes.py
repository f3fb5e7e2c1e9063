"""Which codes a word means: of the command line, and of a profile's exceptions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from assembler.errors import UsageError
from assembler.model.catalogue import RULES, find_code

MOST_NEAR: Final = 3
_MISREAD: Final = str.maketrans("OIL", "011")
"""Letters that stand for the digits that they look like."""


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


def hint_at_codes(word: str) -> str:
    """What somebody may have meant by a word that means no code, and which ones there are."""
    near = [f"{code} {RULES[code][0]}" for code in _near(word)]
    every = f"codes are {min(RULES)} to {max(RULES)}, their slugs, or a beginning such as ASM1"
    return f"did you mean {' or '.join(near)}? {every[0].upper()}{every[1:]}" if near else every


def _near(word: str) -> list[str]:
    """The nearest codes, at most three: of the same hundred, or by their slugs."""
    import difflib  # for a mistake alone

    code = "".join(filter(str.isalnum, word.upper())).removeprefix("ASM")
    code = f"ASM{code.translate(_MISREAD)}"
    if code[3:].isdecimal():
        begun = [known for known in RULES if code.startswith(known)]
        alike = [known for known in RULES if known[:4] == code[:4]]
        return begun or difflib.get_close_matches(code, alike, n=MOST_NEAR)
    slugs = {slug: known for known, (slug, _) in RULES.items()}
    spelled = "-".join(word.lower().replace("_", " ").replace("-", " ").split())
    told = {slug.replace("_", "-"): slug for slug in slugs}
    close = difflib.get_close_matches(spelled, told, n=MOST_NEAR)
    parts = [slug for slug in told if spelled and f"-{spelled}-" in f"-{slug}-"]
    return [slugs[told[slug]] for slug in dict.fromkeys((*close, *parts))][:MOST_NEAR]


def _words(options: Iterable[str]) -> Iterator[str]:
    for option in options:
        yield from (word.strip() for word in option.split(","))


def _known(word: str) -> set[str]:
    codes = codes_of(word)
    if codes:
        return codes
    raise UsageError(
        "code-unknown",
        f"no such code: {word or 'an empty one'}",
        where=word or None,
        next_step=hint_at_codes(word),
    )
