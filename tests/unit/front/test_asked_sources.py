from __future__ import annotations

from typing import Any

from assembler.config.task import Search, Task
from assembler.front.asked_sources import (
    SOURCES,
    ask_sources,
    rows_about,
    sources_without_task,
)


def row(identifier: str, found_by: str | None, **more: Any) -> dict[str, Any]:
    kind = "source" if identifier.startswith("file:") else "summary"
    facts = {"id": identifier, "discovered_by": found_by, "kind": kind, "source": None}
    return {"section": "evidence", **facts, **more}


def found(path: str, task: Task, rows: list[dict[str, Any]]) -> set[str]:
    return {source.source for source in ask_sources(path, task, [], rows) if source.found}


def test_rows__are_about_a_path_by_their_id_or_their_source() -> None:
    rows = [
        row("file:a/b.py", "task"),
        row("file:a/b.py#L1-L2", "task"),
        row("file:a/b.pyc", "task"),
        row("test:t", "task", source="a/b.py#L3-L4"),
        row("issue:1", "task", source="https://a/b.py"),
    ]
    assert [item["id"] for item in rows_about("a/b.py", rows)] == [
        "file:a/b.py", "file:a/b.py#L1-L2", "test:t",
    ]  # fmt: skip


def test_search__is_found_by_its_own_words_alone() -> None:
    task = Task(objective="x", search=[Search(name="*.py"), Search(name="*.py", in_="a/**")])
    rows = [
        row("file:b.py", "search name *.py in **: 2 hits, limit 50"),
        row("file:a/c.py", "search name *.py in **: 2 hits, limit 50; "
            "search name *.py in a/**: 1 hit, limit 50"),
    ]  # fmt: skip
    assert found("b.py", task, rows) == {"search 1"}
    assert found("a/c.py", task, rows) == {"search 1", "search 2"}
    notes = [source.note for source in ask_sources("z", task, [], rows) if source.asked]
    assert notes == ["name *.py in **: 2 hits, limit 50", "name *.py in a/**: 1 hit, limit 50"]


def test_search__for_a_text_that_looks_like_two_parts_is_one() -> None:
    task = Task(objective="x", search=[Search(text="a; b: c")])
    rows = [row("file:x", 'task; search text "a; b: c" in **: 1 hit, limit 50; cut')]
    (asked,) = [source for source in ask_sources("x", task, [], rows) if source.asked]
    assert asked.found
    assert asked.note == 'text "a; b: c" in **: 1 hit, limit 50'


def test_source__without_a_line_of_its_own_is_named_by_its_row() -> None:
    rows = [row("file:a", "some other source: 3 files; and what was found then")]
    assert found("a", Task(objective="x"), rows) == {"some other source: 3 files"}


def test_summary__that_is_read_again_names_its_source() -> None:
    rows = [row("file:a#L1-L2", "summary:s is stale: read again")]
    assert found("a", Task(objective="x"), rows) == {"artifact index"}


def test_without_a_task__every_source_is_named_and_none_asked() -> None:
    sources = sources_without_task()
    assert [source.source for source in sources] == list(SOURCES)
    assert not any(source.asked or source.found for source in sources)
