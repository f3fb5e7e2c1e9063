"""`tools pin` and `tools approve`: the two ways in which a pin comes to be what it is.

Pin creates and never replaces, approve replaces and never creates; both write the worktree's
files and one entry of its lock, or nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from assembler.adapters.filesystem import (
    create_file_atomically,
    read_host_file,
    write_file_atomically,
)
from assembler.adapters.secret_scan import scan_secrets
from assembler.assess.catalog_drift import CatalogDrift, compare_catalog
from assembler.assess.hidden_text import find_hidden
from assembler.config.listing import shorten_name
from assembler.config.lock import LOCK, read_lock
from assembler.config.pin import PINS_FOLDER, pin_place, write_pin
from assembler.discover.tools import definition_problem
from assembler.errors import ServerError, UsageError
from assembler.front.catalog_source import Source
from assembler.front.counting import counters
from assembler.front.profiles import MAX_CONFIG_BYTES, read_document
from assembler.front.tool_checking import read_ignore, require_pin, take_catalog
from assembler.front.tool_listing import count_tools
from assembler.front.tool_place import ToolWork, open_tool_work, require_server_name
from assembler.front.tool_terms import allowed_tools
from assembler.model.canonical import canonical_bytes
from assembler.model.catalog import Catalog, Pin, pin_catalog
from assembler.model.finding import Finding
from assembler.model.pointers import has_member, parse_pointer
from assembler.record.lock import put_entry

_DIGEST: Final = re.compile(r"(?:sha256:)?([0-9a-f]{64})\Z")


class PinnedTool(NamedTuple):
    """One tool as it was shown to whoever pins it."""

    name: str
    digest: str
    tokens: int | None
    is_allowed: bool
    wire: Mapping[str, object]
    problem: str | None
    """What keeps the definition from standing in a request."""
    hidden: tuple[Finding, ...]
    """Characters of it that nobody sees."""


class PinReport(NamedTuple):
    """What `tools pin` or `tools approve` did, or found."""

    server: str
    place: str
    pin: Pin
    """As it is now; of a refused approval the listing as it would be pinned."""
    tools: tuple[PinnedTool, ...]
    instructions_text: str | None
    drift: CatalogDrift | None
    """Beside the pin that was there before; None: there was none."""
    is_written: bool
    is_locked: bool
    """Whether the lock's entry was rewritten too."""
    wanted: tuple[str, ...]
    """Digests that an approval has to give."""
    allowed: frozenset[str]
    unit: str


def pin_server(
    cwd: Path,
    server: str,
    source: Source,
    *,
    environment: Mapping[str, str],
    ignore: Sequence[str] = (),
    profile: str | None = None,
    host: Path | None = None,
) -> PinReport:
    """Write the first pin of a server; where there is one, say what differs and write nothing.

    Args:
        cwd: where the command was given; absolute, links resolved.
        server: its name in profile and host manifest.
        source: saved pages, or the server itself.
        environment: for the user's folders and the documented variables.
        ignore: JSON pointers to members of each tool that no digest covers.
        profile: a name or a file; says what is allowed.
        host: the host manifest.

    Raises:
        UsageError, ConfigError, ServerError: the listing can't be had, is none or is empty, or a
            pin that can't be read is in its place.
    """
    require_server_name(server)
    pointers = [read_ignore(pointer) for pointer in ignore]
    with open_tool_work(cwd, environment=environment, profile=profile, host=host) as work:
        # A pin in a broken file is not overwritten either.
        is_there = server in work.pinned
        old = require_pin(work, server) if is_there else None
        listed = take_catalog(work, server, source)
        _require_tools(server, listed)
        _refuse_secrets(listed)
        _require_matches(pointers, listed)
        new = pin_catalog(server, listed, pointers if old is None else old.ignore)
        drift = None if old is None else compare_catalog(old, listed)
        report = _report(work, new if old is None else old, listed, drift, environment)
        if old is not None:
            if pointers and tuple(sorted(set(pointers))) != old.ignore:
                raise UsageError(
                    "tool-pin-exists",
                    f"{pin_place(server)} is there, with another list of what digests leave out",
                    where=pin_place(server),
                    next_step=f"assembler tools approve {server} --ignore POINTER",
                )
            return report
        return _write(work, report, is_new=True)


def approve_server(
    cwd: Path,
    server: str,
    source: Source,
    digests: Sequence[str],
    *,
    environment: Mapping[str, str],
    ignore: Sequence[str] = (),
    profile: str | None = None,
    host: Path | None = None,
) -> PinReport:
    """Replace the pin of a server by what is listed now, where that is what was reviewed.

    Args:
        cwd: where the command was given; absolute, links resolved.
        server: its name in profile and host manifest.
        source: saved pages, or the server itself.
        digests: what was reviewed: of the catalog, and of the server's instructions where they
            changed; whole ones.
        environment: for the user's folders and the documented variables.
        ignore: JSON pointers beside those of the pin.
        profile: a name or a file; says what is allowed.
        host: the host manifest.

    Returns:
        A report; nothing was written where a digest of `wanted` was not given.

    Raises:
        UsageError, ConfigError, ServerError: there is no pin, the listing can't be had, is none
            or is empty, or a digest is not a whole one.
    """
    require_server_name(server)
    given = {_read_digest(digest) for digest in digests}
    pointers = [read_ignore(pointer) for pointer in ignore]
    with open_tool_work(cwd, environment=environment, profile=profile, host=host) as work:
        old = require_pin(work, server)
        compared = require_pin(work, server, ignore=pointers)
        listed = take_catalog(work, server, source)
        _require_tools(server, listed)
        _refuse_secrets(listed)
        _require_matches(pointers, listed)
        drift = compare_catalog(compared, listed)
        known = listed if listed.identity.is_live else listed._replace(identity=old.identity)
        new = pin_catalog(server, known, compared.ignore)
        report = _report(work, new, listed, drift, environment)
        is_same = write_pin(new) == write_pin(old) and not _is_lock_stale(work, report)
        # A digest of something else was reviewed, and is not what is listed and pinned.
        if is_same and (not given or new.catalog in given):
            return report
        wanted = _wanted_digests(new, drift)
        if not set(wanted) <= given:
            return report._replace(wanted=wanted)
        return _write(work, report, is_new=False)


