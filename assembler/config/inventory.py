"""Read `assembler/inventory/1` as a host gives it.

In: the plain value of a document. Out: an `Inventory` whose sets are sorted and whose contents
are still in the host's form. Never here: reading a path, choosing anything.
A malformed inventory has no normal form; it is reported with one of the defects of
docs/formats/inventory.md (`shape`, `limit`, `duplicate-id` …), as the error's code
`inventory-DEFECT`.
"""

from __future__ import annotations

from typing import Any, Final

from assembler.config.members import (
    COUNTER,
    MAX_COUNT,
    NAME,
    UNIT,
    fail,
    read_base64,
    read_count,
    read_date,
    read_digest,
    read_ids,
    read_integer,
    read_list,
    read_mapping,
    read_members,
    read_optional,
    read_set,
    read_signed,
    read_spelled,
    read_string,
    read_text,
    read_time,
    read_topics,
    read_word,
)
from assembler.model.candidate import (
    SECTIONS,
    TOOL_KINDS,
    Absent,
    Address,
    Candidate,
    Content,
    FreshnessEntry,
    FromPath,
    Inline,
    Size,
    Stored,
)
from assembler.model.counting import DECLARED
from assembler.model.inventory import (
    ADAPTERS,
    LAYOUTS,
    ORDERS,
    SCHEMA,
    Adapter,
    BudgetTerms,
    Inventory,
    Prompt,
    Seal,
    TaskIdentity,
)
from assembler.model.limits import (
    MAX_CANDIDATES,
    MAX_ID_BYTES,
    MAX_PATH_BYTES,
    MAX_REVISION_BYTES,
    MAX_WORDS_BYTES,
)
from assembler.model.trust import TRUST_WORDS

COUNTER_UNITS: Final = {"code-points": "code-point", "utf8-bytes": "byte"}
"""What some counters count; `declared` counts any unit, every other one tokens."""
SIZE_BASES: Final = ("declared", "estimated")


def parse_inventory(value: object) -> Inventory:
    """An inventory from its plain value.

    Raises:
        ConfigError: with code `inventory-` and the defect, and the member's place.
    """
    top = read_members(
        value,
        "$",
        required=("schema", "task", "budget", "required", "candidates"),
        optional=("revision", "layout", "adapter", "seal", "order"),
        defaults={"required": []},
    )
    if read_text(top["schema"], "$.schema", MAX_WORDS_BYTES) != SCHEMA:
        fail("limit", "$.schema", f"not {SCHEMA}")
    rows = read_list(top["candidates"], "$.candidates")
    if len(rows) > MAX_CANDIDATES:
        fail("limit", "$.candidates", f"more than {MAX_CANDIDATES:,} candidates")
    candidates = [_candidate(row, f"$.candidates[{index}]") for index, row in enumerate(rows)]
    inventory = Inventory(
        task=_task(top["task"]),
        budget=_budget(top["budget"]),
        candidates=tuple(sorted(candidates, key=lambda candidate: candidate.id)),
        required=read_ids(top["required"], "$.required"),
        revision=read_optional(top.get("revision"), "$.revision", MAX_REVISION_BYTES),
        layout=read_word(top.get("layout", LAYOUTS[0]), "$.layout", LAYOUTS),
        adapter=_adapter(top.get("adapter", {"name": "text"})),
        seal=_seal(top.get("seal", {})),
        order=read_word(top.get("order", "canonical"), "$.order", ORDERS),
    )
    _check_whole(inventory)
    return inventory


def _check_whole(inventory: Inventory) -> None:
    """What no single member can tell."""
    seen: set[str] = set()
    groups: dict[str, bool] = {}
    for candidate in inventory.candidates:
        if candidate.id in seen:
            fail("duplicate-id", "$.candidates", "an id stands twice", candidate.id)
        seen.add(candidate.id)
        if candidate.group is not None:
            required = candidate.id in inventory.required_ids
            if groups.setdefault(candidate.group, required) != required:
                fail(
                    "group-mixed",
                    "$.candidates",
                    "a group of required and optional members",
                    candidate.id,
                )
        if candidate.section == "evidence" and candidate.position != 0:
            fail("position-in-evidence", "$.candidates", "evidence has no position", candidate.id)
        if candidate.kind in TOOL_KINDS and (
            candidate.section != "tools" or candidate.trust != "authorized"
        ):
            fail("tool-misplaced", "$.candidates", "tools stand in section tools", candidate.id)
        if candidate.section == "policy" and candidate.trust != "authorized":
            fail("policy-untrusted", "$.candidates", "policy is authorized", candidate.id)


