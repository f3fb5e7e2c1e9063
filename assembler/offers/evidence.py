"""Evidence: everything that a task asks for, with what became of it.

In: the terms of a run and the trees to read. Out: candidates with their contents, facts only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from assembler.assess.excerpts import NoExcerpt, cut_excerpt
from assembler.assess.freshness import compare_sources, differing_sources, is_unchanged
from assembler.authorize.read_scope import authorize_evidence
from assembler.discover.evidence import (
    ASKER,
    MAX_SEARCHED_BYTES,
    MAX_SEARCHED_FILES,
    discover_hits,
    discover_proof,
    discover_refreshed,
    discover_targets,
    match_names,
    merge_discovered,
    not_found,
    proof_not_found,
    proof_paths,
)
from assembler.model.candidate import Absent, Candidate, Inline
from assembler.model.digest import sha256_hex
from assembler.model.evidence import Artifact, Discovered, SearchTerms
from assembler.model.limits import (
    MAX_ID_BYTES,
    MAX_ITEM_BYTES,
    MAX_WORDS_BYTES,
    bounded_name,
    bounded_place,
)
from assembler.model.names import escape_bytes
from assembler.model.run import EvidenceTerms, TaskTerms
from assembler.model.symbols import write_ranges
from assembler.model.tree import Authorized, Denied, Entry, EntryKind, Unreadable
from assembler.offers.ignored import match_ignored, turn_away_ignored
from assembler.offers.payloads import read_payload
from assembler.offers.reader import FileReader
from assembler.ports import Ignores, PatternSet, SymbolReader

MAX_SEARCHED_FILE_BYTES: Final = 1024 * 1024

CompileGlob = Callable[[str], PatternSet]


class EvidenceOffer(NamedTuple):
    """Candidates of the evidence room, with what became of requirements."""

    candidates: tuple[Candidate, ...]
    paths: Mapping[str, str]
    """Path in the tree of each candidate whose bytes come from there, by id."""
    successors: Mapping[str, tuple[str, ...]]
    """Ids that were read again in place of a stale one."""
    missing: Mapping[str, str | None]
    """Ids that were wanted and that no source has; the reason, where a file is there without
    the wanted part."""
    handed_in: Mapping[str, str] = {}
    """Path of each payload that was read, by id."""
    ignored: Mapping[str, str] = {}
    """Path of each file that a search would have found if git did not ignore it, by id."""


def offer_evidence(
    terms: EvidenceTerms,
    task: TaskTerms,
    *,
    reader: FileReader,
    payloads: FileReader,
    symbols: SymbolReader,
    compile_glob: CompileGlob,
    ignores: Ignores,
) -> EvidenceOffer:
    """Everything the task asks for: named, targets, proof, summaries, search hits."""
    source_trust = terms.trust["source"]
    tree = reader.tree
    entries = tree.look_up(_paths_to_ask(terms, task))
    summaries, refreshed = _assess_summaries(terms, entries, reader, symbols)
    named = [item for item in terms.named if not item.is_payload]
    proof = [] if task.proof is None else discover_proof(task.proof, entries, source_trust)
    hits, rows, passed_over = _run_searches(terms, reader, compile_glob, source_trust, ignores)
    if task.proof is not None and not proof:
        rows.append(proof_not_found(task.proof))
    found = merge_discovered(
        [
            *named,
            *refreshed,
            *discover_targets(task.targets, [*named, *refreshed], entries, source_trust),
            *proof,
            *hits,
        ]
    )
    read_here = _read_all(found, entries, reader, symbols)
    handed_in = [item for item in terms.named if item.is_payload]
    there = payloads.tree.look_up(_paths(handed_in))
    read_payloads = _read_all(handed_in, there, payloads, symbols)
    named_ids = {item.candidate.id for item in [*found, *handed_in]}
    unnamed = [item for item in passed_over if item.candidate.id not in named_ids]
    ignored = turn_away_ignored(merge_discovered(unnamed), reader)
    candidates = [*read_here, *read_payloads, *summaries, *terms.unfound, *rows, *ignored]
    return EvidenceOffer(
        candidates=tuple(candidates),
        paths={item.candidate.id: item.path for item in [*found, *terms.summaries]},
        successors=_find_successors(summaries, refreshed),
        missing={
            candidate.id: _why_missing(candidate)
            for candidate in candidates
            if candidate.content == Absent("unreadable")
        },
        handed_in={
            item.candidate.id: payloads.real_paths[item.path]
            for item in handed_in
            if item.path in payloads.contents
        },
        ignored={item.candidate.id: item.path for item in unnamed},
    )


def _why_missing(candidate: Candidate) -> str | None:
    asked, _, why = (candidate.discovered_by or "").partition(f"{ASKER}; ")
    return why if why and not asked else None


def _paths_to_ask(terms: EvidenceTerms, task: TaskTerms) -> list[str]:
    sources = [source.path for artifact in terms.artifacts.values() for source in artifact.sources]
    proof = [] if task.proof is None else proof_paths(task.proof)
    named = _paths(item for item in terms.named if not item.is_payload)
    asked = [*named, *_paths(terms.summaries), *sources, *task.targets, *proof]
    return list(dict.fromkeys(asked))


def _paths(items: Iterable[Discovered]) -> list[str]:
    return [item.path for item in items]


def _read_all(
    items: Sequence[Discovered],
    entries: Mapping[str, Entry],
    reader: FileReader,
    symbols: SymbolReader,
) -> list[Candidate]:
    """Each piece with its bytes, or with the word that says why it has none."""
    unknown = [item.path for item in items if item.path not in entries]
    entries = {**entries, **reader.tree.look_up(unknown)} if unknown else entries
    permissions = {
        item.path: authorize_evidence(entries[item.path], reader.scope) for item in items
    }
    allowed = [
        permission
        for permission in permissions.values()
        if isinstance(permission, Authorized) and permission.entry.kind is EntryKind.FILE
    ]
    contents = reader.read(allowed)
    return [_read_one(item, permissions[item.path], contents, symbols) for item in items]


def _read_one(
    item: Discovered,
    permission: Authorized | Denied,
    contents: Mapping[str, bytes | Unreadable],
    symbols: SymbolReader,
) -> Candidate:
    if isinstance(permission, Denied):
        return item.candidate._replace(content=Absent("denied", rule=permission.rule))
    if permission.entry.kind is EntryKind.OUTSIDE_LINK:
        where = bounded_place(item.path)
        content = Absent("turned-away", code="link-leaves-repository", where=where)
        return item.candidate._replace(content=content)
    data = contents.get(item.path, Unreadable("missing"))
    if isinstance(data, Unreadable):
        if data.reason == "size-limit":
            where = bounded_place(f"{item.path}: over {MAX_ITEM_BYTES:,} bytes, or one long blank")
            content = Absent("turned-away", code="size-limit", where=where)
            return item.candidate._replace(content=content)
        return item.candidate._replace(content=Absent("unreadable"))
    read = read_payload(item, data)
    return read if isinstance(read, Candidate) else _cut(read, data, symbols)


def _cut(item: Discovered, data: bytes, symbols: SymbolReader) -> Candidate:
    """The wanted part of a file that was read."""
    excerpt = cut_excerpt(item, data, symbols)
    if isinstance(excerpt, NoExcerpt):
        found_by = _found_by(item.candidate, excerpt.why)
        return item.candidate._replace(content=Absent("unreadable"), discovered_by=found_by)
    source = item.candidate.source
    says_more = item.is_payload or item.around is not None or item.symbol is not None
    if source is None and says_more:
        lines = write_ranges(excerpt.ranges)
        place = f"{item.path}#{lines}" if lines else item.path
        source = bounded_name(place, most_bytes=MAX_WORDS_BYTES)
    more = () if excerpt.why is None else (excerpt.why,)
    return item.candidate._replace(
        content=Inline(excerpt.data),
        source=source,
        discovered_by=_found_by(item.candidate, *more),
    )


def _found_by(candidate: Candidate, *more: str) -> str:
    """How a candidate was found, and what was found then."""
    words = "; ".join([candidate.discovered_by or ASKER, *more])
    return bounded_name(words, most_bytes=MAX_WORDS_BYTES)


def _assess_summaries(
    terms: EvidenceTerms,
    entries: Mapping[str, Entry],
    reader: FileReader,
    symbols: SymbolReader,
) -> tuple[list[Candidate], list[Discovered]]:
    """The wanted summaries with their freshness, and what is to be read in place of stale ones."""
    wanted = [terms.artifacts[item.candidate.id] for item in terms.summaries]
    current = _read_sources(wanted, entries, reader)
    candidates = _read_all(terms.summaries, entries, reader, symbols)
    refreshed: list[Discovered] = []
    assessed: list[Candidate] = []
    for candidate, artifact in zip(candidates, wanted, strict=True):
        rule = _denied_source(artifact, entries, reader)
        if rule is not None:
            # What was made from denied material is denied with it, digests and all.
            content = Absent("denied", rule=f"source {rule}")
            assessed.append(candidate._replace(content=content))
            continue
        freshness, notes = compare_sources(artifact, entries, current, symbols)
        again = discover_refreshed(
            artifact, differing_sources(artifact, freshness), terms.trust["source"]
        )
        refreshed.extend(again)
        refreshed_by = again[0].candidate.id if again else None
        assessed.append(
            candidate._replace(
                freshness=freshness,
                refreshed_by=refreshed_by,
                discovered_by=_found_by(candidate, *notes),
            )
        )
    return assessed, refreshed


def _denied_source(
    artifact: Artifact, entries: Mapping[str, Entry], reader: FileReader
) -> str | None:
    """The rule that keeps one of an artifact's sources closed."""
    for source in artifact.sources:
        permission = authorize_evidence(entries[source.path], reader.scope)
        if isinstance(permission, Denied):
            return permission.rule
    return None


