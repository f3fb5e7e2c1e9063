"""Why a path of the present tree would be in or out, without a run."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from assembler.adapters.ignore_rules import WorktreeIgnores
from assembler.authorize.read_scope import authorize_evidence
from assembler.config.task import Task
from assembler.errors import RefusedError, UsageError
from assembler.front.asked_sources import AskedSource, sources_without_task
from assembler.front.counting import counters
from assembler.front.places import Workplace, find_workplace
from assembler.front.policy import Policy, load_policy
from assembler.front.skill_offer import SkillPlace, find_offer
from assembler.front.targets import path_missing
from assembler.front.trees import open_workplace, open_workplace_tree
from assembler.model.candidate import Absent
from assembler.model.chain import WalkRules
from assembler.model.paths import normal_path
from assembler.model.reason_texts import fix_of_denial
from assembler.model.skill import Skill
from assembler.model.tree import Denied, EntryKind
from assembler.offers.chain import read_chain
from assembler.offers.reader import FileReader
from assembler.offers.skills import SkillOffer
from assembler.ports import Ignores, SourceTree

STATES: Final = ("available", "eligible", "selected", "rendered", "bound")
SKILL_ITEM: Final = "skill:"
"""How the rows of skills begin."""


ITEMS: Final = ("tool:", "test:", "observation:", "issue:", "summary:", "record:", "search:")
"""How rows begin whose item is no file of the tree."""
_ENTERS: Final = (
    "; it enters when a task names it: as a target, under `evidence`, or by the proof command"
)
_UNNAMED: Final = ", but no source of this task names it"
_NAMED_FILES: Final = ("file:", "policy:")

_STOPS: Final = {
    "available": "no source names it",
    "eligible": "a rule or a finding keeps it out, whatever names it",
}
_NOT_AVAILABLE: Final = ("not-offered", "outside-chain", "wrong-case-name")


class PathAnswer(NamedTuple):
    """What would become of a path, and what to do about it."""

    path: str
    state: str
    reason: str
    text: str
    fix: str | None
    revision: str | None = None
    sources: tuple[AskedSource, ...] = ()
    """What a task asks, or could ask."""
    rows: tuple[Mapping[str, Any], ...] = ()
    """With a task: what a run would say of it; these then are the answer."""
    refusal: RefusedError | None = None
    """With a task: why there would be no run."""

    @property
    def states(self) -> dict[str, bool | None]:
        """The five states; None where only a run decides. Of rows, those of the one furthest on."""
        if self.rows:
            return {name: bool(self.best_row["states"][name]) for name in STATES}
        if self.state in ("in", "cut"):
            return {"available": True, "eligible": True, **dict.fromkeys(STATES[2:])}
        if self.reason in _NOT_AVAILABLE or self.is_unasked_resource:
            return dict.fromkeys(STATES, False)
        return {"available": None, **dict.fromkeys(STATES[1:], False)}

    @property
    def is_unasked_resource(self) -> bool:
        """Whether it is a file of a skill that nothing asks for."""
        return (self.state, self.reason) == ("out", "skill")

    @property
    def best_row(self) -> Mapping[str, Any]:
        """The row that gets furthest."""
        return max(self.rows, key=lambda row: sum(bool(row["states"][name]) for name in STATES))

    @property
    def stops_at(self) -> str | None:
        """The first state that it does not reach; None where it reaches all that is known."""
        return next((name for name, reached in self.states.items() if reached is False), None)

    @property
    def why_stopped(self) -> str | None:
        """Why it stops there, where no row says so."""
        return None if self.rows else _STOPS.get(self.stops_at or "")


def explain_path(
    named: str,
    cwd: Path,
    *,
    environment: Mapping[str, str],
    at: str,
    targets: Sequence[str],
    profile: str | None,
    host: Path | None,
    task: Task | None = None,
    now: str | None = None,
) -> PathAnswer:
    """The answer for one path: of a task's run, the instruction chain, else of the read grant.

    Args:
        named: a path relative to `cwd`, or a unique end of one.
        cwd: where the agent starts; absolute, links resolved.
        environment: for the user's folders.
        at: `worktree`, `index` or a revision.
        targets: the files to work on; the chain is theirs.
        profile: a name or a file.
        host: the host manifest.
        task: whose sources are asked; None: they are only named.
        now: with a task: reference time for expiry.

    Raises:
        UsageError: the path is not there, or two paths end so; with a task, as `assemble`.
    """
    if task is None:
        answer = _explain_here(
            named, cwd, environment=environment, at=at, targets=targets, profile=profile, host=host
        )
        return answer._replace(sources=sources_without_task())
    return _explain_in_task(
        named, cwd, task, environment=environment, at=at, targets=targets, profile=profile,
        host=host, now=now,
    )  # fmt: skip


def _explain_in_task(
    named: str,
    cwd: Path,
    task: Task,
    *,
    environment: Mapping[str, str],
    at: str,
    targets: Sequence[str],
    profile: str | None,
    host: Path | None,
    now: str | None,
) -> PathAnswer:
    """What a run of the task would say; where it has no row, what is said without it."""
    from assembler.front.explaining_task import explain_in_task

    workplace = find_workplace(cwd)
    item = named if named.startswith((*ITEMS, SKILL_ITEM)) else None
    in_task = [
        os.path.relpath(workplace.root / path, cwd)
        for path in task.targets
        if normal_path(path) is not None
    ]
    problem: UsageError | None = None
    try:
        answer = _explain_here(
            named, cwd, environment=environment, at=at, targets=[*targets, *in_task],
            profile=profile, host=host,
        )  # fmt: skip
    except UsageError as error:
        if error.code not in ("path-missing", "item-without-run", "skill-missing"):
            raise
        problem = error
        path = item or workplace.relative(_plain_name(named), base=cwd)
        answer = PathAnswer(path, "out", "not-found", "", None)
    found = explain_in_task(
        item or answer.path, cwd, task, environment=environment, at=at, targets=targets,
        profile=profile, host=host, now=now,
    )  # fmt: skip
    if problem is not None and not found.rows:
        raise problem
    if answer.reason == "not-offered":
        answer = answer._replace(text=answer.text.replace(_ENTERS, _UNNAMED))
    return answer._replace(
        path=item or answer.path,
        sources=() if item else found.sources,
        rows=found.rows,
        refusal=found.refusal,
    )


def _explain_here(
    named: str,
    cwd: Path,
    *,
    environment: Mapping[str, str],
    at: str,
    targets: Sequence[str],
    profile: str | None,
    host: Path | None,
) -> PathAnswer:
    """The answer that no task is needed for."""
    if named.startswith(ITEMS):
        raise _item_without_run(named)
    spelled, named = named, _plain_name(named)
    with open_workplace(cwd, environment=environment) as (workplace, git):
        tree = open_workplace_tree(workplace, git, at, environment)
        revision = tree.revision
        policy = load_policy(
            workplace, tree, profile=profile, host=host, base=cwd, environment=environment
        )
        place = SkillPlace(workplace, git, tree, environment)
        ends = tuple(workplace.relative(target, base=cwd) for target in targets)
        if named.startswith(SKILL_ITEM):
            answer = _answer_named(named, policy, place, list(ends))
            return answer._replace(revision=revision)
        named = _spelled_file(spelled, workplace, cwd, tree) or named
        path = _find(workplace.relative(named, base=cwd), named, tree)
        rules = policy.walk_rules
        reader = FileReader(tree, policy.read_scope())
        chain, _ = read_chain(reader, rules, ends=ends or (workplace.cwd,))
        for row in chain.rows:
            if row.path == path:
                finding = next((item for item in chain.findings if item.path == path), None)
                reason = "instructions" if row.state == "in" else row.reason
                text = row.note or f"{row.loaded_bytes:,} bytes load, for {row.scope}"
                fix = None if finding is None else finding.fix
                return PathAnswer(path, row.state, reason, text, fix, revision)
        skill = _answer_skill(path, policy, place, list(ends))
        if skill is not None:
            return skill._replace(revision=revision)
        shown = os.path.relpath(workplace.root / path, cwd)
        ignores = WorktreeIgnores(git) if git is not None and tree.at == "worktree" else None
        answer = _answer_outside_chain(path, shown, rules, reader, ignores)
        return answer._replace(revision=revision)


def _plain_name(named: str) -> str:
    """A path, also where it is spelled as rows of files are."""
    kind = next((kind for kind in _NAMED_FILES if named.startswith(kind)), "")
    path = named.removeprefix(kind)
    return re.sub(r"#L[0-9]+-L[0-9]+(?:@.*)?\Z", "", path, flags=re.DOTALL) if kind else path


def _spelled_file(named: str, workplace: Workplace, cwd: Path, tree: SourceTree) -> str | None:
    """A path spelled as rows of files are, where a file is called just so, lines and all."""
    kind = next((kind for kind in _NAMED_FILES if named.startswith(kind)), None)
    if kind is None:
        return None
    name = named.removeprefix(kind)
    path = workplace.relative(name, base=cwd)
    return name if tree.look_up([path])[path].kind is not EntryKind.MISSING else None


def _item_without_run(named: str) -> UsageError:
    """An item that only a run has, with the command that shows what there is of it here."""
    here = {
        "tool:": "what is allowed here: assembler tools list",
        "search:": "or name a path, with --task FILE",
    }
    kind = named.partition(":")[0] + ":"
    return UsageError(
        "item-without-run",
        f"{named} is an item of runs, and no run was named",
        where=named,
        next_step=f"assembler explain {shlex.quote(named)} --run last, or with --task FILE; "
        + here.get(kind, "all of a run: assembler log last"),
    )


def _answer_named(named: str, policy: Policy, place: SkillPlace, targets: list[str]) -> PathAnswer:
    """The answer for a skill by the name of its row, `skill:NAME`.

    Raises:
        UsageError: `skill-missing`.
    """
    offer = _offer(policy, place, targets)
    item = named.removeprefix(SKILL_ITEM).removesuffix("#instructions").removesuffix("#line")
    skills = [skill for skill in offer.skills if skill.is_one]
    for skill in skills:
        # The row of one that was turned away has its path.
        if item in (skill.called, f"./{skill.path}"):
            return _answer_found(skill.path, skill, offer)
        entry = skill.resource(item.removeprefix(f"{skill.called}/"))
        if item.startswith(f"{skill.called}/") and entry is not None:
            return _answer_found(entry.path, skill, offer)
    import difflib

    near = difflib.get_close_matches(item, [skill.called for skill in skills], n=1)
    raise UsageError(
        "skill-missing",
        f"no skill, and no file of one, is called {item}",
        where=named,
        next_step=f"did you mean skill:{near[0]}?"
        if near
        else "all of them: assembler skills list; their files: assembler skills show NAME",
    )


def _answer_skill(
    path: str, policy: Policy, place: SkillPlace, targets: list[str]
) -> PathAnswer | None:
    """The answer for a file of a skill's folder, or None for any other file."""
    offer = _offer(policy, place, targets)
    for skill in offer.skills:
        if path in {skill.path, *(entry.path for entry in skill.files)}:
            return _answer_found(path, skill, offer)
    return None


