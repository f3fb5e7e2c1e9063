"""The calls that are read without click are read as click reads them, and no others are."""

from __future__ import annotations

from typing import Any

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assembler.cli import assemble, chain, check, tool_check, tool_list, tools
from assembler.cli.main import cli
from assembler.cli.quick import COMMON, GROUPS, PLAIN, Plain, read_call
from assembler.cli.subcommands import ListedGroup

COMMANDS = {
    "assemble": assemble.command,
    "chain": chain.command,
    "check": check.command,
    "tools list": tool_list.command,
    "tools check": tool_check.command,
}
LEFT_TO_CLICK = {"--debug", "-h", "--help", "--live", "--timeout"}
WORDS = ("a", "src/x.py", "HEAD", "json", "text", "auto", "error", "x=y", ".", "-", "--", "-x", "")


def options_of(command: click.Command) -> dict[str, click.Option]:
    return {
        spelling: parameter
        for parameter in command.params
        if isinstance(parameter, click.Option)
        for spelling in (*parameter.opts, *parameter.secondary_opts)
    }


def kind_of(option: click.Option) -> str:
    if option.is_flag:
        return "flag"
    return "values" if option.multiple else "value"


def read_by_click(arguments: list[str]) -> tuple[str, dict[str, Any], dict[str, Any]] | None:
    """What click makes of a call; None where it refuses it or answers itself."""
    try:
        with cli.make_context("assembler", list(arguments), resilient_parsing=False) as context:
            before = {name: value for name, value in context.params.items() if value is not None}
            name, own = _read_command(cli, context)
            return name, before, own
    except (click.exceptions.Exit, click.ClickException, Exception):
        return None


def _read_command(group: click.Group, context: click.Context) -> tuple[str, dict[str, Any]]:
    """The name of what a group is asked for, with those of groups before it, and its options."""
    name, command, rest = group.resolve_command(context, [*context._protected_args])
    assert command is not None
    rest = [*rest, *context.args]
    with command.make_context(name, rest, parent=context) as inner:
        if isinstance(command, click.Group):
            below, own = _read_command(command, inner)
            return f"{name} {below}", own
        return str(name), dict(inner.params)


@pytest.mark.parametrize("name", COMMANDS)
def test_tables__have_every_option_of_the_command(name: str) -> None:
    plain, command = PLAIN[name], COMMANDS[name]
    known = options_of(command)
    assert plain.spellings.keys() == known.keys() - LEFT_TO_CLICK
    for spelling, parameter in plain.spellings.items():
        option = known[spelling]
        assert (option.name, kind_of(option)) == (parameter, plain.kinds[parameter])
        choices = option.type.choices if isinstance(option.type, click.Choice) else None
        assert plain.choices.get(parameter) == (None if choices is None else tuple(choices))
    arguments = [item for item in command.params if isinstance(item, click.Argument)]
    assert [item.name for item in arguments] == ([plain.arguments] if plain.arguments else [])
    for item in arguments:
        kind = "value" if item.nargs == 1 else "values"
        assert plain.kinds[str(item.name)] == kind


def test_groups__are_those_that_mean_their_list() -> None:
    assert [*GROUPS] == ["tools"]
    assert isinstance(tools.command, ListedGroup)


def test_common_options__are_those_of_the_group() -> None:
    known = options_of(cli)
    left_to_click = {"--debug", "-h", "--help", "--version"}
    assert COMMON.spellings.keys() == known.keys() - left_to_click
    for spelling, parameter in COMMON.spellings.items():
        assert known[spelling].name == parameter


def calls(name: str, plain: Plain) -> st.SearchStrategy[list[str]]:
    spellings = st.sampled_from([*plain.spellings, "--live", "--debug", "--nope", "-fjson"])
    words = st.sampled_from(WORDS)
    part = st.one_of(
        st.tuples(spellings, words).map(list),
        st.tuples(spellings, words).map(lambda pair: ["=".join(pair)]),
        spellings.map(lambda spelling: [spelling]),
        words.map(lambda word: [word]),
    )
    before = st.lists(st.sampled_from([["-q"], ["-f", "json"], ["--color=never"]]), max_size=2)
    # A group's own name alone is a call too.
    names = st.sampled_from([name.split(), name.split()[:1]])
    return st.tuples(before, names, st.lists(part, max_size=4)).map(
        lambda parts: [word for some in (*parts[0], parts[1], *parts[2]) for word in some]
    )


@given(st.one_of(*(calls(name, plain) for name, plain in PLAIN.items())))
def test_call__is_read_as_click_reads_it(arguments: list[str]) -> None:
    plain = read_call(arguments)
    if plain is None:
        return
    assert (plain.command, plain.before, plain.own) == read_by_click(arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--help"],
        ["chain", "-h"],
        ["chain", "extra"],
        ["chain", "--at"],
        ["chain", "--at", "-x"],
        ["chain", "--at="],
        ["chain", "--all=yes"],
        ["chain", "-fjson"],
        ["chain", "--color", "pink"],
        ["chain", "--agent", "codex", "--agent", "claude"],
        ["chain", "--"],
        ["check", "--fail-on", "note"],
        ["chain", "--debug"],
        ["demo"],
        ["assemble", "--task", "-"],
        ["assemble", "--task="],
        ["assemble", "-m", ""],
        ["assemble", "--api", "morse"],
        ["assemble", "src/a.py"],
        ["tools", "-h"],
        ["tools", "--"],
        ["tools", "nope"],
        ["tools", "pin", "index"],
        ["tools", "list", "one", "two"],
        ["tools", "list", "index", "--live"],
        ["tools", "check", "--timeout", "5"],
    ],
)
def test_call__that_is_not_plain_is_left_to_click(arguments: list[str]) -> None:
    assert read_call(arguments) is None


@pytest.mark.parametrize(
    ("arguments", "own"),
    [
        (["-C", "x", "chain", "-t", "a", "--target=b", "--all"], {"targets": ("a", "b")}),
        (["chain", "--agent", "codex", "--agent-config=a=b"], {"overrides": ("a=b",)}),
        (["check", "a", "--select", "ASM1", "b"], {"paths": ("a", "b"), "select": ("ASM1",)}),
        (["assemble", "-m", "a = b", "-t", "x"], {"message": "a = b", "targets": ("x",)}),
        (["assemble", "--task=t", "--locked", "--api", "text"], {"task_file": "t", "locked": True}),
        (["-q", "tools"], {"server": None, "files": ()}),
        (["tools", "--from", "a", "-f", "json"], {"files": ("a",), "output_format": "json"}),
        (["tools", "list", "index", "--from=a", "--from", "b"], {"files": ("a", "b")}),
        (["tools", "list", "list"], {"server": "list"}),
        (["tools", "check", "--ignore", "/x", "index"], {"ignore": ("/x",), "server": "index"}),
    ],
)
def test_call__that_is_plain_is_read(arguments: list[str], own: dict[str, Any]) -> None:
    found = read_call(arguments)
    assert found is not None
    assert own.items() <= found.own.items()
    assert read_by_click(arguments) == (found.command, found.before, found.own)
