"""What an agent makes of the chain: the user's own file, its block, and what it warns of.

In: bytes that were read, a chain, the agent's framing. Out: rows, findings, the block as text.
Never here: the agent's configuration; whoever reads it makes `WalkRules` of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from assembler.assess.hidden_text import find_delimiters, find_hidden
from assembler.assess.instruction_text import is_blank
from assembler.model.agent import Framing
from assembler.model.chain import WHITE_SPACE, Chain, ChainRow, ChainState
from assembler.model.digest import sha256_hex
from assembler.model.finding import Finding, make_finding
from assembler.model.tree import Unreadable


class HomeText(NamedTuple):
    """The user's own instructions."""

    rows: tuple[ChainRow, ...]
    chosen: str | None
    """Path of the file that is used, as it was given."""
    text: str
    """Trimmed; empty where there is none."""
    findings: tuple[Finding, ...]


def assess_home(
    files: Sequence[tuple[str, bytes | Unreadable]],
    *,
    look_alikes: Sequence[tuple[str, str]] = (),
) -> HomeText:
    """Choose the user's file: the first with text in it, outside every limit.

    Unlike in a project a blank override does not hide the regular file.

    Args:
        files: the names that are tried, in order, with their bytes; what is missing or no file
            has the reason `missing` or `not-a-file`.
        look_alikes: files whose names only look like one that is tried, each with that name.
    """
    rows: list[ChainRow] = []
    findings: list[Finding] = []
    chosen: str | None = None
    text = ""
    for path, content in files:
        if isinstance(content, Unreadable):
            rows += _row_without_bytes(path, content.reason, is_chosen=chosen is not None)
            if chosen is None:
                findings += _about_no_bytes(path, content.reason)
            continue
        row = _row(path, "in", "global", "global; outside the limit", content)
        if chosen is not None:
            note = f"behind {chosen.rpartition('/')[2]}"
            rows.append(row._replace(state="hidden", reason="override-hides", note=note))
        elif is_blank(content):
            note = "only white space; the next name is tried"
            rows.append(row._replace(state="blank", reason="blank", note=note))
        else:
            chosen = path
            text = content.decode("utf-8", "replace").strip(WHITE_SPACE)
            rows.append(row._replace(loaded_bytes=len(text.encode())))
            findings += _about_text(path, content)
    for path, right in look_alikes:
        rows.append(_row(path, "off", "wrong-case-name", f"not {right}"))
        findings.append(
            make_finding(
                "ASM108",
                path,
                f"is not read: the name is {right}, letter for letter",
                fix=f"rename it to {right}",
                data={"right_name": right},
            )
        )
    return HomeText(tuple(rows), chosen, text, tuple(findings))


def join_instructions(home_text: str, chain: Chain, framing: Framing) -> str:
    """The user's text and the project's, as they stand in the block."""
    project = framing.between_files.join(
        data.decode("utf-8", "replace") for data in chain.texts.values()
    )
    return framing.between_home_and_project.join(part for part in (home_text, project) if part)


def write_block(home_text: str, chain: Chain, cwd: str, framing: Framing) -> str | None:
    """The block as the model gets it; None where there is no instruction at all.

    Args:
        home_text: the user's text, trimmed.
        chain: the project's.
        cwd: the folder that the heading names, absolute.
        framing: of the agent.
    """
    text = join_instructions(home_text, chain, framing)
    if not text:
        return None
    place = framing.place.replace("{cwd}", cwd) if chain.texts else ""
    return f"{framing.heading}{place}{framing.opening}{text}{framing.closing}"


def warn_of_combined_size(home_text: str, chain: Chain, framing: Framing) -> Finding | None:
    """All instructions together are longer than the limit, which counts project files only."""
    size = len(join_instructions(home_text, chain, framing).encode())
    if chain.limit_bytes == 0 or size <= chain.limit_bytes:
        return None
    is_cut = bool(chain.lost)
    return make_finding(
        "ASM117",
        None,
        f"all instructions and what stands between them are {size:,} bytes, above the limit of "
        f"{chain.limit_bytes:,}, which counts project files only",
        fix="mend the cut first" if is_cut else "shorten them, if that is more than was meant",
        data={"size_bytes": size, "limit_bytes": chain.limit_bytes},
        severity="note" if is_cut else None,
    )


def warn_of_blank_files(chain: Chain) -> list[Finding]:
    """Blank files that the limit cuts or does not reach: the agent warns, and nothing is lost.

    It looks at sizes before it knows what a file holds (measured on Codex 0.171.0).
    """
    left = chain.limit_bytes
    found: list[Finding] = []
    never_read = False
    for row in chain.rows:
        size = row.size_bytes or 0
        if row.state == "in":
            left -= size
        elif row.state == "cut" and row.loaded_bytes:
            left = 0
        elif row.state == "blank" and left == 0 and not never_read:
            never_read = True
            found.append(_about_blank(row, left, chain.limit_bytes))
        elif row.state == "blank" and 0 < left < size:
            found.append(_about_blank(row, left, chain.limit_bytes))
        never_read = never_read or (row.state == "lost" and row.reason == "chain-lost")
    return found


def _about_blank(row: ChainRow, left: int, limit_bytes: int) -> Finding:
    read = f"{left:,} of {row.size_bytes:,} bytes are read" if left else "never read"
    return make_finding(
        "ASM101" if left else "ASM102",
        row.path,
        f"{read} under the limit of {limit_bytes:,}; it is only white space, so no rule is lost",
        line=1 if left else None,
        fix="remove the file, or ignore the agent's warning",
        data={
            "size_bytes": row.size_bytes,
            "read_bytes": left,
            "loaded_bytes": 0,
            "lost_bytes": (row.size_bytes or 0) - left,
            "limit_bytes": limit_bytes,
            "blank": True,
            "headings": [],
        },
        severity="note",
    )


def _row_without_bytes(path: str, reason: str, *, is_chosen: bool) -> list[ChainRow]:
    if reason == "missing":
        return []
    if reason == "not-a-file":
        return [_row(path, "off", "not-a-file", "no regular file; the next name is tried")]
    if is_chosen:
        # Nobody reads it, so its trouble changes nothing.
        return [_row(path, "hidden", "override-hides", "behind the other name")]
    return [_row(path, "lost", "global-unreadable", reason)]


def _about_no_bytes(path: str, reason: str) -> list[Finding]:
    if reason == "missing":
        return []
    if reason == "not-a-file":
        message, fix = "is no regular file: passed over, and the next name is tried", "replace it"
        return [make_finding("ASM109", path, message, fix=fix)]
    return [
        make_finding(
            "ASM118",
            path,
            f"can't be read ({reason}); the next name is tried",
            fix="repair it, or remove it",
            data={"problem": reason},
        )
    ]


def _about_text(path: str, content: bytes) -> list[Finding]:
    delimiters = find_delimiters(content, path)
    return [*find_hidden(content, path), *(() if delimiters is None else (delimiters,))]


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
