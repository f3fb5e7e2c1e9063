"""The digest of each skill's folder, and the words that name it in a row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from assembler.discover.skill_search import MAX_DEPTH, MAX_ENTRIES
from assembler.model.finding import Finding, make_finding
from assembler.model.names import escape_bytes
from assembler.model.skill import (
    MAX_FOLDER_BYTES,
    MAX_FOLDER_FILES,
    Skill,
    SkillSearch,
    folder_sha256,
)
from assembler.model.skill_pin import FolderDigest, make_folder_digest
from assembler.model.tree import Entry, EntryKind, Listing, Unreadable
from assembler.offers.reader import FileDigest, FileReader

_UNBOUNDED: Final = "more files, or deeper ones, than are looked at"

_TOO_LARGE: Final = make_folder_digest(
    {}, (("", f"more than {MAX_FOLDER_FILES:,} files or {MAX_FOLDER_BYTES:,} bytes"),)
)
_NOT_READ: Final = make_folder_digest({}, (("", "nobody asked for it"),))


def digest_folders(
    skills: Sequence[Skill],
    search: SkillSearch,
    reader: FileReader,
    *,
    wanted: Callable[[Skill], bool],
) -> dict[str, FolderDigest]:
    """What each skill's folder holds, by the path of its SKILL.md.

    A FIFO, a socket, a closed file or one that can't be read leaves the folder without a digest,
    and so do more files or bytes than a digest is made of.

    Args:
        skills: those that have files.
        search: what else it met below the places.
        reader: reads the files; where the search reached a bound, it lists each folder again.
        wanted: whether a skill's folder is read at all.
    """
    asked = [skill for skill in skills if wanted(skill)]
    small = [skill for skill in asked if not _is_too_large(skill)]
    heads = {skill.path: _digest_of_head(skill) for skill in small if skill.instructions_sha256}
    entries = {
        entry.path: entry for skill in small for entry in skill.files if entry.path not in heads
    }
    found, denied = reader.digest(entries.values(), "skills")
    closed = {item.path: Unreadable("denied") for item in denied}
    digests: dict[str, FileDigest | Unreadable] = {**heads, **found, **closed}
    folders = dict.fromkeys((skill.path for skill in skills), _NOT_READ)
    folders.update((skill.path, _TOO_LARGE) for skill in asked)
    for skill in small:
        folders[skill.path] = _digest(skill, digests, _beside(skill, search, reader))
    return folders


def _digest_of_head(skill: Skill) -> FileDigest:
    """That of SKILL.md, which was made when it was read."""
    return FileDigest(skill.instructions_sha256 or "", skill.size_bytes or 0)


def _beside(skill: Skill, search: SkillSearch, reader: FileReader) -> Listing:
    """What lies in a folder beside the skill's files, as far as it matters to a digest.

    A bound that was reached in one folder says nothing of the others.
    """
    if search.truncated:
        return reader.tree.list_under([skill.folder], max_depth=MAX_DEPTH, max_entries=MAX_ENTRIES)
    prefix = skill.prefix.encode()
    names = search.unnamable
    own = tuple(name for name in names if name.startswith(prefix)) if names else ()
    return Listing(entries=(), unnamable=own)


def _is_too_large(skill: Skill) -> bool:
    known = sum(entry.size_bytes or 0 for entry in skill.files)
    return len(skill.files) > MAX_FOLDER_FILES or known > MAX_FOLDER_BYTES


def spell_digests(skill: Skill, folder: FolderDigest) -> str:
    """The digests of the three levels, for a row.

    No name of a file stands among them: the last digest is read as that of the folder.
    """
    return "; ".join(
        (
            f"front matter sha256:{skill.front_matter_sha256}",
            f"instructions sha256:{skill.instructions_sha256}",
            spell_folder(folder),
        )
    )


def spell_folder(folder: FolderDigest) -> str:
    """The folder's digest, or how many files keep it from having one.

    The digest of those that can be read is no pin, and still tells a later run that one changed.
    """
    if folder.sha256 is not None:
        return f"folder sha256:{folder.sha256}"
    rest = f"; its other files sha256:{folder_sha256(folder.files)}" if folder.files else ""
    count = len(folder.untold)
    path, reason = folder.untold[0]
    if not path:
        return f"folder without a digest: {reason}{rest}"
    files = "file that can't" if count == 1 else "files that can't"
    return f"folder without a digest: {count} {files} be read{rest}"


def find_untold(skills: Iterable[Skill], folders: Mapping[str, FolderDigest]) -> list[Finding]:
    """A finding for each file that keeps a folder from having a digest."""
    return [
        make_finding(
            "ASM219",
            skill.prefix + path if path else skill.folder,
            f"{reason}: the folder of {skill.name} has no digest, and no pin holds for it",
            fix="put a regular file in its place, or take it out of the skill's folder"
            if path
            else "take files out of the skill's folder",
            data={"skill": skill.name, "reason": reason},
        )
        for skill in skills
        if folders[skill.path] is not _NOT_READ
        for path, reason in folders[skill.path].untold
    ]


def _digest(
    skill: Skill, found: Mapping[str, FileDigest | Unreadable], listing: Listing
) -> FolderDigest:
    prefix = skill.prefix
    digests: dict[str, str] = {}
    untold: dict[str, str] = {}
    size_bytes = 0
    for entry in skill.files:
        name = entry.path.removeprefix(prefix)
        digest = found[entry.path]
        if isinstance(digest, Unreadable):
            untold[name] = digest.reason
        else:
            digests[name] = digest.sha256
            size_bytes += digest.size_bytes
    for entry in listing.entries:
        name = entry.path.removeprefix(prefix)
        if name not in digests and name not in untold:
            reason = _why_untold(entry)
            if reason is not None:
                untold[name] = reason
    for raw in listing.unnamable:
        untold[escape_bytes(raw.removeprefix(prefix.encode()))] = "its name is not UTF-8"
    if size_bytes > MAX_FOLDER_BYTES:
        return _TOO_LARGE
    if listing.truncated:
        untold.setdefault("", _UNBOUNDED)
    return make_folder_digest(digests, tuple(sorted(untold.items())))


def _why_untold(entry: Entry) -> str | None:
    """Why an entry that is none of the skill's files keeps the folder from having a digest.

    A link that is none of them leads to a folder or out, and nothing behind it is ever read.
    """
    if entry.kind is EntryKind.OTHER:
        return "no regular file"
    if entry.kind is EntryKind.ERROR:
        return entry.problem or "unreadable"
    return _UNBOUNDED if entry.kind is EntryKind.FILE else None