def _task(value: object) -> TaskIdentity:
    where = "$.task"
    task = read_members(
        value,
        where,
        required=("id", "actor", "prompt", "objective"),
        optional=("as_of", "now", "topics"),
    )
    prompt = read_members(task["prompt"], f"{where}.prompt", required=("name", "version"))
    as_of, topics = task.get("as_of"), task.get("topics")
    if as_of == []:
        fail("dates-empty", f"{where}.as_of", "no asked date; leave it out instead")
    return TaskIdentity(
        id=read_text(task["id"], f"{where}.id", MAX_ID_BYTES),
        actor=read_text(task["actor"], f"{where}.actor", MAX_ID_BYTES),
        prompt=Prompt(
            name=read_text(prompt["name"], f"{where}.prompt.name", MAX_ID_BYTES),
            version=read_text(prompt["version"], f"{where}.prompt.version", MAX_ID_BYTES),
        ),
        objective=read_text(task["objective"], f"{where}.objective", MAX_ID_BYTES),
        as_of=None if as_of is None else read_set(as_of, f"{where}.as_of", read_date),
        now=read_time(task.get("now"), f"{where}.now"),
        topics=None if topics is None else read_topics(topics, f"{where}.topics"),
    )


def _budget(value: object) -> BudgetTerms:
    where = "$.budget"
    budget = read_members(
        value, where, required=("unit", "counter", "window"), optional=("reserves", "overhead")
    )
    unit = read_spelled(budget["unit"], f"{where}.unit", UNIT)
    counter = read_spelled(budget["counter"], f"{where}.counter", COUNTER)
    if counter != DECLARED and unit != COUNTER_UNITS.get(counter, "token"):
        fail("unit-counter", where, "this counter does not count this unit")
    reserves = read_mapping(budget.get("reserves", {}), f"{where}.reserves")
    overhead = budget.get("overhead")
    if counter == DECLARED:
        overhead = read_count(0 if overhead is None else overhead, f"{where}.overhead")
    elif overhead is not None:
        read_integer(overhead, f"{where}.overhead")
        fail("limit", f"{where}.overhead", "overhead is measured with this counter")
    return BudgetTerms(
        unit=unit,
        counter=counter,
        window=read_count(budget["window"], f"{where}.window"),
        reserves=tuple(
            (
                read_spelled(name, f"{where}.reserves", NAME),
                read_count(amount, f"{where}.reserves.{name}"),
            )
            for name, amount in sorted(reserves.items())
        ),
        overhead=overhead,
    )


def _seal(value: object) -> Seal:
    names = ("events", "artifacts", "calls", "lineage")
    seal = read_members(value, "$.seal", optional=names)
    return Seal(**{name: read_ids(seal.get(name, []), f"$.seal.{name}") for name in names})


def _adapter(value: object) -> Adapter:
    where = "$.adapter"
    adapter = read_members(value, where, required=("name",), optional=("model", "max_output"))
    limit = adapter.get("max_output")
    return Adapter(
        name=read_word(adapter["name"], f"{where}.name", ADAPTERS),
        model=read_optional(adapter.get("model"), f"{where}.model", MAX_WORDS_BYTES),
        max_output=None if limit is None else read_count(limit, f"{where}.max_output", least=1),
    )


def _candidate(value: object, where: str) -> Candidate:
    row = read_members(
        value,
        where,
        required=("id", "kind", "section", "trust", "content"),
        optional=_OPTIONAL_MEMBERS,
    )

    def words(name: str) -> str | None:
        return read_optional(row.get(name), f"{where}.{name}", MAX_WORDS_BYTES)

    def ids(name: str) -> tuple[str, ...]:
        return read_ids(row.get(name, []), f"{where}.{name}")

    def time(name: str) -> str | None:
        return read_time(row.get(name), f"{where}.{name}")

    def date(name: str) -> str | None:
        return None if row.get(name) is None else read_date(row[name], f"{where}.{name}")

    kind = read_spelled(row["kind"], f"{where}.kind", NAME)
    if kind == "end":
        fail("limit", f"{where}.kind", "`end` closes items")
    value_of_decision = row.get("decision_value")
    return Candidate(
        id=read_text(row["id"], f"{where}.id", MAX_ID_BYTES),
        kind=kind,
        section=read_word(row["section"], f"{where}.section", SECTIONS),
        trust=read_word(row["trust"], f"{where}.trust", TRUST_WORDS),
        content=_content(row["content"], f"{where}.content"),
        source=words("source"),
        scope=words("scope"),
        revision=read_optional(row.get("revision"), f"{where}.revision", MAX_REVISION_BYTES),
        size=_size(row.get("size"), f"{where}.size"),
        lineage=ids("lineage"),
        topics=read_topics(row.get("topics", []), f"{where}.topics"),
        valid_from=date("valid_from"),
        valid_to=date("valid_to"),
        expires_at=time("expires_at"),
        version=words("version"),
        discovered_by=words("discovered_by"),
        observed_at=time("observed_at"),
        retrieved_at=time("retrieved_at"),
        replaces=ids("replaces"),
        conflicts_with=ids("conflicts_with"),
        refreshed_by=read_optional(row.get("refreshed_by"), f"{where}.refreshed_by", MAX_ID_BYTES),
        refresh=words("refresh"),
        freshness=_freshness(row.get("freshness", []), f"{where}.freshness"),
        decision_value=(
            None
            if value_of_decision is None
            else read_signed(value_of_decision, f"{where}.decision_value")
        ),
        decides=words("decides"),
        group=read_optional(row.get("group"), f"{where}.group", MAX_ID_BYTES),
        position=read_signed(row.get("position", 0), f"{where}.position"),
        address=_address(row.get("address"), f"{where}.address"),
    )


