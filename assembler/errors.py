"""Every declared failure, and what the command line makes of it.

    AssemblerError                      code, message, where, next step
    +-- UsageError            exit 2    the caller's word, configuration, or something missing
    |   +-- ConfigError                 a document that does not say what it must (path, line)
    |   +-- ServerError                 a server that can't be asked, or gave no whole catalog
    +-- RefusedError          exit 3    asked for and not made; on record where a run was requested
        +-- CompilationFailedError      context.compilation_failed: the selection can't be made
        |   +-- RequiredMissingError            ids that were never offered
        |   +-- RequiredRejectedError           required, but a check rejects it
        |   +-- LayoutCannotHoldError           two required items for one place
        |   +-- SizeUndeclaredError             declared sizes are summed and one is missing
        |   +-- BudgetUnsatisfiableError        required items alone exceed the room
        +-- PreparationFailedError      context.preparation_failed: selected, but can't be made
            +-- CounterUnavailableError         the vocabulary is not at hand
            +-- ContentUnresolvedError          an id with no bytes behind it
            +-- ToolUnfitError                  a tool that no request can hold
            +-- CountMismatchError              the whole does not count what its parts count
            +-- RequestError                    the request is incomplete or does not carry the text

Anything else that leaves a public function is a bug (exit 70). A caller's wrong argument type
or value is ValueError or TypeError, as everywhere in Python.
"""

from __future__ import annotations

from typing import Any, ClassVar

EXIT_OK = 0
EXIT_FINDINGS = 1
EXIT_USAGE = 2
EXIT_REFUSED = 3
EXIT_BUG = 70
EXIT_INTERRUPTED = 130
EXIT_CLOSED_PIPE = 141


class AssemblerError(Exception):
    """A failure that the product declares; never holds the content of a file."""

    exit_code: ClassVar[int] = EXIT_USAGE

    def __init__(
        self,
        code: str,
        message: str,
        *,
        where: str | None = None,
        next_step: str | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        """Stable slug, part of the public interface."""
        self.message = message
        self.where = where
        """`PATH`, `PATH:LINE:COLUMN`, or an id."""
        self.next_step = next_step
        """A command or an edit."""


class UsageError(AssemblerError):
    """Exit 2: usage, configuration, missing, could not check."""


class ConfigError(UsageError):
    """A profile, host manifest, task, inventory, lock, pin or listing that can't be used."""


class ServerError(UsageError):
    """A server that can't be asked, or whose answer is no whole catalog: never a pass."""


class RefusedError(AssemblerError):
    """Exit 3: asked for, and for a stated reason not made."""

    exit_code: ClassVar[int] = EXIT_REFUSED
    event_name: ClassVar[str | None] = None
    """The event that records it, where a run had been requested."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        detail: dict[str, Any] | None = None,
        where: str | None = None,
        next_step: str | None = None,
    ) -> None:
        super().__init__(code, message, where=where, next_step=next_step)
        self.detail = detail if detail is not None else {}
        """The members of the failure's `detail` (docs/formats/decisions.md)."""
        self.recorded_seq: int | None = None
        """Sequence number of the event that records it, once it is recorded."""


class CompilationFailedError(RefusedError):
    """The selection can't be made."""

    event_name = "context.compilation_failed"


class RequiredMissingError(CompilationFailedError):
    """Required ids that no candidate has."""


class RequiredRejectedError(CompilationFailedError):
    """A required candidate that a check rejects."""


class LayoutCannotHoldError(CompilationFailedError):
    """Two required candidates for a place that holds one."""


class SizeUndeclaredError(CompilationFailedError):
    """Counter `declared`, and a size is missing or in another unit."""


class BudgetUnsatisfiableError(CompilationFailedError):
    """The required candidates alone exceed the room for them."""


class PreparationFailedError(RefusedError):
    """Selected, but the input or its request can't be made. Nothing is sent."""

    event_name = "context.preparation_failed"


class CounterUnavailableError(PreparationFailedError):
    """The named vocabulary is unknown or not at hand."""


class ContentUnresolvedError(PreparationFailedError):
    """A selected id with no bytes behind it."""


class ToolUnfitError(PreparationFailedError):
    """A tool whose content, name or double name no request can hold."""


class CountMismatchError(PreparationFailedError):
    """The count of the whole differs from the sum of its parts."""


class RequestError(PreparationFailedError):
    """The request is incomplete, asks for too much, or does not carry the text."""
