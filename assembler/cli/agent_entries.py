"""`chain --agent NAME|all`: what agents with a description load, for a person and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assembler.cli.agent_options import refuse_beside_agent, system_folder
from assembler.cli.agent_table import table_body, table_lines
from assembler.cli.finding_words import finding_words
from assembler.cli.output import envelope, escape, lay_out, number, write_bytes, write_out
from assembler.cli.session import Session
from assembler.errors import EXIT_OK, UsageError
from assembler.front.agent_reports import EVERY, report_agents

if TYPE_CHECKING:
    from assembler.front.agent_reports import AgentReport, AgentsReport
    from assembler.model.finding import Finding

SCHEMA = "assembler/chain/1"
LIST_SCHEMA = "assembler/agents/1"


def show_agents(session: Session, options: Mapping[str, Any]) -> int:
    """Print what one agent or all of them load; whatever is lost, looking does not fail.

    Raises:
        UsageError: an option that says nothing for these agents.
    """
    refuse_beside_agent(
        {
            "--profile": options["profile"],
            "--host": options["host"],
            "--at": options["at"] != "worktree",
        }
    )
    _refuse_codex_options(options)
    report = report_agents(
        options["agent"],
        session.cwd,
        environment=session.environment,
        options=options["agent_options"],
        version=options["agent_version"],
        system_folder=system_folder(session, options["system_folder"]),
        targets=options["targets"],
    )
    is_table = options["agent"] == EVERY
    match session.output_format:
        case "json" if is_table:
            write_out(envelope(LIST_SCHEMA, EXIT_OK, _inputs(report, options), table_body(report)))
        case "json":
            write_out(_to_json(report, options))
        case "input":
            _require_one(options)
            write_bytes(_to_input(report.agents[0]))
        case "markdown":
            write_out(_to_markdown(report, is_table=is_table))
        case _:
            lines = table_lines(report, color=session.color) if is_table else []
            write_out("\n".join(lines or _to_lines(report, session)) + "\n")
    return EXIT_OK


def _refuse_codex_options(options: Mapping[str, Any]) -> None:
    for name, given in (
        ("--agent-config", options["overrides"]),
        ("--confirm", options["confirm"]),
    ):
        if given:
            raise UsageError(
                "option-conflict",
                f"{name} is of codex alone",
                next_step="options of this agent: --agent-option NAME=VALUE",
            )
    if options["agent"] != EVERY:
        return
    for name in ("agent_options", "agent_version", "system_folder"):
        if options[name]:
            raise UsageError(
                "option-conflict",
                f"--{name.replace('_', '-').replace('system-folder', 'agent-system-dir')} is of "
                "one agent, and all are asked for",
                next_step="name the agent",
            )


def _require_one(options: Mapping[str, Any]) -> None:
    if options["agent"] == EVERY:
        raise UsageError(
            "option-conflict",
            "--format input is of one agent, and all are asked for",
            next_step="name the agent",
        )


def _inputs(report: AgentsReport, options: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "at": "worktree",
        "cwd": report.cwd,
        "targets": list(options["targets"]),
        "profile": None,
        "agent": {"name": options["agent"], "options": list(options["agent_options"])},
    }


def _to_json(report: AgentsReport, options: Mapping[str, Any]) -> str:
    (agent,) = report.agents
    body = {
        "counter": {"unit": "token", "name": report.counter, "basis": "measured"},
        "agent": agent_body(agent, report),
        "tokens": sum(agent.tokens.values()),
        "findings": [finding.to_json() for finding in agent.loaded.findings],
    }
    return envelope(SCHEMA, EXIT_OK, _inputs(report, options), body)


def agent_body(agent: AgentReport, report: AgentsReport) -> dict[str, Any]:
    """The members of `agent`."""
    loaded, rules = agent.loaded, agent.loaded.rules
    return {
        "name": rules.name,
        "version": rules.version,
        "rc": loaded.exit_code,
        "root": report.repository,
        "entries": [
            {**entry.to_json(), "tokens": agent.tokens.get(place)}
            for place, entry in enumerate(loaded.entries)
        ],
        "absent": [file.to_json() for file in loaded.absent],
        "on_read": [entry.to_json() for entry in loaded.on_read],
        "later": [file.to_json() for file in loaded.later],
        "framing": [
            {"role": role, "characters": characters, "sha256": None}
            for role, characters in rules.framing
        ],
        "not_covered": rules.not_covered,
    }


def _to_input(agent: AgentReport) -> bytes:
    """The texts, each behind a line that names it: the agent's own wrapping is not reproduced."""
    parts = [f"[[{entry.kind.name}]] {entry.path}\n{entry.text}" for entry in agent.loaded.entries]
    text = "\n\n".join(parts)
    return (f"{text}\n" if text else "").encode("utf-8", "surrogatepass")