def _offer(policy: Policy, place: SkillPlace, targets: list[str]) -> SkillOffer:
    with counters(place.environment) as open_counter:
        return find_offer(
            Task(),
            policy,
            place,
            targets=targets,
            counter=open_counter(policy.profile.counter),
            every_digest=False,
        ).offer


def _answer_found(path: str, skill: Skill, offer: SkillOffer) -> PathAnswer:
    if skill.state != "listed":
        text = f"skill {skill.called} is {skill.state}: {skill.where or path}"
        return PathAnswer(path, "out", skill.slug or skill.state, text, None)
    return _answer_listed(path, skill, offer)


def _answer_listed(path: str, skill: Skill, offer: SkillOffer) -> PathAnswer:
    """The answer for a file of a skill that no fault keeps out."""
    candidates = {candidate.id: candidate for candidate in offer.candidates}
    content = candidates[f"skill:{skill.name}"].content
    if isinstance(content, Absent):
        return PathAnswer(path, "out", content.code or "turned-away", str(content.where), None)
    active = candidates.get(f"skill:{skill.name}#instructions")
    fix = f"activate it: `skills: [{skill.name}]` in the task, or ${skill.name} in its words"
    if path != skill.path:
        text = f"belongs to the skill {skill.name}: in when it is asked for by name"
        name = path.removeprefix(skill.prefix)
        fix = f"ask for it: `skills: [{skill.name}/{name}]` in the task"
        return PathAnswer(path, "out", "skill", text, fix)
    if skill.instructions_sha256 is None:
        text = f"its line `{skill.name}` is in every input; the file is too large to be active"
        return PathAnswer(path, "in", "skill", text, "move parts into references/")
    if active is not None:
        return PathAnswer(path, "in", "skill", f"active: {active.discovered_by}", None)
    text = f"its line `{skill.name}` is in every input; the whole file when it is active"
    return PathAnswer(path, "in", "skill", text, fix)


