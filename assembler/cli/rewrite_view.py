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
from assembler.transcript.ladder import tool_names
from assembler.transcript.visible import positions_of

if TYPE_CHECKING:
    from assembler.cli.session import Session
    from assembler.front.rewriting import Compacted


def show_compacted(session: Session, compacted: Compacted) -> int:
    """Print a rewrite, and say the exit code."""
    from assembler.front.rewriting import render_dropped, render_kept, write_trace

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
            write_bytes(render_dropped(compacted).encode("utf-8"))
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
        unused = "" if compacted.summary is None else " The summary was not used."
        yield f"Fits: nothing to rewrite. {of_ceiling(weighed, limits)}.{unused}"
        return
    yield _cut_line(compacted)
    rows = _RowMaker(compacted)
    table = [*rows.resident(), *rows.of("kept", rewrite.head)]
    if rewrite.dropped:
        table += rows.of("dropped", rewrite.dropped)
        words = "none given" if compacted.summary is None else "derived, stands as data"
        table.append(("summary", "-", words, number(compacted.summary_tokens)))
    table += rows.of("kept", rewrite.tail)
    if table:
        yield from (f"  {line}" for line in lay_out(table, right=(1, 3), color=False))
    carried = compacted.carried
    if carried is not None:
        lost = carried.dropped - carried.carried
        yield (
            f"Of {number(carried.dropped)} numbers, dates, addresses and names that were dropped "
            f"the summary has {number(carried.carried)}; lost: {number(lost)}."
        )
    if compacted.overflows:
        yield _way_out(compacted)


def _cut_line(compacted: Compacted) -> str:
    rewrite = compacted.rewrite
    assert rewrite is not None  # asked by the caller
    weighed, limits = compacted.checked.weighed, compacted.checked.limits
    cut = rewrite.cut
    asked = "" if cut.asked is None else f"asked for {cut.asked:,}: "
    moved = f" ({asked}{cut.reason})" if cut.reason else ""
    if not rewrite.dropped:
        size = f"{number(rewrite.after)} tokens"
        head = f"Cut at {cut.at:,}{moved}: nothing in front of it but the task; {size} stay"
    else:
        sizes = f"{number(rewrite.before)} -> {number(rewrite.after)} tokens"
        head = f"Cut at {cut.at:,}{moved}: {sizes}{spell_basis(weighed)}"
    if limits is None:
        return f"{head}."
    if rewrite.fits(limits):
        return f"{head}. Fits {number(limits.ceiling)}."
    over = rewrite.after - limits.ceiling
    return f"{head}. Overflow: {number(over)} over {number(limits.ceiling)}."


def _way_out(compacted: Compacted) -> str:
    """What is left to do where a rewrite is not enough."""
    if compacted.fitting_cut is not None:
        return f"next: leave --cut out, or give --cut {compacted.fitting_cut}: that fits"
    if compacted.summary_tokens:
        return "next: a shorter summary, a higher ceiling, or a shorter newest turn"
    return "next: a higher ceiling, or a shorter newest turn; no cut leaves less"


class _RowMaker:
    """Rows of frames, numbered as `--cut` counts."""

    def __init__(self, compacted: Compacted) -> None:
        weighed = compacted.checked.weighed
        self._frames, self._sizes = weighed.transcript.frames, weighed.ladder.sizes
        self._resident = weighed.ladder.resident + sum(
            size for frame, size in zip(self._frames, self._sizes, strict=True) if frame.entry == 0
        )
        self._tools = tool_names(self._frames)
        self._positions = positions_of(compacted.shown)

    def resident(self) -> list[tuple[str, str, str, str]]:
        """What stands in front of every request and is no entry."""
        if not self._resident:
            return []
        return [("kept", "-", "policy and tools", number(self._resident))]

    def of(self, state: str, indexes: Sequence[int]) -> list[tuple[str, str, str, str]]:
        """The first few frames, and how many more there are."""
        shown = indexes if len(indexes) == MOST_SHOWN + 1 else indexes[:MOST_SHOWN]
        rows = [
            (state, number(self._positions[index]), self._words(index), number(self._sizes[index]))
            for index in shown
        ]
        more = indexes[len(shown) :]
        if more:
            tokens = sum(self._sizes[index] for index in more)
            rows.append((state, "", f"{len(more):,} more: --format json", number(tokens)))
        return rows

    def _words(self, index: int) -> str:
        frame = self._frames[index]
        if frame.compaction is not None:
            return "summary"
        tool = frame.tool or self._tools.get(index)
        return frame.kind if tool is None else f"{frame.kind} {escape(tool)}"
