"""Servers that a repository declares: where agents look for them, and what a file says.

In: a tree and folders, or the parsed mapping of one file. Out: the files that are there, and the
servers that one declares. Never here: a file opened, a server started.
Rules: docs/formats/catalogs.md. Why a declaration grants nothing: docs/decisions/0023.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from assembler.errors import ConfigError
from assembler.model.chain import join_path
from assembler.model.server import DeclaredServer, Endpoint, Launch, ServerAddress
from assembler.model.tree import Entry, EntryKind

if TYPE_CHECKING:
    from assembler.ports import SourceTree


class Members(NamedTuple):
    """Where a file names its servers: the members of one object."""

    keys: tuple[str, ...]
    """From the top of the file down to the object."""
    holds_others: bool = False
    """Whether members that are no servers may stand beside them."""


MCP_SERVERS: Final = (Members(("mcpServers",)),)
_EITHER: Final = (*MCP_SERVERS, Members((), holds_others=True))
_NAMED_MCP: Final = (
    Members(("mcp",), holds_others=True),
    Members(("mcp", "servers"), holds_others=True),
)
_OF_EDITOR: Final = (
    Members(("mcp", "servers")),
    Members(("mcp.servers",)),
    Members(("amp.mcpServers",)),
)
_OF_CONTAINER: Final = (
    Members(("customizations", "vscode", "mcp", "servers")),
    Members(("customizations", "vscode", "settings", "mcp", "servers")),
)

DECLARATION_FILES: Final[Mapping[str, tuple[Members, ...]]] = {
    ".abacusai/mcp.json": MCP_SERVERS,
    ".amazonq/mcp.json": MCP_SERVERS,
    ".amp/settings.json": (Members(("amp.mcpServers",)),),
    ".claude/settings.json": MCP_SERVERS,
    ".codex/config.toml": (Members(("mcp_servers",)),),
    ".crush.json": _NAMED_MCP,
    ".cursor/mcp.json": MCP_SERVERS,
    ".devcontainer.json": _OF_CONTAINER,
    ".devcontainer/devcontainer.json": _OF_CONTAINER,
    ".factory/mcp.json": MCP_SERVERS,
    ".gemini/settings.json": MCP_SERVERS,
    ".github/mcp.json": _EITHER,
    ".junie/mcp/mcp.json": MCP_SERVERS,
    ".kilocode/mcp.json": MCP_SERVERS,
    ".kiro/settings/mcp.json": MCP_SERVERS,
    ".mcp.json": _EITHER,
    ".opencode/opencode.json": _NAMED_MCP,
    ".opencode/opencode.jsonc": _NAMED_MCP,
    ".qwen/settings.json": MCP_SERVERS,
    ".roo/mcp.json": MCP_SERVERS,
    ".trae/mcp.json": MCP_SERVERS,
    ".vscode/mcp.json": (Members(("servers",)),),
    ".vscode/settings.json": _OF_EDITOR,
    ".zed/settings.json": (Members(("context_servers",)),),
    "crush.json": _NAMED_MCP,
    "opencode.json": _NAMED_MCP,
    "opencode.jsonc": _NAMED_MCP,
}
"""Files of a repository from which an agent or an editor starts servers, by path in a folder."""

_URLS: Final = ("url", "httpUrl", "serverUrl")
_ABSENT: Final = frozenset({EntryKind.MISSING, EntryKind.DANGLING_LINK})

_LOCAL_TYPES: Final = frozenset({None, "stdio", "local"})
_REMOTE_TYPES: Final = frozenset({None, "http", "streamable-http", "streamableHttp", "remote"})
_LAUNCH_MEMBERS: Final = frozenset({"command", "args", "env", "environment"})
_REMOTE_MEMBERS: Final = frozenset({"url", "headers"})
_INERT_MEMBERS: Final = frozenset(
    {"type", "transport", "enabled", "disabled", "timeout", "description"}
)
"""Members that change nothing of what is started."""
_REFERENCES: Final = ("${%s}", "$%s", "${env:%s}", "{env:%s}")
"""How a value says that a variable is handed on as it is."""


def declaration_paths(folders: Iterable[str]) -> list[str]:
    """Every path at which a declaration of the folders can stand, root-relative."""
    return [join_path(folder, name) for folder in folders for name in DECLARATION_FILES]


def find_declarations(tree: SourceTree, folders: Sequence[str]) -> list[tuple[str, Entry]]:
    """What stands at those paths, each with its path in its folder; asked at one look.

    Args:
        tree: what is looked at; no file is opened.
        folders: root-relative, each once.

    Returns:
        Sorted by path. A path through something that is no folder is not there.
    """
    names = {join_path(folder, name): name for folder in folders for name in DECLARATION_FILES}
    found = tree.look_up(list(names))
    return [
        (names[path], found[path])
        for path in sorted(names)
        if found[path].kind not in _ABSENT and found[path].problem != "ENOTDIR"
    ]


def read_servers(name: str, document: object) -> list[DeclaredServer]:
    """The servers that the parsed text of a file declares, sorted by name.

    Args:
        name: the file's path in its folder, one of `DECLARATION_FILES`.
        document: what its text holds.

    Raises:
        ConfigError: `server-declaration-invalid`: the text holds no object, or no object of
            servers where there must be one.
    """
    if not isinstance(document, Mapping):
        raise _invalid("holds no object")
    by_name: dict[str, DeclaredServer] = {}
    for members in DECLARATION_FILES[name]:
        for server in _servers_of(document, members, DECLARATION_FILES[name]):
            known = by_name.setdefault(server.name, server)
            # One name in two places of a file: no host's word is for both.
            if known != server:
                by_name[server.name] = server._replace(is_plain=False)
    return [by_name[server] for server in sorted(by_name)]


def _servers_of(
    document: Mapping[str, Any], members: Members, places: tuple[Members, ...]
) -> Iterator[DeclaredServer]:
    """The servers of one object; beside it stand the objects of the file's other places."""
    others = {place.keys[0] for place in places if place.keys} if not members.keys else set()
    holder: Any = document
    for key in members.keys:
        if not isinstance(holder, Mapping):
            return
        holder = holder.get(key)
    if holder is None:
        return
    if not isinstance(holder, Mapping):
        if members.holds_others:
            return
        raise _invalid(f"{'.'.join(members.keys)} is no object")
    for name, entry in holder.items():
        if not members.holds_others or (name not in others and _is_server(entry)):
            yield _declared(name, entry)


