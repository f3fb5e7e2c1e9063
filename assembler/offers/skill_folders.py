"""The digest of each skill's folder, and the words that name it in a row."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from assembler.discover.skills import MAX_DEPTH, MAX_ENTRIES
from assembler.model.digest import sha256_hex
from assembler.model.finding import Finding, make_finding
from assembler.model.names import escape_bytes
from assembler.model.skill import Skill
from assembler.model.skill_pin import FolderDigest
from assembler.model.tree import Entry, EntryKind, Listing, Unreadable
from assembler.offers.reader import FileReader

_UNBOUNDED: Final = "more files, or deeper ones, than are looked at"


def digest_folders(
    skills: Iterable[Skill], contents: Mapping[str, bytes | Unreadable], reader: FileReader
) -> dict[str, FolderDigest]:
    """What each skill's folder holds, by the path of its SKILL.md.

    A FIFO, a socket, a closed file or one that can't be read leaves the folder without a digest.
    Nothing is opened here.

    Args:
        skills: those that the digests are wanted of.
        contents: of every file of them, or why there is none.
        reader: its tree is asked for what else lies in the folders.
    """
    wanted = list(skills)
    listing = _list([skill.folder for skill in wanted], reader)
    paths = [entry.path for entry in listing.entries]
    folders = {}
    for skill in wanted:
        # A bound that was reached in one folder says nothing of the others.
        own = (
            _list([skill.folder], reader)
            if listing.truncated
            else _part(listing, paths, _prefix(skill))
        )
        folders[skill.path] = _digest(skill, contents, own)
    return folders


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
    """The folder's digest, or how many files keep it from having one."""
    if folder.sha256 is not None:
        return f"folder sha256:{folder.sha256}"
    count = len(folder.untold)
    files = "file that can't" if count == 1 else "files that can't"
    return f"folder without a digest: {count} {files} be read"


def find_untold(skills: Iterable[Skill], folders: Mapping[str, FolderDigest]) -> list[Finding]:
    """A finding for each file that keeps a folder from having a digest."""
    return [
        make_finding(
            "ASM219",
            f"{skill.folder}/{path}" if path and skill.folder else path or skill.folder,
            f"{reason}: the folder of {skill.name} has no digest, and no pin holds for it",
            fix="put a regular file in its place, or take it out of the skill's folder",
            data={"skill": skill.name, "reason": reason},
        )
        for skill in skills
        for path, reason in folders[skill.path].untold
    ]


def _list(folders: list[str], reader: FileReader) -> Listing:
    if not folders:
        return Listing(entries=())
    return reader.tree.list_under(folders, max_depth=MAX_DEPTH, max_entries=MAX_ENTRIES)


def _part(listing: Listing, paths: Sequence[str], prefix: str) -> Listing:
    """What a listing has below one folder: neighbours in the order of paths."""
    start = bisect_left(paths, prefix)
    end = bisect_left(paths, f"{prefix}\U0010ffff", lo=start)
    names = listing.unnamable
    own = tuple(name for name in names if name.startswith(prefix.encode())) if names else ()
    return Listing(entries=listing.entries[start:end], unnamable=own)


def _prefix(skill: Skill) -> str:
    return f"{skill.folder}/" if skill.folder else ""


def _digest(
    skill: Skill, contents: Mapping[str, bytes | Unreadable], listing: Listing
) -> FolderDigest:
    prefix = _prefix(skill)
    digests: dict[str, str] = {}
    untold: dict[str, str] = {}
    for entry in skill.files:
        name = entry.path.removeprefix(prefix)
        found = contents[entry.path]
        if isinstance(found, Unreadable):
            untold[name] = found.reason
        else:
            digests[name] = sha256_hex(found)
    for entry in listing.entries:
        name = entry.path.removeprefix(prefix)
        if name not in digests and name not in untold:
            reason = _why_untold(entry)
            if reason is not None:
                untold[name] = reason
    for raw in listing.unnamable:
        untold[escape_bytes(raw.removeprefix(prefix.encode()))] = "its name is not UTF-8"
    if listing.truncated:
        untold.setdefault("", _UNBOUNDED)
    return FolderDigest(digests, tuple(sorted(untold.items())))


def _why_untold(entry: Entry) -> str | None:
    """Why an entry that is none of the skill's files keeps the folder from having a digest.

    A link that is none of them leads to a folder or out, and nothing behind it is ever read.
    """
    if entry.kind is EntryKind.OTHER:
        return "no regular file"
    if entry.kind is EntryKind.ERROR:
        return entry.problem or "unreadable"
    return _UNBOUNDED if entry.kind is EntryKind.FILE else None
