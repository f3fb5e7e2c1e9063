"""Transcripts: read in any form that is known, counted by the user's counter, held to limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from assembler.config.client_messages import read_messages
from assembler.config.session_log import agent_of, read_session_log
from assembler.config.trace import MAX_TOKENS, is_trace, read_trace
from assembler.errors import ConfigError, CounterUnavailableError, UsageError
from assembler.front.counting import counters
from assembler.model.counting import DECLARED
from assembler.model.finding import Finding, make_finding
from assembler.model.limits import MAX_ITEM_BYTES, is_countable
from assembler.model.secret_rules import may_hold_secret
from assembler.model.transcript import Transcript
from assembler.ports import Counter
from assembler.transcript.faults import find_faults
from assembler.transcript.ladder import Ladder, build_ladder
from assembler.transcript.limits import Limits
from assembler.transcript.outlook import Outlook, judge
from assembler.transcript.pairs import allowed_cuts
from assembler.transcript.rendering import iter_blocks, render_frames, summary_frame
from assembler.transcript.rewrite import Rewrite, plan_rewrite
from assembler.transcript.shares import Step, possible_turn, shares_of
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
from assembler.transcript.visible import show

MAX_TRANSCRIPT_BYTES: Final = 64 * 1024 * 1024
MAX_SUMMARY_BYTES: Final = 1024 * 1024


class Weighed(NamedTuple):
    """A transcript with its sizes."""

    name: str
    data: bytes
    transcript: Transcript
    ladder: Ladder
    counter: str


class Checked(NamedTuple):
    """What `transcript check` says."""

    weighed: Weighed
    limits: Limits | None
    outlook: Outlook | None
    """None: there is no ceiling."""
    shares: Mapping[str, int]
    turn: Step | None
    findings: tuple[Finding, ...]


class Compacted(NamedTuple):
    """What `transcript compact` says."""

    checked: Checked
    rewrite: Rewrite | None
    """None: it fits, and no cut was asked for."""
    summary: str | None
    summary_tokens: int
    allowed: tuple[int, ...]
    faults: tuple[Fault, ...]
    carried: Carried | None
    findings: tuple[Finding, ...]

    @property
    def overflows(self) -> bool:
        """Whether what is left is over the ceiling."""
        if self.rewrite is None:
            return False
        return self.rewrite.fits(self.checked.limits) is False


def check_transcript(
    data: bytes,
    *,
    name: str,
    limits: Limits | None,
    calls: int | None,
    counter: str,
    environment: Mapping[str, str],
) -> Checked:
    """Weigh a transcript, and hold it to limits.

    Args:
        data: the bytes of the file.
        name: how messages name it.
        limits: None: no ceiling was given.
        calls: that one turn may make; None: as it was.
        counter: the counter's name.
        environment: for the user's memory of counts.

    Raises:
        UsageError, ConfigError: it can't be read or counted.
    """
    with counters(environment) as open_counter:
        weighed = _weigh(data, name, _open(open_counter, counter))
    return _check(weighed, limits, calls)


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
        UsageError, ConfigError: it can't be read or counted, or `cut-outside`.
        UsageError: `secret-in-text`: the summary has the form of a secret.
    """
    if summary is not None:
        _refuse_secret(summary.encode("utf-8"), "the summary", "a summary repeats no secret")
        _require_few_quotations(summary)
    with counters(environment) as open_counter:
        counting = _open(open_counter, counter)
        weighed = _weigh(data, name, counting)
        summary_tokens = 0 if summary is None else _count_summary(summary, counting)
    checked = _check(weighed, limits, None)
    # What a next turn may bring is a question for before the run, and not for a rewrite.
    parted = find_faults(weighed.transcript, weighed.ladder, None, None, path=name)
    shown = show(weighed.transcript)
    _require_inside(cut, shown.entries, name)
    allowed = allowed_cuts(shown.frames, shown.entries)
    if cut is None and checked.outlook is not None and checked.outlook.verdict == "fits":
        return Compacted(checked, None, summary, 0, allowed, (), None, parted)
    rewrite = plan_rewrite(
        weighed.transcript,
        weighed.ladder,
        asked=cut,
        summary_tokens=summary_tokens,
        limits=limits,
    )
    _require_writable(max(rewrite.before, rewrite.after), name)
    faults: tuple[Fault, ...] = ()
    carried = None
    if summary is not None and rewrite.dropped:
        dropped = render_dropped(weighed.transcript, rewrite)
        faults, carried = find_unsupported(summary, dropped), count_carried(summary, dropped)
    findings = (*parted, *_spell_faults(faults, summary_name))
    return Compacted(checked, rewrite, summary, summary_tokens, allowed, faults, carried, findings)


