from __future__ import annotations

import base64
from typing import Any

import pytest

from assembler_verifier.envelope import SKELETON, Item, render_envelope, render_item
from assembler_verifier.identities import sha256
from assembler_verifier.inventory import Candidate
from tests.verifier.vectors import load


def candidate_of(case: Any) -> Candidate:
    return Candidate(
        id=case["id"],
        kind=case["kind"],
        section=case["section"],
        trust=case["trust"],
        required=False,
        position=0,
        group=None,
        digest=None,
        size_bytes=None,
        absent=None,
        members={"source": case["source"], "revision": case["revision"]},
    )


def test_skeleton__is_the_text_over_no_items() -> None:
    assert load("envelope")["skeleton"].encode() == SKELETON == render_envelope([]).data
    assert sha256(SKELETON) == load("envelope")["skeleton_sha256"]


@pytest.mark.parametrize("case", load("envelope")["items"], ids=lambda case: case["name"])
def test_render_item__writes_the_vector(case: Any) -> None:
    candidate, content = candidate_of(case), base64.b64decode(case["content_base64"])
    item = render_item(candidate, content)
    assert item == Item(
        case["rendered"].encode(), case["body_start"], case["body_end"], case["form"]
    )
    assert sha256(item.data) == case["rendered_sha256"]
    assert sha256(render_envelope([(candidate, content)]).data) == case["whole_sha256"]


@pytest.mark.parametrize(
    "case", load("envelope")["refused_by_a_reader"], ids=lambda case: case["name"]
)
def test_render_envelope__never_writes_a_refused_text(case: Any) -> None:
    source: dict[str, Any] = {"section": "evidence", "kind": "source", "trust": "repository"}
    source |= {"id": "a", "source": None, "revision": None}
    written = render_envelope([(candidate_of(source), b"x\ny\n")]).data
    assert written != case["text"].encode()


@pytest.mark.parametrize("trust", ["authorized", "untrusted"])
@pytest.mark.parametrize(
    "content",
    [b"[[end]]", b"a\r[[x", "a\u2028[[x".encode(), b"\xff[[", b"\0", b"a\r", b"\r\n", b"\\x00\0"],
)
def test_render_item__leaves_no_line_of_content_that_looks_like_structure(
    trust: str, content: bytes
) -> None:
    case: dict[str, Any] = {"section": "evidence", "kind": "source", "trust": trust}
    case |= {"id": "[[ \u202e", "source": None, "revision": None}
    item = render_item(candidate_of(case), content)
    lines = item.data.decode().splitlines()
    structural = [line for line in lines if line.startswith("[[")]
    assert len(structural) == 2
    assert b"\0" not in item.data
