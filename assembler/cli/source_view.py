"""What is said of the source of a recorded item: digests first, then its text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from assembler.cli.output import escape
from assembler.cli.row_view import row_state

if TYPE_CHECKING:
    from assembler.front.item_source import ItemSource


def source_body(row: Mapping[str, Any], found: ItemSource) -> dict[str, Any]:
    """The members of the JSON answer; a body that is no text is left out."""
    return {
        "item": row["id"],
        "state": row_state(row),
        "source": {
            "verdict": found.verdict,
            "text": found.text,
            "address": found.address,
            "at": found.at,
            "recorded_sha256": found.recorded_sha256,
            "current_sha256": found.current_sha256,
            "body": _text_of(found.body),
        },
    }


def source_text(row: Mapping[str, Any], found: ItemSource) -> str:
    """The same for a person; no byte of the body moves a cursor."""
    lines = [
        f"{escape(row['id'])}   {row_state(row).upper()}   source {found.verdict}",
        f"  {escape(found.text)}",
    ]
    if found.address is not None:
        lines.append(f"  address     {escape(found.address)}")
    if found.recorded_sha256 is not None:
        lines.append(f"  recorded    sha256:{found.recorded_sha256}")
    if found.current_sha256 is not None:
        lines.append(f"  source      sha256:{found.current_sha256}")
    if found.body is None:
        return "\n".join(lines) + "\n"
    text = _text_of(found.body)
    if text is None:
        return "\n".join([*lines, f"  {len(found.body):,} bytes that are no UTF-8 text"]) + "\n"
    kept = (escape(line).replace("\\u0009", "\t") for line in text.split("\n"))
    whose = "source" if found.current_sha256 is not None else "recorded text"
    return "\n".join([*lines, f"  {whose}:", *kept]).removesuffix("\n") + "\n"


def _text_of(body: bytes | None) -> str | None:
    try:
        return None if body is None else body.decode("utf-8")
    except UnicodeDecodeError:
        return None
