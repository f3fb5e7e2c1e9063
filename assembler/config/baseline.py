"""`assembler/baseline/1`: the findings that a repository had when it began to be checked.

In: the bytes of a baseline. Out: its entries. Rules: docs/formats/baseline.md.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from assembler.config.decoding import config_error, decode
from assembler.config.records import Meta, Struct, msgspec
from assembler.config.strict_file import ReadDocument, read_strict_file

SCHEMA: Final = "assembler/baseline/1"
REPAIR: Final = "restore the file, or remove it and write it again: --write-baseline"


class KnownFinding(Struct, frozen=True, forbid_unknown_fields=True):
    """Findings that are one by code, file and identity."""

    code: Annotated[str, Meta(pattern=r"^ASM[0-9]{3}$")]
    """The code."""
    path: Annotated[str, Meta(min_length=1)] | None
    """The file, root-relative; null: none is meant."""
    identity: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$")]
    """Digest of what is said, without lines and sizes."""
    count: Annotated[int, Meta(ge=1, le=10**6)] = 1
    """How many there are."""


class Baseline(Struct, frozen=True, forbid_unknown_fields=True, rename={"schema_": "schema"}):
    """Findings that are known."""

    schema_: Literal["assembler/baseline/1"]
    findings: list[KnownFinding]
    """One a code, path and identity."""


def read_baseline(data: bytes, *, path: str, read_document: ReadDocument) -> Baseline:
    """The baseline of some bytes.

    Args:
        data: the bytes of the file.
        path: how messages name it.
        read_document: reads a document with the places of its parts; asked for a mistake alone.

    Raises:
        ConfigError: with `PATH:LINE:COLUMN`: it is no strict JSON, does not say what a baseline
            says, or says one thing twice.
    """
    value = read_strict_file(data, path=path, next_step=REPAIR)
    try:
        baseline = msgspec.convert(value, Baseline, strict=True)
    except msgspec.ValidationError:
        decode(read_document(data, path), Baseline, path=path, schema=SCHEMA)
        raise  # what the one refuses the other does
    _refuse_twice(baseline, data, path, read_document)
    return baseline


def _refuse_twice(baseline: Baseline, data: bytes, path: str, read_document: ReadDocument) -> None:
    seen: dict[tuple[str, str | None, str], int] = {}
    for index, entry in enumerate(baseline.findings):
        first = seen.setdefault((entry.code, entry.path, entry.identity), index)
        if first != index:
            document = read_document(data, path)
            line = document.position(("findings", first))[0]
            problem = f"says {entry.code} of {entry.path} again, after line {line}"
            at = ("findings", index)
            raise config_error(document, path, at, problem, next_step=REPAIR)
