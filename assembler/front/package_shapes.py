"""Whether a folder's manifest and rows have the members of a package, each of its type.

What is shown of a package that somebody else made is taken as it is, and must be what a reader can
spell. Whether any of it is true is asked by `verify`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import NoneType
from typing import Any, Final

from assembler.render.contract import CONTRACT_FILE_NAME
from assembler.render.input_text import FILE_NAME

RENDERED_FILES: Final = frozenset({FILE_NAME, CONTRACT_FILE_NAME})
_Types = tuple[type, ...]
_TEXT: Final = (str,)
_TEXT_OR_NONE: Final = (str, NoneType)
_COUNT: Final = (int,)
_COUNT_OR_NONE: Final = (int, NoneType)
_FILE: Final = {"file": _TEXT, "bytes": _COUNT, "sha256": _TEXT}
_MANIFEST: Final[Mapping[str, _Types]] = {
    **dict.fromkeys(("package_id", "trace_id", "content_id", "ledger_sha256"), _TEXT),
    **dict.fromkeys(("rendered", "request", "budget", "counter"), (dict,)),
    "sections": (list,),
}
_SUMS: Final = ("window", "envelope", "overhead", "limit", "used", "slack", "total")
_BUDGET: Final[Mapping[str, _Types]] = {
    **dict.fromkeys(("unit", "counter"), _TEXT),
    **dict.fromkeys(_SUMS, _COUNT),
    **dict.fromkeys(("reserves", "resident"), (dict,)),
}
_PLACE: Final = {"section": _TEXT, "start": _COUNT, "end": _COUNT}
_LISTS: Final = ("replaces", "conflicts_with", "lineage")
_ROW: Final[Mapping[str, _Types]] = {
    **dict.fromkeys(
        ("id", "kind", "section", "trust", "access", "decision", "reason"),
        _TEXT,
    ),
    **dict.fromkeys(
        (
            "source", "scope", "revision", "version", "discovered_by", "refreshed_by", "decides",
            "content_sha256",
        ),
        _TEXT_OR_NONE,
    ),
    **dict.fromkeys(("content_bytes", "cost"), _COUNT_OR_NONE),
    **dict.fromkeys(("span", "bound", "size"), (dict, NoneType)),
    **dict.fromkeys(("detail", "states"), (dict,)),
    **dict.fromkeys(_LISTS, (list,)),
    "required": (bool,),
}  # fmt: skip
_STATES: Final = dict.fromkeys(("available", "eligible", "selected", "rendered", "bound"), (bool,))
_SPAN: Final = dict.fromkeys(("start", "end", "body_start", "body_end"), _COUNT)
_BOUND: Final = {"pointer": _TEXT, "start": _COUNT_OR_NONE, "end": _COUNT_OR_NONE}
_SIZE: Final = {"value": _COUNT, "basis": _TEXT}
_DETAILS: Final[Mapping[str, Mapping[str, _Types]]] = {
    "access-denied": {"rule": _TEXT_OR_NONE},
    "turned-away": {"code": _TEXT, "where": _TEXT_OR_NONE},
    "stale": {"source": _TEXT},
    "freshness-unknown": {"source": _TEXT},
    "budget-exceeded": dict.fromkeys(("used_before", "cost", "would_be", "limit"), _COUNT),
    "fits": dict.fromkeys(("used_after", "limit"), _COUNT),
    "already-resident": {"as": _TEXT},
    "duplicate-content": {"as": _TEXT},
    "sealed-id": {"list": _TEXT, "id": _TEXT},
    "sealed-lineage": {"list": _TEXT, "lineage": (list,)},
}
"""The members that are spelled out of the detail that belongs to a reason."""


def has_package_shape(manifest: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether everything that is shown of a package is there and of its type.

    Args:
        manifest: an object.
        rows: of the ledger, objects.
    """
    if not _fits(manifest, _MANIFEST):
        return False
    budget = manifest["budget"]
    return (
        all(_fits(manifest[name], _FILE) for name in ("rendered", "request"))
        and manifest["rendered"]["file"] in RENDERED_FILES
        and _fits(budget, _BUDGET)
        and all(_are(budget[name].values(), _COUNT) for name in ("reserves", "resident"))
        and _fits(manifest["counter"], {"name": _TEXT})
        and all(type(place) is dict and _fits(place, _PLACE) for place in manifest["sections"])
        and all(map(_is_row, rows))
        and len({row["id"] for row in rows}) == len(rows)
    )


def _is_row(row: Mapping[str, Any]) -> bool:
    if not _fits(row, _ROW):
        return False
    detail = row["detail"]
    return (
        _fits(row["states"], _STATES)
        and all(_are(row[name], _TEXT) for name in _LISTS)
        and all(
            row[name] is None or _fits(row[name], members)
            for name, members in (("span", _SPAN), ("bound", _BOUND), ("size", _SIZE))
        )
        and _fits(detail, _DETAILS.get(row["reason"], {}))
        and all(_are(value, _TEXT) for value in detail.values() if type(value) is list)
    )


def _fits(value: Mapping[str, Any], members: Mapping[str, _Types]) -> bool:
    """Whether each member is there and of its type; true and false are no numbers here."""
    return all(name in value and type(value[name]) in types for name, types in members.items())


def _are(values: Any, types: _Types) -> bool:
    return all(type(value) in types for value in values)
