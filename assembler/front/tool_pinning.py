"""`tools pin` and `tools approve`: the two ways in which a pin comes to be what it is.

Pin creates and never replaces, approve replaces and never creates. Both are planned here, so that
all of it can be shown before any of it is written.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from assembler.adapters.secret_scan import scan_secrets
from assembler.assess.catalog_drift import CatalogDrift, compare_catalog
from assembler.assess.hidden_text import find_hidden
from assembler.config.pin import pin_place, write_pin
from assembler.discover.tools import definition_problem
from assembler.errors import ServerError, UsageError
from assembler.front.catalog_source import Source
from assembler.front.counting import counters
from assembler.front.pin_writing import PinFile, is_lock_behind, write_pin_file
from assembler.front.tool_checking import (
    read_ignore,
    require_matches,
    require_pin,
    take_catalog,
)
from assembler.front.tool_listing import count_tools
from assembler.front.tool_place import ToolWork, open_tool_work, require_server_name
from assembler.front.tool_terms import MAX_LISTING_BYTES, allowed_tools, read_pin_bytes
from assembler.model.canonical import canonical_bytes
from assembler.model.catalog import Catalog, Pin, pin_catalog
from assembler.model.finding import Finding
from assembler.model.server import literal_credential

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
    """As it is, or is to be."""
    tools: tuple[PinnedTool, ...]
    instructions_text: str | None
    drift: CatalogDrift | None
    """Beside the pin that was there before; None: there was none."""
    due: PinFile | None
    """What is to be written, once all of this was shown; None: nothing."""
    wanted: tuple[str, ...]
    """Digests that an approval has to give, and that were not given."""
    is_written: bool = False
    is_locked: bool = False
    """Whether the lock's entry was written too."""
    allowed: frozenset[str] = frozenset()
    unit: str = "token"


def carry_out(report: PinReport) -> PinReport:
    """Write what is due; the report with what was written.

    Raises:
        UsageError, ConfigError: as `write_pin_file`.
    """
    if report.due is None:
        return report
    is_locked = write_pin_file(report.due)
    return report._replace(due=None, is_written=True, is_locked=is_locked)


def plan_pin(
    cwd: Path,
    server: str,
    source: Source,
    *,
    environment: Mapping[str, str],
    ignore: Sequence[str] = (),
    profile: str | None = None,
    host: Path | None = None,
) -> PinReport:
    """The first pin of a server, to be shown and written; of one that is there, what differs.

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
        require_matches(pointers, listed)
        if old is None:
            new = pin_catalog(server, listed, pointers)
            _refuse_credentials(new)
            return _due(work, _report(work, new, listed, None, environment), replaces=None)
        if pointers and tuple(sorted(set(pointers))) != old.ignore:
            raise UsageError(
                "tool-pin-exists",
                f"{pin_place(server)} is there, with another list of what digests leave out",
                where=pin_place(server),
                next_step=f"assembler tools approve {server} --from LISTING --ignore POINTER",
            )
        drift = compare_catalog(old, listed)
        report = _report(work, old, listed, drift, environment)
        if drift.is_drift or server in work.place.locked:
            return report
        # A lock that was made later lacks the entry; it says nothing else of this pin.
        if not is_lock_behind(work.workplace.root, server, old.catalog):
            return report
        return _due(work, report, replaces=read_pin_bytes(server, work.place))


def plan_approval(
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
    """What is listed now in the place of a server's pin, where that is what was reviewed.

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
        A report; nothing is due where a digest of `wanted` was not given.

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
        require_matches(pointers, listed)
        drift = compare_catalog(compared, listed)
        known = listed if listed.identity.is_live else listed._replace(identity=old.identity)
        new = pin_catalog(server, known, compared.ignore)
        _refuse_credentials(new)
        report = _report(work, new, listed, drift, environment)
        wanted = _wanted_digests(old, new)
        is_same = write_pin(new) == write_pin(old)
        if is_same and not is_lock_behind(work.workplace.root, server, new.catalog):
            # A digest of something else was reviewed, and is not what is listed and pinned.
            return report._replace(wanted=wanted) if given and new.catalog not in given else report
        if not set(wanted) <= given:
            return report._replace(wanted=wanted)
        return _due(work, report, replaces=read_pin_bytes(server, work.place))


def _wanted_digests(old: Pin, new: Pin) -> tuple[str, ...]:
    """What somebody has to have reviewed: the catalog, and text that no tool's digest covers."""
    instructions = new.identity.instructions
    if instructions is None or instructions == old.identity.instructions:
        return (new.catalog,)
    return (new.catalog, instructions)


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


def _refuse_credentials(pin: Pin) -> None:
    """Refuse a launch with a credential in it: the pin is a file of the repository."""
    words = [str(pin.identity.url or "")]
    if pin.identity.launch is not None:
        words += [pin.identity.launch["command"], *pin.identity.launch["arguments"]]
    found = literal_credential(words)
    if found is not None or any(scan_secrets(word.encode("utf-8")) for word in words):
        raise UsageError(
            "launch-holds-credential",
            f"the host manifest reaches {pin.server} with a credential written out"
            + (f" ({found})" if found else ""),
            where=pin.server,
            next_step=f"servers.{pin.server}: write ${{NAME}} for it, and NAME under `environment`",
        )


def _report(
    work: ToolWork,
    pin: Pin,
    listed: Catalog,
    drift: CatalogDrift | None,
    environment: Mapping[str, str],
) -> PinReport:
    server = work.policy.servers.get(pin.server)
    allowed = allowed_tools(pin.server, server, work.policy)
    with counters(environment) as open_counter:
        counter = open_counter(work.policy.counter)
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
            due=None,
            wanted=(),
            allowed=allowed,
            unit=counter.unit,
        )


def _due(work: ToolWork, report: PinReport, *, replaces: bytes | None) -> PinReport:
    """The report with what is to be written.

    Raises:
        UsageError: `size-limit`: nothing could read it back.
    """
    data = write_pin(report.pin)
    if len(data) > MAX_LISTING_BYTES:
        raise UsageError(
            "size-limit",
            f"the pin of {report.server} would have {len(data):,} bytes, and "
            f"{MAX_LISTING_BYTES:,} are read",
            where=report.place,
            next_step="ask the server's author: definitions this long fit no window",
        )
    return report._replace(
        due=PinFile(
            root=work.workplace.root,
            place=report.place,
            server=report.server,
            catalog=report.pin.catalog,
            tokens=sum(tool.tokens or 0 for tool in report.tools),
            data=data,
            replaces=replaces,
        )
    )
