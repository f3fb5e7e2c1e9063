"""A diagnosis for people, programs and pipelines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from assembler.cli.output import envelope, escape, lay_out, number, paint, write_out, write_talk
from assembler.cli.row_view import row_note
from assembler.errors import EXIT_FINDINGS, EXIT_OK
from assembler.model.catalogue import RULES, explain_code
from assembler.model.finding import Finding, make_finding
from assembler.model.names import MOST_SHOWN, first_few

if TYPE_CHECKING:
    from assembler.cli.session import Session
    from assembler.diagnose.claim import Claim, Proof
    from assembler.diagnose.diagnosis import Diagnosis

SCHEMA: Final = "assembler/diagnosis/1"
_REPAIRS: Final = {"ASM401": "discovery", "ASM402": "freshness", "ASM403": "selection"}
"""What is to be repaired for each claim, in the order in which it helps."""
_CYAN: Final = "36"


def show_diagnosis(session: Session, diagnosis: Diagnosis, *, name: str, number: int | None) -> int:
    """Print a diagnosis, and say the exit code.

    Args:
        session: of the command.
        diagnosis: what was found.
        name: the run as the invoker named it.
        number: that of the run; None: it is a package folder.
    """
    exit_code = EXIT_FINDINGS if diagnosis.fires else EXIT_OK
    subject = f"Package {escape(name)}" if number is None else f"Run {number}"
    match session.output_format:
        case "json":
            body = {"run": number, **_to_json(diagnosis)}
            write_out(envelope(SCHEMA, exit_code, {"run": name}, body))
        case "github":
            from assembler.cli.finding_view import to_github

            write_out(to_github(_findings(diagnosis)))
            if not session.quiet:
                write_talk(_summary(diagnosis, subject))
        case _:
            lines = [*_to_lines(diagnosis, color=session.color), _summary(diagnosis, subject)]
            write_out("\n".join(lines) + "\n")
    return exit_code


def _to_json(diagnosis: Diagnosis) -> dict[str, Any]:
    stale = diagnosis.stale_decisions
    return {
        "claims": [_claim_to_json(claim) for claim in diagnosis.claims],
        "questions": [_claim_to_json(claim) for claim in diagnosis.questions],
        "misses": [miss.to_json() for miss in diagnosis.misses],
        "stale_decisions": None if stale is None else [item.to_json() for item in stale],
        "findings": [finding.to_json() for finding in _findings(diagnosis)],
    }


def _claim_to_json(claim: Claim) -> dict[str, Any]:
    slug, severity = RULES[claim.code]
    return {
        "id": slug,
        "code": claim.code,
        "severity": severity,
        "result": claim.result,
        "detail": claim.detail,
        "rows": [_proof_to_json(proof) for proof in claim.proofs],
    }


def _proof_to_json(proof: Proof) -> dict[str, Any]:
    item = proof.item
    if item is None:
        return {"role": proof.role, "id": proof.id, "row": None, "state": "not-offered"}
    return {
        "role": proof.role,
        "id": proof.id,
        "row": item.row,
        "state": _state(proof),
        "kind": item.kind,
        "section": item.section,
        "trust": item.trust,
        "scope": item.scope,
        "revision": item.revision,
        "decides": item.decides,
        "decision_value": item.decision_value,
        "required": item.required,
        "reason": item.reason,
        "detail": dict(item.detail),
        "cost": item.cost,
    }


def _state(proof: Proof) -> str:
    """`in`, `out` or `denied`, as ledgers are shown; `not-offered` where there is no row."""
    if proof.item is None:
        return "not-offered"
    if proof.item.access == "denied":
        return "denied"
    return "in" if proof.item.is_in else "out"


def _findings(diagnosis: Diagnosis) -> list[Finding]:
    """What fires, and each miss and stale decision of the record."""
    found = []
    for claim in (*diagnosis.claims, *diagnosis.questions):
        if claim.fires:
            ids = [proof.id for proof in claim.proofs]
            found.append(_finding(claim.code, claim.detail, {"rows": ids}))
    for miss in diagnosis.misses:
        if miss.seq is not None:
            said = f"{miss.id} was consumed (event {miss.seq}) and was not in the input: "
            found.append(_finding("ASM404", said + miss.reason, miss.to_json()))
    for item in diagnosis.stale_decisions or ():
        said = f"{item.id} was consumed (event {item.seq}) and was stale: {item.reason}"
        found.append(_finding("ASM409", said, item.to_json()))
    return found


def _finding(code: str, message: str, data: dict[str, Any]) -> Finding:
    explained = explain_code(code)
    assert explained is not None  # a code of the catalogue
    return make_finding(code, None, message, fix=explained.fix, data=data)


def _to_lines(diagnosis: Diagnosis, *, color: bool) -> Iterator[str]:
    for claim in diagnosis.claims:
        yield from _claim_lines(claim, color=color)
    repairs = [_REPAIRS[claim.code] for claim in diagnosis.claims if claim.fires]
    if len(repairs) == 1:
        yield f"fix: {repairs[0]}; no prompt text repairs it"
    elif repairs:
        yield f"fix: {', '.join(repairs)}, in this order; no prompt text repairs them"
    for claim in diagnosis.questions:
        if claim.fires:
            yield from _claim_lines(claim, color=color)
    yield from _measure_lines(diagnosis)


def _claim_lines(claim: Claim, *, color: bool) -> Iterator[str]:
    """The claim on one line, its rows below; nothing of one that holds."""
    slug, severity = RULES[claim.code]
    name = paint(f"{claim.code} {slug}", _CYAN, color=color)
    detail = escape(claim.detail)
    if claim.result == "not-checked":
        yield f"not checked   {name}: {detail}"
    if not claim.fires:
        return
    yield f"{name}: {detail}" if severity == "error" else f"{severity} {name}: {detail}"
    yield from _proof_lines(claim.proofs, color=color)


def _proof_lines(proofs: Sequence[Proof], *, color: bool) -> Iterator[str]:
    if not proofs:
        return
    cells = [_cells(proof) for proof in proofs[:MOST_SHOWN]]
    yield from (f"  {line}" for line in lay_out(cells, right=(3,), color=color))
    if len(proofs) > MOST_SHOWN:
        yield f"  {first_few(proofs)[-1]}: --format json has them all"


def _cells(proof: Proof) -> tuple[str, ...]:
    """State, role, id, cost and why."""
    item = proof.item
    if item is None:
        return ("-", proof.role, escape(proof.id), "-", "not offered")
    note = row_note(item._asdict(), {})
    return (_state(proof), proof.role, escape(proof.id), number(item.cost), escape(note))


def _measure_lines(diagnosis: Diagnosis) -> Iterator[str]:
    misses = [
        f"miss            {escape(miss.id)}  {miss.mechanism}, {miss.triage}: {escape(miss.reason)}"
        + (f", needed by event {miss.seq}" if miss.seq is not None else "")
        for miss in diagnosis.misses
    ]
    stale = [
        f"stale decision  {escape(item.id)}  {item.mechanism}, {item.triage}: "
        f"{escape(item.reason)}, event {item.seq}: {escape(item.decision)}"
        for item in diagnosis.stale_decisions or ()
    ]
    yield from first_few(misses)
    yield from first_few(stale)


def _summary(diagnosis: Diagnosis, subject: str) -> str:
    count = sum(claim.fires for claim in diagnosis.claims)
    claims = f"{count} of {len(diagnosis.claims)} claims fire{'s' if count == 1 else ''}"
    if not count:
        claims = f"none of {len(diagnosis.claims)} claims fires"
    unchecked = sum(claim.result == "not-checked" for claim in diagnosis.claims)
    parts = [claims] + ([f"{unchecked} not checked"] if unchecked else [])
    parts.append(_counted(len(diagnosis.misses), "miss", "misses"))
    if diagnosis.stale_decisions is not None:
        parts.append(_counted(len(diagnosis.stale_decisions), "stale decision", "stale decisions"))
    return f"{subject}: {', '.join(parts)}"


def _counted(count: int, one: str, many: str) -> str:
    return f"{number(count)} {one if count == 1 else many}"
