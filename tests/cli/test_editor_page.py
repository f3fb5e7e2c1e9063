"""The page about editors: its block runs, its table is whole, its settings name what is there."""

from __future__ import annotations

import json
import re

from jsonschema import Draft202012Validator

from assembler.adapters.yaml_events import read_yaml
from assembler.cli.schema import NAMES
from tests.builders.command_line import CommandLine
from tests.builders.documents import DOCS, block, run_script
from tests.builders.repositories import RepositoryBuilder

PAGE = (DOCS / "editors-and-shells.md").read_text(encoding="utf-8")


def test_block__writes_every_schema_and_changes_no_finding(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    before = assembler("check").text
    done = run_script(block("editors-and-shells", "schemas"), assembler)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    folder = repository.root / ".assembler/schemas"
    assert {path.name for path in folder.iterdir()} == {f"{name}.schema.json" for name in NAMES}
    for path in folder.iterdir():
        Draft202012Validator.check_schema(json.loads(path.read_bytes()))
    assert assembler("check").text == before


def test_table__has_every_schema() -> None:
    assert re.findall(r"^\| `(\w+)` \| \[", PAGE, re.MULTILINE) == list(NAMES)


def test_example__is_taken_by_its_schema_and_its_reader(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    schema = assembler("schema", "profile").json
    named = re.match(r"# yaml-language-server: \$schema=schemas/(\S+)\n", example)
    assert named is not None
    assert named[1] == schema["$id"]
    value = json.loads(json.dumps(read_yaml(example.encode()).value))
    assert Draft202012Validator(schema).is_valid(value)
    repository.write({".assembler/profile.yaml": example})
    assert assembler("check").code == 0


def test_settings__name_schemas_that_the_block_writes() -> None:
    (text,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    settings = json.loads(text)
    named = [*settings["yaml.schemas"], *(entry["url"] for entry in settings["json.schemas"])]
    for path in named:
        name = path.removeprefix("./").removeprefix(".assembler/schemas/")
        assert name.removesuffix(".schema.json") in NAMES
