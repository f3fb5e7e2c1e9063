"""Transcripts: read in any form that is known, counted by the user's counter, held to limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from assembler.config.client_messages import read_messages
from assembler.config.session_log import agent_of, read_session_log
from assembler.config.trace import is_trace, read_trace
from assembler.errors import ConfigError, CounterUnavailableError, UsageError
from assembler.front.counting import counters
from assembler.model.counting import DECLARED
from assembler.model.finding import Finding
from assembler.model.limits import MAX_ITEM_BYTES, is_countable
from assembler.model.transcript import Transcript
from assembler.ports import Counter
from assembler.transcript.faults import find_faults, find_waiting
from assembler.transcript.ladder import Ladder, build_ladder
from assembler.transcript.limits import Limits
from assembler.transcript.outlook import Outlook, judge
from assembler.transcript.rendering import iter_blocks
from assembler.transcript.shares import Step, possible_turn, shares_of

MAX_TRANSCRIPT_BYTES: Final = 64 * 1024 * 1024


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
    waiting: tuple[int, ...]
    """Indexes of calls of the newest message that have no result yet."""
    findings: tuple[Finding, ...]


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
        weighed = weigh(data, name, open_measuring(open_counter, counter))
    transcript, ladder = weighed.transcript, weighed.ladder
    turn = possible_turn(transcript, ladder, calls)
    return Checked(
        weighed,
        limits,
        None if limits is None else judge(transcript, ladder, limits),
        shares_of(transcript, ladder),
        turn,
        find_waiting(ladder.shown),
        find_faults(transcript, ladder, limits, turn, path=weighed.name),
    )


def open_measuring(open_counter: Callable[[str], Counter], name: str) -> Counter:
    """A counter that measures.

    Raises:
        UsageError: `counter-unavailable`: there is none of that name, or it only sums what was
            declared. Nothing was asked that could be refused.
    """
    try:
        if name != DECLARED:
            return open_counter(name)
        problem = "nothing of a transcript is declared"
    except CounterUnavailableError as error:
        problem = error.message
    raise UsageError(
        "counter-unavailable",
        problem,
        where=name,
        next_step="use o200k_base, cl100k_base, code-points or utf8-bytes",
    )


def weigh(data: bytes, name: str, counter: Counter) -> Weighed:
    """A transcript with its sizes.

    Raises:
        ConfigError: it can't be read, or a frame is beyond what is counted.
    """
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
