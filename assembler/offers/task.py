"""The task contract: objective, question and examples, in the invoker's words."""

from __future__ import annotations

from assembler.model.candidate import Candidate, Inline
from assembler.model.canonical import canonical_bytes
from assembler.model.inventory import CONTRACT_LAYOUT
from assembler.model.run import TaskTerms


def offer_task(terms: TaskTerms, layout: str) -> tuple[list[Candidate], list[str]]:
    """Candidates of section `task`, and the ids that are required.

    A lone question is the objective. The contract has no place for an objective beside a
    question, so there it is offered and not required.
    """
    candidates: list[Candidate] = []
    required: list[str] = []
    if terms.objective is not None:
        # The contract has one place for what is asked; a lone objective takes it.
        alone = layout == CONTRACT_LAYOUT and terms.question is None
        kind = "question" if alone else "task"
        candidates.append(_candidate("task", kind, _contract_text(terms, terms.objective)))
        if alone or layout != CONTRACT_LAYOUT:
            required.append("task")
    if terms.question is not None:
        candidates.append(_candidate("question", "question", terms.question.encode("utf-8")))
        required.append("question")
    for number, (question, answer) in enumerate(terms.examples, start=1):
        content = canonical_bytes({"question": question, "answer": answer})
        candidates.append(_candidate(f"example:{number}", "example", content, number))
    return candidates, required


def objective_id(terms: TaskTerms) -> str:
    """The id of the candidate that holds the objective."""
    return "question" if terms.objective is None else "task"


def _contract_text(terms: TaskTerms, objective: str) -> bytes:
    """The objective alone where nothing more was said; else one line for each thing said."""
    if not terms.targets and terms.proof is None:
        return objective.encode("utf-8")
    lines = [f"Objective: {objective}"]
    if terms.targets:
        lines.append(f"Targets: {', '.join(terms.targets)}")
    if terms.proof is not None:
        lines.append(f"Proof: {terms.proof}")
    return ("\n".join(lines) + "\n").encode("utf-8")


def _candidate(identifier: str, kind: str, content: bytes, position: int = 0) -> Candidate:
    return Candidate(
        id=identifier,
        kind=kind,
        section="task",
        trust="authorized",
        content=Inline(content),
        position=position,
        discovered_by="task",
    )
