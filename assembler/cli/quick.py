"""The start of every command; the plain calls of five of them are read without click.

Importing click costs more than the whole of `chain` without it, and the commands here stand in
front of every run of an agent or every commit. What is not plain (an unknown option, a mistake,
`--help`, `--live`, a value that begins with a dash) is click's to judge, so that there is one
answer; a test holds that both read the same call alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from assembler.cli.guard import run_guarded

if TYPE_CHECKING:
    from assembler.cli.session import Session

    Show: TypeAlias = Callable[[Session, Mapping[str, Any]], int]

Kind: TypeAlias = Literal["value", "values", "flag"]


class Plain(NamedTuple):
    """The options of one command: by spelling the parameter, by parameter its kind."""

    spellings: Mapping[str, str]
    kinds: Mapping[str, Kind]
    defaults: Mapping[str, Any]
    choices: Mapping[str, tuple[str, ...]]
    arguments: str | None
    """The parameter that takes what is no option, if there is one; its kind says how many."""


class Call(NamedTuple):
    """One call that was read."""

    command: str
    """Its whole name: `tools list`."""
    before: dict[str, Any]
    """Options before the command's name."""
    own: dict[str, Any]


COMMON: Final = Plain(
    spellings={
        "-C": "cwd",
        "--cwd": "cwd",
        "-f": "output_format",
        "--format": "output_format",
        "-q": "quiet",
        "--quiet": "quiet",
        "-v": "verbose",
        "--verbose": "verbose",
        "--color": "color",
    },
    kinds={
        "cwd": "value",
        "output_format": "value",
        "quiet": "flag",
        "verbose": "flag",
        "color": "value",
    },
    defaults={
        "cwd": None,
        "output_format": None,
        "quiet": None,
        "verbose": None,
        "color": None,
        "debug": None,
    },
    choices={"color": ("auto", "always", "never")},
    arguments=None,
)

_POLICY: Final = {"-p": "profile", "--profile": "profile", "--host": "host", "--at": "at"}

_TOOLS_LIST: Final = Plain(
    spellings={**COMMON.spellings, **_POLICY, "--from": "files"},
    kinds={
        **COMMON.kinds,
        "server": "value",
        "files": "values",
        "profile": "value",
        "host": "value",
        "at": "value",
    },
    defaults={
        **COMMON.defaults,
        "server": None,
        "files": (),
        "live": False,
        "timeout_seconds": 20.0,
        "profile": None,
        "host": None,
        "at": "worktree",
    },
    choices=COMMON.choices,
    arguments="server",
)

PLAIN: Final = {
    "assemble": Plain(
        spellings={
            **COMMON.spellings,
            **_POLICY,
            "-t": "targets",
            "--target": "targets",
            "-m": "message",
            "--message": "message",
            "--task": "task_file",
            "--inventory": "inventory_file",
            "--policy-from": "policy_from",
            "--locked": "locked",
            "--now": "now",
            "--api": "api",
            "--model": "model",
            "--out": "out",
            "--variants": "variants",
            "--continue": "continued",
            "--because": "because",
        },
        kinds={
            **COMMON.kinds,
            "targets": "values",
            "message": "value",
            "task_file": "value",
            "inventory_file": "value",
            "profile": "value",
            "host": "value",
            "at": "value",
            "policy_from": "value",
            "locked": "flag",
            "now": "value",
            "api": "value",
            "model": "value",
            "out": "value",
            "variants": "value",
            "continued": "value",
            "because": "value",
        },
        defaults={
            **COMMON.defaults,
            "targets": (),
            "message": None,
            "task_file": None,
            "inventory_file": None,
            "profile": None,
            "host": None,
            "at": None,
            "policy_from": None,
            "locked": False,
            "now": None,
            "api": None,
            "model": None,
            "out": None,
            "variants": None,
            "continued": None,
            "because": None,
        },
        choices={
            **COMMON.choices,
            "api": ("text", "openai-responses", "openai-chat", "anthropic-messages"),
        },
        arguments=None,
    ),
    "chain": Plain(
        spellings={
            **COMMON.spellings,
            **_POLICY,
            "-t": "targets",
            "--target": "targets",
            "--all": "all_folders",
            "--agent": "agent",
            "--agent-config": "overrides",
            "--agent-option": "agent_options",
            "--agent-version": "agent_version",
            "--agent-system-dir": "system_folder",
            "--confirm": "confirm",
        },
        kinds={
            **COMMON.kinds,
            "targets": "values",
            "all_folders": "flag",
            "profile": "value",
            "host": "value",
            "at": "value",
            "agent": "value",
            "overrides": "values",
            "agent_options": "values",
            "agent_version": "value",
            "system_folder": "value",
            "confirm": "flag",
        },
        defaults={
            **COMMON.defaults,
            "targets": (),
            "all_folders": False,
            "profile": None,
            "host": None,
            "at": "worktree",
            "agent": None,
            "overrides": (),
            "agent_options": (),
            "agent_version": None,
            "system_folder": None,
            "confirm": False,
        },
        choices=COMMON.choices,
        arguments=None,
    ),
    "check": Plain(
        spellings={
            **COMMON.spellings,
            **_POLICY,
            "--select": "select",
            "--ignore": "ignore",
            "--fail-on": "fail_on",
            "--agent": "agents",
            "--policy-from": "policy_from",
            "--baseline": "baseline",
            "--write-baseline": "write_baseline",
        },
        kinds={
            **COMMON.kinds,
            "paths": "values",
            "select": "values",
            "ignore": "values",
            "fail_on": "value",
            "agents": "values",
            "policy_from": "value",
            "baseline": "value",
            "write_baseline": "value",
            "profile": "value",
            "host": "value",
            "at": "value",
        },
        defaults={
            **COMMON.defaults,
            "paths": (),
            "select": (),
            "ignore": (),
            "fail_on": "warning",
            "agents": (),
            "policy_from": None,
            "baseline": None,
            "write_baseline": None,
            "profile": None,
            "host": None,
            "at": "worktree",
        },
        choices={**COMMON.choices, "fail_on": ("error", "warning", "never")},
        arguments="paths",
    ),
    "tools list": _TOOLS_LIST,
    "tools check": _TOOLS_LIST._replace(
        spellings={**_TOOLS_LIST.spellings, "--ignore": "ignore"},
        kinds={**_TOOLS_LIST.kinds, "ignore": "values"},
        defaults={**_TOOLS_LIST.defaults, "ignore": ()},
    ),
}
ONE_AGENT: Final = "agent"
"""The parameter of an option that is given once at most: two of them are click's to refuse."""
GROUPS: Final = ("tools",)
"""What stands in front of a command's own name; alone, or before options, it means its `list`."""


