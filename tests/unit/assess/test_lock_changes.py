"""What a lock says of policy that is another one now; a chain is told where nothing explains it."""

from __future__ import annotations

from assembler.assess.lock_changes import compare_lock, find_stale, tell_changes
from assembler.model.locked import LockChange, Locked

ONE, TWO = "1" * 64, "2" * 64


def test_compare__of_the_same_is_empty() -> None:
    entries = [Locked("instruction", "AGENTS.md", ONE, 3), Locked("skill", "a", TWO)]
    assert compare_lock(entries, reversed(entries)) == ()
    assert compare_lock([], []) == ()


def test_compare__tells_new_gone_and_changed_by_kind_and_name() -> None:
    locked = [Locked("skill", "a", ONE), Locked("instruction", "a", ONE)]
    current = [
        Locked("instruction", "a", TWO, place="a"),
        Locked("profile", "p", ONE, place="p"),
    ]
    assert compare_lock(locked, current) == (
        LockChange("M", "instruction", "a", ONE, TWO, "a"),
        LockChange("A", "profile", "p", None, ONE, "p"),
        LockChange("D", "skill", "a", ONE, None, None),
    )


def test_tokens__decide_nothing() -> None:
    before, after = Locked("chain", ".", ONE, 3), Locked("chain", ".", ONE, 4)
    assert compare_lock([before], [after]) == ()


def change(kind: str, name: str) -> LockChange:
    return LockChange("M", kind, name, ONE, TWO, f"place of {name}")  # type: ignore[arg-type]


def test_chain__is_told_where_none_of_its_files_is() -> None:
    root, inner = change("chain", "."), change("chain", "packages/web")
    other = change("chain", "packages/webby")
    assert tell_changes([root, inner, other]) == (root, inner, other)
    at_root = change("instruction", "AGENTS.md")
    assert tell_changes([root, inner, at_root]) == (at_root,)
    below = change("instruction", "packages/web/AGENTS.md")
    assert tell_changes([root, inner, other, below]) == (root, other, below)


def test_finding__names_the_file_or_the_lock() -> None:
    gone = LockChange("D", "skill", "a", ONE, None, None)
    pin = LockChange("M", "catalog", "s", ONE, TWO, ".assembler/pins/s.json")
    new = LockChange("A", "instruction", "AGENTS.md", None, TWO, "AGENTS.md")
    findings = find_stale([new, gone, pin], lock=".assembler/lock.json")
    assert [(item.code, item.path, item.message) for item in findings] == [
        ("ASM701", "AGENTS.md", f"is {TWO[:12]}, and is not locked"),
        ("ASM701", ".assembler/lock.json", f"skill:a is locked as {ONE[:12]}, and is not there"),
        ("ASM701", ".assembler/pins/s.json", f"catalog:s is {TWO[:12]}, locked {ONE[:12]}"),
    ]
    assert findings[2].fix == "look at it: assembler tools check s"


def test_finding__beside_the_lock_of_a_revision_names_it_and_the_file() -> None:
    gone = LockChange("D", "instruction", "src/AGENTS.md", ONE, None, None)
    skill = LockChange("D", "skill", "a", ONE, None, None)
    new = LockChange("A", "instruction", "AGENTS.md", None, TWO, "AGENTS.md")
    findings = find_stale([new, gone, skill], lock="lock.json", judge="main (3f2c91a)")
    assert [(item.path, item.message) for item in findings] == [
        ("AGENTS.md", f"is {TWO[:12]}, and is not locked in main (3f2c91a)"),
        (
            "src/AGENTS.md",
            f"src/AGENTS.md is locked as {ONE[:12]} in main (3f2c91a), and is not there",
        ),
        ("lock.json", f"skill:a is locked as {ONE[:12]} in main (3f2c91a), and is not there"),
    ]
    assert {item.fix for item in findings} == {
        "review the change; it is locked once the lock of main (3f2c91a) has it"
    }
