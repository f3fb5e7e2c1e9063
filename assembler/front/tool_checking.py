"""`tools check`: what servers list now beside what was approved; never a pass for less."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from assembler.assess.catalog_drift import CatalogDrift, compare_catalog
from assembler.config.pin import check_ignore, pin_place
from assembler.discover.tool_schemas import outside_references
from assembler.discover.tools import definition_problem
from assembler.errors import AssemblerError, ConfigError, ServerError, UsageError
from assembler.front.catalog_source import Source, ask_server, read_named_listing, read_saved
from assembler.front.tool_place import ToolWork, open_tool_work, require_server_name
from assembler.front.tool_terms import allowed_tools, contradiction, find_pin, load_pin
from assembler.model.catalog import BINDABLE_NAME, Catalog, Pin, pin_catalog
from assembler.model.finding import Finding, Severity, make_finding
from assembler.model.pointers import has_member, parse_pointer


class ServerCheck(NamedTuple):
    """One server: in sync, drifted, or not to be checked."""

    server: str
    allowed: frozenset[str]
    pin: Pin | None
    listed: Catalog | None
    drift: CatalogDrift | None
    """None: it could not be checked."""
    failure: AssemblerError | None
    """Why not."""
    findings: tuple[Finding, ...] = ()
    """What is wrong beside the drift, or with what is allowed of it."""
    is_listed: bool = False
    """Whether the profile names a listing, so that runs see the drift too."""

    @property
    def is_in_sync(self) -> bool:
        """Whether it lists what was approved; nothing is no catalog, whatever was approved."""
        if self.drift is None or self.listed is None:
            return False
        return bool(self.listed.tools) and not self.drift.is_drift

    @property
    def is_clean(self) -> bool:
        """Whether it is what was approved, and what is allowed of it is there."""
        errors = any(finding.severity == "error" for finding in self.findings)
        return self.is_in_sync and not errors


class CheckReport(NamedTuple):
    """Every server that was checked."""

    servers: tuple[ServerCheck, ...]
    at: str
    revision: str | None
    profile: str


def check_tools(
    cwd: Path,
    source: Source,
    *,
    environment: Mapping[str, str],
    server: str | None = None,
    ignore: Sequence[str] = (),
    at: str = "worktree",
    profile: str | None = None,
    host: Path | None = None,
) -> CheckReport:
    """Servers beside their pins.

    Args:
        cwd: where the command was given; absolute, links resolved.
        source: what is listed now; nothing given: the listing that the profile names.
        environment: for the user's folders and the documented variables.
        server: one; None: every one that the profile names or that is pinned.
        ignore: JSON pointers to leave out of digests, beside those of the pin.
        at: where profile and pins are read.
        profile: a name or a file.
        host: the host manifest.

    Raises:
        UsageError, ConfigError: the command asks for what is not there.
    """
    if server is not None:
        require_server_name(server)
    elif source.files:
        raise UsageError(
            "server-name",
            "--from is the listing of one server, and none is named",
            next_step="assembler tools check SERVER --from LISTING",
        )
    pointers = [read_ignore(pointer) for pointer in ignore]
    with open_tool_work(cwd, environment=environment, at=at, profile=profile, host=host) as work:
        names = work.servers if server is None else (server,)
        checks = [check_server(work, name, source, ignore=pointers) for name in names]
        return CheckReport(
            tuple(with_collisions(work, checks)),
            at,
            work.place.tree.revision,
            work.policy.profile_name,
        )


def check_server(
    work: ToolWork, name: str, source: Source, *, ignore: Sequence[str] = ()
) -> ServerCheck:
    """One server beside its pin; what keeps it from being checked is a value here."""
    server = work.policy.servers.get(name)
    allowed = allowed_tools(name, server, work.policy)
    try:
        pin = require_pin(work, name, ignore=ignore)
        listed = take_catalog(work, name, source)
        require_matches(ignore, listed)
    except (ServerError, ConfigError, UsageError) as error:
        return ServerCheck(name, allowed, None, None, None, error)
    drift = compare_catalog(pin, listed)
    findings = [*find_contradictions(name, pin, work), *find_faults(name, pin, listed, allowed)]
    if any(change.kind == "removed" for change in drift.changes):
        # Skills are looked for only where one may have lost a tool.
        from assembler.front.tool_askers import find_askers

        findings += find_askers(work, pin, listed, drift)
    is_listed = server is not None and server.listing is not None
    return ServerCheck(name, allowed, pin, listed, drift, None, tuple(findings), is_listed)


def find_contradictions(name: str, pin: Pin, work: ToolWork) -> Iterator[Finding]:
    """Whether the host or the lock wants another pin than this one."""
    found = contradiction(pin, work.place)
    if found is not None:
        yield make_finding(
            "ASM302",
            pin_place(name),
            f"the pin {found.why}",
            fix=_fix_of_lock(name, pin, work)
            if found.is_of_lock
            else f"correct servers.{name}.catalog in the host manifest, or restore the pin",
            data={"server": name},
        )


def _fix_of_lock(name: str, pin: Pin, work: ToolWork) -> str:
    if work.judge is not None:
        return review_pin(work)
    return f"review it: assembler tools approve {name} --from LISTING --digest {pin.catalog}"


def review_pin(work: ToolWork) -> str:
    """What mends a pin that the policy's revision does not have: no command of this place."""
    return f"review the pin; it counts once it is in {work.judge}"


