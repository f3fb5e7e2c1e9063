"""A run for people and programs: budget, ledger, identities; shared by assemble, log and demo."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from assembler.assess.overflow import spell_overflow
from assembler.cli.budget_view import lay_out_budget
from assembler.cli.output import envelope, escape, lay_out, number, share
from assembler.cli.row_view import DIFFERS, cost_basis, row_code, row_note, row_state, spell
from assembler.cli.section_view import place_sections
from assembler.cli.tool_cost_view import tool_cost_lines, tool_costs
from assembler.errors import EXIT_OK
from assembler.model.candidate import SECTIONS
from assembler.model.counting import DECLARED, plural

if TYPE_CHECKING:
    from assembler.front.assembling import AssembledRun
    from assembler.front.recording import RecordedRun
    from assembler.front.records import RunRecord

SECTION_NAMES = {
    "policy": "1 policy",
    "task": "2 task",
    "tools": "3 tools and skills",
    "evidence": "4 evidence",
    "work": "5 work record",
}
"""As people are shown them; the rendered headings are longer."""


class RunFacts(NamedTuple):
    """What a view is made from, whether the run was made just now or is read from the record."""

    number: int | None
    manifest: Mapping[str, Any]
    rows: Sequence[Mapping[str, Any]]
    inputs: Mapping[str, Any]
    executor: Mapping[str, Any] | None
    findings: Sequence[Mapping[str, Any]]
    profile: str | None
    names: Mapping[str, str]
    """Names of revisions by commit id, as the invoker wrote them."""
    profile_place: str | None = None
    """Where the profile stands."""


def of_recorded(run: RecordedRun) -> RunView:
    """The view of a run that came through the second door."""
    return RunView(
        run,
        RunFacts(
            number=run.number,
            manifest=run.package.manifest,
            rows=run.package.rows,
            inputs={},
            executor=None,
            findings=(),
            profile=None,
            names={},
        ),
    )


def of_record(record: RunRecord, *, findings: Sequence[Mapping[str, Any]] = ()) -> RunFacts:
    """The facts of a recorded run that has a package."""
    assert record.manifest is not None  # the caller has looked
    return RunFacts(
        number=record.number,
        manifest=record.manifest,
        rows=record.rows,
        inputs={},
        executor=None,
        findings=findings,
        profile=None,
        names={},
    )


def of_assembled(run: AssembledRun) -> RunView:
    """The view of a run from a repository."""
    loaded = run.policy.loaded
    executor = run.policy.executor
    inputs = {
        "at": run.at,
        "revision": run.revision,
        "policy_from": None if run.policy_from is None else run.policy_from._asdict(),
        "cwd": run.cwd or ".",
        "targets": list(run.targets),
        "profile": {"name": loaded.name, "sha256": loaded.sha256},
        "agent": None,
    }
    names = {} if run.policy_from is None else {run.policy_from.id: run.policy_from.name}
    if run.at not in ("worktree", "index") and run.revision is not None:
        names[run.revision] = run.at
    return RunView(
        run.recorded,
        RunFacts(
            number=run.recorded.number,
            manifest=run.recorded.package.manifest,
            rows=run.recorded.package.rows,
            inputs=inputs,
            executor={
                "write": list(executor.write),
                "hosts": list(executor.hosts),
                "tools": list(executor.tools),
            },
            findings=[finding.to_json() for finding in run.offer.findings],
            profile=loaded.name,
            profile_place=loaded.place,
            names=names,
        ),
    )


class RunView:
    """Text and JSON of one run."""

    def __init__(self, recorded: RecordedRun, facts: RunFacts) -> None:
        self.recorded = recorded
        self.facts = facts

    def to_json(self, out: str | None) -> str:
        """The JSON document."""
        return envelope("assembler/run/1", EXIT_OK, self.facts.inputs, run_body(self.facts, out))

    def to_text(self, out: str | None, *, color: bool, verbose: bool) -> str:
        """The budget and the ledger, for a person."""
        facts = self.facts
        blocks = [headline(facts), *loss_lines(facts), *budget_lines(facts)]
        blocks += tool_cost_lines(facts.rows)
        if verbose:
            inputs = facts.inputs.items()
            blocks += [f"  {name}: {escape(_spell_input(value))}" for name, value in inputs]
        table = ledger_lines(facts, color=color, whole=verbose)
        blocks += ["", *table, "", *finding_lines(facts), *tail_lines(facts, out)]
        return "\n".join(blocks) + "\n"


def run_body(facts: RunFacts, out: str | None) -> dict[str, Any]:
    """The members of a run's JSON document behind the envelope."""
    manifest = facts.manifest
    budget = manifest["budget"]
    counter = manifest["counter"]
    return {
        "counter": {
            "unit": budget["unit"],
            "name": counter["name"],
            "basis": total_basis(facts),
            **counter,
        },
        "run": facts.number,
        "package_dir": out,
        "identities": {name: manifest[name] for name in ("package_id", "trace_id", "content_id")},
        "budget": budget,
        "rendered": manifest["rendered"],
        "request": manifest["request"],
        "sections": [
            {**section, "items": items, "cost": cost}
            for section, (items, cost) in zip(
                place_sections(manifest), _section_costs(facts).values(), strict=True
            )
        ],
        "tools": tool_costs(facts.rows),
        "executor": facts.executor,
        "ledger": [
            {
                **row,
                "state": row_state(row),
                "code": row_code(row),
                "cost_basis": cost_basis(row, counter["name"]),
            }
            for row in facts.rows
        ],
        "findings": list(facts.findings),
    }


