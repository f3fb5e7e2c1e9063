"""What can be said of the tools of a repository without starting anything: one finding each.

A saved listing that the profile names is compared with the pin; a pin without one is looked at by
itself. What is wrong with a listing or a pin is a finding here, since a gate looks at all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from assembler.assess.catalog_drift import code_of_change, code_of_identity, compare_catalog
from assembler.config.pin import pin_place
from assembler.errors import AssemblerError, ConfigError
from assembler.front.catalog_source import Source
from assembler.front.tool_checking import (
    ServerCheck,
    check_server,
    find_contradictions,
    find_faults,
    review_pin,
    with_collisions,
)
from assembler.front.tool_place import ToolWork
from assembler.front.tool_terms import (
    ToolPlace,
    allowed_tools,
    find_pin,
    read_pin_bytes,
    resident_tools,
)
from assembler.model.catalog import Catalog
from assembler.model.catalogue import find_code
from assembler.model.finding import Finding, make_finding

SAVED = Source()
"""The listing that the profile names, and no server."""


class ToolsFound(NamedTuple):
    """The catalogs that were looked at, and what is wrong with them."""

    pins: tuple[str, ...]
    """Path of each pin that could be read."""
    findings: tuple[Finding, ...]


def find_tool_findings(work: ToolWork) -> ToolsFound:
    """Every finding of the servers that the profile names or that are pinned.

    Raises:
        UsageError, ConfigError: what was named can't be read, and no code says so.
    """
    checks = [_check(work, name) for name in work.servers]
    whole = with_collisions(work, checks)
    findings = [finding for check in whole for finding in _findings_of(check)]
    return ToolsFound(
        pins=tuple(pin_place(check.server) for check in checks if check.pin is not None),
        findings=(*findings, *_find_moved(work)),
    )


def find_definition_faults(place: ToolPlace) -> Iterator[Finding]:
    """Why no run could have its resident tools, where that is so.

    Args:
        place: where policy is read from.
    """
    try:
        resident_tools(place)
    except ConfigError as error:
        yield make_finding(
            find_code(error.code) or "ASM304",
            place.policy.definitions,
            f"{error.message}; no run can be made",
            fix=error.next_step,
        )


def _find_moved(work: ToolWork) -> Iterator[Finding]:
    """What pins say here that they do not say where they hold; a gone one is told as missing."""
    if work.approved is None:
        return
    for name in work.servers:
        if read_pin_bytes(name, work.place) == read_pin_bytes(name, work.approved):
            continue
        old, new = find_pin(name, work.approved).pin, find_pin(name, work.place).pin
        if old is None or new is None:
            continue
        catalog = Catalog(new.tools, new.identity)
        allowed = allowed_tools(name, work.policy.servers.get(name), work.policy)
        moved = ServerCheck(name, allowed, old, catalog, compare_catalog(old, catalog), None)
        fix = review_pin(work)
        yield from (finding._replace(fix=fix) for finding in _findings_of(moved))
        if sorted(old.ignore) != sorted(new.ignore):
            yield make_finding(
                "ASM302",
                pin_place(name),
                "the pin leaves out other members than the one that was approved",
                fix=fix,
                data={"server": name},
            )


def _check(work: ToolWork, name: str) -> ServerCheck:
    server = work.policy.servers.get(name)
    if server is not None and server.listing is not None:
        return check_server(work, name, SAVED)
    allowed = allowed_tools(name, server, work.policy)
    found = find_pin(name, work.place)
    if found.pin is None:
        code = found.problem or "tool-pin-missing"
        is_missing = code == "tool-pin-missing"
        finding = make_finding(
            find_code(code) or "ASM301",
            pin_place(name),
            f"the pin of {name} {'is ' if is_missing else ''}{found.why}",
            fix=f"assembler tools pin {name} --from LISTING"
            if is_missing
            else "restore the file, or pin the server again after a review",
            data={"server": name},
        )
        return ServerCheck(name, allowed, None, None, None, None, (finding,))
    pin = found.pin
    faults = find_faults(name, pin, Catalog(pin.tools, pin.identity), allowed)
    findings = (*find_contradictions(name, pin, work), *faults)
    return ServerCheck(name, allowed, pin, None, None, None, findings)


def _findings_of(check: ServerCheck) -> Iterator[Finding]:
    if check.failure is not None:
        yield _failure(check.server, check.failure)
    yield from check.findings
    drift = check.drift
    if drift is None:
        return
    place = pin_place(check.server)
    for change in drift.changes:
        is_allowed = change.name in check.allowed
        code = code_of_change(change, is_allowed=is_allowed)
        if code == "ASM304":
            continue  # it is told of everything that is allowed and not listed
        words = {"added": "is new", "changed": "is not what was approved", "removed": "is gone"}
        yield make_finding(
            code,
            place,
            f"{change.name} {words[change.kind]}{'' if is_allowed else '; not allowed'}",
            fix=f"look at it: assembler tools check {check.server}",
            data={
                "server": check.server,
                "tool": change.name,
                "pinned": change.old_digest,
                "listed": change.new_digest,
            },
            severity="note" if code == "ASM302" and not is_allowed else None,
        )
    for identity in drift.identity:
        told = code_of_identity(identity)
        if told is None:
            continue
        yield make_finding(
            told,
            place,
            f"{identity.field} of {check.server} is not what was approved",
            fix=f"look at it: assembler tools check {check.server}",
            data={"server": check.server},
        )


def _failure(server: str, failure: AssemblerError) -> Finding:
    code = find_code(failure.code)
    if code is None:
        raise failure
    return make_finding(
        code,
        pin_place(server) if failure.where is None else failure.where.partition(":")[0],
        failure.message,
        fix=failure.next_step,
        data={"server": server},
    )
