"""Find and read a profile: by file, in the repository, among the user's, or built in.

Which of these it is says whose word it is. Nothing of the repository is read past a deny rule.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from assembler.adapters.filesystem import read_host_file
from assembler.authorize.read_scope import ReadScope, authorize_policy
from assembler.config.defaults import DEFAULT_PROFILE
from assembler.errors import ConfigError, UsageError
from assembler.front.places import Workplace, config_folder
from assembler.front.trees import PolicyRevision
from assembler.model.digest import sha256_hex
from assembler.model.paths import normal_path
from assembler.model.tree import Denied, EntryKind, Unreadable
from assembler.ports import SourceTree

if TYPE_CHECKING:
    from assembler.config.profile import Profile
    from assembler.model.document import Document

MAX_CONFIG_BYTES: Final = 1024 * 1024
READ_ATTEMPTS: Final = 5
"""Another process may put a new file in its place between the look at it and the reading."""


class LoadedProfile(NamedTuple):
    """A profile and where it came from."""

    profile: Profile
    name: str
    place: str
    sha256: str
    is_host_word: bool
    exception_lines: tuple[int, ...] = ()
    """Of each exception under `ignore`."""
    repository_path: str | None = None
    """Where the repository has it, or would; None: it is looked for outside alone."""


def read_document(data: bytes, path: str) -> Document:
    """A YAML document; what is wrong with it is told with the file's name."""
    # Most repositories have no such file, and then none of this is loaded, nor msgspec below.
    from assembler.adapters.yaml_events import read_yaml

    try:
        return read_yaml(data, limit_bytes=MAX_CONFIG_BYTES)
    except ConfigError as error:
        raise ConfigError(
            error.code,
            error.message,
            where=f"{path}:{error.where}",
            next_step=error.next_step or "mend it there; all keys: assembler schema NAME",
        ) from None


def load_profile(
    workplace: Workplace,
    tree: SourceTree,
    named: str | None,
    *,
    base: Path,
    environment: Mapping[str, str],
    scope: ReadScope,
    policy_from: PolicyRevision | None,
) -> LoadedProfile:
    """The profile of a run.

    Args:
        workplace: the repository.
        tree: where one inside the repository is read from.
        named: a name or a file, as given; None: the default one.
        base: what a relative file is relative to.
        environment: for the user's folder and the documented variable.
        scope: what the host keeps closed.
        policy_from: the revision that the invoker named for policy, if that is the tree.

    Raises:
        UsageError, ConfigError: it is missing, or does not say what it must.
    """
    named = named or environment.get("ASSEMBLER_PROFILE") or None
    trusted = policy_from is not None
    if named is None:
        found = read_policy_file(tree, DEFAULT_PROFILE, scope)
        if found is None:
            return _built_in()
        return _decode_inside(found, "profile", DEFAULT_PROFILE, is_host_word=trusted)
    if _looks_like_a_file(workplace, tree, named, base):
        return _load_profile_file(
            workplace, tree, named, base=base, scope=scope, policy_from=policy_from
        )
    inside = f".assembler/{named}.yaml"
    found = read_policy_file(tree, inside, scope)
    if found is not None:
        return _decode_inside(found, named, inside, is_host_word=trusted)
    user_folder = config_folder(environment)
    for folder in (*([user_folder] if user_folder else []), built_in_folder()):
        path = folder / f"{named}.yaml"
        if os.path.lexists(path):
            data = read_host_file(path, limit_bytes=MAX_CONFIG_BYTES)
            loaded = _decode_profile(data, named, path.name, is_host_word=True)
            return loaded._replace(repository_path=inside)
    raise _profile_missing(named, policy_from)


def _load_profile_file(
    workplace: Workplace,
    tree: SourceTree,
    named: str,
    *,
    base: Path,
    scope: ReadScope,
    policy_from: PolicyRevision | None,
) -> LoadedProfile:
    path = base / named
    inside = path_inside(workplace, named, base)
    if inside is None:
        data = read_host_file(path, limit_bytes=MAX_CONFIG_BYTES)
        return _decode_profile(data, path.stem, path.name, is_host_word=True)
    found = read_policy_file(tree, inside, scope)
    if found is None:
        raise _profile_missing(named, policy_from)
    return _decode_inside(found, path.stem, inside, is_host_word=policy_from is not None)