def require_pin(work: ToolWork, name: str, *, ignore: Sequence[str] = ()) -> Pin:
    """The pin of a server, with digests that leave these members out too.

    As its own file has it: a host or a lock that wants another one must not keep it from being
    replaced.

    Raises:
        ServerError: `tool-pin-missing`.
        ConfigError: `tool-pin-broken`, or the file can't be read.
    """
    found = find_pin(name, work.place)
    if found.pin is None:
        place = pin_place(name)
        missing = found.problem == "tool-pin-missing"
        raise ServerError(
            found.problem or "tool-pin-missing",
            f"could not check {name}: the pin {place} {'is ' if missing else ''}{found.why}",
            where=place,
            next_step=f"assembler tools pin {name} --from LISTING"
            if missing
            else "restore the file, or remove it and pin the server again after a review",
        )
    if not ignore:
        return found.pin
    pin = found.pin
    return pin_catalog(name, Catalog(pin.tools, pin.identity), [*pin.ignore, *ignore])


def take_catalog(work: ToolWork, name: str, source: Source) -> Catalog:
    """What the server lists now.

    Raises:
        UsageError, ConfigError, ServerError: as each source.
    """
    if source.live is not None:
        return ask_server(name, work.policy, source.live)
    if source.files:
        return read_saved(source.files)
    server = work.policy.servers.get(name)
    return read_named_listing(name, server, work.place)


def read_ignore(pointer: str) -> str:
    """A pointer of the command line.

    Raises:
        UsageError: `ignore-invalid`.
    """
    try:
        return check_ignore(pointer)
    except ValueError as error:
        raise UsageError(
            "ignore-invalid",
            f"--ignore {pointer} {error}",
            where=pointer,
            next_step="--ignore /_meta/example.org~1count",
        ) from None


def require_matches(pointers: Sequence[str], listed: Catalog) -> None:
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


def find_faults(name: str, pin: Pin, listed: Catalog, allowed: frozenset[str]) -> Iterator[Finding]:
    """What is wrong with the tools themselves, and with what is allowed of them."""
    place = pin_place(name)
    for tool in sorted(allowed - set(listed.tools)):
        pinned = "pinned, and no longer listed" if tool in pin.tools else "not listed"
        near = _nearest(tool, listed)
        yield make_finding(
            "ASM304",
            place,
            f"{tool} is allowed and {pinned}",
            fix=f"did you mean {near}?" if near else "correct the name in `allow`",
            data={"server": name, "tool": tool, "near": near},
        )
    for tool, definition in listed.tools.items():
        data = {"server": name, "tool": tool}
        severity: Severity = "error" if tool in allowed else "note"
        if not BINDABLE_NAME.match(tool):
            yield make_finding(
                "ASM308",
                place,
                f"{tool}: a request takes 1 to 64 of A-Z a-z 0-9 _ -",
                fix="ask the server's author",
                data=data,
                severity=severity,
            )
        problem = definition_problem(definition.wire)
        if problem is not None:
            yield make_finding(
                "ASM312",
                place,
                f"{tool}: {problem}",
                fix="ask the server's author",
                data={**data, "problem": problem},
                severity=severity,
            )
        for reference in outside_references(definition.wire.get("inputSchema")):
            yield make_finding(
                "ASM315",
                place,
                f"{tool}: {reference} leads out of the definition",
                fix="ask the server's author to use $defs",
                data={**data, "reference": reference},
            )


def _nearest(tool: str, listed: Catalog) -> str | None:
    import difflib

    near = difflib.get_close_matches(tool, listed.tools, n=1)
    return near[0] if near else None


def with_collisions(work: ToolWork, checks: Sequence[ServerCheck]) -> Iterator[ServerCheck]:
    """Tell each server of tools that another one, or a resident tool, would enter by too."""
    servers = work.policy.servers
    claims: dict[str, list[str]] = {}
    for name, server in sorted(servers.items()):
        for tool in allowed_tools(name, server, work.policy):
            claims.setdefault(tool, []).append(name)
    resident = {name for name in work.policy.resident if work.policy.is_granted(name)}
    for check in checks:
        found = []
        for tool in sorted(check.allowed):
            if len(claims.get(tool, ())) + (tool in resident) < 2:
                continue
            # A tool that can't enter takes nobody's name; pins are read where names meet alone.
            owners = [name for name in claims.get(tool, ()) if _would_enter(work, name, tool)]
            if tool in resident:
                owners.insert(0, "a resident tool")
            if len(owners) > 1 and check.server in owners:
                found.append(
                    make_finding(
                        "ASM305",
                        pin_place(check.server),
                        f"{tool} is allowed of {' and '.join(owners)}",
                        fix="allow one of the two",
                        data={"tool": tool, "owners": owners},
                    )
                )
        yield check._replace(findings=(*check.findings, *found))


def _would_enter(work: ToolWork, server: str, tool: str) -> bool:
    """Whether the pinned definition is one that a request can hold."""
    found = load_pin(server, work.place)
    if found.pin is None or tool not in found.pin.tools or not BINDABLE_NAME.match(tool):
        return False
    return definition_problem(found.pin.tools[tool].wire) is None
