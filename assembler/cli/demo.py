"""`demo`: the whole story on a sample repository, offline."""

from __future__ import annotations

import shlex
import tempfile
from pathlib import Path
from typing import Any

import click

from assembler.cli.main import Command, common_options
from assembler.cli.output import write_out
from assembler.cli.session import open_session
from assembler.errors import EXIT_OK

FORMATS = ("text",)
EXPLAINED = "summary:parser"


@click.command(
    cls=Command,
    short_help="the whole story on a sample repository",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option("--into", metavar="DIR", help="a new or empty folder; default: a temporary one")
@common_options(*FORMATS)
def command(**options: Any) -> int:
    """Build a small repository with real history, assemble one task in it, and prove it."""
    session = open_session(options, formats=FORMATS)
    from assembler.cli import chain_view
    from assembler.cli.explain import item_text
    from assembler.cli.run_view import budget_lines, headline, ledger_lines, of_assembled
    from assembler.front.demo import TARGET, run_demo
    from assembler_verifier.verify import verify_package

    named = options["into"]
    folder = session.cwd / named if named else Path(tempfile.mkdtemp(prefix="assembler-demo-"))
    demo = run_demo(folder, environment=session.environment)
    facts = of_assembled(demo.run).facts
    rows = list(facts.rows)
    position = [row["id"] for row in rows].index(EXPLAINED)
    report = verify_package(demo.package)
    place = shlex.quote(str(demo.folder))
    lines = [
        "A parser lost escaped delimiters. This is what a coding agent gets to see for the repair.",
        "",
        *chain_view.table(demo.chain, session),
        "",
        headline(facts),
        *budget_lines(facts),
        "",
        *ledger_lines(facts, color=session.color),
        "",
        *item_text(rows[position], f"ledger row {position + 1}").splitlines(),
        "",
        report.to_text().splitlines()[0],
        f"Package: {place}/package",
        "Try:",
        f"  assembler explain .env.production --run {place}/package",
        f"  assembler chain -C {place}/repository -t {TARGET}",
        f"  assembler verify {place}/package",
    ]
    write_out("\n".join(lines) + "\n")
    return EXIT_OK if report.holds else int(report.exit_code)
