"""`init`: the five lines that it writes, and the commands that a new user goes on with."""

from __future__ import annotations

import re
from pathlib import Path

from tests.builders.command_line import CommandLine
from tests.builders.repositories import RepositoryBuilder

PROFILE = ".assembler/profile.yaml"


def test_next_steps__are_commands_that_work_there(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    result = assembler("init")
    assert result.code == 0
    assert len((repository.root / PROFILE).read_text().splitlines()) == 5
    named = re.findall(
        r"^  assembler (chain|check|lock|schema profile) ", result.text, re.MULTILINE
    )
    assert named == ["chain", "check", "lock", "schema profile"]
    for words in named:
        done = assembler(*words.split())
        assert done.code == 0, done.talk
    assert assembler("lock", "--check").code == 0
    assert max(map(len, result.text.splitlines())) <= 80


def test_snippets__are_what_the_files_take(
    assembler: CommandLine, repository: RepositoryBuilder, tmp_path: Path
) -> None:
    text = assembler("init").text
    (agents,) = re.findall(r"^  (agents: .*)$", text, re.MULTILINE)
    (host,) = re.findall(
        r"^((?:  .+\n)*  schema: assembler/host/1\n(?:  .+\n)+)", text, re.MULTILINE
    )
    profile = repository.root / PROFILE
    profile.write_text(f"{profile.read_text()}{agents}\n")
    (tmp_path / "host.yaml").write_text(re.sub("^  ", "", host, flags=re.MULTILINE))
    told = assembler("check", "--host", str(tmp_path / "host.yaml"), "-f", "json")
    assert told.code in (0, 1), told.talk
    # Who works here is then part of what is looked at.
    assert {"ASM150", "ASM116"} & {one["code"] for one in told.json["findings"]} == {"ASM150"}


def test_profile_that_is_there__stays(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write({PROFILE: "schema: assembler/profile/1\n"})
    result = assembler("init")
    assert (result.code, "(profile-exists)" in result.talk) == (2, True)
    assert (repository.root / PROFILE).read_text() == "schema: assembler/profile/1\n"