def _wanted_digests(new: Pin, drift: CatalogDrift) -> tuple[str, ...]:
    """What somebody has to have reviewed: the catalog, and text that no tool's digest covers."""
    changed = {change.field for change in drift.identity}
    instructions = new.identity.instructions if "instructions" in changed else None
    return (new.catalog, *([] if instructions is None else [instructions]))


def _read_digest(text: str) -> str:
    found = _DIGEST.match(text)
    if found is None:
        raise UsageError(
            "digest-invalid",
            "--digest takes the whole digest that was reviewed: sha256: and 64 hex digits",
            where=text[:80],
            next_step="copy it from the last line of `assembler tools check`",
        )
    return f"sha256:{found.group(1)}"


def _require_tools(server: str, listed: Catalog) -> None:
    if not listed.tools:
        raise ServerError(
            "tool-listing-empty",
            f"could not check {server}: it lists no tools, and nothing is no catalog to approve",
            where=server,
            next_step="look at why it lists none: a missing credential, another command",
        )


def _refuse_secrets(listed: Catalog) -> None:
    """Refuse to keep a secret in a file of the repository, or to print it."""
    for tool in listed.tools.values():
        hits = scan_secrets(canonical_bytes(tool.wire))
        if hits:
            raise UsageError(
                "secret-in-text",
                f"{shorten_name(tool.name)} holds what has the form of a secret ({hits[0].rule})",
                where=shorten_name(tool.name),
                next_step="rotate it, and ask the server's author: a definition is sent to models",
            )


def _require_matches(pointers: Sequence[str], listed: Catalog) -> None:
    """Refuse a pointer that leaves out nothing: whoever gave it meant something else."""
    for pointer in pointers:
        steps = parse_pointer(pointer)
        if not any(has_member(tool.wire, steps) for tool in listed.tools.values()):
            raise UsageError(
                "ignore-invalid",
                f"--ignore {pointer} is a member of no tool",
                where=pointer,
                next_step="a pointer starts at the tool: /_meta/example.org~1count",
            )


def _report(
    work: ToolWork,
    pin: Pin,
    listed: Catalog,
    drift: CatalogDrift | None,
    environment: Mapping[str, str],
) -> PinReport:
    server = work.policy.profile.tools.servers.get(pin.server)
    allowed = allowed_tools(pin.server, server, work.policy)
    with counters(environment) as open_counter:
        counter = open_counter(work.policy.profile.counter)
        counts = count_tools([*pin.tools.values()], counter)
        tools = tuple(
            PinnedTool(
                name=tool.name,
                digest=tool.digest,
                tokens=tokens,
                is_allowed=tool.name in allowed,
                wire=tool.wire,
                problem=definition_problem(tool.wire),
                hidden=find_hidden(canonical_bytes(tool.wire), tool.name),
            )
            for tool, tokens in zip(pin.tools.values(), counts, strict=True)
        )
        return PinReport(
            server=pin.server,
            place=pin_place(pin.server),
            pin=pin,
            tools=tools,
            instructions_text=listed.instructions_text,
            drift=drift,
            is_written=False,
            is_locked=False,
            wanted=(),
            allowed=allowed,
            unit=counter.unit,
        )


def _write(work: ToolWork, report: PinReport, *, is_new: bool) -> PinReport:
    """Put the pin into the worktree, and its digest into the lock where there is one."""
    root = work.workplace.root
    lock = _locked(work, report)
    folder = root
    for name in PINS_FOLDER.split("/"):
        folder /= name
        if folder.is_symlink():
            raise UsageError(
                "path-outside",
                f"{folder.relative_to(root)} is a link; nothing was written",
                where=str(folder.relative_to(root)),
                next_step="make it a folder of the repository",
            )
        folder.mkdir(exist_ok=True)
    put = create_file_atomically if is_new else write_file_atomically
    put(root / report.place, write_pin(report.pin))
    if lock is not None:
        write_file_atomically(root / LOCK, lock)
    return report._replace(is_written=True, is_locked=lock is not None)


def _is_lock_stale(work: ToolWork, report: PinReport) -> bool:
    """Whether the lock has another digest than the pin."""
    locked = work.place.locked.get(report.server)
    return locked is not None and locked != report.pin.catalog


def _locked(work: ToolWork, report: PinReport) -> bytes | None:
    """The lock with the pin's digest; None: there is no lock."""
    path = work.workplace.root / LOCK
    if path.is_symlink() or not path.is_file():
        return None
    data = read_host_file(path, limit_bytes=MAX_CONFIG_BYTES)
    read_lock(data, path=LOCK, read_document=read_document)
    entry = {
        "kind": "catalog",
        "name": report.server,
        "sha256": report.pin.catalog.removeprefix("sha256:"),
        "tokens": sum(tool.tokens or 0 for tool in report.tools),
    }
    return put_entry(data, entry)