def _read_sources(
    artifacts: Sequence[Artifact], entries: Mapping[str, Entry], reader: FileReader
) -> dict[str, bytes | None]:
    """The bytes that each cited file has now; None where they may not or can't be read."""
    paths = {
        source.path
        for artifact in artifacts
        for source in artifact.sources
        if not is_unchanged(source, entries[source.path])
    }
    allowed = []
    for path in sorted(paths):
        permission = authorize_evidence(entries[path], reader.scope)
        if isinstance(permission, Authorized) and entries[path].kind is EntryKind.FILE:
            allowed.append(permission)
    contents = reader.read(allowed)
    current: dict[str, bytes | None] = {}
    for path in sorted(paths):
        found = contents.get(path)
        current[path] = found if isinstance(found, bytes) else None
    return current


def _find_successors(
    summaries: Sequence[Candidate], refreshed: Sequence[Discovered]
) -> dict[str, tuple[str, ...]]:
    """What is read again in place of each summary with a changed source."""
    return {
        summary.id: tuple(
            item.candidate.id for item in refreshed if summary.id in item.candidate.replaces
        )
        for summary in summaries
        if summary.refreshed_by is not None
    }


def _run_searches(
    terms: EvidenceTerms,
    reader: FileReader,
    compile_glob: CompileGlob,
    trust: str,
    ignores: Ignores,
) -> tuple[list[Discovered], list[Candidate], list[Discovered]]:
    """The hits of each search, rows where there is no hit, and what git has it pass over.

    Rows stand for searches without a hit and for names that are no text.
    """
    if not terms.searches:
        return [], [], []
    listing = reader.tree.list_files()
    rows = [_unnamable(path) for path in listing.unnamable]
    hits: list[Discovered] = []
    passed_over: list[Discovered] = []
    for number, search in enumerate(terms.searches, start=1):
        note = ""
        if search.name is not None:
            paths = [entry.path for entry in listing.entries]
            scope, names = compile_glob(search.scope), compile_glob(search.name)
            found, more = match_names(search, paths, names, scope)
            unread = 0
            ignored, note = match_ignored(search, len(found), ignores.list_files(), names, scope)
            passed_over += discover_hits(search, ignored, False, trust, note=note)
        else:
            found, more, unread = _search_text(search, listing.entries, reader, compile_glob)
        if found:
            hits.extend(discover_hits(search, found, more, trust, unread=unread, note=note))
        else:
            rows.append(not_found(search, number, unread=unread, note=note))
    return hits, rows, passed_over


