"""The second door: an inventory from a host that did its own discovery."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from assembler.adapters.filesystem import read_file, read_host_file
from assembler.adapters.folder_tree import FolderTree
from assembler.adapters.git import GitRepository
from assembler.adapters.json_documents import read_json_value
from assembler.adapters.store import Store
from assembler.adapters.trees import RevisionTree
from assembler.adapters.yaml_events import read_yaml
from assembler.assess.normal_form import normalise
from assembler.authorize.read_scope import ReadScope, authorize_evidence
from assembler.config.inventory import parse_inventory
from assembler.config.inventory_limits import check_limits
from assembler.errors import ConfigError, UsageError
from assembler.front.counting import counters
from assembler.front.package_folder import require_free_folder
from assembler.front.places import Workplace, find_workplace, state_folder
from assembler.front.policy import host_read_scope
from assembler.front.recording import (
    NOTHING_MORE,
    RecordedRun,
    Terms,
    Wanted,
    compile_on_record,
)
from assembler.model.candidate import Absent, FromPath
from assembler.model.digest import sha256_hex
from assembler.model.limits import MAX_INVENTORY_BYTES, MAX_ITEM_BYTES
from assembler.model.lines import whole_lines
from assembler.model.paths import normal_path
from assembler.model.tree import Denied, EntryKind
from assembler.ports import SourceTree

MAX_NODES = 4_000_000
_MISSING = Absent("unreadable")


def compile_inventory_file(
    path: Path | None,
    data: bytes | None,
    *,
    cwd: Path,
    environment: Mapping[str, str],
    host: Path | None = None,
    wanted: Wanted = NOTHING_MORE,
) -> RecordedRun:
    """Compile and record an explicit inventory.

    Args:
        path: its file; digests are looked for in `objects/` beside it, then in the record.
        data: its bytes where it came another way.
        cwd: what the paths of contents are read under (its repository's root, else itself).
        environment: for the user's folders.
        host: the host manifest; its deny rules govern the paths of contents.
        wanted: a folder for the package, and what else is wanted of the run.

    Raises:
        ConfigError: the inventory is malformed: no event, exit 2.
        UsageError: what was named is missing.
        RefusedError: the run is refused, on record.
    """
    if wanted.out is not None:
        require_free_folder(wanted.out)
    if data is None:
        assert path is not None  # one of the two is given
        data = _read_file(path)
    place = "standard input" if path is None else path.name
    inventory = parse_inventory(_read_value(data, place))
    workplace = find_workplace(cwd)
    scope = host_read_scope(host, environment)
    with (
        Store(state_folder(environment, workplace), checkpoint=wanted.checkpoint) as store,
        counters(environment) as counter_source,
        _reader(workplace, scope) as read_path,
    ):
        beside = None if path is None else path.parent / "objects"
        if beside is not None and not beside.is_dir():
            beside = None
        normal, contents = normalise(
            inventory,
            read_path=read_path,
            read_object=lambda digest: _find_object(digest, beside, store),
        )
        check_limits(normal, contents)
        return compile_on_record(
            normal,
            contents,
            Terms(store, workplace.chain_key, counter_source, wanted),
        )


def _read_file(path: Path) -> bytes:
    try:
        return read_host_file(path, limit_bytes=MAX_INVENTORY_BYTES)
    except UsageError as error:
        if error.code != "size-limit":
            raise
        raise ConfigError(
            "inventory-limit",
            f"inventory: larger than {MAX_INVENTORY_BYTES:,} bytes",
            where=path.name,
            next_step="name contents by digest, with their bytes in objects/ beside it",
        ) from None


def _read_value(data: bytes, place: str) -> object:
    """JSON where it looks like JSON, else YAML; the same value either way."""
    if data.startswith(b"\xef\xbb\xbf"):
        raise ConfigError(
            "inventory-unreadable",
            f"{place}: starts with a byte order mark",
            where=f"{place}:1:1",
            next_step="save it as UTF-8 without one",
        )
    try:
        if data.lstrip(b" \t\r\n").startswith(b"{"):
            return read_json_value(data, limit_bytes=MAX_INVENTORY_BYTES, max_depth=64)
        document = read_yaml(data, limit_bytes=MAX_INVENTORY_BYTES, max_nodes=MAX_NODES)
    except ConfigError as error:
        raise ConfigError(
            "inventory-unreadable",
            f"{place}: {error.message}",
            where=f"{place}:{error.where}",
            next_step="write strict JSON, or YAML without anchors and tags",
        ) from None
    return document.value


def _find_object(digest: str, beside: Path | None, store: Store) -> bytes | None:
    """Bytes of a digest, checked: from the folder beside the inventory, else from the record."""
    if beside is not None:
        found = read_file(beside, digest, limit_bytes=MAX_ITEM_BYTES)
        if isinstance(found, bytes):
            if sha256_hex(found) != digest:
                raise ConfigError(
                    "inventory-content-differs",
                    "the bytes of an object are not those of its name",
                    where=f"objects/{digest}",
                    next_step="restore the file",
                )
            return found
        if found.reason == "size-limit":
            raise _too_large(f"objects/{digest}")
    return store.read_object(digest)


def _too_large(place: str) -> ConfigError:
    """A file that the inventory names: what a room discovers is a row instead."""
    return ConfigError(
        "inventory-limit",
        f"inventory: content over {MAX_ITEM_BYTES:,} bytes",
        where=place,
        next_step="offer a part of it as a file, text or digest of its own",
    )


@contextmanager
def _reader(
    workplace: Workplace, scope: ReadScope
) -> Iterator[Callable[[FromPath, str | None], bytes | Absent]]:
    """Reads contents by path: a revision from git objects, none from the files as they are."""
    trees: dict[str | None, SourceTree | None] = {}
    git = GitRepository(workplace.places) if workplace.is_repository else None

    def tree_of(revision: str | None) -> SourceTree | None:
        if revision not in trees:
            trees[revision] = _open_tree(workplace, git, revision)
        return trees[revision]

    def read(named: FromPath, revision: str | None) -> bytes | Absent:
        path = normal_path(named.path)
        if path is None:
            return Absent("denied", rule="outside the root")
        tree = tree_of(revision)
        if tree is None:
            return _MISSING
        entry = tree.look_up([path])[path]
        permission = authorize_evidence(entry, scope)
        if isinstance(permission, Denied):
            return Absent("denied", rule=permission.rule)
        if entry.kind is not EntryKind.FILE:
            return _MISSING
        found = tree.read([permission], limit_bytes=MAX_ITEM_BYTES).get(path)
        if not isinstance(found, bytes):
            if found is not None and found.reason == "size-limit":
                raise _too_large(path)
            return _MISSING
        lines = found if named.lines is None else whole_lines(found, *named.lines)
        return _MISSING if lines is None else lines

    try:
        yield read
    finally:
        if git is not None:
            git.close()


def _open_tree(
    workplace: Workplace, git: GitRepository | None, revision: str | None
) -> SourceTree | None:
    if revision is None:
        return FolderTree(workplace.root)
    if git is None:
        return None
    try:
        return RevisionTree(git, git.resolve(revision).id)
    except UsageError:
        # A revision that is not here leaves the content unread; it is on record as that.
        return None
