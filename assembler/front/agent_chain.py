"""`chain --agent NAME`: what an agent would load on this machine, byte for byte.

The agent's real configuration is read, its walk repeated, its block written. Nothing is run and
nothing is written; `confirming` asks the installed program, when somebody wants it asked.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from assembler.adapters.following_tree import FollowingTree
from assembler.adapters.repository import find_repository
from assembler.assess.agent_input import (
    warn_of_blank_files,
    warn_of_combined_size,
    write_block,
)
from assembler.assess.chain import assess_chain, gravity, with_findings
from assembler.assess.chain_findings import about_no_root, shell_word
from assembler.assess.surroundings import about_hollow
from assembler.authorize.read_scope import ReadScope, authorize_policy
from assembler.discover.instructions import (
    files_to_read,
    find_instructions,
    find_marker_root,
)
from assembler.errors import UsageError
from assembler.front.agent_home import assess_home_files, show_home
from assembler.front.agent_settings import TRUST_KEY, AgentSettings, read_agent_settings
from assembler.front.chain_report import ChainReport
from assembler.front.counting import counters
from assembler.front.default_grant import DEFAULT_DENIES
from assembler.front.places import path_below, require_utf8
from assembler.front.shown_paths import shorten_home
from assembler.model.agent import AGENTS, Agent
from assembler.model.chain import Chain, InstructionSearch, WalkRules
from assembler.model.finding import Finding, make_finding
from assembler.model.limits import is_countable
from assembler.model.tree import Authorized, Beginning, Denied, Unreadable

COUNTER: Final = "o200k_base"

MIN_READ_BYTES: Final = 8 * 1024 * 1024
"""Read of a file at least, so that headings behind the limit can be told."""


class AgentLoad(NamedTuple):
    """What an agent makes of a folder on this machine."""

    agent: Agent
    cwd: Path
    """Where it starts."""
    top: Path
    """Where its walk starts; rows are relative to it."""
    home: str
    """The folder of the user's own files, `~` for HOME."""
    trust: str | None
    """What the agent's configuration says of the project."""
    block: str | None
    """The text in the model's input; None: no instructions at all."""
    sources: tuple[str, ...]
    """Absolute paths of what is in the block, in order."""
    first_unread: str | None
    """Absolute path of the first file that the limit leaves unread."""
    chain: Chain
    """With the user's own files first; texts are the project's."""
    home_text: str
    home_label: str
    """Path of the user's file in the rows; empty where there is none."""
    targets: tuple[str, ...]
    """Relative to `top`."""
    settings: AgentSettings


def find_agent(name: str) -> Agent:
    """The description of an agent.

    Raises:
        UsageError: `agent-unknown`.
    """
    agent = AGENTS.get(name)
    if agent is None:
        raise UsageError(
            "agent-unknown",
            f"no rules are known for the agent {name}",
            where=name,
            next_step=f"--agent {' or '.join(AGENTS)}",
        )
    return agent


def load_as_agent(
    agent: Agent,
    cwd: Path,
    *,
    environment: Mapping[str, str],
    overrides: Sequence[str] = (),
    system_folder: Path | None = None,
    targets: Sequence[str] = (),
) -> AgentLoad:
    """Walk and read as the agent does.

    Args:
        agent: its description.
        cwd: where it starts; absolute, links resolved unless it is told a folder by a link.
        environment: for HOME and the variable that moves the agent's folder.
        overrides: `KEY=VALUE`, as its command line takes them.
        system_folder: in place of the machine's configuration folder of the agent.
        targets: paths relative to `cwd`, or absolute; their own instructions are told where the
            walk misses them.

    Raises:
        UsageError: the agent's folder is missing, a path is not UTF-8, a target is not there or
            lies outside, the user's file is larger than is read.
        ConfigError: `agent-config`: the agent refuses its configuration.
    """
    require_utf8(str(cwd))
    settings = read_agent_settings(
        agent, cwd, environment=environment, overrides=overrides, system_folder=system_folder
    )
    rules = agent.walk._replace(
        limit_bytes=settings.limit_bytes, fallbacks=settings.fallbacks, markers=settings.markers
    )
    marked = find_marker_root(FollowingTree(Path("/")), str(cwd).removeprefix("/"), rules.markers)
    top = cwd if marked is None else Path("/") / marked
    named = tuple(
        path_below(top, target, base=cwd, place=f"{top}, where the walk starts")
        for target in targets
    )
    chain = _walk(agent, settings, rules, top, cwd, targets=dict(zip(named, targets, strict=True)))
    home = assess_home_files(agent, settings.home)
    shown = show_home(home, settings.home, environment)
    findings = [*shown.findings, *_findings_of(chain, home.text, agent)]
    findings += [_show_place(finding, top, environment) for finding in settings.findings]
    findings += [about_no_root()] if marked is None else []
    findings += _about_hollow_root(cwd, top, rules)
    return AgentLoad(
        agent=agent,
        cwd=cwd,
        top=top,
        home=shorten_home(settings.home, environment),
        trust=settings.trust,
        block=write_block(home.text, chain, str(cwd), agent.framing),
        sources=(
            *((home.chosen,) if home.chosen is not None else ()),
            *(str(top / path) for path in chain.texts),
        ),
        first_unread=next(
            (str(top / row.path) for row in chain.rows if _is_unread(row.path, findings)), None
        ),
        chain=chain._replace(
            rows=(*shown.rows, *chain.rows),
            findings=tuple(
                _with_place(_with_setting(item, agent, settings, environment), top)
                for item in sorted(findings, key=gravity)
            ),
        ),
        home_text=home.text,
        home_label="" if home.chosen is None else shorten_home(Path(home.chosen), environment),
        targets=named,
        settings=settings,
    )


