"""The commit that a repository inside another one has checked out, by reading alone.

In: its folder. Out: a full id, or nothing. Never here: git, a reftable, a followed `ref: ref:`.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from assembler.adapters.filesystem import read_host_file
from assembler.adapters.repository import find_repository
from assembler.errors import UsageError

MAX_REF_BYTES: Final = 4_096
MAX_PACKED_REFS_BYTES: Final = 64 << 20

_ID: Final = rb"([0-9a-f]{40}|[0-9a-f]{64})\s*\Z"
_SYMBOLIC: Final = rb"ref: (refs/[^\s\0]+)\s*\Z"


def read_inner_head(folder: Path) -> str | None:
    """The full id of its commit; None where nothing is checked out, or it can't be told."""
    try:
        places = find_repository(folder, ceilings=(folder.parent,))
        if places is None or places.git_dir is None or places.common_dir is None:
            return None
        head = read_host_file(places.git_dir / "HEAD", limit_bytes=MAX_REF_BYTES)
        symbolic = re.match(_SYMBOLIC, head)
        if symbolic is None:
            return _id_in(head)
        name = symbolic.group(1)
        return None if b".." in name else _ref(places.common_dir, name)
    except UsageError:
        return None


def _ref(common_dir: Path, name: bytes) -> str | None:
    """The id of a branch: a file of its own before the packed ones."""
    try:
        path = common_dir / os.fsdecode(name)
        return _id_in(read_host_file(path, limit_bytes=MAX_REF_BYTES))
    except UsageError as error:
        if error.code != "path-missing":
            raise
    packed = read_host_file(common_dir / "packed-refs", limit_bytes=MAX_PACKED_REFS_BYTES)
    found = re.search(rb"^([0-9a-f]{40,64}) %s$" % re.escape(name), packed, flags=re.MULTILINE)
    return None if found is None else found.group(1).decode("ascii")


def _id_in(data: bytes) -> str | None:
    found = re.match(_ID, data)
    return None if found is None else found.group(1).decode("ascii")
