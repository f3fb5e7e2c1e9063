"""The members of the records that a producer writes: ledger rows, manifest, head.

Only names of members are judged here; values are compared with what is derived.
Rules: FORMATS 6, 8 and 9.
"""

from __future__ import annotations

from assembler_verifier import schema
from assembler_verifier.schema import Checker, DefectError
from assembler_verifier.strict_json import JsonValue

MANIFEST_SCHEMA = "assembler/manifest/1"
HEAD_SCHEMA = "assembler/head/1"

ROW_MEMBERS_OF_INVENTORY = (
    "id",
    "kind",
    "section",
    "source",
    "scope",
    "revision",
    "version",
    "discovered_by",
    "observed_at",
    "retrieved_at",
    "valid_from",
    "valid_to",
    "expires_at",
    "refresh",
    "refreshed_by",
    "replaces",
    "conflicts_with",
    "decides",
    "address",
    "trust",
    "lineage",
    "size",
)
"""Members of a row that stand in the inventory under the same name."""


def _members(names: str) -> dict[str, Checker]:
    return dict.fromkeys(names.split(), schema.anything)


_SPAN = schema.exact(_members("start end body_start body_end form"))
_BOUND = schema.exact(_members("pointer start end"))
_STATES = schema.exact(_members("available eligible selected rendered bound received"))
_FILE = schema.exact(_members("file bytes sha256"))
_SEGMENT = schema.exact(_members("start end pointer at"))
_SECTION = schema.exact(_members("section start end"))
_RESIDENT = schema.exact(_members("policy task tools work"))

LEDGER_ROW = schema.exact(
    {
        **dict.fromkeys(ROW_MEMBERS_OF_INVENTORY, schema.anything),
        **_members("access content_sha256 content_bytes required decision reason detail cost"),
        "states": _STATES,
        "span": schema.nullable(_SPAN),
        "bound": schema.nullable(_BOUND),
        "consumed_by": schema.anything,
    }
)
MANIFEST = schema.exact(
    {
        "schema": schema.word(MANIFEST_SCHEMA),
        **_members("package_id trace_id content_id inventory_sha256 ledger_sha256"),
        "rendered": _FILE,
        "request": _FILE,
        "budget": schema.exact(
            {
                **_members("unit counter window reserves envelope overhead"),
                "resident": _RESIDENT,
                **_members("limit used slack total"),
            }
        ),
        "counter": schema.exact(_members("name vocabulary_sha256 library")),
        "sections": schema.array(_SECTION),
        "segments": schema.array(_SEGMENT),
        "objects": schema.array(schema.anything),
    }
)
HEAD = schema.exact(
    {
        "schema": schema.word(HEAD_SCHEMA),
        "events": schema.array(schema.anything),
        "head": schema.anything,
    }
)


def shape_problem(checker: Checker, value: JsonValue, name: str) -> str | None:
    """What is wrong with the members of a value; nothing if they are right."""
    try:
        checker(value, name)
    except DefectError as error:
        return error.place
    return None
