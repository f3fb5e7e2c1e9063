"""What there is to say about an instruction chain: the words of its findings and notes.

Pure: entries and rows in, findings out. Every loss has a size, a place and a fix.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from assembler.model.chain import (
    AGENT_CONFIG_NAME,
    OVERRIDE_NAME,
    REGULAR_NAME,
    ChainRow,
    FolderFinds,
    WalkRules,
    is_allowed_outside,
    is_unsafe_hard_link,
    join_path,
)
from assembler.model.finding import Finding, make_finding
from assembler.model.look_alikes import is_other_case, right_name
from assembler.model.tree import Entry, EntryKind

USED_UP: Final = "never read: the limit is used up"

WHY_OFF: Final = {
    "limit-zero": "the limit is 0 bytes: project files are off",
    "untrusted-project": "the agent's configuration does not trust this project",
}

_WORDS: Final = {
    "ELOOP": "links that lead in a circle",
    "EACCES": "no permission",
    "EPERM": "no permission",
    "ENAMETOOLONG": "the name is too long for the file system",
    "ENOTDIR": "the way to it goes through a file",
    "EILSEQ": "the way to it is not UTF-8",
    "UNMERGED": "a merge left it in conflict",
    "missing": "gone when it was to be read",
    "not-a-file": "no regular file any more",
    "size-limit": "larger than is read at all",
    "changed-during-read": "changed while it was read",
    "corrupt-object": "its git object is damaged",
}

_PLAIN: Final = frozenset(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789@%+=:,./-_"
)


def base_name(path: str) -> str:
    """The last part of a path."""
    return path.rpartition("/")[2]


def in_words(problem: str | None) -> str:
    """What a symbolic errno or a reader's reason means."""
    name = problem or "EIO"
    words = _WORDS.get(name)
    return name if words is None else f"{words} ({name})"


def about_no_file(entry: Entry, what: str) -> Finding:
    """A folder or FIFO with the name of an instruction file."""
    return make_finding(
        "ASM109",
        entry.path,
        f"is {what}: passed over, and the next name of its folder is tried",
        fix=f"rename it, or put a file in its place: {shell_word(entry.path)}",
    )


def about_dead_link(entry: Entry) -> Finding:
    """A link that leads nowhere."""
    return make_finding(
        "ASM107",
        entry.path,
        f"a dead link to {entry.link_text or '?'}: nothing of it loads, as if it were not there",
        fix="restore the file it names, or remove the link",
        data={"problem": "dangling-link", "link": entry.link_text, "loses_all": False},
    )


def about_unreadable(entry: Entry, problem: str, *, loses_all: bool) -> Finding:
    """A file that can't be looked at or read."""
    loss = "every project file is dropped with it" if loses_all else "nothing of it loads"
    size = "" if entry.size_bytes is None else f", {entry.size_bytes:,} bytes"
    link = "" if entry.link_text is None else f" -> {entry.link_text}"
    return make_finding(
        "ASM107",
        entry.path,
        f"can't be read{link}: {in_words(problem)}{size}; {loss}",
        fix="repair it, or remove it",
        data={
            "problem": problem,
            "link": entry.link_text,
            "loses_all": loses_all,
            "size_bytes": entry.size_bytes,
        },
    )


def about_outside_link(entry: Entry, rules: WalkRules) -> Finding:
    """A link that leaves the repository."""
    allowed = rules.outside_links != "followed" and is_allowed_outside(entry)
    opened = entry.kind is not EntryKind.OUTSIDE_LINK and (
        rules.outside_links == "followed" or allowed
    )
    target = entry.link_text or entry.real_path
    arrow = "" if target is None else f" -> {target}"
    what = "its bytes are in no commit of this repository" if opened else "never opened"
    what += "; the host manifest allows it" if allowed else ""
    return make_finding(
        "ASM106",
        entry.path,
        f"leads out of the repository{arrow}: {what}",
        fix="copy the file into the repository"
        if opened
        else "copy the file into the repository, or allow it in the host manifest: "
        "`instructions: {links: [...]}`",
        data={"link": entry.link_text, "opened": opened, "allowed": allowed},
        severity="note" if allowed else None,
    )


def about_hard_link(entry: Entry, rules: WalkRules) -> Finding:
    """A file with a second name, which may lie anywhere on the disk."""
    closed = is_unsafe_hard_link(entry) and rules.outside_links != "followed"
    message = f"has {entry.names} names (hard links): it can be changed under another one"
    if closed:
        message += "; it belongs to another user and is not opened"
    word = shell_word(entry.path)
    return make_finding(
        "ASM121",
        entry.path,
        message,
        fix=f"make it a file of its own: cp {word} {word}.new && mv {word}.new {word}",
        data={"names": entry.names, "foreign": entry.is_foreign, "opened": not closed},
        severity="error" if closed else None,
    )


def about_same_file(entry: Entry, first: str, rules: WalkRules) -> Finding:
    """One real file under two names of the chain."""
    times = "loaded once" if rules.same_file == "once" else "loaded twice"
    return make_finding(
        "ASM114",
        entry.path,
        f"is the same file as {first}: {times}",
        data={"same_as": first, "real_path": entry.real_path},
    )


