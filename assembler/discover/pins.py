"""Which files of the repository are pins of tool catalogs: by place and name, nothing opened."""

from __future__ import annotations

from typing import Final

from assembler.model.paths import PINS_FOLDER
from assembler.model.tree import Entry, EntryKind
from assembler.ports import SourceTree

MAX_PINS: Final = 1_000
_ENDING: Final = ".json"


def find_pins(tree: SourceTree) -> dict[str, Entry]:
    """The file of each pin, by the name of its server as the file has it."""
    listing = tree.list_under([PINS_FOLDER], max_depth=0, max_entries=MAX_PINS)
    found = tree.look_up([entry.path for entry in listing.entries])
    return {
        path.rpartition("/")[2].removesuffix(_ENDING): entry
        for path, entry in found.items()
        if path.endswith(_ENDING) and entry.kind is EntryKind.FILE
    }
