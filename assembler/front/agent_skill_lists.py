"""`skills list --agent NAME` of the agents that have a description: what each would list here.

The real files of this machine are read, and nothing is run, asked of a network or written.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from assembler.agents.disk import Start
from assembler.agents.rules import AgentRules
from assembler.agents.skill_catalog import list_skills
from assembler.agents.skill_heads import BlockSizeError, Other, Value
from assembler.agents.skill_rows import SkillAnswer
from assembler.errors import ConfigError, UsageError
from assembler.front.agent_inputs import MachineDisk, find_rules, find_start, known_agents
from assembler.front.agent_reports import CODEX_NAME, COUNTER, read_options
from assembler.front.agent_skill_list_findings import find_list_troubles
from assembler.front.counting import counters
from assembler.model.finding import Finding
from assembler.model.limits import is_countable

MAX_SKILL_FILE_BYTES: Final = 8 * 1024 * 1024
"""As of a SKILL.md for Codex."""
_NUMBER: Final = re.compile(
    r"[-+]?(0b[01_]+|0o?[0-7_]+|0x[0-9a-fA-F_]+|[0-9][0-9_]*)"
    r"|[-+]?([0-9][0-9_]*(\.[0-9_]*)?([eE][-+]?[0-9]+)?|\.[0-9_]+([eE][-+]?[0-9]+)?)"
    r"|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"
)
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt \t].*)?")
_TRUTH: Final = frozenset({"true", "True", "TRUE", "false", "False", "FALSE"})
_NULL: Final = frozenset({"", "~", "null", "Null", "NULL"})


class AgentSkillList(NamedTuple):
    """What an agent with a description lists in a folder."""

    answer: SkillAnswer
    start: Start
    shown_top: str
    """What paths are shown below: the repository, the top of the walk, or where it starts."""
    findings: tuple[Finding, ...]

    @property
    def rules(self) -> AgentRules:
        """The description."""
        return self.answer.rules


def report_skill_list(
    name: str,
    cwd: Path,
    *,
    environment: Mapping[str, str],
    options: Sequence[str] = (),
    system_folder: Path | None = None,
) -> AgentSkillList:
    """The skills, commands and subagents that an agent would list here.

    Args:
        name: of an agent that has a description.
        cwd: where it starts; absolute, links resolved.
        environment: for HOME and the agent's variables.
        options: `NAME=VALUE` or `NAME`, of the agent's own command line.
        system_folder: in place of the machine's configuration folder of the agent.

    Raises:
        UsageError: `agent-unknown`, `agent-option`, `path-not-utf8`.
        ConfigError: `agent-config`: settings that the agent does not start with.
    """
    rules = find_rules(name)
    if rules.skills is None:
        raise UsageError(
            "agent-unknown",
            f"what {rules.title} does with skills is not described",
            where=name,
            next_step=f"--agent {' or '.join(agents_with_skills())}",
        )
    start = find_start(
        rules,
        cwd,
        environment=environment,
        options=read_options(rules, options),
        system_folder=system_folder,
    )
    bases = [base for base in (start.repository, start.cwd, start.home) if base is not None]
    disk = MachineDisk(bases, most_bytes=MAX_SKILL_FILE_BYTES)
    answer = list_skills(rules, start, disk, read_block)
    shown_top = start.repository or (start.cwd if answer.top == "/" else answer.top)
    findings = find_list_troubles(answer, shown_top, environment=environment)
    return AgentSkillList(answer, start, shown_top, findings)


def count_lines(answer: SkillAnswer, environment: Mapping[str, str]) -> tuple[int | None, ...]:
    """The tokens of each row's line, as `COUNTER` counts; None without one, or of an odd text.

    Args:
        answer: of an agent.
        environment: for the cache of counts.
    """
    lines = [
        None if row.line is None else row.line.encode("utf-8", "surrogatepass")
        for row in answer.rows
    ]
    known = {
        place: line for place, line in enumerate(lines) if line is not None and is_countable(line)
    }
    with counters(environment) as open_counter:
        counts = open_counter(COUNTER).count_all(list(known.values()))
    by_place = dict(zip(known, counts, strict=True))
    return tuple(by_place.get(place) for place in range(len(lines)))


def agents_with_skills() -> tuple[str, ...]:
    """The names of the agents whose skills are known, Codex among them, sorted."""
    described = (name for name in known_agents() if find_rules(name).skills is not None)
    return tuple(sorted([*described, CODEX_NAME]))


def read_block(text: str) -> Mapping[str, Value]:
    """The members of a block of YAML by their kinds, as the core schema has them.

    Raises:
        BlockSizeError: longer than is read here.
        ValueError: no YAML, or no mapping.
    """
    from assembler.adapters.frontmatter import MAX_FRONT_MATTER_BYTES
    from assembler.adapters.yaml_nodes import read_text_block

    if len(text) > MAX_FRONT_MATTER_BYTES:
        raise BlockSizeError
    try:
        block = read_text_block(text, limit_bytes=MAX_FRONT_MATTER_BYTES)
    except ConfigError as error:
        if error.code == "size-limit":
            raise BlockSizeError from None
        raise ValueError(error.code) from None
    if not isinstance(block.value, dict):
        raise ValueError("no mapping")  # noqa: TRY004 - what stands in the file, no argument
    lines = text.split("\n")
    return {
        name: _by_kind(value, lines, block.values.get(name)) for name, value in block.value.items()
    }


def _by_kind(value: object, lines: Sequence[str], place: tuple[int, int] | None) -> Value:
    """A value as its kind; what is in quotes or in a block is text."""
    if not isinstance(value, str):
        return value if isinstance(value, list | dict) else None
    if place is not None:
        line, column = place
        mark = lines[line - 1][column - 1 : column] if line <= len(lines) else ""
        if mark in ("'", '"', "|", ">"):
            return value
    if value in _NULL:
        return None
    is_other = value in _TRUTH or _NUMBER.fullmatch(value) or _DATE.fullmatch(value)
    return Other(value) if is_other else value
