"""The command line: commands by question, lazily imported."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Sequence
from typing import Any, Final

import click

from assembler import __version__
from assembler.cli.guard import run_guarded, tell_interrupt
from assembler.cli.output import escape, write_out, write_talk
from assembler.cli.quick import ONE_AGENT
from assembler.errors import EXIT_OK, EXIT_USAGE, UsageError

COMMANDS: Final = (
    ("Look", "chain", "instruction files of a folder or target, and what is lost of them"),
    ("Look", "explain", "why an item or a path is in or out; what a finding code means"),
    ("Look", "skills", "skills and what each costs; `skills check` is their gate"),
    ("Look", "tools", "tools of MCP servers against their pins; list check pin approve"),
    ("Build", "assemble", "compile the input of one run, with its ledger"),
    ("Build", "log", "recorded runs, their tables and events"),
    ("Gate", "check", "every finding of chains, skills, tool pins and lock; exit 1 on one"),
    ("Gate", "lock", "record what policy is, or compare it with what was recorded"),
    ("Gate", "diff", "what an agent would see differently; two runs side by side"),
    ("Prove", "verify", "re-derive a package with code of its own"),
    ("Prove", "diagnose", "named claims about a run, with the rows that prove them"),
    ("More", "transcript", "what a run's history weighs, and where it may be cut"),
    ("More", "init", "write a first profile and show what to add"),
    ("More", "schema", "the JSON Schema of a file format"),
    ("More", "demo", "the whole story on a sample repository, offline"),
)
"""Group, name and one line each; importing a command to ask it would cost its start-up."""

HELP: Final = """\
Usage: assembler [OPTIONS] COMMAND [ARGS]...

What did a coding agent's model actually see, why, and what was left out?

{groups}

Options (before or after the command):
  -C, --cwd DIR           where the agent starts; default: here
  -f, --format NAME       text, json, and what the command adds
  -q, -v, -h, --debug     less, more, help, tracebacks; --color WHEN, --version
Exit: 0 done, 1 findings, 2 usage or missing, 3 refused, 70 a bug
"""


class Command(click.Command):
    """A command whose help goes through our own writer: click makes a closed pipe exit 1."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does; a line that a shell wants completed gets words for its values first."""
        if ctx.resilient_parsing:
            from assembler.cli.completion import offer_values

            offer_values(self)
        else:
            self._refuse_repeated(ctx, args)
        return super().parse_args(ctx, args)

    def _refuse_repeated(self, ctx: click.Context, args: Sequence[str]) -> None:
        """Refuse a second agent where there is one answer: click takes the last and says nothing.

        Raises:
            UsageError: `option-conflict`.
        """
        agent = next((one for one in self.params if one.name == ONE_AGENT), None)
        if agent is None:
            return
        _, _, order = self.make_parser(ctx).parse_args([*args])
        if order.count(agent) > 1:
            raise UsageError(
                "option-conflict",
                f"--agent is given {order.count(agent)} times, and names one agent",
                next_step="name one, or --agent all for all of them side by side",
            )

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """As click's, with another writer."""
        option = super().get_help_option(ctx)
        if option is not None:
            option.callback = _show_help
        return option


class Group(Command, click.Group):
    """Commands below one name."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with the nearest name for a typing error."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            import difflib

            name = args[0] if args else ""
            near = difflib.get_close_matches(name, self.list_commands(ctx), n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise click.UsageError(f"no such command: {escape(name)}{hint}", ctx=ctx) from None


class CommandGroup(Group):
    """Commands that are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of the help."""
        return [name for _, name, _ in COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, or None where there is none of that name."""
        if cmd_name not in self.list_commands(ctx):
            return None
        module = importlib.import_module(f"assembler.cli.{cmd_name}")
        command: click.Command = module.command
        return command

    def get_help(self, ctx: click.Context) -> str:
        """All commands by question, on one screen."""
        groups: dict[str, list[str]] = {}
        for group, name, line in COMMANDS:
            groups.setdefault(group, []).append(f"  {name:<11}{line}")
        text = "\n".join(f"{group}\n" + "\n".join(lines) for group, lines in groups.items())
        return HELP.format(groups=text).rstrip()


def _show_help(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:
        write_out(ctx.get_help() + "\n")
        ctx.exit()


def _show_version(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:
        write_out(f"assembler {__version__}\n")
        ctx.exit()


@click.group(
    cls=CommandGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option("-C", "--cwd")
@click.option("-f", "--format", "output_format")
@click.option("-q", "--quiet", is_flag=True, default=None)
@click.option("-v", "--verbose", is_flag=True, default=None)
@click.option("--color", type=click.Choice(["auto", "always", "never"]))
@click.option("--debug", is_flag=True, default=None)
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_show_version)
@click.pass_context
def cli(ctx: click.Context, /, **common: object) -> int:
    """What did the model actually see?"""
    ctx.obj = {name: value for name, value in common.items() if value is not None}
    if ctx.invoked_subcommand is None:
        write_out(ctx.get_help() + "\n")
        return EXIT_USAGE
    return EXIT_OK


def common_options(*formats: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The options that every command takes, with the formats that this one has."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for decorator in (
            click.option("-C", "--cwd", metavar="DIR", help="where the agent starts"),
            click.option("-f", "--format", "output_format", metavar="NAME", help=" ".join(formats)),
            click.option("-q", "--quiet", is_flag=True, default=None, help="no talk on stderr"),
            click.option("-v", "--verbose", is_flag=True, default=None, help="say what was used"),
            click.option("--color", type=click.Choice(["auto", "always", "never"])),
            click.option("--debug", is_flag=True, default=None, help="show tracebacks"),
        ):
            function = decorator(function)
        function.__dict__["formats"] = formats
        return function

    return decorate


def run(arguments: Sequence[str]) -> int:
    """Run a command by click and say its exit code."""
    return run_guarded(lambda: _run_click(arguments), arguments)


def _run_click(arguments: Sequence[str]) -> int:
    instruction = os.environ.get("_ASSEMBLER_COMPLETE")
    if instruction:
        from assembler.cli.completion import answer_shell

        return answer_shell(cli, instruction)
    try:
        result = cli.main(args=list(arguments), prog_name="assembler", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        write_talk(error.format_message())
        return EXIT_USAGE
    except click.Abort:
        return tell_interrupt()
    except click.ClickException as error:
        message = error.format_message().rstrip(".")
        context = error.ctx if isinstance(error, click.UsageError) else None
        named = "assembler" if context is None else context.command_path
        raise UsageError(
            "usage", message[:1].lower() + message[1:], next_step=f"{named} --help"
        ) from None
    return result if isinstance(result, int) else EXIT_OK