def render_dropped(transcript: Transcript, rewrite: Rewrite) -> str:
    """What a summarizer is given: the frames that a rewrite drops, in one rendering."""
    return render_frames([transcript.frames[index] for index in rewrite.dropped])


def render_kept(compacted: Compacted) -> str:
    """What the next request holds: the task, the summary, and what was said last.

    Raises:
        UsageError: `secret-in-text`.
    """
    weighed = compacted.checked.weighed
    return _swept(_render_kept(compacted), weighed.name)


def swept_dropped(compacted: Compacted) -> str:
    """What a summarizer is given; empty where nothing is dropped.

    Raises:
        UsageError: `secret-in-text`.
    """
    weighed = compacted.checked.weighed
    if compacted.rewrite is None:
        return ""
    return _swept(render_dropped(weighed.transcript, compacted.rewrite), weighed.name)


def write_trace(compacted: Compacted) -> bytes:
    """The run as a trace, with the rewrite as its last frame; a trace keeps its bytes."""
    weighed = compacted.checked.weighed
    if weighed.transcript.form == "assembler/trace/1":
        written = weighed.data if weighed.data.endswith(b"\n") else weighed.data + b"\n"
    else:
        written = write_frames(weighed.transcript, weighed.ladder)
    if compacted.rewrite is None or not compacted.rewrite.dropped:
        return written
    return written + write_rewrite(
        compacted.rewrite, compacted.summary or "", overflows=compacted.overflows
    )


def _render_kept(compacted: Compacted) -> str:
    transcript, rewrite = compacted.checked.weighed.transcript, compacted.rewrite
    frames = transcript.frames
    policy = [frame for frame in frames if frame.entry == 0]
    if rewrite is None or not rewrite.dropped:
        return render_frames([*policy, *show(transcript).frames])
    head = [frames[index] for index in rewrite.head]
    tail = [frames[index] for index in rewrite.tail]
    summary = [] if compacted.summary is None else [summary_frame(compacted.summary)]
    return render_frames([*policy, *head, *summary, *tail])


def _swept(text: str, name: str) -> str:
    _refuse_secret(text.encode("utf-8"), name, "remove it there, and rotate the secret")
    return text


def _refuse_secret(data: bytes, name: str, next_step: str) -> None:
    if not may_hold_secret(data):
        return
    from assembler.adapters.secret_scan import scan_secrets

    hits = scan_secrets(data)
    if hits:
        raise UsageError(
            "secret-in-text",
            f"what would be written of {name} has the form of a secret ({hits[0].rule})",
            where=name,
            next_step=next_step,
        )


def _open(open_counter: Callable[[str], Counter], name: str) -> Counter:
    """A counter that measures.

    Raises:
        CounterUnavailableError: there is none of that name, or it only sums what was declared.
    """
    if name == DECLARED:
        raise CounterUnavailableError(
            "counter-unavailable",
            "nothing of a transcript is declared",
            detail={"name": name},
            next_step="use o200k_base, cl100k_base, code-points or utf8-bytes",
        )
    return open_counter(name)


def _weigh(data: bytes, name: str, counter: Counter) -> Weighed:
    transcript = read_transcript(data, name)
    blocks = [block.encode("utf-8") for block in iter_blocks(transcript.frames)]
    for frame, block in zip(transcript.frames, blocks, strict=True):
        if len(block) > MAX_ITEM_BYTES or not is_countable(block):
            raise ConfigError(
                "size-limit",
                f"entry {frame.entry:,} of {name} is beyond what is counted",
                where=name,
                next_step=f"at most {MAX_ITEM_BYTES:,} bytes, white space in shorter runs",
            )
    ladder = build_ladder(transcript, counter.count_all(blocks))
    return Weighed(name, data, transcript, ladder, counter.name)


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


def read_transcript(data: bytes, name: str) -> Transcript:
    """A transcript in whichever known form it is.

    Raises:
        ConfigError: it is in none, or does not say what that form must.
    """
    if is_trace(data):
        return read_trace(data, path=name)
    agent = agent_of(data)
    if agent is not None:
        return read_session_log(data, agent, path=name)
    return read_messages(data, path=name)


def _check(weighed: Weighed, limits: Limits | None, calls: int | None) -> Checked:
    transcript, ladder = weighed.transcript, weighed.ladder
    turn = possible_turn(transcript, ladder, calls)
    return Checked(
        weighed,
        limits,
        None if limits is None else judge(transcript, ladder, limits),
        shares_of(transcript, ladder),
        turn,
        find_faults(transcript, ladder, limits, turn, path=weighed.name),
    )


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
