"""What the policy of a run and the place of its evidence hold differently.

A run may take its policy from another revision than its evidence. A changed, added or removed
instruction file, skill, profile or pin beside the evidence is then a fact about that branch: it
has a row, it directs nothing, and where it is offered as evidence it is untrusted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from assembler.discover.pins import MAX_PINS
from assembler.discover.skill_search import find_skills
from assembler.discover.skills import skill_places
from assembler.model.candidate import Absent, Candidate
from assembler.model.chain import folders_down_to, join_path
from assembler.model.digest import sha256_hex
from assembler.model.finding import Finding, Severity, make_finding
from assembler.model.limits import MAX_WORDS_BYTES, bounded_name, bounded_place
from assembler.model.paths import PINS_FOLDER
from assembler.model.run import PolicyTerms, SkillTerms
from assembler.model.skill import folder_sha256
from assembler.model.skill_places import DEFAULT_SKILL_ROOTS, SKILL_FILE
from assembler.model.tree import EntryKind
from assembler.offers.reader import FileReader

KIND: Final = "policy-offer"
CODE: Final = "policy-differs"
POLICY_FOLDER: Final = ".assembler"
MAX_ROWS: Final = 1_000
"""Rows of differences in one run; a branch can add more files than anybody reads about."""

State = tuple[object, ...]
"""What stands at a path, for comparing: a digest, or why there is none; `()` is nothing."""


class PolicyDifference(NamedTuple):
    """One piece of policy that is not the same in both places."""

    path: str
    """Root-relative: a file, or the folder of a skill."""
    what: Literal["added", "changed", "removed"]
    """What the evidence's place did to it, seen from the policy."""
    here_sha256: str | None
    """Where the evidence is; of a skill that of its folder."""
    policy_sha256: str | None


def compare_policy(
    policy: FileReader, here: FileReader, terms: PolicyTerms, skills: SkillTerms
) -> tuple[PolicyDifference, ...]:
    """Everything that the run's policy is made of, in both places.

    Args:
        policy: reads where the policy is from.
        here: reads where the evidence is from.
        terms: the folders walked, the names looked for, the configuration files.
        skills: where skills are looked for.

    Returns:
        Sorted by path.
    """
    folders = {folder for end in terms.ends for folder in folders_down_to(end)}
    names = terms.rules.names
    files = [join_path(folder, name) for folder in sorted(folders) for name in names]
    files += [*terms.configuration, *_pins(policy), *_pins(here)]
    places = skill_places(skills.cwd, roots=skills.roots)
    files = list(dict.fromkeys(files))
    there = {**_file_states(policy, files), **_skill_states(policy, places)}
    mine = {**_file_states(here, files), **_skill_states(here, places)}
    return _differences(there, mine)


def compare_files(
    policy: FileReader, here: FileReader, paths: Sequence[str]
) -> tuple[PolicyDifference, ...]:
    """The files among the paths, and the pins of both places, that are not the same in both.

    Args:
        policy: reads where the policy is from.
        here: reads what it judges.
        paths: of configuration.

    Returns:
        Sorted by path.
    """
    files = list(dict.fromkeys([*paths, *_pins(policy), *_pins(here)]))
    return _differences(_file_states(policy, files), _file_states(here, files))


class DifferenceOffer(NamedTuple):
    """The rows of what differs, and the findings that say it."""

    candidates: tuple[Candidate, ...] = ()
    paths: Mapping[str, str] = {}
    """Path of each candidate that has one, by id."""
    findings: tuple[Finding, ...] = ()


def offer_differences(differences: Sequence[PolicyDifference], revision: str) -> DifferenceOffer:
    """A row and a note for each difference; over the bound one row for all the others.

    Args:
        differences: sorted by path.
        revision: full id of the commit that policy is from.
    """
    shown = differences[:MAX_ROWS]
    rows = [
        _row(
            bounded_name(item.path, prefix="differs:"),
            f"{item.path}: {item.what}",
            _spell_digests(item),
            revision,
        )
        for item in shown
    ]
    paths = {row.id: item.path for row, item in zip(rows, shown, strict=True)}
    more = len(differences) - len(shown)
    if more:
        # No path of a repository holds `//`.
        rows.append(_row("differs://more", f"{more:,} more", f"{more:,} more", revision))
    notes = tuple(about_difference(item, revision) for item in shown)
    return DifferenceOffer(tuple(rows), paths, notes)


def find_distrusted(
    paths: Mapping[str, str],
    policy: FileReader,
    here: FileReader,
    *,
    terms: PolicyTerms,
    skills: SkillTerms,
    differences: Sequence[PolicyDifference],
) -> frozenset[str]:
    """Those candidates whose file is policy by its name, and not what the policy has there.

    Its text was written to direct an agent, by whoever wrote the branch.

    Args:
        paths: path by candidate id, of what was read as evidence; links are followed.
        policy: reads where the policy is from.
        here: reads where the evidence is from.
        terms: the names of instruction files.
        skills: the folders of skills.
        differences: what of the run's own policy differs, at whatever name its links lead to.
    """
    differing = {item.path for item in differences}
    differing |= {here.real_paths.get(path, path) for path in differing}
    roots = tuple(dict.fromkeys((*DEFAULT_SKILL_ROOTS, *skills.roots, POLICY_FOLDER)))
    names = {*terms.rules.names, SKILL_FILE}
    asked: dict[str, set[str]] = {}
    found: set[str] = set()
    for identifier, path in paths.items():
        for place in {path, here.real_paths.get(path, path)}:
            if place in differing:
                found.add(identifier)
            elif place.rpartition("/")[2] in names or _is_below_any(place, roots):
                asked.setdefault(place, set()).add(identifier)
    there, mine = _file_states(policy, list(asked)), _file_states(here, list(asked))
    for place, ids in asked.items():
        if there.get(place, ()) != mine.get(place, ()):
            found |= ids
    return frozenset(found)


