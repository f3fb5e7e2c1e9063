"""Which launches hold a credential that a pin must not keep."""

from __future__ import annotations

import pytest

from assembler.model.server import is_server_name, literal_credential


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["x", "--token=abc"], "token"),
        (["x", "--api-key", "abc"], "api-key"),
        (["x", "--github-token", "abc"], "github-token"),
        (["x", "Authorization: Bearer abc"], "Authorization"),
        (["https://h/mcp?a=1&api_key=abc"], "api_key"),
        (["x", "PASSWORD=abc"], "PASSWORD"),
        (["x", "--token=${TOKEN}"], None),
        (["x", "--token", "${TOKEN}"], None),
        (["x", "--token"], None),
        (["x", "--token", "--other"], None),
        (["x", "Authorization: Bearer ${TOKEN}"], None),
        (["https://h/mcp?api_key=${KEY}"], None),
        (["x", "--token-file", "/a"], None),
        (["x", "--max-tokens=5"], None),
        (["npx", "-y", "secret-santa"], None),
    ],
)
def test_credential__that_is_written_out_is_told_by_its_name(
    words: list[str], name: str | None
) -> None:
    assert literal_credential(words) == name


@pytest.mark.parametrize("name", ["a", "a.b", "_x", "A-1", "x" * 128])
def test_name__that_a_file_can_have_is_one(name: str) -> None:
    assert is_server_name(name)


@pytest.mark.parametrize("name", ["", ".", "..", ".a", "-a", "a/b", "a b", "\u0430", "a\n"])
def test_name__that_no_file_should_have_is_none(name: str) -> None:
    assert not is_server_name(name)
