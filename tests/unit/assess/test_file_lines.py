"""A line of an excerpt is told as the line of its file."""

from __future__ import annotations

import pytest

from assembler.assess.file_lines import file_line
from assembler.model.candidate import Address, Candidate, Inline


def item(identifier: str, source: str | None = None, **more: object) -> Candidate:
    return Candidate(
        id=identifier,
        kind="source",
        section="evidence",
        trust="repository",
        content=Inline(b""),
        source=source,
        **more,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("candidate", "path", "line", "told"),
    [
        (item("file:a.py"), "a.py", 3, 3),
        (item("file:a.py#L10-L12"), "a.py", 1, 10),
        (item("file:a.py#L10-L12"), "a.py", 3, 12),
        (item("file:a.py#L10-L12@v1"), "a.py", 2, 11),
        (item("file:a.py#parse", "a.py#L1-L2,L8-L9"), "a.py", 2, 2),
        (item("file:a.py#parse", "a.py#L1-L2,L8-L9"), "a.py", 3, 8),
        (item("file:a.py#parse", "a.py#L1-L2,L8-L9"), "a.py", 9, 9),
        (item("test:t", ".work/t.txt#L5-L9"), None, 2, 6),
        (item("issue:1", "https://x.example/1"), None, 2, 2),
        (item("file:a#L10-L12"), "a#L10-L12", 2, 2),
        (item("file:a#L10-L12#L3-L4"), "a#L10-L12", 2, 4),
        (item("record:r", address=Address("r", "1", 7, 9)), "r.md", 2, 8),
    ],
)
def test_file_line__is_that_of_the_address(
    candidate: Candidate, path: str | None, line: int, told: int
) -> None:
    assert file_line(candidate, line, path=path) == told
