"""Where nothing is configured, nothing is loaded, and it means what the defaults say."""

from __future__ import annotations

from pathlib import Path

import pytest

from assembler.config.defaults import DEFAULT_DENY
from assembler.front.policy import load_policy
from assembler.front.tool_policy import ToolPolicy, load_tool_policy
from assembler.front.trees import open_workplace, open_workplace_tree

FIELDS = (
    "profile_name", "counter", "resident", "definitions", "servers", "host_place", "granted",
    "host_servers",
)  # fmt: skip


def load_both(root: Path, home: Path) -> tuple[ToolPolicy, ToolPolicy]:
    """What is found in a folder, and the same with everything loaded."""
    environment = {"HOME": str(home)}
    with open_workplace(root.resolve()) as (workplace, git):
        tree = open_workplace_tree(workplace, git, "worktree", environment)
        found = load_tool_policy(
            workplace, tree, profile=None, host=None, base=root, environment=environment
        )
        whole = load_policy(
            workplace, tree, profile=None, host=None, base=root, environment=environment
        )
    return found, ToolPolicy(whole)


@pytest.fixture
def unsaid(tmp_path: Path) -> tuple[ToolPolicy, ToolPolicy]:
    return load_both(tmp_path, tmp_path / "home")


def test_tool_policy__that_is_not_said_is_the_default(
    unsaid: tuple[ToolPolicy, ToolPolicy],
) -> None:
    found, whole = unsaid
    assert found.loaded is None
    for field in FIELDS:
        mine, theirs = getattr(found, field), getattr(whole, field)
        assert mine == theirs or (not mine and not theirs and mine is not None), field
    assert found.skill_roots() == whole.skill_roots() == ()
    assert found.is_granted("x")
    assert whole.is_granted("x")


def test_tool_policy__that_is_not_said_keeps_the_default_denies(
    unsaid: tuple[ToolPolicy, ToolPolicy],
) -> None:
    found, whole = (policy.read_scope() for policy in unsaid)
    names = [pattern.strip("/*!").replace("*", "x") for pattern in DEFAULT_DENY]
    folders = ("", ".assembler/pins/", "docs/", ".GIT/", "secrets.yaml/")
    paths = [f"{folder}{name}" for folder in folders for name in (*names, "s.json", "AGENTS.md")]
    rules = {path: found.deny_rule(path) for path in paths}
    assert rules == {path: whole.deny_rule(path) for path in paths}
    assert rules[".assembler/pins/credentials.json"] == "host-deny:credentials.json"
    assert rules[".assembler/pins/s.json"] is None


@pytest.mark.parametrize("place", [".assembler/profile.yaml", "home/.config/assembler/host.yaml"])
def test_tool_policy__is_loaded_where_profile_or_manifest_is_there(
    tmp_path: Path, place: str
) -> None:
    path = tmp_path / "r" / place if place.startswith(".") else tmp_path / place
    path.parent.mkdir(parents=True)
    (tmp_path / "r").mkdir(exist_ok=True)
    path.write_text(f"schema: assembler/{path.stem}/1\n")
    found, whole = load_both(tmp_path / "r", tmp_path / "home")
    assert found == whole
    assert found.loaded is not None
