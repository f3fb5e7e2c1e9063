"""What Codex logs of a session: a line an item of the Responses API, with counts between.

In: the lines of `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`, one after the other. Out: frames.
Held against what Codex 0.171.0 sent: see docs/formats/trace.md, section "Session logs".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from assembler.config.client_messages import MessageReader, is_token_count, type_name
from assembler.config.still_said import StillSaid
from assembler.model.transcript import Frame

_BOOKKEEPING: Final = ("security_risk_score", "turn_context", "world_state")
"""Types of lines of which no request holds anything."""
_EVENTS: Final = (
    "agent_message",
    "agent_reasoning",
    "agent_reasoning_raw_content",
    "agent_reasoning_section_break",
    "context_compacted",
    "entered_review_mode",
    "exited_review_mode",
    "item_completed",
    "item_started",
    "mcp_tool_call_begin",
    "mcp_tool_call_end",
    "patch_apply_begin",
    "patch_apply_end",
    "exec_command_begin",
    "exec_command_end",
    "task_started",
    "thread_name_updated",
    "thread_settings_applied",
    "user_message",
    "view_image_tool_call",
    "web_search_begin",
    "web_search_end",
)
"""Events that repeat for a screen what the items say."""
_UNSENT_ITEMS: Final = ("ghost_snapshot",)
"""Items that Codex keeps for itself."""
_LATER_ITEMS: Final = ("function_call_output", "custom_tool_call_output", "tool_search_output")
"""Items that no model wrote, and that have no role."""


class CodexLog:
    """Makes frames of the lines of one log.

    Args:
        path: how messages name it.
    """

    def __init__(self, path: str) -> None:
        self.reader = MessageReader()
        self._path = path
        self._said = StillSaid(self.reader)
        self._is_first = True
        self._is_in_response = False
        self._response: tuple[int, int] | None = None
        """Places of the first frame of a response that nobody counted, and behind its last."""
        self._total: int | None = None
        """What the log last said of the whole input."""
        self._whole: Any = None
        """The sums that the log last told of all responses."""
        self._unweighed: int | None = None
        """Place of a rewrite of which the log did not say yet what it left."""

    def add(self, line: dict[str, Any]) -> None:
        """One line.

        Raises:
            ConfigError: `size-limit`.
        """
        kind = line.get("type")
        payload = line.get("payload")
        if not isinstance(payload, dict):
            self.reader.dropped[type_name(line)] += 1
        elif kind == "response_item":
            self._item(payload, line.get("metadata"))
        elif kind == "session_meta":
            self._meta(payload)
        elif kind == "token_usage_record":
            self._usage(payload.get("usage"))
        elif kind == "event_msg":
            self._event(payload)
        elif kind == "compacted":
            self._compacted(payload)
        elif kind not in _BOOKKEEPING:
            self.reader.dropped[type_name(line)] += 1
        self._is_first = False
        self.reader.require_bounded(self._path)

    def finish(self) -> None:
        """There are no more lines."""

    def _meta(self, payload: dict[str, Any]) -> None:
        """Only of the first line: a log that was begun from another one repeats that one's."""
        base = payload.get("base_instructions")
        if self._is_first and isinstance(base, dict):
            self.reader.add_resident(base.get("text"))

    def _item(self, item: dict[str, Any], metadata: Any) -> None:
        if item.get("type") in _UNSENT_ITEMS:
            return
        if isinstance(metadata, dict) and metadata.get("compaction_output") is True:
            # The summary as the model wrote it: the line of the rewrite has it as it is sent.
            self._is_in_response = False
            return
        place = len(self.reader.frames)
        is_models = _is_models(item)
        self.reader.add(_as_call(item), continues=is_models and self._is_in_response)
        if is_models:
            start = place
            if self._is_in_response and self._response is not None:
                start = self._response[0]
            self._response = (start, len(self.reader.frames))
            self._unweighed = None
        self._is_in_response = is_models

    def _event(self, event: dict[str, Any]) -> None:
        kind = event.get("type")
        if kind == "token_count":
            self._count_again(event.get("info"))
        elif kind == "turn_aborted":
            self._unsaid(Frame("end", 0, 0, "", how="stopped"))
        elif kind in ("task_complete", "turn_complete", "error"):
            error = event if kind == "error" else event.get("error")
            if isinstance(error, dict) and isinstance(error.get("message"), str):
                self._unsaid(Frame("refusal", 0, 0, error["message"]))
        elif kind not in _EVENTS:
            self.reader.dropped[type_name(event)] += 1

    def _count_again(self, info: Any) -> None:
        """Counts as a screen is shown them; sent again, unchanged, when only a price is new."""
        if not isinstance(info, dict):
            return
        last, whole = info.get("last_token_usage"), info.get("total_token_usage")
        is_estimate = isinstance(last, dict) and last.get("input_tokens") == 0
        if is_estimate or whole is None or whole != self._whole:
            self._usage(last)
        self._whole = whole

    def _unsaid(self, frame: Frame) -> None:
        self.reader.add_unsaid(frame)
        self._is_in_response = False

    def _usage(self, usage: Any) -> None:
        """The provider's counts of one response; the same are told more than once."""
        if not isinstance(usage, dict):
            return
        told, wrote = usage.get("input_tokens"), usage.get("output_tokens")
        if not is_token_count(told) or not is_token_count(wrote):
            return
        if told == 0:
            self._weigh_rewrite(usage.get("total_tokens"))
            return
        self._is_in_response = False
        if self._response is None or not is_token_count(told + wrote):
            return
        start, end = self._response
        self.reader.count(start - 1, told)
        if end > start:
            self.reader.count(end - 1, told + wrote)
        self._response, self._total = None, told + wrote

    def _weigh_rewrite(self, tokens: Any) -> None:
        """A count of nothing sent: what Codex estimates of the input behind a rewrite."""
        place = self._unweighed
        if place is None or not is_token_count(tokens) or tokens == 0:
            return
        frame = self.reader.frames[place]
        if frame.compaction is not None:
            compaction = frame.compaction._replace(after_tokens=tokens)
            self.reader.frames[place] = frame._replace(compaction=compaction)
        self._unweighed, self._total = None, tokens

    def _compacted(self, payload: dict[str, Any]) -> None:
        message, history = payload.get("message"), payload.get("replacement_history")
        summary = message if isinstance(message, str) else ""
        frames, places = self.reader.frames, self._said.places()
        if isinstance(history, list):
            kept, added = _split_history(history, summary, frames, places)
        else:
            # Early versions kept what people and the host said, and did not write it again.
            kept = [place for place in places if frames[place].kind in ("user", "policy")]
            added = []
        self._unweighed = len(frames)
        self._said.rewrite(summary, kept, before=self._total, after=None)
        self._is_in_response, self._response = False, None
        for item in added:
            self.reader.add(item)


