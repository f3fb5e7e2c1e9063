"""Strategies for whole inventories: every form of content, every fact, every layout and counter."""

from __future__ import annotations

import base64
import json
from typing import Any, NamedTuple

from hypothesis import strategies as st

from assembler.model.canonical import canonical_bytes
from assembler.model.digest import sha256_hex

TEXT, CONTRACT, CONTROL = "assembler-input/1", "context-contract/1", "control/1"
LAYOUTS = (TEXT, CONTRACT, CONTROL)
ADAPTERS = ("text", "openai-responses", "openai-chat", "anthropic-messages")
COUNTERS = {
    "declared": "token", "o200k_base": "token", "cl100k_base": "token",
    "code-points": "code-point", "utf8-bytes": "byte",
}  # fmt: skip
DATES = ("2025-12-31", "2026-01-01", "2026-09-14")
TIMES = tuple(f"{date}T00:00:00Z" for date in DATES)
TOPICS = ("parser", "travel", "旅行")
DIGESTS = ("1" * 64, "2" * 64)
LINEAGE = ("call-1", "call-2")

# The formats' own syntax, in a few pieces, finds more than random text does.
PIECES = (
    "[[", "[[end]]\n", "[[end 00000000]]\n", "> ", "\n", "\r", "\r\n", "\u2028", "\x85", "\x0b",
    "\\", "\x00", '"', '","instruction":"', "a", " ", "é", "😀", "[[5 current work record]]\n",
    "]}",
)  # fmt: skip
texts = st.lists(st.sampled_from(PIECES), max_size=5).map("".join)
FILE = b"one\ntwo\r\nthree \xff\n[[end]]\nlast"


class Case(NamedTuple):
    """An inventory as a host gives it, and what stands behind its names."""

    value: dict[str, Any]
    repository: dict[str | None, Any]
    objects: dict[str, bytes]


def repository() -> dict[str | None, Any]:
    file = {"base64": base64.b64encode(FILE).decode()}
    return {None: {"a.txt": file}, "r42": {"a.txt": file, "b.txt": {"text": "[[ at r42"}}}


OBJECTS = {sha256_hex(data): data for data in (b"kept beside", b"\x00\xfe", b"[[end]]\n")}


@st.composite
def contents(draw: st.DrawFn) -> dict[str, Any]:
    """Any form of content that a host may give."""
    form = draw(st.sampled_from(("text",) * 5 + ("base64", "path", "digest", "unknown", "absent")))
    match form:
        case "text":
            return {"text": draw(texts)}
        case "base64":
            data = draw(st.binary(max_size=8))
            return {"base64": base64.b64encode(data).decode()}
        case "path":
            lines = draw(st.sampled_from([None, [1, 2], [2, 5], [5, 6]]))
            return {"path": draw(st.sampled_from(["a.txt", "b.txt", "gone"])), "lines": lines}
        case "digest":
            digest = draw(st.sampled_from(sorted(OBJECTS)))
            return {"sha256": digest, "bytes": len(OBJECTS[digest])}
        case "unknown":
            return {"sha256": "0" * 64, "bytes": 3}
        case _:
            return draw(
                st.sampled_from(
                    [
                        {"absent": "denied", "rule": ".env*"},
                        {"absent": "denied", "rule": "**/*.pem"},
                        {"absent": "turned-away", "code": "size-limit", "where": "a place"},
                        {"absent": "path-not-utf8"},
                        {"absent": "unread"},
                        {"absent": "unreadable"},
                    ]
                )
            )


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(-2, 2) | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)


@st.composite
def tools(draw: st.DrawFn, number: int) -> dict[str, Any]:
    """A tool that every request can hold."""
    definition: dict[str, Any] = {
        "name": f"tool_{number}",
        "inputSchema": draw(
            st.just({"type": "object"})
            | st.dictionaries(texts, json_values, max_size=2)
            | json_values.map(lambda inner: {"type": "object", "properties": {"a": inner}})
        ),
    }
    if draw(st.booleans()):
        definition["description"] = draw(texts)
    return {
        "kind": draw(st.sampled_from(["tool", "mcp-tool"])),
        "section": "tools",
        "trust": "authorized",
        "content": {"text": canonical_bytes(definition).decode()},
    }


def _sometimes(draw: st.DrawFn, values: st.SearchStrategy[Any], one_in: int) -> Any:
    return draw(values) if draw(st.integers(1, one_in)) == one_in else None


@st.composite
def facts(draw: st.DrawFn, number: int) -> dict[str, Any]:
    """Facts that can reject a candidate; each is rare, or little would ever be selected."""
    dates = st.sampled_from(DATES)
    found: dict[str, Any] = {
        "valid_from": _sometimes(draw, dates, 4),
        "valid_to": _sometimes(draw, dates, 6),
        "expires_at": _sometimes(draw, st.sampled_from(TIMES), 6),
        "decision_value": _sometimes(draw, st.integers(0, 3), 3),
        "lineage": draw(st.lists(st.sampled_from((*LINEAGE, "other")), max_size=2)),
        "topics": draw(st.lists(st.sampled_from(TOPICS), max_size=2)),
        "conflicts_with": draw(st.lists(st.sampled_from(["c0", "c1", "elsewhere"]), max_size=2)),
        "source": _sometimes(draw, texts.filter(bool), 3),
        "revision": _sometimes(draw, st.sampled_from(["r42", "a" * 40, "[[r]]"]), 3),
    }
    if draw(st.integers(1, 5)) == 5:
        current = draw(st.sampled_from((None, *DIGESTS)))
        found["freshness"] = [{"source": "s", "seen": DIGESTS[0], "current": current}]
    return found


