"""Histories of runs: turns, pairs and summaries."""

from __future__ import annotations

import json

from tests.builders.finding_cases.case import Case
from tests.builders.transcripts import (
    assistant,
    call,
    chat,
    result,
    trace_bytes,
    user,
    worked_example,
)

RUN = worked_example().decode()
CHECK = ("transcript", "check", "run.jsonl", "--ceiling", "16000")
SAID = trace_bytes(
    user(), call("A"), result("A", "The limit is 600 yuan."), assistant(), assistant()
).decode()
COMPACT = ("transcript", "compact", "run.jsonl", "--cut", "4", "--summary", "summary.md")

TRANSCRIPT_CASES: dict[str, Case] = {
    "ASM502": Case(
        {},
        {},
        (*CHECK, "--calls", "3"),
        (*CHECK, "--calls", "2"),
        base={"run.jsonl": RUN},
        run=None,
    ),
    "ASM503": Case(
        {"m.json": json.dumps(chat(["u", "rB", "a"]))},
        {"m.json": json.dumps(chat(["u", "aB", "rB", "a"]))},
        ("transcript", "check", "m.json"),
        run=None,
    ),
    "ASM504": Case(
        {"summary.md": "The limit is 601 yuan."},
        {"summary.md": "The limit is 600 yuan."},
        COMPACT,
        base={"run.jsonl": SAID},
        run=None,
    ),
}
