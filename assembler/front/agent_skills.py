"""`skills list --agent NAME`: which skills an agent puts into its model's input, and what it drops.

The agent's configuration is read, its search and its reader repeated, its budget spent. Nothing is
run and nothing is written. Framing sentences are told by size and digest.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from assembler.adapters.following_tree import FollowingTree
from assembler.assess.skill_budget import (
    FittedLine,
    LineParts,
    choose_lines,
    cut_description,
    find_model,
    set_budget,
)
from assembler.config.codex_layers import COMMAND_LINE, refusal
from assembler.config.codex_models import read_models
from assembler.config.codex_skills import CATALOG, WINDOW, SkillSettings, read_skill_settings
from assembler.discover.instructions import find_marker_root
from assembler.front.agent_chain import find_agent
from assembler.front.agent_settings import MAX_NEEDED_BYTES, read_agent_settings
from assembler.front.agent_skill_findings import Seen, find_troubles, say_cut
from assembler.front.agent_skill_reading import (
    ReadSkill,
    read_skills,
    rows_in_other_letters,
    show_text,
)
from assembler.front.agent_skill_roots import scan_roots
from assembler.front.places import home_folder, require_utf8
from assembler.front.shown_paths import Place, shorten_home
from assembler.model.agent import Agent
from assembler.model.agent_skills import (
    AGENT_SKILLS,
    WHY_NOT,
    AgentSkill,
    AgentSkillRules,
    AgentSkillState,
    FramingPiece,
    KnownModel,
    PathForm,
    SkillBudget,
)
from assembler.model.finding import Finding
from assembler.model.tree import Authorized, EntryKind

OPTION: Final = "--agent-config"


class AliasedRoot(NamedTuple):
    """A root of the table in the model's input."""

    alias: str
    path: str
    """Absolute, links resolved."""
    scope: str

    def spell(self) -> str:
        """Its line in the table."""
        return f"- `{self.alias}` = `{self.path}`"


class AgentSkillReport(NamedTuple):
    """What an agent makes of the skills on this machine."""

    agent: Agent
    cwd: Path
    """Where it starts."""
    top: Path
    """Where its walk starts."""
    home: str
    """The agent's own folder, `~` for HOME."""
    trust: str | None
    lines: tuple[str, ...]
    """In the model's input, in order."""
    roots: tuple[AliasedRoot, ...]
    skills: tuple[AgentSkill, ...]
    """In the order of the lines; what has none follows, by path."""
    budget: SkillBudget
    model: KnownModel
    framing: tuple[FramingPiece, ...]
    """Empty where nothing stands in the model's input."""
    block_size_bytes: int | None
    """Of everything between the agent's own tags, these included; None: no block."""
    findings: tuple[Finding, ...]
    settings: SkillSettings


def report_agent_skills(
    name: str,
    cwd: Path,
    *,
    environment: Mapping[str, str],
    overrides: Sequence[str] = (),
    system_folder: Path | None = None,
) -> AgentSkillReport:
    """The skills that an agent would list here.

    Args:
        name: of the agent.
        cwd: where it starts; absolute, links resolved.
        environment: for HOME and the agent's folder.
        overrides: `KEY=VALUE`, as the agent's command line takes them.
        system_folder: in place of the machine's configuration folder of the agent.

    Raises:
        UsageError: `agent-unknown`, `home-missing`, `agent-home-missing`, `path-not-utf8`.
        ConfigError: `agent-config`: the agent refuses its configuration.
    """
    agent = find_agent(name)
    rules = AGENT_SKILLS[agent.name]
    require_utf8(str(cwd))
    settings = read_agent_settings(
        agent, cwd, environment=environment, overrides=overrides, system_folder=system_folder
    )
    home = home_folder(environment)
    own = read_skill_settings(
        settings.layers, cwd=str(cwd), home="" if home is None else str(home.absolute())
    )
    # The user gave it as this command's option, whatever the agent calls it.
    places = {key: OPTION if at == COMMAND_LINE else at for key, at in own.places.items()}
    own = own._replace(places=places)
    marked = find_marker_root(FollowingTree(Path("/")), str(cwd)[1:], settings.markers)
    top = cwd if marked is None else Path("/") / marked
    scanned = scan_roots(
        agent,
        rules,
        settings,
        cwd,
        top,
        environment=environment,
        system_folder=system_folder,
        uses_bundled=own.uses_bundled,
    )
    seen = Seen(rules, settings, own, scanned, read_skills(scanned, rules))
    report = _list(seen, _start_report(agent, seen, cwd, top, environment))
    place = Place(top, environment)
    return report._replace(findings=find_troubles(seen, report.skills, report.budget, place))


