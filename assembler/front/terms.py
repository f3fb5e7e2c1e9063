"""Bring task, profile and host manifest together to the terms of one run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from assembler.authorize.read_scope import ReadScope
from assembler.config.artifacts import read_artifacts
from assembler.config.profile import Executor, Profile
from assembler.config.task import EvidenceEntry, Example, Task
from assembler.discover.apart import is_one_place
from assembler.discover.evidence import ASKED, ASKER, UNREAD, discover_file, discover_seen
from assembler.discover.servers import declaration_paths
from assembler.errors import ConfigError
from assembler.front.declared_servers import known_servers
from assembler.front.lifetimes import with_lifetime
from assembler.front.policy import Policy, configuration_files
from assembler.front.profiles import MAX_CONFIG_BYTES, read_document, read_policy_file
from assembler.front.record_terms import record_terms
from assembler.front.tool_terms import tool_terms
from assembler.front.trees import named_in
from assembler.model.candidate import Absent, Candidate
from assembler.model.chain import Surroundings, folders_down_to
from assembler.model.counting import counter_unit
from assembler.model.digest import sha256_hex
from assembler.model.evidence import (
    Artifact,
    ChangedListing,
    Discovered,
    Payload,
    SearchTerms,
    Seen,
)
from assembler.model.inventory import Adapter, BudgetTerms, Prompt, Seal, TaskIdentity
from assembler.model.paths import normal_path
from assembler.model.run import (
    EvidenceTerms,
    GlobalInstructions,
    GrantedActions,
    PolicyTerms,
    RunTerms,
    SkillTerms,
    TaskTerms,
)
from assembler.model.symbols import split_symbol
from assembler.ports import SourceTree

_DECIDES: Final = {"test": "failure", "observation": "failure", "issue": "report"}
_KINDS: Final = {"test": "tool-observation", "observation": "tool-observation", "issue": "issue"}


def make_terms(
    task: Task,
    policy: Policy,
    tree: SourceTree,
    scope: ReadScope,
    *,
    policy_tree: SourceTree,
    ends: Sequence[str],
    surroundings: Surroundings,
    cwd: str,
    targets: Sequence[str],
    global_file: GlobalInstructions | None,
    skills: SkillTerms,
    changed: ChangedListing | None,
    now: str | None,
    api: str,
    model: str | None,
) -> RunTerms:
    """The terms of a run.

    Args:
        task: what is asked.
        policy: profile and host.
        tree: where the artifact index is read.
        scope: the read grant; its denies govern policy files too.
        policy_tree: where policy files of the repository are read.
        ends: where each target has its instructions end, root-relative.
        surroundings: what lies around the walk.
        cwd: where the agent starts, root-relative.
        targets: root-relative, those of the command line and of the task.
        global_file: the host's instructions.
        skills: as `skill_terms` has them.
        changed: the changed paths that the task asks for.
        now: reference time for expiry.
        api: the adapter.
        model: the model's name, for the adapter.
    """
    profile = policy.profile
    walked = tuple(ends) if profile.instructions.walk == "target" and ends else (cwd,)
    max_output = profile.reserve.response or None
    with named_in(policy.policy_from):
        tools = tool_terms(policy, policy_tree, scope)
    known = known_servers(policy.host.servers)
    tools = tools._replace(declared_in=folders_down_to(cwd), known=known)
    return RunTerms(
        identity=_identity(task, policy, now),
        budget=BudgetTerms(
            unit=counter_unit(profile.counter),
            counter=profile.counter,
            window=profile.window,
            reserves=(
                ("observations", profile.reserve.observations),
                ("response", profile.reserve.response),
            ),
        ),
        layout=profile.layout,
        adapter=Adapter(name=api, model=model, max_output=None if api == "text" else max_output),
        seal=_seal(task),
        required=tuple(sorted(set(task.required))),
        policy=PolicyTerms(
            rules=policy.walk_rules,
            ends=walked,
            configuration=(*configuration_files(policy), *declaration_paths(folders_down_to(cwd))),
            surroundings=surroundings,
            global_file=global_file,
            instruction=task.instruction,
        ),
        task=task_terms(task, targets),
        skills=skills,
        tools=tools,
        evidence=_evidence_terms(task, policy, tree, scope, targets)._replace(changed=changed),
        records=record_terms(task, policy, tree, scope),
        granted=_granted(policy),
    )


def _granted(policy: Policy) -> GrantedActions | None:
    """The grant of the executor, where host or profile write one at all."""
    if policy.profile.executor == policy.host.executor == Executor():
        return None
    return GrantedActions(tuple(policy.executor.hosts), tuple(policy.executor.tools))


def _identity(task: Task, policy: Policy, now: str | None) -> TaskIdentity:
    digest = sha256_hex(task.objective_text.encode("utf-8"))
    return TaskIdentity(
        id=task.id or f"task:{digest[:12]}",
        actor=task.actor or "assembler",
        prompt=Prompt(name=policy.loaded.name, version=policy.loaded.sha256[:12]),
        objective="task",
        as_of=task.asked_dates,
        now=now,
        topics=tuple(sorted(set(task.topics))) or None,
    )


def _seal(task: Task) -> Seal:
    lists: dict[str, set[str]] = {"events": set(), "artifacts": set(), "calls": set()}
    lists["lineage"] = set()
    for entry in task.seals:
        for name, ids in lists.items():
            value = getattr(entry, name)
            if value is not None:
                ids.add(value)
    return Seal(**{name: tuple(sorted(ids)) for name, ids in lists.items()})


def task_terms(task: Task, targets: Sequence[str]) -> TaskTerms:
    """What of a task is rendered; the targets are all of the run's, root-relative."""
    examples = [task.example] if isinstance(task.example, Example) else task.example
    return TaskTerms(
        objective=task.objective,
        question=task.question,
        examples=tuple((example.question, example.answer) for example in examples),
        targets=tuple(targets),
        proof=task.proof,
        work_changed=task.work.changed,
        work_next=task.work.next,
    )


