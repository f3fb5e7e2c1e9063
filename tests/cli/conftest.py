"""A small repository, the sample of the demo, and a command line for each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from assembler.adapters.sample_repository import SampleRepository, build_sample, sample_source
from tests.builders.catalogs import Bench
from tests.builders.command_line import CommandLine
from tests.builders.live_bench import LiveBench
from tests.builders.repositories import RepositoryBuilder
from tests.builders.skill_lists import skill
from tests.builders.skills import HOME, lock_entry, skill_files, write_lock

SKILL = "---\nname: pdf\ndescription: Reads PDF files.\n---\n# PDF\n\nUse it.\n"


@pytest.fixture
def repository(tmp_path: Path) -> RepositoryBuilder:
    builder = RepositoryBuilder(tmp_path / "repository")
    builder.write(
        {
            "AGENTS.md": "# Rules\n\nKeep the diff small.\n",
            "src/x.py": "def parse():\n    return 1\n",
            "src/AGENTS.md": "# Source\n\nNo new dependency.\n",
            "docs/notes.md": "The parser is slow.\n",
            ".agents/skills/pdf/SKILL.md": SKILL,
        }
    )
    builder.commit()
    return builder


@pytest.fixture
def assembler(repository: RepositoryBuilder, tmp_path: Path) -> CommandLine:
    return CommandLine(cwd=repository.root, home=tmp_path / "home")


@pytest.fixture
def sample(tmp_path: Path) -> SampleRepository:
    """A sample that a test may change."""
    return build_sample(tmp_path / "sample", sample_source())


@pytest.fixture
def plain(tmp_path: Path) -> CommandLine:
    """A folder without a repository: the record has a chain for that too."""
    (tmp_path / "plain").mkdir()
    return CommandLine(cwd=tmp_path / "plain", home=tmp_path / "home")


@pytest.fixture
def skills(repository: RepositoryBuilder) -> RepositoryBuilder:
    """A repair, one name at two levels, and a skill that asks for tools."""
    repository.write(
        {
            ".agents/skills/pdf/SKILL.md": skill("pdf", "Use when: the input is a PDF"),
            ".agents/skills/pdf/references/forms.md": "forms\n",
            "packages/web/.agents/skills/pdf/SKILL.md": skill("pdf", "Of the web package."),
            "packages/web/.agents/skills/lint/SKILL.md": skill(
                "lint", more="allowed-tools: Bash(npm run:*), Read\n"
            ),
        }
    )
    repository.commit()
    return repository


@pytest.fixture
def locked(repository: RepositoryBuilder) -> RepositoryBuilder:
    """A pinned skill with a file, and one that nobody pinned."""
    repository.write({f"{HOME}/pdf/references/a.md": "a\n"})
    repository.write(skill_files("csv"))
    write_lock(repository, lock_entry(repository, "pdf"))
    repository.commit()
    return repository


@pytest.fixture
def bench(assembler: CommandLine, repository: RepositoryBuilder, tmp_path: Path) -> Bench:
    """A repository without pins, and a place for listings."""
    (tmp_path / "listings").mkdir()
    return Bench(repository, assembler, tmp_path / "listings")


@pytest.fixture
def live(bench: Bench) -> Iterator[LiveBench]:
    """The same with servers that run; whatever a test does, none is left behind."""
    servers = LiveBench(bench)
    yield servers
    assert servers.left_over() == []