def _answer_outside_chain(
    path: str, shown: str, rules: WalkRules, reader: FileReader, ignores: Ignores | None
) -> PathAnswer:
    folder, _, name = path.rpartition("/")
    if name in rules.names:
        return PathAnswer(path, "out", "outside-chain", f"applies to {folder}/** only", None)
    if name.lower() in {known.lower() for known in rules.names}:
        text = "no name that an agent looks for: letters count"
        return PathAnswer(path, "off", "wrong-case-name", text, "rename it")
    entry = reader.tree.look_up([path])[path]
    permission = authorize_evidence(entry, reader.scope)
    if isinstance(permission, Denied):
        text = f"{permission.rule}; never opened"
        return PathAnswer(path, "denied", "access-denied", text, fix_of_denial(permission.rule))
    if entry.kind is EntryKind.OUTSIDE_LINK:
        text = "a link that leads out of the repository is never opened"
        return PathAnswer(path, "out", "link-leaves-repository", text, "copy the file in")
    if entry.kind is EntryKind.DIRECTORY:
        text = "is a folder: as a target its files are listed by their names, and none is opened"
        return PathAnswer(path, "out", "not-a-file", text, "name the files that are wanted")
    if entry.kind is not EntryKind.FILE:
        text = f"is no file: {entry.kind.value}"
        return PathAnswer(path, "out", "not-a-file", text, "name a file")
    text = f"exists and is inside the read grant{_ENTERS}"
    real_path = entry.real_path or path
    found = None if ignores is None else ignores.rules([real_path])
    if found and real_path in found:
        text += f"; git ignores it by {found[real_path]}, so that no search has it as a hit"
    fix = f"add `- file: {path}` under `evidence` in the task, or -t {shlex.quote(shown)}"
    return PathAnswer(path, "out", "not-offered", text, fix)


def _find(path: str, named: str, tree: SourceTree) -> str:
    """The path itself, else the one path that ends so."""
    if tree.look_up([path])[path].kind is not EntryKind.MISSING:
        return path
    ends = f"/{named}"
    paths = [entry.path for entry in tree.list_files().entries if entry.path.endswith(ends)]
    if len(paths) == 1:
        return paths[0]
    if paths:
        raise UsageError(
            "path-ambiguous",
            f"{named} ends {len(paths)} paths: {', '.join(paths[:5])}",
            where=named,
            next_step="give more of the path",
        )
    raise path_missing(named, path, tree)
