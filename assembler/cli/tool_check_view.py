"""What `tools check` found, as text and JSON.

The JSON body: `servers` (of each: `server`, `result`: `in-sync`, `findings`, `drift` or
`unchecked`, `pinned_digest`, `catalog_digest`, `unchanged`, `ignore`, `tools`: `name`, `digest`,
`allowed`, `change` or null, `identity`, `findings`, `failure` or null).
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any, Final

from assembler.cli.finding_view import to_lines
from assembler.cli.output import envelope, escape, number, paint
from assembler.cli.tool_drift_view import change_to_json, drift_lines, identity_to_json
from assembler.cli.tool_list_view import short_digest, tool_name
from assembler.errors import EXIT_FINDINGS, EXIT_OK, EXIT_USAGE
from assembler.front.tool_checking import CheckReport, ServerCheck

SCHEMA: Final = "assembler/tool-check/1"


def exit_code_of(report: CheckReport) -> int:
    """The gravest: could not check, then drift; nothing to check is no pass either."""
    if not report.servers or any(check.failure is not None for check in report.servers):
        return EXIT_USAGE
    return EXIT_OK if all(check.is_clean for check in report.servers) else EXIT_FINDINGS


def to_text(report: CheckReport, options: str, *, color: bool) -> str:
    """A block for each server.

    Args:
        report: what was found.
        options: those that the next command needs too, as typed.
        color: paint states and changed lines.
    """
    if not report.servers:
        return "Nothing to check: the profile names no server, and .assembler/pins holds no pin.\n"
    return "".join(
        f"{line}\n" for check in report.servers for line in _lines(check, options, color=color)
    )


def to_json(report: CheckReport, exit_code: int) -> str:
    """The envelope."""
    inputs = {"at": report.at, "revision": report.revision, "profile": {"name": report.profile}}
    body = {"servers": [_to_json(check) for check in report.servers]}
    return envelope(SCHEMA, exit_code, inputs, body)


def approve_options(options: Mapping[str, Any], cwd: str | None) -> str:
    """Where the listing came from, and what the digests leave out, as typed; `cwd`: by -C."""
    parts = [] if cwd is None else ["-C", cwd]
    parts += [word for named in options["files"] for word in ("--from", named)]
    parts += ["--live"] if options["live"] else []
    parts += [word for pointer in options["ignore"] for word in ("--ignore", pointer)]
    for name in ("profile", "host"):
        parts += [f"--{name}", options[name]] if options[name] else []
    return " ".join(shlex.quote(part) for part in parts)


def next_command(check: ServerCheck, options: str) -> str:
    """The approval of exactly what was shown."""
    assert check.listed is not None  # what was compared was listed
    assert check.drift is not None
    digests = [check.drift.listed_digest]
    digests += [c.new for c in check.drift.identity if c.field == "instructions" and c.new]
    given = " ".join(f"--digest {digest}" for digest in digests)
    return " ".join(filter(None, (f"assembler tools approve {check.server}", options, given)))


def _lines(check: ServerCheck, options: str, *, color: bool) -> Iterator[str]:
    name = escape(check.server)
    if check.failure is not None:
        yield f"{name}  {paint('unchecked', '31', color=color)}  {escape(check.failure.message)}"
        if check.failure.next_step:
            yield f"next: {escape(check.failure.next_step)}"
        return
    drift, listed = check.drift, check.listed
    assert drift is not None  # it was checked
    assert listed is not None
    if check.is_in_sync:
        count = "1 tool" if len(listed.tools) == 1 else f"{number(len(listed.tools))} tools"
        yield f"{name}  in sync  {short_digest(drift.listed_digest)}, {count} as approved"
    else:
        word = paint("DRIFT", "31", color=color)
        pinned, now = short_digest(drift.pinned_digest), short_digest(drift.listed_digest)
        yield f"{name}  {word}  pinned {pinned}, now {now}"
    told = [*drift_lines(drift, check.allowed, listed.instructions_text, color=color)]
    yield from (told[:-1] if check.is_in_sync else told)
    if check.pin is not None and check.pin.ignore:
        yield f"  digests leave out {escape(', '.join(check.pin.ignore))}"
    if not listed.tools:
        yield "  the listing has no tools at all"
    yield from to_lines(check.findings, color=color)
    if drift.is_drift:
        yield from _consequence(check)
    if listed.tools and (drift.is_drift or "--ignore" in options):
        yield f"next: {next_command(check, options)}"


def _consequence(check: ServerCheck) -> Iterator[str]:
    """What runs do until somebody approves."""
    assert check.drift is not None  # it was checked
    by_kind: dict[str, list[str]] = {}
    for change in check.drift.changes:
        if change.name in check.allowed:
            by_kind.setdefault(change.kind, []).append(tool_name(change.name))
    old = ", ".join([*by_kind.get("changed", ()), *by_kind.get("removed", ())])
    new = ", ".join(by_kind.get("added", ()))
    if old and check.is_listed:
        yield f"Runs that need {old} refuse until this is approved."
    elif old:
        yield f"Runs keep the approved text of {old} until this is approved."
    if new:
        yield f"Runs refuse while {new} is allowed and not approved."


def _result(check: ServerCheck) -> str:
    if check.drift is None:
        return "unchecked"
    if not check.is_in_sync:
        return "drift"
    return "in-sync" if check.is_clean else "findings"


def _to_json(check: ServerCheck) -> dict[str, Any]:
    drift, listed = check.drift, check.listed
    failure = None
    if check.failure is not None:
        failure = {
            "code": check.failure.code,
            "message": check.failure.message,
            "where": check.failure.where,
            "next": check.failure.next_step,
        }
    changes = {} if drift is None else {change.name: change for change in drift.changes}
    tools = {} if listed is None else listed.tools
    pinned = {} if check.pin is None else check.pin.tools
    return {
        "server": check.server,
        "result": _result(check),
        "pinned_digest": None if drift is None else drift.pinned_digest,
        "catalog_digest": None if drift is None else drift.listed_digest,
        "unchanged": None if drift is None else drift.unchanged,
        "ignore": [] if check.pin is None else list(check.pin.ignore),
        "tools": [
            {
                "name": name,
                "digest": changes[name].new_digest if name in changes else pinned[name].digest,
                "allowed": name in check.allowed,
                "change": change_to_json(changes[name], is_allowed=name in check.allowed)
                if name in changes
                else None,
            }
            for name in sorted({*tools, *pinned})
        ],
        "identity": [] if drift is None else [identity_to_json(c) for c in drift.identity],
        "findings": [finding.to_json() for finding in check.findings],
        "failure": failure,
    }
