"""Compile the inventory of a package again, and compare every file but the head.

What the second compiler of the verifier can't do without a vocabulary, counting tokens, is done
here; what it does independently is not. Both are asked by `verify --recompile`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

from assembler.adapters.json_documents import read_json
from assembler.assess.normal_form import normalise
from assembler.config.inventory import parse_inventory
from assembler.config.inventory_limits import check_limits
from assembler.errors import ConfigError, CounterUnavailableError, RefusedError
from assembler.front.package_folder import HEAD_NAME
from assembler.model.candidate import Absent, FromPath
from assembler.model.digest import sha256_hex
from assembler.model.failure import spell_failure
from assembler.model.limits import MAX_INVENTORY_BYTES
from assembler.pipeline import compile_inventory, write_inventory
from assembler.ports import Counter

_INVENTORY = "inventory.json"
_MANIFEST = "manifest.json"


class Recompiled(NamedTuple):
    """What came of it."""

    result: Literal["passed", "failed", "unchecked"]
    detail: str


def recompile(files: Mapping[str, bytes], open_counter: Callable[[str], Counter]) -> Recompiled:
    """Compile again what a package says was compiled.

    Args:
        files: of the package, by name, objects included.
        open_counter: gives the counter of a name.
    """
    data = files.get(_INVENTORY)
    if data is None:
        return Recompiled("unchecked", f"{_INVENTORY} is not there")
    contents = {
        sha256_hex(found): found for name, found in files.items() if name.startswith("objects/")
    }
    try:
        value = read_json(data, limit_bytes=MAX_INVENTORY_BYTES, max_depth=64).value
        inventory, bytes_at_hand = normalise(
            parse_inventory(value), read_path=_no_path, read_object=contents.get
        )
        if write_inventory(inventory) != data:
            return Recompiled("failed", f"{_INVENTORY} is not in normal form")
        check_limits(inventory, bytes_at_hand)
        package = compile_inventory(inventory, bytes_at_hand, open_counter, inventory_bytes=data)
    except ConfigError as error:
        return Recompiled("failed", f"{_INVENTORY} can't be compiled ({error.code})")
    except CounterUnavailableError as error:
        return Recompiled("unchecked", error.message)
    except RefusedError as error:
        words = spell_failure({"code": error.code, "detail": error.detail})
        return Recompiled("failed", f"the inventory refuses: {words}")
    made = package.files(b"")
    names = sorted({*made, *files} - {HEAD_NAME})
    differing = [name for name in names if made.get(name) != files.get(name)]
    if not differing:
        return Recompiled("passed", "the same bytes of every file; each count made again")
    other = _other_counter(files.get(_MANIFEST, b""), package.manifest["counter"])
    if other is not None:
        return Recompiled("unchecked", other)
    shown = ", ".join(json.dumps(name) for name in differing[:5])
    more = f" and {len(differing) - 5} more" if len(differing) > 5 else ""
    return Recompiled("failed", f"compiling again gives other bytes: {shown}{more}")


def _other_counter(manifest: bytes, ours: Mapping[str, Any]) -> str | None:
    """What to say where the package was counted by another library or vocabulary than ours."""
    try:
        given = read_json(manifest, limit_bytes=MAX_INVENTORY_BYTES, max_depth=64).value
    except ConfigError:
        return None
    counter = given.get("counter") if isinstance(given, dict) else None
    if not isinstance(counter, dict) or counter.get("name") != ours["name"]:
        return None
    if any(counter.get(name) != ours[name] for name in ("vocabulary_sha256", "library")):
        return f"it was counted by another library or vocabulary; here is {ours['library']}"
    return None


def _no_path(named: FromPath, revision: str | None) -> Absent:
    """A normal form keeps no path; one that has it is not in normal form."""
    return Absent("unreadable")
