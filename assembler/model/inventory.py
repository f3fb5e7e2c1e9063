"""An inventory: everything that one run was offered, and the terms it was offered under.

Field names are those of `assembler/inventory/1` (docs/formats/inventory.md).
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final, NamedTuple

from assembler.model.candidate import Candidate

SCHEMA: Final = "assembler/inventory/1"
TEXT_LAYOUT: Final = "assembler-input/1"
CONTRACT_LAYOUT: Final = "context-contract/1"
CONTROL_LAYOUT: Final = "control/1"
LAYOUTS: Final = (TEXT_LAYOUT, CONTRACT_LAYOUT, CONTROL_LAYOUT)
ADAPTERS: Final = ("text", "openai-responses", "openai-chat", "anthropic-messages")
ORDERS: Final = ("canonical", "decision-value")


class Prompt(NamedTuple):
    """Name and version of the prompt (the profile) a run was made with."""

    name: str
    version: str


class TaskIdentity(NamedTuple):
    """Who asked for what; `objective` is the id of the objective, never its text."""

    id: str
    actor: str
    prompt: Prompt
    objective: str
    as_of: tuple[str, ...] | None = None
    now: str | None = None
    topics: tuple[str, ...] | None = None


class BudgetTerms(NamedTuple):
    """The window and what is kept back from it, in one named unit."""

    unit: str
    counter: str
    window: int
    reserves: tuple[tuple[str, int], ...] = ()
    overhead: int | None = None

    def to_json(self) -> dict[str, Any]:
        """The members of the normal form."""
        return {
            "unit": self.unit,
            "counter": self.counter,
            "window": self.window,
            "reserves": dict(self.reserves),
            "overhead": self.overhead,
        }


class Seal(NamedTuple):
    """Ids that must not enter; sees ids and declared lineage only. No access control."""

    artifacts: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    lineage: tuple[str, ...] = ()

    def lists(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The four lists by name, in the order in which a reason names them."""
        return (
            ("artifacts", self.artifacts),
            ("calls", self.calls),
            ("events", self.events),
            ("lineage", self.lineage),
        )

    def to_json(self) -> dict[str, Any]:
        """The members of the normal form."""
        return {name: list(ids) for name, ids in self.lists()}


class Adapter(NamedTuple):
    """The request that the input will stand in."""

    name: str = "text"
    model: str | None = None
    max_output: int | None = None


TEXT_ADAPTER: Final = Adapter()
NO_SEAL: Final = Seal()


class _Members(NamedTuple):
    task: TaskIdentity
    budget: BudgetTerms
    candidates: tuple[Candidate, ...]
    required: tuple[str, ...] = ()
    revision: str | None = None
    layout: str = TEXT_LAYOUT
    adapter: Adapter = TEXT_ADAPTER
    seal: Seal = NO_SEAL
    order: str = "canonical"


class Inventory(_Members):
    """Everything one run was offered; `candidates` sorted by id in normal form."""

    @cached_property
    def required_ids(self) -> frozenset[str]:
        """The required ids, for asking often."""
        return frozenset(self.required)

    @cached_property
    def sealed_ids(self) -> tuple[tuple[str, frozenset[str]], ...]:
        """The seal's lists by name, in the order of reasons, for asking often."""
        return tuple((name, frozenset(ids)) for name, ids in self.seal.lists())

    @cached_property
    def asked_topics(self) -> frozenset[str]:
        """The task's topics, for asking often."""
        return frozenset(self.task.topics or ())

    def to_json(self) -> dict[str, Any]:
        """The members of the normal form."""
        task = self.task
        return {
            "schema": SCHEMA,
            "task": {
                "id": task.id,
                "actor": task.actor,
                "prompt": {"name": task.prompt.name, "version": task.prompt.version},
                "objective": task.objective,
                "as_of": None if task.as_of is None else list(task.as_of),
                "now": task.now,
                "topics": None if task.topics is None else list(task.topics),
            },
            "revision": self.revision,
            "layout": self.layout,
            "adapter": {
                "name": self.adapter.name,
                "model": self.adapter.model,
                "max_output": self.adapter.max_output,
            },
            "budget": self.budget.to_json(),
            "seal": self.seal.to_json(),
            "required": list(self.required),
            "order": self.order,
            "candidates": [candidate.to_json() for candidate in self.candidates],
        }