_OPTIONAL_MEMBERS: Final = (
    "source", "scope", "revision", "size", "lineage", "topics", "valid_from", "valid_to",
    "expires_at", "version", "discovered_by", "observed_at", "retrieved_at", "replaces",
    "conflicts_with", "refreshed_by", "refresh", "freshness", "decision_value", "decides",
    "group", "position", "address",
)  # fmt: skip


def _content(value: object, where: str) -> Content:
    content = read_mapping(value, where)
    match sorted(content):
        case ["text"]:
            text = read_string(content["text"], f"{where}.text")
            return Inline(text.encode("utf-8"))
        case ["base64"]:
            return Inline(read_base64(content["base64"], f"{where}.base64"))
        case ["path"] | ["lines", "path"]:
            path = read_text(content["path"], f"{where}.path", MAX_PATH_BYTES)
            return FromPath(path, _lines(content.get("lines"), f"{where}.lines"))
        case ["bytes", "sha256"]:
            return Stored(
                read_digest(content["sha256"], f"{where}.sha256"),
                read_count(content["bytes"], f"{where}.bytes"),
            )
        case ["absent"] | ["absent", "rule"] | ["absent", "code", "where"]:
            return _absent(content, where)
        case _:
            fail("shape", where, "not one of the forms of content")


BARE_ABSENT_WORDS: Final = ("path-not-utf8", "unread", "unreadable")
ABSENT_WORDS: Final = ("denied", "turned-away", *BARE_ABSENT_WORDS)


def _absent(content: dict[str, Any], where: str) -> Absent:
    word = read_word(content["absent"], f"{where}.absent", ABSENT_WORDS)
    names = {"denied": {"rule"}, "turned-away": {"code", "where"}}
    if set(content) != {"absent"} | names.get(word, set()):
        fail("shape", where, f"members that `{word}` does not have, or lacks")
    if word == "denied":
        return Absent(word, rule=read_text(content["rule"], f"{where}.rule", MAX_WORDS_BYTES))
    if word == "turned-away":
        return Absent(
            word,
            code=read_spelled(content["code"], f"{where}.code", NAME),
            where=read_text(content["where"], f"{where}.where", MAX_ID_BYTES),
        )
    return Absent(word)


def _lines(value: object, where: str) -> tuple[int, int] | None:
    if value is None:
        return None
    pair = read_list(value, where)
    if len(pair) != 2:
        fail("shape", where, "not a first and a last line")
    first, last = (read_integer(number, where) for number in pair)
    if not 1 <= first <= last <= MAX_COUNT:
        fail("lines", where, "not 1 <= first <= last")
    return first, last


def _size(value: object, where: str) -> Size | None:
    if value is None:
        return None
    size = read_members(value, where, required=("value", "unit", "basis"))
    return Size(
        read_count(size["value"], f"{where}.value"),
        read_spelled(size["unit"], f"{where}.unit", UNIT),
        read_word(size["basis"], f"{where}.basis", SIZE_BASES),
    )


def _freshness(value: object, where: str) -> tuple[FreshnessEntry, ...]:
    entries: dict[str, FreshnessEntry] = {}
    for index, item in enumerate(read_list(value, where)):
        place = f"{where}[{index}]"
        entry = read_members(item, place, required=("source", "seen", "current"))
        source = read_text(entry["source"], f"{place}.source", MAX_WORDS_BYTES)
        if source in entries:
            fail("freshness-twice", place, "this source stands twice")
        seen = read_digest(entry["seen"], f"{place}.seen")
        current = entry["current"]
        entries[source] = FreshnessEntry(
            source, seen, None if current is None else read_digest(current, f"{place}.current")
        )
    return tuple(entries[source] for source in sorted(entries))


def _address(value: object, where: str) -> Address | None:
    if value is None:
        return None
    names = ("source_id", "version", "line_start", "line_end")
    address = read_members(value, where, required=names)
    lines = _lines([address["line_start"], address["line_end"]], where)
    assert lines is not None  # a list was given
    return Address(
        read_text(address["source_id"], f"{where}.source_id", MAX_WORDS_BYTES),
        read_text(address["version"], f"{where}.version", MAX_WORDS_BYTES),
        *lines,
    )