def run(arguments: Sequence[str]) -> int:
    """Run a command and say its exit code."""
    call = read_call(arguments)
    if call is None:
        from assembler.cli.main import run as run_by_click

        return run_by_click(arguments)
    return run_guarded(lambda: _run_plain(call), arguments)


def read_call(arguments: Sequence[str]) -> Call | None:
    """What was called, where that is plain; None: click's to read."""
    before: dict[str, Any] = {}
    rest = _read_options(arguments, COMMON, before)
    if not rest:
        return None
    name, rest = rest[0], rest[1:]
    if name in GROUPS:
        is_named = bool(rest) and not rest[0].startswith("-")
        name, rest = f"{name} {rest[0] if is_named else 'list'}", rest[is_named:]
    if name not in PLAIN:
        return None
    plain = PLAIN[name]
    own: dict[str, Any] = dict(plain.defaults)
    left = _read_options(rest, plain, own)
    if left is None or left:
        return None
    return Call(name, before, own)


def _read_options(
    arguments: Sequence[str], plain: Plain, values: dict[str, Any]
) -> Sequence[str] | None:
    """Take options into `values`; the rest from the first other word on, None: not plain."""
    position = 0
    while position < len(arguments):
        word = arguments[position]
        position += 1
        if not word.startswith("-"):
            if not _take_argument(word, plain, values):
                return arguments[position - 1 :]
            continue
        spelling, equals, value = word.partition("=")
        parameter = plain.spellings.get(spelling)
        if parameter is None or (equals and not spelling.startswith("--")):
            return None
        kind = plain.kinds[parameter]
        if kind == "flag":
            if equals:
                return None
            values[parameter] = True
            continue
        if not equals:
            if position == len(arguments):
                return None
            value = arguments[position]
            position += 1
        if parameter == ONE_AGENT and values[parameter] is not None:
            return None
        if not value or value.startswith("-") or not _is_choice(plain, parameter, value):
            return None
        values[parameter] = (*values[parameter], value) if kind == "values" else value
    return ()


def _take_argument(word: str, plain: Plain, values: dict[str, Any]) -> bool:
    """Take a word that is no option, if there is room for it."""
    name = plain.arguments
    if name is None or (plain.kinds[name] == "value" and values[name] is not None):
        return False
    values[name] = word if plain.kinds[name] == "value" else (*values[name], word)
    return True


def _is_choice(plain: Plain, parameter: str, value: str) -> bool:
    return parameter not in plain.choices or value in plain.choices[parameter]


def _run_plain(call: Call) -> int:
    from assembler.cli.session import make_session

    show, formats = _find_command(call.command)
    session = make_session(call.before, call.own, formats=formats, name=call.command)
    return show(session, call.own)


def _find_command(name: str) -> tuple[Show, tuple[str, ...]]:
    """What does the work of a command, and the formats that it prints; no other is imported."""
    match name:
        case "assemble":
            from assembler.cli import assemble_run

            return assemble_run.show_run, assemble_run.FORMATS
        case "chain":
            from assembler.cli import chain_run

            return chain_run.show_chain, chain_run.FORMATS
        case "check":
            from assembler.cli import check_run

            return check_run.show_check, check_run.FORMATS
        case "tools check":
            from assembler.cli import tool_check_run

            return tool_check_run.show_drift, tool_check_run.FORMATS
        case _:
            from assembler.cli import tool_list_run

            return tool_list_run.show_tools, tool_list_run.FORMATS
