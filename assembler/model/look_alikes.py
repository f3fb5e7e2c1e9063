"""Names that look like one that is read, and are not: another case, another script, a hidden mark.

Only the exact bytes of a name count for an agent, so that a reader may see an instruction file
where none is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

MAX_LONGER: Final = 16
"""Characters that hidden marks and blanks may add to a name and still be looked at."""

_ALIKE_SCRIPTS: Final = frozenset(
    {"LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "GEORGIAN"}
)
"""First word of the Unicode names of their letters."""

_DRAWN_LIKE: Final = {
    "A": (
        0x0391,
        0x0410,
        0x13AA,
    ),
    "B": (
        0x0392,
        0x0412,
        0x13F4,
    ),
    "C": (
        0x0421,
        0x13DF,
    ),
    "D": (0x13A0,),
    "E": (
        0x0395,
        0x0415,
        0x13AC,
    ),
    "G": (
        0x050C,
        0x13C0,
    ),
    "H": (
        0x0397,
        0x13BB,
    ),
    "I": (
        0x0399,
        0x0406,
    ),
    "J": (0x0408,),
    "K": (
        0x039A,
        0x041A,
    ),
    "L": (0x13DE,),
    "M": (
        0x039C,
        0x041C,
        0x13B7,
    ),
    "N": (0x039D,),
    "O": (
        0x039F,
        0x041E,
    ),
    "P": (
        0x03A1,
        0x0420,
    ),
    "Q": (0x051A,),
    "R": (0x13A1,),
    "S": (
        0x0405,
        0x054F,
        0x13DA,
    ),
    "T": (
        0x03A4,
        0x0422,
        0x13A2,
    ),
    "U": (0x054D,),
    "V": (0x13D9,),
    "W": (0x051C,),
    "X": (
        0x03A7,
        0x0425,
    ),
    "Y": (
        0x03A5,
        0x0423,
    ),
    "Z": (0x0396,),
    "a": (0x0430,),
    "c": (0x0441,),
    "d": (0x0501,),
    "e": (0x0435,),
    "h": (0x04BB,),
    "i": (0x0456,),
    "j": (0x0458,),
    "n": (0x0578,),
    "o": (
        0x03BF,
        0x043E,
        0x0585,
    ),
    "p": (
        0x03C1,
        0x0440,
    ),
    "q": (0x051B,),
    "s": (0x0455,),
    "u": (0x057D,),
    "v": (0x03BD,),
    "w": (0x051D,),
    "x": (0x0445,),
    "y": (0x0443,),
}
"""Letters of other scripts that are drawn like a Latin one (a selection of Unicode's confusables,
UTS 39), by code point."""


def right_name(name: str, names: Iterable[str]) -> str | None:
    """The read name that a name looks like; None if it is one itself, or like none."""
    known = tuple(names)
    if name in known:
        return None
    by_letters = {right.lower(): right for right in reversed(known)}
    if name.isascii():
        return by_letters.get(name.strip().lower())
    if not any(0 <= len(name) - len(right) <= MAX_LONGER for right in known):
        return None
    return by_letters.get(_skeleton(name).lower())


def is_other_case(name: str, right: str) -> bool:
    """Whether nothing but the case of letters differs."""
    return name.lower() == right.lower()


def look_alikes(found: Collection[str], names: Iterable[str]) -> tuple[str, ...]:
    """Those of a folder's names that look like a read one, sorted."""
    known = tuple(names)
    letters = {right.lower() for right in known}
    # Hardly a name of a folder has the letters of one, so that is asked first.
    return tuple(
        sorted(
            name
            for name in found
            if (not name.isascii() or name.strip().lower() in letters)
            and right_name(name, known) is not None
        )
    )


def read_as_latin(name: str) -> str | None:
    """The ASCII name that a reader takes a name for; None if it is drawn like none."""
    seen = _skeleton(name)
    return seen if seen != name and seen.isascii() and not name.isascii() else None


def mixed_scripts(name: str) -> tuple[str, ...]:
    """The alphabets that stand in one name where there is more than one, sorted.

    Those count whose letters are drawn alike; Latin beside Han or Kana is how people write.
    """
    import unicodedata

    found = {
        unicodedata.name(letter, "").partition(" ")[0] for letter in name if letter.isalpha()
    } & _ALIKE_SCRIPTS
    return tuple(sorted(script.capitalize() for script in found)) if len(found) > 1 else ()


def _skeleton(name: str) -> str:
    """The name as a reader sees it: compatible forms, Latin letters, no hidden marks."""
    import unicodedata

    plain = unicodedata.normalize("NFKC", name)
    shown = (
        letter for letter in plain if unicodedata.category(letter) not in {"Cf", "Cc", "Mn", "Co"}
    )
    return "".join(shown).translate(_latin()).strip()


def _latin() -> dict[int, str]:
    return {point: letter for letter, points in _DRAWN_LIKE.items() for point in points}
