"""Names of skills that task and profile use and nothing has: a slip of the pen is never silent."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from assembler.model.chain import folders_down_to, join_path, parent_folder
from assembler.model.finding import Finding, make_finding
from assembler.model.run import TASK_NAMES_IT, SkillTerms, TaskTerms
from assembler.model.skill_places import DEFAULT_SKILL_ROOTS, SKILL_FILE
from assembler.model.tree import EntryKind
from assembler.offers.reader import FileReader
from assembler.offers.skill_search import FoundSkills

MAX_MENTIONS: Final = 100
"""Words with a `$` that are compared with the names; a text may hold a program."""
_NEAR: Final = 0.8
_MENTION: Final = re.compile(r"(?<![\w$\\])\$\{?([^\W\d_][\w-]{1,63})")
_WHERE: Final = (
    "skills are looked for in .agents/skills and `skills.roots`, of each folder from the root down "
    "to where the agent starts (-C)"
)


def task_words(task: TaskTerms) -> str:
    """The words of a task that may name a skill."""
    return " ".join(text for text in (task.objective, task.question) if text is not None)


def about_names(
    terms: SkillTerms,
    task: TaskTerms,
    found: FoundSkills,
    active: Mapping[str, str],
    reader: FileReader,
) -> Iterator[Finding]:
    """What task and profile name and nothing has.

    Args:
        terms: of the run.
        task: its words and targets.
        found: every skill that was found.
        active: reason by name.
        reader: asked whether a missing one stands further down; opens nothing.
    """
    names = {skill.called for skill in found.skills if skill.is_one}
    asked = [(name, "the task") for name, why in active.items() if why == TASK_NAMES_IT]
    named = [*terms.named, *asked]
    places: dict[str, str] = {}
    for name, place in named:
        places.setdefault(name, place)
    for name, place in places.items():
        if name not in names:
            yield _missing(name, place, names, _elsewhere(name, terms, task, reader))
    yield from _about_mentions(task_words(task), names)
    yield from _about_roots(terms, found)


def _missing(name: str, place: str, names: Collection[str], elsewhere: str | None) -> Finding:
    import difflib  # for a mistake alone

    near = difflib.get_close_matches(name, sorted(names), n=1)
    fix = f"did you mean {near[0]}? {_WHERE}" if near else _WHERE
    if elsewhere is not None:
        scope = elsewhere.partition("/.")[0]
        fix = f"{elsewhere} is of that name: start there, with -C {scope}"
    return make_finding(
        "ASM220",
        None,
        f"{place} names the skill {name}, and none of that name is there",
        fix=fix,
        data={"skill": name, "place": place, "elsewhere": elsewhere},
    )


def _elsewhere(name: str, terms: SkillTerms, task: TaskTerms, reader: FileReader) -> str | None:
    """A skill in a folder of that name, in a folder between here and a target."""
    above = set(folders_down_to(terms.cwd))
    folders = {
        folder for target in task.targets for folder in folders_down_to(parent_folder(target))
    }
    roots = (*DEFAULT_SKILL_ROOTS, *terms.roots)
    paths = [
        join_path(folder, f"{root}/{name}/{SKILL_FILE}")
        for folder in sorted(folders - above)
        for root in roots
    ]
    there = reader.tree.look_up(paths) if paths and "/" not in name else {}
    return next((path for path in paths if path in there and _is_file(there[path].kind)), None)


def _is_file(kind: EntryKind) -> bool:
    return kind is EntryKind.FILE


def _about_mentions(words: str, names: Collection[str]) -> Iterator[Finding]:
    """Words with a `$` that are nearly a name; a shell variable is far from all of them."""
    by_lower = {name.lower(): name for name in sorted(names)}
    mentions = (match.group(1) for match in _MENTION.finditer(words))
    for said in list(dict.fromkeys(mentions))[:MAX_MENTIONS]:
        # A variable of a shell is written in capitals.
        if said.isupper() or (said in names and f"${{{said}" not in words):
            continue
        import difflib  # few words have a `$`

        near = difflib.get_close_matches(said.lower(), list(by_lower), n=1, cutoff=_NEAR)
        if not near:
            continue
        name = by_lower[near[0]]
        yield make_finding(
            "ASM229",
            None,
            f"the task says ${said}, and no skill is called that: nothing is activated",
            fix=f"write ${name}, if that is meant",
            data={"said": said, "near": name},
        )


def _about_roots(terms: SkillTerms, found: FoundSkills) -> Iterator[Finding]:
    """Folders of the profile that stand at no level; a folder of the user may well be missing."""
    for root in terms.roots:
        places = {join_path(level, root) for level in folders_down_to(terms.cwd)}
        if places <= found.missing:
            yield make_finding(
                "ASM228",
                None,
                f"`skills.roots` names {root}, and there is no such folder",
                fix="correct the path: it is looked for in each folder from the root down to "
                "where the agent starts",
                data={"root": root},
            )
