"""What is read again in place of stale items: for whom, under which rules and which ids."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.builders.repositories import RepositoryBuilder
from tests.builders.secrets import make_tokens
from tests.builders.seen_evidence import Answer, Asker, digest, put_index

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


def test_summary__that_is_unknown_for_another_source_has_the_stale_one_read_again(
    repository: RepositoryBuilder, ask: Asker
) -> None:
    gone = {"path": "a.gone", "sha256": digest("gone\n")}
    put_index(repository, "none", gone, {"path": "a.txt", "sha256": digest("one\n")})
    change(repository, "one\n", "two\n")
    rows = ask.rows({"summary": "s"})
    assert rows["summary:s"]["reason"] == "freshness-unknown"
    assert rows["file:a.txt"]["reason"] == "fits"
    assert ask({"summary": "s"}, required=["summary:s"]).code == "required-rejected"


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


ODD = {"a.txt#L1-L1": "odd lines\n", "a.txt@r1": "odd revision\n", "m.py#f": "odd name\n"}


def contents(answer: Answer) -> dict[str, str | None]:
    """Digest of the content, by id."""
    return {name: row["content_sha256"] for name, row in answer.rows.items()}


@pytest.mark.parametrize(
    ("entry", "odd"),
    [
        ({"file": "a.txt", "lines": [1, 1]}, "a.txt#L1-L1"),
        ({"file": "a.txt", "revision": "r1"}, "a.txt@r1"),
        ({"symbol": "m.py#f"}, "m.py#f"),
    ],
)
@pytest.mark.parametrize("turn", [1, -1])
def test_file__that_is_called_like_a_part_of_another_is_refused_beside_it(
    repository: RepositoryBuilder, ask: Asker, entry: dict[str, Any], odd: str, turn: int
) -> None:
    change(repository, "one\n", "two\n", **{**ODD, "m.py": "def f():\n    pass\n"})
    answer = ask(*[entry, {"file": odd}][::turn])
    assert answer.code == "config-value"
    assert f"two entries are file:{odd}" in str(answer.error)


@pytest.mark.parametrize(
    "found_by",
    [
        {"targets": [*ODD]},
        {"search": [{"name": "*#*"}, {"name": "*@*"}]},
        {"changed": {"since": "r0"}},
    ],
)
def test_file__that_is_called_like_a_part_of_another_is_an_item_of_its_own(
    repository: RepositoryBuilder, ask: Asker, found_by: dict[str, Any]
) -> None:
    repository.write({"a.txt": "one\n"}).commit()
    repository.git("tag", "r0")
    change(repository, "one\nx\n", "two\nx\n", **{**ODD, "m.py": "def f():\n    pass\n"})
    lines = {"file": "a.txt", "lines": [1, 1], "revision": "r1"}
    answer = ask(lines, SEEN, {"symbol": "m.py#f"}, **found_by)
    # The section that stands in the place of the stale one, and not the file of that name.
    assert contents(answer)["file:a.txt#L1-L1"] == digest("two\n")
    assert answer.rows["file:a.txt@r1"]["reason"] == "stale"
    assert contents(answer)["file:m.py#f"] == digest("def f():\n    pass\n")
    for path in ODD:
        row = answer.rows[f"file:sha256:{digest(path)}"]
        assert row["source"] == path
        assert f"file:{path} is another item, this is the file of that name" in row["discovered_by"]


def test_requirement__goes_to_the_lines_and_not_to_a_file_that_is_called_like_them(
    repository: RepositoryBuilder, ask: Asker
) -> None:
    change(repository, "one\nx\n", "two\nx\n", **ODD)
    lines = {"file": "a.txt", "lines": [1, 1], "revision": "r1"}
    name = "file:a.txt#L1-L1"
    answers = [
        ask(*entries, required=[f"{name}@r1"])
        for entries in ((lines, {"file": "a.txt#L1-L1"}), ({"file": "a.txt#L1-L1"}, lines))
    ]
    for answer in answers:
        again = answer.rows[f"{name}@r1"]["refreshed_by"]
        assert again.startswith("file:sha256:")
        assert answer.rows[again]["reason"] == "required"
        assert (answer.rows[again]["source"], answer.rows[again]["replaces"]) == (
            "a.txt#L1-L1", [f"{name}@r1"],
        )  # fmt: skip
        assert contents(answer)[again] == digest("two\n")
        assert contents(answer)[name] == digest("odd lines\n")
    assert contents(answers[0]) == contents(answers[1])


def test_passed_over_file__that_is_called_like_lines_has_a_row(
    repository: RepositoryBuilder, ask: Asker
) -> None:
    repository.write({"a.txt": "one\n", ".gitignore": "*#*\n"}).commit()
    repository.write({"a.txt#L1-L1": "odd\n"})
    rows = ask.rows({"file": "a.txt", "lines": [1, 1]}, search=[{"name": "a.*"}])
    assert rows["file:a.txt#L1-L1"]["content_sha256"] == digest("one\n")
    assert rows[f"file:sha256:{digest('a.txt#L1-L1')}"]["detail"]["code"] == "git-ignored"


def folder(size_bytes: int) -> str:
    """A folder whose path, with `/f.txt` behind it, has so many bytes."""
    length = size_bytes - len("/f.txt")
    parts = ["d" * 200] * (length // 201)
    return "/".join([*parts, "e" * (length - 201 * len(parts))])


@pytest.mark.parametrize(
    ("size_bytes", "stands_in"),
    [(507, "id"), (508, "source"), (2048, "source"), (2049, "digest"), (3006, "digest")],
)
def test_long_path__is_the_source_of_an_item_whose_id_is_a_digest(
    repository: RepositoryBuilder, ask: Asker, size_bytes: int, stands_in: str
) -> None:
    path = f"{folder(size_bytes)}/f.txt"
    repository.write({path: "deep\n"}).commit()
    rows = ask.rows({"file": path})
    name = f"file:{path}" if stands_in == "id" else f"file:sha256:{digest(path)}"
    source = {"id": None, "source": path, "digest": f"sha256:{digest(path)}"}[stands_in]
    assert rows[name]["source"] == source
    assert rows[name]["reason"] == "fits"


def test_long_path__of_what_was_seen_and_of_a_summary_is_bounded_in_freshness(
    repository: RepositoryBuilder, ask: Asker
) -> None:
    path = f"{folder(3006)}/f.txt"
    put_index(repository, "r1", {"path": path, "sha256": digest("deep\n")})
    repository.write({path: "deep\n"}).commit()
    repository.git("tag", "r1")
    seen = {"file": path, "revision": "r1"}
    name = f"file:sha256:{digest(f'{path}@r1')}"
    rows = ask.rows(seen, {"summary": "s"})
    assert {rows[name]["reason"], rows["summary:s"]["reason"]} == {"fits"}
    repository.write({path: "deeper\n"}).commit()
    rows = ask.rows(seen, {"summary": "s"})
    for stale in (name, "summary:s"):
        assert rows[stale]["reason"] == "stale"
        assert rows[stale]["detail"]["source"] == f"sha256:{digest(path)}"
        assert rows[stale]["refreshed_by"] == f"file:sha256:{digest(path)}"
