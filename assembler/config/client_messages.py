"""Message lists of model clients: roles, text, tool names, arguments and outputs, and no more.

In: the bytes of a request body, a list of messages, or messages line by line, as
`openai-chat`, `openai-responses` and `anthropic-messages` have them. Out: frames. A part of a shape
that is not known here is dropped and counted by its type. Rules: docs/formats/trace.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final, TypeGuard

from assembler.config.trace import (
    MAX_FRAMES,
    MAX_NAME_CHARACTERS,
    MAX_REWRITES,
    MAX_TOKENS,
    iter_objects,
    spell_arguments,
)
from assembler.errors import ConfigError
from assembler.model.canonical import Numbers, StrictJsonError, canonical_text, read_strict
from assembler.model.transcript import (
    MODEL_KINDS,
    SAID_KINDS,
    ContextCount,
    Frame,
    FrameKind,
    Transcript,
)

_LISTS: Final = ("messages", "input")
"""Members of a request body that hold what was said."""
_TEXT_PARTS: Final = ("text", "input_text", "output_text", "refusal")
_CALL_ITEMS: Final = ("function_call", "custom_tool_call")
_RESULT_ITEMS: Final = ("function_call_output", "custom_tool_call_output")
_ROLES: Final[dict[str, FrameKind]] = {
    "system": "policy",
    "developer": "policy",
    "user": "user",
    "assistant": "assistant",
    "model": "assistant",
}


def read_messages(data: bytes, *, path: str) -> Transcript:
    """The frames of a client's messages.

    Args:
        data: the bytes of the file.
        path: how messages name it.

    Raises:
        ConfigError: `config-json`, `size-limit`, or `transcript-unknown`: nothing in it is a
            message of a known shape.
    """
    body, messages = _find_messages(data, path)
    reader = MessageReader()
    for name in ("system", "instructions"):
        reader.add_resident(body.get(name))
    for tool in _as_list(body.get("tools")):
        reader.add_resident(canonical_text(tool))
    last: Any = None
    for message in messages:
        frames = len(reader.frames)
        reader.add(message, continues=reader.ends_with_model and _is_one_answer(last, message))
        reader.require_bounded(path)
        last = message if len(reader.frames) > frames else last
    if not reader.frames:
        raise unknown_transcript(path, problem=None if messages else "holds no message")
    return reader.transcript("messages")


def _is_one_answer(before: Any, item: Any) -> bool:
    """Whether two items of a list are of one answer: `openai-responses` has an item a call.

    What is no message, such as reasoning, is of the answer that it stands in.
    """
    if not isinstance(item, dict) or item.get("type") in _RESULT_ITEMS:
        return False
    role = item.get("role")
    return role is None or (_is_call_item(before) and role == "assistant")


def _is_call_item(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") in _CALL_ITEMS


def unknown_transcript(path: str, *, problem: str | None = None) -> ConfigError:
    """Nothing in a file was understood.

    Args:
        path: how messages name it.
        problem: what is wrong, where more is known than that.
    """
    unknown = "is neither a trace, nor a session log, nor messages of a known shape"
    return ConfigError(
        "transcript-unknown",
        f"{path} {problem or unknown}",
        where=path,
        next_step="give a session log of Claude Code or Codex, messages of openai-chat, "
        "openai-responses or anthropic-messages, or a trace (docs/formats/trace.md)",
    )


class MessageReader:
    """Makes frames of messages, one after the other."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.dropped: Counter[str] = Counter()
        self._entries = 0
        self._number = 0
        self._rewrites = 0

    @property
    def ends_with_model(self) -> bool:
        """Whether the last that was said is the model's."""
        return bool(self.frames) and self.frames[-1].kind in MODEL_KINDS

    def transcript(self, form: Any) -> Transcript:
        """What was read so far."""
        dropped = dict(sorted(self.dropped.items()))
        return Transcript(form, tuple(self.frames), self._entries, None, dropped)

    def add_resident(self, value: Any) -> None:
        """Text that every request holds, in front of what is said; entry 0."""
        for text in self._texts(value):
            self._append("policy", text)

    def add(self, message: Any, *, continues: bool = False) -> None:
        """One message, or one item of a list of them.

        Args:
            message: of any known shape.
            continues: whether it is a part of the message in front of it.
        """
        self._next_entry(continues=continues)
        if not isinstance(message, dict):
            self.dropped[type(message).__name__] += 1
            return
        kind, role = message.get("type"), message.get("role")
        if kind in _CALL_ITEMS:
            arguments = message.get("arguments", message.get("input", ""))
            self._call(message.get("call_id"), message.get("name"), arguments)
        elif kind in _RESULT_ITEMS:
            self._result(message.get("call_id"), None, message.get("output"))
        elif role == "tool":
            name = message.get("name")
            self._result(message.get("tool_call_id"), name, message.get("content"))
        elif isinstance(role, str) and role in _ROLES:
            self._message(_ROLES[role], message)
        else:
            self.dropped[type_name(message)] += 1

    def add_unsaid(self, frame: Frame) -> None:
        """A frame that no message holds: a rewrite, a refusal or an end."""
        self._next_entry(continues=False)
        self._rewrites += frame.compaction is not None
        self.frames.append(frame._replace(entry=self._entries, message=self._number))

    def require_bounded(self, path: str) -> None:
        """Refuse what holds more than is read.

        Raises:
            ConfigError: `size-limit`.
        """
        if len(self.frames) > MAX_FRAMES:
            raise ConfigError(
                "size-limit", f"{path} holds more than {MAX_FRAMES:,} frames", where=path
            )
        if self._rewrites > MAX_REWRITES:
            raise ConfigError(
                "size-limit", f"{path} holds more than {MAX_REWRITES:,} rewrites", where=path
            )

    def count(self, place: int, tokens: int) -> None:
        """The provider counted this much up to a frame; a rewrite carries sizes of its own."""
        if 0 <= place < len(self.frames) and self.frames[place].kind in SAID_KINDS:
            context = ContextCount(tokens, "provider-reported")
            self.frames[place] = self.frames[place]._replace(context=context)

    def _next_entry(self, *, continues: bool) -> None:
        self._entries += 1
        if not continues:
            self._number = self._entries

    def _message(self, kind: FrameKind, message: dict[str, Any]) -> None:
        content = message.get("content")
        for part in content if isinstance(content, list) else [content]:
            self._part(kind, part)
        refusal = message.get("refusal")
        if isinstance(refusal, str):
            self._append(kind, refusal)
        for call in _as_list(message.get("tool_calls")):
            self._chat_call(call)

    def _part(self, kind: FrameKind, part: Any) -> None:
        if part is None:
            return
        if isinstance(part, str):
            self._append(kind, part)
            return
        name = part.get("type") if isinstance(part, dict) else None
        if name == "tool_use":
            self._call(part.get("id"), part.get("name"), part.get("input", ""))
        elif name == "tool_result":
            self._result(part.get("tool_use_id"), None, part.get("content"))
        else:
            for text in self._texts(part):
                self._append(kind, text)

    def _chat_call(self, call: Any) -> None:
        function = call.get("function") if isinstance(call, dict) else None
        custom = call.get("custom") if isinstance(call, dict) else None
        if isinstance(function, dict):
            self._call(call.get("id"), function.get("name"), function.get("arguments", ""))
        elif isinstance(custom, dict):
            self._call(call.get("id"), custom.get("name"), custom.get("input", ""))
        else:
            self.dropped[type_name(call)] += 1

    def _call(self, call: Any, tool: Any, arguments: Any) -> None:
        if not _is_name(call) or not _is_name(tool):
            self.dropped["tool call without id or name"] += 1
            return
        self._append("tool_call", spell_arguments(arguments), tool=tool, call=call)

    def _result(self, call: Any, tool: Any, output: Any) -> None:
        if not _is_name(call):
            self.dropped["tool result without id"] += 1
            return
        text = "\n".join(self._texts(output))
        name = tool if _is_name(tool) else None
        self._append("tool_result", text, tool=name, call=call)

    def _texts(self, value: Any) -> Iterator[str]:
        """The texts of a content, a part, or a list of parts; what else it has is counted."""
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            for part in value:
                yield from self._texts(part)
        elif isinstance(value, dict):
            name = value.get("type")
            text = value.get("refusal" if name == "refusal" else "text")
            if name in _TEXT_PARTS and isinstance(text, str):
                yield text
            else:
                self.dropped[type_name(value)] += 1
        elif value is not None:
            self.dropped[type(value).__name__] += 1

    def _append(
        self, kind: FrameKind, text: str, *, tool: str | None = None, call: str | None = None
    ) -> None:
        self.frames.append(Frame(kind, self._entries, self._number, text, tool, call))


