"""What the core asks of the world. Adapters implement these; tests hand in the real ones."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    # `chain` reads no candidate, and importing their types costs it a third of its time.
    from assembler.model.candidate import Candidate
    from assembler.model.history import Renames
    from assembler.model.symbols import Outline, Unparsed
    from assembler.model.tree import (
        Authorized,
        Beginning,
        Entry,
        IgnoredFiles,
        IgnoreRule,
        Listing,
        NamedPaths,
        Unreadable,
    )


class Counter(Protocol):
    """Measures text in one named unit."""

    @property
    def name(self) -> str:
        """The counter's name, as `budget.counter` has it."""

    @property
    def unit(self) -> str:
        """`token`, `code-point` or `byte`."""

    @property
    def vocabulary_sha256(self) -> str | None:
        """Digest of the vocabulary's ranks file, for a vocabulary."""

    @property
    def library(self) -> str | None:
        """`name==version` of the library that counts, for a vocabulary."""

    def count(self, text: bytes) -> int:
        """The count of one text (valid UTF-8)."""

    def count_all(self, texts: Sequence[bytes]) -> list[int]:
        """The count of each text, in their order; faster than one by one where counts are kept."""


class Pricing(Protocol):
    """What a rendered item costs in the budget's unit."""

    @property
    def overhead(self) -> int:
        """The cost of the input without items."""

    def price(self, items: Sequence[Candidate]) -> list[int]:
        """The cost of each item beside those that are in and those before it; admits nothing.

        Raises:
            SizeUndeclaredError, ContentUnresolvedError: one has no cost.
        """

    def admit(self, items: Sequence[Candidate]) -> None:
        """Take the items in; what is priced from now on stands beside them."""


class Sender(Protocol):
    """A host's way to a provider; it is reached only by a run that is whole and on record."""

    def send(self, body: bytes) -> object:
        """Send exactly these bytes; the answer is the host's own."""


class PatternSet(Protocol):
    """A list of gitignore patterns, the last one that matches decides."""

    def may_match(self, text: str) -> bool:
        """Whether a path of the text could be taken in; False is certain, for each of them."""

    def match(self, path: str) -> str | None:
        """The pattern that takes the path in, or None."""


class SymbolReader(Protocol):
    """Takes source files apart."""

    def outline(self, path: str, data: bytes) -> Outline | Unparsed:
        """What a file defines, imports and names, or why that can't be told.

        Its path says which language it is in.
        """


class Ignores(Protocol):
    """What git leaves out of a worktree; in a commit and in the index it leaves out nothing."""

    def list_files(self) -> IgnoredFiles:
        """Every file that git ignores here. Opens none of them."""

    def rules(self, paths: Collection[str]) -> Mapping[str, IgnoreRule] | None:
        """The rule by which each of the paths is ignored, left out where it is not.

        Args:
            paths: root-relative, with no link on the way.

        Returns:
            None where git can't tell.
        """


class SourceTree(Protocol):
    """A repository (or plain folder) at one place in time: worktree, index or a revision.

    Paths are root-relative text with `/`; the root itself is `""`.
    """

    @property
    def at(self) -> str:
        """`worktree`, `index` or the full id of a commit."""

    @property
    def revision(self) -> str | None:
        """The full id of the commit read, or of HEAD for `worktree` and `index`; None: none."""

    def look_up(self, paths: Sequence[str]) -> Mapping[str, Entry]:
        """What stands at each path; every asked path is in the answer. Opens no file."""

    def names_in(self, folders: Sequence[str], *, most_names: int) -> Mapping[str, frozenset[str]]:
        """What each folder holds, by name; empty where that can't be told or is more than that.

        No part of a folder's path may be a link. Names that are not UTF-8 are left out.
        """

    def list_under(self, folders: Sequence[str], *, max_depth: int, max_entries: int) -> Listing:
        """Files below the folders (tracked or not), breadth bounded. Opens no file."""

    def list_files(self) -> Listing:
        """Every file that git names here: tracked, and in a worktree also unignored ones."""

    def list_named(self, names: Collection[str]) -> NamedPaths:
        """Where bare names stand; in a worktree also what is ignored, but for ignored folders."""

    def read(
        self, files: Iterable[Authorized], *, limit_bytes: int
    ) -> Mapping[str, bytes | Unreadable]:
        """The bytes of each file by path; a file over the limit is `size-limit`."""

    def read_beginnings(
        self, files: Iterable[Authorized], *, most_bytes: int
    ) -> Mapping[str, bytes | Beginning | Unreadable]:
        """The bytes of each file by path; of a larger one the first.

        A blob is only known whole: of a commit or the index one over `MAX_ITEM_BYTES` is
        `size-limit`.
        """


class History(Protocol):
    """The commits of a clone, and the files that they have. Nothing is ever fetched."""

    @property
    def object_format(self) -> str:
        """`sha1` or `sha256`: what `git_blob_id` takes."""

    def resolve(self, names: Iterable[str]) -> Mapping[str, str | None]:
        """The full id of the commit of each name; None where this clone has none."""

    def look_up(self, asked: Collection[tuple[str, str]]) -> Mapping[tuple[str, str], Entry]:
        """What stood at each path of each commit (full id, of `resolve`). Opens no file.

        What is below a submodule is `OTHER`; `ERROR` with the problem `NOT_IN_CLONE` where this
        clone does not have a folder.
        """

    def read(self, files: Iterable[Authorized]) -> Mapping[str, bytes | Unreadable]:
        """The bytes of each file by its blob id; one over `MAX_ITEM_BYTES` is `size-limit`."""

    def sizes(self, blob_ids: Sequence[str]) -> Mapping[str, int | Unreadable]:
        """The size in bytes of each blob, nothing of it read."""

    def find_renames(
        self, gone: Mapping[str, Collection[str]], *, is_open: Callable[[str], bool]
    ) -> Renames:
        """Where paths of commits (full ids) stand in the one that the run reads.

        A path that is not open is neither compared nor told. Two processes at most, so it is
        asked once a run.
        """
