"""A catalogue of models that takes the place of the agent's own (`model_catalog_json`).

In: its bytes. Out: the models, the one that is used unasked first. Never here: what a model is
told, costs or can do.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from assembler.model.agent_skills import KnownModel


def read_models(data: bytes) -> tuple[KnownModel, ...]:
    """The models by priority, hidden ones last; none if the bytes are no catalogue."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return ()
    models = document.get("models") if isinstance(document, dict) else None
    if not isinstance(models, list):
        return ()
    known = [model for model in models if isinstance(model, dict) and _text(model, "slug")]
    ordered = sorted(known, key=lambda model: (model.get("visibility") != "list", _rank(model)))
    return tuple(_read_model(model) for model in ordered)


def _read_model(model: Mapping[str, Any]) -> KnownModel:
    most = _count(model, "max_context_window")
    window = _count(model, "context_window") or most or 0
    return KnownModel(
        slug=_text(model, "slug"),
        window_tokens=window,
        # Without a bound of its own a setting may raise it to anything.
        most_window_tokens=most or 2**63 - 1,
        has_usage=model.get("include_skills_usage_instructions") is True,
    )


def _text(model: Mapping[str, Any], key: str) -> str:
    value = model.get(key)
    return value if isinstance(value, str) else ""


def _count(model: Mapping[str, Any], key: str) -> int | None:
    value = model.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _rank(model: Mapping[str, Any]) -> int:
    rank = _count(model, "priority")
    return 0 if rank is None else rank
