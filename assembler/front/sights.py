"""What agents are given of a repository at one place in time: figures, items and texts.

The same code finds it as `check` and `chain --all` do. What lies outside the repository, such as
a user's own skills, is the same on both sides of a comparison and is not looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from assembler.assess.chain_summary import own_rows
from assembler.assess.instruction_text import find_headings
from assembler.compare.sights import FolderSight, SeenItem, Sight
from assembler.front.chains import find_chains
from assembler.front.check_others import find_others, find_tools
from assembler.front.check_telling import all_chains, find_unused_exceptions, tell_apart
from assembler.front.checking import (
    OF_OTHER_AGENTS,
    names_of_agents,
    require_whole,
    see_agents,
)
from assembler.front.lockable import read_profiles
from assembler.front.opening import OpenRepository, chain_names
from assembler.front.seen_texts import SeenTexts
from assembler.front.skill_sights import see_skills
from assembler.model.catalogue import RULES
from assembler.model.chain import Chain, ChainRow, folders_down_to
from assembler.model.digest import sha256_hex
from assembler.model.skill_places import all_roots, skill_names
from assembler.ports import Counter

CODES: Final = frozenset(RULES)


def find_sight(
    repository: OpenRepository,
    name: str,
    *,
    open_counter: Callable[[str], Counter],
    agents: Sequence[str] = (),
    declared: Sequence[str] = (),
) -> Sight:
    """Everything that an agent is given, wherever it starts.

    Args:
        repository: as opened.
        name: what the user calls this place in time.
        open_counter: gives the counter of a name.
        agents: what each of these loads is seen too, so that both sides can be compared.
        declared: those among them that a check of this place is about.

    Raises:
        UsageError, ConfigError: something could not be looked at.
    """
    roots = all_roots(repository.policy.skill_roots())
    names = {*chain_names(repository.rules), *skill_names(roots), *names_of_agents(agents)}
    listed = repository.tree.list_named(names)
    found = find_chains(repository, listed=listed)
    require_whole(found)
    pinned = find_tools(repository)
    seen = see_agents(repository, agents, listed)
    codes = CODES - OF_OTHER_AGENTS if declared else CODES
    others = find_others(
        repository, found, listed, roots, codes, tools=pinned, agents=seen, declared=declared
    )
    chains = dict(all_chains(found))
    unused = find_unused_exceptions(repository, found, others, codes)
    told, quieted = tell_apart(repository, chains.values(), (*others.findings, *unused), codes)
    texts = SeenTexts(open_counter(repository.counter))
    skills = see_skills(repository, others, roots, texts)
    tools = list(_see_tools(repository, texts))
    files = _see_files(repository, chains, texts)
    views: Mapping[str, list[SeenItem]] = {}
    offers: Mapping[str, list[SeenItem]] = {}
    if seen is not None:
        from assembler.front.agent_sights import agent_items, agent_texts
        from assembler.front.agent_skill_views import agent_skill_items

        loads = seen.loads(agents)
        texts.add_all(agent_texts(loads))
        views = agent_items(loads, texts.counts)
        offers = agent_skill_items(seen.tree, seen.disk, seen.lists(agents), texts)
    levels = sorted({"", *chains, *skills.levels, *views, *offers})
    folders = {
        folder: FolderSight(
            {
                item.id: item
                for item in (
                    *_nearest(files, folder),
                    *skills.listed(folder),
                    *tools,
                    *_nearest(views, folder),
                    *_nearest(offers, folder),
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
        findings=told,
        excepted=tuple(one.finding for one in quieted),
        texts=texts.shown,
    )


def _see_files(
    repository: OpenRepository, chains: Mapping[str, Chain], texts: SeenTexts
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


def _see_tools(repository: OpenRepository, texts: SeenTexts) -> Iterator[SeenItem]:
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
