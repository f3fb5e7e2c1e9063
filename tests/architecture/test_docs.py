"""The pages say what the code does: names, keys, codes and examples are compared, not trusted."""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from assembler import errors
from assembler.adapters.codex_yaml import MAX_YAML_CHARACTERS
from assembler.adapters.patterns import compile_grant, compile_patterns
from assembler.adapters.yaml_events import read_yaml
from assembler.agents.skill_catalog import MAX_TOTAL_BYTES
from assembler.authorize.read_scope import GrantLayer, ReadScope
from assembler.config.artifacts import read_artifacts
from assembler.config.baseline import read_baseline
from assembler.config.dated_records import read_records
from assembler.config.decoding import decode
from assembler.config.defaults import DEFAULT_DENY
from assembler.config.host import Host
from assembler.config.inventory import parse_inventory
from assembler.config.listing import read_definitions, read_listing
from assembler.config.lock import read_lock
from assembler.config.pin import read_pin
from assembler.config.profile import Profile
from assembler.config.task import Task, read_task
from assembler.discover.servers import DECLARATION_FILES, Members
from assembler.errors import ConfigError, RefusedError
from assembler.front.agent_inputs import find_rules, known_agents
from assembler.front.agent_skill_reading import MAX_SKILL_FILE_BYTES
from assembler.front.schemas import json_schema
from assembler.model.agent import CODEX
from assembler.model.agent_skills import CODEX_SKILLS
from assembler.model.canonical import canonical_line
from assembler.model.decision import INELIGIBLE, Reason
from assembler.record.catalog_events import read_events

ROOT = Path(__file__).parents[2]
FORMATS = ROOT / "docs" / "formats"
DECISIONS = ROOT / "docs" / "decisions"
VECTORS = ROOT / "tests" / "conformance" / "vectors"
SCHEMAS = ("profile", "task", "host", "artifacts", "lock", "records", "baseline")

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
NAMED_PAGE = re.compile(r"docs/(?:formats|decisions)/[A-Za-z0-9-]+\.md")
MARKED = re.compile(r"^<!-- vector: (\S+) (\S+)(?: (\S+))? -->\n```json\n(.*?)^```$", re.M | re.S)
CODE_SPAN = re.compile(r"`([^`]+)`")


def pages() -> list[Path]:
    others = (ROOT / "README.md", ROOT / "ARCHITECTURE.md")
    return sorted((ROOT / "docs").rglob("*.md")) + [path for path in others if path.is_file()]


def sources() -> list[Path]:
    return sorted(
        [*(ROOT / "assembler").rglob("*.py"), *(ROOT / "assembler_verifier").rglob("*.py")]
    )


def page(name: str) -> str:
    return (FORMATS / f"{name}.md").read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    return [body for kind, body in FENCE.findall(text) if kind == language]


def table_rows(text: str) -> Iterator[list[str]]:
    """The cells of every table row outside code."""
    for line in FENCE.sub("", text).splitlines():
        if line.startswith("|"):
            yield [cell.strip() for cell in line.strip("|").split("|")]


def spans(text: str) -> set[str]:
    return set(CODE_SPAN.findall(FENCE.sub("", text)))


def vector(name: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((VECTORS / f"{name}.json").read_bytes())
    return value


# What code and pages name is there.


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(ROOT)))
def test_code__names_pages_that_exist(path: Path) -> None:
    for name in NAMED_PAGE.findall(path.read_text(encoding="utf-8")):
        assert (ROOT / name).is_file(), f"{path} names {name}"


