"""The whole pipeline: discover, authorize, assess, select, render, bind, record.

In: an inventory in normal form (whichever door it came through) and the bytes behind it.
Out: a package, or a refusal. Never here: files, git, clocks; those come in as ports.
The numbers are the steps of docs/formats/decisions.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from assembler.assess.secrets import SecretScan, withhold_secrets
from assembler.assess.work_record import write_work_record
from assembler.bind.request import bind, require_carried
from assembler.bind.tools import check_tools
from assembler.discover.skills import FrontMatterReader
from assembler.errors import ContentUnresolvedError, CountMismatchError
from assembler.model.candidate import Absent, Candidate, Inline
from assembler.model.canonical import canonical_record
from assembler.model.counting import DECLARED
from assembler.model.decision import Reason, Selection
from assembler.model.finding import Finding
from assembler.model.inventory import TEXT_LAYOUT, Inventory
from assembler.model.rendered import Rendering
from assembler.model.run import RunTerms
from assembler.offers.differences import KIND as DIFFERENCE
from assembler.offers.differences import (
    DifferenceOffer,
    PolicyDifference,
    compare_policy,
    find_distrusted,
    offer_differences,
)
from assembler.offers.distrust import (
    TrustedFiles,
    distrust,
    files_read,
    join_words,
    sources_read,
)
from assembler.offers.evidence import CompileGlob, EvidenceOffer, offer_evidence
from assembler.offers.ignored import tell_ignored
from assembler.offers.policy import PolicyOffer, offer_policy
from assembler.offers.reader import FileReader
from assembler.offers.servers import ReadDeclaration, offer_servers
from assembler.offers.skills import SkillOffer, offer_skills
from assembler.offers.task import objective_id, offer_task
from assembler.offers.tools import offer_tools
from assembler.ports import Counter, Ignores, SymbolReader
from assembler.record.identities import identify, identify_selection
from assembler.record.package import Package, write_package
from assembler.render.envelope import write_item
from assembler.render.marginal import require_content
from assembler.render.pricing import choose_pricing, render
from assembler.select.checks import check_facts
from assembler.select.selection import select

RevisionNamer = Callable[
    [Mapping[str, str], Mapping[str, str]], Mapping[str, tuple[str | None, str | None]]
]
"""Revision and version by id, of paths of policy and of evidence."""


class Offer(NamedTuple):
    """The first door's inventory, and what the rooms have to say beside it."""

    inventory: Inventory
    policy: PolicyOffer
    skills: SkillOffer
    missing: Mapping[str, str | None]
    """Ids of evidence that was wanted and is not there, with the reason where one is known."""
    differences: tuple[PolicyDifference, ...] = ()
    """What of the policy is not the same where the evidence is from."""
    notes: tuple[Finding, ...] = ()
    """The differences, as findings."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What the rooms found beside candidates."""
        return (*self.policy.chain.findings, *self.skills.findings, *self.notes)


