"""The instruction chain: the rules of the walk, what the walk met, and what came of it.

One walk has a few parameters: `STRICT` is what `assemble` and `chain` use; what an agent does is
part of its description (`model/agent.py`). Rows are facts for people and for the ledger; the
texts are what would be rendered.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from assembler.model.finding import Finding
from assembler.model.tree import Entry, EntryKind

OVERRIDE_NAME: Final = "AGENTS.override.md"
REGULAR_NAME: Final = "AGENTS.md"
DEFAULT_LIMIT_BYTES: Final = 32768
"""Codex's `project_doc_max_bytes`: raw bytes of all project files together."""

ChainState: TypeAlias = Literal["in", "cut", "lost", "hidden", "blank", "below", "off"]
"""`in` whole; `cut` in part; `lost` due by the rules and nothing of it in; `hidden` another name
of the folder, or the same file higher up, is used; `blank` only white space; `below` the start
folder; `off` not read by this agent (case, type, trust, another agent's name)."""

WHITE_SPACE: Final = (
    "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009"
    "\u200a\u2028\u2029\u202f\u205f\u3000"
)
"""Unicode White_Space. `str.strip()` is not the same: it takes U+001C to U+001F as well."""

AGENT_CONFIG_NAME: Final = ".codex/config.toml"
"""Where a project configures an agent: another limit, other names."""

OTHER_AGENTS_NAMES: Final = (
    "AGENT.md",
    "CLAUDE.md",
    "CLAUDE.local.md",
    "GEMINI.md",
    ".agents/AGENTS.md",
    ".claude/CLAUDE.md",
    ".codex/AGENTS.md",
    ".cursorrules",
    ".github/copilot-instructions.md",
    ".windsurfrules",
)
"""Files that other agents read, or that people think are read."""


# Named tuples: each dataclass would add half a millisecond to the start of every command.
class WalkRules(NamedTuple):
    """Which files the walk takes, and how it treats what it can't take as it is."""

    usual_names: tuple[str, ...] = (OVERRIDE_NAME, REGULAR_NAME)
    """Names that are tried in each folder, in this order; the first file is used."""
    fallbacks: tuple[str, ...] = ()
    """Configured names, tried after the usual ones in this order; see `clean_fallbacks`."""
    limit_bytes: int = DEFAULT_LIMIT_BYTES
    """Raw bytes of all files together; 0 turns project files off."""
    root: Literal["git", "markers"] = "git"
    """Who says where the walk starts: git's answer, or the nearest folder with a marker."""
    bom: Literal["dropped", "kept"] = "dropped"
    """One leading byte order mark."""
    same_file: Literal["once", "twice"] = "once"
    """One real file under two names of the chain."""
    cut: Literal["whole-character", "raw-byte"] = "whole-character"
    """Where a file over the limit ends."""
    outside_links: Literal["never-opened", "followed"] = "never-opened"
    """Links that leave the root."""
    unfit_text: Literal["left-out", "loaded"] = "left-out"
    """A file that is not UTF-8, or that holds the path of a link instead of text."""
    markers: tuple[str, ...] = (".git",)
    """With `root="markers"`."""
    on_overflow: Literal["refuse", "cut"] = "refuse"
    """Whether a run may be made of a chain over the limit; the walk is the same."""
    off_names: tuple[str, ...] = (*OTHER_AGENTS_NAMES, AGENT_CONFIG_NAME)
    """Names that are looked for only to say that they are not read."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of a folder in the order they are tried; the first file is used."""
        return (*self.usual_names, *self.fallbacks)


STRICT: Final = WalkRules()
"""Of `assemble` and `chain`: policy is required material and nothing of it may vanish."""


class FolderFinds(NamedTuple):
    """What stands in one folder of the walk, looked at and not opened."""

    folder: str
    """Root-relative, `""` for the root."""
    passed: tuple[Entry, ...] = ()
    """Tried before the used one and passed over: folders, FIFOs, dead links."""
    used: Entry | None = None
    """The first name that counts. Its kind is `FILE`, or `OUTSIDE_LINK` (not opened), or `ERROR`
    (which loses the whole chain)."""
    hidden: tuple[Entry, ...] = ()
    """Later names that are there too."""
    off: tuple[Entry, ...] = ()
    """Names that are never read: wrong case, another agent's."""


class InstructionSearch(NamedTuple):
    """What one walk met."""

    top: str
    """Where the walk starts: `""`, or the folder with a marker."""
    folders: tuple[FolderFinds, ...]
    """Root first; with several ends their union, every folder after its parents."""
    below: tuple[FolderFinds, ...] = ()
    """Folders that apply to a target and are not walked."""


