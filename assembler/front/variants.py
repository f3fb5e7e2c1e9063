"""Variants of a contract as a folder: inputs, requests, and what each of them changes."""

from __future__ import annotations

from typing import Any, Final

from assembler.bind.request import bind, require_carried
from assembler.errors import UsageError
from assembler.model.canonical import canonical_record
from assembler.model.counting import DECLARED
from assembler.model.digest import sha256_hex
from assembler.model.inventory import CONTRACT_LAYOUT
from assembler.ports import Counter
from assembler.record.package import Package
from assembler.render.variants import Variant, render_variants

VARIANTS_SCHEMA: Final = "assembler/variants/1"


def require_contract(layout: str) -> None:
    """Refuse variants of a layout that has one order only.

    Raises:
        UsageError: `variants-layout`.
    """
    if layout != CONTRACT_LAYOUT:
        raise UsageError(
            "variants-layout",
            f"variants are made of {CONTRACT_LAYOUT}, and this run is {layout}",
            where=layout,
            next_step=f"write `layout: {CONTRACT_LAYOUT}` in the profile or the inventory",
        )


def variant_files(package: Package, counter: Counter) -> dict[str, bytes]:
    """The files of the folder by name: `NAME.json`, `NAME.request.json` and `variants.json`.

    Args:
        package: of the layout `context-contract/1`.
        counter: of the run.
    """
    items = [placed.candidate for placed in package.rendering.items]
    files: dict[str, bytes] = {}
    entries = []
    for variant in render_variants(items, package.objects):
        body = _request(variant, package)
        name, request_name = f"{variant.name}.json", f"{variant.name}.request.json"
        files[name] = variant.rendering.data
        files[request_name] = body
        entries.append(
            {
                "name": variant.name,
                "factor": variant.factor,
                "fields": list(variant.fields),
                "input": _facts(name, variant.rendering.data),
                "request": _facts(request_name, body),
                **_count(variant, package, counter),
            }
        )
    files["variants.json"] = canonical_record(
        {
            "schema": VARIANTS_SCHEMA,
            "package_id": package.identities.package_id,
            "rendered_sha256": sha256_hex(package.rendering.data),
            "unit": package.inventory.budget.unit,
            "envelope": package.selection.budget.envelope,
            "variants": entries,
        }
    )
    return files


def _request(variant: Variant, package: Package) -> bytes:
    """The variant's own body, checked like that of the run."""
    inventory = package.inventory
    request = bind(
        variant.rendering,
        layout=inventory.layout,
        adapter=inventory.adapter,
        terms=inventory.budget,
        contents=package.objects,
    )
    require_carried(request, variant.rendering, adapter=inventory.adapter, contents=package.objects)
    return request.body


def _count(variant: Variant, package: Package, counter: Counter) -> dict[str, Any]:
    """What the whole variant counts; None where sizes are declared and nobody counts."""
    if package.inventory.budget.counter == DECLARED:
        return {"count": None, "fits": None}
    count = counter.count(variant.rendering.data)
    return {"count": count, "fits": count <= package.selection.budget.envelope}


def _facts(name: str, data: bytes) -> dict[str, Any]:
    return {"file": name, "bytes": len(data), "sha256": sha256_hex(data)}
