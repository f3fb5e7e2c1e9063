"""`explain PATH` says what `assemble` does."""

from __future__ import annotations

import pytest

from tests.builders.command_line import CommandLine
from tests.builders.repositories import RepositoryBuilder

SKILL = "---\nname: zip\ndescription: Packs.\n---\n# Zip\n"


@pytest.mark.parametrize(
    ("path", "first"),
    [
        ("AGENTS.md", "AGENTS.md   IN   instructions"),
        ("src/AGENTS.md", "src/AGENTS.md   OUT   outside-chain"),
        ("src/x.py", "src/x.py   OUT   not-offered"),
        ("x.py", "src/x.py   OUT   not-offered"),
        ("src", "src   OUT   not-a-file"),
        (".env", ".env   DENIED   access-denied"),
        ("out.txt", "out.txt   OUT   link-leaves-repository"),
        ("docs/agents.md", "docs/agents.md   OFF   wrong-case-name"),
        (".agents/skills/pdf/SKILL.md", ".agents/skills/pdf/SKILL.md   IN   skill"),
        (".agents/skills/zip/ref.md", ".agents/skills/zip/ref.md   OUT   skill"),
        (".agents/skills/bad/SKILL.md",
         ".agents/skills/bad/SKILL.md   OUT   skill-no-front-matter"),
    ],
)  # fmt: skip
def test_explain__answers_for_every_kind_of_path(
    assembler: CommandLine, repository: RepositoryBuilder, path: str, first: str
) -> None:
    repository.write(
        {
            ".env": "x",
            "docs/agents.md": "x",
            ".agents/skills/zip/SKILL.md": SKILL,
            ".agents/skills/zip/ref.md": "x",
            ".agents/skills/bad/SKILL.md": "no head\n",
        }
    )
    repository.link({"out.txt": "/etc/hostname"})
    result = assembler("explain", path)
    assert result.code == 0, result.talk
    assert result.text.splitlines()[0] == first
    assert assembler("explain", path, "-f", "json").json["item"] == first.split(maxsplit=1)[0]


def test_explain__gives_a_fix_that_works_from_where_it_was_asked(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write({"src/odd name.py": "x\n"})
    text = assembler("explain", "odd name.py", "-C", "src").text
    assert "-t 'odd name.py'" in text
    assert assembler("assemble", "-m", "x", "-C", "src", "-t", "odd name.py").code == 0


def test_explain__two_paths_that_end_so_are_exit_2(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write({"a/same.txt": "x", "b/same.txt": "y"})
    result = assembler("explain", "same.txt")
    assert result.code == 2
    assert "a/same.txt, b/same.txt" in result.talk


def test_refusal__is_explained_by_its_code(assembler: CommandLine) -> None:
    result = assembler("explain", "required-rejected")
    assert result.code == 0
    assert result.text.startswith("required-rejected   a refusal (exit 3)\n  meaning   ")
    assert assembler("explain", "request-mismatch", "-f", "json").json["refusal"]["fix"]
