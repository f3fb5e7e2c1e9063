"""A rewrite of a transcript, for people and programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from assembler.cli.finding_view import to_lines
from assembler.cli.gate import exit_code_of
from assembler.cli.output import envelope, escape, lay_out, number, write_bytes, write_out
from assembler.cli.transcript_json import SCHEMA, compacted_to_json
from assembler.cli.transcript_view import of_ceiling, spell_basis, waiting_lines
from assembler.errors import EXIT_REFUSED
from assembler.model.names import MOST_SHOWN, first_few
from assembler.model.transcript import MODEL_KINDS
from assembler.transcript.ladder import front_tokens
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
            inputs = {"file": compacted.weighed.name}
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
    weighed, rewrite = compacted.weighed, compacted.rewrite
    limits = compacted.limits
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
    yield from _lost_lines(compacted)
    yield from waiting_lines(compacted.weighed, compacted.waiting)
    if compacted.overflows:
        yield _way_out(compacted)
    elif rewrite.dropped and compacted.summary is None:
        yield "next: -f dropped prints what a summary has to cover; hand it in with --summary"


def _lost_lines(compacted: Compacted) -> Iterator[str]:
    """What of a rewrite a person should look at twice."""
    weighed, rewrite = compacted.weighed, compacted.rewrite
    assert rewrite is not None  # asked by the caller
    frames = weighed.transcript.frames
    said = [index for index in rewrite.dropped if frames[index].kind == "user"]
    if said:
        positions = positions_of(compacted.weighed.ladder.shown)
        places = first_few(sorted({positions[index] for index in said}))
        tokens = sum(weighed.ladder.sizes[index] for index in said)
        yield (
            f"Of what users said {', '.join(places)} {'goes' if len(places) == 1 else 'go'} "
            f"({number(tokens)}): the summary has to carry it."
        )
    if not any(frames[index].kind in MODEL_KINDS for index in rewrite.tail) and any(
        frames[index].kind in MODEL_KINDS for index in rewrite.dropped
    ):
        yield "The newest turn goes too, with results that the model may not have answered."
    carried = compacted.carried
    if carried is not None:
        yield (
            f"Of {number(carried.dropped)} numbers, dates, addresses and names that were dropped "
            f"the summary has {number(carried.carried)}; marks are compared, and no sense."
        )


def _cut_line(compacted: Compacted) -> str:
    rewrite = compacted.rewrite
    assert rewrite is not None  # asked by the caller
    weighed, limits = compacted.weighed, compacted.limits
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
    rewrite, limits = compacted.rewrite, compacted.limits
    assert rewrite is not None  # it overflows
    assert limits is not None  # the same
    room = limits.ceiling - (rewrite.after - compacted.summary_tokens)
    if rewrite.dropped and room > 0:
        return f"next: a summary of at most {number(room)}, or a higher ceiling"
    return "next: a higher ceiling; no cut that keeps the newest turn leaves less"


class _RowMaker:
    """Rows of frames, numbered as `--cut` counts."""

    def __init__(self, compacted: Compacted) -> None:
        weighed = compacted.weighed
        self._frames, self._sizes = weighed.transcript.frames, weighed.ladder.sizes
        self._resident = front_tokens(weighed.transcript, weighed.ladder)
        self._tools = weighed.ladder.tools
        self._positions = positions_of(weighed.ladder.shown)

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
            return "summary" if frame.text else "summary: none was given"
        tool = frame.tool or self._tools.get(index)
        return frame.kind if tool is None else f"{frame.kind} {escape(tool)}"
