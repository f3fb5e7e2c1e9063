"""Files that the product writes itself and reads back strictly: the lock, a baseline."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assembler.errors import ConfigError
from assembler.model.canonical import StrictJsonError, read_strict
from assembler.model.document import Document

ReadDocument = Callable[[bytes, str], Document]


def read_strict_file(data: bytes, *, path: str, next_step: str) -> Any:
    """The value of some bytes.

    Args:
        data: the bytes of the file.
        path: how messages name it.
        next_step: what mends it.

    Raises:
        ConfigError: `config-json`, with `PATH:LINE:COLUMN` where that is known.
    """
    try:
        return read_strict(data)
    except StrictJsonError as error:
        place = path if error.line is None else f"{path}:{error.line}:{error.column}"
        raise ConfigError(
            "config-json",
            f"{path} is not strict JSON: {error.problem}",
            where=place,
            next_step=next_step,
        ) from None