def headline(facts: RunFacts) -> str:
    """What was assembled, under which budget."""
    budget = facts.manifest["budget"]
    counter = facts.manifest["counter"]["name"]
    basis = f"{counter}, counted on the final text" if counter != DECLARED else total_basis(facts)
    if basis == "estimated":
        basis = f"declared, for {number(len(_estimated(facts)))} of the items estimated"
    unit = plural(budget["unit"])
    text = f"Assembled {number(budget['total'])} of {number(budget['envelope'])} {unit} ({basis})."
    if facts.profile is not None:
        text += f" Profile: {escape(facts.profile)}."
    at, policy = facts.inputs.get("at"), facts.inputs.get("policy_from")
    if policy is not None:
        source = f"{escape(policy['name'])} ({policy['id'][:7]})"
        text += f" Policy from {source}, evidence from {_spell_place(facts.inputs)}."
    elif at is not None and at not in ("worktree", "index"):
        text += f" Evidence and policy {escape(str(at))}."
    return text


def _spell_place(inputs: Mapping[str, Any]) -> str:
    """Where the evidence comes from, with the commit that it is or is compared with."""
    revision = str(inputs["revision"])[:7]
    if inputs["at"] in ("worktree", "index"):
        return f"{inputs['at']} at {revision}"
    return f"{escape(str(inputs['at']))} ({revision})"


def loss_lines(facts: RunFacts) -> list[str]:
    """That the chain was cut, and on whose word: policy is lost by it."""
    lost = spell_overflow(facts.findings)
    if lost is None:
        return []
    asked = f"as {facts.profile_place} asks (`instructions.on_overflow: cut`)"
    return [escape(f"policy was cut {asked}: {lost}")]


def total_basis(facts: RunFacts) -> str:
    """What the total is: a sum with an estimate in it is an estimate."""
    if facts.manifest["counter"]["name"] != DECLARED:
        return "measured"
    return "estimated" if _estimated(facts) else "declared"


def _estimated(facts: RunFacts) -> list[Mapping[str, Any]]:
    counter = facts.manifest["counter"]["name"]
    selected = [row for row in facts.rows if row["decision"] == "selected"]
    return [row for row in selected if cost_basis(row, counter) == "estimated"]


def budget_lines(facts: RunFacts) -> list[str]:
    """The budget equation: what is subtracted, and what is left each time."""
    return lay_out_budget(facts.manifest["budget"], evidence=_section_costs(facts)["evidence"][1])


