"""Write what a run's vector expects, computed by the verifier's derivation alone.

A vector stands in tests/conformance/vectors/NAME.json. Write its first members by hand (`name`,
`recorded_at`, `first_sequence`, `previous`, `inventory` as a host gives it), then run

    python tools/make_vector.py NAME ...          # writes `expected`
    python tools/make_vector.py --check NAME ...  # exit 1 where the file says anything else

Nothing of the producer is imported, so that a vector is no copy of what it tests: the producer's
tests compare with it afterwards. Beyond a verifier alone are contents given by `path`, and
counters with a vocabulary. Which members there are: docs/formats/vectors.md.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from assembler_verifier import identities  # noqa: E402
from assembler_verifier.derivation import check_adapter, derive, render  # noqa: E402
from assembler_verifier.inventory import Inventory, read_inventory  # noqa: E402
from assembler_verifier.objects import Objects  # noqa: E402
from assembler_verifier.static_checks import RefusedError  # noqa: E402
from assembler_verifier.strict_json import canonical  # noqa: E402
from tests.verifier import vectors  # noqa: E402

COUNTERS = ("declared", "code-points", "utf8-bytes")
COMPILATION_CODES = (
    "required-missing", "required-rejected", "layout-cannot-hold", "size-undeclared",
    "resident-unsatisfiable", "budget-unsatisfiable",
)  # fmt: skip
"""Refusals of selection; any other is one of preparation (docs/formats/decisions.md)."""
RENDERED_FILES = {"context-contract/1": "input.json"}
EVENT_MEMBERS = ("seq", "event", "recorded_at", "previous", "request", "payload_sha256")


class BeyondError(Exception):
    """The verifier's derivation alone can't tell what this vector expects."""


def expect(vector: dict[str, Any]) -> dict[str, Any]:
    """The member `expected` of a vector.

    Raises:
        BeyondError: it needs a file or a vocabulary.
    """
    inventory = read_inventory(normal_form(vector["inventory"]))
    if inventory.counter not in COUNTERS:
        raise BeyondError(f"counter {inventory.counter}")
    objects = Objects(vectors.contents(vector))
    try:
        derived = derive(inventory, objects, {}, None)
        render(inventory, derived, objects)
        check_adapter(inventory)
    except RefusedError as refusal:
        return expect_refusal(vector, inventory, refusal)
    return expect_package(vector, inventory)


def normal_form(given: dict[str, Any]) -> dict[str, Any]:
    """The inventory with each content as its digest; the verifier does the rest.

    Raises:
        BeyondError: a content is named by path.
    """
    candidates = []
    for candidate in given["candidates"]:
        content = candidate["content"]
        if "path" in content:
            raise BeyondError(f"content of {candidate['id']} by path")
        data = content["text"].encode() if "text" in content else None
        if "base64" in content:
            data = base64.b64decode(content["base64"])
        if data is not None:
            content = {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
        candidates.append({**candidate, "content": content})
    return {**given, "candidates": candidates}


def expect_refusal(
    vector: dict[str, Any], inventory: Inventory, refusal: RefusedError
) -> dict[str, Any]:
    """Failure and events of a run that is refused."""
    inventory_sha256 = identities.sha256(canonical(inventory.members) + b"\n")
    failure = {
        "schema": "assembler/failure/1",
        "inventory_sha256": inventory_sha256,
        "code": refusal.code,
        "detail": refusal.detail,
    }
    word = "compilation" if refusal.code in COMPILATION_CODES else "preparation"
    payload = canonical(failure) + b"\n"
    events = two_events(vector, inventory_sha256, f"context.{word}_failed", payload)
    return {
        "failure": failure,
        "inventory_sha256": inventory_sha256,
        "events": events,
        "event_preimages": [event_preimage(event) for event in events],
    }


def expect_package(vector: dict[str, Any], inventory: Inventory) -> dict[str, Any]:
    """Everything that a package's files hold, from the files that the derivation gives."""
    file_name = RENDERED_FILES.get(inventory.layout, "input.txt")
    known = {"normal_inventory": inventory.members, "rendered": {"file": file_name}}
    files = vectors.build_files({**vector, "expected": known})
    manifest = json.loads(files["manifest.json"])
    rows = [json.loads(line) for line in files["ledger.jsonl"].splitlines()]
    shown = ("id", "decision", "reason", "detail", "cost")
    selected = [row for row in rows if row["decision"] == "selected"]
    events = two_events(
        vector, manifest["inventory_sha256"], "context.compiled", files["manifest.json"]
    )
    return {
        "normal_inventory": inventory.members,
        "inventory_sha256": manifest["inventory_sha256"],
        "selected": [row["id"] for row in selected],
        "decisions": [{name: row[name] for name in shown} for row in rows],
        "budget": manifest["budget"],
        "preimages": preimages(inventory, rows, manifest),
        **{name: manifest[name] for name in ("package_id", "trace_id", "content_id")},
        **{name: manifest[name] for name in ("rendered", "request", "ledger_sha256")},
        "manifest_sha256": identities.sha256(files["manifest.json"]),
        **{name: manifest[name] for name in ("sections", "segments")},
        "spans": [{name: row[name] for name in ("id", "span", "bound")} for row in selected],
        "objects": manifest["objects"],
        "events": events,
        "event_preimages": [event_preimage(event) for event in events],
        "head": events[-1]["event_sha256"],
        **texts(vector, files, file_name),
    }