def _differences(
    there: Mapping[str, State], mine: Mapping[str, State]
) -> tuple[PolicyDifference, ...]:
    return tuple(
        _difference(path, there.get(path, ()), mine.get(path, ()))
        for path in sorted({*there, *mine})
        if there.get(path, ()) != mine.get(path, ())
    )


def _difference(path: str, there: State, mine: State) -> PolicyDifference:
    return PolicyDifference(
        path=path,
        what="added" if not there else "changed" if mine else "removed",
        here_sha256=_digest(mine),
        policy_sha256=_digest(there),
    )


def _digest(state: State) -> str | None:
    return str(state[1]) if state[:1] == ("sha256",) else None


def _file_states(reader: FileReader, paths: Sequence[str]) -> dict[str, State]:
    """The state of each path where something stands; what a rule keeps closed has none."""
    entries = reader.tree.look_up(paths)
    files = [entry for entry in entries.values() if entry.kind is EntryKind.FILE]
    contents, denied = reader.read_policy(files, "comparison")
    closed = {item.path for item in denied}
    states: dict[str, State] = {}
    for path, entry in entries.items():
        if entry.kind is EntryKind.MISSING or path in closed:
            continue
        if entry.kind is not EntryKind.FILE:
            states[path] = (entry.kind.value, entry.link_text)
            continue
        found = contents[path]
        if isinstance(found, bytes):
            states[path] = ("sha256", sha256_hex(found))
        else:
            states[path] = ("unread", found.reason)
    return states


def _skill_states(reader: FileReader, places: Sequence[tuple[str, str]]) -> dict[str, State]:
    """The state of each skill's folder, and of what only looks like a skill."""
    search = find_skills(reader.tree, places)
    files = [entry for folder in search.folders for entry in (folder.entry, *folder.files)]
    contents, denied = reader.read_policy(files, "comparison")
    closed = {item.path for item in denied}
    states: dict[str, State] = {
        skill.path: (skill.slug, skill.where) for skill in search.turned_away
    }
    for folder in search.folders:
        inside = {
            entry.path.removeprefix(f"{folder.path}/"): contents[entry.path]
            for entry in (folder.entry, *folder.files)
            if entry.path not in closed
        }
        read = {name: sha256_hex(data) for name, data in inside.items() if isinstance(data, bytes)}
        links = tuple((entry.path, entry.link_text) for entry in folder.escaping)
        whole = len(read) == len(inside)
        digest = folder_sha256(read)
        unread = tuple(sorted(set(inside) - set(read)))
        states[folder.path] = ("sha256" if whole else "unread", digest, unread, links)
    return states


def _pins(reader: FileReader) -> list[str]:
    listing = reader.tree.list_under([PINS_FOLDER], max_depth=0, max_entries=MAX_PINS)
    return [entry.path for entry in listing.entries]


def _is_below_any(path: str, roots: Iterable[str]) -> bool:
    return any(path.startswith(f"{root}/") or f"/{root}/" in path for root in roots)


def _row(identifier: str, where: str, version: str, revision: str) -> Candidate:
    return Candidate(
        id=identifier,
        kind=KIND,
        section="evidence",
        trust="untrusted",
        content=Absent("turned-away", code=CODE, where=bounded_place(where)),
        version=version,
        discovered_by=bounded_name(f"policy from {revision}", most_bytes=MAX_WORDS_BYTES),
    )


def _spell_digests(item: PolicyDifference) -> str:
    parts: list[str] = [item.what]
    if item.here_sha256 is not None:
        parts.append(f"here sha256:{item.here_sha256}")
    if item.policy_sha256 is not None:
        parts.append(f"policy sha256:{item.policy_sha256}")
    return "; ".join(parts)


def about_difference(
    item: PolicyDifference,
    revision: str,
    *,
    fix: str | None = None,
    severity: Severity | None = None,
) -> Finding:
    """What is to be said of a difference.

    Args:
        item: what differs.
        revision: full id of the commit that policy is from.
        fix: what to do about it.
        severity: of a gate; None: as the catalogue has it.
    """
    used = "that of the policy is still used" if item.what == "removed" else "not used"
    return make_finding(
        "ASM703",
        item.path,
        f"{item.what} here, {used}: policy is that of {revision[:12]}",
        data={
            "what": item.what,
            "here_sha256": item.here_sha256,
            "policy_sha256": item.policy_sha256,
            "policy_revision": revision,
        },
        fix=fix,
        severity=severity,
    )
