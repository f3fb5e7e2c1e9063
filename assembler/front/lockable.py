"""What a lock of a repository would hold: instructions, chains, skills, pins and profiles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from assembler.authorize.read_scope import ReadScope
from assembler.config.pin import read_pin
from assembler.discover.pins import find_pins
from assembler.front.chains import ChainsFound
from assembler.front.opening import OpenRepository
from assembler.front.policy_folder import YAML_ENDINGS, list_policy_files
from assembler.front.profiles import read_policy_file
from assembler.front.skill_check_pins import find_answers
from assembler.front.skill_search import SeenSkills
from assembler.front.tool_terms import MAX_LISTING_BYTES
from assembler.model.chain import parent_folder
from assembler.model.digest import sha256_hex
from assembler.model.finding import Finding, make_finding
from assembler.model.limits import is_countable
from assembler.model.locked import Locked, chain_name
from assembler.model.skill import folder_sha256
from assembler.model.skill_places import SKILL_FILE
from assembler.model.tree import EntryKind, Unreadable
from assembler.offers.skill_folders import digest_folders
from assembler.ports import Counter, SourceTree

if TYPE_CHECKING:
    from assembler.front.seen_agents import SeenAgents


class Lockable(NamedTuple):
    """What a lock of a repository would hold, and what it can't."""

    entries: tuple[Locked, ...]
    findings: tuple[Finding, ...]


def find_lockable(
    repository: OpenRepository,
    chains: ChainsFound,
    seen: SeenSkills,
    roots: Sequence[str],
    *,
    counter: Counter | None,
    agents: SeenAgents | None = None,
) -> Lockable:
    """The entries of what is there now.

    Args:
        repository: as opened.
        chains: all of them.
        seen: all skills.
        roots: the folders of skills that a run from the root looks in.
        counter: None: nothing is counted, which a comparison does not need.
        agents: the declared ones, where they are seen already.
    """
    scope = repository.policy.read_scope()
    skills, findings = _skills(repository, seen, roots, counter)
    instructions = [*_instructions(chains, counter)]
    others, unlockable = _others(repository, [*instructions, *skills], counter, agents)
    findings = (*findings, *unlockable)
    return Lockable(
        (
            *instructions,
            *others,
            *skills,
            *_catalogs(repository.tree, scope, counter),
            *_profiles(repository.tree, scope),
        ),
        findings,
    )


def _instructions(chains: ChainsFound, counter: Counter | None) -> Iterator[Locked]:
    """Each instruction file that some chain loads, and each chain."""
    files: dict[str, Locked] = {}
    loaded = list(
        dict.fromkeys(text for chain in chains.by_folder.values() for text in chain.texts.values())
    )
    tokens = dict(zip(loaded, _count(loaded, counter), strict=True))
    for folder, chain in chains.by_folder.items():
        for row in chain.rows:
            text = chain.texts.get(row.path)
            if text is not None and row.sha256 is not None:
                path = row.path
                files[path] = Locked("instruction", path, row.sha256, tokens[text], place=path)
        if chain.texts:
            yield Locked(
                "chain",
                chain_name(folder),
                folder_sha256({path: sha256_hex(text) for path, text in chain.texts.items()}),
                _sum(tokens[text] for text in chain.texts.values()),
                place=[*chain.texts][-1],
            )
    yield from files.values()


def _count(texts: Sequence[bytes], counter: Counter | None) -> Sequence[int | None]:
    return [None] * len(texts) if counter is None else counter.count_all(texts)


