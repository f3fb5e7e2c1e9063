"""`--agent-option NAME=VALUE`: the agent's own command line options, as it would be started."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assembler.errors import UsageError


def read_own_options(words: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    """The options by name without dashes, each with its values in order.

    Args:
        words: `NAME=VALUE`, or `NAME` of an option that takes none.

    Raises:
        UsageError: `option-invalid`.
    """
    found: dict[str, list[str]] = {}
    for word in words:
        name, sign, value = word.partition("=")
        name = name.removeprefix("--")
        if not name:
            raise UsageError(
                "option-invalid",
                f"--agent-option takes NAME=VALUE, not {word}",
                where=word,
                next_step="--agent-option setting-sources=user",
            )
        values = found.setdefault(name, [])
        if sign:
            values.append(value)
    return {name: tuple(values) for name, values in found.items()}