def about_link_text(entry: Entry, link: str) -> Finding:
    """A link that was checked out as a file."""
    return make_finding(
        "ASM113",
        entry.path,
        f"holds only the path {link}: a link that was checked out as text",
        line=1,
        fix="git config core.symlinks true and check it out again, or make it a real file",
        data={"link": link},
    )


def about_encoding(entry: Entry, bad_byte: int, *, is_utf16: bool) -> Finding:
    """Bytes that are not UTF-8."""
    looks = "it looks like UTF-16, " if is_utf16 else ""
    return make_finding(
        "ASM110",
        entry.path,
        f"{looks}byte {bad_byte:,} is not UTF-8; an agent reads U+FFFD there",
        fix="save it as UTF-8",
        data={"byte": bad_byte, "utf16": is_utf16},
    )


def about_untracked(path: str) -> Finding:
    """A loaded file that the last commit does not hold."""
    return make_finding(
        "ASM112",
        path,
        "is loaded and not in HEAD: other checkouts do not have it",
        fix=f"git add {from_top(path, 'git add')}, or know that it is yours alone",
    )


def about_untrusted(paths: Sequence[str]) -> Finding:
    """The agent reads no project file, since its configuration does not trust the project."""
    count = f"{len(paths):,} {'file' if len(paths) == 1 else 'files'}"
    return make_finding(
        "ASM111",
        None,
        f"the agent's configuration does not trust this project: {count} of it not loaded",
        fix="change the trust entry in the user's configuration, if the project deserves it",
        data={"files": list(paths)},
    )


def about_limit_zero(rows: Sequence[ChainRow]) -> list[Finding]:
    """A limit of 0 turns the project's files off."""
    files = [row.path for row in rows if row.reason == "limit-zero"]
    if not files:
        return []
    count = "1 file" if len(files) == 1 else f"{len(files):,} files"
    return [
        make_finding(
            "ASM128",
            None,
            f"the limit is 0 bytes: {count} of the project not loaded",
            fix="set a limit above 0, if that is not meant",
            data={"files": files},
        )
    ]


def about_denied(entry: Entry) -> Finding:
    """A deny rule covers an instruction file, so that nothing of it may be opened."""
    return make_finding(
        "ASM129",
        entry.path,
        "a deny rule covers it: never opened, and a run is refused",
        fix="lift the rule, or remove the file",
        data={"link": entry.link_text},
    )


def about_no_root() -> Finding:
    """There is no repository, so that the walk is one folder long."""
    return make_finding(
        "ASM115",
        None,
        "no repository: only the start folder is looked at, and no folder above it",
        fix="start inside a repository, or make one: git init",
    )


def why_hidden(used: Entry) -> tuple[str, str]:
    """Reason and note of a file behind the used one of its folder."""
    name = base_name(used.path)
    return "override-hides" if name == OVERRIDE_NAME else "other-name-used", f"behind {name}"


def about_hiding(finds: FolderFinds, row: ChainRow, untracked: Collection[str]) -> Finding | None:
    """The used file hides others of its folder: by mistake if it is blank."""
    if not finds.hidden or row.state in {"off", "hidden"}:
        return None
    first = finds.hidden[0]
    size = "" if first.size_bytes is None else f" ({first.size_bytes:,} bytes)"
    hidden = [entry.path for entry in finds.hidden]
    if row.state == "blank":
        remove = "rm" if row.path in untracked else "git rm -f"
        return make_finding(
            "ASM103",
            row.path,
            f"only white space, but hides {base_name(first.path)}{size} of its folder",
            line=1,
            fix=f"{remove} {from_top(row.path, remove)}",
            data={"hidden": hidden, "size_bytes": row.size_bytes},
        )
    if base_name(row.path) != OVERRIDE_NAME:
        return None
    return make_finding(
        "ASM104",
        row.path,
        f"is used instead of {base_name(first.path)}{size}",
        data={"hidden": hidden},
    )


def about_never_read(
    entry: Entry, finds: FolderFinds, rules: WalkRules, same_as: str | None
) -> tuple[str, str, Finding | None]:
    """Reason, note and finding of a name that this agent never looks for."""
    name = entry.path.removeprefix(f"{finds.folder}/") if finds.folder else entry.path
    if name == AGENT_CONFIG_NAME:
        finding = make_finding(
            "ASM127",
            entry.path,
            "configures an agent: its limit and names may be others than the ones shown here",
            fix="look with `assembler chain --agent codex`",
        )
        return "agent-config-here", "configures an agent", finding
    right = right_name(name, rules.names)
    if right is not None:
        return _about_look_alike(entry, finds, name, right)
    if same_as is not None:
        return "other-agents-file", f"another agent's name for {same_as}", None
    finding = make_finding(
        "ASM116",
        entry.path,
        "another agent's file: not read here",
        fix=f"name it {REGULAR_NAME} or add it to the fallback names, if it is meant here; "
        "`agents:` in the profile looks at what other agents load",
    )
    return "other-agents-file", "another agent's file", finding