def _sum(counts: Iterable[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def _skills(
    repository: OpenRepository, seen: SeenSkills, roots: Sequence[str], counter: Counter | None
) -> tuple[list[Locked], tuple[Finding, ...]]:
    """The skill of each name that a run from the root lists, else the first of deeper ones."""
    reader = repository.reader
    names = {skill.name for skill in seen.skills if skill.state == "listed" and skill.name}
    chosen = [find_answers(name, seen.skills, roots)[0] for name in sorted(names)]
    folders = digest_folders(chosen, seen.search, reader, wanted=lambda _: True)
    counts = _count([reader.contents.get(skill.path, b"") for skill in chosen], counter)
    entries: list[Locked] = []
    findings: list[Finding] = []
    for skill, tokens in zip(chosen, counts, strict=True):
        folder = folders[skill.path]
        if folder.sha256 is None:
            findings.append(_unlockable(skill.path, *folder.untold[0]))
            continue
        entries.append(
            Locked(
                "skill",
                str(skill.name),
                folder.sha256,
                tokens,
                skill.instructions_sha256,
                folder.files,
                place=skill.path,
            )
        )
    return entries, tuple(findings)


def _unlockable(place: str, path: str, reason: str) -> Finding:
    what = f"{path} ({reason})" if path else reason
    return make_finding(
        "ASM701", place, f"can't be locked: {what}", fix="make its folder readable and smaller"
    )


def _others(
    repository: OpenRepository,
    known: Sequence[Locked],
    counter: Counter | None,
    agents: SeenAgents | None,
) -> tuple[list[Locked], tuple[Finding, ...]]:
    """Each file that steers one of the declared agents and that no other entry is about."""
    loaded = repository.policy.loaded
    if loaded is None or not loaded.profile.agents:
        return [], ()
    if agents is None:
        # Few repositories declare any.
        from assembler.front.agent_views import agent_names
        from assembler.front.seen_agents import SeenAgents

        listed = repository.tree.list_named({*agent_names(loaded.profile.agents), SKILL_FILE})
        agents = SeenAgents(repository, listed.paths)
    instructions = {entry.name for entry in known if entry.kind == "instruction"}
    folders = tuple(
        f"{parent_folder(str(entry.place))}/" for entry in known if entry.kind == "skill"
    )
    texts: dict[str, bytes] = {}
    findings: list[Finding] = []
    for path, data in agents.read_policy(loaded.profile.agents).items():
        if path in instructions or path.startswith(folders):
            continue
        if isinstance(data, Unreadable):
            findings.append(_unlockable(path, "", data.reason))
        else:
            texts[path] = data
    countable = [data for data in dict.fromkeys(texts.values()) if is_countable(data)]
    tokens = dict(zip(countable, _count(countable, counter), strict=True))
    entries = [
        Locked("instruction", path, sha256_hex(data), tokens.get(data), place=path)
        for path, data in texts.items()
    ]
    return entries, tuple(findings)


def _catalogs(tree: SourceTree, scope: ReadScope, counter: Counter | None) -> Iterator[Locked]:
    for server, entry in sorted(find_pins(tree).items()):
        data = read_policy_file(tree, entry.path, scope, limit_bytes=MAX_LISTING_BYTES)
        if data is None:
            continue
        pin = read_pin(data, server=server, where=entry.path)
        rendered = [tool.rendered() for tool in pin.tools.values()] if counter else []
        digest = pin.catalog.removeprefix("sha256:")
        tokens = _sum(_count(rendered, counter))
        yield Locked("catalog", pin.server, digest, tokens, place=entry.path)


def read_profiles(tree: SourceTree, scope: ReadScope) -> dict[str, str]:
    """The digest of each profile of the repository, by path.

    Raises:
        ConfigError: one is there and can't be read.
    """
    return {str(entry.place): entry.sha256 for entry in _profiles(tree, scope)}


def _profiles(tree: SourceTree, scope: ReadScope) -> Iterator[Locked]:
    paths = list_policy_files(tree, YAML_ENDINGS)
    for path, entry in sorted(tree.look_up(paths).items()):
        if entry.kind is EntryKind.FILE:
            data = read_policy_file(tree, path, scope)
            if data is not None:
                yield Locked("profile", path, sha256_hex(data), place=path)
