"""What the walk of an agent asks of the machine, and what it knows of the start."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from assembler.agents.rules import OnWords
from assembler.model.tree import Entry, Unreadable


class Disk(Protocol):
    """The file system as an agent reads it: by absolute paths, links followed everywhere."""

    def look_up(self, paths: Sequence[str]) -> Mapping[str, Entry]:
        """What stands at each path; `real_path` of a file is absolute."""

    def read(self, path: str) -> bytes | Unreadable:
        """The bytes of a file.

        `Unreadable` also with `access-denied` where our own read grant closes the place where it
        really is, and with `size-limit`.
        """

    def names_in(self, folder: str) -> tuple[str, ...] | None:
        """The names in a folder, sorted; None where it can't be listed or holds too many."""


class Start(NamedTuple):
    """Where and how an agent is started."""

    cwd: str
    """Absolute, links resolved."""
    home: str | None
    system_folder: str
    """Where the machine's configuration really is read."""
    environment: Mapping[str, str]
    options: Mapping[str, tuple[str, ...]] = {}
    """The agent's own command line options by name without dashes, each with its values."""
    repository: str | None = None
    """The root of the repository around the start."""
    on_words: tuple[OnWords, ...] = ()
    """What the agent takes for yes in a variable."""
    main_checkout: str | None = None
    """Of a linked worktree the root of the checkout that it belongs to."""

    def values_of(self, option: str) -> Iterator[str]:
        """The values of an option; one value may hold several, with commas."""
        for value in self.options.get(option, ()):
            yield from (part.strip() for part in value.split(",") if part.strip())

    def is_set(self, variable: str) -> bool:
        """Whether a variable is on, by the words of the agent."""
        value = self.environment.get(variable, "")
        own = [words for words in self.on_words if variable in words.variables]
        return any(words.has(value) for words in own or self.on_words if own or not words.variables)
