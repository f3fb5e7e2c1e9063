from __future__ import annotations

import json
import os
import resource
import sys
from pathlib import Path
from typing import Any

import pytest

from assembler.adapters.mcp_client import LiveLimits
from assembler.errors import ServerError
from assembler.model.server import Launch
from tests.builders.live_servers import LiveServers, in_base64, tool

CLOSING_SECONDS = 3.0
LISTINGS = [[[tool("a")], [tool("b")]]]
LIST_CHANGED = b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n'


@pytest.fixture
def servers(tmp_path: Path) -> LiveServers:
    return LiveServers(tmp_path)


def refusal(
    servers: LiveServers,
    plan: dict[str, Any],
    *,
    seconds: float = 5.0,
    limits: LiveLimits | None = None,
) -> ServerError:
    with pytest.raises(ServerError) as caught:
        servers.ask(plan, seconds=seconds, limits=limits)
    error = caught.value
    assert error.message.startswith("could not check s: ")
    assert error.where == "s"
    assert servers.seconds <= seconds + CLOSING_SECONDS
    assert servers.left_over() == []
    return error


def names(tools: tuple[Any, ...]) -> list[str]:
    return [entry["name"] for entry in tools]


def test_list_live__tells_what_both_said(servers: LiveServers) -> None:
    plan = {
        "listings": LISTINGS,
        "instructions": "be brief",
        "requests": servers.file("requests"),
        "name": "n",
        "version": "7",
    }
    catalog = servers.ask(plan)
    assert names(catalog.tools) == ["a", "b"]
    assert catalog[1:] == ("be brief", "2025-11-25", {}, "n", "7", 2, 0)
    hello = next(r for r in servers.requests() if r["method"] == "initialize")
    assert hello["params"]["capabilities"] == catalog.capabilities
    assert servers.phases == [
        "starting",
        "server/discover",
        "initialize",
        "listing",
        "listing, page 2",
    ]
    assert servers.left_over() == []


def test_list_live__speaks_the_newer_era(servers: LiveServers) -> None:
    requests = servers.file("requests")
    catalog = servers.ask(
        {"era": "newer", "listings": LISTINGS, "requests": requests, "instructions": "x"}
    )
    assert names(catalog.tools) == ["a", "b"]
    assert catalog[1:] == ("x", "2026-07-28", {}, "scripted", "1.2", 2, 0)
    asked = [request["method"] for request in servers.requests() if "id" in request]
    assert asked == ["server/discover", "subscriptions/listen", "tools/list", "tools/list"]
    meta = servers.requests()[-1]["params"]["_meta"]
    assert meta["io.modelcontextprotocol/clientCapabilities"] == {}


@pytest.mark.parametrize("era", ["handshake", "newer", "both"])
@pytest.mark.parametrize(
    "plan",
    [
        {"before": {"server/discover": [["silence"]]}},
        {"before": {"server/discover": [["refuse", -32000]]}},
        {"before": {"start": [["wait", 0.8]]}},
    ],
)
def test_list_live__finds_the_era_of_a_server_that_is_slow_or_silent(
    servers: LiveServers, era: str, plan: dict[str, Any]
) -> None:
    if era == "newer" and "start" not in plan["before"]:
        # A server of the newer era alone that does not answer its one request answers the second.
        step = plan["before"]["server/discover"]
        plan = {"before": {"server/discover#1": step}}
    catalog = servers.ask({"era": era, "listings": LISTINGS, **plan}, seconds=3)
    assert names(catalog.tools) == ["a", "b"]
    assert servers.left_over() == []


def test_list_live__starts_a_server_again_that_dies_of_an_unknown_request(
    servers: LiveServers,
) -> None:
    plan = {
        "listings": LISTINGS,
        "starts": servers.file("starts"),
        "before": {"server/discover": [["exit", 1]]},
    }
    assert names(servers.ask(plan).tools) == ["a", "b"]
    assert (servers.folder / "starts").read_text() == "start\n" * 2
    assert servers.left_over() == []


