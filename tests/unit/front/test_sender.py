"""The host's way to a provider: reached by a whole run on record, and by no other."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assembler import Refused, Sender, Task, assemble, compile_inventory
from assembler.adapters.store import Store
from assembler.errors import UsageError
from assembler.front.recording import Wanted
from tests.builders.inventories import inventory_value, item
from tests.builders.repositories import RepositoryBuilder
from tests.builders.vectors import load_vector


class RecordingSender:
    """A synthetic transport: what it was given, and how often."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []

    def send(self, body: bytes) -> object:
        self.bodies.append(body)
        return {"status": 200}


class FailingSender:
    def send(self, body: bytes) -> object:
        raise ConnectionError(len(body))


@pytest.fixture
def compile_it(tmp_path: Path) -> Callable[..., Any]:
    def run(value: object, **options: Any) -> Any:
        home = {"HOME": str(tmp_path / "home")}
        return compile_inventory(
            value,  # type: ignore[arg-type]
            **{"directory": tmp_path, "environment": home, **options},
        )

    return run


def events(tmp_path: Path) -> list[str]:
    with Store(tmp_path / "home/.local/state/assembler") as store:
        return [event.event for chain in store.chains() for event in store.events(chain)]


def test_sender__gets_the_recorded_body_once(
    compile_it: Callable[..., Any], tmp_path: Path
) -> None:
    sender: Sender = RecordingSender()
    run = compile_it(load_vector("codeai-16")["inventory"], sender=sender, out=tmp_path / "out")
    assert sender.bodies == [run.request.body]  # type: ignore[attr-defined]
    assert run.request.body == (tmp_path / "out/request.json").read_bytes()
    assert run.answer == {"status": 200}


REFUSALS = [
    "codeai-ghost", "codeai-three-ghosts", "codeai-required-missing", "codeai-required-sealed",
    "codeai-9-unsatisfiable", "codeai-16-output-over-reserve", "adapter-incomplete",
    "tool-content-unfit", "counter-unavailable",
]  # fmt: skip


@pytest.mark.parametrize("name", REFUSALS)
def test_sender__is_never_reached_by_a_refused_run(
    compile_it: Callable[..., Any], tmp_path: Path, name: str
) -> None:
    sender = RecordingSender()
    with pytest.raises(Refused) as caught:
        compile_it(load_vector(name)["inventory"], sender=sender)
    assert sender.bodies == []
    expected = load_vector(name)["expected"]
    assert caught.value.code == expected["failure"]["code"]
    assert events(tmp_path) == [event["event"] for event in expected["events"]]


def test_sender__is_not_reached_where_the_package_can_not_be_written(
    compile_it: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/x").write_text("")
    sender = RecordingSender()
    with pytest.raises(UsageError):
        compile_it(inventory_value(item("a")), sender=sender, out=tmp_path / "out")
    assert sender.bodies == []


def test_sender__is_not_reached_by_a_body_that_does_not_carry_the_text(
    compile_it: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The check is driven by a bind step that loses text: patched, since no inventory does."""
    import assembler.pipeline
    from assembler.bind.request import bind

    def lose_text(*arguments: Any, **options: Any) -> Any:
        request = bind(*arguments, **options)
        return request._replace(body=request.body.replace(b"SOURCE-B", b"SOURCE-X"))

    monkeypatch.setattr(assembler.pipeline, "bind", lose_text)
    sender = RecordingSender()
    with pytest.raises(Refused) as caught:
        compile_it(load_vector("codeai-16")["inventory"], sender=sender)
    assert caught.value.code == "request-mismatch"
    assert caught.value.detail == {"pointer": "/text"}
    assert sender.bodies == []
    assert events(tmp_path) == ["context.compilation_requested", "context.preparation_failed"]


def test_sender__that_fails_leaves_the_run_on_record(
    compile_it: Callable[..., Any], tmp_path: Path
) -> None:
    with pytest.raises(ConnectionError) as caught:
        compile_it(inventory_value(item("a")), sender=FailingSender())
    assert caught.value.__notes__ == ["assembler: run 1 is whole and on record"]
    assert events(tmp_path) == ["context.compilation_requested", "context.compiled"]


def test_wanted__names_no_sender_unless_the_host_gives_one() -> None:
    assert Wanted._field_defaults["sender"] is None


@pytest.mark.parametrize("form", ["value", "bytes", "path"])
def test_inventory__is_a_value_bytes_or_a_path(
    compile_it: Callable[..., Any], tmp_path: Path, form: str
) -> None:
    value = load_vector("codeai-16")["inventory"]
    (tmp_path / "i.json").write_text(json.dumps(value))
    given = {"value": value, "bytes": json.dumps(value).encode(), "path": "i.json"}[form]
    run = compile_it(given)
    assert run.identities.package_id == load_vector("codeai-16")["expected"]["package_id"]
    assert run.executor is None
    run.request.require_carried(run.request.body)


def test_sender__of_a_repository_gets_the_body_too(tmp_path: Path) -> None:
    repository = RepositoryBuilder(tmp_path / "repository")
    repository.write({"AGENTS.md": "# Rules\n"})
    repository.commit()
    sender = RecordingSender()
    home = {"HOME": str(tmp_path / "home")}
    run = assemble(repository.root, Task(objective="x"), sender=sender, environment=home)
    assert sender.bodies == [run.request.body]
    with pytest.raises(Refused):
        assemble(
            repository.root,
            Task(objective="x", required=["file:nope"]),
            sender=sender,
            environment=home,
        )
    assert len(sender.bodies) == 1
    repository.write({"AGENTS.md": "# Other\n"})
    with pytest.raises(Refused) as caught:
        assemble(
            repository.root,
            Task(objective="x"),
            sender=sender,
            environment=home,
            continue_run=1,
        )
    assert caught.value.code == "transition-required"
    assert len(sender.bodies) == 1
    again = assemble(
        repository.root,
        Task(objective="x"),
        environment=home,
        continue_run=1,
        because="the rules were renamed",
    )
    assert again.number == 3


def test_argument__of_another_type_is_said_at_once(
    compile_it: Callable[..., Any], tmp_path: Path
) -> None:
    value = inventory_value(item("a"))
    home = {"HOME": str(tmp_path / "home")}
    for call in (
        lambda: compile_it(42),
        lambda: compile_it(value, sender=object()),
        lambda: assemble(tmp_path, "fix", environment=home),  # type: ignore[arg-type]
        lambda: assemble(tmp_path, Task(objective="x"), targets="a", environment=home),
    ):
        with pytest.raises(TypeError):
            call()
    assert not (tmp_path / "home").exists()