class Surroundings(NamedTuple):
    """What lies around a walk and changes what it means."""

    hollow: tuple[str, ...] = ()
    """Entries called `.git` on the way up that are no repository, root-relative."""
    root_is_home: bool = False
    """The repository is the user's whole home folder."""
    outer: tuple[Entry, ...] = ()
    """Instruction files of a repository around this one, by paths that begin with `../`."""
    has_root: bool = True
    """Whether there is a repository at all."""


class CutPlace(NamedTuple):
    """Where a file ends early."""

    byte: int
    """Offset of the first byte that is lost."""
    line: int
    """Line of that byte, from 1."""
    splits_character: bool
    headings: tuple[str, ...]
    """Markdown headings behind the cut."""


class ChainRow(NamedTuple):
    """One file the walk met, and what came of it."""

    state: ChainState
    path: str
    scope: str
    """The folder it applies to, `.` for the root."""
    size_bytes: int | None
    loaded_bytes: int
    reason: str
    """Of a loaded file `root` or `folder`; else the word that says why not, spelled as the slug
    of the finding where there is one."""
    note: str = ""
    sha256: str | None = None
    """Of the raw bytes, where they were read."""
    link_text: str | None = None
    """What the link says, where the file is one."""
    bom_dropped: bool = False
    """Three bytes less are loaded, and offsets differ by them."""
    cut: CutPlace | None = None

    def to_json(self) -> dict[str, Any]:
        """The members as the output formats have them, without tokens."""
        return {
            "state": self.state,
            "path": self.path,
            "scope": self.scope,
            "sha256": self.sha256,
            "reason": self.reason,
            "size_bytes": self.size_bytes,
            "loaded_bytes": self.loaded_bytes,
            "note": self.note,
            "link": self.link_text,
        }


class Chain(NamedTuple):
    """The chain of one end folder, or of several together."""

    rows: tuple[ChainRow, ...]
    """Walked folders root first, each with what was passed and hidden there; then what is never
    read; then what lies below."""
    texts: Mapping[str, bytes]
    """What each file whose state is `in` or `cut` adds, by path, in order; valid UTF-8."""
    total_bytes: int
    """Sum of `loaded_bytes`."""
    limit_bytes: int
    findings: tuple[Finding, ...]
    """Gravest first, then by code, then root first."""
    on_overflow: Literal["refuse", "cut"] = "refuse"
    """That of the rules."""

    @property
    def lost(self) -> tuple[ChainRow, ...]:
        """The files of which something is missing that was due."""
        return tuple(row for row in self.rows if row.state in {"cut", "lost"})


def clean_fallbacks(names: Iterable[str]) -> tuple[str, ...]:
    """The configured names as Codex takes them.

    Trimmed; empty ones, repeated ones and those that are no bare file name are passed over.
    """
    clean: dict[str, None] = {}
    for name in names:
        bare = name.strip(WHITE_SPACE)
        if bare and bare not in {".", ".."} and not {"/", "\0"} & set(bare):
            clean[bare] = None
    for usual in (OVERRIDE_NAME, REGULAR_NAME):
        clean.pop(usual, None)
    return tuple(clean)


def leaves_top(entry: Entry, top: str) -> bool:
    """Whether a file really lies outside the folder where the walk starts."""
    if entry.kind is EntryKind.OUTSIDE_LINK:
        return True
    if entry.real_path is None or entry.real_path == entry.path:
        return False
    if entry.real_path.startswith("/"):
        return True
    if not top:
        return False
    return not entry.real_path.startswith(f"{top}/")


def is_unsafe_hard_link(entry: Entry) -> bool:
    """A file of another user that has a second name: whose it is can't be told by its place."""
    return entry.names > 1 and entry.is_foreign


def is_allowed_outside(entry: Entry) -> bool:
    """A file outside the root that the tree gives all the same: the host or the agent allows it."""
    return entry.kind is EntryKind.FILE and (entry.real_path or "").startswith("/")


def join_path(folder: str, name: str) -> str:
    """A root-relative path of a folder and a name in it."""
    return f"{folder}/{name}" if folder else name


def parent_folder(path: str) -> str:
    """The folder of a root-relative path, `""` for the root."""
    return path.rpartition("/")[0]


def folders_down_to(folder: str, *, top: str = "") -> tuple[str, ...]:
    """The folders from `top` down to the folder, both included.

    Only the folder itself where it does not lie at or below `top`.
    """
    if folder == top:
        return (top,)
    prefix = f"{top}/" if top else ""
    if not folder.startswith(prefix):
        return (folder,)
    chain = [top]
    position = len(prefix)
    while (end := folder.find("/", position)) >= 0:
        chain.append(folder[:end])
        position = end + 1
    return (*chain, folder)
