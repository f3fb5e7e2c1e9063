"""The JSON Schema (2020-12) of `assembler/inventory/1`, for editors and hosts in any language.

It stands on the words, patterns and limits of the reader (`config/inventory.py`); a test holds
both to each other. What a schema can't say is looser here, and never stricter: lengths are in
characters and not in bytes, and no two items are compared with each other.
Rules: docs/formats/inventory.md.
"""

from __future__ import annotations

import re
from typing import Any, Final

from assembler.config.inventory import BARE_ABSENT_WORDS, COUNTER_UNITS, SIZE_BASES
from assembler.config.members import COUNTER, MAX_COUNT, NAME, UNIT
from assembler.model.candidate import SECTIONS, TOOL_KINDS
from assembler.model.counting import DECLARED
from assembler.model.inventory import ADAPTERS, LAYOUTS, ORDERS, SCHEMA
from assembler.model.limits import (
    MAX_CANDIDATES,
    MAX_ID_BYTES,
    MAX_PATH_BYTES,
    MAX_REVISION_BYTES,
    MAX_WORDS_BYTES,
)
from assembler.model.trust import TRUST_WORDS

Schema = dict[str, Any]

_YEAR: Final = "([0-9]{3}[1-9]|[0-9]{2}[1-9][0-9]|[0-9][1-9][0-9]{2}|[1-9][0-9]{3})"
"""0001 to 9999, without a look ahead: validators of some languages have none."""
_DAY: Final = (
    _YEAR + r"-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])"
    r"|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|[12][0-9]))"
)
_TIME_OF_DAY: Final = r"([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z"
_BASE64: Final = r"^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"


def inventory_schema() -> Schema:
    """The definitions, and a reference to the whole."""
    definitions = {
        "Inventory": _inventory(),
        "Task": _task(),
        "Prompt": _object(
            "Name and version of the prompt.",
            {"name": _told(_id(), "Its name."), "version": _told(_id(), "Its version.")},
        ),
        "Adapter": _adapter(),
        "Budget": _budget(),
        "Seal": _object(
            "Ids that must not enter, nor anything that descends from them.",
            optional={
                name: (_told(_set(_id()), f"Ids of {name}."), [])
                for name in ("events", "artifacts", "calls", "lineage")
            },
        ),
        "Candidate": _candidate(),
        "Content": _content(),
        "Size": _object(
            "A size that somebody gave.",
            {
                "value": _told(_count(), "How much."),
                "unit": _told(_spelled(UNIT), "Of what; the budget's unit."),
                "basis": _told(_word(SIZE_BASES), "How it came to be."),
            },
        ),
        "Freshness": _object(
            "What became of a source since it was used.",
            {
                "source": _told(_words(), "The source; once in a list."),
                "seen": _told(_digest(), "SHA-256 of it when it was used."),
                "current": _told(_or_null(_digest()), "SHA-256 now; null: it can't be read."),
            },
        ),
        "Address": _object(
            "Where a quotation stands in its source.",
            {
                "source_id": _told(_words(), "The source."),
                "version": _told(_words(), "Its version."),
                "line_start": _told(_count(least=1), "First line, from 1."),
                "line_end": _told(_count(least=1), "Last line; not before the first."),
            },
        ),
    }
    return {"$ref": "#/$defs/Inventory", "$defs": definitions}


def _inventory() -> Schema:
    rows = {"type": "array", "maxItems": MAX_CANDIDATES, "items": _reference("Candidate")}
    return _object(
        "Everything that one run was offered, and the terms it was offered under.",
        {
            "schema": {"const": SCHEMA},
            "task": _reference("Task"),
            "budget": _reference("Budget"),
            "candidates": _told(rows, "What was offered; ids are unique."),
        },
        {
            "revision": (_told(_or_null(_revision()), "That of every path without its own."), None),
            "layout": (_told(_word(LAYOUTS), "How the text is written."), LAYOUTS[0]),
            "adapter": (_reference("Adapter"), {"name": "text"}),
            "seal": (_reference("Seal"), {}),
            "required": (_told(_set(_id()), "Ids without which the run is refused."), []),
            "order": (_told(_word(ORDERS), "In which optional candidates are tried."), ORDERS[0]),
        },
    )


