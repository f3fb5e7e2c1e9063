"""Chains, objects and packages out of a store."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from assembler_verifier import NoStoreError, store_file, verify_package, verify_store
from assembler_verifier.chain import CHAIN_CHECKS
from assembler_verifier.self_test.kinds_chain_links import LINK_KINDS
from assembler_verifier.self_test.kinds_chain_rules import RULE_KINDS
from assembler_verifier.store import STORE_CHECKS
from assembler_verifier.verify import PACKAGE_CHECKS
from tests.verifier.stores import (
    KEY,
    add_events,
    claim,
    failed,
    package_of,
    run,
    whole_chain,
    with_row_changed,
    write_store,
)
from tests.verifier.vectors import lay_out

ROOT = Path(__file__).parent.parent.parent


def test_verify_store__holds_for_a_good_store(store: Path) -> None:
    report = verify_store(store)
    assert report.failed == []
    assert [item.id for item in report.claims] == list(STORE_CHECKS)
    assert {*CHAIN_CHECKS, *PACKAGE_CHECKS} == set(STORE_CHECKS)
    (chain,) = report.chains
    assert (chain.key, chain.events, chain.packages, chain.failed) == (KEY, 13, 3, ())
    assert chain.head == whole_chain().event(13)["event_sha256"]
    passed = {item.id for item in report.of("passed")}
    assert {"failure", "consumed-not-visible", "decision", "object-hash"} <= passed
    assert report.to_text().startswith("Store of 1 chain with 13 events holds: ")


def test_verify_store__knows_a_head_that_was_kept_elsewhere(store: Path) -> None:
    for number in (2, 13):
        head = whole_chain().event(number)["event_sha256"]
        assert claim(verify_store(store, exported_head=head), "exported-head").result == "passed"
    assert verify_store(store, exported_head="0" * 64).failed == ["exported-head"]


def test_verify_store__notices_a_cut_tail_by_the_head(tmp_path: Path) -> None:
    draft = whole_chain()
    head = draft.events.pop()["event_sha256"]
    path = write_store(tmp_path / "s", {KEY: draft})
    assert verify_store(path).failed == []
    assert verify_store(path, exported_head=head).failed == ["exported-head"]


NO_ROWS = {"chain-events-exchanged", "chain-event-member-added"}
"""Kinds that a table cannot hold: its rows come in order, and have no member more."""
KINDS = [kind for kind in (*LINK_KINDS, *RULE_KINDS) if kind.name not in NO_ROWS]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_verify_store__finds_what_is_wrong_in_a_chain(kind: Any, tmp_path: Path) -> None:
    draft = whole_chain()
    kind.change(draft)
    found = set(failed(tmp_path, draft))
    if kind.exported:
        assert found == set()
    else:
        assert set(kind.fails) <= found


@pytest.mark.parametrize(
    ("item", "members", "check"),
    [
        ("E", {"reason": "budget-exceeded"}, "decision"),
        ("E", {"trust": "authorized"}, "row-fields"),
        ("B", {"cost": 3}, "cost"),
        ("B", {"consumed_by": "0" * 64}, "consumed-by"),
    ],
)
def test_verify_store__compiles_every_run_again(
    item: str, members: dict[str, Any], check: str, tmp_path: Path
) -> None:
    draft = with_row_changed(whole_chain(), 2, item, **members)
    path = write_store(tmp_path / "s", {KEY: draft})
    report = verify_store(path)
    assert report.failed == [check]
    assert claim(report, check).detail.startswith("event 2: ")
    assert report.chains[0].failed == (check,)


def test_verify_store__finds_the_consumption_of_what_was_not_rendered(tmp_path: Path) -> None:
    draft = whole_chain()
    draft.write_payload(9, {**draft.payload(9), "id": "E"})
    draft.relink()
    report = verify_store(write_store(tmp_path / "s", {KEY: draft}))
    assert report.failed == ["consumed-not-visible"]
    assert 'event 9: "E" was not rendered' in claim(report, "consumed-not-visible").detail


def test_verify_store__compiles_failures_again_with_their_contents(tmp_path: Path) -> None:
    draft = whole_chain()
    draft.write_payload(13, {**draft.payload(13), "detail": {"id": "tool-0"}})
    draft.relink()
    assert failed(tmp_path, draft) == ["failure"]


def test_verify_store__names_an_altered_object(tmp_path: Path) -> None:
    draft = whole_chain()
    digest = draft.payload(2)["objects"][0]
    draft.payloads[digest] += b"!"
    report = verify_store(write_store(tmp_path / "s", {KEY: draft}))
    assert "object-hash" in report.failed
    assert claim(report, "object-hash").detail.startswith(f"object {digest[:12]}: other bytes")


def test_verify_store__notices_a_changed_byte_of_any_object(tmp_path: Path) -> None:
    draft = whole_chain()
    path = write_store(tmp_path / "s", {KEY: draft})
    chance = random.Random(0)
    for digest, data in list(draft.payloads.items())[::3]:
        changed = bytearray(data)
        changed[chance.randrange(len(data))] ^= chance.randrange(1, 256)
        with closing(sqlite3.connect(path)) as connection, connection:
            for content in (bytes(changed), data):
                connection.execute(
                    "UPDATE objects SET data = ? WHERE sha256 = ?", (content, digest)
                )
                connection.commit()
                assert ("object-hash" in verify_store(path).failed) == (content != data)
        assert list(tmp_path.iterdir()) == [path]


def test_verify_store__names_a_missing_object(tmp_path: Path) -> None:
    for number, digest in enumerate(
        [
            whole_chain().payload(2)["objects"][0],
            whole_chain().payload(2)["ledger_sha256"],
            whole_chain().payload(2)["request"]["sha256"],
            whole_chain().payload(12)["candidates"][1]["content"]["sha256"],
        ]
    ):
        draft = whole_chain()
        del draft.payloads[digest]
        report = verify_store(write_store(tmp_path / str(number), {KEY: draft}))
        assert "object-missing" in report.failed
        assert digest[:12] in claim(report, "object-missing").detail


def test_verify_store__does_not_ask_for_the_contents_of_an_interrupted_run(store: Path) -> None:
    interrupted = whole_chain().payload(8)["candidates"][1]["content"]["sha256"]
    assert interrupted not in whole_chain().payloads
    assert verify_store(store).failed == []


def test_verify_store__verifies_one_chain_or_all(tmp_path: Path) -> None:
    bad = with_row_changed(whole_chain(), 2, "B", cost=3)
    path = write_store(tmp_path / "s", {"good": whole_chain(), "bad": bad})
    report = verify_store(path)
    assert report.failed == ["cost"]
    assert claim(report, "cost").detail.startswith('chain "bad", event 2: ')
    assert {chain.key: chain.failed for chain in report.chains} == {"good": (), "bad": ("cost",)}
    assert verify_store(path, chain="good").failed == []
    assert verify_store(path, chain="bad").failed == ["cost"]
    with pytest.raises(NoStoreError) as caught:
        verify_store(path, chain="none")
    assert caught.value.code == "no-such-chain"


def test_verify_package__looks_itself_up_in_the_store(store: Path, tmp_path: Path) -> None:
    for request, outcome in ((1, 2), (5, 6), (4, 7)):
        files = package_of(whole_chain(), request, outcome)
        folder = lay_out(files, tmp_path / f"package-{request}")
        report = verify_package(folder, store=store)
        assert report.failed == []
        assert [item.id for item in report.claims[-2:]] == ["recorded", "store-object"]
        assert {item.result for item in report.claims[-2:]} == {"passed"}
        assert verify_package(folder, store=store, chain=KEY).failed == []


def test_verify_package__finds_that_the_store_has_another_event(
    store: Path, tmp_path: Path
) -> None:
    draft = whole_chain()
    draft.event(1)["recorded_at"] = "2026-09-15T00:00:00Z"
    draft.relink()
    folder = lay_out(package_of(draft, 1, 2), tmp_path / "package")
    assert verify_package(folder).failed == []
    report = verify_package(folder, store=store)
    assert report.failed == ["recorded"]
    assert "event 1 stands in no chain" in claim(report, "recorded").detail


def test_verify_package__does_not_take_two_events_from_two_chains(tmp_path: Path) -> None:
    one, other = whole_chain(), whole_chain()
    folder = lay_out(package_of(one, 1, 2), tmp_path / "package")
    del one.events[1:], other.events[0]
    path = write_store(tmp_path / "s", {"one": one, "other": other})
    assert verify_package(folder, store=path).failed == ["recorded"]


def test_verify_package__finds_that_the_store_has_other_bytes(store: Path, tmp_path: Path) -> None:
    draft = whole_chain()
    folder = lay_out(package_of(draft, 1, 2), tmp_path / "package")
    digests = [draft.payload(2)["ledger_sha256"], draft.payload(2)["objects"][0]]
    digests += [draft.event(2)["payload_sha256"], draft.payload(2)["rendered"]["sha256"]]
    for number, digest in enumerate(digests):
        changed = whole_chain()
        changed.payloads[digest] = b"others"
        path = write_store(tmp_path / f"changed-{number}", {KEY: changed})
        assert verify_package(folder, store=path).failed == ["store-object"]
        del changed.payloads[digest]
        path = write_store(tmp_path / f"missing-{number}", {KEY: changed})
        report = verify_package(folder, store=path)
        assert report.failed == ["store-object"]
        assert "is not in the store" in claim(report, "store-object").detail


def side_files(path: Path) -> dict[str, bytes]:
    return {item.name: item.read_bytes() for item in path.parent.iterdir()}


def test_verify_store__writes_nothing_beside_a_closed_store(store: Path) -> None:
    before = side_files(store)
    assert list(before) == [store.name]
    assert verify_store(store).holds
    assert side_files(store) == before


def test_verify_store__reads_what_an_owner_at_work_has_written(tmp_path: Path) -> None:
    path = tmp_path / "s"
    draft = whole_chain()
    last = draft.events.pop()
    write_store(path, {KEY: draft})
    with closing(sqlite3.connect(path, isolation_level=None)) as owner:
        add_events(owner, KEY, [last])
        before = side_files(path)
        assert len(before) == 3
        # Another process: in this one SQLite would share what the owner has open for writing.
        answer = json.loads(run("--store", path, "--format", "json").stdout)
        assert answer["exit_code"] == 0
        assert answer["chains"][0]["events"] == 13
        link = tmp_path / "elsewhere" / "link"
        link.parent.mkdir()
        link.symlink_to(path)
        answer = json.loads(run("--store", link, "--format", "json").stdout)
        assert answer["chains"][0]["events"] == 13
        link.unlink()
        link.parent.rmdir()
        assert side_files(path) == before
        assert owner.execute("SELECT count(*) FROM events").fetchone() == (13,)


def test_verify_store__opens_no_log_without_its_index(tmp_path: Path) -> None:
    path = write_store(tmp_path / "s", {KEY: whole_chain()})
    folder = tmp_path / "copy"
    folder.mkdir()
    with closing(sqlite3.connect(path, isolation_level=None)) as owner:
        owner.execute("INSERT INTO objects VALUES ('x', x'00')")
        for ending in ("", "-wal"):
            shutil.copy(f"{path}{ending}", folder)
    before = side_files(folder / "s")
    with pytest.raises(NoStoreError) as caught:
        verify_store(folder / "s")
    assert caught.value.code == "store-in-recovery"
    assert side_files(folder / "s") == before


def test_with_store__reads_again_if_the_store_was_written_to(store: Path) -> None:
    calls = []

    def use(_: store_file.Store) -> int:
        calls.append(1)
        if len(calls) == 1:
            os.utime(store, ns=(1, 1))
        return len(calls)

    assert store_file.with_store(store, use) == 2

    def keep_writing(_: store_file.Store) -> None:
        calls.append(1)
        os.utime(store, ns=(len(calls), len(calls)))

    with pytest.raises(NoStoreError) as caught:
        store_file.with_store(store, keep_writing)
    assert caught.value.code == "store-busy"


@pytest.mark.parametrize(
    "name", ["a b", "per%cent", "a?mode=rw", "hash#", "caf\u00e9", "-dash", "uri:x"]
)
def test_verify_store__opens_a_file_of_any_name(name: str, tmp_path: Path) -> None:
    path = write_store(tmp_path / "s", {KEY: whole_chain()}).rename(tmp_path / name)
    assert verify_store(path).holds
    assert list(tmp_path.iterdir()) == [path]


def test_command__verifies_a_store(store: Path) -> None:
    done = run("--store", store)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Store of 1 chain with 13 events holds: ")
    answer = json.loads(run("--store", store, "--chain", KEY, "--format", "json").stdout)
    assert (answer["schema"], answer["exit_code"]) == ("assembler/verify/1", 0)
    assert [chain["chain"] for chain in answer["chains"]] == [KEY]
    assert [item["id"] for item in answer["claims"]] == list(STORE_CHECKS)


def test_command__verifies_a_package_with_its_store(store: Path, tmp_path: Path) -> None:
    folder = lay_out(package_of(whole_chain(), 1, 2), tmp_path / "package")
    done = run(folder, "--store", store, "--format", "json")
    answer = json.loads(done.stdout)
    assert done.returncode == 0
    assert [item["id"] for item in answer["claims"]][-2:] == ["recorded", "store-object"]
    assert "chains" not in answer


@pytest.mark.parametrize(
    "words", [["--chain", "x"], ["--self-test", "d"], ["--self-test", "--store", "s"]]
)
def test_command__refuses_words_that_do_not_go_together(words: list[str]) -> None:
    done = run(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr


def test_producer__keeps_a_store_that_holds(tmp_path: Path) -> None:
    """The product itself, from outside: its own store and its own package."""
    repository = tmp_path / "repository"
    repository.mkdir()
    subprocess.run(["git", "init", "--quiet", repository], check=True)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "PYTHONPATH": str(ROOT),
    }
    for name in ("codeai-16", "tool-numbers", "codeai-9-unsatisfiable", "tool-name-unfit"):
        vector = json.loads((ROOT / "tests/conformance/vectors" / f"{name}.json").read_bytes())
        line = [sys.executable, "-m", "assembler", "assemble", "-q", "--inventory", "-"]
        subprocess.run(
            [*line, "--out", str(tmp_path / name)],
            cwd=repository,
            env=environment,
            input=json.dumps(vector["inventory"]).encode(),
            capture_output=True,
            check=False,
        )
    (path,) = (tmp_path / "state").rglob("*.sqlite3")
    report = verify_store(path)
    assert report.failed == []
    assert (report.chains[0].events, report.chains[0].packages) == (8, 2)
    assert claim(report, "failure").result == "passed"
    for name in ("codeai-16", "tool-numbers"):
        assert verify_package(tmp_path / name, store=path).failed == []
