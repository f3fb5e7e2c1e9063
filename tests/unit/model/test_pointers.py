"""JSON pointers to members of objects."""

from __future__ import annotations

from typing import Any

import pytest

from assembler.model.pointers import has_member, parse_pointer, without_members, write_pointer


@pytest.mark.parametrize("text", ["", "a", "/~", "/a~2", "a/b", "#/a"])
def test_pointer__that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no JSON pointer"):
        parse_pointer(text)


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("/a", ("a",)),
        ("/", ("",)),
        ("/a~1b/~0", ("a/b", "~")),
        ("/~01", ("~1",)),
        ("//x", ("", "x")),
    ],
)
def test_pointer__is_read_and_written(text: str, steps: tuple[str, ...]) -> None:
    assert parse_pointer(text) == steps
    assert write_pointer(steps) == text


VALUE: dict[str, Any] = {"a": {"b": 1, "c": [{"d": 2}, 3]}, "": None, "0": 4}


@pytest.mark.parametrize(
    ("pointer", "there"),
    [("/a", True), ("/a/b", True), ("/a/c/0/d", True), ("/a/c/00/d", False), ("/a/c/1", False),
     ("/a/c/1/d", False), ("/a/c/-/d", False), ("/a/c/9/d", False), ("/", True), ("/0", True),
     ("/b", False), ("/a/b/c", False)],
)  # fmt: skip
def test_member__is_found_and_left_out(pointer: str, there: bool) -> None:
    steps = parse_pointer(pointer)
    assert has_member(VALUE, steps) is there
    left = without_members(VALUE, [steps])
    assert (left != VALUE) is there
    assert not has_member(left, steps)
    # The value itself stays as it is.
    assert VALUE == {"a": {"b": 1, "c": [{"d": 2}, 3]}, "": None, "0": 4}


def test_members__are_left_out_together() -> None:
    pointers = [parse_pointer(text) for text in ("/a/c/0/d", "/a/b", "/nothing")]
    assert without_members(VALUE, pointers) == {"a": {"c": [{}, 3]}, "": None, "0": 4}
