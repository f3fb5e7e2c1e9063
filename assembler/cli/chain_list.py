"""`chain --all`: the chain of every folder that has instruction files, a line each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assembler.assess.chain_summary import chain_state, left_bytes, own_rows
from assembler.cli.agent_options import refuse_agent_options
from assembler.cli.output import envelope, escape, lay_out, number, write_out
from assembler.cli.session import Session
from assembler.errors import EXIT_OK, UsageError
from assembler.front.chains import ChainsReport, list_chains
from assembler.model.chain import Chain
from assembler.model.names import escape_bytes

SCHEMA = "assembler/chain-list/1"


def show_all(session: Session, options: Mapping[str, Any]) -> int:
    """Print the list; whatever is lost, looking does not fail.

    Raises:
        UsageError: an option that asks about one folder.
    """
    for what, given in (
        ("--target", options["targets"]),
        ("--format input", session.output_format == "input"),
        ("--agent", options["agent"] is not None),
    ):
        if given:
            raise UsageError(
                "options-exclude",
                f"--all lists every folder, and {what} asks about one",
                next_step="leave one of the two out",
            )
    refuse_agent_options(options)
    report = list_chains(
        session.cwd,
        environment=session.environment,
        at=options["at"],
        profile=options["profile"],
        host=session.resolve(options["host"]),
    )
    if session.output_format == "json":
        write_out(to_json(report))
    else:
        write_out(to_text(report, session))
    _tell_what_is_missing(report, session)
    return EXIT_OK


def to_json(report: ChainsReport) -> str:
    """The JSON document; a chain has the members that `chain` gives it."""
    found = report.found
    body = {
        "counter": {"unit": "token", "name": report.counter, "basis": "measured"},
        "limit_bytes": report.rules.limit_bytes,
        "chains": [
            _chain_to_json(folder, chain, report.tokens[folder])
            for folder, chain in found.by_folder.items()
        ],
        "unnamable": [escape_bytes(path) for path in found.unnamable],
        "truncated": found.truncated,
    }
    inputs = {
        "at": report.at,
        "revision": report.revision,
        "profile": {"name": report.profile},
        "agent": None,
    }
    return envelope(SCHEMA, EXIT_OK, inputs, body)


def _chain_to_json(folder: str, chain: Chain, tokens: Mapping[str, int]) -> dict[str, Any]:
    return {
        "cwd": folder or ".",
        "state": chain_state(chain),
        "chain": [{**row.to_json(), "tokens": tokens.get(row.path, 0)} for row in chain.rows],
        "total_bytes": chain.total_bytes,
        "left_bytes": left_bytes(chain),
        "tokens": sum(tokens.values()),
        "findings": [finding.to_json() for finding in chain.findings],
    }


def to_text(report: ChainsReport, session: Session) -> str:
    """The table, for a person."""
    chains = report.found.by_folder
    if not chains:
        names = " and ".join((", ".join(report.rules.names[:-1]), report.rules.names[-1]))
        return f"No instruction files found. Looked for {escape(names)}.\n"
    cells = [("", "folder", "loaded", "left", "tokens", "files")]
    for folder, chain in chains.items():
        cells.append(
            (
                chain_state(chain),
                escape(folder or "."),
                number(chain.total_bytes),
                number(left_bytes(chain)),
                number(sum(report.tokens[folder].values())),
                _files(chain),
            )
        )
    lines = [f"{_headline(report)}          {_place(report)}", ""]
    lines += lay_out(cells, right=(2, 3, 4), color=session.color)
    return "\n".join([*lines, _verdict(report)]) + "\n"


def _headline(report: ChainsReport) -> str:
    count = len(report.found.by_folder)
    return f"Instruction chains of {number(count)} {'folder' if count == 1 else 'folders'}"


def _place(report: ChainsReport) -> str:
    revision = (report.revision or "")[:7]
    if report.at in ("worktree", "index"):
        return f"{report.at} at {revision}" if revision else report.at
    return f"{escape(report.at)} ({revision})"


def _files(chain: Chain) -> str:
    """The chain's files, root first, each with what became of it where it is not in."""
    rows = own_rows(chain)
    return ", ".join(
        escape(row.path) + ("" if row.state == "in" else f" ({row.state})") for row in rows
    )


def _verdict(report: ChainsReport) -> str:
    chains = report.found.by_folder
    basis = f"Limit: {number(report.rules.limit_bytes)} bytes a chain. Tokens: {report.counter}, "
    basis += "counted."
    worse = [folder for folder, chain in chains.items() if chain_state(chain) != "in"]
    if not worse:
        return f"Nothing is lost. {basis}"
    losing = "1 chain is" if len(worse) == 1 else f"{number(len(worse))} chains are"
    return f"{losing} not whole; why: assembler check. {basis}"


def _tell_what_is_missing(report: ChainsReport, session: Session) -> None:
    found = report.found
    if found.start == "folder" and found.by_folder:
        session.hint("no repository: an agent reads the folder where it starts, and none above it")
    if found.unnamable:
        count = number(len(found.unnamable))
        session.hint(f"{count} more on paths that are not UTF-8, so that no rule can speak of them")
    if found.truncated:
        session.hint("the folder holds more files than are listed; start deeper with -C")
