from __future__ import annotations

import json
from typing import Any

import pytest

from assembler.adapters.json_documents import read_json
from assembler.config.artifacts import read_artifacts
from assembler.errors import ConfigError
from assembler.model.evidence import Artifact

ONE, TWO = "1" * 64, "2" * 64


def read(*sources: dict[str, Any]) -> Artifact:
    summary = {"id": "s", "kind": "summary", "file": "s.md", "revision": "r1", "sources": sources}
    index = {"schema": "assembler/artifacts/1", "artifacts": [summary]}
    return read_artifacts(read_json(json.dumps(index).encode()), path="a.json")["s"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"path": "a", "sha256": ONE}, {"path": "a", "sha256": TWO}),
        ({"path": "a", "sha256": ONE}, {"path": "a", "sha256": ONE, "blob": "b"}),
        ({"path": "a", "lines": [1, 1], "sha256": ONE}, {"path": "a#L1-L1", "sha256": ONE}),
        ({"path": "a", "symbol": "f", "sha256": ONE}, {"path": "a#f", "sha256": ONE}),
        (
            {"path": "a", "lines": [1, 2], "sha256": ONE},
            {"path": "a", "lines": [1, 2], "symbol": "f", "sha256": TWO},
        ),
    ],
)
def test_two_sources_of_one_name__that_are_not_the_same_are_exit_2(
    first: dict[str, Any], second: dict[str, Any]
) -> None:
    for sources in ((first, second), (second, first)):
        with pytest.raises(ConfigError) as caught:
            read(*sources)
        assert caught.value.code == "config-value"
        assert "sources[1]" in caught.value.message


def test_same_source__may_stand_there_twice_and_lines_of_one_file_are_several() -> None:
    lines = {"path": "a", "lines": [1, 2], "sha256": ONE}
    sources = read(lines, {**lines, "symbol": "f"}, {**lines, "lines": [3, 4], "sha256": TWO})
    assert len(sources.sources) == 3
