"""What makes a finding the same one another time: its code, its file, and what it says.

Lines move and sizes grow, so neither counts; what is more or other than was seen does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from assembler.model.canonical import canonical_text
from assembler.model.digest import sha256_hex
from assembler.model.finding import Finding
from assembler.model.quieted import NEVER_QUIET

_NUMBER: Final = re.compile(r"(?<![\w+\\{.#/-])[0-9][0-9,]*(?![\w}/]|[.,]\w)")
"""A number by itself: no part of a name, a path, a digest or a code point."""

_SIZE: Final = re.compile(r" \([0-9][0-9,]* bytes\)")
"""A size beside a name, which a worktree tells and a commit does not."""

_SAYS: Final[Mapping[str, Callable[[Mapping[str, Any]], list[object]]]] = {
    "ASM101": lambda data: [None, *data["lost_files"]],
    "ASM102": lambda data: [None],
    "ASM150": lambda data: [*data["agents"]],
    "ASM210": lambda data: [[data["skill"], data["pinned_sha256"], data["folder_sha256"]]],
    "ASM602": lambda data: [[data["rules"], len(data["lines"])]],
    "ASM701": lambda data: [[data.get(name) for name in ("kind", "name", "locked", "current")]],
}
"""What is said, each thing by itself, where the words are not the place for it.

One file or agent less is no other finding, and one more is; what was locked has to be the same
bytes still."""

_COUNTED: Final = frozenset({"ASM601", "ASM604"})
"""One more hidden character in a text is another text."""

NEVER_KNOWN: Final = NEVER_QUIET | {"ASM307", "ASM316"}
"""What has no digest to tell that it is still the same: words and command of a server."""


class Known(NamedTuple):
    """Findings that are one by code, file and identity."""

    code: str
    path: str | None
    identity: str
    """Digest of what is said."""
    times: int = 1
    """How many there are."""


def identify(finding: Finding) -> tuple[Known, ...]:
    """The finding as a baseline has it: known where all of it is. Nothing can be read back."""
    data = finding.data
    says = _SAYS.get(finding.code)
    if says is not None:
        return tuple(_known(finding, one) for one in says(data) or [None])
    said = [_NUMBER.sub("#", _SIZE.sub("", finding.message)), *_digests(data)]
    if finding.code in _COUNTED:
        said.append(data["count"])
    return (_known(finding, said),)


def _known(finding: Finding, said: object) -> Known:
    return Known(finding.code, finding.path, sha256_hex(canonical_text([said]).encode()))


def _digests(data: Mapping[str, Any]) -> list[object]:
    return [data[name] for name in ("pinned", "listed") if data.get(name) is not None]
