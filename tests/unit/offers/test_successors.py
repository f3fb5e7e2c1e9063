"""What is read again in place of stale items: for whom, under which rules and which ids."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.builders.repositories import RepositoryBuilder
from tests.builders.secrets import make_tokens
from tests.builders.seen_evidence import Asker, digest, put_index

TOKEN = make_tokens(11)["github-token"][0]
SEEN = {"file": "a.txt", "revision": "r1"}


@pytest.fixture
def repository(tmp_path: Path) -> RepositoryBuilder:
    return RepositoryBuilder(tmp_path / "r")


@pytest.fixture
def ask(repository: RepositoryBuilder, tmp_path: Path) -> Asker:
    return Asker(repository, tmp_path)


def change(repository: RepositoryBuilder, old: str, new: str, **others: str) -> None:
    """A file that was one thing at r1 and is another one now."""
    repository.write({"a.txt": old, **others}).commit()
    repository.git("tag", "r1")
    repository.write({"a.txt": new}).commit()


KEPT_OUT = [
    ({"lineage": ["L"]}, {"seals": [{"lineage": "L"}]}, "sealed-lineage"),
    ({}, {"seals": [{"artifacts": "ID"}]}, "sealed-id"),
    ({"topics": ["u"]}, {"topics": ["t"]}, "off-topic"),
    ({"valid_to": "2020-01-01"}, {"as_of": ["2026-01-01"]}, "not-valid-then"),
    ({"expires_at": "2020-01-01T00:00:00Z"}, {}, "expired"),
]


@pytest.mark.parametrize(("facts", "task", "reason"), KEPT_OUT)
@pytest.mark.parametrize("name", ["file:a.txt@r1", "summary:s"])
def test_item__that_another_rule_keeps_out_has_nothing_read_again(
    repository: RepositoryBuilder,
    ask: Asker,
    facts: dict[str, Any],
    task: dict[str, Any],
    reason: str,
    name: str,
) -> None:
    put_index(repository, "r1", {"path": "a.txt", "sha256": digest("one\n")})
    change(repository, "one\n", "two\n")
    entry = SEEN if name.startswith("file:") else {"summary": "s"}
    seals = [{key: name if at == "ID" else at for key, at in seal.items()}
             for seal in task.get("seals", [])]  # fmt: skip
    terms = {**task, **({"seals": seals} if seals else {})}
    answer = ask({**entry, **facts}, now="2026-06-01T00:00:00Z", **terms)
    assert answer.error is None
    assert answer.rows[name]["reason"] == reason
    assert answer.rows[name]["refreshed_by"] is None
    assert "file:a.txt" not in answer.rows
    assert "two" not in answer.text


def test_denied_summary__has_nothing_read_again(repository: RepositoryBuilder, ask: Asker) -> None:
    put_index(repository, "r1", {"path": "a.txt", "sha256": digest("one\n")}, file=".env")
    change(repository, "one\n", "two\n")
    rows = ask.rows({"summary": "s"})
    assert rows["summary:s"]["reason"] == "access-denied"
    assert "file:a.txt" not in rows


def test_successor__keeps_what_something_else_gives_it(
    repository: RepositoryBuilder, ask: Asker
) -> None:
    change(repository, "one\n", "two\n")
    sealed = {**SEEN, "lineage": ["L"]}
    seals = [{"lineage": "L"}]
    named = ask.rows(sealed, {"file": "a.txt"}, seals=seals)["file:a.txt"]
    assert (named["reason"], named["decides"], named["replaces"]) == (
        "fits", "asked by the task", [],
    )  # fmt: skip
    hit = ask.rows(sealed, seals=seals, search=[{"name": "a.*"}])["file:a.txt"]
    assert (hit["reason"], hit["replaces"]) == ("no-decision-value", [])
    put_index(repository, "r1", {"path": "a.txt", "sha256": digest("one\n")})
    both = ask.rows(sealed, {"summary": "s"}, seals=seals)["file:a.txt"]
    assert (both["reason"], both["replaces"]) == ("fits", ["summary:s"])


@pytest.mark.parametrize("name", ["file:a.txt@r1", "summary:s"])
def test_required_item__with_a_secret_refuses_also_when_it_is_stale(
    repository: RepositoryBuilder, ask: Asker, name: str
) -> None:
    old = f"x {TOKEN}\n" if name.startswith("file:") else "one\n"
    change(repository, old, "clean\n")
    put_index(repository, "r1", {"path": "a.txt", "sha256": digest(old)}, text=f"s {TOKEN}\n")
    entry = SEEN if name.startswith("file:") else {"summary": "s"}
    answer = ask(entry, required=[name])
    assert answer.code == "secret-in-text"
    optional = ask(entry)
    row = optional.rows[name]
    assert (row["reason"], row["refreshed_by"]) == ("turned-away", None)
    assert "file:a.txt" not in optional.rows
    for content in (old, f"s {TOKEN}\n"):
        if TOKEN in content:
            assert digest(content).encode() not in optional.everything


def test_digest__of_a_secret_that_was_written_since_is_not_recorded(
    repository: RepositoryBuilder, ask: Asker
) -> None:
    new = f"x {TOKEN}\n"
    change(repository, "one\n", new)
    answer = ask(SEEN)
    assert answer.rows["file:a.txt@r1"]["reason"] == "freshness-unknown"
    assert answer.rows["file:a.txt"]["detail"]["code"] == "secret-in-text"
    assert digest(new).encode() not in answer.everything
    assert ask(SEEN, required=["file:a.txt@r1"]).code == "secret-in-text"


def grouped(group: str, revision: str = "r1", file: str = "a.txt") -> dict[str, Any]:
    return {"file": file, "revision": revision, "group": group}


@pytest.mark.parametrize("turn", [1, -1])
@pytest.mark.parametrize("big", ["b.txt", "c.txt"])
def test_groups__that_one_successor_stands_in_are_one_in_any_order(
    repository: RepositoryBuilder, ask: Asker, turn: int, big: str
) -> None:
    others = {"b.txt": "b\n", "c.txt": "c\n", big: "word " * 150_000}
    repository.write({"a.txt": "zero\n"}).commit()
    repository.git("tag", "r0")
    change(repository, "one\n", "two\n", **others)
    entries = [grouped("g", "r0"), grouped("h"), {"file": "b.txt", "group": "g"},
               {"file": "c.txt", "group": "h"}]  # fmt: skip
    rows = ask.rows(*entries[::turn])
    members = [rows[f"file:{name}"] for name in ("a.txt", "b.txt", "c.txt")]
    assert "one group" not in rows["file:a.txt@r1"]["discovered_by"]
    # Of both groups nothing may come in without the member that is too big.
    assert [row["decision"] for row in members] == ["rejected"] * 3
    assert {row["detail"].get("group") for row in members} == {"g"}
    assert "one group with g: h" in rows["file:c.txt"]["discovered_by"]
    assert "one group with g: g, h" in rows["file:a.txt"]["discovered_by"]


def test_groups__that_fit_together_come_in_together(
    repository: RepositoryBuilder, ask: Asker
) -> None:
    change(repository, "one\n", "two\n", **{"b.txt": "b\n", "c.txt": "c\n"})
    own = {"file": "a.txt", "group": "k"}
    rows = ask.rows(own, grouped("g"), {"file": "b.txt", "group": "g"})
    assert {rows[f"file:{name}"]["reason"] for name in ("a.txt", "b.txt")} == {"fits"}
    assert "one group with g: g, k" in rows["file:a.txt"]["discovered_by"]


def test_group__is_required_as_a_whole_where_it_joins_a_required_one(
    repository: RepositoryBuilder, ask: Asker
) -> None:
    repository.write({"a.txt": "zero\n"}).commit()
    repository.git("tag", "r0")
    change(repository, "one\n", "two\n", **{"b.txt": "b\n", "c.txt": "c\n"})
    entries = [grouped("g", "r0"), grouped("h"), {"file": "c.txt", "group": "h"}]
    rows = ask.rows(*entries, required=["file:a.txt@r0"])
    assert {rows[f"file:{name}"]["reason"] for name in ("a.txt", "c.txt")} == {"required"}
    mixed = ask(grouped("g"), {"file": "b.txt", "group": "g"}, required=["file:a.txt@r1"])
    assert mixed.code == "inventory-group-mixed"
