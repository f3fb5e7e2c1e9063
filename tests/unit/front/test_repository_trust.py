"""Which repositories the host trusts: the deepest folder decides, links resolved."""

from __future__ import annotations

from pathlib import Path

import pytest

from assembler.front.repository_trust import judge_repository


@pytest.mark.parametrize(
    ("root", "trusted", "untrusted", "is_trusted"),
    [
        ("w/a", None, [], True),
        ("w/a", [], [], False),
        ("w/a", ["w"], [], True),
        ("w/a", ["w/a"], [], True),
        ("w/a", ["w/ab"], [], False),
        ("w/ab", ["w/a"], [], False),
        ("w/a", ["other"], [], False),
        ("w/a", None, ["w"], False),
        ("x/a", None, ["w"], True),
        ("w/forks/a", ["w"], ["w/forks"], False),
        ("w/forks/a", ["w", "w/forks/a"], ["w/forks"], True),
        ("w/a", ["w"], ["w"], False),
        ("link/a", ["w"], [], True),
        ("w/a", ["link"], [], True),
    ],
)
def test_deepest_folder__decides(
    tmp_path: Path, root: str, trusted: list[str] | None, untrusted: list[str], is_trusted: bool
) -> None:
    (tmp_path / "w/a").mkdir(parents=True)
    (tmp_path / "link").symlink_to("w")
    why = judge_repository(
        tmp_path / root,
        trusted=None if trusted is None else [tmp_path / name for name in trusted],
        untrusted=[tmp_path / name for name in untrusted],
    )
    assert (why is None) == is_trusted