def _evidence_terms(
    task: Task,
    policy: Policy,
    tree: SourceTree,
    scope: ReadScope,
    targets: Sequence[str],
) -> EvidenceTerms:
    artifacts = _load_artifacts(task, policy.profile, tree, scope)
    named: list[Discovered] = []
    summaries: list[Discovered] = []
    unfound: list[Candidate] = []
    for entry in task.evidence:
        _require_inside(entry.file, "evidence: file")
        if entry.evidence_class == "summary":
            artifact = artifacts.get(str(entry.summary))
            if artifact is None:
                unfound.append(_unfound_summary(entry, policy))
            else:
                summaries.append(_summary(entry, artifact, policy))
        elif entry.evidence_class != "record":
            item = _named(entry, policy.trust, targets)
            named.append(with_lifetime(item, policy.profile.evidence.lifetime_days))
    _require_apart(named)
    return EvidenceTerms(
        named=tuple(named),
        summaries=tuple(summaries),
        artifacts={f"summary:{name}": artifact for name, artifact in artifacts.items()},
        unfound=tuple(unfound),
        searches=tuple(
            SearchTerms(text=item.text, name=item.name, scope=item.in_, limit=item.limit)
            for item in task.search
        ),
        trust=policy.trust,
        lists_siblings=policy.profile.evidence.siblings,
        required=frozenset(task.required),
    )


def _require_apart(named: Sequence[Discovered]) -> None:
    """A part of a file, and one that was seen before, has an id that a file can be called like.

    Raises:
        ConfigError: `config-value`.
    """
    met: dict[str, Discovered] = {}
    for item in named:
        known = met.setdefault(item.candidate.id, item)
        is_again = known is not item and not item.is_payload
        if is_again and (item.seen is not None or not is_one_place(known, item)):
            raise ConfigError("config-value", f"evidence: two entries are {item.candidate.id}")


def _require_inside(path: str | None, what: str) -> None:
    """Paths in files are root-relative, in the spelling that rows name them by.

    Raises:
        ConfigError: `path-outside`.
    """
    if path is not None and normal_path(path) != path:
        raise ConfigError(
            "path-outside",
            f"{what}: {path} is not a plain path inside the repository",
            where=path,
            next_step="write it relative to the repository's root, without . and ..",
        )


