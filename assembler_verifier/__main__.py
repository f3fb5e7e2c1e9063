"""The command `assembler-verify DIR`, with `--store` for a record and `--self-test` for itself.

It reads one folder or one store, prints claims on stdout and exits 0 (holds), 1 (does not hold),
2 (usage, or nothing to check), 70 (a bug here) or 141 (the reader of the output went away).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if not __package__:
    # Run as a script, also in isolated mode, which leaves the script's own folder off the path.
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from assembler_verifier import run_self_test, verify_store
from assembler_verifier.folder import NoPackageError, NoStoreError
from assembler_verifier.report import TOOL_NAME, VERSION, Report, printable
from assembler_verifier.schema import HEX_DIGEST
from assembler_verifier.strict_json import JsonObject
from assembler_verifier.verify import verify_package

if TYPE_CHECKING:
    from assembler_verifier.self_test import SelfTestReport

EXIT_USAGE = 2
EXIT_BUG = 70
EXIT_CLOSED_PIPE = 141
_NO_HEAD = "a head is 64 lower-case hex digits"
ERROR_SCHEMA = "assembler/error/1"


def main(arguments: list[str] | None = None) -> int:
    """Run the command.

    Args:
        arguments: words after the command's name; those of the process if left out.

    Returns:
        The exit code.
    """
    parser = _parser()
    options = parser.parse_args(arguments)
    problem = _usage_problem(options)
    if problem:
        parser.error(problem)
    try:
        code, output = _run(options)
        if output:
            _print(output)
    except BrokenPipeError:
        return EXIT_CLOSED_PIPE
    except OSError:
        return EXIT_USAGE
    return code


def _usage_problem(options: argparse.Namespace) -> str:
    subjects = (options.directory, options.store, options.chain, options.head)
    if options.self_test:
        alone = all(subject is None for subject in subjects)
        return "" if alone else "--self-test takes no DIR, --store, --chain or --head"
    if options.chain is not None and options.store is None:
        return "--chain names a chain of a --store"
    if options.directory is None and options.store is None:
        return "name a package folder DIR, or a --store, or ask for the --self-test"
    return ""


def _run(options: argparse.Namespace) -> tuple[int, str]:
    try:
        report = _report(options)
    except NoPackageError as error:
        return EXIT_USAGE, _complain(options, error, EXIT_USAGE)
    except Exception as error:
        # Whatever a package provokes, its sender gets no traceback to work with.
        message = f"this is a bug of the verifier: {type(error).__name__}"
        return EXIT_BUG, _complain(options, NoPackageError("bug", message), EXIT_BUG)
    if options.format == "json":
        return report.exit_code, _one_line(report.to_json())
    return report.exit_code, report.to_text()


def _report(options: argparse.Namespace) -> Report | SelfTestReport:
    if options.self_test:
        return run_self_test()
    if options.directory is None:
        return verify_store(options.store, chain=options.chain, exported_head=options.head)
    return verify_package(
        options.directory, exported_head=options.head, store=options.store, chain=options.chain
    )


def _one_line(value: JsonObject) -> str:
    """An object as one line of ASCII JSON."""
    return json.dumps(value)


def _complain(options: argparse.Namespace, error: NoPackageError, exit_code: int) -> str:
    of_store = isinstance(error, NoStoreError) or options.directory is None
    where = str(options.store if of_store else options.directory)
    if options.format == "json":
        file = "name the store's SQLite file, and a chain that it holds"
        return _one_line(
            {
                "schema": ERROR_SCHEMA,
                "code": error.code,
                "message": error.message,
                "where": where,
                "next": file if of_store else "name a folder that holds manifest.json",
                "exit_code": exit_code,
            }
        )
    sys.stderr.write(f"error: {printable(where)}: {error.message}\n")
    return ""


def _print(output: str) -> None:
    """Write past Python's buffer: what fails must fail here, not in a flush at the exit."""
    data = f"{output}\n".encode("ascii")
    while data:
        data = data[os.write(1, data) :]


def _digest(text: str) -> str:
    if HEX_DIGEST.fullmatch(text) is None:
        raise argparse.ArgumentTypeError(_NO_HEAD)
    return text


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=TOOL_NAME,
        description="Verify a package from its files alone, or a producer's store.",
        epilog="Exit codes: 0 holds, 1 does not hold, 2 usage or nothing to check.",
    )
    add = parser.add_argument
    add("directory", metavar="DIR", type=Path, nargs="?", help="the package folder")
    add("--store", metavar="FILE", type=Path, help="the producer's record, assembler.sqlite3")
    add("--chain", metavar="KEY", help="the one chain of the store to look at")
    add("--head", metavar="HEX", type=_digest, help="a head kept elsewhere")
    add("--self-test", action="store_true", help="test this verifier with spoilt packages")
    add("--format", choices=("text", "json"), default="text")
    add("--version", action="version", version=f"{TOOL_NAME} {VERSION}")
    return parser


if __name__ == "__main__":
    sys.exit(main())
