"""Load conformance vectors and lay packages out as folders.

Where a vector gives no file texts, the files are built from the verifier's own derivation, and
the tests compare their digests with those of the vector.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from assembler_verifier import identities
from assembler_verifier.derivation import Derived, derive, render
from assembler_verifier.envelope import Rendering
from assembler_verifier.inventory import TOOL_KINDS, Candidate, Inventory, read_inventory
from assembler_verifier.objects import Objects
from assembler_verifier.record_shapes import ROW_MEMBERS_OF_INVENTORY
from assembler_verifier.request import Segment, expected_body, expected_segments, places_of
from assembler_verifier.strict_json import JsonValue, canonical
from assembler_verifier.tools import map_tool, read_tool

VECTORS = Path(__file__).parent.parent / "conformance" / "vectors"

TEXTS = {
    "ledger.jsonl": "ledger_text",
    "manifest.json": "manifest_text",
    "head.json": "head_text",
    "request.json": "request_text",
}
INELIGIBLE = {
    "access-denied",
    "path-not-utf8",
    "turned-away",
    "sealed-id",
    "sealed-lineage",
    "not-valid-then",
    "expired",
    "off-topic",
    "freshness-unknown",
    "stale",
}


@cache
def load(name: str) -> Any:
    return json.loads((VECTORS / f"{name}.json").read_bytes())


def run_names() -> list[str]:
    return sorted(path.stem for path in VECTORS.glob("*.json") if "expected" in load(path.stem))


def package_names() -> list[str]:
    return [name for name in run_names() if "package_id" in load(name)["expected"]]


def refusal_names() -> list[str]:
    return [name for name in run_names() if "failure" in load(name)["expected"]]


def contents(vector: Any) -> dict[str, bytes]:
    """Contents of a run by digest, read as a host would read them."""
    revision = vector["inventory"].get("revision")
    found = (
        _content(candidate, revision, vector.get("repository", {}))
        for candidate in vector["inventory"]["candidates"]
    )
    return {hashlib.sha256(data).hexdigest(): data for data in found if data is not None}


def _content(candidate: Any, revision: str | None, repository: Any) -> bytes | None:
    content = candidate["content"]
    if "text" in content:
        return content["text"].encode()
    if "base64" in content:
        return base64.b64decode(content["base64"])
    if "path" not in content:
        return None
    files = repository.get(candidate.get("revision") or revision, {})
    data = _content({"content": files.get(content["path"], {})}, None, {})
    lines = content.get("lines")
    if data is None or lines is None:
        return data
    *closed, last = data.split(b"\n")
    whole = [line + b"\n" for line in closed] + ([last] if last else [])
    return b"".join(whole[lines[0] - 1 : lines[1]]) if lines[1] <= len(whole) else None


def normal_inventory(vector: Any) -> Inventory:
    return read_inventory(vector["expected"].get("normal_inventory", vector["inventory"]))


def derive_vector(vector: Any) -> tuple[Inventory, Objects, Derived, Rendering]:
    inventory, objects = normal_inventory(vector), Objects(contents(vector))
    expected = vector["expected"]
    given = {row["id"]: row["cost"] for row in expected.get("decisions", []) if row["cost"]}
    derived = derive(inventory, objects, given, expected.get("budget", {}).get("overhead"))
    return inventory, objects, derived, render(inventory, derived, objects)


def package_files(name: str) -> dict[str, bytes]:
    """All files of a vector's package, by their path in the folder."""
    vector = load(name)
    expected = vector["expected"]
    built = build_files(vector)
    for file, member in {**TEXTS, expected["rendered"]["file"]: "rendered_text"}.items():
        if member in expected:
            built[file] = expected[member].encode()
    return built


