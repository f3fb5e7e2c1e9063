"""The files of a package, parsed as far as they can be.

In: a `Folder`. Out: a `Package`, whose members are null where a file is missing or unreadable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from assembler_verifier.folder import (
    HEAD,
    INVENTORY,
    LEDGER,
    MANIFEST,
    RENDERED_JSON,
    RENDERED_TEXT,
    REQUEST,
    Folder,
)
from assembler_verifier.inventory import Inventory, has_path, read_inventory
from assembler_verifier.objects import Objects
from assembler_verifier.places import CONTRACT
from assembler_verifier.schema import DefectError
from assembler_verifier.strict_json import (
    JsonObject,
    JsonValue,
    UnreadableError,
    canonical,
    read_integers,
    read_numbers,
    same,
)
from assembler_verifier.values import object_of

_LF = b"\n"


@dataclass(frozen=True, slots=True)
class Parsed:
    """One file as it was read. `unusable` says why its value cannot be used."""

    value: JsonValue = None
    unusable: str | None = None
    unreadable: str | None = None
    is_canonical: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """What the folder holds."""

    folder: Folder
    objects: Objects
    files: Mapping[str, Parsed]
    inventory: Inventory | None
    defect: str | None
    """What keeps the inventory from being in normal form."""
    rows: list[JsonObject] | None
    manifest: JsonObject | None
    head: JsonObject | None
    rendered_name: str

    @property
    def rendered(self) -> bytes | None:
        """The rendered file."""
        return self.folder.files.get(self.rendered_name)

    @property
    def body(self) -> JsonValue:
        """The value of `request.json`."""
        return self.files[REQUEST].value

    def why_not(self, *names: str) -> str:
        """Why one of some files cannot be used; empty if all can."""
        return next((why for name in names if (why := self.files[name].unusable)), "")

    def is_parsed(self, name: str) -> bool:
        """Whether the file is there and strict JSON."""
        return name in self.folder.files and self.files[name].unreadable is None


def read_package(folder: Folder) -> Package:
    """Parse every file that can be parsed."""
    files = {
        INVENTORY: _read(folder, INVENTORY, _read_record),
        LEDGER: _read(folder, LEDGER, _read_lines),
        MANIFEST: _object_or_none(_read(folder, MANIFEST, _read_record), MANIFEST),
        HEAD: _object_or_none(_read(folder, HEAD, _read_record), HEAD),
        REQUEST: _read(folder, REQUEST, _read_body),
    }
    inventory, defect = _normal_form(files[INVENTORY])
    if inventory is None and files[INVENTORY].unusable is None:
        files[INVENTORY] = replace(files[INVENTORY], unusable=f"{INVENTORY} is malformed")
    rendered_name = _rendered_name(folder, inventory)
    gone = None if rendered_name in folder.files else f"{rendered_name} was not read"
    files[rendered_name] = Parsed(unusable=gone)
    return Package(
        folder=folder,
        objects=Objects(folder.objects),
        files=files,
        inventory=inventory,
        defect=defect,
        rows=_rows(files[LEDGER]),
        manifest=_members(files[MANIFEST]),
        head=_members(files[HEAD]),
        rendered_name=rendered_name,
    )


def _rendered_name(folder: Folder, inventory: Inventory | None) -> str:
    if inventory is not None:
        return RENDERED_JSON if inventory.layout == CONTRACT else RENDERED_TEXT
    return RENDERED_JSON if RENDERED_JSON in folder.files else RENDERED_TEXT


def _read(folder: Folder, name: str, parse: Callable[[bytes], Parsed]) -> Parsed:
    data = folder.files.get(name)
    if data is None:
        return Parsed(unusable=f"{name} was not read")
    try:
        return parse(data)
    except UnreadableError as error:
        return Parsed(unusable=f"{name} is unreadable", unreadable=error.why)


def _read_record(data: bytes) -> Parsed:
    value = read_integers(data)
    return Parsed(value, is_canonical=canonical(value) + _LF == data)


def _read_lines(data: bytes) -> Parsed:
    rows: list[JsonValue] = []
    for number, line in enumerate(data.removesuffix(_LF).split(_LF) if data else [], 1):
        try:
            rows.append(read_integers(line))
        except UnreadableError as error:
            where = f"line {number}: {error.why}"
            raise UnreadableError(where) from None
    return Parsed(rows, is_canonical=_lines_of(rows) == data)


def _lines_of(rows: Iterable[JsonValue]) -> bytes:
    return b"".join(canonical(row) + _LF for row in rows)


def _read_body(data: bytes) -> Parsed:
    value = read_numbers(data)
    return Parsed(value, is_canonical=canonical(value) == data)


def _object_or_none(parsed: Parsed, name: str) -> Parsed:
    if parsed.unusable is None and not isinstance(parsed.value, dict):
        return replace(parsed, unusable=f"{name} is not an object")
    return parsed


def _members(parsed: Parsed) -> JsonObject | None:
    return parsed.value if isinstance(parsed.value, dict) else None


def _rows(parsed: Parsed) -> list[JsonObject] | None:
    if not isinstance(parsed.value, list):
        return None
    # A line that is no object is counted among the rows, as one without members.
    return [row if isinstance(row, dict) else {} for row in parsed.value]


def _normal_form(parsed: Parsed) -> tuple[Inventory | None, str | None]:
    if parsed.unusable is not None:
        return None, None
    try:
        inventory = read_inventory(parsed.value)
    except DefectError as error:
        return None, f"{error.code} at {error.place or 'the top'}"
    if has_path(inventory):
        return None, "a content is a path"
    if same(_by_id(parsed.value), _by_id(inventory.members)):
        return inventory, None
    return inventory, "it differs from its normal form"


def _by_id(value: JsonValue) -> JsonValue:
    # The order of candidates has a check of its own.
    members = object_of(value)
    listed = members["candidates"]
    records = [object_of(item) for item in listed] if isinstance(listed, list) else []
    ordered = sorted(records, key=lambda record: str(record["id"]))
    return {**members, "candidates": list(ordered)}