def _split_history(
    history: Sequence[Any], summary: str, frames: Sequence[Frame], places: Sequence[int]
) -> tuple[list[int], list[Any]]:
    """Which frames stay as they were, and which items nobody said before."""
    known: dict[tuple[str | None, ...], list[int]] = {}
    for place in reversed(places):
        known.setdefault(_likeness(frames[place]), []).append(place)
    kept: list[int] = []
    added: list[Any] = []
    for item in history:
        parts = MessageReader()
        parts.add(_as_call(item))
        likenesses = [_likeness(frame) for frame in parts.frames]
        if summary and [frame.text for frame in parts.frames] == [summary]:
            continue
        found: list[int] = []
        for likeness in likenesses:
            if known.get(likeness):
                found.append(known[likeness].pop())
        if found and len(found) == len(likenesses):
            kept += found
            continue
        for place in found:
            known[_likeness(frames[place])].append(place)
        added.append(item)
    return kept, added


def _likeness(frame: Frame) -> tuple[str | None, ...]:
    """What two frames share that say the same; a summary is sent in the user's name."""
    kind = "user" if frame.kind == "compaction" else frame.kind
    return kind, frame.text, frame.tool, frame.call


def _is_models(item: dict[str, Any]) -> bool:
    if item.get("type") == "message":
        return item.get("role") == "assistant"
    return item.get("type") not in _LATER_ITEMS


def _as_call(item: Any) -> Any:
    """A call of the built-in shell in the form of all others, so that its result has a call."""
    if isinstance(item, dict) and item.get("type") == "local_shell_call":
        call = {"call_id": item.get("call_id"), "arguments": item.get("action", "")}
        return {"type": "function_call", "name": "local_shell", **call}
    return item