def _walk(
    agent: Agent,
    settings: AgentSettings,
    rules: WalkRules,
    top: Path,
    cwd: Path,
    *,
    targets: Mapping[str, str],
) -> Chain:
    """The project's files as the agent takes them.

    Args:
        agent: its description.
        settings: of its configuration.
        rules: of both together.
        top: where the walk starts.
        cwd: where it ends.
        targets: root-relative, each with the path as it was given.
    """
    tree = FollowingTree(top)
    if targets:
        from assembler.front.targets import require_paths

        require_paths(tree, [(as_given, path) for path, as_given in targets.items()])
    end = "" if cwd == top else cwd.relative_to(top).as_posix()
    search = find_instructions(tree, [end], rules=rules, targets=list(targets))
    if settings.trust == "untrusted":
        chain = assess_chain(search, {}, rules, off="untrusted-project")
    else:
        chain = assess_chain(search, _read(tree, search, rules, agent), rules)
        chain = with_findings(chain, _about_secrets(search, chain))
    return _without_home(chain, top, settings.home)


def _about_secrets(search: InstructionSearch, chain: Chain) -> list[Finding]:
    """Links to files that look like secrets: the agent loads them, and its block holds them."""
    links = [
        entry
        for finds in search.folders
        if (entry := finds.used) is not None
        and entry.path in chain.texts
        and entry.real_path is not None
        and entry.real_path != entry.path
    ]
    if not links:
        return []
    return [
        make_finding(
            "ASM130",
            entry.path,
            "leads to a file that is closed by default, and the agent loads it all the same: its "
            "content is in the block",
            fix="remove the link, and rotate what the file holds if it was sent",
            data={"link": entry.link_text, "rule": rule},
        )
        for entry in links
        if (rule := DEFAULT_DENIES.match((entry.real_path or "").lstrip("/"))) is not None
    ]


def _findings_of(chain: Chain, home_text: str, agent: Agent) -> list[Finding]:
    """What the agent itself would warn of, and what it is silent about."""
    combined = warn_of_combined_size(home_text, chain, agent.framing)
    return [
        *chain.findings,
        *warn_of_blank_files(chain),
        *(() if combined is None else (combined,)),
    ]


def report_agent_chain(
    name: str,
    cwd: Path,
    *,
    environment: Mapping[str, str],
    overrides: Sequence[str] = (),
    system_folder: Path | None = None,
    targets: Sequence[str] = (),
    cwd_as_named: Path | None = None,
) -> ChainReport:
    """The chain that an agent would load here, with counted tokens.

    Args:
        name: of the agent.
        cwd: where it starts; absolute, links resolved.
        environment: for HOME, the agent's folder and the cache of counts.
        overrides: `KEY=VALUE`, as the agent's command line takes them.
        system_folder: in place of the machine's configuration folder of the agent.
        targets: paths relative to `cwd`, or absolute.
        cwd_as_named: the same folder with the links that the caller named it by; told where the
            agent, given that name, would load other files.

    Raises:
        UsageError, ConfigError: as `load_as_agent`.
    """

    def load_in(folder: Path, named: Sequence[str]) -> AgentLoad:
        return load_as_agent(
            find_agent(name),
            folder,
            environment=environment,
            overrides=overrides,
            system_folder=system_folder,
            targets=named,
        )

    load = load_in(cwd, targets)
    if cwd_as_named is not None and cwd_as_named != cwd:
        load = _compare_names(load, load_in(cwd_as_named, ()), cwd_as_named)
    texts = dict(load.chain.texts)
    if load.home_text:
        texts = {load.home_label: load.home_text.encode(), **texts}
    with counters(environment) as open_counter:
        counter = open_counter(COUNTER)
        # A counter can't take every text that an agent loads.
        tokens = {path: counter.count(text) for path, text in texts.items() if is_countable(text)}
    return ChainReport(
        chain=load.chain,
        tokens=tokens,
        versions={},
        cwd=cwd.relative_to(load.top).as_posix() if cwd != load.top else "",
        targets=load.targets,
        at="worktree",
        revision=None,
        searched_folders=len(cwd.relative_to(load.top).parts) + 1,
        profile="",
        counter=COUNTER,
        names=(*load.agent.walk.usual_names, *load.settings.fallbacks),
        agent=load,
    )