def test_list_live__keeps_everything_that_the_wire_had(servers: LiveServers) -> None:
    entries = [
        {"name": "a", "inputSchema": None, "title": None, "x": {"b": 1.0, "a": [True, 1]}},
        {"name": ""},
        3,
    ]
    catalog = servers.ask({"listings": [[entries]]})
    assert json.dumps(catalog.tools) == json.dumps(entries)


@pytest.mark.parametrize(
    ("noise", "lines"),
    [(b"starting up...\n[info] {not json\n", 2), (b"\xff\xfe bad bytes\n\n\r\n", 1)],
)
@pytest.mark.parametrize("step", ["start", "tools/list#2"])
def test_list_live__counts_noise(servers: LiveServers, noise: bytes, lines: int, step: str) -> None:
    plan = {"listings": LISTINGS, "before": {step: [["write", in_base64(noise)]]}}
    catalog = servers.ask(plan)
    assert (names(catalog.tools), catalog.skipped_lines) == (["a", "b"], lines)


def test_list_live__reads_a_line_in_pieces_and_two_in_one(servers: LiveServers) -> None:
    ping = b'{"jsonrpc":"2.0","id":"p","method":"ping"}'
    actions = [["write", in_base64(ping[:9])], ["wait", 0.05]]
    actions += [["write", in_base64(ping[9:] + b"\r\n" + ping + b"\nnoise\n")]]
    requests = servers.file("requests")
    plan = {"listings": LISTINGS, "requests": requests, "before": {"tools/list#1": actions}}
    assert servers.ask(plan).skipped_lines == 1
    answers = [request for request in servers.requests() if request.get("id") == "p"]
    assert answers == [{"jsonrpc": "2.0", "id": "p", "result": {}}] * 2


@pytest.mark.parametrize("step", ["start", "initialize", "tools/list", "tools/list#2"])
def test_list_live__ends_a_server_that_hangs(servers: LiveServers, step: str) -> None:
    plan = {"listings": LISTINGS, "before": {step: [["hang"]]}}
    error = refusal(servers, plan, seconds=0.8)
    phase = {"start": "initialize", "tools/list": "listing", "tools/list#2": "listing, page 2"}
    assert error.code == "server-timeout"
    said = f"could not check s: no answer in 0.8 s ({phase.get(step, step)})"
    assert error.message == said


@pytest.mark.parametrize("step", ["start", "initialize", "tools/list", "tools/list#2"])
def test_list_live__tells_the_exit_code(servers: LiveServers, step: str) -> None:
    error = refusal(servers, {"listings": LISTINGS, "before": {step: [["exit", 3]]}})
    assert "exited with code 3" in error.message
    early = step in ("start", "initialize")
    assert error.code == ("server-start-failed" if early else "server-protocol")
    assert ("before it answered (initialize)" in error.message) == early


def test_list_live__tells_the_signal_and_the_closed_output(servers: LiveServers) -> None:
    launch = Launch(("sh", "-c", "kill -9 $$"))
    with pytest.raises(ServerError, match="ended by signal 9 before it answered"):
        servers.ask(launch)
    error = refusal(servers, {"before": {"tools/list": [["close"]]}})
    assert error.message == "could not check s: it closed its output (listing)"


@pytest.mark.parametrize(
    ("command", "folder", "reason"),
    [
        (("/nonexistent/bin",), ".", "no such program: /nonexistent/bin"),
        (("no-such-program-here",), ".", "no such program: no-such-program-here"),
        (("./plan.json",), ".", "it does not start: Permission denied"),
        (("sh", "a\0b"), ".", "unfit text in its arguments"),
    ],
)
def test_list_live__tells_why_a_server_does_not_start(
    servers: LiveServers, command: tuple[str, ...], folder: str, reason: str
) -> None:
    servers.launch({})
    with pytest.raises(ServerError) as caught:
        servers.ask(Launch(command))
    assert caught.value.code == "server-start-failed"
    assert reason in caught.value.message


