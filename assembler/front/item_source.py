"""The source of a recorded item, read again where its row says that it was: equal, or not.

In: a ledger row, the package's bytes, a repository. Out: digests of both, and the bytes.
A rule of the read grant holds for this as for a run: what it closes now is not opened now.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from assembler.adapters.filesystem import read_host_file
from assembler.adapters.folder_tree import WORKTREE
from assembler.adapters.git import GitRepository
from assembler.adapters.secret_scan import scan_secrets
from assembler.adapters.store import Store
from assembler.authorize.read_scope import ReadScope, authorize_evidence
from assembler.discover.evidence import SHOWN_DIGITS
from assembler.errors import UsageError
from assembler.front.places import Workplace, find_workplace, state_folder
from assembler.front.policy import load_policy
from assembler.front.records import MAX_FILE_BYTES, is_package_folder, require_object
from assembler.front.trees import open_workplace_tree
from assembler.model.digest import sha256_hex
from assembler.model.limits import MAX_ITEM_BYTES, bounded_name
from assembler.model.lines import join_lines
from assembler.model.paths import normal_path
from assembler.model.symbols import write_ranges
from assembler.model.tree import Denied, EntryKind
from assembler.ports import SourceTree

MARK: Final = b"\xef\xbb\xbf"
_COMMIT: Final = r"(?:[0-9a-f]{40}|[0-9a-f]{64})\Z"
_RANGES: Final = r"#(L[0-9]+-L[0-9]+(?:,L[0-9]+-L[0-9]+)*)\Z"
_DIGEST: Final = r"sha256:[0-9a-f]{64}\Z"
_PAYLOADS: Final = ("tool-observation", "issue")
_OTHER_SOURCES: Final = {
    "task": "the task that the invoker gave",
    "question": "the task that the invoker gave",
    "example": "the task that the invoker gave",
    "work": "the task and the rows of evidence",
    "tool": "the definitions that the profile names (tools.definitions)",
    "mcp-tool": "the pinned catalog of its server: assembler tools list",
    "skill-entry": "the head of a SKILL.md: assembler skills show NAME",
    "skill": "the text of a SKILL.md: assembler skills show NAME",
    "skill-reference": "a file of a skill's folder: assembler skills show NAME",
}


class ItemSource(NamedTuple):
    """What became of the source of an item."""

    verdict: str
    """`equal`, `differs`, `unreadable`, or `none` where there is nothing to compare."""
    text: str
    """What it means, in words."""
    address: str | None
    """`PATH#L1-L9`, as the row has it."""
    at: str | None
    """The commit that was read, or `worktree`."""
    recorded_sha256: str | None
    current_sha256: str | None
    body: bytes | None
    """The source as it stands there; of one that can't be read what was recorded."""


class _Address(NamedTuple):
    """Where the bytes of an item come from."""

    path: str
    ranges: tuple[tuple[int, int], ...]
    """Lines, both included; none: the whole file."""


def read_item_source(
    row: Mapping[str, Any],
    run: str,
    cwd: Path,
    *,
    environment: Mapping[str, str],
    profile: str | None,
    host: Path | None,
) -> ItemSource:
    """Read the source of an item again and compare it with what is on record.

    Args:
        row: of the ledger.
        run: a number, `last`, or a package folder.
        cwd: absolute, links resolved.
        environment: for the user's folders.
        profile: a name or a file, whose read grant holds now.
        host: the host manifest.

    Raises:
        UsageError: the record can't be read; ConfigError: the grant can't.
    """
    recorded = row["content_sha256"]
    if row["access"] == "denied":
        return _nothing("a rule of the read grant closed it: it was never opened", None)
    if recorded is None:
        return _nothing("the run had no bytes of it", None)
    workplace = find_workplace(cwd)
    own = _recorded_bytes(recorded, run, cwd, workplace, environment)
    told = row["source"]
    if row["kind"] in _OTHER_SOURCES and told is None:
        text = f"its source is {_OTHER_SOURCES[row['kind']]}"
        return _nothing(text, recorded, own)
    if not workplace.is_repository:
        return _unreadable("there is no repository here to read it from", None, recorded, own)
    git = GitRepository(workplace.places, environment=environment)
    try:
        return _compare(row, own, _Place(workplace, git, cwd, environment, profile, host))
    finally:
        git.close()