def discover_inventory(
    terms: RunTerms,
    *,
    reader: FileReader,
    policy_reader: FileReader,
    skill_reader: FileReader,
    payloads: FileReader,
    read_front_matter: FrontMatterReader,
    read_declaration: ReadDeclaration,
    symbols: SymbolReader,
    compile_glob: CompileGlob,
    name_revisions: RevisionNamer,
    scan_secrets: SecretScan,
    open_counter: Callable[[str], Counter],
    ignores: Ignores,
    trusted: TrustedFiles | None = None,
) -> Offer:
    """Discover, authorize and assess: everything that the run is offered, facts only.

    Args:
        terms: what was asked and granted.
        reader: reads the tree of the run, under its read grant.
        policy_reader: reads the tree that policy is from; the same object where that is the
            tree of the run.
        skill_reader: reads the same tree with the folders of skills outside the repository; the
            same object where there are none.
        payloads: reads what the invoker handed in, as it is now.
        read_front_matter: parses the head of a SKILL.md.
        read_declaration: parses a file that declares servers; asked only where there is one.
        symbols: takes source files apart; asked only where a definition is wanted.
        compile_glob: makes a pattern set of one glob.
        name_revisions: for candidates that came from files (id to path), those of policy and
            those of evidence, the revision and version to record.
        scan_secrets: finds what has the form of a secret.
        open_counter: gives the counter of a name; asked only where a part has a ceiling.
        ignores: says what git leaves out of the tree of the run.
        trusted: tells the files that a trusted revision has; None: every revision is trusted.
    """
    policy = offer_policy(terms.policy, policy_reader)
    task, task_required = offer_task(terms.task, terms.layout)
    tools, tools_required = offer_tools(terms.tools)
    tools += offer_servers(terms.tools, policy_reader, read_declaration)
    skills = offer_skills(
        terms.skills,
        terms.task,
        skill_reader,
        read_front_matter,
        resident_tools=(*(tool.name for tool in terms.tools.resident), *terms.tools.withheld),
        price=lambda item: price_inline(item, open_counter(terms.budget.counter)),
    )
    evidence = offer_evidence(
        terms.evidence,
        terms.task,
        reader=reader,
        payloads=payloads,
        symbols=symbols,
        compile_glob=compile_glob,
        ignores=ignores,
    )
    differences: tuple[PolicyDifference, ...] = ()
    differing = DifferenceOffer()
    if policy_reader is not reader:
        differences = compare_policy(policy_reader, reader, terms.policy, terms.skills)
        differing = offer_differences(differences, str(policy_reader.tree.revision))
        distrusted = find_distrusted(
            sources_read(evidence),
            policy_reader,
            reader,
            terms=terms.policy,
            skills=terms.skills,
            differences=differences,
        )
        evidence = distrust(evidence, distrusted)
    if trusted is not None:
        untrusted = trusted.find_untrusted(files_read(evidence), reader)
        evidence = distrust(evidence, untrusted, why=trusted.reason)
    work = _offer_work(terms, evidence)
    required = {
        *policy.required,
        *task_required,
        *tools_required,
        *skills.required,
        work.id,
        *terms.required,
    }
    gathered = _hand_over(evidence, required, _terms_alone(terms, required))
    offered = [*policy.candidates, *task, *tools, *skills.candidates, *gathered, work]
    offered += differing.candidates
    if terms.layout != TEXT_LAYOUT:
        # The other layouts have no place for these; they are rows that say so.
        required -= {item.id for item in offered if item.section in ("tools", "work")}
    named = name_revisions({**policy.paths, **skills.paths}, {**evidence.paths, **differing.paths})
    paths = {**policy.paths, **skills.paths, **evidence.paths, **differing.paths}
    told = tell_ignored(
        (
            _name_revision(_value_required(item, required), named)
            for item in offered
            if not _is_required_and_missing(item, required, evidence)
        ),
        ignored=evidence.ignored,
        read={
            name: reader.real_paths[path]
            for name, path in evidence.paths.items()
            if path in reader.real_paths
        },
        handed_in=evidence.handed_in,
        ignores=ignores,
    )
    swept, renamed = withhold_secrets(told, paths, scan_secrets)
    inventory = Inventory(
        task=terms.identity._replace(objective=objective_id(terms.task)),
        budget=terms.budget,
        candidates=tuple(swept),
        required=tuple(sorted({renamed.get(name, name) for name in required})),
        revision=None,
        layout=terms.layout,
        adapter=terms.adapter,
        seal=terms.seal,
    )
    return Offer(
        inventory=inventory,
        policy=policy,
        skills=skills,
        missing=evidence.missing,
        differences=differences,
        notes=differing.findings,
    )


def price_inline(item: Candidate, counter: Counter) -> int:
    """What an item will cost as it is rendered."""
    return counter.count(render_inline(item))


def render_inline(item: Candidate) -> bytes:
    """An item as it stands in an input, if it comes in."""
    assert isinstance(item.content, Inline)  # a part with a ceiling holds its own words
    return write_item(item, item.content.data).data


def _offer_work(terms: RunTerms, evidence: EvidenceOffer) -> Candidate:
    sealed = {identifier for _, ids in terms.seal.lists() for identifier in ids}
    speakable = [
        item
        for item in evidence.candidates
        if not sealed & {item.id, *item.lineage}
        and not (isinstance(item.content, Absent) and item.content.word == "denied")
    ]
    text = write_work_record(
        changed=terms.task.work_changed, next_step=terms.task.work_next, evidence=speakable
    )
    return Candidate(
        id="work",
        kind="work",
        section="work",
        trust="authorized",
        content=Inline(text),
        discovered_by="task and evidence",
    )


def _terms_alone(terms: RunTerms, required: set[str]) -> Inventory:
    """The terms of the run as an inventory of nothing, for asking a check of one candidate."""
    return Inventory(
        task=terms.identity,
        budget=terms.budget,
        candidates=(),
        required=tuple(required),
        layout=terms.layout,
        seal=terms.seal,
    )


