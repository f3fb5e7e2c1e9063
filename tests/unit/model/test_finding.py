"""Findings: members of the JSON form, severity from the catalogue, order."""

from __future__ import annotations

import json

import pytest

from assembler.model.finding import SEVERITIES, finding_order, make_finding


def test_make_finding__takes_slug_and_severity_of_the_catalogue() -> None:
    finding = make_finding("ASM101", "AGENTS.md", "cut", line=412, data={"lost_bytes": 8185})

    assert (finding.slug, finding.severity) == ("chain-cut", "error")


def test_make_finding__lets_a_code_with_two_severities_be_the_milder() -> None:
    assert make_finding("ASM308", None, "name", severity="note").severity == "note"


def test_make_finding__refuses_a_code_that_is_not_in_the_catalogue() -> None:
    with pytest.raises(KeyError):
        make_finding("ASM999", None, "nothing")


def test_to_json__has_the_members_in_their_order_and_is_json() -> None:
    finding = make_finding("ASM103", "a/AGENTS.override.md", "blank", line=1, fix="git rm it")

    members = finding.to_json()

    assert list(members) == [
        "code", "slug", "severity", "path", "line", "column", "message", "fix", "data",
    ]  # fmt: skip
    assert json.loads(json.dumps(members)) == members
    assert members["column"] is None
    assert members["data"] == {}


def test_finding__can_not_be_changed() -> None:
    finding = make_finding("ASM103", None, "blank")

    with pytest.raises(AttributeError):
        finding.code = "ASM104"  # type: ignore[misc]


def test_finding_order__goes_by_place_then_code() -> None:
    late = make_finding("ASM101", "b", "x", line=1)
    early = make_finding("ASM601", "a", "x", line=9)
    first = make_finding("ASM604", "a", "x", line=2)

    assert sorted([late, early, first], key=finding_order) == [first, early, late]


def test_severities__are_the_three_from_the_gravest_down() -> None:
    assert SEVERITIES == ("error", "warning", "note")
