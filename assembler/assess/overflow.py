"""What the limit took of a chain, in one sentence: for the refusal, and for the run that was cut.

In: findings as they are written down (`Finding.to_json`). Out: words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assembler.model.names import first_few


def spell_overflow(findings: Iterable[Mapping[str, Any]]) -> str | None:
    """File, size, limit, the bytes over it, and the files that are lost; None without a loss.

    The bytes that the sentence names file by file add up to the bytes over the limit.
    """
    taken = [item for item in findings if item["code"] in ("ASM101", "ASM102")]
    if not taken:
        return None
    data = taken[0]["data"]
    return (
        f"instruction files are {data['over_bytes']:,} bytes over the limit of "
        f"{data['limit_bytes']:,}: {'; '.join(first_few([_spell(item) for item in taken]))}"
    )


def _spell(finding: Mapping[str, Any]) -> str:
    data = finding["data"]
    size = data["size_bytes"]
    if finding["code"] == "ASM101":
        return (
            f"{data['lost_bytes']:,} of {size:,} bytes of {finding['path']} are lost, from line "
            f"{finding['line']:,} on"
        )
    return f"{finding['path']} is never read" + ("" if size is None else f" ({size:,} bytes)")
