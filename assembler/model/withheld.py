"""Names and messages without what has the form of a secret, before anybody is shown them.

For short texts that were not made of contents; contents are swept by `assess/secrets.py`, whose
engine is linear in any text. Rules: `secret_rules.py`.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Final

from assembler.model.secret_rules import SECRET_RULES, is_picture, may_hold_secret

WITHHELD: Final = "withheld: it has the form of a secret"
MIN_CHARACTERS: Final = 20
"""No rule takes less."""


def withhold(text: str) -> str:
    """The text with `[withheld: …]` in place of each secret; as it is, if it has none."""
    if len(text) < MIN_CHARACTERS or not _may_hold(text):
        return text
    told = _compiled().sub(_spell, text)
    # A character that nobody sees hides a secret from the rules, and not from who copies it.
    return WITHHELD if _has_form(told) else told


def withhold_all(value: Any) -> Any:
    """A value of JSON with each of its texts and names as `withhold` has them."""
    if isinstance(value, str):
        return withhold(value)
    if isinstance(value, dict):
        return {withhold_all(name): withhold_all(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [withhold_all(item) for item in value]
    return value


def may_need_withholding(text: str) -> bool:
    """Whether some part of a long text could have the form of a secret; cheap."""
    return _may_hold(text)


def _may_hold(text: str) -> bool:
    return may_hold_secret(text.encode("ascii", "ignore"))


def _has_form(text: str) -> bool:
    seen = text.encode("ascii", "ignore").decode("ascii")
    return any(not is_picture(match.group()) for match in _compiled().finditer(seen))


def _spell(match: re.Match[str]) -> str:
    return match.group() if is_picture(match.group()) else f"[{WITHHELD}]"


@cache
def _compiled() -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{rule})" for rule in SECRET_RULES.values()))
