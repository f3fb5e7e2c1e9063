"""Rewrites of transcripts: planned, held to what they replace, written behind all that was said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from assembler.config.trace import MAX_TOKENS
from assembler.errors import ConfigError, UsageError
from assembler.front.counting import counters
from assembler.front.transcripts import Weighed, open_measuring, weigh
from assembler.model.finding import Finding, make_finding
from assembler.model.limits import is_countable
from assembler.model.secret_rules import may_hold_secret
from assembler.model.transcript import Frame
from assembler.ports import Counter
from assembler.transcript.faults import find_parted, find_waiting
from assembler.transcript.limits import Limits
from assembler.transcript.outlook import judge
from assembler.transcript.pairs import allowed_cuts
from assembler.transcript.rendering import iter_blocks, render_frames, summary_frame
from assembler.transcript.rewrite import Rewrite, plan_rewrite
from assembler.transcript.summary_claims import (
    MAX_QUOTATIONS,
    Carried,
    Fault,
    count_carried,
    count_quotations,
    find_unsupported,
    spell_fault,
)
from assembler.transcript.trace_lines import write_frames, write_rewrite

MAX_SUMMARY_BYTES: Final = 1024 * 1024


class Compacted(NamedTuple):
    """What `transcript compact` says."""

    weighed: Weighed
    limits: Limits | None
    waiting: tuple[int, ...]
    """Indexes of calls of the newest message that have no result yet."""
    allowed: tuple[int, ...]
    """Cuts that may be made."""
    rewrite: Rewrite | None
    """None: it fits, and no cut was asked for."""
    fitting_cut: int | None
    """Where the rule would cut, so that it fits; None: this one fits, or none does."""
    summary: str | None
    summary_tokens: int
    carried: Carried | None
    findings: tuple[Finding, ...]

    @property
    def overflows(self) -> bool:
        """Whether what is left is over the ceiling."""
        if self.rewrite is None:
            return False
        return self.rewrite.fits(self.limits) is False


def compact_transcript(
    data: bytes,
    *,
    name: str,
    limits: Limits | None,
    cut: int | None,
    summary: str | None,
    summary_name: str | None,
    counter: str,
    environment: Mapping[str, str],
) -> Compacted:
    """Plan a rewrite, and hold the summary to what it replaces.

    Args:
        data: the bytes of the file.
        name: how messages name it.
        limits: None: no ceiling was given.
        cut: entries in front of the cut; None: where the rule says.
        summary: what a person or a model made of what is dropped; None: nothing yet.
        summary_name: how messages name it.
        counter: the counter's name.
        environment: for the user's memory of counts.

    Raises:
        UsageError, ConfigError: it can't be read or counted, `cut-outside`, or
            `secret-in-text`: the summary has the form of a secret.
    """
    if summary is not None:
        _refuse_secret([summary], "the summary", "a summary repeats no secret")
        _require_few_quotations(summary)
    with counters(environment) as open_counter:
        counting = open_measuring(open_counter, counter)
        weighed = weigh(data, name, counting)
        summary_tokens = 0 if summary is None else _count_summary(summary, counting)
    transcript, ladder, shown = weighed.transcript, weighed.ladder, weighed.ladder.shown
    _require_inside(cut, shown.entries, name)
    allowed = allowed_cuts(shown.frames, shown.entries)
    waiting = find_waiting(shown)
    if cut is None and limits is not None and judge(transcript, ladder, limits).verdict == "fits":
        parted = find_parted(transcript, shown, shown.indexes, path=name)
        return Compacted(weighed, limits, waiting, allowed, None, None, summary, 0, None, parted)

    def plan(asked: int | None) -> Rewrite:
        return plan_rewrite(
            transcript, ladder, asked=asked, summary_tokens=summary_tokens, limits=limits
        )

    rewrite = plan(cut)
    by_rule = plan(None) if rewrite.fits(limits) is False and cut is not None else rewrite
    _require_writable(max(rewrite.before, rewrite.after), name)
    faults: tuple[Fault, ...] = ()
    carried = None
    if summary is not None and rewrite.dropped:
        dropped = render_frames([transcript.frames[index] for index in rewrite.dropped])
        # What stays may be named too: a summary says what it is about.
        staying = (*rewrite.head, *rewrite.tail)
        kept = render_frames([transcript.frames[index] for index in staying])
        faults, carried = find_unsupported(summary, dropped + kept), count_carried(summary, dropped)
    # Of what goes nobody has to know that it stood alone.
    parted = find_parted(transcript, shown, (*rewrite.head, *rewrite.tail), path=name)
    return Compacted(
        weighed=weighed,
        limits=limits,
        waiting=waiting,
        allowed=allowed,
        rewrite=rewrite,
        fitting_cut=by_rule.cut.at if by_rule is not rewrite and by_rule.fits(limits) else None,
        summary=summary,
        summary_tokens=summary_tokens,
        carried=carried,
        findings=(*parted, *_spell_faults(faults, summary_name)),
    )


def render_kept(compacted: Compacted) -> str:
    """What the next request holds: the task, the summary, and what was said last.

    Raises:
        UsageError: `secret-in-text`.
    """
    transcript, rewrite = compacted.weighed.transcript, compacted.rewrite
    frames = transcript.frames
    policy = [frame for frame in frames if frame.entry == 0]
    if rewrite is None or not rewrite.dropped:
        shown = [frames[index] for index in compacted.weighed.ladder.shown.indexes]
        return _render_swept(filter(_is_sent, [*policy, *shown]), compacted)
    head = [frames[index] for index in rewrite.head]
    tail = [frames[index] for index in rewrite.tail]
    summary = [] if compacted.summary is None else [summary_frame(compacted.summary)]
    return _render_swept(filter(_is_sent, [*policy, *head, *summary, *tail]), compacted)


def render_dropped(compacted: Compacted) -> str:
    """What a summarizer is given; empty where nothing is dropped.

    Raises:
        UsageError: `secret-in-text`.
    """
    frames = compacted.weighed.transcript.frames
    dropped = () if compacted.rewrite is None else compacted.rewrite.dropped
    return _render_swept([frames[index] for index in dropped], compacted)


def write_trace(compacted: Compacted) -> bytes:
    """The run as a trace, with the rewrite as its last frame; a trace keeps its bytes."""
    weighed = compacted.weighed
    if weighed.transcript.form == "assembler/trace/1":
        written = weighed.data if weighed.data.endswith(b"\n") else weighed.data + b"\n"
    else:
        written = write_frames(weighed.transcript, weighed.ladder)
    if compacted.rewrite is None or not compacted.rewrite.dropped:
        return written
    return written + write_rewrite(
        compacted.rewrite, compacted.summary or "", overflows=compacted.overflows
    )


def _is_sent(frame: Frame) -> bool:
    """Of a rewrite without a summary a request holds nothing."""
    return frame.compaction is None or bool(frame.text)


def _render_swept(told: Iterable[Frame], compacted: Compacted) -> str:
    """The rendering of frames, none of which holds a secret."""
    frames = [*told]
    name = compacted.weighed.name
    blocks = [*iter_blocks(frames)]
    text = "".join(blocks)
    if may_hold_secret(text.encode("utf-8")):
        for frame, block in zip(frames, blocks, strict=True):
            place = f"entry {frame.entry:,} of {name}"
            _refuse_secret([block], place, "remove it there, and rotate the secret")
        # One that two frames make together.
        _refuse_secret([text], name, "remove it there, and rotate the secret")
    return text


def _refuse_secret(texts: Iterable[str], place: str, next_step: str) -> None:
    for text in texts:
        data = text.encode("utf-8")
        if not may_hold_secret(data):
            continue
        from assembler.adapters.secret_scan import scan_secrets

        hits = scan_secrets(data)
        if hits:
            raise UsageError(
                "secret-in-text",
                f"{place} has the form of a secret ({hits[0].rule}), and was not written",
                where=place,
                next_step=next_step,
            )


def _require_few_quotations(summary: str) -> None:
    count = count_quotations(summary)
    if count > MAX_QUOTATIONS:
        raise UsageError(
            "size-limit",
            f"a summary with {count:,} quotations; at most {MAX_QUOTATIONS:,} are looked for",
            next_step="say it shorter",
        )


def _count_summary(summary: str, counter: Counter) -> int:
    block = render_frames([summary_frame(summary)]).encode("utf-8")
    if not is_countable(block):
        raise UsageError("size-limit", "the summary holds too long a run of white space")
    return counter.count(block)


def _require_inside(cut: int | None, entries: int, name: str) -> None:
    if cut is not None and cut > entries:
        raise UsageError(
            "cut-outside",
            f"there is no position {cut:,} among {entries:,} entries",
            where=name,
            next_step=f"give --cut 0 to {entries}",
        )


def _require_writable(tokens: int, name: str) -> None:
    if tokens > MAX_TOKENS:
        raise ConfigError(
            "size-limit",
            f"{name} adds up to {tokens:,} tokens, more than a trace can hold ({MAX_TOKENS:,})",
            where=name,
            next_step="correct its counts",
        )


def _spell_faults(faults: Sequence[Fault], name: str | None) -> list[Finding]:
    fix = "correct the summary, or make it again from `-f dropped`"
    return [
        make_finding(
            "ASM504",
            name,
            spell_fault(fault),
            line=fault.line,
            fix=fix,
            data={
                "kind": fault.mark.kind,
                "text": fault.mark.text,
                "problem": fault.problem,
            },
        )
        for fault in faults
    ]