class _Place(NamedTuple):
    """Where a source is read again, and under which grant."""

    workplace: Workplace
    git: GitRepository
    cwd: Path
    environment: Mapping[str, str]
    profile: str | None
    host: Path | None

    def open(self, at: str) -> SourceTree:
        """The tree of a commit, or the worktree."""
        return open_workplace_tree(self.workplace, self.git, at, self.environment)


def _compare(row: Mapping[str, Any], own: bytes, place: _Place) -> ItemSource:
    recorded = str(row["content_sha256"])
    is_payload = row["kind"] in _PAYLOADS
    revision = row["revision"]
    is_commit = not is_payload and revision is not None and re.match(_COMMIT, revision)
    # What was seen at a revision names it as somebody wrote it.
    is_seen = row["kind"] == "source" and revision is not None and _is_seen_at(row, revision)
    at = str(revision) if is_commit or is_seen else "worktree"
    worktree = place.open("worktree")
    try:
        # A branch may be called `worktree`, so what is a name here is made an id.
        tree = place.open(place.git.resolve(at).id) if is_commit or is_seen else worktree
    except UsageError as error:
        return _unreadable(f"{error.message}: {at}", None, recorded, own)
    addresses = _find_addresses(row, tree)
    if not addresses:
        text = "its row names no file of the repository"
        if re.match(_DIGEST, row["id"].partition(":")[2]):
            text = "its id stands by a digest, which is that of no file's path here"
        if row["source"] is not None:
            text += f"; its source is {row['source']}"
        return _nothing(text, recorded, own)
    scope = load_policy(
        place.workplace, worktree, profile=place.profile, host=place.host, base=place.cwd,
        environment=place.environment,
    ).read_scope()  # fmt: skip
    # A file may be called like a part of another: the bytes tell which of the two it was.
    found = [_read_again(row, own, address, tree=tree, scope=scope, at=at) for address in addresses]
    return next((source for source in found if source.verdict == "equal"), found[0])


def _is_seen_at(row: Mapping[str, Any], revision: str) -> bool:
    """Whether an id says that it is of a revision; one that stands by a digest can't."""
    identifier = str(row["id"])
    is_digest = re.match(_DIGEST, identifier.partition(":")[2]) is not None
    return identifier.endswith(f"@{revision}") or (is_digest and revision != WORKTREE)


def _read_again(
    row: Mapping[str, Any],
    own: bytes,
    address: _Address,
    *,
    tree: SourceTree,
    scope: ReadScope,
    at: str,
) -> ItemSource:
    """What one place has now, if it may be read."""
    recorded = str(row["content_sha256"])
    named = _spell(address)
    entry = tree.look_up([address.path])[address.path]
    permission = authorize_evidence(entry, scope)
    if isinstance(permission, Denied):
        # Now a rule closes it, so nothing of it is shown, what was recorded included.
        return _unreadable(f"{permission.rule} closes it now; not opened", named, recorded, None)
    if entry.kind is not EntryKind.FILE:
        return _unreadable(f"no file is there: {entry.kind.value}", named, recorded, own, at)
    data = tree.read([permission], limit_bytes=MAX_ITEM_BYTES)[address.path]
    if not isinstance(data, bytes):
        return _unreadable(f"can't be read: {data.reason}", named, recorded, own, at)
    current = join_lines(data, address.ranges) if address.ranges else data
    return _judge(row, own, current, named, at, is_payload=row["kind"] in _PAYLOADS)


