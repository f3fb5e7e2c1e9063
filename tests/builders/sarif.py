"""SARIF documents against the schema of the standard."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft4Validator

SCHEMA = Path(__file__).parents[1] / "conformance/sarif/sarif-2.1.0.json"


@cache
def _validator() -> Draft4Validator:
    return Draft4Validator(json.loads(SCHEMA.read_bytes()))


def require_sarif(document: Any) -> list[str]:
    """Fail with each fault and its place; the codes of the results otherwise."""
    faults = [f"{fault.json_path}: {fault.message}" for fault in _validator().iter_errors(document)]
    assert not faults, faults
    return [result["ruleId"] for run in document["runs"] for result in run["results"]]