def _to_lines(report: AgentsReport, session: Session) -> list[str]:
    (agent,) = report.agents
    loaded = agent.loaded
    lines = [headline(agent, report)]
    rows = entry_rows(agent, report)
    if rows:
        lines += ["", *lay_out(rows, right=(2, 3), color=session.color)]
    elif not loaded.exit_code:
        lines.append("Nothing is there to load.")
    lines += _more_rows(report, loaded.on_read)
    lines += finding_lines(loaded.findings, report)
    lines.append(f"Not covered: {loaded.rules.not_covered}.")
    return lines


def headline(agent: AgentReport, report: AgentsReport) -> str:
    """The agent, its version, and where it starts."""
    rules = agent.loaded.rules
    return f"As {rules.name} {rules.version} loads it in {escape(short(report.cwd, report))}"


def entry_rows(agent: AgentReport, report: AgentsReport) -> list[tuple[str, ...]]:
    """The table: what is in, in its order, what is not, and what would follow."""
    loaded = agent.loaded
    rows: list[tuple[str, ...]] = []
    for place, entry in enumerate(loaded.entries):
        notes = [entry.kind.role, entry.kind.name]
        if entry.imported_by is not None:
            notes.append(f"imported by {short(entry.imported_by, report)}")
        if entry.imports:
            notes.append(f"{len(entry.imports):,} imported inside")
        size = len(entry.text.encode("utf-8", "surrogatepass"))
        tokens = agent.tokens.get(place)
        shown = escape(short(entry.path, report))
        rows.append(("in", shown, number(size), number(tokens), escape("; ".join(notes))))
    for file in loaded.absent:
        note = file.note if file.by is None else f"{file.note} ({short(file.by, report)})"
        rows.append((file.state, escape(short(file.path, report)), "0", "0", escape(note)))
    for later in loaded.later:
        note = f"joins when something in {later.trigger} is read"
        rows.append(("later", escape(short(later.path, report)), "", "", escape(note)))
    if rows:
        total = sum(len(entry.text.encode("utf-8", "surrogatepass")) for entry in loaded.entries)
        rows.insert(0, ("", "file", "bytes", "tokens", "note"))
        rows.append(("", "", number(total), number(sum(agent.tokens.values())), ""))
    return rows


def _more_rows(report: AgentsReport, entries: Sequence[Any]) -> list[str]:
    if not entries:
        return []
    rows = [
        (
            "on-read",
            escape(short(entry.path, report)),
            number(len(entry.text.encode("utf-8", "surrogatepass"))),
            escape(f"{entry.kind.role}; {entry.kind.name}"),
        )
        for entry in entries
    ]
    return ["", "Added when the targets are read:", *lay_out(rows, right=(2,), color=False)]


def finding_lines(findings: Iterable[Finding], report: AgentsReport) -> list[str]:
    """Each finding with its place, and what mends it."""
    lines: list[str] = []
    for finding in findings:
        path = None if finding.path is None else short(finding.path, report)
        fix = None if finding.severity == "note" else finding.fix
        lines += finding_words(finding._replace(path=path, line=None, column=None, fix=fix))
    return ["", *lines] if lines else []


def short(path: str, report: AgentsReport) -> str:
    """A path below the repository, else with `~` for HOME, else as it is."""
    for base, shown in ((report.repository, ""), (report.home, "~/")):
        if base is not None and path == base:
            return "." if not shown else "~"
        if base is not None and path.startswith(f"{base}/"):
            return shown + path.removeprefix(f"{base}/")
    return path


def _to_markdown(report: AgentsReport, *, is_table: bool) -> str:
    from assembler.cli.finding_view import in_code, markdown_lines

    if is_table:
        head, *lines = table_lines(report, color=False)
        return "\n".join([f"### {in_code(head)}", "", "```", *lines, "```"]) + "\n"
    (agent,) = report.agents
    rows = entry_rows(agent, report)
    lines = [f"### {in_code(headline(agent, report))}", ""]
    if rows:
        columns = ["state", *rows[0][1:]]
        lines += [f"| {' | '.join(columns)} |", f"| {' | '.join(['---'] * len(columns))} |"]
        lines += [
            f"| {' | '.join(in_code(cell) if cell else '' for cell in row)} |" for row in rows[1:]
        ]
    return "\n".join([*lines, "", *markdown_lines(agent.loaded.findings)]).rstrip("\n") + "\n"
