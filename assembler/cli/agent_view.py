"""`chain --agent NAME`: what an agent loads on this machine, for a person and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from assembler.cli.agent_options import refuse_beside_agent, system_folder
from assembler.cli.chain_view import finding_lines, table, to_json, to_markdown, warning_lines
from assembler.cli.output import escape, paint, write_bytes, write_out, write_talk
from assembler.cli.session import Session
from assembler.errors import EXIT_FINDINGS, EXIT_OK, UsageError
from assembler.front.agent_chain import AgentLoad, report_agent_chain
from assembler.front.chain_report import ChainReport

if TYPE_CHECKING:
    from assembler.front.confirming import Confirmation


def show_agent_chain(session: Session, options: Mapping[str, Any]) -> int:
    """Print it in the asked format, and say the exit code."""
    refuse_beside_agent(
        {
            "--profile": options["profile"],
            "--host": options["host"],
            "--at": options["at"] != "worktree",
        }
    )
    report = report_agent_chain(
        options["agent"],
        session.cwd,
        environment=session.environment,
        overrides=options["overrides"],
        system_folder=system_folder(session, options["system_folder"]),
        targets=options["targets"],
        cwd_as_named=session.cwd_as_named,
    )
    load = report.agent
    assert load is not None  # made by an agent
    confirmation = _confirm(load, session, options) if options["confirm"] else None
    code = EXIT_FINDINGS if confirmation is not None and not confirmation.is_equal else EXIT_OK
    match session.output_format:
        case "json":
            write_out(_to_json(report, load, confirmation, options, code))
        case "input":
            write_bytes((load.block or "").encode("utf-8"))
            for line in (
                *warning_lines(report),
                *_confirmation_lines(load, confirmation, color=False),
            ):
                write_talk(line)
        case "markdown":
            write_out(to_markdown(report, _headline(load, report.cwd)))
        case _:
            write_out(_to_text(report, load, confirmation, session))
    return code


def _confirm(load: AgentLoad, session: Session, options: Mapping[str, Any]) -> Confirmation:
    from assembler.front.confirming import confirm_block

    if options["system_folder"] is not None:
        raise UsageError(
            "option-conflict",
            "the installed agent can't be told another system folder, so that --confirm would "
            "compare two machines",
            next_step="leave out --agent-system-dir, or --confirm",
        )
    return confirm_block(
        load, session.cwd, environment=session.environment, overrides=options["overrides"]
    )


def _to_json(
    report: ChainReport,
    load: AgentLoad,
    confirmation: Confirmation | None,
    options: Mapping[str, Any],
    code: int,
) -> str:
    name, version = load.agent.name, load.agent.version
    agent = {
        "name": name,
        "version": version,
        "block": load.block,
        "sources": list(load.sources),
        "role": load.agent.role,
        "root": str(load.top),
        "home": load.home,
        "trust": load.trust,
        "first_unread": load.first_unread,
        "settings": dict(load.settings.places),
        "confirmed": None if confirmation is None else confirmation.to_json(),
    }
    asked_of = {
        "name": name,
        "version": version,
        "config": list(options["overrides"]),
        "system_dir": options["system_folder"],
    }
    return to_json(report, agent=agent, asked_of=asked_of, exit_code=code)


def _to_text(
    report: ChainReport, load: AgentLoad, confirmation: Confirmation | None, session: Session
) -> str:
    home = f"home {escape(load.home)}; {_trust_words(load.trust)}"
    lines = [f"{escape(_headline(load, report.cwd))}        {home}"]
    lines += _setting_lines(load, session)
    lines += ["", *table(report, session)] if report.chain.rows else ["Nothing is there to load."]
    lines += finding_lines(report)
    lines += _confirmation_lines(load, confirmation, color=session.color)
    lines.append(f"Not covered: {load.agent.not_covered}.")
    return "\n".join(lines) + "\n"


def _headline(load: AgentLoad, cwd: str) -> str:
    return f"As {load.agent.name} {load.agent.version} loads it in {cwd or '.'}"


def _setting_lines(load: AgentLoad, session: Session) -> list[str]:
    """Which settings are not the usual ones, and where each is written."""
    lines = [f"  {key}   {escape(place)}" for key, place in sorted(load.settings.places.items())]
    if any(finding.code == "ASM123" for finding in load.chain.findings) or session.verbose:
        lines.insert(0, f"  root   {escape(str(load.top))}")
    return lines


def _trust_words(trust: str | None) -> str:
    match trust:
        case None:
            return "no trust entry, so it loads"
        case "untrusted":
            return "untrusted, so no project file loads"
        case _:
            return trust


def _confirmation_lines(
    load: AgentLoad, confirmation: Confirmation | None, *, color: bool
) -> list[str]:
    if confirmation is None:
        return []
    program = f"{load.agent.name} {escape(confirmation.version)}"
    if confirmation.is_equal:
        same = f"gives the same block, sha256:{(confirmation.sha256 or 'none')[:12]}"
        if confirmation.sha256 is None:
            same = "loads no instructions either"
        return [f"confirmed: {program} {same}"]
    word = paint("DIFFERS:", "31", color=color)
    return [
        f"{word} {program} gives another block: first difference at byte "
        f"{confirmation.first_difference:,}; {confirmation.size_bytes:,} bytes there, "
        f"{confirmation.own_size_bytes:,} here"
    ]
