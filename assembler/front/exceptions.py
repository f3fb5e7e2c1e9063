"""The exceptions of a profile: whether each says something, and which findings they except.

An exception decides what `check` tells. No run is made by it that would be refused without.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assembler.config.decoding import config_error
from assembler.front.finding_codes import codes_of, hint_at_codes
from assembler.model.catalogue import RULES, find_code
from assembler.model.quieted import NEVER_QUIET

if TYPE_CHECKING:
    from assembler.assess.excepted_findings import FindingException
    from assembler.config.profile import Exempt
    from assembler.front.tool_policy import ToolPolicy
    from assembler.model.document import Document
    from assembler.model.finding import Finding


def require_exceptions(
    exempted: Sequence[Exempt], document: Document, place: str
) -> tuple[int, ...]:
    """The line of each exception of a profile.

    Raises:
        ConfigError: `config-value` with the place: no such code, one that nobody quiets, an error
            without a path, or a path that is no pattern.
    """
    for index, item in enumerate(exempted):
        mistake = _problem_of_code(item)
        if mistake is not None:
            says, hint = mistake
            at = ("ignore", index, "code")
            raise config_error(document, place, at, says, next_step=hint)
        problem = None if item.path is None else _problem_of_pattern(item.path)
        if problem is not None:
            raise config_error(document, place, ("ignore", index, "path"), problem)
    return tuple(document.position(("ignore", index))[0] for index in range(len(exempted)))


def load_exceptions(policy: ToolPolicy) -> tuple[FindingException, ...]:
    """The exceptions of the profile in use, in its order."""
    loaded = policy.loaded
    if loaded is None or not loaded.profile.ignore:
        return ()
    from assembler.adapters.patterns import compile_patterns
    from assembler.assess.excepted_findings import FindingException

    return tuple(
        FindingException(
            spelled=item.code if item.path is None else f"{item.code} {item.path}",
            codes=frozenset(codes_of(item.code)),
            is_exact=find_code(item.code) is not None,
            pattern=None
            if item.path is None
            else compile_patterns([item.path], where=f"{loaded.loaded.place}: ignore"),
            reason=item.reason,
            line=line,
        )
        for item, line in zip(loaded.profile.ignore, loaded.loaded.exception_lines, strict=True)
    )


def tell_unused(
    unused: Sequence[FindingException], policy: ToolPolicy, judge: str | None
) -> list[Finding]:
    """A note for each exception about nothing.

    Args:
        unused: of the profile in use.
        policy: says where that profile stands.
        judge: the revision that it is read from, if that is another place than the findings'.
    """
    from assembler.model.finding import make_finding

    path = profile_path(policy)
    return [
        make_finding(
            "ASM705",
            path,
            f"the exception {item.spelled} is about no finding"
            + ("" if judge is None else f"; policy is that of {judge}"),
            # The lines of another revision's file are not those of this one.
            line=item.line if path is not None and judge is None else None,
            fix="remove it from `ignore`, or correct its path",
            data={"exception": item.spelled, "reason": item.reason},
        )
        for item in unused
    ]


def profile_path(policy: ToolPolicy) -> str | None:
    """Where the profile in use stands in the repository; None: it stands elsewhere."""
    if policy.loaded is None:
        return None
    loaded = policy.loaded.loaded
    return loaded.place if loaded.place == loaded.repository_path else None


def _problem_of_code(item: Exempt) -> tuple[str, str] | None:
    """What is wrong with the code of an exception, and what to write."""
    codes = codes_of(item.code)
    if not codes:
        return "is no code", hint_at_codes(item.code)
    exact = find_code(item.code)
    if codes <= NEVER_QUIET:
        hint = f"remove it: {', '.join(sorted(NEVER_QUIET))} are always told"
        return "can't be excepted: it speaks of policy itself", hint
    if exact is not None and RULES[exact][1] == "error" and item.path is None:
        says = f"is an error, which wants a `path` beside it: {exact} {RULES[exact][0]}"
        return says, "name the files that it is about, such as path: 'vendor/**'"
    return None


def _problem_of_pattern(text: str) -> str | None:
    from assembler.adapters.wildmatch import NoPatternError, read_pattern

    try:
        read_pattern(text)
    except NoPatternError as error:
        return f"is no pattern: it {error}"
    return None
