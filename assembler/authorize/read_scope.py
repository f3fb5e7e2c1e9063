"""Which evidence may be read: decided on names alone, deny first, before anything is opened.

In: paths, and the grants of host and profile. Out: `Authorized` or `Denied`.
Deny wins over allow, the host's word over the profile's, and a link is judged by its own name
and by where it leads. Rules: docs/formats/read-grant.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from assembler.model.tree import Authorized, Denied, Entry
from assembler.ports import PatternSet


class GrantLayer(NamedTuple):
    """One party's word: the host's or the profile's."""

    name: str
    deny: PatternSet
    allow: PatternSet


class ReadScope(NamedTuple):
    """The grants that apply together; a path must pass every layer."""

    layers: tuple[GrantLayer, ...]

    def deny_rule(self, path: str) -> str | None:
        """The rule that keeps a path closed, or None where it may be read.

        Denies are asked in every layer before any allow: who grants more can't lift a deny.
        """
        # A case-insensitive file system opens `.ENV` as `.env`.
        lower = path.lower()
        for layer in self.layers:
            for spelling in (path,) if lower == path else (path, lower):
                pattern = layer.deny.match(spelling)
                if pattern is not None:
                    return f"{layer.name}-deny:{pattern}"
        for layer in self.layers:
            if layer.allow.match(path) is None:
                return f"not-in:{layer.name}-allow"
        return None

    def denies_none(self, paths: Iterable[str]) -> bool:
        """Whether it is certain at one look that no deny rule holds for any of the paths."""
        text = "\n".join(paths)
        spellings = dict.fromkeys((text, text.lower()))
        return not any(
            layer.deny.may_match(spelling) for layer in self.layers for spelling in spellings
        )

    def may_deny_rule(self, path: str) -> str | None:
        """The deny rule that holds for a path whatever it is read for, allows left aside."""
        rule = self.deny_rule(path)
        return rule if rule is not None and "-deny:" in rule else None


def authorize_evidence(entry: Entry, scope: ReadScope) -> Authorized | Denied:
    """Permission to read one path as evidence."""
    for path in _paths_of(entry):
        rule = scope.deny_rule(path)
        if rule is not None:
            return Denied(entry.path, rule)
    return Authorized(entry=entry, grant="read-grant")


def authorize_policy(entry: Entry, scope: ReadScope, role: str) -> Authorized | Denied:
    """Permission to read one path as policy, a skill or configuration.

    These have roots of their own, so an allow list says nothing of them; a deny governs all.
    """
    for path in _paths_of(entry):
        rule = scope.may_deny_rule(path)
        if rule is not None:
            return Denied(entry.path, rule)
    return Authorized(entry=entry, grant=role)


def authorize_policies(
    entries: Sequence[Entry], scope: ReadScope, role: str
) -> tuple[list[Authorized], list[Denied]]:
    """The same for many: almost always no rule holds for any, which is told at one look."""
    if scope.denies_none(path for entry in entries for path in _paths_of(entry)):
        return [Authorized(entry, role) for entry in entries], []
    judged = [authorize_policy(entry, scope, role) for entry in entries]
    return (
        [one for one in judged if isinstance(one, Authorized)],
        [one for one in judged if isinstance(one, Denied)],
    )


def _paths_of(entry: Entry) -> tuple[str, ...]:
    """Its own name, and where its links lead if that is another one."""
    if entry.real_path is None or entry.real_path == entry.path:
        return (entry.path,)
    return (entry.path, entry.real_path)