def _start_report(
    agent: Agent, seen: Seen, cwd: Path, top: Path, environment: Mapping[str, str]
) -> AgentSkillReport:
    """A report without a single skill.

    Raises:
        ConfigError: `agent-config`: a catalogue of models that is none.
    """
    budget, model = _budget(seen.rules, seen.own)
    return AgentSkillReport(
        agent=agent,
        cwd=cwd,
        top=top,
        home=shorten_home(seen.settings.home, environment),
        trust=seen.settings.trust,
        lines=(),
        roots=(),
        skills=(),
        budget=budget,
        model=model,
        framing=(),
        block_size_bytes=None,
        findings=(),
        settings=seen.own,
    )


def _budget(rules: AgentSkillRules, own: SkillSettings) -> tuple[SkillBudget, KnownModel]:
    """The budget, and the model that it is made for.

    Raises:
        ConfigError: `agent-config`: a catalogue of models that is none.
    """
    models = rules.models
    if own.catalog_path is not None:
        models = _read_catalog(own.catalog_path)
    name = own.model or models[0].slug
    model = find_model(models, name)
    budget = set_budget(
        rules,
        model or rules.unknown_model,
        name=name,
        window_tokens=own.window_tokens,
        window_place=own.places.get(WINDOW, ""),
        is_known=model is not None,
    )
    return budget, model or rules.unknown_model


def _read_catalog(path: str) -> tuple[KnownModel, ...]:
    tree = FollowingTree(Path("/"))
    entry = tree.look_up([path[1:]])[path[1:]]
    data: object = None
    if entry.kind is EntryKind.FILE:
        asked = Authorized(entry=entry, grant="configuration")
        data = tree.read_beginnings([asked], most_bytes=MAX_NEEDED_BYTES)[entry.path]
    models = read_models(data) if isinstance(data, bytes) else ()
    if not models:
        raise refusal(f"`{CATALOG}` names a file that is no catalogue of models", path)
    return models


def _list(seen: Seen, report: AgentSkillReport) -> AgentSkillReport:
    """The report with its skills, lines and roots."""
    rules, own, read = seen.rules, seen.own, seen.read
    off = turned_off(read, own)
    offered = [
        skill
        for skill in read
        if skill.head is not None and skill.is_first and _why_hidden(skill, off, seen) is None
    ]
    offered.sort(key=lambda skill: _order(skill, rules))
    used = {skill.root for skill in offered}
    roots = [root for root in dict.fromkeys(skill.root for skill in read) if root in used]
    scopes = {skill.root: skill.kind.scope for skill in reversed(read)}
    table = {
        root: AliasedRoot(f"r{index}", show_text(root), scopes[root])
        for index, root in enumerate(roots)
    }
    chosen = choose_lines(
        [_parts(skill, _short_path(skill, table), seen) for skill in offered],
        [_parts(skill, show_text(skill.file.path), seen) for skill in offered],
        [root.spell() for root in table.values()],
        report.budget,
        rules,
    )
    by_path = {
        skill.file.real_path: item for skill, item in zip(offered, chosen.fitted, strict=True)
    }
    rest = [_state(skill, by_path, off, seen) for skill in _rest(read, offered)]
    rest += rows_in_other_letters(seen.scanned)
    report = report._replace(
        lines=tuple(item.line for item in chosen.fitted if item.line is not None),
        roots=tuple(table.values()) if chosen.paths == "aliased" else (),
        skills=(
            *(_state(skill, by_path, off, seen) for skill in offered),
            *sorted(rest, key=lambda row: row.path),
        ),
        budget=report.budget._replace(used=chosen.used, table_cost=chosen.table_cost),
    )
    return _frame(report, chosen.paths, rules) if offered else report


def turned_off(read: Sequence[ReadSkill], own: SkillSettings) -> frozenset[str]:
    """The real paths of the skills that rules turn off, later rules winning."""
    off: set[str] = set()
    for rule in own.rules:
        if not rule.is_complete:
            continue
        if rule.path is not None:
            paths = {os.path.realpath(rule.path)}
        else:
            named = [skill for skill in read if skill.head is not None and skill.is_first]
            paths = {skill.file.real_path for skill in named if skill.name == rule.name}
        off = off - paths if rule.is_enabled else off | paths
    return frozenset(off)