def _task() -> Schema:
    dates = {**_set(_date()), "minItems": 1}
    return _object(
        "Who asked for what.",
        {
            "id": _told(_id(), "The task's id."),
            "actor": _told(_id(), "Who asks."),
            "prompt": _reference("Prompt"),
            "objective": _told(_id(), "The id of the objective, never its text."),
        },
        {
            "as_of": (_told(_or_null(dates), "The asked dates; null asks for none."), None),
            "now": (_told(_or_null(_time()), "The reference time for expiry."), None),
            "topics": (_told(_or_null(_set(_words())), "Asked topics; null asks for none."), None),
        },
    )


def _adapter() -> Schema:
    return _object(
        "Which request body is made.",
        {"name": _told(_word(ADAPTERS), "Whose request it is.")},
        {
            "model": (_told(_or_null(_words()), "The model's name."), None),
            "max_output": (_told(_or_null(_count(least=1)), "In the budget's unit."), None),
        },
    )


def _budget() -> Schema:
    reserves = {
        "type": "object",
        "propertyNames": _spelled(NAME),
        "additionalProperties": _count(),
    }
    budget = _object(
        "The window and what is kept back from it, in one unit.",
        {
            "unit": _told(_spelled(UNIT), "What is counted."),
            "counter": _told(_spelled(COUNTER), "Who counts; `declared` counts nothing."),
            "window": _told(_count(), "The whole window."),
        },
        {
            "reserves": (_told(reserves, "By name what is kept back from the window."), {}),
            "overhead": (_told(_or_null(_count()), "Text without items; declared only."), None),
        },
    )
    units = [
        _when({"counter": [counter]}, {"unit": {"const": unit}})
        for counter, unit in sorted(COUNTER_UNITS.items())
    ]
    free = sorted({DECLARED, *COUNTER_UNITS})
    return {
        **budget,
        "allOf": [
            *units,
            _unless({"counter": free}, {"unit": {"const": "token"}}),
            _unless({"counter": [DECLARED]}, {"overhead": {"type": "null"}}),
        ],
    }


def _candidate() -> Schema:
    def optional(schema: Schema, words: str) -> tuple[Schema, None]:
        return _told(_or_null(schema), words), None

    def listed(schema: Schema, words: str) -> tuple[Schema, list[Any]]:
        return _told(_set(schema), words), []

    kind = {**_spelled(NAME), "not": {"const": "end"}}
    candidate = _object(
        "One offered piece of material, with facts and no decision.",
        {
            "id": _told(_id(), "Its name, unique in the inventory."),
            "kind": _told(kind, "Its class: source, issue, summary, tool, …"),
            "section": _told(_word(SECTIONS), "Where it stands in the input."),
            "trust": _told(_word(TRUST_WORDS), "What its source makes of it."),
            "content": _reference("Content"),
        },
        {
            "source": optional(_words(), "Where it is from."),
            "scope": optional(_words(), "What it applies to."),
            "revision": optional(_revision(), "At which revision."),
            "size": (_or_null(_reference("Size")), None),
            "lineage": listed(_id(), "What it descends from."),
            "topics": listed(_words(), "What it is about."),
            "valid_from": optional(_date(), "From this day on; null is open."),
            "valid_to": optional(_date(), "Up to the day before this one; null is open."),
            "expires_at": optional(_time(), "From this time on it is expired."),
            "version": optional(_words(), "Version of the artifact; decides nothing."),
            "discovered_by": optional(_words(), "What found it; decides nothing."),
            "observed_at": optional(_time(), "Decides nothing."),
            "retrieved_at": optional(_time(), "Decides nothing."),
            "replaces": listed(_id(), "Ids; decide nothing."),
            "conflicts_with": listed(_id(), "Ids; decide nothing."),
            "refreshed_by": optional(_id(), "The item that was read again in its place."),
            "refresh": optional(_words(), "How it is renewed; decides nothing."),
            "freshness": listed(_reference("Freshness"), "Its sources, then and now."),
            "decision_value": optional(_signed(), "0: it can change no decision."),
            "decides": optional(_words(), "The decision it can change; decides nothing."),
            "group": optional(_id(), "All of a group or none; all required or all optional."),
            "position": (_told(_signed(), "Order inside sections but evidence."), 0),
            "address": (_or_null(_reference("Address")), None),
        },
    )
    rules = [
        _when({"section": ["evidence"]}, {"position": {"const": 0}}),
        _when({"section": ["policy"]}, {"trust": {"const": "authorized"}}),
        _when(
            {"kind": sorted(TOOL_KINDS)},
            {"section": {"const": "tools"}, "trust": {"const": "authorized"}},
        ),
    ]
    return {**candidate, "allOf": rules}