def texts(vector: dict[str, Any], files: dict[str, bytes], file_name: str) -> dict[str, str]:
    """The files themselves, for a vector that shows them already or is asked to."""
    names = {
        "rendered_text": file_name,
        "request_text": "request.json",
        "ledger_text": "ledger.jsonl",
        "manifest_text": "manifest.json",
        "head_text": "head.json",
    }
    wanted = vector.get("expected", {})
    return {member: files[name].decode() for member, name in names.items() if member in wanted}


def preimages(
    inventory: Inventory, rows: list[dict[str, Any]], manifest: dict[str, Any]
) -> dict[str, str]:
    """The hashed text of each identity (docs/formats/identities.md)."""
    members: dict[str, Any] = inventory.members
    selected = sorted(row["id"] for row in rows if row["decision"] == "selected")
    package_id = manifest["package_id"]
    told = ("id", "decision", "reason", "detail")
    found: dict[str, Any] = {
        "package_id": {
            "type": "assembler/package-id/1",
            "task": members["task"]["id"],
            **{name: members["task"][name] for name in ("actor", "prompt", "objective")},
            **{name: members[name] for name in ("budget", "seal")},
            "selected": selected,
        },
        "trace_id": {
            "type": "assembler/trace-id/1",
            "package_id": package_id,
            "decisions": sorted(
                ({name: row[name] for name in told} for row in rows), key=lambda row: row["id"]
            ),
        },
        "content_id": {
            "type": "assembler/content-id/1",
            "package_id": package_id,
            "content": [
                {"id": row["id"], "sha256": row["content_sha256"]}
                for row in sorted(rows, key=lambda row: row["id"])
                if row["decision"] == "selected"
            ],
        },
    }
    spelled = {name: canonical(value).decode() for name, value in found.items()}
    for name, text in spelled.items():
        assert identities.sha256(text.encode()) == manifest[name], name
    return spelled


def two_events(
    vector: dict[str, Any], inventory_sha256: str, name: str, payload: bytes
) -> list[dict[str, Any]]:
    """The request and the outcome, adjacent in their chain."""
    requested = vectors.event(
        seq=vector["first_sequence"],
        event="context.compilation_requested",
        recorded_at=vector["recorded_at"],
        previous=vector["previous"],
        request=None,
        payload_sha256=inventory_sha256,
    )
    outcome = vectors.event(
        seq=vector["first_sequence"] + 1,
        event=name,
        recorded_at=vector["recorded_at"],
        previous=requested["event_sha256"],
        request=requested["event_sha256"],
        payload_sha256=identities.sha256(payload),
    )
    return [requested, outcome]


def event_preimage(event: dict[str, Any]) -> str:
    """The hashed text of an event."""
    members = {name: event[name] for name in EVENT_MEMBERS}
    return canonical({"type": "assembler/event/1", **members}).decode()


def main() -> int:
    """Write or check the named vectors."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("names", nargs="+", metavar="NAME")
    options = parser.parse_args()
    differing = 0
    for name in options.names:
        path = vectors.VECTORS / f"{name}.json"
        vector = json.loads(path.read_bytes())
        expected = expect(vector)
        if not options.check:
            whole = {**vector, "expected": expected}
            path.write_text(json.dumps(whole, indent=1, ensure_ascii=False), encoding="utf-8")
        elif expected != vector.get("expected"):
            differing += 1
            print(f"{name}: expected another", file=sys.stderr)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
