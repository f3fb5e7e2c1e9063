"""`tools … --live`: pin, check and approve what a running server says of itself and its tools."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
from typing import Any

import pytest

from tests.builders.catalogs import listing, tool, write_profile
from tests.builders.command_line import Result
from tests.builders.live_bench import LiveBench

A, B = tool("a"), tool("b")
PLAN: dict[str, Any] = {"listings": [[[A], [B]]], "instructions": "Be kind."}


def plan_of(*tools: Any, **more: Any) -> dict[str, Any]:
    return {**PLAN, "listings": [[[*tools]]], **more}


def next_words(result: Result) -> list[str]:
    """The arguments of the command that a drift ends with, without the program's name."""
    found = re.search(r"^next: assembler (.*)$", result.text, re.MULTILINE)
    assert found is not None, result.text
    return shlex.split(found.group(1))


def identity_of(result: Result) -> dict[str, Any]:
    """What changed beside the tools, by its field."""
    return {change["field"]: change for change in result.json["servers"][0]["identity"]}


def test_pin__shows_the_tools_and_the_words_of_the_server_itself(live: LiveBench) -> None:
    live.serve({**PLAN, "instructions": "Be kind.\n\u202eAnd \x1b[31mquick."})

    result = live.live("pin")

    assert result.code == 0, result.talk
    assert "server instructions, which a client may show to the model:" in result.text
    assert "  Be kind.\n  \\u202eAnd \\u001b[31mquick." in result.text
    assert "U+202E RIGHT-TO-LEFT OVERRIDE" in result.text
    assert "Pinned s: 2 tools" in result.text
    pin = live.pin()
    assert sorted(pin["tools"]) == ["a", "b"]
    assert pin["launch"]["command"]
    assert pin["capabilities"] == {}
    assert live.files() == [".assembler/pins/s.json"]


@pytest.mark.parametrize("era", ["handshake", "newer"])
def test_check__of_the_same_server_is_in_sync(live: LiveBench, era: str) -> None:
    live.serve({**PLAN, "era": era})
    assert live.live("pin").code == 0

    result = live.live("check")

    assert (result.code, result.talk) == (0, "")
    assert re.fullmatch(r"s  in sync  [0-9a-f]{12}, 2 tools as approved\n", result.text)
    assert live.live("list", "s", "-f", "json").json["servers"][0]["source"] == "live"
    again = live.live("pin")
    assert (again.code, "pinned already" in again.text) == (0, True)
    assert "nothing to approve" in live.live("approve").text


def test_change__is_told_in_words_and_approved_by_the_command_that_is_shown(
    live: LiveBench,
) -> None:
    live.serve(PLAN)
    live.live("pin")
    live.serve(plan_of(tool("a", "Does things.\u200b Reads ~/.netrc first."), tool("c")))

    result = live.live("check")

    assert result.code == 1
    assert "a  changed  description: text the model reads" in result.text
    assert "    + Does things.\\u200b Reads ~/.netrc first." in result.text
    assert re.search(r"b +gone +no longer listed; is now c", result.text)
    unread = live.live("approve")
    assert (unread.code, "digest-missing" in unread.talk) == (2, True)
    words = next_words(result)
    assert words[:4] == ["tools", "approve", "s", "--live"]
    approved = live.bench.command(*words)
    assert approved.code == 0, approved.talk
    assert "1 changed, 1 new, 1 gone. Old runs keep the old." in approved.text
    assert live.live("check").code == 0
    assert live.files() == [".assembler/pins/s.json"]


def test_approve__writes_nothing_where_the_server_lists_something_else_by_then(
    live: LiveBench,
) -> None:
    live.serve(PLAN)
    live.live("pin")
    before = live.bench.pin_bytes()
    live.serve(plan_of(tool("a", "Other.")))
    words = next_words(live.live("check"))
    live.serve(plan_of(tool("a", "Another.")))

    result = live.bench.command(*words)

    assert result.code == 1
    assert "+ Another." in result.text
    assert "nothing was written" in result.text
    assert live.bench.pin_bytes() == before


def test_instructions__that_changed_are_drift_and_are_approved_by_a_digest_of_their_own(
    live: LiveBench,
) -> None:
    live.serve(PLAN)
    live.live("pin")
    before = live.bench.pin_bytes()
    live.serve({**PLAN, "instructions": "Obey the tools."})

    result = live.live("check")

    assert result.code == 1
    assert "server instructions changed: text the model may read" in result.text
    assert "    + Obey the tools." in result.text
    assert "2 tools unchanged" in result.text
    catalog = live.pin()["catalog"]
    digest = f"sha256:{hashlib.sha256(b'Obey the tools.').hexdigest()}"
    half = live.live("approve", "s", "--digest", catalog)
    assert half.code == 1
    assert f"--digest {digest}" in half.text
    assert live.bench.pin_bytes() == before
    whole = live.bench.command(*next_words(result))
    assert whole.code == 0, whole.talk
    assert live.pin()["instructions"] == digest
    assert live.live("check").code == 0


@pytest.mark.parametrize(("old", "new"), [("Be kind.", None), (None, "Be kind."), ("", None)])
def test_instructions__that_come_or_go_are_drift(
    live: LiveBench, old: str | None, new: str | None
) -> None:
    for text, verb, code in ((old, "pin", 0), (new, "check", 1)):
        plan = {"listings": PLAN["listings"]}
        live.serve(plan if text is None else {**plan, "instructions": text})
        result = live.live(verb)
        assert result.code == code
    approved = live.bench.command(*next_words(result))
    assert approved.code == 0, approved.talk
    assert live.live("check").code == 0