def _compare_names(load: AgentLoad, by_name: AgentLoad, named: Path) -> AgentLoad:
    """Tell where the agent walks the parents of a link and not those of the folder behind it."""
    there = [os.path.realpath(path) for path in by_name.sources]
    if there == [os.path.realpath(path) for path in load.sources]:
        return load
    files = "1 file" if len(there) == 1 else f"{len(there):,} files"
    finding = make_finding(
        "ASM122",
        None,
        f"named {named}, the agent walks the parents of that name and loads {files} in place of "
        f"{len(load.sources):,}",
        fix=f"name the folder itself: -C {shell_word(str(load.cwd))}",
        data={"named": str(named), "sources_by_name": list(by_name.sources)},
    )
    return load._replace(chain=with_findings(load.chain, [finding]))


def _about_hollow_root(cwd: Path, top: Path, rules: WalkRules) -> list[Finding]:
    """The agent goes by the name `.git` alone, and git passes such an entry over."""
    if ".git" not in rules.markers:
        return []
    try:
        places = find_repository(cwd)
    except UsageError:
        return []
    hollow = () if places is None else places.hollow
    return [about_hollow(".git", stops=True)] if top / ".git" in hollow else []


def _read(
    tree: FollowingTree, search: InstructionSearch, rules: WalkRules, agent: Agent
) -> Mapping[str, bytes | Beginning | Unreadable]:
    """The bytes of the files that the walk chose; what the agent can't read neither do we."""
    asked: list[Authorized] = []
    too_large: dict[str, bytes | Beginning | Unreadable] = {}
    for entry in files_to_read(search, rules):
        if entry.size_bytes is not None and entry.size_bytes > agent.max_file_bytes:
            too_large[entry.path] = Unreadable("over-agent-limit")
            continue
        permission = authorize_policy(entry, ReadScope(()), "instructions")
        assert not isinstance(permission, Denied)  # the scope has no rule
        asked.append(permission)
    # A character that the limit cuts is at most three bytes longer.
    most = min(max(MIN_READ_BYTES, rules.limit_bytes + 3), agent.max_file_bytes)
    return {**tree.read_beginnings(asked, most_bytes=most), **too_large}


def _without_home(chain: Chain, top: Path, home: Path) -> Chain:
    """The chain without what it says of the user's own folder, which lies in the project here."""
    own = os.path.realpath(home)

    def is_own(path: str | None) -> bool:
        return path is not None and os.path.realpath((top / path).parent) == own

    return chain._replace(
        rows=tuple(row for row in chain.rows if row.state != "off" or not is_own(row.path)),
        findings=tuple(
            item for item in chain.findings if item.code != "ASM116" or not is_own(item.path)
        ),
    )


def _with_setting(
    finding: Finding, agent: Agent, settings: AgentSettings, environment: Mapping[str, str]
) -> Finding:
    """The finding with the place of the setting that causes it, where one is written."""
    limit = agent.config.limit_key
    keys = {"ASM101": limit, "ASM102": limit, "ASM111": TRUST_KEY, "ASM128": limit}
    key = keys.get(finding.code)
    place = None if key is None else settings.places.get(key)
    if key is None or place is None:
        return finding
    shown = shorten_home(Path(place), environment) if place.startswith("/") else place
    data = {**finding.data, "setting": key, "setting_place": place}
    if finding.code in {"ASM111", "ASM128"}:
        return finding._replace(fix=f"change `{key}` in {shown}, if it is not meant", data=data)
    if finding.severity == "note":
        return finding._replace(data=data)
    return finding._replace(fix=f"{finding.fix}; or raise `{key}` in {shown}", data=data)


def _with_place(finding: Finding, top: Path) -> Finding:
    """The finding with the absolute path of its file among its figures."""
    if finding.path is None or "absolute_path" in finding.data:
        return finding
    return finding._replace(data={**finding.data, "absolute_path": str(top / finding.path)})


def _show_place(finding: Finding, top: Path, environment: Mapping[str, str]) -> Finding:
    """A finding with its absolute path as rows have it: below the root, `~`, or as it is."""
    assert finding.path is not None  # a file of the configuration
    path = Path(finding.path)
    shown = shorten_home(path, environment)
    if path.is_relative_to(top):
        shown = path.relative_to(top).as_posix()
    return finding._replace(path=shown, data={**finding.data, "absolute_path": str(path)})


def _is_unread(path: str, findings: Sequence[Finding]) -> bool:
    return any(finding.code == "ASM102" and finding.path == path for finding in findings)
