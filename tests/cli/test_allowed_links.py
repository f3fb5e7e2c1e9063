"""Links out of the repository that the host allows, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders.command_line import CommandLine
from tests.builders.repositories import RepositoryBuilder

TEXT = "# Team\n\nThe rules of the team.\n"


@pytest.fixture
def linked(repository: RepositoryBuilder, tmp_path: Path) -> Path:
    """A folder outside, with the file that AGENTS.md leads to."""
    outside = tmp_path / "team"
    outside.mkdir()
    (outside / "AGENTS.md").write_text(TEXT)
    (repository.root / "AGENTS.md").unlink()
    (repository.root / "AGENTS.md").symlink_to("../team/AGENTS.md")
    return outside


def host(tmp_path: Path, *links: str) -> tuple[str, str]:
    path = tmp_path / "host.yaml"
    path.write_text(f"schema: assembler/host/1\ninstructions: {{links: {list(links)}}}\n")
    return ("--host", str(path))


def test_link__that_is_not_allowed_is_refused_with_the_way_to_allow_it(
    linked: Path, assembler: CommandLine
) -> None:
    shown = assembler("chain")
    made = assembler("assemble", "-m", "x")

    assert "instructions: {links: [...]}" in shown.text
    assert (made.code, TEXT in made.text) == (3, False)


@pytest.mark.parametrize("place", ["{}/AGENTS.md", "{}", "team", "team/AGENTS.md"])
def test_link__that_the_host_allows_is_loaded_and_told(
    place: str, linked: Path, assembler: CommandLine, tmp_path: Path
) -> None:
    allowed = host(tmp_path, place.format(linked))

    told = assembler("chain", *allowed, "--format=json")
    text = assembler("assemble", "-m", "x", *allowed, "--format=input")
    made = assembler("assemble", "-m", "x", *allowed, "--format=json")

    (finding,) = [item for item in told.json["findings"] if item["code"] == "ASM106"]
    assert (finding["severity"], finding["data"]["allowed"]) == ("note", True)
    assert told.json["chain"][0]["state"] == "in"
    assert told.json["chain"][0]["version"] == "not in HEAD"
    assert TEXT in text.text
    row = next(row for row in made.json["ledger"] if row["id"] == "policy:AGENTS.md")
    assert (row["decision"], row["version"]) == ("selected", "not in HEAD")
    assert assembler("check", *allowed).code == 0
    assert assembler("verify", "last").code == 0


@pytest.mark.parametrize("place", ["{}x", "{}/other", "{}/AGENTS.md/x", "."])
def test_link__to_another_place_stays_closed(
    place: str, linked: Path, assembler: CommandLine, tmp_path: Path
) -> None:
    (tmp_path / "inside").mkdir()
    allowed = host(tmp_path / "inside", place.format(linked))
    assert assembler("assemble", "-m", "x", *allowed).code == 3


def test_link__to_a_secret_stays_closed_though_its_folder_is_allowed(
    linked: Path, assembler: CommandLine, repository: RepositoryBuilder, tmp_path: Path
) -> None:
    (linked / ".env").write_text("TOKEN=SENTINEL\n")
    (repository.root / "AGENTS.md").unlink()
    (repository.root / "AGENTS.md").symlink_to("../team/.env")
    allowed = host(tmp_path, str(linked))

    for arguments in (("chain", "--format=input"), ("assemble", "-m", "x", "--format=json")):
        result = assembler(*arguments, *allowed)
        assert "SENTINEL" not in result.text + result.talk


def test_link__of_a_commit_is_never_followed(
    linked: Path, assembler: CommandLine, repository: RepositoryBuilder, tmp_path: Path
) -> None:
    repository.commit()
    allowed = host(tmp_path, str(linked))
    assert assembler("assemble", "-m", "x", "--at=HEAD", *allowed).code == 3


def test_place__inside_the_repository_allows_nothing(
    assembler: CommandLine, repository: RepositoryBuilder, tmp_path: Path
) -> None:
    (tmp_path / "private").mkdir()
    (tmp_path / "private/notes.md").write_text("SENTINEL\n")
    (repository.root / "rules").symlink_to(tmp_path)
    (repository.root / "AGENTS.md").unlink()
    (repository.root / "AGENTS.md").symlink_to(tmp_path / "private/notes.md")
    allowed = host(tmp_path, str(repository.root / "rules"))
    result = assembler("chain", "--format=input", *allowed)
    assert "SENTINEL" not in result.text


def test_folder__that_leads_to_an_allowed_place_has_what_is_there_and_no_more(
    linked: Path, assembler: CommandLine, repository: RepositoryBuilder, tmp_path: Path
) -> None:
    (repository.root / "sub").symlink_to(linked)
    (linked / "x.py").write_text("")
    told = assembler("chain", "-t", "sub/x.py", *host(tmp_path, str(linked)), "--format=json")
    paths = {row["path"]: row["state"] for row in told.json["chain"]}
    assert paths["sub/AGENTS.md"] == "below"
    assert "sub/AGENTS.override.md" not in paths
