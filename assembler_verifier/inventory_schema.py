"""The members of an inventory: type, limit and default of each.

Only single values are judged here; what ties two members together is in `inventory`.
Rules: FORMATS 1.8 and the tables of FORMATS 4.
"""

from __future__ import annotations

import base64
import binascii
import hashlib

from assembler_verifier import schema
from assembler_verifier.schema import REQUIRED, TEN_TO_ELEVEN, DefectError, Member
from assembler_verifier.strict_json import JsonObject, JsonValue
from assembler_verifier.values import int_of, object_of, text_of

INVENTORY_SCHEMA = "assembler/inventory/1"
SECTIONS = ("policy", "task", "tools", "evidence", "work")
TRUST_WORDS = ("authorized", "observed", "repository", "derived", "untrusted")
KIND_PATTERN = "[a-z][a-z0-9-]{0,31}"

ID = schema.text(schema.MAX_ID_BYTES)
TEXT = schema.text(schema.MAX_TEXT_BYTES)
AMOUNT = schema.integer(0, TEN_TO_ELEVEN)
ORDINAL = schema.integer(1, TEN_TO_ELEVEN)
UNIT = schema.pattern("[a-z][a-z-]{0,31}")
COUNTER = schema.pattern("[a-z0-9][a-z0-9_-]{0,63}")
KIND = schema.pattern(KIND_PATTERN, excluded="end")
IDS = schema.text_set(ID)
RESERVES = schema.mapping(KIND_PATTERN, AMOUNT)
REVISION = schema.nullable(schema.text(schema.MAX_REVISION_BYTES))
_SIGNED = schema.integer(-TEN_TO_ELEVEN, TEN_TO_ELEVEN)
_TOPICS = schema.text_set(TEXT)


def _schema(value: JsonValue, place: str) -> JsonValue:
    if value != INVENTORY_SCHEMA:
        raise DefectError("shape", place)
    return value


def _freshness(value: JsonValue, place: str) -> JsonValue:
    entries = _FRESHNESS_ENTRIES(value, place)
    records = [object_of(item) for item in entries] if isinstance(entries, list) else []
    by_source = {text_of(item["source"]): item for item in records}
    if len(by_source) != len(records):
        raise DefectError("freshness-twice", place)
    return [by_source[source] for source in sorted(by_source)]


def _content(value: JsonValue, place: str) -> JsonValue:
    given = value if isinstance(value, dict) else {}
    for name, checker in _CONTENT_FORMS.items():
        if name in given:
            return checker(value, place)
    raise DefectError("shape", place)


def _content_text(value: JsonValue, place: str) -> JsonValue:
    read = object_of(_CONTENT_TEXT(value, place))
    return _content_of(text_of(read["text"]).encode())


def _content_base64(value: JsonValue, place: str) -> JsonValue:
    read = object_of(_CONTENT_TEXT_BASE64(value, place))
    try:
        return _content_of(base64.b64decode(text_of(read["base64"]), validate=True))
    except (binascii.Error, ValueError):
        raise DefectError("shape", place) from None


def _content_of(data: bytes) -> JsonValue:
    return {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}


def _content_absent(value: JsonValue, place: str) -> JsonValue:
    absent = object_of(value)["absent"]
    if not isinstance(absent, str):
        raise DefectError("shape", place)
    if absent not in _ABSENT_FORMS:
        raise DefectError("limit", f"{place}.absent")
    return _ABSENT_FORMS[absent](value, place)


def _lines(value: JsonValue, place: str) -> JsonValue:
    read = _LINE_NUMBERS(value, place)
    first_and_last = 2
    if not isinstance(read, list) or len(read) != first_and_last:
        raise DefectError("shape", place)
    if int_of(read[0]) > int_of(read[1]):
        raise DefectError("lines", place)
    return read


def _string(value: JsonValue, place: str) -> JsonValue:
    if not isinstance(value, str):
        raise DefectError("shape", place)
    return value


