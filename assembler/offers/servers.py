"""Servers that the repository declares: each a row that stays out, none ever started.

The files are found at one look, kept closed where a rule says so, and read under a bound. A row
names file and server; a command, an argument, a variable's value or a header never enters one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from assembler.authorize.servers import turn_away_server
from assembler.discover.servers import find_declarations, launch_form, read_servers
from assembler.errors import ConfigError
from assembler.model.candidate import Absent, Candidate
from assembler.model.canonical import canonical_bytes
from assembler.model.catalog import tag_digest
from assembler.model.limits import MAX_WORDS_BYTES, bounded_name, bounded_place
from assembler.model.run import ToolTerms
from assembler.model.server import DeclaredServer
from assembler.model.tree import Entry, EntryKind, Unreadable
from assembler.offers.reader import FileReader

ReadDeclaration = Callable[[bytes, str], object]
"""What the text of a file holds, by the file's path.

Raises:
    ConfigError: it is not what its name says; `where` is the place, the message the problem.
"""

KIND: Final = "tool-server"
INVALID: Final = "server-declaration-invalid"
MAX_DECLARATION_BYTES: Final = 1 << 20
MAX_ROWS: Final = 200
"""Rows of declared servers in one run; a hostile file could name as many as a run takes items."""


def offer_servers(
    terms: ToolTerms, reader: FileReader, read_declaration: ReadDeclaration
) -> list[Candidate]:
    """A row for every declared server that is not the host's own, and for every unreadable file.

    Args:
        terms: the folders looked in, and the host's servers.
        reader: of the tree that policy is from.
        read_declaration: reads the text of one file.
    """
    found = find_declarations(reader.tree, terms.declared_in)
    files = [entry for _, entry in found if entry.kind is EntryKind.FILE]
    if not found:
        return []
    contents, denied = reader.read_policy(files, "declaration of servers")
    rules = {item.path: item.rule for item in denied}
    rows: list[Candidate] = []
    for name, entry in found:
        if entry.path in rules:
            rows.append(_file_row(entry.path, Absent("denied", rule=rules[entry.path])))
            continue
        problem = _problem(entry, contents.get(entry.path))
        if problem is not None:
            rows.append(_invalid(entry.path, entry.path, problem))
            continue
        data = contents[entry.path]
        assert isinstance(data, bytes)  # anything else is a problem
        rows += _rows_of(name, entry.path, data, terms, read_declaration)
    return _bounded(rows)


def _problem(entry: Entry, found: bytes | Unreadable | None) -> str | None:
    """Why a file was not read."""
    if entry.kind is not EntryKind.FILE:
        return f"not read: {entry.problem or entry.kind.value}"
    if not isinstance(found, bytes):
        return f"not read: {found.reason if found is not None else 'missing'}"
    return "not read: size-limit" if len(found) > MAX_DECLARATION_BYTES else None


def _rows_of(
    name: str, path: str, data: bytes, terms: ToolTerms, read_declaration: ReadDeclaration
) -> list[Candidate]:
    try:
        servers = read_servers(name, read_declaration(data, path))
    except ConfigError as error:
        return [_invalid(path, error.where or path, error.message)]
    judged = ((server, turn_away_server(server, terms.known)) for server in servers)
    return [_server_row(path, server, code) for server, code in judged if code is not None]


def _server_row(path: str, server: DeclaredServer, code: str) -> Candidate:
    address = server.address
    return _row(
        bounded_name(f"{path}#{server.name}", prefix="server:"),
        path,
        Absent("turned-away", code=code, where=bounded_place(path)),
        version=None if address is None else tag_digest(canonical_bytes(launch_form(address))),
    )


def _invalid(path: str, place: str, problem: str) -> Candidate:
    where = bounded_place(f"{place}: {problem}")
    return _file_row(path, Absent("turned-away", code=INVALID, where=where))


def _file_row(path: str, content: Absent) -> Candidate:
    return _row(bounded_name(path, prefix="server:"), path, content)


def _row(identifier: str, path: str, content: Absent, version: str | None = None) -> Candidate:
    return Candidate(
        id=identifier,
        kind=KIND,
        section="tools",
        trust="untrusted",
        content=content,
        version=version,
        discovered_by=bounded_name(f"declared in {path}", most_bytes=MAX_WORDS_BYTES),
    )


def _bounded(rows: list[Candidate]) -> list[Candidate]:
    """The first rows, each id once, and one row for all the others."""
    by_id: dict[str, Candidate] = {}
    for row in rows:
        # A folder's name may hold `#`: then two different things have one spelling.
        again = tag_digest(f"{row.id}\0{row.discovered_by}".encode())
        identifier = row.id if row.id not in by_id else f"server:{again}"
        by_id[identifier] = row._replace(id=identifier)
    shown = list(by_id.values())[:MAX_ROWS]
    more = len(by_id) - len(shown)
    if more:
        content = Absent("turned-away", code="server-not-allowed", where=f"{more:,} more")
        # No path of a repository holds `//`.
        shown.append(_row("server://more", f"{more:,} more", content))
    return shown
