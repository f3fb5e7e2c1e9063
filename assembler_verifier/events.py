"""One event: its members, its hash and its payload.

Shared by the two events of a package and by a whole chain.
Rules: FORMATS 9.
"""

from __future__ import annotations

from assembler_verifier import schema
from assembler_verifier.identities import event_hash
from assembler_verifier.schema import DefectError
from assembler_verifier.strict_json import INTEGER_BOUND, JsonObject, JsonValue

REQUESTED = "context.compilation_requested"
COMPILED = "context.compiled"
COMPILATION_FAILED = "context.compilation_failed"
PREPARATION_FAILED = "context.preparation_failed"
TRANSITIONED = "context.transitioned"
CONSUMED = "context.consumed"
OUTCOMES = frozenset({COMPILED, COMPILATION_FAILED, PREPARATION_FAILED})
FAILURES = frozenset({COMPILATION_FAILED, PREPARATION_FAILED})

_EVENT = schema.exact(
    {
        "seq": schema.integer(1, INTEGER_BOUND - 1),
        "event": schema.word(REQUESTED, *sorted(OUTCOMES), TRANSITIONED, CONSUMED),
        "recorded_at": schema.time,
        "previous": schema.nullable(schema.digest),
        "request": schema.nullable(schema.digest),
        "payload_sha256": schema.digest,
        "event_sha256": schema.digest,
    }
)


def event_problem(event: JsonValue, name: str) -> str | None:
    """What is wrong with the members of an event; nothing if they are right."""
    try:
        _EVENT(event, name)
    except DefectError as error:
        return error.place
    return None


def members_of(event: JsonValue) -> JsonObject:
    """The members of an event; none if it is no object."""
    return event if isinstance(event, dict) else {}


def hash_holds(event: JsonObject) -> bool:
    """Whether the hash of an event is over its own members."""
    try:
        return event.get("event_sha256") == event_hash(event)
    except KeyError:
        return False


def name_of(event: JsonObject) -> str:
    """The name of an event; empty if it has none."""
    name = event.get("event")
    return name if isinstance(name, str) else ""


def text_member(members: JsonObject, name: str) -> str | None:
    """A member that is a string; nothing if it is not."""
    value = members.get(name)
    return value if isinstance(value, str) else None


def seq_of(event: JsonObject) -> int | None:
    """The sequence number of an event; nothing if it has none."""
    value = event.get("seq")
    return value if isinstance(value, int) and not isinstance(value, bool) else None
