"""A rewrite of a transcript, for people and programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from assembler.cli.finding_view import to_lines
from assembler.cli.gate import exit_code_of
from assembler.cli.output import envelope, escape, lay_out, number, write_bytes, write_out
from assembler.cli.transcript_json import SCHEMA, compacted_to_json
from assembler.cli.transcript_view import of_ceiling, spell_basis
from assembler.errors import EXIT_REFUSED
from assembler.model.names import MOST_SHOWN

if TYPE_CHECKING:
    from assembler.cli.session import Session
    from assembler.front.transcripts import Compacted, Weighed


def show_compacted(session: Session, compacted: Compacted) -> int:
    """Print a rewrite, and say the exit code."""
    from assembler.front.transcripts import render_kept, swept_dropped, write_trace

    exit_code = _exit_of_rewrite(compacted)
    match session.output_format:
        case "json":
            inputs = {"file": compacted.checked.weighed.name}
            write_out(envelope(SCHEMA, exit_code, inputs, compacted_to_json(compacted)))
        case "jsonl":
            write_bytes(write_trace(compacted))
        case "input":
            write_bytes(render_kept(compacted).encode("utf-8"))
        case "dropped":
            write_bytes(swept_dropped(compacted).encode("utf-8"))
        case _:
            lines = [*_rewrite_lines(compacted), *to_lines(compacted.findings, color=session.color)]
            write_out("\n".join(lines) + "\n")
    return exit_code


def _exit_of_rewrite(compacted: Compacted) -> int:
    if compacted.overflows:
        return EXIT_REFUSED
    return exit_code_of(compacted.findings, "warning")


def _rewrite_lines(compacted: Compacted) -> Iterator[str]:
    weighed, rewrite = compacted.checked.weighed, compacted.rewrite
    limits = compacted.checked.limits
    if rewrite is None:
        assert limits is not None  # without a ceiling a cut was asked for
        yield f"Fits: nothing to rewrite. {of_ceiling(weighed, limits)}."
        return
    yield _cut_line(compacted)
    rows = [*_frame_rows(weighed, "kept", rewrite.head)]
    if rewrite.dropped:
        rows += _frame_rows(weighed, "dropped", rewrite.dropped)
        words = "none given" if compacted.summary is None else "derived, stands as data"
        rows.append(("summary", "-", words, number(compacted.summary_tokens)))
    rows += _frame_rows(weighed, "kept", rewrite.tail)
    if rows:
        yield from (f"  {line}" for line in lay_out(rows, right=(1, 3), color=False))
    carried = compacted.carried
    if carried is not None:
        lost = carried.dropped - carried.carried
        yield (
            f"Of {number(carried.dropped)} numbers, dates, addresses and names that were dropped "
            f"the summary has {number(carried.carried)}; lost: {number(lost)}."
        )


def _cut_line(compacted: Compacted) -> str:
    rewrite = compacted.rewrite
    assert rewrite is not None  # asked by the caller
    weighed, limits = compacted.checked.weighed, compacted.checked.limits
    cut = rewrite.cut
    moved = (
        f" (asked for {cut.asked:,}: {cut.reason})" if cut.reason and cut.asked is not None else ""
    )
    moved = moved or (f" ({cut.reason})" if cut.reason else "")
    if not rewrite.dropped:
        size = f"{number(rewrite.after)} tokens"
        head = f"Cut at {cut.at:,}{moved}: nothing in front of it but the task; {size} stay"
    else:
        sizes = f"{number(rewrite.before)} -> {number(rewrite.after)} tokens"
        head = f"Cut at {cut.at:,}{moved}: {sizes}{spell_basis(weighed)}"
    match rewrite.fits(limits):
        case None:
            return f"{head}."
        case True:
            assert limits is not None  # it fits something
            return f"{head}. Fits {number(limits.ceiling)}."
        case _:
            assert limits is not None  # it is over something
            over = rewrite.after - limits.ceiling
            return f"{head}. Overflow: {number(over)} over {number(limits.ceiling)}."


def _frame_rows(
    weighed: Weighed, state: str, indexes: Sequence[int]
) -> list[tuple[str, str, str, str]]:
    """The first few frames, and how many more there are."""
    frames, sizes = weighed.transcript.frames, weighed.ladder.sizes
    rows = []
    for index in indexes[:MOST_SHOWN]:
        frame = frames[index]
        words = frame.kind if frame.tool is None else f"{frame.kind} {escape(frame.tool)}"
        rows.append((state, number(frame.entry), words, number(sizes[index])))
    more = indexes[MOST_SHOWN:]
    if more:
        tokens = sum(sizes[index] for index in more)
        rows.append((state, "", f"{len(more):,} more: --format json", number(tokens)))
    return rows
