"""Conformance cases: every kind and every base as files that any verifier can be tested with."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from assembler_verifier.self_test.bases import base_names, head_of
from assembler_verifier.self_test.kind import Kind
from assembler_verifier.self_test.subject import (
    ChainSubject,
    PackageSubject,
    corrupted_subject,
    good_subject,
)
from assembler_verifier.self_test.table import KINDS
from assembler_verifier.strict_json import JsonObject

_GOOD = "good-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One directory: what stands in it, and what a verifier has to find."""

    name: str
    base: str
    what: str
    why: str
    failed: tuple[str, ...]
    because: str
    exported_head: str | None
    files: Mapping[str, bytes]

    def expected(self) -> JsonObject:
        """The content of `expect.json`."""
        expected: JsonObject = {"failed": [*sorted(self.failed)]}
        if self.exported_head is not None:
            expected["exported_head"] = self.exported_head
        return expected

    def readme(self) -> str:
        """The content of `README.md`."""
        checks = " and ".join(f"`{check}`" for check in sorted(self.failed)) or "none"
        lines = [f"# {self.name}", "", self.what, self.why, "", f"- base: `{self.base}`"]
        lines.append(f"- must fail: {checks}")
        if self.because:
            lines.append(f"- why more than one check: {self.because}")
        if self.exported_head is not None:
            lines.append("- verify it with the head of `expect.json` as the one kept elsewhere")
        return "\n".join(lines) + "\n"


def cases() -> Iterator[Case]:
    """Every base as a good case, then every kind of the table."""
    for name in base_names():
        yield Case(
            name=f"{_GOOD}{name}",
            base=name,
            what="Nothing is changed.",
            why="A verifier that finds a fault here would find one anywhere.",
            failed=(),
            because="",
            exported_head=head_of(name),
            files=_files(good_subject(name)),
        )
    for kind in KINDS:
        yield _corrupted(kind)


def _corrupted(kind: Kind) -> Case:
    return Case(
        name=kind.name,
        base=kind.base,
        what=kind.what,
        why=kind.why,
        failed=kind.fails,
        because=kind.because,
        exported_head=head_of(kind.base) if kind.exported else None,
        files=_files(corrupted_subject(kind)),
    )


def _files(subject: PackageSubject | ChainSubject) -> dict[str, bytes]:
    if isinstance(subject, PackageSubject):
        return {f"package/{path}": data for path, data in subject.files.items()}
    lines = "".join(json.dumps(event, sort_keys=True) + "\n" for event in subject.events)
    stored = {f"payloads/{digest}": data for digest, data in subject.payloads.items()}
    return {"events.jsonl": lines.encode(), **stored}
