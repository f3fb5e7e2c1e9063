"""`init`: a first profile, and what to add where."""

from __future__ import annotations

from typing import Any

import click

from assembler.cli.main import Command, common_options
from assembler.cli.output import write_out
from assembler.cli.session import open_session
from assembler.errors import EXIT_OK, UsageError
from assembler.front.places import find_workplace

FORMATS = ("text",)
PROFILE = """\
schema: assembler/profile/1
window: 128000
reserve: {response: 8192, observations: 4096}
skills: {roots: []}
read: {deny: []}
"""
NEXT = """\
Wrote .assembler/profile.yaml

Next:
  assembler chain                                  what your agent loads here
  assembler check                                  what is lost or wrong
  assembler lock                                   record what you reviewed
  echo "the task" | assembler assemble -t PATH     the input of one run
  assembler schema profile > profile.schema.json   completion in your editor

Name the agents that work here in the profile, and check, diff and lock go by
what each of them loads:
  agents: [claude, codex, gemini, opencode]

What this machine grants at most stands outside the repository, in
~/.config/assembler/host.yaml:
  schema: assembler/host/1
  read: {deny: ['customers/**']}

Guard the policy with one line in CODEOWNERS:
  /.assembler/ @your-platform-team
"""


@click.command(
    cls=Command,
    short_help="write a first profile and show what to add",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@common_options(*FORMATS)
def command(**options: Any) -> int:
    """Write .assembler/profile.yaml (never over an existing one) and say what comes next."""
    session = open_session(options, formats=FORMATS)
    folder = find_workplace(session.cwd).root / ".assembler"
    path = folder / "profile.yaml"
    if path.exists() or path.is_symlink():
        raise UsageError(
            "profile-exists",
            ".assembler/profile.yaml is there already; nothing was written",
            where=".assembler/profile.yaml",
            next_step="edit it: all keys are in `assembler schema profile`",
        )
    if folder.is_symlink():
        raise UsageError(
            "path-outside", ".assembler is a link; nothing was written", where=".assembler"
        )
    from assembler.adapters.filesystem import write_file_atomically

    folder.mkdir(exist_ok=True)
    write_file_atomically(path, PROFILE.encode("utf-8"))
    write_out(NEXT)
    return EXIT_OK