@pytest.mark.parametrize("path", pages(), ids=lambda path: str(path.relative_to(ROOT)))
def test_link__leads_somewhere(path: Path) -> None:
    for target in LINK.findall(FENCE.sub("", path.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", target) or target.startswith("#"):
            continue
        assert (path.parent / target.partition("#")[0]).exists(), f"{path} links to {target}"


def test_index__names_every_page() -> None:
    linked = set(LINK.findall(page("README")))
    assert {path.name for path in FORMATS.glob("*.md")} - {"README.md"} <= linked


@pytest.mark.parametrize("path", sorted(DECISIONS.glob("*.md")), ids=lambda path: path.stem)
def test_record__has_its_parts(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert re.match(rf"# {path.stem[:4]} \S.*\n\nStatus: \w+.*\nDate: \d{{4}}-\d\d-\d\d\n", text)
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == [
        "Context",
        "Drivers",
        "Options",
        "Outcome",
        "Negative consequences",
    ]


def test_records__are_numbered_without_gaps() -> None:
    numbers = [int(path.stem[:4]) for path in sorted(DECISIONS.glob("*.md"))]
    assert numbers == list(range(1, len(numbers) + 1))


# Keys of the files that people write.


def schema_keys(name: str) -> dict[str, tuple[bool, dict[str, Any]]]:
    """Dotted paths of a JSON Schema, with whether each is required and its own schema."""
    schema = json_schema(name)
    found: dict[str, tuple[bool, dict[str, Any]]] = {}

    def walk(node: dict[str, Any], path: str) -> None:
        if "$ref" in node:
            node = {**schema["$defs"][node["$ref"].rpartition("/")[2]], **node}
        for choice in node.get("anyOf", []):
            walk(choice, path)
        for key, member in node.get("properties", {}).items():
            inner = f"{path}.{key}" if path else key
            found[inner] = (key in node.get("required", []), member)
            walk(member, inner)
        if isinstance(node.get("additionalProperties"), dict):
            walk(node["additionalProperties"], f"{path}.NAME")
        if isinstance(node.get("items"), dict):
            walk(node["items"], path)

    walk(schema, "")
    return found


def key_rows(name: str) -> dict[str, list[str]]:
    """The first row of a page's tables for each key they begin with; `[]` is for people."""
    rows: dict[str, list[str]] = {}
    for row in table_rows(page(name)):
        if len(row) > 2:
            rows.setdefault(row[0].strip("`").replace("[]", ""), row)
    return rows


def spell_default(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


@pytest.mark.parametrize("name", SCHEMAS)
def test_page__has_a_row_for_every_key_and_no_other(name: str) -> None:
    keys, rows = schema_keys(name), key_rows(name)
    assert set(keys) <= set(rows)
    dotted = {key for key in rows if re.fullmatch(r"[a-z_]+(\.[A-Za-z_0-9]+)+", key)}
    assert dotted <= set(keys)


@pytest.mark.parametrize("name", SCHEMAS)
def test_row__tells_the_default(name: str) -> None:
    for key, (required, schema) in schema_keys(name).items():
        default = key_rows(name)[key][2].strip("`")
        if required:
            assert default == "required", key
        elif isinstance(schema.get("default"), dict) and schema["default"]:
            assert default == "below", key
        elif "default" in schema and key != "schema":
            assert default == spell_default(schema["default"]), key


def value_keys(value: object, path: str = "") -> set[str]:
    """Dotted paths of a document, names of a free mapping as `NAME`."""
    free = {"servers", "tools.servers"}
    keys: set[str] = set()
    if isinstance(value, list):
        for item in value:
            keys |= value_keys(item, path)
    elif isinstance(value, dict):
        for key, inner in value.items():
            name = "NAME" if path in free else str(key)
            here = f"{path}.{name}" if path else name
            keys |= {here} | value_keys(inner, here)
    return keys


@pytest.mark.parametrize("name", SCHEMAS)
def test_first_example__is_complete(name: str) -> None:
    text = page(name)
    example = (blocks(text, "yaml") or blocks(text, "json"))[0]
    assert set(schema_keys(name)) <= value_keys(read_yaml(example.encode()).value)


INVENTORY_TABLES = {
    "## Members": "Inventory",
    "### `task`": "Task",
    "### `adapter`": "Adapter",
    "### `budget`": "Budget",
    "### A candidate": "Candidate",
}


@pytest.mark.parametrize(("heading", "name"), INVENTORY_TABLES.items())
def test_inventory_page__has_each_member_of_the_schema_with_its_default(
    heading: str, name: str
) -> None:
    part = re.split(r"\n#+ ", page("inventory").partition(f"\n{heading}\n")[2])[0]
    told = {
        member: row[2].strip("`")
        for row in table_rows(part)
        if len(row) > 3
        for member in CODE_SPAN.findall(row[0])
    }
    record = json_schema("inventory")["$defs"][name]
    assert set(told) == set(record["properties"])
    for member, default in told.items():
        if member in record["required"]:
            assert default == "required", member
        else:
            value = record["properties"][member]["default"]
            shown = value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
            # That of one depends on another member, which the page says in words.
            assert default == shown or member == "overhead", member


# Examples.


def accept_inventory(data: bytes) -> None:
    parse_inventory(json.loads(data))


def accept_task(data: bytes) -> None:
    assert read_task(data, path="task.yaml", read_document=read_yaml) != Task()


READERS: dict[str, Callable[[bytes], object]] = {
    "profile": lambda data: decode(
        read_yaml(data), Profile, path="profile.yaml", schema="assembler/profile/1"
    ),
    "host": lambda data: decode(read_yaml(data), Host, path="host.yaml", schema="assembler/host/1"),
    "task": accept_task,
    "artifacts": lambda data: read_artifacts(read_yaml(data), path="artifacts.json"),
    "baseline": lambda data: read_baseline(
        data, path="baseline.json", read_document=lambda text, _: read_yaml(text)
    ),
    "lock": lambda data: read_lock(
        data, path="lock.json", read_document=lambda text, _: read_yaml(text)
    ),
    "records": lambda data: read_records(read_yaml(data), path="records.yaml"),
    "inventory": accept_inventory,
    "pin": lambda data: read_pin(data, server=json.loads(data)["server"], where="pin.json"),
}


def examples() -> list[tuple[str, str, str]]:
    """Page, schema name and text of each example of a file that the product reads."""
    found = []
    for path in sorted(FORMATS.glob("*.md")):
        for kind, body in FENCE.findall(path.read_text(encoding="utf-8")):
            marked = re.search(r'^\W*schema"?: "?assembler/([a-z]+)/1', body, re.MULTILINE)
            if kind in ("yaml", "json") and marked and marked.group(1) in READERS:
                found.append((path.stem, marked.group(1), body))
    return found


@pytest.mark.parametrize(("where", "schema", "text"), examples())
def test_example__is_accepted_by_its_reader(where: str, schema: str, text: str) -> None:
    READERS[schema](text.encode())


def test_examples__show_every_format_that_is_read() -> None:
    assert {schema for _, schema, _ in examples()} == set(READERS)


def test_example__would_be_refused_with_a_wrong_key() -> None:
    with pytest.raises(ConfigError):
        READERS["profile"](b"schema: assembler/profile/1\nwindows: 3\n")


def test_catalogs__show_a_listing_its_pin_and_definitions() -> None:
    text = page("catalogs")
    listing, pin = (block.encode() for block in blocks(text, "json"))
    (tool,) = read_listing([listing], where="listing")
    pinned = read_pin(pin, server="repository-index", where="pin")
    assert dict(pinned.tools) == {tool.name: tool}
    plain = [block for block in blocks(text, "") if block.startswith("[")]
    assert [item.name for item in read_definitions(plain[0].encode(), where="x")] == ["read_file"]
    assert tool.rendered().decode() + "\n" in blocks(text, "")


def test_catalog_events__show_an_event_that_a_log_may_hold() -> None:
    (text,) = blocks(page("catalog-events"), "json")
    line = canonical_line(json.loads(text))
    (event,) = read_events(line, where="the page")
    assert event.admitted == ("find_symbol",)


def spell_members(members: Members) -> str:
    return " → ".join(f"`{key}`" for key in members.keys) or "the top of the file"


def test_catalogs__list_the_files_that_may_declare_servers() -> None:
    listed = {row[0].strip("`"): row[1] for row in table_rows(page("catalogs")) if len(row) == 2}
    for name, places in DECLARATION_FILES.items():
        assert listed[name] == ", ".join(map(spell_members, places)), name


def vector_member(name: str, member: str, row: str | None) -> Any:
    expected = vector(name)["expected"]
    match member:
        case "ledger":
            rows = [json.loads(line) for line in expected["ledger_text"].splitlines()]
            return next(item for item in rows if item["id"] == row)
        case "manifest" | "head":
            return json.loads(expected[f"{member}_text"])
        case "preimages.package_id":
            return json.loads(expected["preimages"]["package_id"])
        case _:
            return expected[member]


def marked_examples() -> list[tuple[str, str, str | None, str]]:
    return [
        (name, member, row or None, body)
        for path in sorted(FORMATS.glob("*.md"))
        for name, member, row, body in MARKED.findall(path.read_text(encoding="utf-8"))
    ]


@pytest.mark.parametrize(("name", "member", "row", "text"), marked_examples())
def test_marked_example__is_what_the_vector_has(
    name: str, member: str, row: str | None, text: str
) -> None:
    shown, real = json.loads(text), vector_member(name, member, row)
    if isinstance(shown, dict):
        real = {key: real[key] for key in shown}
    assert shown == real


def test_marked_examples__are_found() -> None:
    assert len(marked_examples()) >= 6


# Members of what is written.


def all_keys(value: object) -> set[str]:
    if isinstance(value, dict):
        return set(value) | set().union(*(all_keys(item) for item in value.values()))
    if isinstance(value, list):
        return set().union(*(all_keys(item) for item in value))
    return set()


@pytest.mark.parametrize(
    ("name", "member"),
    [("inventory", "normal_inventory"), ("package", "manifest"), ("events", "head")],
)
def test_page__names_every_member(name: str, member: str) -> None:
    keys = all_keys(vector_member("codeai-16", member, None))
    assert keys <= {word for span in spans(page(name)) for word in re.findall(r"\w+", span)}


def test_ledger_page__names_every_member_of_a_row() -> None:
    row = vector_member("codeai-16", "ledger", "B")
    named = spans(page("ledger"))
    assert set(row) | set(row["states"]) | set(row["span"]) | set(row["bound"]) <= named


# Codes.


@cache
def refusal_codes() -> frozenset[str]:
    """Codes that stand as text where a RefusedError is made, also by way of one helper."""
    classes = {
        name
        for name, value in inspect.getmembers(errors, inspect.isclass)
        if issubclass(value, RefusedError)
    }
    codes: set[str] = set()
    for path in sources():
        tree = ast.parse(path.read_bytes())
        makers = set(classes)
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef):
                parameters = [argument.arg for argument in function.args.args]
                for call in calls_of(function, classes):
                    first = call.args[0] if call.args else None
                    if isinstance(first, ast.Name) and [first.id] == parameters[:1]:
                        makers.add(function.name)
        for call in calls_of(tree, makers):
            first = call.args[0] if call.args else None
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                codes.add(first.value)
    return frozenset(codes)


def calls_of(tree: ast.AST, names: set[str]) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
            yield node


def test_decisions__name_every_refusal() -> None:
    assert refusal_codes() <= spans(page("decisions"))


def test_refusals__are_explained_each_and_no_other() -> None:
    from assembler.model.refusal_texts import REFUSALS

    assert set(REFUSALS) == refusal_codes()


def test_refusal_table__is_what_the_compiler_raises() -> None:
    listed = {row[1].strip("`") for row in table_rows(page("decisions")) if len(row) == 5}
    steps = {code for code in listed if re.fullmatch(r"[a-z]+(-[a-z]+)+", code)}
    before_any_request = {"profile-widens-host", "transition-required", "lock-stale"}
    assert steps == refusal_codes() - before_any_request


def test_refusal_table__has_every_code_of_the_vectors() -> None:
    named = spans(page("decisions"))
    for path in VECTORS.glob("*.json"):
        failure = json.loads(path.read_bytes()).get("expected", {}).get("failure")
        if failure is not None:
            assert failure["code"] in named
            assert set(failure["detail"]) <= named


def test_reasons__stand_in_the_order_of_trial() -> None:
    names = {reason.value for reason in Reason}
    first = [row[0].strip("`") for row in table_rows(page("decisions")) if len(row) == 3]
    assert [name for name in first if name in names] == [reason.value for reason in Reason]


def test_ledger_page__lists_what_is_not_eligible() -> None:
    (row,) = (row for row in table_rows(page("ledger")) if row[0] == "`eligible`")
    assert set(CODE_SPAN.findall(row[1])) == {reason.value for reason in INELIGIBLE}


def test_defects__are_named() -> None:
    folder = ROOT / "assembler" / "config"
    text = "".join(path.read_text() for path in folder.glob("*.py"))
    defects = set(re.findall(r'\bfail\(\s*"([a-z-]+)"', text)) | {"unreadable"}
    listed = {row[0].strip("`") for row in table_rows(page("inventory")) if len(row) == 2}
    assert defects == {name for name in listed if re.fullmatch(r"[a-z]+(-[a-z]+)*", name)} - {
        "counter",
        "defect",
    }


def test_configuration_codes__are_named() -> None:
    folder = ROOT / "assembler"
    files = (folder / "config" / "decoding.py", folder / "adapters" / "yaml_events.py")
    codes = set(re.findall(r'"((?:config|yaml)-[a-z-]+)"', "".join(map(Path.read_text, files))))
    assert len(codes) > 6
    assert codes <= spans(page("conventions"))


# The diagnosis.


def test_diagnosis_page__names_claims_questions_and_their_words() -> None:
    from assembler.diagnose.measures import MECHANISMS
    from assembler.diagnose.policy import NOT_DUE
    from assembler.model.catalogue import RULES

    text = page("diagnosis")
    claims = {slug for code, (slug, _) in RULES.items() if code in ("ASM401", "ASM402", "ASM403")}
    assert claims == set(re.findall(r"^### `([a-z]+(?:_[a-z]+)+)`$", text, re.MULTILINE))
    questions = {row[0].strip("`"): row[1] for row in table_rows(text) if row[1:2] != ["type"]}
    for code in ("ASM405", "ASM406", "ASM407", "ASM408"):
        assert questions[RULES[code][0]] == code
    assert spans(text) >= NOT_DUE
    mechanisms = {
        reason: row[0].strip("`")
        for row in table_rows(text)
        if row[0].strip("`") in MECHANISMS.values()
        for reason in CODE_SPAN.findall(row[1])
    }
    assert mechanisms == MECHANISMS


# The read grant.


def test_read_grant__lists_the_default_denies() -> None:
    (listed,) = (block for block in blocks(page("read-grant"), "") if ".netrc" in block)
    assert listed.split() == list(DEFAULT_DENY)


def test_read_grant__answers_as_its_example_says() -> None:
    text = page("read-grant")
    host, profile = (read_yaml(block.encode()).value for block in blocks(text, "yaml"))
    assert isinstance(host, dict)
    assert isinstance(profile, dict)
    scope = ReadScope((layer("host", host, DEFAULT_DENY), layer("profile", profile, ())))
    rows = list(table_rows(text))
    first = rows.index(["path", "answer", "why"]) + 2
    for path, answer, _ in rows[first : first + 6]:
        assert (scope.deny_rule(path.strip("`")) or "may be read") == answer.strip("`"), path


def layer(name: str, document: dict[str, Any], before: tuple[str, ...]) -> GrantLayer:
    read = document["read"]
    return GrantLayer(
        name=name,
        deny=compile_patterns(read["deny"], where=name, before=before),
        allow=compile_grant(read["allow"], where=name),
    )


# ARCHITECTURE.md


def test_invariants__name_tests_that_are_there() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    named = re.findall(r"^\d+\. .*`(tests/[^`]+)`$", text, re.MULTILINE)
    assert len(named) == len(re.findall(r"^\d+\. ", text, re.MULTILINE)) > 10
    for place in named:
        file, _, test = place.partition("::")
        source = (ROOT / file).read_text(encoding="utf-8")
        assert f"def {test}(" in source if test else "def test_" in source, place


def test_compatibility_page__says_what_the_description_says() -> None:
    text = (ROOT / "docs" / "compatibility.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| ([^|]+) \| (.+) \|$", text, re.MULTILINE))
    walk, framing = CODEX.walk, CODEX.framing
    assert rows["measured on"] == CODEX.version
    names = next(value for key, value in rows.items() if key.startswith("names of a folder"))
    assert CODE_SPAN.findall(names)[:2] == list(walk.usual_names)
    assert CODE_SPAN.findall(rows["root"])[1:] == list(walk.markers)
    assert rows["limit"].startswith(f"{walk.limit_bytes:,} raw bytes")
    assert (walk.cut, "cut at the raw byte" in rows["at the limit"]) == ("raw-byte", True)
    assert (walk.same_file, rows["one file under two names"]) == ("twice", "loaded twice")
    assert (walk.outside_links, rows["links"].startswith("followed")) == ("followed", True)
    assert (walk.bom, "byte order mark kept" in rows["decoding"]) == ("kept", True)
    assert any(f"{CODEX.max_file_bytes:,} bytes" in key for key in rows)
    home = rows["user's own file"]
    assert CODE_SPAN.findall(home)[:2] == list(CODEX.home.names)
    assert (CODEX.home.variable in home, CODEX.home.folder in home) == (True, True)
    assert rows["role"] == CODEX.role
    assert rows["imports (`@path`)"] == CODEX.imports
    assert f"{framing.heading}{framing.place}" in rows["framing"]
    assert framing.opening.strip() in rows["framing"]
    assert framing.closing.strip() in rows["framing"]


def test_compatibility_page__says_what_the_described_lists_are() -> None:
    text = (ROOT / "docs" / "compatibility.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| ([^|]+) \| (.+) \|$", text, re.MULTILINE))
    columns = {key: [cell.strip() for cell in value.split("|")] for key, value in rows.items()}
    found = [find_rules(name) for name in known_agents()]
    assert columns["what the list is"] == [f"{rules.title} {rules.version}" for rules in found]
    for index, rules in enumerate(found):
        skills = rules.skills
        assert skills is not None
        listing, places = skills.listing, columns["places of skills"][index]
        assert all(place.folders[0] in places for place in skills.places)
        assert ("at any depth" in columns["a `SKILL.md` counts"][index]) is skills.scan.any_depth
        assert ("race" in columns["of equal names"][index]) is (listing.equal == "race")
        most = "no limit" if listing.most_units is None else f"{listing.most_units:,} UTF-16"
        assert columns["description at most"][index].startswith(most)
        room = "no limit" if listing.budget is None else f"{listing.budget.limit:,} UTF-16"
        assert columns["room for the list"][index].startswith(room)
        if listing.budget is not None:
            for figure in listing.budget[1:]:
                assert f"{figure:,}" in text
    assert f"{MAX_SKILL_FILE_BYTES:,} bytes" in text
    assert f"{MAX_TOTAL_BYTES:,} bytes" in text


def test_compatibility_page__says_what_the_skill_rules_say() -> None:
    text = (ROOT / "docs" / "compatibility.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| ([^|]+) \| (.+) \|$", text, re.MULTILINE))
    rules = CODEX_SKILLS
    assert rows["skills measured on"] == CODEX.version
    roots = CODE_SPAN.findall(rows["roots, in the order of search"])
    assert [root for root in roots if "skills" in root] == [kind.folder for kind in rules.roots]
    assert rules.file_name in rows["a skill file"]
    assert f"at most {rules.max_depth} folders" in rows["a skill file"]
    assert f"{rules.max_folders:,} folders" in rows["bounds of a root"]
    assert f"{rules.max_entries:,} names" in rows["bounds of a root"]
    assert str(rules.max_name_characters) in rows["name"]
    assert str(rules.max_qualified_name_characters) in rows["name"]
    assert f"{rules.max_description_characters:,}" in rows["description"]
    assert rules.product in rows[f"`{rules.policy_path}`"]
    assert CODE_SPAN.findall(rows["plugin"]) == list(rules.manifest_paths)
    assert rows["order of the lines"].startswith(", ".join(rules.prompt_order))
    assert rows["budget"].startswith(f"{rules.budget_percent}% of the model's window")
    assert f"divided by {rules.bytes_per_token}" in rows["budget"]
    assert f"{rules.fallback_characters:,} characters" in rows["budget"]
    assert f"{rules.unknown_model.window_tokens:,}" in rows["window"]
    assert f"`{rules.models[0].slug}`" in rows["model"]
    assert f"{MAX_SKILL_FILE_BYTES:,} bytes" in text
    assert f"{MAX_YAML_CHARACTERS:,} characters" in text
