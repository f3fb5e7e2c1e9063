"""`tools … --live` of servers that hang, leave, flood or loop: an end in time, and no trace."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.builders.catalogs import tool
from tests.builders.live_bench import GRACE_SECONDS, LiveBench
from tests.builders.live_servers import in_base64

A = tool("a")
PAGES = {"listings": [[[A], [tool("b")]]]}
SECRET = "s3cr3t-of-the-environment"
NOTICE = in_base64(b'{"jsonrpc":"2.0","method":"notifications/message","params":{}}\n' * 200)
NOISE = in_base64(b"starting up\n" * 200)
HALF_A_LINE = in_base64(b'{"jsonrpc":"2.0","x":"' + b"x" * 4_000_000)

STEPS = ("start", "server/discover", "initialize", "tools/list", "tools/list#2")
HANG, LEAVE = [["hang"]], [["exit", 7]]
FAILURES = [
    *((step, HANG, "server-timeout", "no answer in 0.5 s") for step in STEPS[:1] + STEPS[2:]),
    *((step, LEAVE, "server-start-failed", "exited with code 7") for step in (STEPS[0], STEPS[2])),
    *((step, LEAVE, "server-protocol", "exited with code 7") for step in STEPS[3:]),
    *((step, [["close"]], None, "it closed its output") for step in STEPS[2:4]),
    *((step, [["repeat", NOTICE, -1]], "server-limit", "messages") for step in STEPS[::2]),
    ("start", [["repeat", NOISE, -1]], "server-limit", "lines that are no message"),
    ("tools/list", [["repeat", NOISE, -1]], "server-limit", "lines that are no message"),
    ("start", [["repeat", HALF_A_LINE, -1]], "server-limit", "a message of more than"),
    ("tools/list", [["refuse", -32603]], "server-protocol", "it answers with error -32603"),
    ("tools/list#2", [["refuse", -32603]], "server-protocol", "it answers with error -32603"),
    ("initialize", [["refuse", -32603]], "server-protocol", "it answers with error -32603"),
]  # fmt: skip


def fail(live: LiveBench, plan: dict[str, Any], code: str | None, said: str) -> None:
    """The first pin of the server fails, in time, and writes nothing."""
    hangs = code == "server-timeout"
    live.serve({"stays": hangs, "ignores_term": hangs, **plan})
    seconds = 0.5 if hangs else 10.0

    result = live.live("pin", "s", "--timeout", f"{seconds}", "-f", "json")

    assert result.code == 2
    assert live.seconds < seconds + GRACE_SECONDS
    assert live.left_over() == []
    assert live.files() == []
    error = result.json
    assert error["schema"] == "assembler/error/1"
    assert error["code"] == code or code is None
    assert error["message"].startswith("could not check s: ")
    assert said in error["message"]
    (line, *hints) = result.talk.splitlines()
    assert line == f"error: {error['message']} ({error['code']})"
    assert all(hint.startswith("hint: ") for hint in hints)
    assert "Traceback" not in result.talk
    assert "Group" not in result.talk


@pytest.mark.parametrize(("step", "actions", "code", "said"), FAILURES)
def test_server__that_fails_at_a_step_is_told_of_and_leaves_nothing(
    live: LiveBench, step: str, actions: list[Any], code: str | None, said: str
) -> None:
    fail(live, {**PAGES, "before": {step: actions}}, code, said)


@pytest.mark.parametrize(
    ("plan", "code", "said"),
    [
        ({"listings": [[[A]]], "endless": "same"}, "tool-listing-loop", "gives a cursor again"),
        ({"listings": [[[]]], "endless": "new"}, "server-limit", "more than 1,000 pages"),
        (
            {
                "listings": [[[tool(str(number))]] for number in range(9)],
                "before": {"tools/list": [["notify"]]},
            },
            "tool-listing-unstable",
            "keeps changing while it is read",
        ),
        ({**PAGES, "refuse_cursors": 9}, "tool-listing-unstable", "refuses a cursor"),
        ({"raw_result": '{"tools": {}}'}, "server-protocol", "no list of tools"),
        ({"raw_result": '{"tools": [], "tools": []}'}, "tool-listing-invalid", "twice"),
        ({"listings": [[[]]]}, "tool-listing-empty", "it lists no tools"),
        ({"listings": [[[A, A]]]}, "tool-name-collision", "it has one tool name twice: a"),
        ({"listings": [[[{"description": "no name"}]]]}, "tool-listing-invalid", "it has a tool"),
        ({**PAGES, "protocol": "1999-01-01"}, "server-protocol", "no protocol version"),
    ],
)
def test_listing__that_is_no_whole_catalog_is_told_of_and_not_pinned(
    live: LiveBench, plan: dict[str, Any], code: str, said: str
) -> None:
    fail(live, plan, code, said)


@pytest.mark.parametrize("verb", ["check", "approve", "list"])
def test_failure__of_a_pinned_server_leaves_the_pin_as_it_is(live: LiveBench, verb: str) -> None:
    live.serve(PAGES)
    live.live("pin")
    before = live.bench.pin_bytes()
    live.serve({**PAGES, "stays": True, "before": {"tools/list#2": HANG}})
    more = ["--digest", live.pin()["catalog"]] if verb == "approve" else []

    result = live.live(verb, "s", "--timeout", "0.5", *more)

    assert (result.code, result.text) == (2, "")
    assert "error: could not check s: no answer in 0.5 s (listing, page 2)" in result.talk
    assert live.bench.pin_bytes() == before
    assert live.files() == [".assembler/pins/s.json"]


def test_check__of_several_tells_the_others_where_one_is_silent(live: LiveBench) -> None:
    for name in ("one", "silent", "two"):
        live.serve(PAGES, name=name)
        assert live.live("pin", name).code == 0
    live.serve({**PAGES, "before": {"initialize": HANG}, "stays": True}, name="silent")
    live.serve({"listings": [[[A]]]}, name="two")

    result = live.run("check", "--live", "--timeout", "0.5")

    assert result.code == 2
    blocks = [line for line in result.text.splitlines() if not line.startswith(" ")]
    assert blocks[0].startswith("one  in sync  ")
    assert blocks[1].startswith("silent  unchecked  could not check silent: no answer in 0.5 s")
    assert any(line.startswith("two  DRIFT  pinned ") for line in blocks)
    assert "b  gone" in result.text
    report = live.run("check", "--live", "--timeout", "0.5", "-f", "json")
    assert (report.code, report.json["exit_code"]) == (2, 2)
    servers = {server["server"]: server for server in report.json["servers"]}
    assert {name: server["result"] for name, server in servers.items()} == {
        "one": "in-sync", "silent": "unchecked", "two": "drift"
    }  # fmt: skip
    assert servers["silent"]["failure"]["code"] == "server-timeout"
    alone = live.live("check", "silent", "--timeout", "0.5")
    assert (alone.code, alone.text) == (2, "")
    assert "error: could not check silent: no answer in 0.5 s" in alone.talk


@pytest.mark.parametrize("given", ["0", "-1", "600.1", "nan", "inf", "-inf", "1e400", "soon", ""])
def test_timeout__that_is_none_is_refused_before_anything_starts(
    live: LiveBench, given: str
) -> None:
    live.serve({**PAGES, "starts": live.servers().file("starts")})

    result = live.live("pin", "s", "--timeout", given, "-f", "json")

    assert result.code == 2
    assert "--timeout" in result.json["message"]
    assert not (live.servers().folder / "starts").exists()


def test_failure__has_no_word_of_the_server_and_no_value_of_a_variable(live: LiveBench) -> None:
    words = in_base64(b"words of the server\n")
    plan = {
        **PAGES,
        "before": {
            "start": [["write", words], ["errors", 1_000_000]],
            "tools/list": [["refuse", -1]],
        },
    }
    live.serve(plan, "--token=${TOKEN}", environment=["TOKEN"])

    for more in ((), ("-f", "json"), ("-v",)):
        result = live.run("check", "s", "--live", *more, TOKEN=SECRET)
        assert result.code == 2
        # Without a pin nothing is started.
        assert "tool-pin-missing" in result.talk
        result = live.run("pin", "s", "--live", *more, TOKEN=SECRET)
        assert result.code == 2
        for word in (SECRET, "words of the server", "secret"):
            assert word not in result.text + result.talk


def test_variable__that_is_not_set_or_not_named_is_told_by_its_name(live: LiveBench) -> None:
    live.serve(PAGES, "${TOKEN}", environment=["TOKEN"])
    unset = live.live("pin", "s", "-f", "json")
    assert (unset.code, unset.json["code"]) == (2, "server-environment")
    assert "TOKEN" in unset.json["message"]

    live.serve(PAGES, "${TOKEN}")
    unnamed = live.run("pin", "s", "--live", "-f", "json", TOKEN=SECRET)
    assert unnamed.code == 2
    assert unnamed.json["code"] in {"server-environment", "config-invalid"}
    assert SECRET not in json.dumps(unnamed.json) + unnamed.talk