@st.composite
def candidates(draw: st.DrawFn, number: int, layout: str) -> dict[str, Any]:
    """A candidate of any section."""
    sections = ["evidence"] * 4 + ["policy", "task", "tools", "work"]
    if layout == CONTROL:
        sections += ["policy", "task"] * 4
    if layout == CONTRACT:
        sections += ["task"] * 2
    section = draw(st.sampled_from(sections))
    common = {"id": f"c{number}", "size": _size(draw), **draw(facts(number))}
    if section == "tools" and draw(st.integers(1, 4)) > 1:
        return {**common, **draw(tools(number))}
    kinds = {"task": ["example", "question", "task"], "policy": ["instruction"]}
    kind = draw(st.sampled_from(kinds.get(section, ["source", "issue", "skill-entry"])))
    trust = "authorized"
    if section != "policy":
        trust = draw(st.sampled_from(["observed", "repository", "derived", "untrusted"]))
    content = draw(contents())
    if kind == "example" and draw(st.integers(1, 4)) > 1:
        content = {"text": json.dumps({"question": draw(texts), "answer": draw(texts)})}
    found = {**common, "kind": kind, "section": section, "trust": trust, "content": content}
    if section == "evidence":
        if layout == CONTRACT and draw(st.integers(1, 8)) > 1:
            first = draw(st.integers(1, 9))
            found["address"] = {
                "source_id": draw(texts.filter(bool)),
                "version": "1",
                "line_start": first,
                "line_end": first + draw(st.integers(0, 3)),
            }
        found["group"] = _sometimes(draw, st.sampled_from(["g1", "g2"]), 3)
    else:
        found["position"] = draw(st.integers(-1, 2))
    return found


def _size(draw: st.DrawFn) -> dict[str, Any]:
    basis = draw(st.sampled_from(["declared", "estimated"]))
    return {"value": draw(st.sampled_from([3, 7, 12, 1, 0])), "unit": "token", "basis": basis}


@st.composite
def cases(draw: st.DrawFn, layouts: tuple[str, ...] = LAYOUTS, **fixed: Any) -> Case:
    """A whole inventory; most compile, some are refused."""
    layout = draw(st.sampled_from(layouts))
    counter = fixed.get("counter") or draw(st.sampled_from(sorted(COUNTERS)))
    offered = [
        draw(candidates(number, layout)) for number in range(draw(st.sampled_from([6, 8, 4, 1, 0])))
    ]
    offered += _twins(draw, offered)
    sound = [item["id"] for item in offered if _is_sound(item, layout)]
    required = [identifier for identifier in sound if draw(st.integers(1, 3)) == 1]
    if layout == TEXT and draw(st.integers(1, 3)) == 1:
        offered += _resident(draw)
        required.append("rules")
    adapter = fixed.get("adapter") or draw(st.sampled_from(ADAPTERS))
    window = draw(st.sampled_from([15, 25, 10**6]))
    if counter != "declared":
        window = draw(st.sampled_from([500, 800, 1_200, 10**6]))
    value: dict[str, Any] = {
        "schema": "assembler/inventory/1",
        "task": {
            "id": "t",
            "actor": "a",
            "prompt": {"name": "p", "version": "1"},
            "objective": "o",
            "as_of": _sometimes(draw, st.lists(st.sampled_from(DATES), min_size=1, max_size=2), 2),
            "now": _sometimes(draw, st.sampled_from(TIMES), 2),
            "topics": _sometimes(draw, st.lists(st.sampled_from(TOPICS), max_size=2), 2),
        },
        "budget": {
            "unit": COUNTERS[counter],
            "counter": counter,
            "window": window,
            "reserves": draw(st.sampled_from([{}, {"response": 5, "observations": 1}])),
        },
        "seal": draw(seals()),
        "layout": layout,
        "adapter": {"name": adapter, "model": "m", "max_output": 5},
        "order": draw(st.sampled_from(["canonical", "decision-value"])),
        "required": required,
        "candidates": offered,
    }
    return Case(value, repository(), OBJECTS)


def seals() -> st.SearchStrategy[dict[str, Any]]:
    ids = st.lists(st.sampled_from(["c0", "c3", *LINEAGE]), max_size=1)
    return st.fixed_dictionaries(
        {}, optional=dict.fromkeys(("events", "artifacts", "calls", "lineage"), ids)
    )


def _twins(draw: st.DrawFn, offered: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Evidence that says what another candidate says."""
    twins = []
    for number, item in enumerate(offered):
        if item["kind"] in ("tool", "mcp-tool") or draw(st.integers(1, 3)) > 1:
            continue
        twin = {**item, "id": f"twin{number}", "kind": "source", "section": "evidence"}
        twin.pop("position", None)
        twins.append(twin)
    return twins


def _resident(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Policy, and evidence that quotes it."""
    common = {"content": {"text": draw(texts)}, "size": _size(draw)}
    rules = {"id": "rules", "kind": "instruction", "section": "policy", "trust": "authorized"}
    quoted = {"id": "rules-again", "kind": "source", "section": "evidence", "trust": "repository"}
    return [{**common, **rules}, {**common, **quoted}]


def _is_sound(item: dict[str, Any], layout: str) -> bool:
    """Whether requiring it is likely to compile; what is not is another test's."""
    troubles = ("valid_from", "valid_to", "expires_at", "freshness", "group")
    has_text = "text" in item["content"] and "\x00" not in item["content"]["text"]
    is_placed = layout == TEXT or (layout == CONTRACT and item["kind"] in ("instruction",))
    if layout == CONTROL:
        is_placed = item["section"] in ("policy", "task")
    untroubled = not any(item.get(name) for name in troubles)
    return has_text and is_placed and untroubled and item.get("decision_value") != 0