def ledger_lines(facts: RunFacts, *, color: bool, whole: bool = False) -> list[str]:
    """What is in, in the order of the input, then what is out, then denied.

    Args:
        facts: the run.
        color: paint the state words.
        whole: a line for each row; else policy, tools and skills that fared alike share one.
    """
    order = {"in": 0, "out": 1, "denied": 2}
    rows = sorted(facts.rows, key=lambda row: order[row_state(row)])
    if not rows:
        return ["nothing was offered"]
    groups: dict[object, list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault(row["id"] if whole else _group_key(row), []).append(row)
    unit = plural(facts.manifest["budget"]["unit"])
    cells: list[tuple[str, ...]] = [("", "item", unit, "trust", "note")]
    cells += [_group_cells(group, facts) for group in groups.values()]
    return lay_out(cells, right=(2,), color=color)


_GROUPED = {
    "instruction": "files, nearest last",
    "tool": "tools",
    "mcp-tool": "tools",
    "skill-entry": "lines of the catalog",
    "tool-offer": "tools",
    "tool-server": "servers that the repository declares",
}


def _group_key(row: Mapping[str, Any]) -> object:
    if row_code(row) == "no-decision-value" and row["kind"] == "source":
        return ("hits", row["discovered_by"])
    if row["kind"] not in _GROUPED or row["id"] == "instruction":
        return row["id"]
    if row["kind"] == "instruction" and "cut: " in (row["version"] or ""):
        return row["id"]
    family = _GROUPED[row["kind"]]
    return (row_state(row), family, row_code(row))


def _group_cells(group: Sequence[Mapping[str, Any]], facts: RunFacts) -> tuple[str, ...]:
    first = group[0]
    note = row_note(first, facts.names)
    name = escape(first["id"])
    costs = [row["cost"] for row in group if row["cost"] is not None]
    if len(group) > 1:
        name = f"{name} +{len(group) - 1}"
        note = f"{len(group)} {_GROUPED.get(first['kind'], 'files')}"
        if first["kind"] == "source":
            note = row_note(first, facts.names)
        elif row_state(first) != "in":
            note = f"{row_code(first)}: {note}"
        elif first["kind"] in ("tool", "mcp-tool"):
            offered = sum(row["kind"] in ("tool", "mcp-tool", "tool-offer") for row in facts.rows)
            note = f"{len(group)} of {offered} offered are allowed"
    if row_code(first) == DIFFERS:
        return ("differs", escape(first["id"].partition(":")[2]), "-", first["trust"], note)
    cost = number(sum(costs)) if costs else "-"
    counter = facts.manifest["counter"]["name"]
    if any(cost_basis(row, counter) == "estimated" for row in group):
        cost = f"~{cost}"
        note = f"{note}; estimated" if note else "estimated"
    return (row_state(first), name, cost, first["trust"], escape(note))


def finding_lines(facts: RunFacts) -> list[str]:
    """What rooms found that has to be mended; advice is left to the other formats."""
    lines = []
    for finding in facts.findings:
        if finding["severity"] != "note":
            place = finding["path"] or ""
            place += f":{finding['line']}" if finding["line"] is not None else ""
            words = f"{finding['code']} {finding['slug']}  {place}   {finding['message']}"
            lines.append(escape(words))
    return [*lines, ""] if lines else []


def tail_lines(facts: RunFacts, out: str | None) -> list[str]:
    """Shares of the sections, and where the package is."""
    costs = _section_costs(facts)
    total = facts.manifest["budget"]["total"]
    shares = [
        f"{_plain(section)} {number(cost)} ({share(cost, total)})"
        for section, (items, cost) in costs.items()
        if items
    ]
    frame = facts.manifest["budget"]["overhead"]
    shares += [f"frame {number(frame)} ({share(frame, total)})"] if frame else []
    lines = [f"Shares: {', '.join(shares)}"] if shares else []
    rendered = facts.manifest["rendered"]
    label = "Run" if facts.number is None else f"Run {facts.number}"
    lines.append(f"{label}, {rendered['file']} sha256:{rendered['sha256'][:12]}")
    if out is not None:
        lines.append(f"Package: {escape(out)}")
    elif facts.number is not None:
        lines.append(f"Files: assembler log {facts.number} --files DIR")
    return lines


def _spell_input(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {item}" for name, item in value.items())
    return spell(value)


def _plain(section: str) -> str:
    return SECTION_NAMES[section][2:]


def _section_costs(facts: RunFacts) -> dict[str, tuple[int, int]]:
    """Items and cost of each section."""
    costs = dict.fromkeys(SECTIONS, (0, 0))
    for row in facts.rows:
        if row["decision"] == "selected":
            items, cost = costs[row["section"]]
            costs[row["section"]] = (items + 1, cost + row["cost"])
    return costs