def _search_text(
    search: SearchTerms,
    entries: Iterable[Entry],
    reader: FileReader,
    compile_glob: CompileGlob,
) -> tuple[list[str], bool, int]:
    """Files inside scope and grant that hold a literal text; closed files can't be hits.

    The last figure counts files that a bound left unread, so that no hit is no silence.
    """
    scope = compile_glob(search.scope)
    allowed: list[Authorized] = []
    in_scope = [entry.path for entry in entries if scope.match(entry.path) is not None]
    budget = MAX_SEARCHED_BYTES
    unread = max(0, len(in_scope) - MAX_SEARCHED_FILES)
    looked_up = reader.tree.look_up(in_scope[:MAX_SEARCHED_FILES])
    for path in in_scope[:MAX_SEARCHED_FILES]:
        entry = looked_up[path]
        permission = authorize_evidence(entry, reader.scope)
        if isinstance(permission, Denied) or entry.kind is not EntryKind.FILE:
            continue
        size_bytes = entry.size_bytes or 0
        if size_bytes <= MAX_SEARCHED_FILE_BYTES and size_bytes <= budget:
            budget -= size_bytes
            allowed.append(permission)
        else:
            unread += 1
    needle = (search.text or "").encode("utf-8")
    contents = reader.read(allowed)
    found = [
        file.entry.path
        for file in allowed
        if isinstance(data := contents[file.entry.path], bytes) and needle in data
    ]
    return found[: search.limit], len(found) > search.limit, unread


def _unnamable(path: bytes) -> Candidate:
    """A file whose name is not UTF-8: offered, so that it is on record, and never opened."""
    identifier = f"bytes://{escape_bytes(path)}"
    if len(identifier.encode("utf-8")) > MAX_ID_BYTES:
        identifier = f"bytes://sha256:{sha256_hex(path)}"
    return Candidate(
        id=identifier,
        kind="source",
        section="evidence",
        trust="repository",
        content=Absent("path-not-utf8"),
        discovered_by="listing of files",
    )
