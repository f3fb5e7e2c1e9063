"""The start of every command; the plain calls of two of them are read without click.

Importing click costs more than the whole of `chain` without it, and both commands here stand in
front of every run of an agent or every commit. What is not plain (an unknown option, a mistake,
`--help`, a value that begins with a dash) is click's to judge, so that there is one answer; a
test holds that both read the same call alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from assembler.cli.guard import run_guarded

Kind: TypeAlias = Literal["value", "values", "flag"]


class Plain(NamedTuple):
    """The options of one command: by spelling the parameter, by parameter its kind."""

    spellings: Mapping[str, str]
    kinds: Mapping[str, Kind]
    defaults: Mapping[str, Any]
    choices: Mapping[str, tuple[str, ...]]
    arguments: str | None
    """The parameter that takes what is no option, if there is one."""


class Call(NamedTuple):
    """One call that was read."""

    command: str
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

PLAIN: Final = {
    "chain": Plain(
        spellings={
            **COMMON.spellings,
            **_POLICY,
            "-t": "targets",
            "--target": "targets",
            "--all": "all_folders",
            "--agent": "agent",
            "--agent-config": "overrides",
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
        },
        kinds={
            **COMMON.kinds,
            "select": "values",
            "ignore": "values",
            "fail_on": "value",
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
            "profile": None,
            "host": None,
            "at": "worktree",
        },
        choices={**COMMON.choices, "fail_on": ("error", "warning", "never")},
        arguments="paths",
    ),
}


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
    if not rest or rest[0] not in PLAIN:
        return None
    plain = PLAIN[rest[0]]
    own: dict[str, Any] = dict(plain.defaults)
    left = _read_options(rest[1:], plain, own)
    if left is None or left:
        return None
    return Call(rest[0], before, own)


def _read_options(
    arguments: Sequence[str], plain: Plain, values: dict[str, Any]
) -> Sequence[str] | None:
    """Take options into `values`; the rest from the first other word on, None: not plain."""
    position = 0
    while position < len(arguments):
        word = arguments[position]
        position += 1
        if not word.startswith("-"):
            if plain.arguments is None:
                return arguments[position - 1 :]
            values[plain.arguments] = (*values.get(plain.arguments, ()), word)
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
        if not value or value.startswith("-") or not _is_choice(plain, parameter, value):
            return None
        values[parameter] = (*values[parameter], value) if kind == "values" else value
    return ()


def _is_choice(plain: Plain, parameter: str, value: str) -> bool:
    return parameter not in plain.choices or value in plain.choices[parameter]


def _run_plain(call: Call) -> int:
    from assembler.cli.session import make_session

    if call.command == "chain":
        from assembler.cli import chain_run

        session = make_session(call.before, call.own, formats=chain_run.FORMATS, name="chain")
        return chain_run.show_chain(session, call.own)
    from assembler.cli import check_run

    session = make_session(call.before, call.own, formats=check_run.FORMATS, name="check")
    return check_run.show_check(session, call.own)
