"""Short words for tests of `skills list` and `skills show`."""

from __future__ import annotations

from typing import Any

from tests.builders.command_line import Result

PROFILE = "schema: assembler/profile/1\n"


def skill(
    name: str, description: str = "Does it.", *, more: str = "", body: str = "Body.\n"
) -> str:
    return f"---\nname: {name}\ndescription: {description}\n{more}---\n{body}"


def rows(result: Result) -> dict[str, dict[str, Any]]:
    assert result.code == 0, result.talk
    return {row["path"]: row for row in result.json["skills"]}