@pytest.mark.parametrize(
    ("plan", "code"),
    [
        ({"protocol": "1999-01-01"}, "server-protocol"),
        ({"protocol": 3}, "server-protocol"),
        ({"before": {"initialize": [["refuse", -32603]]}}, "server-protocol"),
        ({"before": {"tools/list": [["refuse", -32601]]}}, "server-protocol"),
        ({"raw_result": "{}"}, "server-protocol"),
        ({"raw_result": '{"tools":{}}'}, "server-protocol"),
        ({"raw_result": '{"tools":[],"nextCursor":3}'}, "server-protocol"),
        ({"raw_result": "3"}, "server-protocol"),
        ({"raw_result": '{"tools":['}, "server-protocol"),
        ({"raw_result": '{"tools":[{"a":1,"a":2}]}'}, "tool-listing-invalid"),
        ({"raw_result": '{"tools":[NaN]}'}, "tool-listing-invalid"),
        ({"raw_result": '{"tools":[9007199254740993]}'}, "tool-listing-invalid"),
        ({"raw_result": '{"tools":["\\udc00"]}'}, "tool-listing-invalid"),
        ({"raw_result": f'{{"tools":{"[" * 20_000}{"]" * 20_000}}}'}, "tool-listing-invalid"),
        (
            {
                "before": {
                    "tools/list": [
                        [
                            "write",
                            in_base64(b'{"jsonrpc":"2.0","id":1,"result":{"tools":["\xff"]}}\n'),
                        ]
                    ]
                }
            },
            "server-protocol",
        ),
    ],
)
def test_list_live__refuses_an_answer_that_is_none(
    servers: LiveServers, plan: dict[str, Any], code: str
) -> None:
    error = refusal(servers, plan)
    assert error.code == code
    assert "words of the server" not in error.message


def test_list_live__has_no_tools_where_none_were_announced(servers: LiveServers) -> None:
    plan = {"capabilities": {}, "before": {"tools/list": [["refuse", -32601]]}}
    assert servers.ask(plan).tools == ()


