"""What agents load in a folder, side by side, with tokens: one of them, or all that are known."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from assembler.adapters.git import GitRepository
from assembler.adapters.repository import find_repository
from assembler.adapters.trees import WorktreeTree
from assembler.agents.loaded import AbsentFile, AbsentState, AgentInput, LoadedEntry
from assembler.agents.rules import AgentRules, FileHere, Kind, SettingsRules, TextRules, Walk
from assembler.errors import UsageError
from assembler.front.agent_inputs import find_rules, known_agents, load_agent, option_names
from assembler.front.counting import counters
from assembler.model.agent import CODEX
from assembler.model.chain import ChainState
from assembler.model.limits import is_countable

COUNTER: Final = "o200k_base"
CODEX_NAME: Final = "codex"
EVERY: Final = "all"


class AgentReport(NamedTuple):
    """One agent in one folder."""

    loaded: AgentInput
    tokens: Mapping[int, int]
    """Of each entry by its place; none where a text is of a kind that no counter takes."""


class AgentsReport(NamedTuple):
    """Several agents in one folder."""

    agents: tuple[AgentReport, ...]
    """By name."""
    cwd: str
    repository: str | None
    home: str | None
    counter: str


def report_agents(
    name: str,
    cwd: Path,
    *,
    environment: Mapping[str, str],
    options: Sequence[str] = (),
    version: str | None = None,
    system_folder: Path | None = None,
    targets: Sequence[str] = (),
) -> AgentsReport:
    """What one agent, or every known one, loads when it is started in a folder.

    Args:
        name: of the agent, or `all`.
        cwd: absolute, links resolved.
        environment: for HOME, the agents' variables and the cache of counts.
        options: `NAME=VALUE` or `NAME`, of the agent's own command line.
        version: of the agent; None: the newest that is known.
        system_folder: in place of the machine's configuration folder of the agent.
        targets: files that the agent reads, relative to `cwd`: what that adds is told.

    Raises:
        UsageError: `agent-unknown`, `agent-version`, `agent-option`, `path-missing`.
        ConfigError: `agent-config`: settings that an agent does not start with.
    """
    repository = _repository(cwd)
    reads = [_existing(cwd, target) for target in targets]
    names = [name] if name != EVERY else sorted((*known_agents(), CODEX_NAME))
    chosen = [None if one == CODEX_NAME else find_rules(one, version) for one in names]
    below = _list_below(repository, [rules for rules in chosen if rules is not None])
    found = []
    for rules in chosen:
        if rules is None:
            found.append(_load_codex(cwd, environment))
            continue
        found.append(
            load_agent(
                rules,
                cwd,
                environment=environment,
                options=read_options(rules, options),
                system_folder=system_folder,
                below=below,
                reads=reads,
            )
        )
    with counters(environment) as open_counter:
        counter = open_counter(COUNTER)
        reports = []
        for loaded in found:
            texts = {
                place: entry.text.encode("utf-8", "surrogatepass")
                for place, entry in enumerate(loaded.entries)
            }
            known = {place: data for place, data in texts.items() if is_countable(data)}
            counts = counter.count_all(list(known.values()))
            reports.append(AgentReport(loaded, dict(zip(known, counts, strict=True))))
    home = environment.get("HOME")
    return AgentsReport(tuple(reports), str(cwd), repository, home, COUNTER)


def read_options(rules: AgentRules, options: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The agent's own options by name.

    Raises:
        UsageError: `agent-option`: one that says nothing of what is loaded.
    """
    known = option_names(rules)
    found: dict[str, list[str]] = {}
    for option in options:
        name, has_value, value = option.lstrip("-").partition("=")
        if name not in known:
            raise UsageError(
                "agent-option",
                f"no option of {rules.title} that decides what it loads is called {name}",
                where=option,
                next_step=f"known: {', '.join(known)}" if known else "it has none",
            )
        found.setdefault(name, []).extend([value] if has_value else [])
    return {name: tuple(values) for name, values in found.items()}


def _repository(cwd: Path) -> str | None:
    try:
        places = find_repository(cwd)
    except UsageError:
        return None
    return None if places is None else str(places.root)


def _existing(cwd: Path, target: str) -> str:
    path = os.path.normpath(cwd / target)
    if not Path(path).exists():
        raise UsageError(
            "path-missing", f"no such path: {target}", where=target, next_step="correct the path"
        )
    return path


def _list_below(repository: str | None, chosen: Sequence[AgentRules]) -> list[str]:
    """Where names stand in the repository that an agent looks for on a read; git lists them."""
    names = {
        step.path.rpartition("/")[2]
        for rules in chosen
        if rules.on_read is not None
        for step in rules.on_read.steps
    }
    if repository is None or not names:
        return []
    places = find_repository(Path(repository))
    if places is None or places.git_dir is None:
        return []
    with GitRepository(places) as git:
        listed = WorktreeTree(git).list_named(names)
    return [f"{repository}/{path}" for path in sorted(listed.paths)]


def _load_codex(cwd: Path, environment: Mapping[str, str]) -> AgentInput:
    """Codex's chain in the same form."""
    from assembler.front.agent_chain import load_as_agent

    load = load_as_agent(CODEX, cwd, environment=environment)
    texts = [load.home_text] if load.home_text else []
    texts += [data.decode("utf-8", "replace") for data in load.chain.texts.values()]
    kinds = [Kind("global", source="user")] * (1 if load.home_text else 0)
    kinds += [Kind("project")] * len(load.chain.texts)
    sizes = {str(load.top / row.path): row.size_bytes or 0 for row in load.chain.rows}
    entries = tuple(
        LoadedEntry(path, os.path.realpath(path), kind, text, sizes.get(path, len(text.encode())))
        for path, kind, text in zip(load.sources, kinds, texts, strict=True)
    )
    loaded = {entry.path for entry in entries}
    absent = tuple(
        AbsentFile(path, _state(row.state), row.reason, row.note)
        for row in load.chain.rows
        if (path := _absolute(row.path, load.top, environment)) not in loaded
    )
    return AgentInput(CODEX_RULES, 0, entries, absent, findings=load.chain.findings)


def _state(state: ChainState) -> AbsentState:
    match state:
        case "lost" | "blank" | "hidden":
            return state
        case "cut":
            return "lost"
        case _:
            return "off"


def _absolute(path: str, top: Path, environment: Mapping[str, str]) -> str:
    if path.startswith("~/"):
        return f"{environment.get('HOME', '~')}{path[1:]}"
    return path if path.startswith("/") else str(top / path)


CODEX_RULES: Final = AgentRules(
    name=CODEX.name,
    title=CODEX.title,
    version=CODEX.version,
    program=CODEX.program,
    system_folder=CODEX.config.system_folder,
    steps=(
        Walk(
            tuple(FileHere(name, Kind("project")) for name in CODEX.walk.usual_names),
            "marker-or-cwd",
            "down",
        ),
    ),
    text=TextRules(drops_bom=False, trims=False),
    settings=SettingsRules((), "json"),
    not_covered=CODEX.not_covered,
)
"""What Codex's own description says in these words, for a table beside the others."""
