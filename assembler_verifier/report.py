"""What a verification found: one claim per check, as text and as JSON.

Strings of a package are escaped before they come here, by `printable`.
Rules: output is ASCII, data only; an unchecked claim is never counted as passed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from assembler_verifier.strict_json import JsonObject

TOOL_NAME = "assembler-verify"
VERSION = "0.1.0"
REPORT_SCHEMA = "assembler/verify/1"
EXIT_HOLDS = 0
EXIT_FAILS = 1

MAX_SHOWN_CHARACTERS = 80
MAX_SHOWN_PROBLEMS = 4
"""Of one check; a broken package can have one a byte."""
_SHORT_ID_DIGITS = 12

OTHER_RENDERING = (
    "the rendered bytes are not those of the inventory, so nothing has a place in them"
)
"""Why places in a rendering that is itself wrong are not judged."""

Result: TypeAlias = Literal["passed", "failed", "unchecked"]


@dataclass(frozen=True, slots=True)
class Claim:
    """One check and its result."""

    id: str
    result: Result
    detail: str


@dataclass(frozen=True, slots=True)
class Chain:
    """One chain of a store: its key, its last event's hash, and the checks that failed in it."""

    key: str
    events: int
    head: str | None
    packages: int
    failed: tuple[str, ...]

    def to_json(self) -> JsonObject:
        """The object for a program."""
        return {
            "chain": self.key,
            "events": self.events,
            "head": self.head,
            "packages": self.packages,
            "failed": [*self.failed],
        }


@dataclass(frozen=True, slots=True)
class Report:
    """All claims about one package, one chain or one store."""

    subject: str
    package_id: str | None
    claims: tuple[Claim, ...]
    chains: tuple[Chain, ...] = ()
    """The chains of a store; none for a package or a chain."""

    def of(self, result: Result) -> list[Claim]:
        """The claims with one result."""
        return [claim for claim in self.claims if claim.result == result]

    @property
    def failed(self) -> list[str]:
        """Ids of the checks that failed, sorted."""
        return sorted(claim.id for claim in self.of("failed"))

    @property
    def holds(self) -> bool:
        """Whether nothing failed."""
        return not self.of("failed")

    @property
    def exit_code(self) -> int:
        """The exit code of the command."""
        return EXIT_HOLDS if self.holds else EXIT_FAILS

    def to_text(self) -> str:
        """The lines for a reader, without the last line feed."""
        failed, unchecked = self.of("failed"), self.of("unchecked")
        verb = "does NOT hold" if failed else "holds"
        counts = f"{len(self.claims)} claims, {len(failed)} failed, {len(unchecked)} not checked"
        width = max((len(claim.id) for claim in failed), default=0)
        lines = [f"{self.subject} {verb}: {counts}"]
        lines += [f"  FAIL  {claim.id.ljust(width)}   {claim.detail}" for claim in failed]
        told = [claim for claim in self.of("passed") if claim.detail]
        lines += [f"  passed   {claim.id}: {claim.detail}" for claim in told]
        lines += [f"  not checked   {claim.id}: {claim.detail}" for claim in unchecked]
        return "\n".join(lines)

    def to_json(self) -> JsonObject:
        """The object for a program."""
        chains: JsonObject = {"chains": [chain.to_json() for chain in self.chains]}
        return {
            "schema": REPORT_SCHEMA,
            "tool": {"name": TOOL_NAME, "version": VERSION},
            "exit_code": self.exit_code,
            "package_id": self.package_id,
            "claims": [
                {"id": claim.id, "result": claim.result, "detail": claim.detail}
                for claim in self.claims
            ],
            **(chains if self.chains else {}),
        }


@dataclass(slots=True)
class Claims:
    """Collects results while checks run; each check reports once."""

    _results: dict[str, Claim] = field(default_factory=dict)

    def passed(self, name: str, detail: str = "") -> None:
        """Note that a check ran and found nothing."""
        self._results[name] = Claim(name, "passed", detail)

    def failed(self, name: str, detail: str) -> None:
        """Note that a check ran and found a fault."""
        self._results[name] = Claim(name, "failed", detail)

    def unchecked(self, name: str, why: str) -> None:
        """Note that a check did not run."""
        self._results[name] = Claim(name, "unchecked", why)

    def judge(self, name: str, problems: Sequence[str]) -> None:
        """Note a check that lists what it found."""
        if not problems:
            self.passed(name)
            return
        self.failed(name, first_of(problems))

    def has_failed(self, name: str) -> bool:
        """Whether the check has found a fault."""
        claim = self._results.get(name)
        return claim is not None and claim.result == "failed"

    def in_order(self, names: Sequence[str]) -> tuple[Claim, ...]:
        """All claims by name; one that never reported is unchecked."""
        silent = "an earlier check broke"
        return tuple(self._results.get(name, Claim(name, "unchecked", silent)) for name in names)


def first_of(problems: Sequence[str]) -> str:
    """The first problems of a check, and how many more there are."""
    more = len(problems) - MAX_SHOWN_PROBLEMS
    shown = "; ".join(problems[:MAX_SHOWN_PROBLEMS])
    return shown + (f" (and {more} more)" if more > 0 else "")


def printable(text: str) -> str:
    """Spell a string of a package in printable ASCII, cut if it is long, with quotation marks."""
    shown = text[:MAX_SHOWN_CHARACTERS]
    spelled = "".join(
        character if " " <= character <= "~" and character not in '"\\' else _escape(character)
        for character in shown
    )
    return f'"{spelled}"' + ("..." if len(shown) < len(text) else "")


def short_id(identity: str) -> str:
    """The first digits of a digest."""
    return identity[:_SHORT_ID_DIGITS]


def _escape(character: str) -> str:
    return f"\\u{{{ord(character):x}}}"