def _content() -> Schema:
    lines = {**_set(_count(least=1)), "minItems": 2, "maxItems": 2}
    forms = [
        _object("Given whole.", {"text": {"type": "string"}}),
        _object("Given whole.", {"base64": {"type": "string", "pattern": _BASE64}}),
        _object(
            "A file, or whole lines of it: first and last.",
            {"path": _text(MAX_PATH_BYTES)},
            {"lines": (_or_null(lines), None)},
        ),
        _object("Bytes that stand elsewhere.", {"sha256": _digest(), "bytes": _count()}),
        _object(
            "The read grant keeps it closed.", {"absent": {"const": "denied"}, "rule": _words()}
        ),
        _object(
            "A discovery room refused it.",
            {
                "absent": {"const": "turned-away"},
                "code": _spelled(NAME),
                "where": _text(MAX_ID_BYTES),
            },
        ),
        _object("Not at hand.", {"absent": _word(BARE_ABSENT_WORDS)}),
    ]
    return {"description": "The bytes, where they are, or why there are none.", "anyOf": forms}


def _object(
    description: str,
    required: dict[str, Schema] | None = None,
    optional: dict[str, tuple[Schema, Any]] | None = None,
) -> Schema:
    """An object with exactly these members; optional ones with their defaults."""
    members = dict(required or {})
    for name, (schema, default) in (optional or {}).items():
        members[name] = {**schema, "default": default}
    return {
        "description": description,
        "type": "object",
        "properties": members,
        "required": sorted(required or ()),
        "additionalProperties": False,
    }


def _when(words: dict[str, list[str]], then: dict[str, Schema]) -> Schema:
    """A rule for objects that have one of some words in each of some members."""
    return {"if": _having(words), "then": {"properties": then}}


def _unless(words: dict[str, list[str]], otherwise: dict[str, Schema]) -> Schema:
    """A rule for all others."""
    return {"if": _having(words), "else": {"properties": otherwise}}


def _having(words: dict[str, list[str]]) -> Schema:
    chosen = {name: {"enum": allowed} for name, allowed in words.items()}
    return {"properties": chosen, "required": sorted(words)}


def _reference(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _told(schema: Schema, words: str) -> Schema:
    return {**schema, "description": words}


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _set(item: Schema) -> Schema:
    """In any order and with repeats."""
    return {"type": "array", "items": item}


def _text(most: int) -> Schema:
    """The reader counts bytes; no string has more characters than bytes."""
    return {"type": "string", "minLength": 1, "maxLength": most}


def _id() -> Schema:
    return _text(MAX_ID_BYTES)


def _words() -> Schema:
    return _text(MAX_WORDS_BYTES)


def _revision() -> Schema:
    return _text(MAX_REVISION_BYTES)


def _word(words: tuple[str, ...]) -> Schema:
    return {"enum": list(words)}


def _spelled(pattern: re.Pattern[str]) -> Schema:
    return {"type": "string", "pattern": f"^{pattern.pattern.removesuffix(chr(92) + 'Z')}$"}


def _count(*, least: int = 0) -> Schema:
    return {"type": "integer", "minimum": least, "maximum": MAX_COUNT}


def _signed() -> Schema:
    return {"type": "integer", "minimum": -MAX_COUNT, "maximum": MAX_COUNT}


def _digest() -> Schema:
    return {"type": "string", "pattern": "^[0-9a-f]{64}$"}


def _date() -> Schema:
    return {"type": "string", "pattern": f"^{_DAY}$"}


def _time() -> Schema:
    return {"type": "string", "pattern": f"^{_DAY}T{_TIME_OF_DAY}$"}
