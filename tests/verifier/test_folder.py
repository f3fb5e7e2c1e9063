from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from assembler_verifier import NoPackageError, folder, verify_package
from tests.verifier.vectors import lay_out, package_files


@pytest.fixture
def package(tmp_path: Path) -> Path:
    return lay_out(package_files("codeai-16"), tmp_path / "package")


def files_detail(package: Path) -> str:
    report = verify_package(package)
    assert "files" in report.failed
    return next(claim.detail for claim in report.claims if claim.id == "files")


@pytest.mark.parametrize("place", ["manifest.json", "input.txt", "extra", "objects/" + "0" * 64])
def test_read_folder__opens_no_special_file(package: Path, place: str) -> None:
    (package / place).unlink(missing_ok=True)
    os.mkfifo(package / place)
    assert Path(place).name[:20] in files_detail(package)


@pytest.mark.parametrize("place", ["manifest.json", "extra", "objects/" + "0" * 64])
def test_read_folder__follows_no_link(package: Path, tmp_path: Path, place: str) -> None:
    target = tmp_path / "target"
    target.write_bytes((package / "manifest.json").read_bytes())
    (package / place).unlink(missing_ok=True)
    (package / place).symlink_to(target)
    assert Path(place).name[:20] in files_detail(package)


def test_read_folder__follows_no_linked_objects(package: Path, tmp_path: Path) -> None:
    (package / "objects").rename(tmp_path / "elsewhere")
    (package / "objects").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    assert "objects" in files_detail(package)


def test_read_folder__enters_no_sub_folder(package: Path) -> None:
    (package / "deep" / "deeper").mkdir(parents=True)
    assert '"deep" does not belong' in files_detail(package)
    (package / "deep" / "deeper").rename(package / "objects" / ("0" * 64))
    told = files_detail(package)
    assert '"deep" does not belong' in told
    assert f"objects/{'0' * 64} is not a regular file" in told


def test_read_folder__opens_no_socket(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(package)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("ear")
        assert '"ear"' in files_detail(package)


def test_read_folder__reads_no_huge_file(package: Path) -> None:
    with (package / "input.txt").open("ab") as file:
        file.truncate(folder.MAX_FILE_BYTES + 1)
    assert "input.txt" in files_detail(package)


def test_read_folder__escapes_names(package: Path) -> None:
    (package / "\x1b[31m\u202e").write_bytes(b"")
    assert files_detail(package) == '"\\u{1b}[31m\\u{202e}" does not belong to a package'


def test_read_folder__names_what_is_missing(package: Path) -> None:
    (package / "head.json").unlink()
    assert files_detail(package) == "head.json is not there"


def test_read_folder__refuses_an_empty_folder_of_objects(tmp_path: Path) -> None:
    package = lay_out(package_files("empty"), tmp_path / "package")
    assert verify_package(package).holds
    (package / "objects").mkdir()
    assert files_detail(package) == "objects/ holds no object"


def test_read_folder__finds_no_package(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    for path, code in (
        (tmp_path, "not-a-package"),
        (tmp_path / "none", "no-such-folder"),
        (tmp_path / "file", "not-a-folder"),
        (Path("a\0b"), "unreadable-folder"),
    ):
        with pytest.raises(NoPackageError) as caught:
            verify_package(path)
        assert caught.value.code == code
