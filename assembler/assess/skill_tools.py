"""The tools that skills ask for, beside those that are known. Asking grants nothing.

Pure. A name is told as unknown only where something says which tools there are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from assembler.model.finding import Finding, make_finding
from assembler.model.skill import Skill

BUILT_IN_TOOLS: Final = frozenset(
    {
        # https://code.claude.com/docs/en/tools-reference, and names of earlier versions.
        "Agent", "Artifact", "AskUserQuestion", "Bash", "BashOutput", "CronCreate", "CronDelete",
        "CronList", "Edit", "EnterPlanMode", "EnterWorktree", "ExitPlanMode", "ExitWorktree",
        "Glob", "Grep", "KillBash", "KillShell", "LS", "LSP", "ListMcpResourcesTool", "Monitor",
        "MultiEdit", "NotebookEdit", "NotebookRead", "PowerShell", "Read", "ReadMcpResourceTool",
        "SendMessage", "Skill", "SlashCommand", "Task", "TaskCreate", "TaskGet", "TaskList",
        "TaskOutput", "TaskStop", "TaskUpdate", "TodoRead", "TodoWrite", "ToolSearch", "WebFetch",
        "WebSearch", "Write",
        # https://github.com/openai/codex: the function names of its own tools.
        "apply_patch", "exec_command", "list_dir", "read_file", "shell", "shell_command",
        "update_plan", "view_image", "web_search", "write_stdin",
        # https://geminicli.com/docs/reference/tools, and names of earlier versions.
        "activate_skill", "ask_user", "get_internal_docs", "glob", "google_web_search",
        "grep_search", "list_directory", "read_many_files", "replace", "run_shell_command",
        "save_memory", "search_file_content", "web_fetch", "write_file", "write_todos",
    }
)  # fmt: skip
"""Tools that agents bring with them, from their own documentation: no catalog has them."""

_SERVER_PREFIX: Final = "mcp__"


class KnownTools(NamedTuple):
    """The tools that this repository says there are."""

    resident: frozenset[str] = frozenset()
    servers: Mapping[str, frozenset[str] | None] = {}
    """Names by server; None where its pin can't be relied on, so that nobody knows."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing says which tools there are."""
        return not self.resident and not any(self.servers.values())


class UnknownTool(NamedTuple):
    """A tool that nothing known has."""

    asked: str
    """As the skill writes it."""
    near: str | None
    """The known name that looks most like it, spelled as the skill spells tools."""


def unknown_tools(asks_for: Sequence[str], known: KnownTools) -> tuple[UnknownTool, ...]:
    """Those of the tools that no resident definition, pinned catalog or agent has.

    Args:
        asks_for: as written: `NAME`, `NAME(ARGUMENTS)`, `mcp__SERVER__TOOL`, `SERVER/TOOL`.
        known: what there is; where that is nothing, nothing is unknown.
    """
    if known.is_empty:
        return ()
    unknown = []
    for asked in dict.fromkeys(asks_for):
        name = asked.partition("(")[0].strip()
        if not name or name == "*" or _is_known(name, known):
            continue
        unknown.append(UnknownTool(asked, _nearest(name, known)))
    return tuple(unknown)


def find_unknown_tools(skills: Iterable[Skill], known: KnownTools) -> tuple[Finding, ...]:
    """A finding for each tool that a listed skill asks for and nothing known has."""
    return tuple(
        make_finding(
            "ASM212",
            skill.path,
            f"asks for {tool.asked}, which no pinned catalog and no resident definition has",
            fix=f"did you mean {tool.near}?"
            if tool.near
            else "correct the name, or pin its server",
            data={"tool": tool.asked, "near": tool.near, "skill": skill.name},
        )
        for skill in skills
        if skill.state == "listed"
        for tool in unknown_tools(skill.asks_for, known)
    )


def _is_known(name: str, known: KnownTools) -> bool:
    server = _split_server(name, known)
    if server is not None:
        return _has(known.servers.get(server[0], frozenset()), server[1])
    if name in BUILT_IN_TOOLS or name in known.resident:
        return True
    return any(tools is None or name in tools for tools in known.servers.values())


def _has(tools: Collection[str] | None, name: str) -> bool:
    # `mcp__SERVER` and `mcp__SERVER__*` mean every tool of a server.
    return tools is None or name in tools or (name in ("", "*") and bool(tools))


def _split_server(name: str, known: KnownTools) -> tuple[str, str] | None:
    """Server and tool, where the name is spelled with a server."""
    if "/" in name:
        server, _, tool = name.rpartition("/")
        return server, tool
    if not name.startswith(_SERVER_PREFIX):
        return None
    rest = name.removeprefix(_SERVER_PREFIX)
    # A server's name may hold two underscores: the longest known one wins.
    for server in sorted(known.servers, key=len, reverse=True):
        if rest == server or rest.startswith(f"{server}__"):
            return server, rest[len(server) + 2 :]
    server, _, tool = rest.partition("__")
    return server, tool


def _nearest(name: str, known: KnownTools) -> str | None:
    import difflib  # for a mistake alone

    pinned = [(server, tool) for server, tools in known.servers.items() for tool in tools or ()]
    if name.startswith(_SERVER_PREFIX):
        names = [f"{_SERVER_PREFIX}{server}__{tool}" for server, tool in pinned]
    elif "/" in name:
        names = [f"{server}/{tool}" for server, tool in pinned]
    else:
        names = [tool for _, tool in pinned] + [*known.resident, *BUILT_IN_TOOLS]
    near = difflib.get_close_matches(name, sorted(set(names)), n=1)
    return near[0] if near else None
