"""Tell what evidence tries to do to its reader: facts beside an item, never a decision.

In: candidates with their contents. Out: the same candidates, told in `discovered_by` what their
text tries, and findings that name the item. Never here: a changed trust, content, selection or
rendering; the text of a hit, in any word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from assembler.assess.file_lines import file_line
from assembler.model.candidate import Candidate, Inline
from assembler.model.finding import Finding, Severity, make_finding
from assembler.model.hidden_characters import name_kind
from assembler.model.hidden_runs import grave_runs, is_plainly_visible, slight_runs
from assembler.model.limits import MAX_WORDS_BYTES, bounded_name
from assembler.model.run import GrantedActions
from assembler.model.signal_rules import AUTHORITY, COMMON_KINDS, GRANTED_BY, KINDS, SignalHit
from assembler.model.utf8 import first_bad_byte

SignalScan = Callable[[bytes], Sequence[SignalHit]]
"""Every place of a text that has the form of an instruction."""

MAX_LINES: Final = 3
"""Lines told of each kind."""
MAX_FINDINGS: Final = 100
"""Of one run; the rows tell of every item."""

_HIDDEN: Final = "hidden characters"
_CONTROL: Final = "control characters"


class Signal(NamedTuple):
    """One kind of signal in one text."""

    kind: str
    lines: tuple[int, ...]
    """From 1, ascending, each once: of the text, and where a run tells them, of its file."""

    def describe(self) -> str:
        """`send-data line 4`, `send-data lines 4, 9, 12 and 3 more`."""
        shown = ", ".join(f"{line:,}" for line in self.lines[:MAX_LINES])
        more = len(self.lines) - MAX_LINES
        what = "line" if len(self.lines) == 1 else "lines"
        return f"{self.kind} {what} {shown}" + (f" and {more:,} more" if more > 0 else "")


def tell_signals(
    items: Iterable[Candidate],
    paths: Mapping[str, str],
    scan: SignalScan,
    granted: GrantedActions | None,
) -> tuple[list[Candidate], tuple[Finding, ...]]:
    """The candidates of a run, those of evidence told with their signals.

    Args:
        items: every candidate, secrets withheld.
        paths: file of each by id, for the place of a finding.
        scan: looks into one text.
        granted: what the host grants the executor; None: nothing is known of it.
    """
    told: list[Candidate] = []
    findings: list[Finding] = []
    for item in items:
        signals: tuple[Signal, ...] = ()
        if item.section == "evidence" and isinstance(item.content, Inline):
            signals = tuple(
                signal._replace(
                    lines=tuple(
                        file_line(item, line, path=paths.get(item.id)) for line in signal.lines
                    )
                )
                for signal in find_signals(item.content.data, scan)
            )
        told.append(_tell(item, signals) if signals else item)
        findings.extend(_findings(item, signals, paths.get(item.id), granted))
    return told, _bounded(findings)


def find_signals(data: bytes, scan: SignalScan) -> tuple[Signal, ...]:
    """The signals of one text, by kind in the order of the rules, hidden characters last."""
    lines: dict[str, set[int]] = {}
    for hit in scan(data):
        lines.setdefault(hit.kind, set()).add(hit.line)
    lines.update(_hidden_lines(data))
    order = (*KINDS, _HIDDEN, _CONTROL)
    return tuple(Signal(kind, tuple(sorted(lines[kind]))) for kind in order if kind in lines)


def _hidden_lines(data: bytes) -> dict[str, set[int]]:
    """The lines with characters that no reader sees.

    Control characters are told apart, since what a program prints for a terminal is full of
    them; in bytes that are no text they are bytes like others, and are shown by their numbers.
    """
    if is_plainly_visible(data):
        return {}
    text = data.decode("utf-8", "surrogateescape")
    is_text = "\0" not in text and first_bad_byte(data) is None
    lines: dict[str, set[int]] = {}
    line, position = 1, 0
    for start, _ in sorted([*grave_runs(text), *slight_runs(text)]):
        line += text.count("\n", position, start)
        position = start
        is_control = name_kind(ord(text[start])) == "control"
        if not is_control or is_text:
            lines.setdefault(_CONTROL if is_control else _HIDDEN, set()).add(line)
    return lines


def _tell(item: Candidate, signals: Sequence[Signal]) -> Candidate:
    """The candidate with its signals behind what is known of its discovery."""
    words = f"signals: {', '.join(signal.describe() for signal in signals)}"
    if item.discovered_by is None:
        return item._replace(discovered_by=words)
    room = MAX_WORDS_BYTES - len(words.encode("utf-8")) - len("; ")
    found_by = bounded_name(item.discovered_by, most_bytes=room)
    return item._replace(discovered_by=f"{found_by}; {words}")


def _findings(
    item: Candidate,
    signals: Sequence[Signal],
    path: str | None,
    granted: GrantedActions | None,
) -> Iterable[Finding]:
    """At most one finding of each code."""
    acts = [signal for signal in signals if signal.kind in KINDS and signal.kind != AUTHORITY]
    claims = [signal for signal in signals if signal.kind == AUTHORITY]
    hidden = [signal for signal in signals if signal.kind in (_HIDDEN, _CONTROL)]
    severity: Severity | None
    if acts:
        conflicts = _conflicts(acts, granted)
        is_common = all(signal.kind in COMMON_KINDS for signal in acts)
        is_note = is_common and item.trust == "repository" and not conflicts
        what = "has text that reads as an instruction"
        severity = "note" if is_note else None
        yield _finding(
            "ASM607", item, acts, what, path=path, severity=severity, conflicts=conflicts
        )
    if claims:
        what = f"has text that claims an authority; its trust stays {item.trust}"
        yield _finding("ASM608", item, claims, what, path=path)
    if hidden:
        what = "has characters that no reader sees"
        severity = "note" if all(signal.kind == _CONTROL for signal in hidden) else None
        yield _finding("ASM609", item, hidden, what, path=path, severity=severity)


def _conflicts(acts: Sequence[Signal], granted: GrantedActions | None) -> list[str]:
    """Which acts the host does not grant, in words."""
    if granted is None:
        return []
    words = []
    for member, has in (("hosts", granted.hosts), ("tools", granted.tools)):
        kinds = [act.kind for act in acts if GRANTED_BY.get(act.kind) == member]
        if kinds:
            words.append(f"{', '.join(kinds)}: {member} granted: {', '.join(has) or 'none'}")
    if any(act.kind == "change-grant" for act in acts):
        words.append("change-grant: no text changes a grant")
    return words


def _finding(
    code: str,
    item: Candidate,
    signals: Sequence[Signal],
    what: str,
    *,
    path: str | None,
    severity: Severity | None = None,
    conflicts: Sequence[str] = (),
) -> Finding:
    told = ", ".join(signal.describe() for signal in signals)
    against = "".join(f"; {words}" for words in conflicts)
    return make_finding(
        code,
        path,
        f"{item.id} ({item.kind}, {item.trust}) {what}: {told}{against}",
        line=None if path is None else signals[0].lines[0],
        data={
            "id": item.id,
            "kind": item.kind,
            "trust": item.trust,
            "signals": [
                {"kind": signal.kind, "lines": list(signal.lines[:MAX_LINES])} for signal in signals
            ],
            "conflicts": list(conflicts),
        },
        severity=severity,
    )


def _bounded(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    more = len(findings) - MAX_FINDINGS
    if more <= 0:
        return tuple(findings)
    words = f"{more:,} more findings of this kind; the rows of the run have all of them"
    return (*findings[:MAX_FINDINGS], make_finding("ASM607", None, words, data={"more": more}))
