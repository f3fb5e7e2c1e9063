"""Names of files in a skill's folder: what leads out, in whatever spelling."""

from __future__ import annotations

import pytest

from assembler.model.paths import leads_out


@pytest.mark.parametrize(
    "path",
    [
        "..", "../x", "../../.env", "a/../../b", "a/./../../b", "/etc/passwd", "//x", "~/x",
        "\\x", "..\\x", "a\\..\\..\\b", "C:\\x", "c:/x", "%2e%2e/x", "%2E%2e%2Fx", "..%2fx",
        "..%5cx", "%2fetc/passwd",
    ],
)  # fmt: skip
def test_path__out_of_the_folder_leads_out(path: str) -> None:
    assert leads_out(path)


@pytest.mark.parametrize(
    "path",
    [
        "a.md",
        "references/a.md",
        ".hidden",
        "~a.md",
        "...",
        "a/..b",
        "a..b/c",
        "a/../b",
        "./a",
        "a%20b",
    ],
)
def test_path__inside_does_not(path: str) -> None:
    assert not leads_out(path)