def path_inside(workplace: Workplace, named: str, base: Path) -> str | None:
    """The root-relative path of a file that is named; None: it lies outside.

    A name or a real place inside the repository makes it the repository's word.
    """
    path = base / named
    for place in (Path(os.path.normpath(path)), path.resolve()):
        if place.is_relative_to(workplace.root):
            return place.relative_to(workplace.root).as_posix()
    return None


def _decode_inside(data: bytes, name: str, place: str, *, is_host_word: bool) -> LoadedProfile:
    loaded = _decode_profile(data, name, place, is_host_word=is_host_word)
    return loaded._replace(repository_path=place)


def _built_in() -> LoadedProfile:
    from assembler.config.profile import BUILT_IN, to_plain
    from assembler.model.canonical import canonical_bytes

    return LoadedProfile(
        profile=BUILT_IN,
        name="built-in",
        place="built-in",
        sha256=sha256_hex(canonical_bytes(to_plain(BUILT_IN))),
        is_host_word=True,
        repository_path=DEFAULT_PROFILE,
    )


def _decode_profile(data: bytes, name: str, place: str, *, is_host_word: bool) -> LoadedProfile:
    from assembler.config.decoding import decode
    from assembler.config.profile import SCHEMA, Profile

    document = read_document(data, place)
    profile = decode(document, Profile, path=place, schema=SCHEMA)
    return LoadedProfile(
        profile=profile,
        name=name,
        place=place,
        sha256=sha256_hex(data),
        is_host_word=is_host_word,
        exception_lines=_exception_lines(profile, document, place),
    )


def _exception_lines(profile: Profile, document: Document, place: str) -> tuple[int, ...]:
    if not profile.ignore:
        return ()
    from assembler.front.exceptions import require_exceptions

    return require_exceptions(profile.ignore, document, place)


def _looks_like_a_file(workplace: Workplace, tree: SourceTree, named: str, base: Path) -> bool:
    """A path by its letters, or by what stands there: in the tree, where that is what is read."""
    if "/" in named or named.endswith((".yaml", ".yml")):
        return True
    if not base.is_relative_to(workplace.root):
        return (base / named).is_file()
    inside = normal_path((base / named).relative_to(workplace.root).as_posix())
    return inside is not None and tree.look_up([inside])[inside].kind is EntryKind.FILE


def read_policy_file(
    tree: SourceTree, path: str, scope: ReadScope, *, limit_bytes: int = MAX_CONFIG_BYTES
) -> bytes | None:
    """A policy file of the repository, or None where there is none.

    Raises:
        ConfigError: it is there and can't be read, or a deny rule keeps it closed.
    """
    found: bytes | Unreadable | None = None
    for _ in range(READ_ATTEMPTS):
        found = _read_policy_file(tree, path, scope, limit_bytes)
        if not isinstance(found, Unreadable):
            return found
        if found.reason != "changed-during-read":
            break
    raise _unreadable(path, found.reason if isinstance(found, Unreadable) else "missing")


def _read_policy_file(
    tree: SourceTree, path: str, scope: ReadScope, limit_bytes: int
) -> bytes | Unreadable | None:
    entry = tree.look_up([path])[path]
    if entry.kind is EntryKind.MISSING:
        return None
    permission = authorize_policy(entry, scope, "configuration")
    if isinstance(permission, Denied):
        raise ConfigError(
            "access-denied",
            f"{path} is denied by {permission.rule}",
            where=path,
            next_step="name another file, or lift the rule in the host manifest",
        )
    if entry.kind is not EntryKind.FILE:
        raise _unreadable(path, entry.kind.value)
    return tree.read([permission], limit_bytes=limit_bytes).get(path, Unreadable("missing"))


def _unreadable(path: str, reason: str) -> ConfigError:
    return ConfigError(
        "policy-unreadable",
        f"{path} can't be read: {reason}",
        where=path,
        next_step="make it a regular file of the repository",
    )


def built_in_folder() -> Path:
    """The profiles that come with the product: in the wheel, or beside the package."""
    package = Path(__file__).resolve().parent.parent
    shipped = package / "profiles"
    return shipped if shipped.is_dir() else package.parent / "profiles"


def _profile_missing(named: str, policy_from: PolicyRevision | None) -> UsageError:
    at = "" if policy_from is None else f" in {policy_from}"
    known = sorted(path.stem for path in built_in_folder().glob("*.yaml"))
    return UsageError(
        "profile-missing",
        f"no such profile{at}: {named}",
        where=named,
        next_step="name a file that is there"
        if named.endswith((".yaml", ".yml")) or "/" in named
        else f"write .assembler/{named}.yaml, or use one of: {', '.join(known)}",
    )
