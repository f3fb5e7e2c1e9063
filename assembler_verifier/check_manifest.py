"""Checks on the manifest and the rendered file.

Checks: budget, counter, package-id, trace-id, content-id, rendered-hash, rendered-bytes, count,
sections.
"""

from __future__ import annotations

import re

from assembler_verifier.counting import counter_of
from assembler_verifier.envelope import Rendering
from assembler_verifier.folder import INVENTORY, MANIFEST, REQUEST
from assembler_verifier.identities import sha256
from assembler_verifier.package import Package
from assembler_verifier.report import OTHER_RENDERING, Claims, printable, short_id
from assembler_verifier.rerun import Outcome, uses_vocabulary
from assembler_verifier.schema import HEX_DIGEST
from assembler_verifier.strict_json import JsonObject, JsonValue, same

_LIBRARY = re.compile(r"[A-Za-z0-9._-]{1,128}==[A-Za-z0-9.!+_-]{1,128}")
_CHUNK_BYTES = 4_096


def check_manifest(claims: Claims, package: Package, outcome: Outcome) -> None:
    """Run every check of this module."""
    _check_figures(claims, package, outcome)
    _check_counter(claims, package)
    _check_file(claims, package, "rendered-hash", "rendered", package.rendered_name)
    _check_file(claims, package, "request-hash", "request", REQUEST)
    _check_rendered(claims, package, outcome)
    _check_count(claims, package)
    _check_sections(claims, package, outcome)


def _check_figures(claims: Claims, package: Package, outcome: Outcome) -> None:
    manifest, derived = package.manifest, outcome.derived
    names = ("budget", "package-id", "trace-id", "content-id")
    if manifest is None or derived is None:
        for name in names:
            claims.unchecked(name, package.why_not(MANIFEST) or outcome.why)
        return
    given = manifest.get("budget")
    members = given if isinstance(given, dict) else {}
    expected = derived.selection.budget
    wrong = [
        f"{name} is {value}" if isinstance(value, int) else f"{name} differs"
        for name, value in expected.items()
        if name not in members or not same(members[name], value)
    ]
    claims.judge("budget", wrong)
    for name in names[1:]:
        member = name.replace("-", "_")
        identity = str(getattr(derived, member))
        problems = [] if manifest.get(member) == identity else [f"it is {short_id(identity)}..."]
        claims.judge(name, problems)


def _check_counter(claims: Claims, package: Package) -> None:
    inventory, manifest = package.inventory, package.manifest
    if inventory is None or manifest is None:
        claims.unchecked("counter", package.why_not(INVENTORY, MANIFEST))
        return
    given = manifest.get("counter")
    members: JsonObject = given if isinstance(given, dict) else {}
    if not uses_vocabulary(inventory):
        expected: JsonObject = {"vocabulary_sha256": None, "library": None}
        expected["name"] = inventory.counter
        fits = same(expected, {name: members.get(name, "") for name in expected})
        claims.judge("counter", [] if fits else [f"it is {inventory.counter}, without vocabulary"])
        return
    vocabulary, library = members.get("vocabulary_sha256"), members.get("library")
    fits = members.get("name") == inventory.counter
    fits = fits and isinstance(vocabulary, str) and HEX_DIGEST.fullmatch(vocabulary) is not None
    fits = fits and isinstance(library, str) and _LIBRARY.fullmatch(library) is not None
    if fits:
        why = f"ranks and library of {printable(inventory.counter)} are not at hand"
        claims.unchecked("counter", why)
    else:
        claims.failed("counter", "name, vocabulary_sha256 or library is none")


def _check_file(claims: Claims, package: Package, check: str, member: str, name: str) -> None:
    data = package.folder.files.get(name)
    if data is None or package.manifest is None:
        claims.unchecked(check, package.why_not(MANIFEST, name))
        return
    expected: JsonObject = {"file": name, "bytes": len(data), "sha256": sha256(data)}
    given = package.manifest.get(member)
    members: JsonObject = given if isinstance(given, dict) else {}
    wrong = [
        f"{member}.{part} is not that of {name}"
        for part, value in expected.items()
        if not same(members.get(part), value)
    ]
    claims.judge(check, wrong)


def _check_rendered(claims: Claims, package: Package, outcome: Outcome) -> None:
    data, rendering = package.rendered, outcome.rendering
    if data is None or rendering is None:
        claims.unchecked("rendered-bytes", package.why_not(package.rendered_name) or outcome.why)
    elif data == rendering.data:
        claims.passed("rendered-bytes")
    else:
        place = _first_difference(data, rendering.data)
        claims.failed("rendered-bytes", f"{package.rendered_name} {_describe(rendering, place)}")


def _first_difference(one: bytes, other: bytes) -> int:
    start = 0
    while one[start : start + _CHUNK_BYTES] == other[start : start + _CHUNK_BYTES]:
        start += _CHUNK_BYTES
    pairs = zip(one[start : start + _CHUNK_BYTES], other[start:], strict=False)
    same_bytes = next((index for index, (a, b) in enumerate(pairs) if a != b), None)
    return min(len(one), len(other)) if same_bytes is None else start + same_bytes


def _describe(rendering: Rendering, place: int) -> str:
    for name, span in rendering.spans.items():
        if span.start <= place < span.end:
            where = f"bytes {span.start}..{span.end} should be item {printable(name)}"
            return f"{where}; the first other byte is {place}"
    return f"first differs at byte {place}, outside every item"


def _check_count(claims: Claims, package: Package) -> None:
    inventory, data = package.inventory, package.rendered
    if inventory is None or data is None or package.manifest is None:
        claims.unchecked("count", package.why_not(INVENTORY, MANIFEST, package.rendered_name))
        return
    if inventory.counter == "declared":
        claims.unchecked("count", "sizes are declared; nobody counted the text")
        return
    count = counter_of(inventory.counter)
    if count is None:
        claims.unchecked("count", f"{printable(inventory.counter)} is not at hand")
        return
    budget = package.manifest.get("budget")
    total: JsonValue = budget.get("total") if isinstance(budget, dict) else None
    try:
        counted = count(data)
    except UnicodeDecodeError:
        claims.failed("count", f"{package.rendered_name} is not UTF-8")
        return
    problems = [] if same(total, counted) else [f"the rendering counts {counted} {inventory.unit}"]
    claims.judge("count", problems)


def _check_sections(claims: Claims, package: Package, outcome: Outcome) -> None:
    if package.manifest is None or outcome.rendering is None:
        claims.unchecked("sections", package.why_not(MANIFEST) or outcome.why)
        return
    if claims.has_failed("rendered-bytes"):
        claims.unchecked("sections", OTHER_RENDERING)
        return
    expected: list[JsonValue] = [
        {"section": section.name, "start": section.start, "end": section.end}
        for section in outcome.rendering.sections
    ]
    given = package.manifest.get("sections")
    if same(given, expected):
        claims.passed("sections")
        return
    listed = given if isinstance(given, list) else []
    pairs = zip(outcome.rendering.sections, [*listed, *expected], strict=False)
    wrong = [
        f"{section.name} stands at bytes {section.start}..{section.end}"
        for (section, value), right in zip(pairs, expected, strict=False)
        if not same(value, right)
    ]
    claims.judge("sections", wrong or ["the list has another length"])
