"""`schema`: the JSON Schema of a file that people write, for editors."""

from __future__ import annotations

import json
from typing import Any

import click

from assembler.cli.main import Command, common_options
from assembler.cli.output import write_out
from assembler.cli.session import open_session
from assembler.errors import EXIT_OK, UsageError

FORMATS = ("json",)
NAMES = ("profile", "task", "host", "inventory", "artifacts", "lock", "records", "baseline")


@click.command(
    cls=Command,
    short_help="the JSON Schema of a file format",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.argument("name", metavar="|".join(NAMES))
@common_options(*FORMATS)
def command(**options: Any) -> int:
    """Print the JSON Schema of a file that people or hosts write, for an editor or a validator.

    Name it in a file's first line: `# yaml-language-server: $schema=profile.schema.json`.
    """
    open_session(options, formats=FORMATS)
    name = options["name"]
    if name not in NAMES:
        raise UsageError(
            "schema-missing",
            f"no schema {name}",
            where=name,
            next_step=f"assembler schema {'|'.join(NAMES)}",
        )
    from assembler.front.schemas import json_schema

    write_out(json.dumps(json_schema(name), indent=1, sort_keys=True) + "\n")
    return EXIT_OK
