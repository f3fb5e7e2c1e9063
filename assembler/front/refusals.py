"""Say what a refusal is about: the room's own finding instead of the compiler's short word."""

from __future__ import annotations

from assembler.assess.chain import OVERFLOW
from assembler.assess.overflow import spell_overflow
from assembler.assess.secrets import CODE as SECRET
from assembler.errors import RefusedError
from assembler.front.skill_refusals import name_missing, name_skill
from assembler.front.trees import PolicyRevision
from assembler.model.evidence import REVISION_UNAVAILABLE
from assembler.model.finding import Finding
from assembler.offers.policy import policy_id
from assembler.pipeline import Offer

TAKE_CUT = "instructions.on_overflow: cut"
_NEXT_STEPS = {
    "tool-pin-missing": "assembler tools pin {server} --from LISTING, which shows all it says",
    "tool-pin-broken": "assembler tools check {server}",
    "tool-listing-invalid": "save the listing again",
    "tool-listing-partial": "save every page of the listing",
    "tool-missing": "correct the name in the allowlist: assembler tools list {server}",
    "tool-name": "ask the server's author",
    "tool-name-collision": "allow one of the two",
    "server-unavailable": "save the listing where the profile names it",
}
_PROBLEMS = {
    "tool-pin-missing": "is allowed and has no pin",
    "tool-pin-broken": "is not what was pinned",
    "tool-listing-invalid": "can't be checked: its listing is no strict tools/list result",
    "tool-listing-partial": "can't be checked: a page of its listing is missing",
    "tool-missing": "is allowed and nobody offers it",
    "tool-name": "has a name that no request can hold",
    "tool-name-collision": "has the name of another allowed tool",
    "server-unavailable": "can't be checked: its listing is not there",
}


def name_cause(
    error: RefusedError, offer: Offer, *, policy_from: PolicyRevision | None = None
) -> RefusedError:
    """The same refusal, with the cause that a discovery room found, where it did.

    The record keeps the compiler's own failure; this is what a person reads. Of a policy file it
    names the revision, where that is not the one at hand.
    """
    policy = offer.policy
    named = "" if policy_from is None else f", in {policy_from}"
    if error.code == "required-missing":
        return _name_missing(error, offer)
    inner = error.detail.get("detail")
    if error.code != "required-rejected" or not isinstance(inner, dict):
        return error
    code, where = inner.get("code"), inner.get("where")
    identifier = str(error.detail.get("id", ""))
    if not isinstance(code, str):
        return error
    skill = name_skill(identifier, code, str(where), offer.skills)
    if skill is not None:
        return _same(error, code, skill.message + named, skill.where, skill.next_step)
    if code == SECRET:
        message = f"{identifier} holds what has the form of a secret"
        return _same(error, code, message + named, str(where), "remove it, and rotate the secret")
    if code == REVISION_UNAVAILABLE:
        message = f"required {identifier} can't be checked"
        step = "git fetch the revision, where the clone is shallow or partial, or give its sha256"
        return _same(error, code, message, str(where), step)
    if code in _PROBLEMS:
        name = identifier.removeprefix("tool:")
        step = _NEXT_STEPS[code].format(server=name.partition("/")[0])
        return _same(error, code, f"{name} {_PROBLEMS[code]}", str(where), step)
    for finding in policy.chain.findings:
        if finding.slug == code and policy_id(finding.path or "") == identifier:
            return _name_finding(error, finding, offer, named)
    broken = policy.broken
    if broken is not None and identifier.startswith("policy:"):
        return _same(error, broken.slug, broken.message + named, broken.path, broken.fix)
    return error


def _name_finding(error: RefusedError, finding: Finding, offer: Offer, named: str) -> RefusedError:
    """The finding's words; of a chain over the limit, the arithmetic of all of it."""
    place = f"{finding.path}:{finding.line}" if finding.line else finding.path
    if finding.code not in OVERFLOW:
        return _same(error, finding.slug, finding.message + named, place, finding.fix)
    message = spell_overflow(item.to_json() for item in offer.policy.chain.findings)
    step = f"{finding.fix}; or take the cut chain, on record: `{TAKE_CUT}` in the profile"
    return _same(error, finding.slug, (message or finding.message) + named, place, step)


def _name_missing(error: RefusedError, offer: Offer) -> RefusedError:
    """Say of each missing thing where it was looked for."""
    ids = [str(identifier) for identifier in error.detail["ids"]]
    gone = [name for name in ids if name in offer.missing]
    skills = [
        name.removesuffix("#instructions")
        for name in ids
        if name.startswith("skill:") and name.endswith("#instructions")
    ]
    if gone:
        what = "is" if len(gone) == 1 else "are"
        message = f"required {', '.join(gone)} {what} not there"
        step = "correct the path, or remove it from `required`"
        reasons = [reason for name in gone if (reason := offer.missing[name]) is not None]
        if reasons:
            message += f" ({'; '.join(reasons)})"
            step = "correct the name, or remove it from `required`"
        return _same(error, error.code, message, gone[0], step)
    if skills:
        named = name_missing(skills, offer.skills)
        message, why = named.message, named.next_step
        if any(f"skill:{item.path.rpartition('/')[2]}" in skills for item in offer.differences):
            why = "one stands beside the evidence, and skills are those of --policy-from"
        return _same(error, error.code, message, skills[0], why)
    return error


def _same(
    error: RefusedError, code: str, message: str, where: str | None, next_step: str | None
) -> RefusedError:
    named = type(error)(code, message, detail=error.detail, where=where, next_step=next_step)
    named.recorded_seq = error.recorded_seq
    return named