def _hand_over(evidence: EvidenceOffer, required: set[str], terms: Inventory) -> list[Candidate]:
    """Give the requirement and the group of a stale item to what is read again in its place.

    Only where stale is the reason: a denied or sealed item hands over nothing, so that a change
    of its source opens no way around the rule.
    """
    by_id = {item.id: item for item in evidence.candidates}
    for identifier, successors in evidence.successors.items():
        item = by_id[identifier]
        verdict = check_facts(item, terms)
        if verdict is None or verdict[0] is not Reason.STALE:
            continue
        if identifier in required:
            required.discard(identifier)
            required.update(successors)
        if item.group is not None:
            by_id[identifier] = item._replace(group=None)
            for successor in successors:
                if by_id[successor].group is None:
                    by_id[successor] = by_id[successor]._replace(group=item.group)
    return list(by_id.values())


def _is_required_and_missing(item: Candidate, required: set[str], evidence: EvidenceOffer) -> bool:
    """A wanted thing that no source has is a row; a required one was never offered."""
    return item.id in required and item.id in evidence.missing


def _value_required(item: Candidate, required: set[str]) -> Candidate:
    """What the task requires decides something, also where a search found it."""
    if item.id in required and item.decision_value == 0 and item.decides is None:
        return item._replace(decision_value=None, decides="required by the task")
    return item


def _name_revision(
    item: Candidate, named: Mapping[str, tuple[str | None, str | None]]
) -> Candidate:
    if item.id not in named or item.revision is not None:
        return item
    if isinstance(item.content, Absent) and item.kind != DIFFERENCE:
        return item
    revision, version = named[item.id]
    return item._replace(revision=revision, version=join_words(item.version, version))


def compile_inventory(
    inventory: Inventory,
    contents: Mapping[str, bytes],
    open_counter: Callable[[str], Counter],
    *,
    inventory_bytes: bytes | None = None,
) -> Package:
    """Compile one run.

    Args:
        inventory: in normal form.
        contents: bytes by digest, of every content of the inventory.
        open_counter: gives the counter of a name; asked only when something is counted.
        inventory_bytes: those of `write_inventory`, where they were written already.

    Raises:
        RefusedError: the first refusal of steps 3 to 12; nothing was made.
    """

    def counter() -> Counter:
        return open_counter(inventory.budget.counter)

    pricing = choose_pricing(inventory, counter, contents)
    selection = select(inventory, contents, pricing)  # steps 3 to 6
    _require_contents(inventory, selection, contents)  # 8
    identities = identify(inventory, selection)  # 7
    chosen = [item.candidate for item in selection.selected]
    check_tools(chosen, contents)  # 9
    rendering = render(inventory.layout, chosen, contents)  # 10
    _require_count(rendering, selection, counter)  # 11
    request = bind(  # 12
        rendering,
        layout=inventory.layout,
        adapter=inventory.adapter,
        terms=inventory.budget,
        contents=contents,
    )
    require_carried(request, rendering, adapter=inventory.adapter, contents=contents)
    return write_package(  # 13
        inventory,
        selection,
        rendering,
        request,
        identities,
        counter=counter(),
        contents=contents,
        inventory_bytes=inventory_bytes or write_inventory(inventory),
    )


def write_inventory(inventory: Inventory) -> bytes:
    """The bytes of `inventory.json`."""
    return canonical_record(inventory.to_json())


def _require_contents(
    inventory: Inventory, selection: Selection, contents: Mapping[str, bytes]
) -> None:
    """A ghost passes selection by its declared size and fails here, before anything is made."""
    for item in selection.selected:
        try:
            require_content(item.candidate, contents)
        except ContentUnresolvedError as error:
            package_id, trace_id = identify_selection(inventory, selection)
            error.detail |= {"package_id": package_id, "trace_id": trace_id}
            raise


def _require_count(
    rendering: Rendering, selection: Selection, counter: Callable[[], Counter]
) -> None:
    """The complete serialization decides: it must count what its parts counted."""
    budget = selection.budget
    if budget.counter == DECLARED:
        return
    whole = counter().count(rendering.data)
    if whole != budget.total:
        raise CountMismatchError(
            "count-mismatch",
            f"the parts count {budget.total:,} and the whole {whole:,}",
            detail={"sum": budget.total, "whole": whole},
            next_step="report this: another vocabulary may merge across items",
        )
