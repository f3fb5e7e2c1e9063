"""What a self-test found, as text and as JSON."""

from __future__ import annotations

from dataclasses import dataclass

from assembler_verifier.report import EXIT_FAILS, EXIT_HOLDS, TOOL_NAME, VERSION
from assembler_verifier.strict_json import JsonObject

SELF_TEST_SCHEMA = "assembler/self-test/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What became of one base or of one kind of corruption; `problem` is empty if all is well."""

    name: str
    base: str
    what: str = ""
    expected: tuple[str, ...] = ()
    because: str = ""
    found: tuple[str, ...] = ()
    problem: str = ""

    def to_json(self) -> JsonObject:
        """The object for a program."""
        return {
            "name": self.name,
            "base": self.base,
            "what": self.what,
            "expected": [*self.expected],
            "because": self.because,
            "failed": [*self.found],
            "caught": not self.problem,
            "problem": self.problem,
        }


@dataclass(frozen=True, slots=True)
class SelfTestReport:
    """Results of all bases and kinds."""

    bases: tuple[Result, ...]
    kinds: tuple[Result, ...]
    uncovered: tuple[str, ...]
    """Checks that no kind is for."""

    @property
    def exit_code(self) -> int:
        """0 if every base holds and every kind is found by exactly its checks, else 1."""
        return EXIT_FAILS if self._problems() or self.uncovered else EXIT_HOLDS

    def to_text(self) -> str:
        """The lines for a reader, without the last line feed."""
        wrong = [result for result in self.kinds if result.problem]
        shared = sum(len(result.expected) > 1 for result in self.kinds)
        counts = f"{len(self.kinds)} kinds of corruption, {len(self.kinds) - len(wrong)} caught"
        lines = [f"self-test: {counts} by exactly their check"]
        if shared:
            lines.append(f"  {shared} kinds fail more than one check; --format json says why")
        lines += [_line(result) for result in self._problems()]
        lines += [f"  FAIL  no kind of corruption is for {check}" for check in self.uncovered]
        return "\n".join(lines)

    def to_json(self) -> JsonObject:
        """The object for a program."""
        return {
            "schema": SELF_TEST_SCHEMA,
            "tool": {"name": TOOL_NAME, "version": VERSION},
            "exit_code": self.exit_code,
            "uncovered": [*self.uncovered],
            "bases": [
                {"name": base.name, "holds": not base.problem, "failed": [*base.found]}
                for base in self.bases
            ],
            "kinds": [result.to_json() for result in self.kinds],
        }

    def _problems(self) -> list[Result]:
        return [result for result in (*self.bases, *self.kinds) if result.problem]


def _line(result: Result) -> str:
    expected, found = ", ".join(result.expected) or "nothing", ", ".join(result.found) or "nothing"
    said = f"should fail {expected}, fails {found}"
    return f"  FAIL  {result.name} ({result.base}): {result.problem}; it {said}"