def _named(entry: EvidenceEntry, trust: Mapping[str, str], targets: Sequence[str]) -> Discovered:
    kind = entry.evidence_class
    if kind in ("file", "symbol"):
        return _named_source(entry, trust["source"], targets)
    candidate = Candidate(
        id=f"{kind}:{getattr(entry, kind)}",
        kind=_KINDS[kind],
        section="evidence",
        trust=trust[kind],
        content=UNREAD,
        source=entry.url,
        revision=entry.revision,
        discovered_by=ASKER,
        decides=_DECIDES[kind],
        refresh="run" if kind != "issue" else None,
    )
    return Discovered(
        candidate=_with_facts(candidate, entry),
        path=entry.file or "",
        lines=entry.lines,
        around=entry.around,
        is_payload=True,
        payload=Payload(kind, entry.case),
    )


def _named_source(entry: EvidenceEntry, trust: str, targets: Sequence[str]) -> Discovered:
    """A file of the repository, or the part of it that the task asks for."""
    path, symbol = entry.file or "", None
    if entry.symbol is not None:
        named = split_symbol(entry.symbol)
        if named is None:
            raise ConfigError("config-value", f"{entry.symbol} is no PATH#NAME of a definition")
        path, symbol = named
        _require_inside(path, "evidence: symbol")
    item = discover_file(
        path,
        trust=trust,
        found_by=ASKER,
        lines=entry.lines,
        symbol=symbol,
        decides="edit target" if path in targets else ASKED,
    )
    item = item._replace(
        candidate=_with_facts(item.candidate, entry), around=entry.around, imports=entry.imports
    )
    if entry.revision is None and entry.sha256 is None:
        return item
    if entry.around is not None:
        raise ConfigError("config-value", "what is known of a section is no `around`", where=path)
    return discover_seen(item, Seen(entry.revision, entry.sha256))


def _with_facts(candidate: Candidate, entry: EvidenceEntry) -> Candidate:
    return candidate._replace(
        observed_at=entry.observed_at,
        retrieved_at=entry.retrieved_at,
        valid_from=entry.valid_from,
        valid_to=entry.valid_to,
        expires_at=entry.expires_at,
        topics=tuple(sorted(set(entry.topics))),
        lineage=tuple(sorted(set(entry.lineage))),
        group=entry.group,
    )


def _summary(entry: EvidenceEntry, artifact: Artifact, policy: Policy) -> Discovered:
    candidate = Candidate(
        id=f"summary:{artifact.id}",
        kind="summary",
        section="evidence",
        trust=policy.trust["summary"],
        content=UNREAD,
        source=artifact.file,
        revision=artifact.revision,
        discovered_by=f"artifact index {policy.profile.evidence.index}",
        decides="edit target",
        refresh="digest",
    )
    return Discovered(candidate=_with_facts(candidate, entry), path=artifact.file)


def _unfound_summary(entry: EvidenceEntry, policy: Policy) -> Candidate:
    return Candidate(
        id=f"summary:{entry.summary}",
        kind="summary",
        section="evidence",
        trust=policy.trust["summary"],
        content=Absent("unreadable"),
        discovered_by=f"artifact index {policy.profile.evidence.index}: 0 hits",
    )


def _load_artifacts(
    task: Task, profile: Profile, tree: SourceTree, scope: ReadScope
) -> dict[str, Artifact]:
    """The index, read only where a summary is wanted."""
    if not any(entry.summary is not None for entry in task.evidence):
        return {}
    path = profile.evidence.index
    data = _read_policy(tree, scope, path, limit_bytes=MAX_CONFIG_BYTES)
    return {} if data is None else read_artifacts(read_document(data, path), path=path)


def _read_policy(
    tree: SourceTree, scope: ReadScope, path: str, *, limit_bytes: int
) -> bytes | None:
    """A configuration file that the profile names; None where there is none."""
    _require_inside(path, "profile")
    return read_policy_file(tree, path, scope, limit_bytes=limit_bytes)