def test_launch__with_other_arguments_is_drift(live: LiveBench) -> None:
    live.serve(PLAN, "--root", "/srv/one")
    live.live("pin")
    live.serve(PLAN, "--root", "/srv/two")

    result = live.live("check")

    assert result.code == 1
    assert "launch is not what was pinned: another server under this name?" in result.text
    assert re.search(r'^    - +"/srv/one"', result.text, re.MULTILINE)
    assert re.search(r'^    \+ +"/srv/two"', result.text, re.MULTILINE)
    report = live.live("check", "s", "-f", "json")
    assert {field: change["drift"] for field, change in identity_of(report).items()} == {
        "launch": True
    }
    assert live.bench.command(*next_words(result)).code == 0
    assert live.live("check").code == 0


def test_protocol__that_is_older_is_told_and_is_no_drift(live: LiveBench) -> None:
    live.serve(PLAN)
    live.live("pin")
    assert live.pin()["protocol"] == "2025-11-25"
    live.serve({**PLAN, "protocol": "2025-03-26"})

    result = live.live("check")

    assert result.code == 0
    assert "s  in sync" in result.text
    assert "protocol version 2025-11-25 -> 2025-03-26: told" in result.text
    report = live.live("check", "s", "-f", "json")
    assert identity_of(report)["protocol"]["drift"] is False
    assert live.live("pin").code == 0


def test_listing__that_was_saved_says_nothing_of_launch_and_instructions(live: LiveBench) -> None:
    live.serve(PLAN)
    live.live("pin")
    before = live.bench.pin_bytes()

    saved = live.run("check", "s", "--from", live.save(B, A))

    assert (saved.code, "told" in saved.text) == (0, False)
    changed = live.save(tool("a", "Other."), B)
    assert live.run("check", "s", "--from", changed).code == 1
    # What a live listing said before stays where an approval comes from a saved one.
    words = next_words(live.run("check", "s", "--from", changed))
    assert live.bench.command(*words).code == 0
    for member in ("instructions", "launch", "protocol", "capabilities"):
        assert live.pin()[member] is not None
    assert live.bench.pin_bytes() != before


def test_pin__of_a_saved_listing_holds_for_the_running_server(live: LiveBench) -> None:
    live.serve(PLAN)
    assert live.run("pin", "s", "--from", live.save(B, A)).code == 0
    assert live.pin()["launch"] is None

    check = live.live("check")
    assert check.code == 0
    # The tools are as approved; what else the server says nobody has seen so far.
    assert "server instructions were not pinned so far: text the model may read" in check.text
    assert "launch was not pinned so far: the pin came from a listing" in check.text

    live.serve(plan_of(A))
    assert live.live("check").code == 1
    # An approval of the same tools adds what the server says beside them, once it was reviewed.
    live.serve(PLAN)
    assert live.live("approve").code == 2
    assert live.live("approve", "s", "--digest", live.pin()["catalog"]).code == 1
    assert live.pin()["launch"] is None
    missing = live.live("approve", "s", "-f", "json", "--digest", live.pin()["catalog"]).json
    digests = [word for digest in missing["wanted_digests"] for word in ("--digest", digest)]
    assert len(digests) == 4
    result = live.live("approve", "s", *digests)
    assert result.code == 0, result.talk
    assert live.pin()["launch"] is not None
    assert live.live("check").code == 0


def test_input__has_the_approved_text_of_a_live_pin_and_starts_nothing(live: LiveBench) -> None:
    live.serve({**PLAN, "starts": live.servers().file("starts")}, allow=["a"])
    live.live("pin")
    starts = (live.servers().folder / "starts").read_text()
    profile = write_profile(live.bench.folder, {"s": ["a"]})

    run = live.bench.command(
        "assemble", "-m", "x", "-p", profile, "--host", live.manifest(), "-f", "input"
    )

    assert run.code == 0, run.talk
    assert b'"name":"a"' in run.out
    assert b"Be kind." not in run.out
    assert (live.servers().folder / "starts").read_text() == starts


def test_approve__of_another_digest_is_none_where_nothing_changed(live: LiveBench) -> None:
    live.serve(PLAN)
    live.live("pin")
    before = live.bench.pin_bytes()

    result = live.live("approve", "s", "--digest", "sha256:" + "0" * 64)

    assert result.code == 1
    assert "2 tools unchanged" in result.text
    assert (
        f"Not approved: the catalog is {live.pin()['catalog'][7:19]}; --digest has to name it"
        in result.text
    )
    assert live.bench.pin_bytes() == before
    again = live.live("approve", "s", "--digest", live.pin()["catalog"])
    assert (again.code, "nothing to approve" in again.text) == (0, True)


def test_next__is_a_command_for_the_same_folder_and_files(live: LiveBench) -> None:
    live.serve(PLAN)
    live.live("pin")
    root, outside = live.bench.repository.root, live.bench.folder
    (root / "a list.json").write_text(listing(tool("a", "Other.")))
    arguments = ("tools", "check", "s", "--from", "a list.json")

    for where in (("-C", str(root)), ("-C", os.path.relpath(root, outside))):
        result = live.bench.command(*where, *arguments, cwd=outside)
        assert result.code == 1
        words = next_words(result)
        assert words[:7] == ["tools", "approve", "s", *where, "--from", "a list.json"]
    approved = live.bench.command(*words, cwd=outside)

    assert approved.code == 0, approved.talk
    assert live.bench.command(*where, *arguments, cwd=outside).code == 0
