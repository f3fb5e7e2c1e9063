"""What agents are given of a repository at one place in time: figures, items and texts.

The same code finds it as `check` and `chain --all` do. What lies outside the repository, such as
a user's own skills, is the same on both sides of a comparison and is not looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from assembler.adapters.text_scans import scan_secrets
from assembler.assess.chain_summary import own_rows
from assembler.assess.instruction_text import find_headings
from assembler.assess.merged_findings import merge_findings
from assembler.compare.sights import FolderSight, SeenItem, SeenPart, Sight
from assembler.front.chains import find_chains
from assembler.front.check_others import OthersFound, find_others, find_tools
from assembler.front.checking import (
    OF_A_START,
    OF_OTHER_AGENTS,
    all_chains,
    names_of_agents,
    require_whole,
)
from assembler.front.locking import read_profiles
from assembler.front.opening import OpenRepository, chain_names
from assembler.front.skill_clashes import rank_root
from assembler.model.catalogue import RULES
from assembler.model.chain import Chain, ChainRow, folders_down_to
from assembler.model.digest import sha256_hex
from assembler.model.skill import Skill, catalog_line
from assembler.model.skill_places import SKILL_FILE, all_roots, skill_names
from assembler.offers.skill_folders import digest_folders
from assembler.ports import Counter

CODES: Final = frozenset(RULES)


def find_sight(
    repository: OpenRepository,
    name: str,
    *,
    open_counter: Callable[[str], Counter],
    agents: Sequence[str] = (),
) -> Sight:
    """Everything that an agent is given, wherever it starts.

    Args:
        repository: as opened.
        name: what the user calls this place in time.
        open_counter: gives the counter of a name.
        agents: what each of these loads is seen too.

    Raises:
        UsageError, ConfigError: something could not be looked at.
    """
    roots = all_roots(repository.policy.skill_roots())
    names = {*chain_names(repository.rules), *skill_names(roots), *names_of_agents(agents)}
    listed = repository.tree.list_named(names)
    found = find_chains(repository, listed=listed)
    require_whole(found)
    pinned = find_tools(repository)
    others = find_others(repository, found, listed, roots, CODES, tools=pinned)
    chains = dict(all_chains(found))
    codes = CODES - OF_A_START - (OF_OTHER_AGENTS if agents else frozenset())
    findings = [*merge_findings(chains.values(), codes), *others.findings]
    texts = _Texts(open_counter(repository.counter))
    skills = _see_skills(repository, others, roots, texts)
    tools = list(_see_tools(repository, texts))
    files = _see_files(repository, chains, texts)
    views: Mapping[str, list[SeenItem]] = {}
    if agents:
        # Few repositories declare any.
        from assembler.front.agent_sights import agent_items, agent_texts
        from assembler.front.agent_views import find_agent_findings, view_agents

        seen = view_agents(repository, agents, listed.paths)
        texts.add_all(agent_texts(seen))
        views = agent_items(seen, texts.counts)
        findings += find_agent_findings(repository, agents, listed.paths, found)
    levels = sorted({"", *chains, *(skill.level for skill in skills), *views})
    folders = {
        folder: FolderSight(
            {
                item.id: item
                for item in (
                    *_nearest(files, folder),
                    *_listed(skills, folder),
                    *tools,
                    *_nearest(views, folder),
                )
            }
        )
        for folder in levels
    }
    return Sight(
        name=name,
        at=repository.tree.at,
        revision=repository.tree.revision,
        profile=repository.profile,
        counter=repository.counter,
        folders=folders,
        settings=_settings(repository),
        profiles=read_profiles(repository.tree, repository.policy.read_scope()),
        findings=tuple(findings),
        texts=texts.shown,
    )


class _Texts:
    """Texts by digest, each counted once, and looked through for secrets before it is shown."""

    def __init__(self, counter: Counter) -> None:
        self._counter = counter
        self.counts: dict[str, int] = {}
        self.shown: dict[str, bytes] = {}

    def add_all(self, texts: Iterable[bytes]) -> None:
        """Count several at once, which is cheaper than one by one."""
        fresh = {sha256_hex(text): text for text in texts}
        asked = {digest: fresh[digest] for digest in fresh.keys() - self.counts.keys()}
        counts = self._counter.count_all(list(asked.values()))
        for (digest, text), count in zip(asked.items(), counts, strict=True):
            self.counts[digest] = count
            if not scan_secrets(text):
                self.shown[digest] = text

    def tokens(self, digest: str | None) -> int:
        """How much a text counts; nothing where none is read."""
        return 0 if digest is None else self.counts[digest]


def _see_files(
    repository: OpenRepository, chains: Mapping[str, Chain], texts: _Texts
) -> dict[str, list[SeenItem]]:
    """The instruction files of each folder's chain."""
    texts.add_all(dict.fromkeys(text for chain in chains.values() for text in chain.texts.values()))
    contents = repository.reader.contents
    made: dict[tuple[ChainRow, str | None], SeenItem] = {}

    def see(row: ChainRow, chain: Chain) -> SeenItem:
        text = chain.texts.get(row.path)
        digest = None if text is None else sha256_hex(text)
        if (row, digest) not in made:
            made[row, digest] = SeenItem(
                id=row.path,
                kind="instruction",
                state=row.state,
                path=row.path,
                reason=row.reason,
                note=row.note,
                tokens=texts.tokens(digest),
                size_bytes=row.size_bytes,
                text_sha256=digest,
                lost=_lost_headings(row, contents.get(row.path)),
            )
        return made[row, digest]

    return {
        folder: [see(row, chain) for row in own_rows(chain)] for folder, chain in chains.items()
    }