def build_files(vector: Any) -> dict[str, bytes]:
    """The files, from the verifier's own derivation and the counter's two digests."""
    expected = vector["expected"]
    inventory, objects, derived, rendering = derive_vector(vector)
    segments = own_segments(inventory, derived, rendering)
    request = canonical(own_body(inventory, derived, rendering, segments, objects))
    inventory_data = canonical(inventory.members) + b"\n"
    ledger_data = ledger_bytes(derived, rendering, segments)
    manifest: dict[str, JsonValue] = {
        "schema": "assembler/manifest/1",
        "package_id": derived.package_id,
        "trace_id": derived.trace_id,
        "content_id": derived.content_id,
        "inventory_sha256": identities.sha256(inventory_data),
        "ledger_sha256": identities.sha256(ledger_data),
        "rendered": _file(expected["rendered"]["file"], rendering.data),
        "request": _file("request.json", request),
        "budget": derived.selection.budget,
        "counter": counter_of(inventory),
        "sections": [
            {"section": section.name, "start": section.start, "end": section.end}
            for section in rendering.sections
        ],
        "segments": [as_members(segment) for segment in segments],
        "objects": sorted(objects.names),
    }
    manifest_data = canonical(manifest) + b"\n"
    files = {
        "inventory.json": inventory_data,
        "ledger.jsonl": ledger_data,
        "manifest.json": manifest_data,
        "request.json": request,
        expected["rendered"]["file"]: rendering.data,
        "head.json": head_bytes(vector, inventory_data, manifest_data),
    }
    return files | {f"objects/{digest}": data for digest, data in contents(vector).items()}


def counter_of(inventory: Inventory) -> dict[str, JsonValue]:
    members: dict[str, JsonValue] = {"name": inventory.counter}
    if inventory.counter == "o200k_base":
        return members | VOCABULARY
    return members | {"vocabulary_sha256": None, "library": None}


VOCABULARY: dict[str, JsonValue] = {
    "vocabulary_sha256": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    "library": "tiktoken==0.14.0",
}
"""Digest of the ranks file of o200k_base, and the library that the vector was made with."""


def own_segments(inventory: Inventory, derived: Derived, rendering: Rendering) -> list[Segment]:
    tools = [
        (rendering.spans[candidate.id].start, rendering.spans[candidate.id].end)
        for candidate in derived.selected()
        if candidate.kind in TOOL_KINDS
    ]
    policy_end = rendering.sections[0].end if rendering.sections else 0
    places = places_of(inventory.adapter, inventory.layout)
    return expected_segments(places, len(rendering.data), policy_end, tools)


def own_body(
    inventory: Inventory,
    derived: Derived,
    rendering: Rendering,
    segments: Iterable[Segment],
    objects: Objects,
) -> JsonValue:
    places: dict[str, JsonValue] = {}
    tools = iter([item for item in derived.selected() if item.kind in TOOL_KINDS])
    count = 0
    for segment in segments:
        if segment.at is None:
            content = objects.content(next(tools)) or b""
            places[segment.pointer] = map_tool(inventory.adapter, read_tool(content))
            count += 1
        else:
            text = rendering.data[segment.start : segment.end].decode()
            places[segment.pointer] = str(places.get(segment.pointer, "")) + text
    return expected_body(inventory, _nested(places), count)


def _nested(places: Mapping[str, JsonValue]) -> JsonValue:
    body: dict[str, Any] = {}
    for pointer, value in places.items():
        *steps, last = pointer.split("/")[1:]
        members = body
        for step in steps:
            members = members.setdefault(step, {})
        members[last] = value
    return body


def ledger_bytes(derived: Derived, rendering: Rendering, segments: list[Segment]) -> bytes:
    rows = (ledger_row(candidate, derived, rendering, segments) for candidate in derived.ordered)
    return b"".join(canonical(row) + b"\n" for row in rows)


def ledger_row(
    candidate: Candidate, derived: Derived, rendering: Rendering, segments: list[Segment]
) -> JsonValue:
    decision = derived.selection.decisions[candidate.id]
    span = rendering.spans.get(candidate.id)
    return {
        **{name: candidate.members[name] for name in ROW_MEMBERS_OF_INVENTORY},
        "access": "denied" if decision.reason in {"access-denied", "path-not-utf8"} else "granted",
        "content_sha256": candidate.digest,
        "content_bytes": candidate.size_bytes,
        "required": candidate.required,
        "decision": decision.word,
        "reason": decision.reason,
        "detail": decision.detail,
        "cost": decision.cost,
        "states": {
            "available": True,
            "eligible": decision.reason not in INELIGIBLE,
            "selected": decision.selected,
            "rendered": decision.selected,
            "bound": decision.selected,
            "received": "not-observable",
        },
        "span": None if span is None else as_members(span),
        "bound": None if span is None else bound_of(span, segments),
        "consumed_by": None,
    }