_LINE_NUMBERS = schema.array(schema.integer(1, TEN_TO_ELEVEN, code="lines"))
_CONTENT_TEXT = schema.exact({"text": _string})
_CONTENT_TEXT_BASE64 = schema.exact({"base64": _string})
_ABSENT = {"absent": schema.anything}
_ABSENT_FORMS = {
    "denied": schema.exact({**_ABSENT, "rule": TEXT}),
    "turned-away": schema.exact({**_ABSENT, "code": schema.pattern(KIND_PATTERN), "where": ID}),
    "path-not-utf8": schema.exact(_ABSENT),
    "unread": schema.exact(_ABSENT),
    "unreadable": schema.exact(_ABSENT),
}
_CONTENT_FORMS = {
    "text": _content_text,
    "base64": _content_base64,
    "path": schema.record(
        {
            "path": (schema.text(schema.MAX_PATH_BYTES), REQUIRED),
            "lines": (schema.nullable(_lines), None),
        }
    ),
    "sha256": schema.exact({"sha256": schema.digest, "bytes": AMOUNT}),
    "absent": _content_absent,
}
_FRESHNESS_ENTRIES = schema.array(
    schema.exact(
        {
            "source": TEXT,
            "seen": schema.digest,
            "current": schema.nullable(schema.digest),
        }
    )
)
SIZE = schema.exact({"value": AMOUNT, "unit": UNIT, "basis": schema.word("declared", "estimated")})
ADDRESS = schema.exact(
    {"source_id": TEXT, "version": TEXT, "line_start": ORDINAL, "line_end": ORDINAL}
)
_NULLABLE_TEXT: Member = (schema.nullable(TEXT), None)
_NULLABLE_ID: Member = (schema.nullable(ID), None)
_NULLABLE_DATE: Member = (schema.nullable(schema.date), None)
_NULLABLE_TIME: Member = (schema.nullable(schema.time), None)
_CANDIDATE = schema.record(
    {
        "id": (ID, REQUIRED),
        "kind": (KIND, REQUIRED),
        "section": (schema.word(*SECTIONS), REQUIRED),
        "trust": (schema.word(*TRUST_WORDS), REQUIRED),
        "content": (_content, REQUIRED),
        "source": _NULLABLE_TEXT,
        "scope": _NULLABLE_TEXT,
        "revision": (REVISION, None),
        "size": (schema.nullable(SIZE), None),
        "lineage": (IDS, []),
        "topics": (_TOPICS, []),
        "valid_from": _NULLABLE_DATE,
        "valid_to": _NULLABLE_DATE,
        "expires_at": _NULLABLE_TIME,
        "version": _NULLABLE_TEXT,
        "discovered_by": _NULLABLE_TEXT,
        "observed_at": _NULLABLE_TIME,
        "retrieved_at": _NULLABLE_TIME,
        "replaces": (IDS, []),
        "conflicts_with": (IDS, []),
        "refreshed_by": _NULLABLE_ID,
        "refresh": _NULLABLE_TEXT,
        "freshness": (_freshness, []),
        "decision_value": (schema.nullable(_SIGNED), None),
        "decides": _NULLABLE_TEXT,
        "group": _NULLABLE_ID,
        "position": (_SIGNED, 0),
        "address": (schema.nullable(ADDRESS), None),
    }
)
_TASK = schema.record(
    {
        "id": (ID, REQUIRED),
        "actor": (ID, REQUIRED),
        "prompt": (schema.exact({"name": ID, "version": ID}), REQUIRED),
        "objective": (ID, REQUIRED),
        "as_of": (schema.nullable(schema.text_set(schema.date)), None),
        "now": _NULLABLE_TIME,
        "topics": (schema.nullable(_TOPICS), None),
    }
)
_BUDGET = schema.record(
    {
        "unit": (UNIT, REQUIRED),
        "counter": (COUNTER, REQUIRED),
        "window": (AMOUNT, REQUIRED),
        "reserves": (RESERVES, {}),
        "overhead": (schema.nullable(AMOUNT), None),
    }
)
_SEAL_LISTS = ("events", "artifacts", "calls", "lineage")
_NO_SEAL: JsonObject = {name: [] for name in _SEAL_LISTS}
_NO_ADAPTER: JsonObject = {"name": "text", "model": None, "max_output": None}
INVENTORY = schema.record(
    {
        "schema": (_schema, REQUIRED),
        "task": (_TASK, REQUIRED),
        "revision": (REVISION, None),
        "layout": (
            schema.word("assembler-input/1", "context-contract/1", "control/1"),
            "assembler-input/1",
        ),
        "adapter": (
            schema.record(
                {
                    "name": (
                        schema.word(
                            "text", "openai-responses", "openai-chat", "anthropic-messages"
                        ),
                        REQUIRED,
                    ),
                    "model": _NULLABLE_TEXT,
                    "max_output": (schema.nullable(ORDINAL), None),
                }
            ),
            _NO_ADAPTER,
        ),
        "budget": (_BUDGET, REQUIRED),
        "seal": (schema.record({name: (IDS, []) for name in _SEAL_LISTS}), _NO_SEAL),
        "required": (IDS, []),
        "order": (schema.word("canonical", "decision-value"), "canonical"),
        "candidates": (schema.array(_CANDIDATE), REQUIRED),
    }
)
