"""What did the model actually see? Compiles the input of one model call of a coding agent.

The public names are loaded when they are first used: importing this package loads neither a
tokenizer, nor git, nor MCP.
"""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False
"""Checkers take it for true by its name; importing `typing` for it would double `--version`."""

if TYPE_CHECKING:
    from typing import Any

    from assembler.config.task import EvidenceEntry, Example, Search, Task
    from assembler.errors import AssemblerError
    from assembler.errors import RefusedError as Refused
    from assembler.front.api import (
        assemble,
        catalog_session,
        chain,
        compile_inventory,
        read_pin,
    )
    from assembler.front.catalog_session import CatalogEvent, CatalogSession
    from assembler.ports import Sender

__all__ = [
    "AssemblerError",
    "CatalogEvent",
    "CatalogSession",
    "EvidenceEntry",
    "Example",
    "Refused",
    "Search",
    "Sender",
    "Task",
    "__version__",
    "assemble",
    "catalog_session",
    "chain",
    "compile_inventory",
    "read_pin",
]

_HOMES = {
    "AssemblerError": ("assembler.errors", "AssemblerError"),
    "Refused": ("assembler.errors", "RefusedError"),
    **{
        name: ("assembler.config.task", name)
        for name in ("EvidenceEntry", "Example", "Search", "Task")
    },
    **{
        name: ("assembler.front.api", name)
        for name in ("assemble", "catalog_session", "chain", "compile_inventory", "read_pin")
    },
    "CatalogEvent": ("assembler.front.catalog_session", "CatalogEvent"),
    "CatalogSession": ("assembler.front.catalog_session", "CatalogSession"),
    "Sender": ("assembler.ports", "Sender"),
}


def __getattr__(name: str) -> Any:
    try:
        module, attribute = _HOMES[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
    import importlib

    return getattr(importlib.import_module(module), attribute)
