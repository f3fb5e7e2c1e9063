"""A records file: what it says, and what is refused with its place."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assembler.adapters.yaml_events import read_yaml
from assembler.config.dated_records import MAX_RECORDS, MAX_WORD_BYTES, read_records
from assembler.errors import ConfigError
from assembler.model.dated_record import DatedRecord


def read(*records: dict[str, Any], bare: bool = False) -> tuple[DatedRecord, ...]:
    value: object = {"schema": "assembler/records/1", "records": list(records)}
    data = json.dumps(list(records) if bare else value).encode()
    return read_records(read_yaml(data), path="r.json")


def entry(**members: Any) -> dict[str, Any]:
    return {"id": "a", "version": "1", "file": "a.md", **members}


def test_records__are_sorted_and_filled_in() -> None:
    first, second = read(entry(id="b", topics=["y", "x", "y"], replaces=["a"]), entry(version=3))
    assert first == DatedRecord(id="a", version="3", file="a.md")
    assert (second.topics, second.replaces) == (("x", "y"), ("a",))


def test_bare_list__is_the_list_of_records() -> None:
    assert read(entry(), bare=True) == read(entry())
    with pytest.raises(ConfigError) as caught:
        read(entry(), entry(id="b", lines=[2, 1]), bare=True)
    assert "records[1].lines" in caught.value.message


@pytest.mark.parametrize(
    ("members", "code", "words"),
    [
        ({"valid_from": "2025-02-30"}, "config-value", "is not a date"),
        ({"valid_to": "soon"}, "config-value", "is not a date"),
        (
            {"valid_from": "2025-01-01", "valid_to": "2025-01-01"},
            "config-value",
            "is not later than",
        ),
        ({"lines": [3, 2]}, "config-value", "ends before it begins"),
        ({"lines": [0, 2]}, "config-type", "records[0].lines"),
        ({"file": "../a.md"}, "path-outside", "no"),
        ({"file": "./a.md"}, "path-outside", "plain path"),
        ({"replaces": ["a"]}, "config-value", "the record itself"),
        ({"topics": [" "]}, "config-value", "is blank"),
        ({"id": "é" * (MAX_WORD_BYTES // 2 + 1)}, "config-value", "over 500 bytes"),
        ({"topic": "x"}, "config-unknown-key", "did"),
        ({"version": None}, "config-type", "version"),
    ],
)
def test_defect__is_named_with_its_place(members: dict[str, Any], code: str, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read(entry(**members))
    assert caught.value.code == code
    assert str(caught.value.where).startswith("r.json:1:")
    assert words in f"{caught.value.message} {caught.value.next_step}"


def test_id__stands_once() -> None:
    with pytest.raises(ConfigError, match="stands twice"):
        read(entry(), entry())


def test_edges__are_accepted() -> None:
    read(entry(id="é" * (MAX_WORD_BYTES // 2), valid_from="2025-01-01", valid_to="2025-01-02"))
    read(entry(lines=[2, 2]))
    assert len(read(*(entry(id=str(number)) for number in range(MAX_RECORDS)))) == MAX_RECORDS
    with pytest.raises(ConfigError, match="more than"):
        read(*(entry(id=str(number)) for number in range(MAX_RECORDS + 1)))


@pytest.mark.parametrize("text", [b"", b"{}", b"3", b"schema: assembler/task/1\nrecords: []\n"])
def test_other_document__is_no_records_file(text: bytes) -> None:
    with pytest.raises(ConfigError):
        read_records(read_yaml(text), path="r.yaml")
