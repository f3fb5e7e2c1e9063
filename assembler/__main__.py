"""The entry point: the version at once, everything else through the command line.

A command is short, so that its start and its end are most of it: nothing is imported that it does
not need, and the process ends without taking apart what is not needed any more.
"""

from __future__ import annotations

import gc
import os
import sys


def start() -> None:
    """Run the command line as a process of its own, which ends with it."""
    # A command makes few cycles and ends soon: looking for them costs more than they hold.
    gc.set_threshold(50_000, 20, 20)
    try:
        main()
    except SystemExit as leaving:
        _end_process(leaving.code)
        raise


def main() -> None:
    """Run the command line and exit by its table of exit codes."""
    _leave_working_folder()
    if sys.argv[1:] == ["--version"]:
        # Answered before anything else is imported: hooks and scripts ask this often.
        from assembler import __version__

        sys.exit(_write(f"assembler {__version__}\n"))
    from assembler.cli.quick import run

    sys.exit(run(sys.argv[1:]))


def _end_process(code: object) -> None:
    """End at once: taking hundreds of modules apart one by one costs an eighth of a command.

    What was registered for the end is done before. Returns where only the interpreter's own end
    will do: a thread still works, a tracer or profiler looks on, or output can't be written.
    """
    threading = sys.modules.get("threading")
    is_watched = sys.gettrace() is not None or sys.getprofile() is not None or sys.flags.inspect
    if is_watched or not isinstance(code, int) or (threading and threading.active_count() > 1):
        return
    import atexit

    atexit._run_exitfuncs()
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except (OSError, ValueError):
        return
    os._exit(code)


def _write(line: str) -> int:
    """Write to stdout and say the exit code, without importing the table of codes."""
    try:
        os.write(1, line.encode("ascii"))
    except BrokenPipeError:
        return 141
    except OSError:
        return 2
    return 0


def _leave_working_folder() -> None:
    """Take the working folder off the path: `python -m` puts it first.

    A repository that lays a `click.py` there would run it. Where the package itself was found
    there, it stays.
    """
    home = __file__.rpartition("/assembler/")[0]
    if not sys.flags.safe_path and sys.path and sys.path[0] not in (home, home + "/"):
        try:
            here = os.getcwd()  # noqa: PTH109 - pathlib costs more than the rest of this file
        except OSError:
            here = ""
        if sys.path[0] in ("", here):
            del sys.path[0]


if __name__ == "__main__":
    start()