def _judge(
    row: Mapping[str, Any], own: bytes, current: bytes, named: str, at: str, *, is_payload: bool
) -> ItemSource:
    recorded = str(row["content_sha256"])
    shown = at[:12] if re.match(_COMMIT, at) else at
    where = "the payload file as it is now" if is_payload else f"{named} at {shown}"
    digest = sha256_hex(current)
    if digest == recorded:
        return ItemSource("equal", f"the bytes of {where}", named, at, recorded, digest, current)
    if row["kind"] == "instruction" and current in (MARK + own,):
        text = f"the bytes of {where}, without its byte order mark"
        return ItemSource("equal", text, named, at, recorded, sha256_hex(own), own)
    if row["kind"] == "instruction" and current.startswith(own) and row["version"] is not None:
        text = f"the first {len(own):,} bytes of {where}: it was cut"
        return ItemSource("equal", text, named, at, recorded, sha256_hex(own), own)
    text = f"the source changed since: {where} has other bytes"
    if scan_secrets(current):
        # What a run took was looked through; these bytes never were.
        text += ", and among them what has the form of a secret: not shown"
        return ItemSource("differs", text, named, at, recorded, digest, None)
    return ItemSource("differs", text, named, at, recorded, digest, current)


def _find_addresses(row: Mapping[str, Any], tree: SourceTree) -> list[_Address]:
    """Where an item may be from: as its source says, else as its id does; the likeliest first."""
    kind, _, name = row["id"].partition(":")
    seen = (f"@{row['revision']}", f"@sha256:{row['content_sha256'][:SHOWN_DIGITS]}")
    suffixes = seen if row["kind"] == "source" else seen[:1]
    found: list[_Address] = []
    if kind == "file" and re.match(_DIGEST, name):
        by_digest = _find_by_digest(name, seen, tree)
        found += [] if by_digest is None else [by_digest]
    texts = [row["source"], name if kind in ("file", "policy", "record") else None]
    for text in texts:
        if text is None or re.match(_DIGEST, text):
            continue
        plain = text
        for suffix in suffixes:
            plain = plain.removesuffix(suffix)
        found += [*_read_addresses(plain, tree), *_read_addresses(text, tree)]
    return list(dict.fromkeys(found))


def _find_by_digest(name: str, seen: tuple[str, ...], tree: SourceTree) -> _Address | None:
    """The whole file whose id is too long to be told, and stands there by its digest."""
    for entry in tree.list_files().entries:
        ids = (bounded_name(entry.path + suffix, prefix="file:") for suffix in ("", *seen))
        if f"file:{name}" in ids:
            return _Address(entry.path, ())
    return None


def _read_addresses(text: str, tree: SourceTree) -> list[_Address]:
    """The whole file that a text names, if there is one, and the lines of one that it may name."""
    if text.startswith(("~", "/")) or "//" in text:
        return []
    found = re.search(_RANGES, text)
    whole = normal_path(text)
    addresses: list[_Address] = []
    if whole and whole == text:
        is_there = found is None or tree.look_up([whole])[whole].kind is EntryKind.FILE
        addresses += [_Address(whole, ())] if is_there else []
    if found is not None:
        path = text[: found.start()]
        ranges = re.findall(r"L([0-9]+)-L([0-9]+)", found.group(1))
        if normal_path(path) == path:
            lines = tuple((int(first), int(last)) for first, last in ranges)
            addresses.append(_Address(path, lines))
    return addresses


def _spell(address: _Address) -> str:
    lines = write_ranges(address.ranges)
    return f"{address.path}#{lines}" if lines else address.path


def _recorded_bytes(
    digest: str, run: str, cwd: Path, workplace: Workplace, environment: Mapping[str, str]
) -> bytes:
    """The bytes on record, which must be those of their digest.

    Raises:
        UsageError: `store-corrupt`, `package-unreadable`.
    """
    if is_package_folder(run, cwd):
        data = read_host_file(cwd / run / "objects" / digest, limit_bytes=MAX_FILE_BYTES)
        if sha256_hex(data) != digest:
            raise UsageError(
                "package-unreadable",
                f"the package has other bytes under {digest[:12]}",
                where=digest,
                next_step=f"assembler verify {run}",
            )
        return data
    with Store(state_folder(environment, workplace)) as store:
        return require_object(store, digest)


def _nothing(text: str, recorded: str | None, body: bytes | None = None) -> ItemSource:
    return ItemSource("none", text, None, None, recorded, None, body)


def _unreadable(
    text: str, address: str | None, recorded: str, body: bytes | None, at: str | None = None
) -> ItemSource:
    return ItemSource("unreadable", text, address, at, recorded, None, body)
