"""The good packages and the good chain that the self-test changes.

Each is one JSON file beside this module, with the whole text of every file of the package.
`tools/regenerate_conformance.py` writes them from the vectors.
"""

from __future__ import annotations

import base64
import json
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "bases"
CHAIN = "chain"


def base_names() -> list[str]:
    """Names of all bases, the chain's among them."""
    return sorted(path.stem for path in FOLDER.glob("*.json"))


def package_base(name: str) -> dict[str, bytes]:
    """The files of a good package, by their path in the folder."""
    return {path: bytes_of(text) for path, text in _load(name)["files"].items()}


def chain_base() -> tuple[list[Any], dict[str, bytes]]:
    """The events of a good chain, and the bytes of its store by digest."""
    loaded = _load(CHAIN)
    events = json.loads(json.dumps(loaded["events"]))
    return events, {digest: bytes_of(text) for digest, text in loaded["payloads"].items()}


def head_of(name: str) -> str:
    """The head of a base, as somebody would have kept it elsewhere."""
    if name == CHAIN:
        return str(_load(CHAIN)["events"][-1]["event_sha256"])
    return str(json.loads(package_base(name)["head.json"])["head"])


def text_of(data: bytes) -> Any:
    """Bytes as a base file spells them: a string, or base64 where they are no UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def bytes_of(spelled: Any) -> bytes:
    """The bytes that `text_of` spelled."""
    if isinstance(spelled, str):
        return spelled.encode()
    return base64.b64decode(spelled["base64"])


@cache
def _load(name: str) -> Any:
    return json.loads((FOLDER / f"{name}.json").read_bytes())
