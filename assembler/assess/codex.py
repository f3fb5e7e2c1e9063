"""What Codex makes of the chain besides the files: the user's own file, the block, its warnings.

In: bytes that were read, a chain. Out: rows, findings, the block as text.
Never here: the configuration itself; whoever reads it makes `WalkRules` of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from assembler.assess.instruction_text import is_blank
from assembler.model.chain import WHITE_SPACE, Chain, ChainRow, ChainState
from assembler.model.digest import sha256_hex
from assembler.model.finding import Finding, make_finding
from assembler.model.tree import Unreadable

SEPARATOR: Final = "\n\n--- project-doc ---\n\n"
"""Between the user's text and the project's, where both are there."""


class GlobalText(NamedTuple):
    """The user's own instructions."""

    rows: tuple[ChainRow, ...]
    text: str
    """Trimmed; empty where there is none."""
    findings: tuple[Finding, ...]


def assess_global(files: Sequence[tuple[str, bytes | Unreadable]]) -> GlobalText:
    """Choose the user's file: the first with text in it, outside every limit.

    Unlike in a project a blank override does not hide the regular file.

    Args:
        files: the names that are tried, in order, with their bytes; what is missing or no file
            has the reason `missing` or `not-a-file`.
    """
    rows: list[ChainRow] = []
    findings: list[Finding] = []
    chosen: str | None = None
    text = ""
    for path, content in files:
        if isinstance(content, Unreadable):
            if content.reason not in {"missing", "not-a-file"}:
                findings.append(_unreadable(path, content.reason))
                rows.append(_row(path, "lost", "global-unreadable", content.reason))
            continue
        row = _row(path, "in", "global", "global; outside the limit", content)
        if chosen is not None:
            rows.append(row._replace(state="hidden", loaded_bytes=0, note=f"behind {chosen}"))
        elif is_blank(content):
            rows.append(row._replace(state="blank", loaded_bytes=0, note="only white space"))
        else:
            chosen = path.rpartition("/")[2]
            text = content.decode("utf-8", "replace").strip(WHITE_SPACE)
            rows.append(row._replace(loaded_bytes=len(text.encode())))
    return GlobalText(tuple(rows), text, tuple(findings))


def join_instructions(global_text: str, chain: Chain) -> str:
    """The user's text and the project's, as they stand in the block."""
    project = "\n\n".join(data.decode("utf-8", "replace") for data in chain.texts.values())
    return SEPARATOR.join(part for part in (global_text, project) if part)


def write_block(global_text: str, chain: Chain, cwd: str) -> str | None:
    """The block as the model gets it; None where there is no instruction at all.

    Args:
        global_text: the user's text, trimmed.
        chain: the project's.
        cwd: the folder that the header names, absolute.
    """
    text = join_instructions(global_text, chain)
    if not text:
        return None
    place = f" for {cwd}" if chain.texts else ""
    return f"# AGENTS.md instructions{place}\n\n<INSTRUCTIONS>\n{text}\n</INSTRUCTIONS>"


def warn_of_combined_size(global_text: str, chain: Chain) -> Finding | None:
    """All instructions together are longer than the limit, which counts project files only."""
    size = len(join_instructions(global_text, chain).encode())
    if chain.limit_bytes == 0 or size <= chain.limit_bytes:
        return None
    return make_finding(
        "ASM117",
        None,
        f"all instructions together are {size:,} bytes, above the limit of "
        f"{chain.limit_bytes:,}, which counts project files only",
        fix=f"shorten them by {size - chain.limit_bytes:,} bytes",
        data={"size_bytes": size, "limit_bytes": chain.limit_bytes},
    )


def _unreadable(path: str, reason: str) -> Finding:
    return make_finding(
        "ASM118",
        path,
        f"can't be read ({reason}); the next name is tried",
        fix="repair it, or remove it",
        data={"problem": reason},
    )


def _row(
    path: str, state: ChainState, reason: str, note: str, content: bytes | None = None
) -> ChainRow:
    return ChainRow(
        state=state,
        path=path,
        scope="global",
        size_bytes=None if content is None else len(content),
        loaded_bytes=0,
        reason=reason,
        note=note,
        sha256=None if content is None else sha256_hex(content),
    )
