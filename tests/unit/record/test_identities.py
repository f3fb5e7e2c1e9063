"""What each identity covers, by 33 changes of one inventory, and by every order of arrival."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from tests.builders.inventories import compile_value
from tests.builders.vectors import load_vector

CHANGES = load_vector("identity-changes")


def apply(value: Any, patch: list[dict[str, Any]]) -> Any:
    """JSON Patch, as far as the vectors use it."""
    import copy

    value = copy.deepcopy(value)
    for step in patch:
        *path, last = [part.replace("~1", "/").replace("~0", "~") for part in
                       step["path"].split("/")[1:]]  # fmt: skip
        target = value
        for part in path:
            target = target[int(part)] if isinstance(target, list) else target[part]
        if isinstance(target, list):
            index = len(target) if last == "-" else int(last)
            if step["op"] == "add":
                target.insert(index, step["value"])
            elif step["op"] == "replace":
                target[index] = step["value"]
            else:
                del target[index]
        elif step["op"] == "remove":
            del target[last]
        else:
            target[last] = step["value"]
    return value


def identities(value: Any) -> dict[str, str]:
    package = compile_value(value)
    manifest = package.manifest
    return {
        "package_id": manifest["package_id"],
        "trace_id": manifest["trace_id"],
        "content_id": manifest["content_id"],
        "rendered_sha256": manifest["rendered"]["sha256"],
        "request_sha256": manifest["request"]["sha256"],
    }


BASE = load_vector("codeai-16")["inventory"]


@pytest.mark.parametrize("change", CHANGES["changes"], ids=lambda change: str(change["name"]))
def test_change__moves_exactly_the_identities_of_the_vector(change: dict[str, Any]) -> None:
    before, after = identities(BASE), identities(apply(BASE, change["patch"]))
    told = {name for name in before if name in change}
    assert {"package_id", "trace_id", "content_id", "rendered_sha256", "request_sha256"} == told
    assert {name: after[name] for name in told} == {name: change[name] for name in told}
    assert {name for name in told if before[name] != after[name]} == set(change["changed"])


def test_arrival_order__changes_no_byte() -> None:
    packages = set()
    for order in itertools.permutations(BASE["candidates"]):
        package = compile_value({**BASE, "candidates": list(order)})
        packages.add((package.inventory_bytes, package.manifest_bytes, package.ledger_bytes))
    assert len(packages) == 1
