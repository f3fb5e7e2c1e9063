"""Which file a row is about, and where an instruction applies."""

from __future__ import annotations

import pytest

from assembler.diagnose.places import folder_of_scope, path_in


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("file:a/b.py", "a/b.py"),
        ("file:a/b.py#L1-L2", "a/b.py"),
        ("a/b.py#parse", "a/b.py"),
        ("b.py", "b.py"),
        ("file:a:b.py", None),
        ("https://host/a.py", None),
        ("run:test-17", None),
        ("bytes://a%FF", None),
        ("file:sha256:00", None),
        ("/etc/passwd", None),
        ("~/.codex/AGENTS.md", None),
        ("../a.py", None),
        ("./global/AGENTS.md", None),
        ("file:", None),
        ("#L1", None),
        ("", None),
        (None, None),
    ],
)
def test_path__is_read_off_an_id_or_a_source(text: str | None, path: str | None) -> None:
    assert path_in(text) == path


@pytest.mark.parametrize(
    ("scope", "folder"),
    [
        ("/", ""),
        (".", ""),
        ("**", ""),
        ("./", ""),
        ("packages/parser", "packages/parser"),
        ("packages/parser/", "packages/parser"),
        ("./packages/parser", "packages/parser"),
        ("packages/parser/**", "packages/parser"),
        ("packages/parser/*", "packages/parser"),
        ("packages/*/api", "packages/*/api"),
    ],
)
def test_scope__is_a_folder_however_it_is_spelled(scope: str, folder: str) -> None:
    assert folder_of_scope(scope) == folder
