"""A recorded failure in words; its members are those of `assembler/failure/1`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assembler.model.names import first_few


def spell_failure(failure: Mapping[str, Any]) -> str:
    """A recorded failure in words: the item, and the room's own code where it has one."""
    detail = failure["detail"]
    inner = detail.get("detail")
    if failure["code"] == "required-rejected" and isinstance(inner, dict):
        code = inner.get("code", detail.get("reason"))
        rest = {name: value for name, value in inner.items() if name != "code"}
        return f"{code}: {detail['id']}{_spell_detail(rest)}"
    return f"{failure['code']}{_spell_detail(detail)}"


def _spell_detail(detail: Mapping[str, Any]) -> str:
    parts = [
        f"{name} {', '.join(first_few(value)) if isinstance(value, list) else value}"
        for name, value in sorted(detail.items())
        if not isinstance(value, dict)
    ]
    return f" ({'; '.join(parts)})" if parts else ""
