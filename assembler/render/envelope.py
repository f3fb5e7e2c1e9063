"""Write one item of `assembler-input/1`: header, body, end line.

In: a candidate and its bytes. Out: the item's bytes and where its body stands.
The form follows from trust and content alone, so that a reader needs no secret and no search.
Rules: docs/formats/assembler-input.md.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from assembler.model.candidate import Candidate
from assembler.model.digest import sha256_hex
from assembler.model.names import escape_bytes, write_name

LINE_BREAK: Final = re.compile("\r\n|[\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029]")
"""Whatever some viewer takes for the end of a line."""

STRUCTURE_INSIDE: Final = re.compile(r"(?:\A|[^\t\u0020-\u007e])\[\[")
"""`[[` at the start, or behind a character that may show as a line break."""

_COMMIT_ID: Final = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})\Z")
_SECTIONS_WITH_REVISION: Final = ("evidence", "work")
SHOWN_DIGITS: Final = 8
"""Digits of a digest or a commit id in a header: a label, not a proof."""


class ItemText(NamedTuple):
    """One written item; `body_start` and `body_end` are offsets in `data`."""

    data: bytes
    body_start: int
    body_end: int
    form: str


def write_item(candidate: Candidate, content: bytes) -> ItemText:
    """The item's bytes, ending in a line feed."""
    form = choose_form(candidate.trust, content)
    digest = sha256_hex(content)[:SHOWN_DIGITS]
    header = _write_header(candidate, len(content), form, digest)
    match form:
        case "inline":
            body, lead, tail = content, b" ", b"\n"
        case "quoted":
            body, lead, tail = quote(content.decode("utf-8")).encode("utf-8"), b"\n", b""
        case "escaped":
            body, lead, tail = quote(escape_bytes(content)).encode("utf-8"), b"\n", b""
        case _:
            body, lead = content, b"\n"
            tail = b"\n" if content and not content.endswith(b"\n") else b""
    if form != "inline":
        tail += b"[[end %s]]\n" % digest.encode("ascii")
    start = len(header) + len(lead)
    return ItemText(
        data=header + lead + body + tail,
        body_start=start,
        body_end=start + len(body),
        form=form,
    )


def choose_form(trust: str, content: bytes) -> str:
    """`escaped`, `quoted`, `inline` or `block`; the first rule that holds decides."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return "escaped"
    if "\0" in text:
        return "escaped"
    if trust == "untrusted" or STRUCTURE_INSIDE.search(text):
        return "quoted"
    if text and not LINE_BREAK.search(text):
        return "inline"
    return "block"


def quote(text: str) -> str:
    """`> ` in front of every line, by every break that a viewer may honour."""
    if not text:
        return ""
    if not text.endswith("\n"):
        text += "\n"
    end = len(text)
    marked = LINE_BREAK.sub(lambda match: match.group() + ("> " if match.end() < end else ""), text)
    return "> " + marked


def _write_header(candidate: Candidate, size_bytes: int, form: str, digest: str) -> bytes:
    words = [candidate.kind, write_name(candidate.id)]
    if candidate.source is not None and candidate.source != candidate.id:
        words += ["from", write_name(candidate.source)]
    if candidate.revision is not None and candidate.section in _SECTIONS_WITH_REVISION:
        words.append("@" + write_name(shown_revision(candidate.revision)))
    words += [candidate.trust, str(size_bytes), "bytes"]
    if form in ("quoted", "escaped"):
        words.append(form)
    words.append(digest)
    return f"[[{' '.join(words)}]]".encode("ascii")


def shown_revision(revision: str) -> str:
    """A commit id by its first digits, any other revision whole."""
    return revision[:SHOWN_DIGITS] if _COMMIT_ID.match(revision) else revision