def _find_messages(data: bytes, path: str) -> tuple[dict[str, Any], list[Any]]:
    """The body around a list of messages, where there is one, and the list."""
    try:
        value = read_strict(data, numbers=Numbers.FINITE)
    except StrictJsonError as error:
        if data.strip() and not _begins_with_value(data):
            raise ConfigError(
                "config-json",
                f"{path} is not strict JSON: {error.problem}",
                where=path,
                next_step="write one JSON value, or one object a line",
            ) from None
        return {}, [value for _, value in iter_objects(data, path=path)]
    if isinstance(value, dict):
        for name in _LISTS:
            if isinstance(value.get(name), list):
                return value, _bounded(value[name], path)
        if isinstance(value.get("input"), str):
            return value, [{"role": "user", "content": value["input"]}]
        return {}, [value]
    return {}, _bounded(_as_list(value), path)


def _begins_with_value(data: bytes) -> bool:
    """Whether the first line with anything on it is a value of its own."""
    try:
        read_strict(data.lstrip(b" \t\r\n").partition(b"\n")[0], numbers=Numbers.FINITE)
    except StrictJsonError:
        return False
    return True


def _bounded(messages: list[Any], path: str) -> list[Any]:
    if len(messages) > MAX_FRAMES:
        raise ConfigError("size-limit", f"{path} holds more than {MAX_FRAMES:,} messages")
    return messages


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def is_token_count(value: Any) -> TypeGuard[int]:
    """Whether a trace can hold it as a number of tokens."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_TOKENS


def _is_name(value: Any) -> TypeGuard[str]:
    """Whether a trace can hold it as a name."""
    return isinstance(value, str) and 0 < len(value) <= MAX_NAME_CHARACTERS


def type_name(value: Any) -> str:
    """What a part calls itself, bounded; the type is a name and no content."""
    name = value.get("type", value.get("role")) if isinstance(value, dict) else None
    if not isinstance(name, str) or not name.replace("_", "").replace("-", "").isalnum():
        return "of no type"
    return name[:60]
