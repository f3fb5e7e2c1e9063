"""The calls that are read without click are read as click reads them, and no others are."""

from __future__ import annotations

from typing import Any

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assembler.cli import chain, check
from assembler.cli.main import cli
from assembler.cli.quick import COMMON, PLAIN, Plain, read_call

COMMANDS = {"chain": chain.command, "check": check.command}
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
            name, command, rest = cli.resolve_command(context, [*context._protected_args])
            assert command is not None
            rest = [*rest, *context.args]
            with command.make_context(name, rest, parent=context) as inner:
                return str(name), before, dict(inner.params)
    except (click.exceptions.Exit, click.ClickException, Exception):
        return None


@pytest.mark.parametrize("name", COMMANDS)
def test_tables__have_every_option_of_the_command(name: str) -> None:
    plain, command = PLAIN[name], COMMANDS[name]
    known = options_of(command)
    left_to_click = {"--debug", "-h", "--help"}
    assert plain.spellings.keys() == known.keys() - left_to_click
    for spelling, parameter in plain.spellings.items():
        option = known[spelling]
        assert (option.name, kind_of(option)) == (parameter, plain.kinds[parameter])
        choices = option.type.choices if isinstance(option.type, click.Choice) else None
        assert plain.choices.get(parameter) == (None if choices is None else tuple(choices))
    arguments = [item for item in command.params if isinstance(item, click.Argument)]
    assert [item.name for item in arguments] == ([plain.arguments] if plain.arguments else [])


def test_common_options__are_those_of_the_group() -> None:
    known = options_of(cli)
    left_to_click = {"--debug", "-h", "--help", "--version"}
    assert COMMON.spellings.keys() == known.keys() - left_to_click
    for spelling, parameter in COMMON.spellings.items():
        assert known[spelling].name == parameter


def calls(name: str, plain: Plain) -> st.SearchStrategy[list[str]]:
    spellings = st.sampled_from([*plain.spellings, "--debug", "--nope", "-fjson"])
    words = st.sampled_from(WORDS)
    part = st.one_of(
        st.tuples(spellings, words).map(list),
        st.tuples(spellings, words).map(lambda pair: ["=".join(pair)]),
        spellings.map(lambda spelling: [spelling]),
        words.map(lambda word: [word]),
    )
    before = st.lists(st.sampled_from([["-q"], ["-f", "json"], ["--color=never"]]), max_size=2)
    return st.tuples(before, st.lists(part, max_size=4)).map(
        lambda pair: [word for some in (*pair[0], [name], *pair[1]) for word in some]
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
        ["chain", "--"],
        ["check", "--fail-on", "note"],
        ["chain", "--debug"],
        ["demo"],
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
    ],
)
def test_call__that_is_plain_is_read(arguments: list[str], own: dict[str, Any]) -> None:
    found = read_call(arguments)
    assert found is not None
    assert own.items() <= found.own.items()
    assert read_by_click(arguments) == (found.command, found.before, found.own)
