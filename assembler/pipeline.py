"""The whole pipeline: discover, authorize, assess, select, render, bind, record.

In: an inventory in normal form (whichever door it came through) and the bytes behind it.
Out: a package, or a refusal. Never here: files, git, clocks; those come in as ports.
The numbers are the steps of docs/formats/decisions.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from assembler.assess.secrets import SecretScan, withhold_secrets
from assembler.assess.signals import SignalScan, tell_signals
from assembler.bind.request import bind, require_carried
from assembler.bind.tools import check_tools
from assembler.discover.skills import FrontMatterReader
from assembler.errors import ContentUnresolvedError, CountMismatchError
from assembler.model.candidate import Candidate, Inline
from assembler.model.canonical import canonical_record
from assembler.model.counting import DECLARED
from assembler.model.decision import Selection
from assembler.model.finding import Finding
from assembler.model.inventory import TEXT_LAYOUT, Inventory
from assembler.model.rendered import Rendering
from assembler.model.run import RunTerms
from assembler.model.withheld import withhold
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
    sources_read,
)
from assembler.offers.evidence import CompileGlob, EvidenceOffer, offer_evidence
from assembler.offers.ignored import tell_ignored
from assembler.offers.policy import PolicyOffer, offer_policy
from assembler.offers.reader import FileReader
from assembler.offers.records import join_records, offer_records
from assembler.offers.servers import ReadDeclaration, offer_servers
from assembler.offers.settling import (
    WORK,
    hand_over,
    may_read_again,
    name_revision,
    offer_work,
    terms_alone,
    value_required,
)
from assembler.offers.skills import SkillOffer, offer_skills
from assembler.offers.task import objective_id, offer_task
from assembler.offers.tools import offer_tools
from assembler.ports import Counter, History, Ignores, SymbolReader
from assembler.record.identities import identify, identify_selection
from assembler.record.package import Package, write_package
from assembler.render.envelope import write_item
from assembler.render.marginal import require_content
from assembler.render.pricing import choose_pricing, render
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
    paths: Mapping[str, str] = MappingProxyType({})
    """File of each piece of evidence that has one, by id."""
    notes: tuple[Finding, ...] = ()
    """The differences and what evidence tries to do, as findings."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What the rooms found beside candidates."""
        return (*self.policy.chain.findings, *self.skills.findings, *self.notes)


class World(NamedTuple):
    """What discovery asks of the world."""

    reader: FileReader
    """Reads the tree of the run, under its read grant."""
    policy_reader: FileReader
    """Reads the tree that policy is from; the same object where that is the tree of the run."""
    skill_reader: FileReader
    """Reads the same tree with the folders of skills outside the repository; the same object
    where there are none."""
    payloads: FileReader
    """Reads what the invoker handed in, as it is now."""
    history: History
    """Reads files as they were, under the read grant too."""
    read_front_matter: FrontMatterReader
    """Parses the head of a SKILL.md."""
    read_declaration: ReadDeclaration
    """Parses a file that declares servers; asked only where there is one."""
    symbols: SymbolReader
    """Takes source files apart; asked only where a definition is wanted."""
    compile_glob: CompileGlob
    """Makes a pattern set of one glob."""
    name_revisions: RevisionNamer
    """For candidates that came from files (id to path), those of policy and those of evidence,
    the revision and version to record."""
    scan_secrets: SecretScan
    """Finds what has the form of a secret."""
    scan_signals: SignalScan
    """Finds what tries to direct its reader."""
    open_counter: Callable[[str], Counter]
    """Gives the counter of a name; asked only where a part has a ceiling."""
    ignores: Ignores
    """Says what git leaves out of the tree of the run."""
    trusted: TrustedFiles | None = None
    """Tells the files that a trusted revision has; None: every revision is trusted."""


class _Gathered(NamedTuple):
    """Evidence with its trust, and what of the policy is another one beside it."""

    evidence: EvidenceOffer
    required: frozenset[str]
    """Ids that the records ask for."""
    differences: tuple[PolicyDifference, ...]
    differing: DifferenceOffer


