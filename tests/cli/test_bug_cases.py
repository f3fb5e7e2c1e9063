"""Cases made from public bug reports about instruction files, through `chain` and `assemble`.

They lie beside the repository; without them these tests are skipped.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from assembler.front.counting import counters
from assembler.model.digest import sha256_hex
from tests.builders.bug_cases import Built, build, numbers_of, write_profile

OF_THIS_ROOM = range(1, 35)
REFUSED = {"017", "019", "027", "028", "032", "014"}
"""What strict mode refuses: policy that is not all there, or not what it seems."""


@pytest.mark.parametrize("number", numbers_of(OF_THIS_ROOM))
def test_case__is_told_by_chain_and_made_by_assemble(number: str, tmp_path: Path) -> None:
    built = build(number, tmp_path)
    if number in SPECIAL:
        pytest.skip("has a test of its own below")
    if built.case["setup"].get("skip_if") and os.geteuid() == 0:
        pytest.skip("permissions mean nothing to root; see the tests of another user")
    expected = built.expected

    rows = check_chain(built, expected)

    result = built.run("assemble", "-m", "do it", "--format=json")
    if number == "006":
        assert result.code == 2
        return
    assert result.code == (3 if number in REFUSED else 0), result.talk
    assert "Traceback" not in result.talk
    if result.code == 0:
        check_input(built, expected, rows)


def check_chain(built: Built, expected: dict[str, Any]) -> dict[str, Any]:
    """Every file that must be in is in, in order; every other has a row that says why not."""
    result = built.run("chain", "--format=json")
    assert result.code == 0
    rows = {absolute_row(built, row): row for row in result.json["chain"]}
    loaded = [path for path, row in rows.items() if row["state"] in {"in", "cut"}]
    selected = expected.get("selected_in_order")
    if selected is not None:
        assert loaded == [built.absolute(item["path"]) for item in selected]
    for item in selected or ():
        row = rows[built.absolute(item["path"])]
        assert row["sha256"] == item.get("sha256", item.get("sha256_raw", row["sha256"]))
        assert row["size_bytes"] == item.get("bytes", item.get("raw_bytes", row["size_bytes"]))
    for item in expected.get("rejected_include", ()):
        assert rows[built.absolute(item["path"])]["state"] not in {"in", "cut"}
    told = result.json["findings"]
    assert len(told) >= len(expected.get("warnings_include", ()))
    for flag in expected.get("flags_include", ()):
        assert any(matches(flag, finding["data"]) for finding in told), flag
    for text in expected.get("nowhere_in_outputs", ()):
        assert text not in result.text + result.talk
    return rows


def matches(flag: dict[str, Any], data: dict[str, Any]) -> bool:
    if "byte_range" in flag:
        return flag["byte_range"] in data.get("byte_ranges", ())
    places = data.get("places") or [{"byte": None}]
    return bool(
        places[0]["byte"] == flag["first_byte_offset"] and data["count"] == flag["code_points"]
    )


def check_input(built: Built, expected: dict[str, Any], rows: dict[str, Any]) -> None:
    text = built.run("assemble", "-m", "do it", "--format=input").text
    for part in expected.get("render_must_not_contain", ()):
        assert part not in text
    for part, times in expected.get("count_of", {}).items():
        assert text.count(part) == times
    for item in expected.get("selected_in_order", ()):
        if "rendered_text" in item:
            assert item["rendered_text"] in text
    ledger = built.run("assemble", "-m", "do it", "--format=json").json["ledger"]
    turned_away = {row["id"] for row in ledger if row["decision"] == "rejected"}
    for item in expected.get("rejected_include", ()):
        path = rows[built.absolute(item["path"])]["path"]
        assert f"policy:{path}" in turned_away


def absolute_row(built: Built, row: dict[str, Any]) -> str:
    return os.path.normpath(root_of(built.command.cwd) / row["path"])


def root_of(folder: Path) -> Path:
    """As git says; without a repository the folder itself."""
    done = subprocess.run(
        ["git", "rev-parse", "--show-toplevel"],
        cwd=folder,
        capture_output=True,
        check=False,
        env={"PATH": os.environ["PATH"]},
    )
    return folder if done.returncode else Path(os.fsdecode(done.stdout.rstrip(b"\n")))


def test_012__an_ignored_override_counts_where_files_are_read_and_not_in_the_index(
    tmp_path: Path,
) -> None:
    built = build("012", tmp_path)

    worktree = built.run("assemble", "-m", "x", "--format=json")
    index = built.run("assemble", "-m", "x", "--format=input", "--at=index")

    rows = {row["id"]: row for row in worktree.json["ledger"]}
    assert rows["policy:AGENTS.override.md"]["decision"] == "selected"
    assert rows["policy:AGENTS.override.md"]["version"] == "not in HEAD"
    assert rows["policy:AGENTS.md"]["reason"] == "turned-away"
    assert "local only" not in index.text
    assert "shared" in index.text


def test_014__refuses_with_the_arithmetic_or_cuts_as_asked(tmp_path: Path) -> None:
    built = build("014", tmp_path)
    limits = built.expected["facts"]

    refused = built.run("assemble", "-m", "x")
    cut = build("014", tmp_path / "cut", on_overflow="cut").run(
        "assemble", "-m", "x", "--format=json"
    )

    assert refused.code == 3
    assert f"{limits['over_by']:,}" in refused.talk
    assert cut.code == 0
    row = next(row for row in cut.json["ledger"] if row["id"] == "policy:tui/pane/AGENTS.md")
    assert row["decision"] == "selected"
    assert row["content_bytes"] == limits["left_for_leaf"]


def test_015__is_full_at_the_limit_and_over_it_one_byte_later(tmp_path: Path) -> None:
    built = build("015", tmp_path)

    fit = built.run("assemble", "-m", "x", cwd=built.top / "fit")
    over = built.run("assemble", "-m", "x", cwd=built.top / "over")

    assert (fit.code, over.code) == (0, 3)


def test_016__cuts_whole_characters_at_every_limit(tmp_path: Path) -> None:
    built = build("016", tmp_path, on_overflow="cut")
    whole = (built.top / "repo/AGENTS.md").read_bytes()
    assert built.profile is not None
    for limit in range(1, len(whole) + 1):
        write_profile(built.profile, limit, on_overflow="cut")
        result = built.run("chain", "--format=input")
        assert whole.startswith(result.out)
        assert "\ufffd" not in result.text
        assert limit - 4 < len(result.out) <= limit


def test_020__a_checkout_with_other_line_ends_gives_the_same_input(tmp_path: Path) -> None:
    built = build("020", tmp_path)

    texts = [
        built.run("assemble", "-m", "x", "--format=input", cwd=built.top / name).out
        for name in ("crlf", "lf")
    ]

    assert (built.top / "crlf/AGENTS.md").read_bytes().count(b"\r\n") == 2
    assert texts[0] == texts[1]


def test_033__marks_inside_an_item_stay_inside(tmp_path: Path) -> None:
    built = build("033", tmp_path)
    first = built.run("assemble", "-m", "x", "-t", "docs/readme.txt", "--format=input").text
    (built.top / "repo/docs/readme.txt").write_text(first)

    package = built.top.parent / "package"
    made = built.run("assemble", "-m", "x", "-t", "docs/readme.txt", f"--out={package}")

    assert made.code == 0
    assert built.command("verify", str(package)).code == 0


def test_034__a_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    built = build("034", tmp_path)
    for command in (("chain",), ("assemble", "-m", "x"), ("chain", "--agent=codex"), ("check",)):
        script = 'cd "$1" && rm -rf "$1" && shift && exec "$@"'
        gone = built.top / "repo/gone"
        gone.mkdir(exist_ok=True)
        done = subprocess.run(
            ["sh", "-c", script, "sh", str(gone), *start_command(), *command],
            capture_output=True,
            env=built.command.environment(),
            check=False,
        )
        assert done.returncode == 2
        assert b"path-missing" in done.stderr
        assert b"Traceback" not in done.stderr
        assert done.stdout == b""


def test_082__each_file_is_in_once_and_a_summary_of_it_is_data_behind_it(tmp_path: Path) -> None:
    built = build("082", tmp_path)
    rules = (built.top / "repo/AGENTS.md").read_bytes()
    write_summary(built, rules)

    made = built.run("assemble", "--task=-", "--format=json", stdin=SUMMARY_TASK)
    text = built.run("assemble", "--task=-", "--format=input", stdin=SUMMARY_TASK).text

    rows = {row["id"]: row for row in made.json["ledger"]}
    for item in built.expected["instruction_items"]:
        row = rows[f"policy:{item['path'].removeprefix('repo/')}"]
        assert (row["state"], row["content_bytes"]) == ("in", item["bytes"])
        assert text.count((built.top / item["path"]).read_text()) == 1
    summary = rows["summary:done"]
    assert (summary["state"], summary["section"]) == ("in", "evidence")
    assert summary["trust"] == built.expected["summary"]["trust"]
    said = built.case["setup"]["config"]["summary"]["text"]
    assert text.index(said) > max(text.index("root rule\n"), text.index("sub rule\n"))


def test_091__names_are_tried_in_the_order_of_the_profile_one_a_folder(tmp_path: Path) -> None:
    built = build("091", tmp_path)

    check_chain(built, built.expected["with"])
    check_chain(built._replace(profile=None), built.expected["without"])

    made = built.run("assemble", "-m", "x", "--format=json")
    assert made.code == built.expected["exit"]
    policy = {row["id"] for row in made.json["ledger"] if row["state"] == "in"}
    assert {"policy:GEMINI.md", "policy:p/AGENTS.md"} <= policy
    assert not {"policy:CLAUDE.md", "policy:p/CLAUDE.md"} & policy


def test_092__the_total_is_what_the_rendered_text_counts(tmp_path: Path) -> None:
    built = build("092", tmp_path)

    made = built.run("assemble", "-m", "x", "--format=json")
    text = built.run("assemble", "-m", "x", "--format=input").out

    budget = made.json["budget"]
    with counters(built.command.environment()) as open_counter:
        assert budget["total"] == open_counter("o200k_base").count(text)
    assert budget["total"] < built.expected["total_below"]
    rows = {row["id"]: row for row in made.json["ledger"]}
    assert rows["policy:AGENTS.md"]["state"] == "out"
    assert b"word word" not in text
    assert made.code == built.expected["exit"]


SPECIAL = {"012", "014", "015", "016", "020", "033", "034"}


SUMMARY_TASK = json.dumps(
    {"schema": "assembler/task/1", "objective": "f", "evidence": [{"summary": "done"}]}
)


def write_summary(built: Built, source: bytes) -> None:
    """The summary of the case, as an artifact that was made from the root's instructions."""
    folder = built.top / "repo/.assembler"
    folder.mkdir()
    (folder / "done.md").write_text(built.case["setup"]["config"]["summary"]["text"])
    made_from = {"path": "AGENTS.md", "sha256": sha256_hex(source)}
    artifact = {
        "id": "done",
        "kind": "summary",
        "file": ".assembler/done.md",
        "revision": "r1",
        "sources": [made_from],
    }
    index = {"schema": "assembler/artifacts/1", "artifacts": [artifact]}
    (folder / "artifacts.json").write_text(json.dumps(index))


def start_command() -> list[str]:
    import sys

    return [sys.executable, "-m", "assembler"]
