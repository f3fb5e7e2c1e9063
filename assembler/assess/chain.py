"""Make the instruction chain of what the walk met and of the bytes that were read.

In: the search, the bytes (or why there are none) of each file, the rules. Out: a `Chain`.
Never here: a file that vanishes without a row; an opened file; a guess at what a link holds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final, Literal

from assembler.assess import chain_findings as tell
from assembler.assess.instruction_text import (
    BOM,
    TextFacts,
    cut_at,
    examine_text,
    holds_a_link,
    is_blank,
    whole_characters,
)
from assembler.model.chain import (
    Chain,
    ChainRow,
    ChainState,
    FolderFinds,
    InstructionSearch,
    WalkRules,
    is_allowed_outside,
    leaves_top,
)
from assembler.model.finding import SEVERITIES, Finding
from assembler.model.tree import Beginning, Entry, EntryKind, Unreadable

_REFUSED: Final = ("ASM107", "ASM106", "ASM121", "ASM110", "ASM601", "ASM101", "ASM102", "ASM129")
"""What strict mode refuses, the cause that loses most first."""

OVERFLOW: Final = frozenset({"ASM101", "ASM102"})
"""What the limit takes: nothing to refuse where the rules have the chain cut."""

_PASSED_OVER: Final = frozenset({"missing", "size-limit", "denied"})
"""Reasons that lose one file; any other loses the chain, as in Codex."""


def assess_chain(
    search: InstructionSearch,
    contents: Mapping[str, bytes | Beginning | Unreadable],
    rules: WalkRules,
    *,
    untracked: Collection[str] = (),
    off: Literal["untrusted-project"] | None = None,
    cache: dict[str, TextFacts] | None = None,
) -> Chain:
    """Apply limit, blank test and reading errors to the files that the walk chose.

    Args:
        search: what the walk met.
        contents: of each of `files_to_read`, by path: its bytes (of a huge file the beginning,
            at least up to the limit), or why there are none; `denied` is a deny rule's reason.
        rules: those that the search was made with.
        untracked: paths that no commit holds.
        off: why the agent reads no project file at all.
        cache: facts about texts by path, filled and used by calls over the same contents.

    Returns:
        A row for everything that was met. A file that can't be looked at or read loses every
        file of the chain, in both modes; it says so in each row.
    """
    folders = search.folders
    known = {} if cache is None else cache
    if rules.limit_bytes == 0 or off is not None:
        walk = _Walk(
            search.top, contents, rules, untracked, known, switched_off=off or "limit-zero"
        )
        walk.take(folders)
        walk.tell_untrusted()
    else:
        lost_with = next((path for folder in folders if (path := _error_path(folder))), None)
        walk = _Walk(search.top, contents, rules, untracked, known, lost_with=lost_with)
        walk.take(folders)
        if walk.fatal is not None and lost_with is None:
            walk = _Walk(search.top, contents, rules, untracked, known, lost_with=walk.fatal)
            walk.take(folders)
    walk.take_never_read(folders)
    walk.take_below(search.below)
    return walk.finish()


def refuse_broken_chain(chain: Chain) -> Finding | None:
    """What strict mode must refuse: policy that is cut, lost, unreadable, or not what it seems.

    Of several the one that loses most. Its message names file, size and limit.
    """
    for code in _REFUSED:
        for finding in refused_findings(chain):
            if finding.code == code:
                return finding
    return None


def with_findings(chain: Chain, findings: Iterable[Finding]) -> Chain:
    """The chain with more findings, each in its place."""
    return chain._replace(findings=tuple(sorted((*chain.findings, *findings), key=gravity)))


def gravity(finding: Finding) -> tuple[int, str]:
    """Sorts the gravest first, then by code."""
    return SEVERITIES.index(finding.severity), finding.code


def refused_findings(chain: Chain) -> tuple[Finding, ...]:
    """The errors of a chain that a run may not be made of; a cut that was asked for is none."""
    allowed = OVERFLOW if chain.on_overflow == "cut" else frozenset()
    return tuple(
        finding
        for finding in chain.findings
        if finding.severity == "error" and finding.code not in allowed
    )


class _Walk:
    """Rows, texts and findings of one walk, while they are made."""

    def __init__(
        self,
        top: str,
        contents: Mapping[str, bytes | Beginning | Unreadable],
        rules: WalkRules,
        untracked: Collection[str],
        cache: dict[str, TextFacts],
        *,
        lost_with: str | None = None,
        switched_off: str | None = None,
    ) -> None:
        self.fatal: str | None = None
        """The first file whose reading failed."""
        self._top = top
        self._contents = contents
        self._rules = rules
        self._untracked = untracked
        self._cache = cache
        self._lost_with = lost_with
        self._switched_off = switched_off
        self._left = rules.limit_bytes
        self._rows: list[ChainRow] = []
        self._texts: dict[str, bytes] = {}
        self._findings: list[Finding] = []
        self._real_paths: dict[str, str] = {}

    def take(self, folders: tuple[FolderFinds, ...]) -> None:
        """Work in what each folder uses, passes over and hides."""
        for finds in folders:
            for entry in finds.passed:
                self._take_passed(finds, entry)
            if finds.used is None:
                continue
            row = self._take_used(finds, finds.used)
            self._rows.append(row)
            for entry in finds.hidden:
                reason, note = tell.why_hidden(finds.used)
                self._add(finds, entry, "hidden", reason, note)
            hiding = tell.about_hiding(finds, row, self._untracked)
            self._findings.extend(() if hiding is None else (hiding,))

    def tell_untrusted(self) -> None:
        """Say once that the agent does not trust the project, where that is why nothing loads."""
        paths = [row.path for row in self._rows if row.reason == "untrusted-project"]
        if paths:
            self._findings.append(tell.about_untrusted(paths))

    def take_never_read(self, folders: tuple[FolderFinds, ...]) -> None:
        """Work in wrong-case names and other agents' files."""
        walked = {row.path for row in self._rows}
        for finds in folders:
            for entry in finds.off:
                if entry.path in walked:
                    continue
                same = self._real_paths.get(entry.real_path or entry.path)
                reason, note, finding = tell.about_never_read(entry, finds, self._rules, same)
                self._add(finds, entry, "off", reason, note)
                self._findings.extend(() if finding is None else (finding,))

    def take_below(self, folders: tuple[FolderFinds, ...]) -> None:
        """Work in what applies to a target and lies deeper than the walk goes."""
        for finds in folders:
            if finds.used is None:
                continue
            content = self._contents.get(finds.used.path)
            slug = "instructions-below-start"
            if isinstance(content, bytes) and is_blank(content):
                self._add(
                    finds, finds.used, "below", slug, "applies to the target, only white space"
                )
                row = self._rows[-1]._replace(state="blank", size_bytes=len(content))
                hiding = tell.about_hiding(finds, row, self._untracked)
                self._findings.extend(() if hiding is None else (hiding,))
            else:
                self._add(finds, finds.used, "below", slug, "applies to the target, not loaded")
                readable = isinstance(content, bytes | Beginning)
                self._findings.append(tell.about_below(finds, finds.used, is_readable=readable))
            for entry in finds.hidden:
                self._add(finds, entry, "hidden", *tell.why_hidden(finds.used))

    def finish(self) -> Chain:
        """The chain; findings gravest first, then by code, then root first."""
        found = [*self._findings, *tell.about_limit(self._rows, self._rules.limit_bytes)]
        found += tell.about_limit_zero(self._rows)
        found.sort(key=gravity)
        return Chain(
            rows=tuple(self._rows),
            texts=self._texts,
            total_bytes=sum(row.loaded_bytes for row in self._rows),
            limit_bytes=self._rules.limit_bytes,
            findings=tuple(found),
            on_overflow=self._rules.on_overflow,
        )

    def _take_passed(self, finds: FolderFinds, entry: Entry) -> None:
        if entry.kind is EntryKind.DANGLING_LINK:
            note = f"dead link -> {entry.link_text or '?'}, passed over"
            self._add(finds, entry, "lost", "instruction-unreadable", note)
            self._findings.append(tell.about_dead_link(entry))
            return
        what = "a folder" if entry.kind is EntryKind.DIRECTORY else "no regular file"
        self._add(finds, entry, "off", "not-a-file", what)
        self._findings.append(tell.about_no_file(entry, what))

    def _take_used(self, finds: FolderFinds, entry: Entry) -> ChainRow:
        if self._switched_off is not None:
            return _row(finds, entry, "off", self._switched_off, tell.WHY_OFF[self._switched_off])
        if entry.kind is EntryKind.ERROR:
            self._findings.append(
                tell.about_unreadable(entry, entry.problem or "EIO", loses_all=True)
            )
            return _row(
                finds, entry, "lost", "instruction-unreadable", tell.in_words(entry.problem)
            )
        if leaves_top(entry, self._top):
            self._findings.append(tell.about_outside_link(entry, self._rules))
            is_open = self._rules.outside_links == "followed" or is_allowed_outside(entry)
            if entry.kind is EntryKind.OUTSIDE_LINK or not is_open:
                note = f"-> {entry.link_text}, never opened" if entry.link_text else "never opened"
                return _row(finds, entry, "lost", "link-leaves-repository", note)
        if entry.names > 1:
            finding = tell.about_hard_link(entry, self._rules)
            self._findings.append(finding)
            if finding.severity == "error":
                return _row(finds, entry, "lost", "hard-linked", "another user's file, not opened")
        real_path = entry.real_path or entry.path
        first = self._real_paths.setdefault(real_path, entry.path)
        if first != entry.path:
            self._findings.append(tell.about_same_file(entry, first, self._rules))
            if self._rules.same_file == "once":
                return _row(finds, entry, "hidden", "same-file-twice", f"the same file as {first}")
        content = self._contents[entry.path]
        return self._take_content(finds, entry, content)

    def _take_content(
        self, finds: FolderFinds, entry: Entry, content: bytes | Beginning | Unreadable
    ) -> ChainRow:
        if isinstance(content, Unreadable):
            return self._take_unreadable(finds, entry, content.reason)
        data, size = content if isinstance(content, Beginning) else (content, len(content))
        facts = self._facts(entry.path, data)
        body = data.removeprefix(BOM) if self._rules.bom == "dropped" else data
        at_top = finds.folder == self._top
        row = _row(finds, entry, "in", "root" if at_top else "folder", "root" if at_top else "")
        row = row._replace(
            size_bytes=size,
            sha256=facts.sha256 if size == len(data) else None,
            bom_dropped=len(body) != len(data),
        )
        if self._lost_with is not None:
            note = f"dropped with {self._lost_with}"
            return row._replace(state="lost", reason="instruction-unreadable", note=note)
        unfit = self._take_unfit(entry, facts)
        if unfit is not None:
            state, reason, note = unfit
            return row._replace(state=state, reason=reason, note=note)
        # A blank character that is cut in its middle is none any more (measured on Codex).
        # Of a huge file only the beginning is known.
        kept = data[len(data) - len(body) : self._end(data, size)]
        if size == len(data) and is_blank(body) and is_blank(kept):
            return row._replace(state="blank", reason="blank", note="only white space")
        return self._load(row, size, body, facts)

    def _end(self, data: bytes, size: int) -> int:
        """Where the limit ends a file: its size, or the place of the cut."""
        if size <= self._left:
            return len(data)
        return (
            whole_characters(data, self._left)
            if self._rules.cut == "whole-character"
            else self._left
        )

    def _take_unreadable(self, finds: FolderFinds, entry: Entry, reason: str) -> ChainRow:
        if reason == "denied":
            self._findings.append(tell.about_denied(entry))
            return _row(finds, entry, "off", "access-denied", "a deny rule covers it")
        if self._left == 0 and self._lost_with is None:
            return _row(finds, entry, "lost", "chain-lost", tell.USED_UP)
        if reason == "size-limit":
            self._left = 0
        loses_all = reason not in _PASSED_OVER
        if loses_all and self.fatal is None:
            self.fatal = entry.path
        self._findings.append(tell.about_unreadable(entry, reason, loses_all=loses_all))
        return _row(finds, entry, "lost", "instruction-unreadable", tell.in_words(reason))

    def _take_unfit(self, entry: Entry, facts: TextFacts) -> tuple[ChainState, str, str] | None:
        """Tell of bytes that are no text; where the rules leave them out, the row's new words."""
        left_out = self._rules.unfit_text == "left-out"
        link = holds_a_link(facts.data)
        if link is not None:
            self._findings.append(tell.about_link_text(entry, link))
            return ("off", "link-as-text", f"holds the path {link}") if left_out else None
        if facts.bad_byte is not None and (left_out or facts.bad_byte < self._left):
            self._findings.append(
                tell.about_encoding(entry, facts.bad_byte, is_utf16=facts.is_utf16)
            )
            note = f"not UTF-8 at byte {facts.bad_byte:,}"
            return ("lost", "invalid-utf8", note) if left_out else None
        return None

    def _load(self, row: ChainRow, size: int, body: bytes, facts: TextFacts) -> ChainRow:
        """Take as much as the limit leaves; raw bytes count, a dropped mark included."""
        data = facts.data
        self._findings.extend(facts.findings)
        if row.path in self._untracked:
            self._findings.append(tell.about_untracked(row.path))
        if self._left == 0:
            return row._replace(state="lost", reason="chain-lost", note=tell.USED_UP)
        if size <= self._left:
            self._left -= size
            self._texts[row.path] = _as_utf8(body)
            return row._replace(loaded_bytes=len(body))
        end = self._end(data, size)
        kept = data[len(data) - len(body) : end]
        place = cut_at(data, end)
        note = f"stops at line {place.line:,}; {size - end:,} bytes lost"
        row = row._replace(state="cut", note=note, cut=place)
        if is_blank(kept):
            # As in Codex, such a file costs nothing, and the next one gets what is left.
            return row
        self._left = 0
        self._texts[row.path] = _as_utf8(kept)
        return row._replace(loaded_bytes=len(kept))

    def _facts(self, path: str, content: bytes) -> TextFacts:
        facts = self._cache.get(path)
        if facts is None:
            facts = self._cache[path] = examine_text(content, path)
        return facts

    def _add(
        self, finds: FolderFinds, entry: Entry, state: ChainState, reason: str, note: str
    ) -> None:
        self._rows.append(_row(finds, entry, state, reason, note))


def _error_path(finds: FolderFinds) -> str | None:
    used = finds.used
    return used.path if used is not None and used.kind is EntryKind.ERROR else None


def _row(
    finds: FolderFinds, entry: Entry, state: ChainState, reason: str, note: str = ""
) -> ChainRow:
    return ChainRow(
        state=state,
        path=entry.path,
        scope=finds.folder or ".",
        size_bytes=entry.size_bytes,
        loaded_bytes=0,
        reason=reason,
        note=note,
        link_text=entry.link_text,
    )


def _as_utf8(data: bytes) -> bytes:
    """What reaches the model: U+FFFD for what is not UTF-8, as Codex decodes."""
    return data if data.isascii() else data.decode("utf-8", "replace").encode()