def discover_inventory(terms: RunTerms, world: World) -> Offer:
    """Discover, authorize and assess: everything that the run is offered, facts only.

    Args:
        terms: what was asked and granted.
        world: where to look.
    """
    policy = offer_policy(terms.policy, world.policy_reader)
    task, task_required = offer_task(terms.task, terms.layout)
    tools, tools_required = offer_tools(terms.tools)
    tools += offer_servers(terms.tools, world.policy_reader, world.read_declaration)
    skills = offer_skills(
        terms.skills,
        terms.task,
        world.skill_reader,
        world.read_front_matter,
        resident_tools=(*(tool.name for tool in terms.tools.resident), *terms.tools.withheld),
        price=lambda item: price_inline(item, world.open_counter(terms.budget.counter)),
    )
    gathered = _gather_evidence(terms, world)
    required = {
        *policy.required,
        *task_required,
        *tools_required,
        *skills.required,
        WORK,
        *terms.required,
        *gathered.required,
    }
    evidence = hand_over(gathered.evidence, required, terms_alone(terms, required))
    offered = [*policy.candidates, *task, *tools, *skills.candidates, *evidence]
    offered += gathered.differing.candidates
    inventory, signals = _sweep(
        terms,
        world,
        policy=policy,
        skills=skills,
        gathered=gathered,
        offered=offered,
        required=required,
    )
    return Offer(
        inventory=inventory,
        policy=policy,
        skills=skills,
        missing=gathered.evidence.missing,
        differences=gathered.differences,
        paths={**gathered.evidence.paths, **gathered.evidence.ignored},
        notes=(*gathered.differing.findings, *signals),
    )


def _gather_evidence(terms: RunTerms, world: World) -> _Gathered:
    """What the task asks for and the records that hold, each with the trust of where it is from."""
    reader, policy_reader = world.reader, world.policy_reader
    evidence = offer_evidence(
        terms.evidence,
        terms.task,
        reader=reader,
        payloads=world.payloads,
        history=world.history,
        symbols=world.symbols,
        compile_glob=world.compile_glob,
        ignores=world.ignores,
        may_read_again=may_read_again(terms, world.scan_secrets),
    )
    records = offer_records(terms.records, terms_alone(terms, set(terms.required)), reader)
    evidence = join_records(evidence, records)
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
    if world.trusted is not None:
        untrusted = world.trusted.find_untrusted(files_read(evidence), reader)
        evidence = distrust(evidence, untrusted, why=world.trusted.reason)
    return _Gathered(evidence, frozenset(records.required), differences, differing)


def _sweep(
    terms: RunTerms,
    world: World,
    *,
    policy: PolicyOffer,
    skills: SkillOffer,
    gathered: _Gathered,
    offered: Sequence[Candidate],
    required: set[str],
) -> tuple[Inventory, tuple[Finding, ...]]:
    """The inventory without secrets, and what the evidence in it tries to do."""
    evidence = gathered.evidence
    paths_of_policy = {**policy.paths, **skills.paths}
    paths_of_evidence = {**evidence.paths, **gathered.differing.paths}
    paths = {**paths_of_policy, **paths_of_evidence}
    named = world.name_revisions(paths_of_policy, paths_of_evidence)
    real_paths = world.reader.real_paths
    told = tell_ignored(
        [name_revision(value_required(item, required), named) for item in offered],
        ignored=evidence.ignored,
        read={
            name: real_paths[path] for name, path in evidence.paths.items() if path in real_paths
        },
        handed_in=evidence.handed_in,
        ignores=world.ignores,
    )
    swept, renamed = withhold_secrets(told, paths, world.scan_secrets)
    swept, signals = tell_signals(swept, paths, world.scan_signals, terms.granted)
    # Only now: a file that is called like a secret must not bring the work record down with it.
    lines = {
        renamed.get(name, name): tuple(withhold(line) for line in words)
        for name, words in evidence.told.items()
    }
    work, _ = withhold_secrets([offer_work(terms, swept, lines)], {}, world.scan_secrets)
    if terms.layout != TEXT_LAYOUT:
        # The other layouts have no place for these; they are rows that say so.
        required = required - {WORK, *(item.id for item in offered if item.section == "tools")}
    missing = {renamed.get(name, name) for name in required.intersection(evidence.missing)}
    inventory = Inventory(
        task=terms.identity._replace(objective=objective_id(terms.task)),
        budget=terms.budget,
        # A wanted thing that no source has is a row; a required one was never offered.
        candidates=tuple(item for item in (*swept, *work) if item.id not in missing),
        required=tuple(sorted({renamed.get(name, name) for name in required})),
        revision=None,
        layout=terms.layout,
        adapter=terms.adapter,
        seal=terms.seal,
    )
    return inventory, tuple(signals)


def price_inline(item: Candidate, counter: Counter) -> int:
    """What an item will cost as it is rendered."""
    return counter.count(render_inline(item))


def render_inline(item: Candidate) -> bytes:
    """An item as it stands in an input, if it comes in."""
    assert isinstance(item.content, Inline)  # a part with a ceiling holds its own words
    return write_item(item, item.content.data).data


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