FLOODS = {
    "line": (b"x" * 50_000, "a message of more than 1,000,000 bytes"),
    "lines": (b'{"jsonrpc":"2.0","method":"n","params":"%s"}\n' % (b"x" * 50_000), "3,000,000"),
    "notifications": (b'{"jsonrpc":"2.0","method":"n"}\n' * 50, "more than 1,000 messages"),
    "changes": (LIST_CHANGED * 50, "more than 1,000 messages"),
    "requests": (b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n' * 50, "requests of its own"),
    "noise": (b"noise\n" * 50, "more than 1,000 lines that are no message"),
}


@pytest.mark.parametrize(
    ("flood", "step"), [*((name, "tools/list") for name in sorted(FLOODS)), ("noise", "start")]
)
def test_list_live__refuses_a_flood(servers: LiveServers, flood: str, step: str) -> None:
    block, said = FLOODS[flood]
    limits = LiveLimits(line_bytes=10**6, total_bytes=3 * 10**6, messages=1_000)
    plan = {"before": {step: [["repeat", in_base64(block), -1]]}}
    error = refusal(servers, plan, limits=limits)
    assert error.code == "server-limit"
    assert said in error.message


def test_list_live__never_holds_a_line_of_100_megabytes(servers: LiveServers) -> None:
    servers.ask({"listings": LISTINGS})
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    plan = {"before": {"tools/list": [["repeat", in_base64(b"x" * 100_000), 1_000]]}}
    error = refusal(servers, plan)
    grown_kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert error.code == "server-limit"
    assert grown_kilobytes < 50_000


def test_list_live__never_holds_millions_of_values(servers: LiveServers) -> None:
    servers.ask({"listings": LISTINGS})
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    error = refusal(servers, {"raw_result": f'{{"tools":[{"[]," * 2_000_000}1]}}'})
    grown_kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert "more than 2,000,000 values" in error.message
    assert grown_kilobytes < 100_000


def test_list_live__drains_standard_error(servers: LiveServers) -> None:
    plan = {"listings": LISTINGS, "before": {"start": [["errors", 1_000_000]]}}
    assert names(servers.ask(plan).tools) == ["a", "b"]


@pytest.mark.parametrize("where", ["group", "session"])
@pytest.mark.parametrize(
    "plan",
    [
        {"listings": LISTINGS},
        {"listings": LISTINGS, "after": {"tools/list#2": [["exit", 0]]}},
        {"before": {"tools/list": [["exit", 3]]}},
        {"before": {"tools/list": [["hang"]]}, "ignores_term": True},
    ],
)
def test_list_live__leaves_nothing_behind(
    servers: LiveServers, plan: dict[str, Any], where: str
) -> None:
    before = dict(plan.get("before", {}))
    before["start"] = [["spawn", servers.file("children"), where]]
    whole = {**plan, "before": before}
    if "tools/list" in before:
        refusal(servers, whole, seconds=0.8)
    else:
        servers.ask(whole)
    assert (servers.folder / "children").read_text()
    assert servers.left_over() == []


@pytest.mark.parametrize("ignores_term", [False, True])
def test_list_live__ends_a_server_that_stays(servers: LiveServers, ignores_term: bool) -> None:
    plan = {"listings": LISTINGS, "stays": True, "ignores_term": ignores_term}
    assert names(servers.ask(plan).tools) == ["a", "b"]
    assert servers.seconds < CLOSING_SECONDS
    assert servers.left_over() == []


def test_list_live__gives_the_server_what_is_named_alone(servers: LiveServers) -> None:
    launch = servers.launch(
        {"listings": LISTINGS, "environment": servers.file("seen")},
        "--key=${KEY}",
        "$${KEY}",
        environment=("KEY",),
    )
    environment = {"PATH": os.environ["PATH"], "HOME": "/h", "KEY": "FAKE-VALUE", "OTHER": "x"}
    servers.ask(launch, environment=environment)
    seen = json.loads((servers.folder / "seen").read_bytes())
    # Python itself may add its own locale.
    seen["environment"].pop("LC_CTYPE", None)
    assert seen["environment"] == {key: environment[key] for key in ("PATH", "HOME", "KEY")}
    assert seen["argv"][2:] == ["--key=FAKE-VALUE", "${KEY}"]
    assert seen["folder"] == str(servers.folder)


def test_list_live__says_nothing_of_values(
    servers: LiveServers,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("DEBUG")
    for before in ({"start": [["exit", 1]]}, {"tools/list": [["refuse", -32603]]}):
        launch = servers.launch({"before": before}, "--key=${KEY}", environment=("KEY",))
        with pytest.raises(ServerError) as caught:
            servers.ask(launch, environment={"PATH": os.environ["PATH"], "KEY": "FAKE-VALUE"})
        assert "FAKE-VALUE" not in f"{caught.value} {caught.value.next_step} {servers.phases}"
    assert "FAKE-VALUE" not in caplog.text
    out, err = capfd.readouterr()
    assert (out, err) == ("", "")


def test_list_live__is_as_it_was_for_the_process_afterwards(servers: LiveServers) -> None:
    from assembler.adapters import process_tree

    descriptors = len(list(Path("/proc/self/fd").iterdir())) if sys.platform == "linux" else 0
    servers.ask({"listings": LISTINGS})
    assert not process_tree._is_subreaper()
    if sys.platform == "linux":
        assert len(list(Path("/proc/self/fd").iterdir())) == descriptors


def test_list_live__finds_one_that_was_started_at_the_last_moment(servers: LiveServers) -> None:
    # Nobody saw it below the leader, and it holds the leader's output open.
    actions = [["spawn", servers.file("children"), "session"], ["exit", 3]]
    error = refusal(servers, {"before": {"tools/list": actions}})
    assert error.message == "could not check s: exited with code 3 (listing)"
    assert (servers.folder / "children").read_text()


@pytest.mark.parametrize("era", ["handshake", "newer"])
def test_list_live__does_not_wait_for_a_server_that_reads_nothing(
    servers: LiveServers, era: str
) -> None:
    ping = b'{"jsonrpc":"2.0","id":"%s","method":"ping"}\n' % (b"x" * 20_000)
    actions = [["repeat", in_base64(ping), 90], ["hang"]]
    error = refusal(servers, {"era": era, "before": {"tools/list": actions}}, seconds=0.5)
    assert error.code == "server-timeout"
