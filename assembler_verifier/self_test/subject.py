"""What is verified in a self-test: a package or a chain, from bytes at hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from assembler_verifier.chain import verify_chain
from assembler_verifier.folder import folder_of
from assembler_verifier.report import Report
from assembler_verifier.self_test.bases import CHAIN, chain_base, package_base
from assembler_verifier.self_test.chain_draft import ChainDraft
from assembler_verifier.self_test.draft import Draft
from assembler_verifier.self_test.kind import ChainChange, Change, Kind
from assembler_verifier.verify import verify_folder


@dataclass(frozen=True, slots=True)
class PackageSubject:
    """The files of a package."""

    files: Mapping[str, bytes]

    def verify(self, exported_head: str | None) -> Report:
        """Verify them as if they were read from a folder."""
        return verify_folder(folder_of(self.files), exported_head=exported_head)


@dataclass(frozen=True, slots=True)
class ChainSubject:
    """The events of a chain, and its store."""

    events: Sequence[Any]
    payloads: Mapping[str, bytes]

    def verify(self, exported_head: str | None) -> Report:
        """Verify the chain."""
        return verify_chain(self.events, self.payloads, exported_head=exported_head)


def good_subject(base: str) -> PackageSubject | ChainSubject:
    """A base as it is."""
    if base == CHAIN:
        return ChainSubject(*chain_base())
    return PackageSubject(package_base(base))


def corrupted_subject(kind: Kind) -> PackageSubject | ChainSubject:
    """A base with a kind of corruption in it."""
    if kind.base == CHAIN:
        chain = ChainDraft(*chain_base())
        cast("ChainChange", kind.change)(chain)
        return ChainSubject(chain.events, chain.payloads)
    draft = Draft(package_base(kind.base))
    cast("Change", kind.change)(draft)
    return PackageSubject(draft.files)
