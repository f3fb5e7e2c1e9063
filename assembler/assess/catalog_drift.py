"""Two catalogs of one server side by side, field by field, in the words of what a field does.

In: what was approved and what is listed now. Out: every difference, none folded away. Never
here: a verdict over good or bad; a change is evidence of change. Classes of fields:
docs/formats/catalogs.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from assembler.model.canonical import canonical_text
from assembler.model.catalog import Catalog, Pin, ServerIdentity, ToolDefinition, define_again
from assembler.model.pointers import parse_pointer, without_members

FieldClass: TypeAlias = Literal["text", "schema", "annotations", "display", "vendor"]
ChangeKind: TypeAlias = Literal["added", "removed", "changed"]

HINTS: Final = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
"""The annotations that the specification knows (2025-11-25), `title` apart."""
_PLAIN_KEY: Final = re.compile(r"[A-Za-z0-9_$-]+\Z")
_TEXTS: Final = ("description", "title", "$comment")
_SCHEMAS: Final = ("inputSchema", "outputSchema", "execution")
_DISPLAY: Final = ("title", "icons")


class _Missing(NamedTuple):
    pass


MISSING: Final = _Missing()
"""A member that is not there; null is another thing."""


class Difference(NamedTuple):
    """One member of a tool that is not what it was."""

    steps: tuple[str | int, ...]
    """Keys and indices from the tool down."""
    field_class: FieldClass
    old: Any
    """As it was; `MISSING` where it was not there."""
    new: Any

    @property
    def path(self) -> str:
        """`inputSchema.properties.q.type`; a key that is no plain word stands in brackets."""
        parts = []
        for step in self.steps:
            if isinstance(step, int):
                parts.append(f"[{step}]")
            elif _PLAIN_KEY.match(step):
                parts.append(f".{step}")
            else:
                parts.append(f"[{canonical_text(step)}]")
        return "".join(parts).removeprefix(".")

    @property
    def is_order_alone(self) -> bool:
        """Whether a list has the same members in another order."""
        if not isinstance(self.old, list) or not isinstance(self.new, list):
            return False
        return sorted(map(canonical_text, self.old)) == sorted(map(canonical_text, self.new))


class ToolChange(NamedTuple):
    """One tool that is not as it was approved."""

    name: str
    kind: ChangeKind
    old_digest: str | None
    new_digest: str | None
    differences: tuple[Difference, ...] = ()
    """Of a changed one, in the order of the fields."""
    new_wire: Mapping[str, Any] | None = None
    """The definition as it is listed now; None: it is not."""
    other_name: str | None = None
    """Of an added or removed one: the removed or added tool that is the same but for its name."""

    @property
    def fields(self) -> tuple[str, ...]:
        """The members of the tool that changed, sorted."""
        return tuple(sorted({str(difference.steps[0]) for difference in self.differences}))


class IdentityChange(NamedTuple):
    """Something of the server beside its tools that is not as it was pinned."""

    field: Literal["instructions", "launch", "url", "protocol", "capabilities"]
    old: Any
    new: Any
    is_drift: bool
    """Whether it asks for an approval: another protocol version or client is told, and no more."""


def code_of_change(change: ToolChange, *, is_allowed: bool) -> str:
    """The finding code that says what a change is."""
    match change.kind:
        case "changed":
            return "ASM302"
        case "added":
            return "ASM302" if is_allowed else "ASM303"
        case "removed":
            return "ASM304" if is_allowed else "ASM317"


def code_of_identity(change: IdentityChange) -> str | None:
    """The same of the server itself; None where nobody has to look."""
    if not change.is_drift:
        return None
    return "ASM307" if change.field == "instructions" else "ASM316"


class CatalogDrift(NamedTuple):
    """What a server lists now, beside what was approved."""

    pinned_digest: str
    listed_digest: str
    changes: tuple[ToolChange, ...]
    """By name."""
    identity: tuple[IdentityChange, ...]
    unchanged: int
    """Tools that are as they were approved."""

    @property
    def is_drift(self) -> bool:
        """Whether somebody has to look."""
        return bool(self.changes) or any(change.is_drift for change in self.identity)


def compare_catalog(pin: Pin, listed: Catalog) -> CatalogDrift:
    """Everything in which a listing is not what was approved; ignored members are left out."""
    now = define_again(listed.tools, pin.ignore) if pin.ignore else listed.tools
    changes = [
        change
        for name in sorted({*pin.tools, *now})
        if (change := _change_of(name, pin.tools.get(name), now.get(name), pin.ignore)) is not None
    ]
    return CatalogDrift(
        pinned_digest=pin.catalog,
        listed_digest=Catalog(now).digest,
        changes=tuple(_pair_renamed(changes, pin.tools, now, pin.ignore)),
        identity=_compare_identity(pin.identity, listed.identity),
        unchanged=len({*pin.tools, *now}) - len(changes),
    )


def compare_tools(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[Difference, ...]:
    """Every member in which two definitions differ, sorted by place."""
    return tuple(
        difference
        for key in sorted({*old, *new})
        for difference in _compare((key,), old.get(key, MISSING), new.get(key, MISSING))
    )


def class_of(steps: Sequence[str | int], *values: object) -> FieldClass:
    """What the member at a place is for.

    Args:
        steps: keys and indices from the tool down.
        values: what stands or stood there.
    """
    first, last = steps[0], steps[-1]
    if first == "description":
        return "text"
    if first == "inputSchema" and last in _TEXTS and any(isinstance(v, str) for v in values):
        # A property that is called `title` has a schema there, and no text.
        return "text"
    if first in _SCHEMAS:
        return "schema"
    if first in _DISPLAY or tuple(steps) == ("annotations", "title"):
        return "display"
    if first == "annotations" and (len(steps) == 1 or steps[1] in HINTS):
        return "annotations"
    return "vendor"


def _change_of(
    name: str, old: ToolDefinition | None, new: ToolDefinition | None, ignore: Sequence[str]
) -> ToolChange | None:
    if old is None or new is None:
        kind: ChangeKind = "added" if old is None else "removed"
        return ToolChange(
            name,
            kind,
            None if old is None else old.digest,
            None if new is None else new.digest,
            new_wire=None if new is None else new.wire,
        )
    if old.digest == new.digest:
        return None
    pointers = [parse_pointer(pointer) for pointer in ignore]
    differences = compare_tools(
        without_members(old.wire, pointers), without_members(new.wire, pointers)
    )
    return ToolChange(name, "changed", old.digest, new.digest, differences, new.wire)


def _compare(steps: tuple[str | int, ...], old: Any, new: Any) -> Iterator[Difference]:
    if _is_same(old, new):
        return
    if steps == ("annotations",) and all(value is MISSING or value for value in (old, new)):
        # Each hint is told by itself, also where there were no annotations before.
        old, new = ({} if value is MISSING else value for value in (old, new))
    difference = Difference(steps, class_of(steps, old, new), old, new)
    if difference.is_order_alone:
        yield difference
    elif isinstance(old, Mapping) and isinstance(new, Mapping) and (old or new):
        for key in sorted({*old, *new}):
            yield from _compare((*steps, key), old.get(key, MISSING), new.get(key, MISSING))
    elif _is_list_of_objects(old) and _is_list_of_objects(new) and len(old) == len(new):
        for index, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from _compare((*steps, index), before, after)
    else:
        yield difference


def _is_same(old: Any, new: Any) -> bool:
    if old is MISSING or new is MISSING:
        return old is new
    # By canonical form: 1 and 1.0 are one number, and True is none.
    return canonical_text(old) == canonical_text(new)


def _is_list_of_objects(value: object) -> bool:
    return isinstance(value, list) and any(isinstance(item, Mapping) for item in value)


def _pair_renamed(
    changes: Sequence[ToolChange],
    old: Mapping[str, ToolDefinition],
    new: Mapping[str, ToolDefinition],
    ignore: Sequence[str],
) -> Iterator[ToolChange]:
    """Say of a removed and an added tool that they are one under two names.

    Where more than two are alike nobody can tell which became which.
    """
    pointers = [parse_pointer(pointer) for pointer in ignore]
    alike: dict[str, list[ToolChange]] = {}
    for change in changes:
        if change.kind != "changed":
            tool = (old if change.kind == "removed" else new)[change.name]
            alike.setdefault(_nameless(tool, pointers), []).append(change)
    pairs: dict[str, str] = {}
    for same in alike.values():
        if sorted(change.kind for change in same) == ["added", "removed"]:
            pairs |= {same[0].name: same[1].name, same[1].name: same[0].name}
    return (change._replace(other_name=pairs.get(change.name)) for change in changes)


def _nameless(tool: ToolDefinition, pointers: Sequence[Sequence[str]]) -> str:
    wire = without_members(tool.wire, pointers)
    return canonical_text({key: value for key, value in wire.items() if key != "name"})


def _compare_identity(pinned: ServerIdentity, now: ServerIdentity) -> tuple[IdentityChange, ...]:
    """What both sides say differently, and what only the running server says."""
    changes: list[IdentityChange] = []
    # What a pin from a listing does not know is told, so that nobody approves it unseen.
    known = pinned.is_live
    if now.is_live and pinned.instructions != now.instructions:
        changes.append(
            IdentityChange("instructions", pinned.instructions, now.instructions, is_drift=known)
        )
    if now.is_live and pinned.launch != now.launch:
        changes.append(IdentityChange("launch", pinned.launch, now.launch, is_drift=known))
    if now.is_live and pinned.url != now.url:
        changes.append(IdentityChange("url", pinned.url, now.url, is_drift=known))
    if None not in (pinned.protocol, now.protocol) and pinned.protocol != now.protocol:
        changes.append(IdentityChange("protocol", pinned.protocol, now.protocol, is_drift=False))
    if None not in (pinned.capabilities, now.capabilities):
        old, new = pinned.capabilities, now.capabilities
        if old != new:
            changes.append(IdentityChange("capabilities", old, new, is_drift=False))
    return tuple(changes)
