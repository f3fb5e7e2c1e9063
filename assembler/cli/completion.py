"""Completion: bash, zsh and fish ask the program itself what may come next.

click speaks the shells' protocol and knows commands, options and closed choices; what the values
of all other options may be is read off their metavars here. Nothing of a repository is opened,
and no other program is run.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import Final

import click
from click.shell_completion import CompletionItem, ShellComplete, get_completion_class

from assembler.cli.output import write_out
from assembler.errors import EXIT_OK, UsageError

VARIABLE: Final = "_ASSEMBLER_COMPLETE"
SHELLS: Final = ("bash", "zsh", "fish")
_KINDS: Final = {
    "CWD": "dir",
    "DIR": "dir",
    "FOLDER": "dir",
    "FILE": "file",
    "LISTING": "file",
    "PACKAGE": "file",
    "PATH": "file",
}
"""What the shell completes itself, by the word that a metavar has for it."""
_CALLED: Final = {"REV": "HEAD", "RUN": "last"}
"""A name that such a thing has everywhere."""


def answer_shell(program: click.Command, instruction: str) -> int:
    """Print the script of a shell, or what may come next in a line of it.

    Args:
        program: the whole command line.
        instruction: `SHELL_source` or `SHELL_complete`, as the shell's script gives it.

    Raises:
        UsageError: `completion-unknown`, another instruction, or no line to complete.
    """
    shell, _, request = instruction.partition("_")
    protocol = get_completion_class(shell) if shell in SHELLS else None
    if protocol is None or request not in ("source", "complete"):
        raise _unknown(f"{VARIABLE} is no instruction of a shell")
    asked = protocol(program, {}, "assembler", VARIABLE)
    if request == "source":
        # The class of bash would run a bash to ask for its version.
        write_out(ShellComplete.source(asked))
    else:
        write_out("".join(f"{line}\n" for line in _complete(asked)))
    return EXIT_OK


def _complete(asked: ShellComplete) -> list[str]:
    """A line, or three of zsh, for each thing that may come next."""
    is_numbered = os.environ.get("COMP_CWORD", "x").isdecimal() or asked.name == "fish"
    if "COMP_WORDS" not in os.environ or "COMP_CWORD" not in os.environ or not is_numbered:
        raise _unknown("COMP_WORDS and COMP_CWORD do not say what to complete")
    try:
        words, begun = asked.get_completion_args()
        return [asked.format_completion(item) for item in asked.get_completions(words, begun)]
    except (click.ClickException, IndexError):
        # A line with a mistake, or a lone quote, goes on in no way; talk would break into it.
        return []


def _unknown(problem: str) -> UsageError:
    return UsageError(
        "completion-unknown",
        problem,
        where=VARIABLE,
        next_step=f'eval "$({VARIABLE}=bash_source assembler)"; or zsh_source, fish_source',
    )


class Offered(click.types.StringParamType):
    """Any text, with words to offer for it, or the shell's own files or folders."""

    def __init__(
        self, words: Iterable[tuple[str, str | None]] = (), kind: str | None = None
    ) -> None:
        self.words = tuple(words)
        """Each with a line that a shell may show beside it."""
        self.kind = kind
        """`file` or `dir`: the shell completes these itself, where no word is begun."""

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """What may stand here; of a list with commas, behind its last one."""
        before, comma, begun = incomplete.rpartition(",")
        items = [
            CompletionItem(f"{before}{comma}{word}", help=text)
            for word, text in self.words
            if word.startswith(begun)
        ]
        if self.kind is not None and not (incomplete and items):
            return [CompletionItem(incomplete, type=self.kind)]
        return items


def offer_values(command: click.Command) -> None:
    """Give the parameters of a command, which is about to complete a line, their words."""
    for parameter in command.params:
        if isinstance(parameter.type, click.types.StringParamType):
            parameter.type = _offered(command, parameter)


def _offered(command: click.Command, parameter: click.Parameter) -> Offered:
    """What the metavar of a parameter says, word by word."""
    if parameter.name == "output_format":
        formats = command.callback.__dict__.get("formats", ("text", "json"))
        return Offered((name, None) for name in formats)
    if parameter.name == "agent":
        from assembler.model.agent import AGENTS

        return Offered((name, None) for name in AGENTS)
    spelled = parameter.metavar or str(parameter.name).upper()
    names = dict.fromkeys(re.findall(r"[\w-]+", spelled))
    words: list[tuple[str, str | None]] = [
        (_CALLED.get(name, name), None) for name in names if name.islower() or name in _CALLED
    ]
    if "CODE" in names:
        from assembler.model.catalogue import RULES

        words += [(code, slug) for code, (slug, _) in RULES.items()]
    kinds = [_KINDS[name] for name in names if name in _KINDS]
    return Offered(words, kinds[0] if kinds else None)