def _lost_headings(row: ChainRow, data: bytes | None) -> tuple[str, ...]:
    if row.cut is not None:
        return row.cut.headings
    return find_headings(data) if row.state == "lost" and data is not None else ()


def _nearest(files: Mapping[str, list[SeenItem]], folder: str) -> list[SeenItem]:
    """The chain of a folder; one without instructions has that of the nearest one above."""
    ways = reversed(folders_down_to(folder))
    return next((files[way] for way in ways if way in files), [])


class _SeenSkill(NamedTuple):
    level: str
    """The folder whose starts, and those below it, find the skill."""
    rank: int
    item: SeenItem


def _see_skills(
    repository: OpenRepository, others: OthersFound, roots: Sequence[str], texts: _Texts
) -> list[_SeenSkill]:
    """Every skill of the repository's folders of skills, the nearest and first ones in front."""
    reader = repository.reader
    seen = [
        skill
        for skill in others.seen.skills
        if skill.is_one and rank_root(skill, roots) < len(roots)
    ]
    whole = [skill for skill in seen if skill.state == "listed"]
    lines = {skill.path: _line(skill) for skill in whole}
    heads = {skill.path: reader.contents.get(skill.path, b"") for skill in whole}
    texts.add_all(dict.fromkeys((*lines.values(), *heads.values())))
    folders = digest_folders(whole, others.seen.search, reader, wanted=lambda _: True)

    def see(skill: Skill) -> SeenItem:
        if skill.path not in lines:
            reason = skill.slug or skill.state
            return SeenItem(f"skill:{skill.called}", "skill", "out", skill.path, reason)
        line = sha256_hex(lines[skill.path])
        head = sha256_hex(heads[skill.path])
        digests = folders[skill.path]
        files = {**digests.files, **{name: None for name, _ in digests.untold if name}}
        files.pop(SKILL_FILE, None)
        return SeenItem(
            id=f"skill:{skill.name}",
            kind="skill",
            state="in",
            path=skill.path,
            tokens=texts.tokens(line),
            size_bytes=skill.size_bytes,
            text_sha256=line,
            parts=(
                SeenPart(SKILL_FILE, head, texts.tokens(head)),
                *(SeenPart(path, files[path]) for path in sorted(files)),
            ),
        )

    found = [_SeenSkill(skill.scope, rank_root(skill, roots), see(skill)) for skill in seen]
    return sorted(found, key=_nearest_first)


def _nearest_first(skill: _SeenSkill) -> tuple[int, int, str]:
    depth = skill.level.count("/") + 1 if skill.level else 0
    return -depth, skill.rank, skill.item.path or ""


def _line(skill: Skill) -> bytes:
    return catalog_line(skill.name or "", skill.description or "").encode()


def _listed(skills: Sequence[_SeenSkill], folder: str) -> Iterator[SeenItem]:
    """The skills of a start, one of each name; one that is sound hides one that is not."""
    ways = {*folders_down_to(folder)}
    chosen: dict[str, SeenItem] = {}
    for skill in skills:
        if skill.level in ways:
            known = chosen.get(skill.item.id)
            if known is None or (skill.item.is_in and not known.is_in):
                chosen[skill.item.id] = skill.item
    yield from chosen.values()


def _see_tools(repository: OpenRepository, texts: _Texts) -> Iterator[SeenItem]:
    """The tools that a run would bind, and those of the profile's servers that it would not."""
    loaded = repository.policy.loaded
    if loaded is None:
        return
    # Few repositories name tools, and reading pins loads more than all the rest.
    from assembler.config.pin import pin_place
    from assembler.front.tool_terms import tool_terms
    from assembler.model.candidate import Inline
    from assembler.offers.tools import offer_tools

    policy = repository.policy
    terms = tool_terms(loaded, repository.tree, policy.read_scope())
    candidates, _ = offer_tools(terms)
    bodies = {
        candidate.id: candidate.content.data
        for candidate in candidates
        if isinstance(candidate.content, Inline)
    }
    texts.add_all(bodies.values())
    for candidate in sorted(candidates, key=lambda one: one.id):
        server, has_server, _ = candidate.id.removeprefix("tool:").partition("/")
        data = bodies.get(candidate.id)
        digest = None if data is None else sha256_hex(data)
        yield SeenItem(
            id=candidate.id,
            kind="tool",
            state="out" if data is None else "in",
            path=pin_place(server) if has_server else policy.definitions,
            reason="" if data is not None else getattr(candidate.content, "code", ""),
            tokens=texts.tokens(digest),
            text_sha256=digest,
        )


def _settings(repository: OpenRepository) -> dict[str, Any]:
    """The profile's members by dotted name; those that are not set have their defaults."""
    loaded = repository.policy.loaded
    if loaded is None:
        return {}
    from assembler.config.profile import to_plain

    return dict(_flat(to_plain(loaded.profile), ""))


def default_settings() -> dict[str, Any]:
    """The same of a repository without a profile."""
    from assembler.config.profile import BUILT_IN, to_plain

    return dict(_flat(to_plain(BUILT_IN), ""))


def _flat(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for key in sorted(value):
            yield from _flat(value[key], f"{name}.{key}" if name else str(key))
    else:
        yield name, value
