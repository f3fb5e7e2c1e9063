"""What becomes of candidates when all are known: requirements, revisions, the work record."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from assembler.assess.secrets import SecretScan, has_secret
from assembler.assess.work_record import write_work_record
from assembler.model.candidate import Absent, Candidate, Inline
from assembler.model.decision import Reason
from assembler.model.inventory import Inventory
from assembler.model.run import RunTerms
from assembler.offers.differences import KIND as DIFFERENCE
from assembler.offers.distrust import join_words
from assembler.offers.evidence import EvidenceOffer
from assembler.offers.groups import find_mixed, join_groups, name_joined, require_whole
from assembler.select.checks import check_facts

_SPOKEN_OF: Final = (
    Reason.STALE,
    Reason.FRESHNESS_UNKNOWN,
    Reason.TURNED_AWAY,
    Reason.CONTENT_ABSENT,
)
"""Reasons that leave a question open; what is expired, off topic or sealed answers none."""

WORK: Final = "work"
"""Id of the work record."""


def offer_work(
    terms: RunTerms, offered: Sequence[Candidate], told: Mapping[str, Sequence[str]]
) -> Candidate:
    """The work record.

    Args:
        terms: what was asked.
        offered: what may be spoken of; sealed and denied items are not.
        told: lines of an item that its facts don't give, by its id.
    """
    sealed = {identifier for _, ids in terms.seal.lists() for identifier in ids}
    speakable = [
        item
        for item in offered
        if item.section == "evidence"
        and not sealed & {item.id, *item.lineage}
        and _may_be_spoken_of(item, terms)
    ]
    text = write_work_record(
        changed=terms.task.work_changed,
        next_step=terms.task.work_next,
        evidence=speakable,
        told=told,
    )
    return Candidate(
        id=WORK,
        kind="work",
        section="work",
        trust="authorized",
        content=Inline(text),
        discovered_by="task and evidence",
    )


def _may_be_spoken_of(item: Candidate, terms: RunTerms) -> bool:
    """Whether the task has a use for the item, so that what became of it is worth a line."""
    verdict = check_facts(item, terms_alone(terms, set()))
    return verdict is None or verdict[0] in _SPOKEN_OF


def terms_alone(terms: RunTerms, required: set[str]) -> Inventory:
    """The terms of the run as an inventory of nothing, for asking a check of one candidate."""
    return Inventory(
        task=terms.identity,
        budget=terms.budget,
        candidates=(),
        required=tuple(required),
        layout=terms.layout,
        seal=terms.seal,
    )


def may_read_again(terms: RunTerms, scan: SecretScan) -> Callable[[Candidate], bool]:
    """Tells of an item whether its freshness is all that is against it, and no rule or secret.

    Nothing is read again for one that a rule keeps out, so that a change of its source opens no
    way around the rule.
    """
    alone = terms_alone(terms, set())

    def may_be(item: Candidate) -> bool:
        verdict = check_facts(item, alone)
        is_old = verdict is not None and verdict[0] in (Reason.STALE, Reason.FRESHNESS_UNKNOWN)
        return is_old and not has_secret(item, scan)

    return may_be


def hand_over(evidence: EvidenceOffer, required: set[str], terms: Inventory) -> list[Candidate]:
    """Give the requirement and the group of a stale item to what is read again in its place.

    Groups that have one item by that are one group from then on, called as the first by name:
    each of them still is in whole or not at all, and required as a whole or not.
    """
    by_id = {item.id: item for item in evidence.candidates}
    mixed = find_mixed(by_id.values(), required)
    inherited: dict[str, set[str]] = {}
    for identifier, successors in evidence.successors.items():
        verdict = check_facts(by_id[identifier], terms)
        if verdict is None or verdict[0] is not Reason.STALE:
            continue  # what can't be judged is not known to be another thing by now
        group = by_id[identifier].group
        if identifier in required:
            required.discard(identifier)
            required.update(successors)
        if group is None:
            continue
        by_id[identifier] = by_id[identifier]._replace(group=None)
        for successor in successors:
            inherited.setdefault(successor, set()).add(group)
    names = name_joined(by_id.values(), inherited)
    items = join_groups(by_id.values(), inherited, names)
    faulty = {names.get(group, group) for group in mixed}
    required.update(require_whole(items, set(names.values()) - faulty, required))
    return items


def value_required(item: Candidate, required: set[str]) -> Candidate:
    """What the task requires decides something, also where a search found it."""
    if item.id in required and item.decision_value == 0 and item.decides is None:
        return item._replace(decision_value=None, decides="required by the task")
    return item


def name_revision(item: Candidate, named: Mapping[str, tuple[str | None, str | None]]) -> Candidate:
    """The candidate with revision and version of the file that its bytes are from."""
    if item.id not in named or item.revision is not None:
        return item
    if isinstance(item.content, Absent) and item.kind != DIFFERENCE:
        return item
    revision, version = named[item.id]
    return item._replace(revision=revision, version=join_words(item.version, version))
