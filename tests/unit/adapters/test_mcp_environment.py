from __future__ import annotations

from pathlib import Path

import pytest

from assembler.adapters.mcp_environment import expand, fill_headers, fill_launch, fill_url
from assembler.errors import ServerError
from assembler.model.server import Endpoint, Launch

SECRET = "FAKE-VALUE-1111"


def fill(launch: Launch, environment: dict[str, str], folder: Path = Path("/")):
    return fill_launch("s", launch, environment=environment, folder=folder)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("${A}", "1"),
        ("x${A}y${A}", "x1y1"),
        ("$${A}", "${A}"),
        ("$$${A}", "$${A}"),
        ("$A", "$A"),
        ("${", "${"),
        ("${A", "${A"),
    ],
)
def test_expand__knows_one_form(text: str, expected: str) -> None:
    assert expand("s", text, {"A": "1"}) == expected


def test_expand__does_not_expand_a_value() -> None:
    assert expand("s", "${A}", {"A": "${B}", "B": "x"}) == "${B}"


@pytest.mark.parametrize("text", ["${B}", "${}", "${A B}"])
def test_expand__refuses_a_name_that_is_not_given(text: str) -> None:
    with pytest.raises(ServerError) as caught:
        expand("s", text, {"A": SECRET})
    assert caught.value.code == "server-environment"
    assert SECRET not in caught.value.message


def test_fill_launch__gives_path_home_and_what_is_named() -> None:
    environment = {"PATH": "/usr/bin:/bin", "HOME": "/h", "KEY": SECRET, "OTHER": "x"}
    start = fill(Launch(("sh", "--key=${KEY}"), ("KEY",)), environment)
    assert start.environment == {"PATH": "/usr/bin:/bin", "HOME": "/h", "KEY": SECRET}
    assert start.arguments == (f"--key={SECRET}",)
    assert start.program.is_absolute()


def test_fill_launch__expands_only_what_is_named() -> None:
    with pytest.raises(ServerError) as caught:
        fill(Launch(("sh", "${HOME}")), {"PATH": "/bin", "HOME": "/h"})
    assert caught.value.code == "server-environment"


def test_fill_launch__names_what_is_not_set() -> None:
    with pytest.raises(ServerError) as caught:
        fill(Launch(("sh",), ("B", "A", "KEY")), {"PATH": "/bin", "KEY": SECRET})
    assert caught.value.code == "server-environment"
    assert caught.value.message == "could not check s: not set in the environment: A, B"


def test_fill_launch__passes_relative_folders_of_path_over(tmp_path: Path) -> None:
    program = tmp_path / "tool"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    for path in ("", ".", "bin"):
        with pytest.raises(ServerError) as caught:
            fill(Launch(("tool",)), {"PATH": path}, tmp_path)
        assert caught.value.code == "server-start-failed"
    assert fill(Launch(("tool",)), {"PATH": str(tmp_path)}).program == program


def test_fill_launch__takes_a_slash_relative_to_the_folder(tmp_path: Path) -> None:
    (tmp_path / "tool").write_text("")
    assert fill(Launch(("./tool",)), {}, tmp_path).program == tmp_path / "tool"


def test_fill_launch__names_the_template_of_a_missing_program() -> None:
    with pytest.raises(ServerError) as caught:
        fill(Launch(("/nowhere/${KEY}",), ("KEY",)), {"KEY": SECRET})
    assert caught.value.message == "could not check s: no such program: /nowhere/${KEY}"


def test_fill_headers__expands_values() -> None:
    endpoint = Endpoint("http://h/", {"authorization": "Bearer ${KEY}"}, ("KEY",))
    assert fill_headers("s", endpoint, {"KEY": SECRET}) == {"authorization": f"Bearer {SECRET}"}


@pytest.mark.parametrize("name", ["", "a b", "a:", "\u00e9", "a\r\nb"])
def test_fill_headers__refuses_a_name_that_is_none(name: str) -> None:
    with pytest.raises(ServerError) as caught:
        fill_headers("s", Endpoint("http://h/", {name: "x"}), {})
    assert caught.value.code == "server-environment"


@pytest.mark.parametrize("value", ["a\r\nx: y", "a\0", "\u00e9"])
def test_fill_headers__refuses_a_value_that_ends_the_header(value: str) -> None:
    endpoint = Endpoint("http://h/", {"authorization": "${KEY}"}, ("KEY",))
    with pytest.raises(ServerError) as caught:
        fill_headers("s", endpoint, {"KEY": SECRET + value})
    assert caught.value.code == "server-environment"
    assert SECRET not in caught.value.message


def test_address__has_values_of_named_variables() -> None:
    endpoint = Endpoint("https://h/mcp?k=${TOKEN}", {}, ("TOKEN",))
    assert fill_url("s", endpoint, {"TOKEN": "v"}) == "https://h/mcp?k=v"
    with pytest.raises(ServerError):
        fill_url("s", endpoint._replace(environment=()), {"TOKEN": "v"})
