"""`stale_source_selected`: facts that the compiler records and does not decide by."""

from __future__ import annotations

from typing import Any

import pytest

from assembler.diagnose.claim import FIRES, HOLDS, NOT_CHECKED, Claim
from tests.builders.inventories import inventory_value, item
from tests.builders.traces import claim_of, diagnose_value, file, roles

NEW = "file:a.py"


def ask(*candidates: dict[str, Any], **members: Any) -> Claim:
    return claim_of(diagnose_value(inventory_value(*candidates, **members)), "ASM402")


def summary(**members: Any) -> dict[str, Any]:
    facts = {"kind": "summary", "trust": "derived", "revision": "r39", "discovered_by": "index"}
    return item("summary:a", **{**facts, **members})


@pytest.mark.parametrize("size", [1, 99])
def test_replaced_item__is_stale_whether_the_newer_one_is_in_or_out(size: int) -> None:
    claim = ask(item("old", revision="r39"), file("a.py", size, replaces=["old"]))
    assert claim.result == FIRES
    assert roles(claim) == [("stale", "old"), ("replaces it", NEW)]
    assert claim.detail == "old (r39) is in, file:a.py (r42) replaces it"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"revision": "r42"}, {}),
        ({"revision": None}, {}),
        ({"revision": "r39"}, {"revision": None}),
        ({"revision": "r39", "content": {"text": "same"}}, {"content": {"text": "same"}}),
        ({"revision": "r39", "replaces": [NEW]}, {}),
        ({"revision": "r39", "valid_from": "2025-01-01"}, {}),
        ({"revision": "r39"}, {"valid_from": "2027-01-01"}),
        (
            {"revision": "r39", "observed_at": "2026-02-01T00:00:00Z"},
            {"observed_at": "2026-01-01T00:00:00Z"},
        ),
    ],
    ids=[
        "same revision", "unknown", "unknown too", "same bytes", "each other", "by interval",
        "not valid yet", "observed earlier",
    ],
)  # fmt: skip
def test_replaced_item__that_nothing_shows_to_be_older_is_fine(
    old: dict[str, Any], new: dict[str, Any]
) -> None:
    candidates = [item("old", **old), file("a.py", **{"replaces": ["old"], **new})]
    claim = ask(*candidates, task={"as_of": ["2026-06-01"]})
    assert claim.result == HOLDS


def test_time_of_observation__tells_age_without_a_revision() -> None:
    old = item("old", observed_at="2026-01-01T00:00:00Z")
    new = item("new", observed_at="2026-02-01T00:00:00Z", replaces=["old"])
    assert ask(old, new).result == FIRES


def test_item_that_was_read_again__is_stale() -> None:
    claim = ask(item("old", refreshed_by=NEW), file("a.py", 99))
    assert roles(claim) == [("stale", "old"), ("read again", NEW)]
    assert ask(item("old", refreshed_by="nowhere")).result == HOLDS
    assert ask(item("old", refreshed_by="old")).result == HOLDS


def test_item_that_was_read_again__with_the_same_bytes_is_current() -> None:
    text = {"text": "same"}
    assert ask(item("old", refreshed_by=NEW, content=text), file("a.py", content=text)).result == (
        HOLDS
    )


def test_rejected_item__is_nobodys_harm() -> None:
    old = item("old", 99, revision="r39", refreshed_by=NEW)
    assert ask(old, file("a.py", replaces=["old"])).result == HOLDS


@pytest.mark.parametrize(
    "cites",
    [{"lineage": [NEW]}, {"source": "a.py#L1-L3"}, {"source": NEW}],
)
def test_summary__of_another_revision_than_its_source(cites: dict[str, Any]) -> None:
    claim = ask(summary(**cites), file("a.py", 99))
    assert roles(claim) == [("stale", "summary:a"), ("its source", NEW)]
    assert ask(summary(**cites), file("a.py", 99, revision="r39")).result == HOLDS


def test_summary__of_another_revision_than_the_run() -> None:
    claim = ask(summary(), revision="r42")
    assert roles(claim) == [("stale", "summary:a")]
    assert "no digests were compared" in claim.detail
    assert ask(summary(), revision="r39").result == HOLDS
    unchanged = file("a.py", 99, revision="r39")
    assert ask(summary(lineage=[NEW]), unchanged, revision="r42").result == HOLDS


def test_summary__whose_digests_were_compared_is_current_at_any_revision() -> None:
    same = [{"source": "a.py", "seen": "a" * 64, "current": "a" * 64}]
    assert ask(summary(freshness=same, lineage=[NEW]), file("a.py"), revision="r42").result == HOLDS


def test_summary__that_cites_a_digest() -> None:
    from assembler.model.digest import sha256_hex

    def cite(digest: str) -> dict[str, Any]:
        return {"source_id": "a.py", "version": f"sha256:{digest}", "line_start": 1, "line_end": 2}

    source = file("a.py", content={"text": "now\n"})
    now = sha256_hex(b"now\n")
    assert ask(summary(address=cite(now)), source, revision="r42").result == HOLDS
    claim = ask(summary(address=cite("a" * 64), revision="r42"), source, revision="r42")
    assert claim.result == FIRES
    part = file("a.py#L1-L1", content={"text": "now"})
    quoting = summary(address=cite(now), lineage=[part["id"]], revision="r42")
    assert ask(quoting, part, revision="r42").result == HOLDS
    assert claim.detail == f"summary:a cites aaaaaaaaaaaa, {NEW} has {now[:12]}"


def test_summary__that_says_nothing_of_its_sources_is_not_checked() -> None:
    claim = ask(summary(revision=None))
    assert claim.result == NOT_CHECKED
    assert "summary:a" in claim.detail
    assert ask(summary()).result == NOT_CHECKED


def test_file_of_another_revision__may_be_wanted() -> None:
    assert ask(file("a.py", revision="r39"), revision="r42").result == HOLDS
