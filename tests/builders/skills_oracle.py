"""The specification's reference library, asked about many skills at once in its own interpreter."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from typing import Any, NamedTuple

_PROGRAM = """
import io, json, sys
from pathlib import Path
from skills_ref.errors import ParseError
from skills_ref.models import SkillProperties
from skills_ref.parser import parse_frontmatter
from skills_ref.validator import validate_metadata

def ask(text, folder):
    content = io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8").read()
    try:
        found, _ = parse_frontmatter(content)
    except ParseError as error:
        return [str(error)], None
    except Exception as error:
        return ["crash: " + type(error).__name__], None
    name, description = found.get("name"), found.get("description")
    properties = None
    if all(isinstance(text, str) and text.strip() for text in (name, description)):
        properties = SkillProperties(
            name=name.strip(), description=description.strip(), license=found.get("license"),
            compatibility=found.get("compatibility"), allowed_tools=found.get("allowed-tools"),
            metadata=found.get("metadata"),
        ).to_dict()
    return validate_metadata(found, Path(folder)), properties

json.dump([ask(*case) for case in json.load(sys.stdin)], sys.stdout)
"""
_KINDS = {
    "must start with": "no_frontmatter",
    "not properly closed": "frontmatter_unclosed",
    "must be a YAML mapping": "frontmatter_not_mapping",
    "Invalid YAML": "invalid_yaml",
    "frontmatter: name": "missing_name",
    "frontmatter: description": "missing_description",
    "Unexpected fields": "unexpected_fields",
    "'name' must be": "name_empty_or_not_string",
    "'description' must be": "description_empty_or_not_string",
    "'compatibility' must be": "compatibility_not_string",
    "exceeds 64": "name_too_long",
    "Description exceeds": "description_too_long",
    "Compatibility exceeds": "compatibility_too_long",
    "must be lowercase": "name_not_lowercase",
    "start or end with a hyphen": "name_edge_hyphen",
    "consecutive hyphens": "name_double_hyphen",
    "contains invalid characters": "name_invalid_chars",
    "Directory name": "dir_mismatch",
    "crash": "crash",
}


class Verdict(NamedTuple):
    """What the library says of one skill."""

    kinds: frozenset[str]
    properties: dict[str, Any] | None
    messages: tuple[str, ...]


def ask_reference(python: str, cases: Sequence[tuple[str, str]]) -> list[Verdict]:
    """The verdict on each text and folder name.

    Args:
        python: an interpreter that has skills-ref 0.1.1.
        cases: what SKILL.md holds, and the name of its folder.
    """
    done = subprocess.run(
        [python, "-I", "-c", _PROGRAM],
        input=json.dumps(list(cases)),
        capture_output=True,
        text=True,
        check=True,
    )
    return [
        Verdict(frozenset(map(_kind, messages)), properties, tuple(messages))
        for messages, properties in json.loads(done.stdout)
    ]


def _kind(message: str) -> str:
    return next(kind for phrase, kind in _KINDS.items() if phrase in message)
