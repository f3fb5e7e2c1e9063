"""A process of its own that takes source files apart: what crashes a parser crashes this alone.

A question is one line of JSON, `[language, size in bytes]`, and the bytes of a file; the answer
is one line of JSON. The process ends with its standard input.
"""

from __future__ import annotations

import json
import resource
import sys
from typing import Final

from assembler.adapters.symbol_parser import parse_source

MAX_MEMORY_BYTES: Final = 1 << 30
"""Two megabytes of real code take a fifth of it; some kilobytes of hostile text take any amount."""
MAX_PROCESSOR_SECONDS: Final = 60
"""For all files of one run that end in one process; what is over it is started again."""


def main() -> None:
    """Answer until the input ends."""
    _limit(resource.RLIMIT_AS, MAX_MEMORY_BYTES)
    _limit(resource.RLIMIT_CPU, MAX_PROCESSOR_SECONDS)
    _limit(resource.RLIMIT_CORE, 0)
    questions, answers = sys.stdin.buffer, sys.stdout.buffer
    for line in iter(questions.readline, b""):
        language, size_bytes = json.loads(line)
        found = parse_source(language, questions.read(size_bytes))
        answers.write(json.dumps(found).encode("ascii") + b"\n")
        answers.flush()


def _limit(kind: int, value: int) -> None:
    """Lower a limit; a system without it has none."""
    hard = resource.getrlimit(kind)[1]
    most = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (most, most))
