"""Recorded folders of skills, on disk below `skills/`."""

from __future__ import annotations

import posixpath
from pathlib import Path
from typing import Any

from assembler.adapters.folder_tree import FolderTree
from tests.builders.trees import case_file, write_tree

CASES = Path(__file__).parents[3] / "shared" / "cases" / "skills"
UNBOUND = frozenset({"divergence", "crash", "anchors", "encoding"})
"""Cases with one of these tags say what the library does, and not what is right."""


def write_case(root: Path, case: dict[str, Any]) -> FolderTree:
    """The files of a case; paths with `..` lie beside the skill's folder."""
    folder = f"skills/{case['dirname']}"
    (root / folder).mkdir(parents=True)
    files = {
        posixpath.normpath(f"{folder}/{name}"): case_file(spec, str)
        for name, spec in case["files"].items()
    }
    return write_tree(root, files)
