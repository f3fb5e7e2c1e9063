"""The folder of a repository that holds its policy, and what stands in it."""

from __future__ import annotations

from typing import Final

from assembler.config.defaults import LOCK
from assembler.model.chain import parent_folder
from assembler.ports import SourceTree

POLICY_FOLDER: Final = parent_folder(LOCK)
YAML_ENDINGS: Final = (".yaml", ".yml")
MAX_POLICY_FILES: Final = 1_000
"""That are looked at."""


def list_policy_files(tree: SourceTree, endings: tuple[str, ...]) -> list[str]:
    """Paths of the files of the folder, not of folders in it, with one of the endings."""
    listing = tree.list_under([POLICY_FOLDER], max_depth=0, max_entries=MAX_POLICY_FILES)
    return [entry.path for entry in listing.entries if entry.path.endswith(endings)]
