"""What git ignores, as facts of evidence: a named file enters all the same, a search hit does not.

In: searches, candidates, and what git says of paths. Out: rows, and words in `version`.
Nothing of a file that a search passes over is opened.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from assembler.authorize.read_scope import authorize_evidence
from assembler.model.candidate import Absent, Candidate, Inline
from assembler.model.evidence import Discovered, SearchTerms
from assembler.model.limits import MAX_WORDS_BYTES, bounded_name, bounded_place
from assembler.model.tree import Denied, IgnoredFiles, IgnoreRule
from assembler.offers.reader import FileReader
from assembler.ports import Ignores, PatternSet

GIT_IGNORED: Final = "git-ignored"
UNTOLD: Final = "what git ignores could not be told"


def match_ignored(
    search: SearchTerms,
    hits: int,
    ignored: IgnoredFiles,
    names: PatternSet,
    scope: PatternSet,
) -> tuple[list[str], str]:
    """Ignored paths that a name search would have found, and how many they are, in words.

    Args:
        search: its limit holds for hits and these together.
        hits: how many hits it has.
        ignored: by git.
        names: the search's glob over names.
        scope: its glob over paths.
    """
    found = [
        path
        for path in ignored.paths
        if scope.match(path) is not None and names.match(path.rpartition("/")[2]) is not None
    ]
    shown = found[: max(0, search.limit - hits)]
    note = f", {len(found)} ignored by git" if found else ""
    if len(shown) < len(found):
        note += f" ({len(found) - len(shown)} of them left off)"
    return shown, f"{note}, not all of what git ignores was listed" if ignored.is_cut else note


def turn_away_ignored(items: Sequence[Discovered], reader: FileReader) -> list[Candidate]:
    """The row of each file that a search passed over; a rule of the read grant comes first."""
    entries = reader.tree.look_up([item.path for item in items])
    rows = []
    for item in items:
        permission = authorize_evidence(entries[item.path], reader.scope)
        content = (
            Absent("denied", rule=permission.rule)
            if isinstance(permission, Denied)
            else Absent("turned-away", code=GIT_IGNORED, where=bounded_place(item.path))
        )
        rows.append(item.candidate._replace(content=content))
    return rows


def tell_ignored(
    candidates: Iterable[Candidate],
    *,
    ignored: Mapping[str, str],
    read: Mapping[str, str],
    handed_in: Mapping[str, str],
    ignores: Ignores,
) -> list[Candidate]:
    """The same candidates, with the rule by which git ignores them.

    Args:
        candidates: with revision and version.
        ignored: path by id, of rows that a search passed over.
        read: real path by id, of files of the tree.
        handed_in: real path by id, of payloads.
        ignores: asked once, and only where there is something to ask.
    """
    items = list(candidates)
    paths: dict[str, str] = {}
    for item in items:
        if _is_passed_over(item) and item.id in ignored:
            paths[item.id] = ignored[item.id]
        elif isinstance(item.content, Inline) and item.id in handed_in:
            paths[item.id] = handed_in[item.id]
        elif isinstance(item.content, Inline) and item.id in read and item.revision is None:
            # What has the bytes of HEAD is tracked, and git ignores nothing that it tracks.
            paths[item.id] = read[item.id]
    # What the host allows outside the repository is nothing that git could ignore.
    paths = {name: path for name, path in paths.items() if not path.startswith("/")}
    if not paths:
        return items
    rules = ignores.rules({*paths.values()})
    return [_tell(item, paths[item.id], rules) if item.id in paths else item for item in items]


def _is_passed_over(item: Candidate) -> bool:
    return isinstance(item.content, Absent) and item.content.code == GIT_IGNORED


def _tell(item: Candidate, path: str, rules: Mapping[str, IgnoreRule] | None) -> Candidate:
    rule = None if rules is None else rules.get(path)
    if _is_passed_over(item):
        words = f"{path}: {rule}" if rule is not None else f"{path}: {UNTOLD}"
        content = Absent("turned-away", code=GIT_IGNORED, where=bounded_place(words))
        return item._replace(content=content)
    if rule is None:
        return item
    words = f"ignored by {rule}" if item.version is None else f"{item.version}, ignored by {rule}"
    return item._replace(version=bounded_name(words, most_bytes=MAX_WORDS_BYTES))