def bound_of(span: Any, segments: list[Segment]) -> JsonValue:
    segment = next(item for item in segments if item.start <= span.start <= span.end <= item.end)
    if segment.at is None:
        return {"pointer": segment.pointer, "start": None, "end": None}
    shift = segment.at - segment.start
    start, end = span.body_start + shift, span.body_end + shift
    return {"pointer": segment.pointer, "start": start, "end": end}


def as_members(value: Any) -> dict[str, JsonValue]:
    return {name: getattr(value, name) for name in value.__slots__}


def head_bytes(vector: Any, inventory_data: bytes, manifest_data: bytes) -> bytes:
    requested = event(
        seq=vector["first_sequence"],
        event="context.compilation_requested",
        recorded_at=vector["recorded_at"],
        previous=vector["previous"],
        request=None,
        payload_sha256=identities.sha256(inventory_data),
    )
    compiled = event(
        seq=vector["first_sequence"] + 1,
        event="context.compiled",
        recorded_at=vector["recorded_at"],
        previous=requested["event_sha256"],
        request=requested["event_sha256"],
        payload_sha256=identities.sha256(manifest_data),
    )
    head: JsonValue = {
        "schema": "assembler/head/1",
        "events": [requested, compiled],
        "head": compiled["event_sha256"],
    }
    return canonical(head) + b"\n"


def event(**members: JsonValue) -> dict[str, JsonValue]:
    return {**members, "event_sha256": identities.event_hash(members)}


def _file(name: str, data: bytes) -> JsonValue:
    return {"file": name, "bytes": len(data), "sha256": identities.sha256(data)}


def lay_out(files: Mapping[str, bytes], folder: Path) -> Path:
    """Write files into a new folder."""
    folder.mkdir()
    if any(name.startswith("objects/") for name in files):
        (folder / "objects").mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder


def head_of(name: str) -> str:
    """The exported head of a vector's package."""
    return str(load(name)["expected"]["head"])


def edited(data: bytes, edits: Iterable[tuple[int, int, str]]) -> bytes:
    """Apply edits on the old offsets."""
    for start, end, text in reversed(list(edits)):
        data = data[:start] + text.encode() + data[end:]
    return data


def corrupted(corruption: Any) -> dict[str, bytes]:
    """The files of a base package with a corruption applied."""
    files = package_files(corruption["base"])
    for name, change in corruption["files"].items():
        if change is None:
            del files[name]
        elif isinstance(change, str):
            files[name] = change.encode()
        else:
            files[name] = edited(files[name], change)
    return files


def chain_with_contents() -> dict[str, Any]:
    """The chain of the vectors, with the ledgers and contents that its rules are judged by."""
    chain = load("chain")
    payloads = {digest: text.encode() for digest, text in chain["payloads"].items()}
    for run in chain["runs"]:
        payloads |= contents(run)
        payloads |= {identities.sha256(data): data for data in ledgers_of(run)}
    return {"events": chain["events"], "payloads": payloads}


def ledgers_of(run: Any) -> list[bytes]:
    """The ledger of a run of the chain; none if it failed."""
    return [] if "code" in run else [run_files(run)["ledger.jsonl"]]


def run_files(run: Any) -> dict[str, bytes]:
    """The files that a run of the chain left, save head.json."""
    chain = load("chain")
    outcome = chain["events"][run["events"][1] - 1]
    manifest = json.loads(chain["payloads"][outcome["payload_sha256"]])
    vector = {**run, "expected": manifest, "recorded_at": "", "first_sequence": 1, "previous": None}
    files = build_files(vector)
    assert identities.sha256(files["manifest.json"]) == outcome["payload_sha256"]
    del files["head.json"]
    return files
