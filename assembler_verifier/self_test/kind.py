"""What one kind of corruption is: a base, a change, and the check that has to find it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from assembler_verifier.self_test.chain_draft import ChainDraft
from assembler_verifier.self_test.draft import Draft

Change: TypeAlias = Callable[[Draft], None]
ChainChange: TypeAlias = Callable[[ChainDraft], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of corruption.

    `change` changes a good base and mends around the change what is not the point of it.
    `fails` is the whole set of checks that find it; where it holds more than one, `because` says
    why no change could be found by one alone.
    `exported` gives the base's head to the verifier as one that was kept elsewhere.
    """

    name: str
    base: str
    what: str
    why: str
    fails: tuple[str, ...]
    change: Change | ChainChange
    exported: bool = False
    because: str = ""
