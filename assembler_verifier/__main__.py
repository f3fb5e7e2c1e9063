"""The command `assembler-verify DIR`.

It reads one folder, prints claims on stdout and exits 0 (holds), 1 (does not hold),
2 (usage, or nothing to check), 70 (a bug here) or 141 (the reader of the output went away).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

if not __package__:
    # Run as a script, also in isolated mode, which leaves the script's own folder off the path.
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from assembler_verifier.folder import NoPackageError
from assembler_verifier.report import TOOL_NAME, VERSION, printable
from assembler_verifier.schema import HEX_DIGEST
from assembler_verifier.strict_json import JsonObject
from assembler_verifier.verify import verify_package

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
    options = _parser().parse_args(arguments)
    try:
        code, output = _run(options)
        if output:
            _print(output)
    except BrokenPipeError:
        return EXIT_CLOSED_PIPE
    except OSError:
        return EXIT_USAGE
    return code


def _run(options: argparse.Namespace) -> tuple[int, str]:
    try:
        report = verify_package(options.directory, exported_head=options.head)
    except NoPackageError as error:
        return EXIT_USAGE, _complain(options, error.code, error.message, EXIT_USAGE)
    except Exception as error:
        # Whatever a package provokes, its sender gets no traceback to work with.
        message = f"this is a bug of the verifier: {type(error).__name__}"
        return EXIT_BUG, _complain(options, "bug", message, EXIT_BUG)
    if options.format == "json":
        return report.exit_code, _one_line(report.to_json())
    return report.exit_code, report.to_text()


def _one_line(value: JsonObject) -> str:
    """An object as one line of ASCII JSON."""
    return json.dumps(value)


def _complain(options: argparse.Namespace, code: str, message: str, exit_code: int) -> str:
    where = str(options.directory)
    if options.format == "json":
        return _one_line(
            {
                "schema": ERROR_SCHEMA,
                "code": code,
                "message": message,
                "where": where,
                "next": "name a folder that holds manifest.json",
                "exit_code": exit_code,
            }
        )
    sys.stderr.write(f"error: {printable(where)}: {message}\n")
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
        description="Verify a package from its files alone.",
        epilog="Exit codes: 0 holds, 1 does not hold, 2 usage or nothing to check.",
    )
    parser.add_argument("directory", metavar="DIR", type=Path, help="the package folder")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument("--head", metavar="HEX", type=_digest, help="a head kept elsewhere")
    parser.add_argument("--version", action="version", version=f"{TOOL_NAME} {VERSION}")
    return parser


if __name__ == "__main__":
    sys.exit(main())