def _rest(read: Sequence[ReadSkill], offered: Sequence[ReadSkill]) -> list[ReadSkill]:
    """What has no line; a file that is rejected is told once, however often it was met."""
    listed = {id(skill) for skill in offered}
    return [
        skill
        for skill in read
        if id(skill) not in listed and (skill.is_first or skill.head is not None)
    ]


def _why_hidden(skill: ReadSkill, off: frozenset[str], seen: Seen) -> str | None:
    if skill.policy.products and seen.rules.product not in skill.policy.products:
        return "other-product"
    if skill.file.real_path in off:
        return "turned-off"
    if not skill.policy.is_offered:
        return "not-offered"
    return None if seen.own.has_list else "list-off"


def _order(skill: ReadSkill, rules: AgentSkillRules) -> tuple[int, str, bytes]:
    """Scope, name, then the bytes of the real path."""
    path = os.fsencode(skill.file.real_path)
    return (rules.prompt_order.index(skill.kind.scope), skill.name, path)


def _short_path(skill: ReadSkill, table: Mapping[str, AliasedRoot]) -> str:
    """The path below the alias of the skill's root."""
    below = skill.file.path.removeprefix(f"{skill.root.rstrip('/')}/")
    return f"{table[skill.root].alias}/{show_text(below)}"


def _parts(skill: ReadSkill, path: str, seen: Seen) -> LineParts:
    assert skill.head is not None  # it is offered
    most = seen.rules.max_description_characters
    description = cut_description(skill.head.description, most)
    return LineParts(
        name=skill.name,
        description="" if seen.own.omits_descriptions else description,
        path=path.replace("\\", "/"),
    )


def _state(
    skill: ReadSkill,
    fitted: Mapping[str, FittedLine],
    off: frozenset[str],
    seen: Seen,
) -> AgentSkill:
    """The row of one skill."""
    row = AgentSkill(
        state="rejected",
        name=skill.name,
        scope=skill.kind.scope,
        source=show_text(skill.file.real_path),
        path=show_text(skill.file.path),
        root=show_text(skill.root),
        is_enabled=skill.file.real_path not in off,
    )
    if skill.error is not None:
        return row._replace(slug=skill.error.slug, reason=skill.error.message)
    assert skill.head is not None  # there is no error
    row = row._replace(description=skill.head.description)
    if not skill.is_first:
        return _without(row, "shadowed", "same-file")
    hidden = _why_hidden(skill, off, seen)
    if hidden is not None:
        return _without(row, "hidden", hidden)
    item = fitted[skill.file.real_path]
    row = row._replace(line=item.line, cost=item.cost)
    if item.line is None:
        return _without(row, "dropped", "catalog-over-budget")
    if item.missing_characters:
        return _without(row, "shortened", "catalog-over-budget")
    row = row._replace(state="listed")
    size, most = len(skill.head.description), seen.rules.max_description_characters
    if size <= most or seen.own.omits_descriptions:
        return row
    return row._replace(
        slug="skill-description-cut", reason=f"its description {say_cut(size, most)}"
    )


def _without(row: AgentSkill, state: AgentSkillState, slug: str) -> AgentSkill:
    return row._replace(state=state, slug=slug, reason=WHY_NOT[slug])


def _frame(report: AgentSkillReport, paths: PathForm, rules: AgentSkillRules) -> AgentSkillReport:
    """The report with the vendor's sentences in the block, and the block's size."""
    framing = rules.framing
    has_descriptions = not report.settings.omits_descriptions
    pieces = framing.pick(paths, has_descriptions=has_descriptions)
    used = tuple(piece for piece in pieces if piece.name != "usage" or report.model.has_usage)
    own = [framing.opening, framing.heading, framing.list_heading, *report.lines, framing.closing]
    if report.roots:
        own += [framing.roots_heading, *(root.spell() for root in report.roots)]
    sizes = [len(line.encode()) for line in own] + [piece.size_bytes for piece in used]
    # A line feed stands between each two of them.
    return report._replace(framing=used, block_size_bytes=sum(sizes) + len(sizes) - 1)