def _about_look_alike(
    entry: Entry, finds: FolderFinds, name: str, right: str
) -> tuple[str, str, Finding]:
    exact = join_path(finds.folder, right)
    present = {found.path for found in (finds.used, *finds.hidden) if found is not None}
    fix = f"rename it to {exact}"
    if exact in present:
        fix = f"move its text into {exact}, then remove it"
    data = {"right_name": right}
    if is_other_case(name, right):
        message = f"is not read: the name is {right}, letter for letter"
        return (
            "wrong-case-name",
            f"not {right}",
            make_finding("ASM108", entry.path, message, fix=fix, data=data),
        )
    message = f"is not read: it only looks like {right}; {_odd_marks(name, right)}"
    return (
        "confusable-name",
        f"looks like {right}",
        make_finding("ASM120", entry.path, message, fix=fix, data=data),
    )


def _odd_marks(name: str, right: str) -> str:
    """The characters of a look-alike that the real name does not have, by number."""
    odd = [f"U+{ord(mark):04X}" for mark in dict.fromkeys(name) if mark not in right]
    return f"it holds {', '.join(odd[:4])}" if odd else "it holds a blank or a mark too many"


def about_below(finds: FolderFinds, entry: Entry, *, is_readable: bool) -> Finding:
    """Instructions between the start folder and a target."""
    word = shell_word(finds.folder or ".")
    return make_finding(
        "ASM105",
        entry.path,
        "applies to the target, but the walk ends where the agent starts"
        + ("" if is_readable else "; it can't be loaded there either"),
        fix=f"start the agent there (-C {word}, from the root); `assembler assemble -t` includes "
        "the file"
        if is_readable
        else f"see what is wrong with it: assembler chain -C {word}",
        data={"size_bytes": entry.size_bytes},
    )


def about_limit(rows: Sequence[ChainRow], limit_bytes: int) -> list[Finding]:
    """What the limit took: one finding for each file that is cut or lost."""
    cut = [row for row in rows if row.state == "cut"]
    lost = [row for row in rows if row.state == "lost" and row.reason == "chain-lost"]
    if not cut and not lost:
        return []
    over = sum(_lost_bytes(row) for row in (*cut, *lost))
    nearest = next(row for row in reversed(rows) if row.state in {"in", "cut", "lost", "blank"})
    found = [_about_cut(row, lost, over, limit_bytes) for row in cut]
    for row in lost:
        where = "; the nearest file is the one that is lost" if row is nearest else ""
        size = "" if row.size_bytes is None else f" ({row.size_bytes:,} bytes)"
        found.append(
            make_finding(
                "ASM102",
                row.path,
                f"never read{size}: the limit of {limit_bytes:,} bytes is used up above it{where}",
                fix=f"shorten the files above it by {over:,} bytes",
                data={
                    "size_bytes": row.size_bytes,
                    "limit_bytes": limit_bytes,
                    "over_bytes": over,
                    "nearest": row is nearest,
                },
            )
        )
    return found


def _about_cut(row: ChainRow, lost: Sequence[ChainRow], over: int, limit_bytes: int) -> Finding:
    place = row.cut
    if place is None or row.size_bytes is None:
        raise ValueError("a cut row without its cut")
    files = "" if not lost else f"; {len(lost)} {'file' if len(lost) == 1 else 'files'} below lost"
    lost_bytes = row.size_bytes - place.byte
    return make_finding(
        "ASM101",
        row.path,
        f"{lost_bytes:,} of {row.size_bytes:,} bytes never load, behind the limit of "
        f"{limit_bytes:,}{files}",
        line=place.line,
        fix=f"{_how_to_shorten(row.path, over, row.size_bytes)}: into an {REGULAR_NAME} off this "
        "path, a skill, or a document read on demand",
        data={
            "lost_bytes": lost_bytes,
            "size_bytes": row.size_bytes,
            "loaded_bytes": row.loaded_bytes,
            "limit_bytes": limit_bytes,
            "over_bytes": over,
            "byte": place.byte,
            "read_bytes": place.byte,
            "splits_character": place.splits_character,
            "headings": list(place.headings),
            "lost_files": [other.path for other in lost],
        },
    )


def _how_to_shorten(path: str, over: int, size_bytes: int) -> str:
    if over < size_bytes:
        return f"move {over:,} bytes out of {path}"
    return f"move {over:,} bytes out of this and the other files of the chain"


def _lost_bytes(row: ChainRow) -> int:
    size = row.size_bytes or 0
    return size if row.cut is None else size - row.cut.byte


def from_top(path: str, command: str) -> str:
    """A root-relative path as a word for a command, to be pasted in any folder of a repository."""
    if not command.startswith("git "):
        return shell_word(path)
    is_plain = not {":", "*", "?", "[", "\\"} & set(path)
    return shell_word(f":/{path}" if is_plain else f":(top,literal){path}")


def shell_word(text: str) -> str:
    """A word that a shell takes as one; the command line escapes what a terminal must not see."""
    if text and all(character in _PLAIN for character in text) and not text.startswith("-"):
        return text
    quoted = text.replace("'", "'\\''")
    return f"'{quoted}'" if not text.startswith("-") else f"'./{quoted}'"