def _invalid(problem: str) -> ConfigError:
    return ConfigError("server-declaration-invalid", problem, next_step="mend the file")


def _is_server(entry: object) -> bool:
    return isinstance(entry, Mapping) and any(
        isinstance(entry.get(key), str | list | Mapping) for key in ("command", *_URLS)
    )


def _declared(name: str, entry: object) -> DeclaredServer:
    if not isinstance(entry, Mapping):
        return DeclaredServer(name, None, is_plain=False)
    if "command" in entry:
        return _declared_launch(name, entry)
    url = next((entry[key] for key in _URLS if isinstance(entry.get(key), str)), None)
    if url is None:
        return DeclaredServer(name, None, is_plain=False)
    headers = _texts_by_name(entry.get("headers"))
    is_plain = (
        headers is not None
        and _stands_alone(entry, _REMOTE_MEMBERS)
        and entry.get("type") in _REMOTE_TYPES
        and entry.get("transport") in _REMOTE_TYPES
    )
    return DeclaredServer(name, Endpoint(url, headers or {}), is_plain=is_plain)


def _declared_launch(name: str, entry: Mapping[str, Any]) -> DeclaredServer:
    command = _command_of(entry)
    variables = _texts_by_name({**_mapping(entry, "env"), **_mapping(entry, "environment")})
    if not command:
        return DeclaredServer(name, None, is_plain=False)
    is_plain = (
        isinstance(entry["command"], str | list)
        and variables is not None
        and all(_is_handed_on(*variable) for variable in variables.items())
        and _stands_alone(entry, _LAUNCH_MEMBERS)
        and entry.get("type") in _LOCAL_TYPES
        and entry.get("transport") in _LOCAL_TYPES
    )
    names = tuple(sorted(variables or ()))
    return DeclaredServer(name, Launch(command, names), is_plain=is_plain)


def _command_of(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """Program and arguments; nothing where they are no texts."""
    command: Any = entry["command"]
    arguments = entry.get("args")
    if isinstance(command, Mapping):
        command, arguments = command.get("path"), command.get("args")
    parts = [*(command if isinstance(command, list) else [command]), *_list(arguments)]
    return tuple(parts) if all(isinstance(part, str) for part in parts) else ()


def _list(value: object) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [None]


def _mapping(entry: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """The member; one that is there and no object holds something that is no text."""
    value = entry.get(key)
    if value is None:
        return {}
    return value if isinstance(value, Mapping) else {key: None}


def _texts_by_name(value: object) -> dict[str, str] | None:
    """The member's texts; None where it is something else."""
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(text, str) for text in value.values()):
        return None
    return dict(value)


def _is_handed_on(name: str, value: str) -> bool:
    return any(value == reference % name for reference in _REFERENCES)


def _stands_alone(entry: Mapping[str, Any], members: frozenset[str]) -> bool:
    """Whether nothing else of the declaration could change what is started."""
    return set(entry) <= members | _INERT_MEMBERS


def launch_form(address: ServerAddress) -> dict[str, Any]:
    """What of an address is told by a digest; no value of a variable or header is in it."""
    if isinstance(address, Launch):
        return address.to_json()
    return {"url": address.url, "headers": sorted(address.headers)}
