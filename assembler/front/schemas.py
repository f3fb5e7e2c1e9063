"""JSON Schemas of the files that people write, from the records that read them."""

from __future__ import annotations

import ast
import inspect
from types import ModuleType
from typing import Any

from assembler.config.artifacts import ArtifactIndex
from assembler.config.baseline import Baseline
from assembler.config.dated_records import RecordFile
from assembler.config.host import Host
from assembler.config.inventory_schema import inventory_schema
from assembler.config.lock import Lock
from assembler.config.profile import Profile
from assembler.config.records import msgspec
from assembler.config.task import Task

_RECORDS = {
    "profile": Profile,
    "task": Task,
    "host": Host,
    "artifacts": ArtifactIndex,
    "lock": Lock,
    "records": RecordFile,
    "baseline": Baseline,
}


def json_schema(name: str) -> dict[str, Any]:
    """The JSON Schema (2020-12) of a file that people or hosts write.

    Args:
        name: `profile`, `task`, `host`, `inventory`, `artifacts`, `lock`, `records` or
            `baseline`.
    """
    if name == "inventory":
        schema = inventory_schema()
    else:
        schema = msgspec.json.schema(_RECORDS[name])
        _describe(schema.get("$defs", {}), inspect.getmodule(_RECORDS[name]))
        _respell_patterns(schema)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"{name}.schema.json",
        "title": f"assembler/{name}/1",
        **schema,
    }


def _respell_patterns(node: Any) -> None:
    """Python's end of a text is a plain letter in the patterns of JSON Schema."""
    for key, inner in node.items() if isinstance(node, dict) else enumerate(node):
        if key == "pattern" and isinstance(inner, str):
            node[key] = inner.replace(r"\Z", "$")
        elif isinstance(inner, dict | list):
            _respell_patterns(inner)


def _describe(definitions: dict[str, Any], module: ModuleType | None) -> None:
    """Give each property the words that stand below its field in the source."""
    sources = [module, *_imported_records(module)]
    for source in sources:
        if source is None:
            continue
        for node in ast.parse(inspect.getsource(source)).body:
            if isinstance(node, ast.ClassDef) and node.name in definitions:
                properties = definitions[node.name].get("properties", {})
                for field, words in _field_words(node):
                    name = field.rstrip("_")
                    if name in properties:
                        properties[name].setdefault("description", words)


def _imported_records(module: ModuleType | None) -> list[ModuleType | None]:
    """Modules of records that a module's records are made of."""
    records = vars(module).values() if module is not None else ()
    homes = {value.__module__ for value in records if isinstance(value, type)}
    own = {home for home in homes if home.startswith("assembler.config.")}
    return [
        inspect.getmodule(value) for value in records if getattr(value, "__module__", "") in own
    ]


def _field_words(node: ast.ClassDef) -> list[tuple[str, str]]:
    pairs = []
    for field, words in zip(node.body, node.body[1:], strict=False):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(words, ast.Expr)
            and isinstance(words.value, ast.Constant)
            and isinstance(words.value.value, str)
        ):
            pairs.append((field.target.id, " ".join(words.value.value.split())))
    return pairs
