"""Findings for secrets in instruction files; RE2 is loaded where there may be one."""

from __future__ import annotations

from collections.abc import Mapping

from assembler.model.finding import Finding, make_finding
from assembler.model.secret_rules import may_hold_secret


def find_in_instructions(texts: Mapping[str, bytes]) -> tuple[Finding, ...]:
    """A finding for each file that holds what has the form of a secret, at its first line.

    Args:
        texts: what is loaded of each file, by path.
    """
    suspects = [path for path in sorted(texts) if may_hold_secret(texts[path])]
    if not suspects:
        return ()
    from assembler.adapters.secret_scan import scan_secrets

    found = ((path, scan_secrets(texts[path])) for path in suspects)
    return tuple(
        make_finding(
            "ASM602",
            path,
            f"has the form of a secret ({hits[0].rule})"
            + (f", and {len(hits) - 1:,} more" if len(hits) > 1 else ""),
            line=hits[0].line,
            fix="remove it, and rotate the secret",
            data={"rules": sorted({hit.rule for hit in hits}), "lines": [hit.line for hit in hits]},
        )
        for path, hits in found
        if hits
    )
