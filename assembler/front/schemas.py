"""JSON Schemas of the files that people write, from the records that read them."""

from __future__ import annotations

from typing import Any

import msgspec

from assembler.config.artifacts import ArtifactIndex
from assembler.config.host import Host
from assembler.config.profile import Profile
from assembler.config.task import Task

_RECORDS = {"profile": Profile, "task": Task, "host": Host, "artifacts": ArtifactIndex}


def json_schema(name: str) -> dict[str, Any]:
    """The JSON Schema (2020-12) of `profile`, `task`, `host` or `artifacts`."""
    schema = msgspec.json.schema(_RECORDS[name])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"{name}.schema.json",
        "title": f"assembler/{name}/1",
        **schema,
    }
