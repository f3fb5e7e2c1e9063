from __future__ import annotations

import os
import resource
import socket
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from assembler.adapters import folder_walk
from assembler.adapters.filesystem import (
    list_under,
    look_up,
    read_authorized,
    read_file,
    read_host_file,
    write_file_atomically,
)
from assembler.errors import UsageError
from assembler.model.tree import Authorized, Entry, EntryKind, Unreadable

NOBODY = 65_534


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture
def deep(tmp_path: Path) -> Iterator[Path]:
    """3,000 folders in one another, made and removed without a path that names them."""
    levels = 3_000
    top = tmp_path / "deep"
    top.mkdir()
    descriptor = os.open(top, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir("d", dir_fd=descriptor)
        inner = os.open("d", os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = inner
    os.close(os.open("AGENTS.md", os.O_CREAT | os.O_WRONLY, dir_fd=descriptor))
    os.close(descriptor)
    yield top
    # Turn it inside out, one level at a time: rmtree would recurse.
    while (top / "d").exists():
        (top / "d").rename(tmp_path / "rest")
        (tmp_path / "rest/AGENTS.md").unlink(missing_ok=True)
        if (tmp_path / "rest/d").exists():
            (tmp_path / "rest/d").rename(top / "d")
        (tmp_path / "rest").rmdir()


def make(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def kinds(root: Path, *paths: str) -> list[str]:
    return [entry.kind.value for entry in look_up(root, paths).values()]


def read_at(root: Path, path: str, *, limit_bytes: int = 1_000) -> bytes | Unreadable:
    entry = look_up(root, [path])[path]
    granted = [Authorized(entry=entry, grant="test")]
    return read_authorized(root, granted, limit_bytes=limit_bytes)[path]


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.fixture
def open_to_all() -> Iterator[Path]:
    """A folder outside pytest's own, which another user may not enter; root becomes nobody."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o777)
        is_root = os.geteuid() == 0
        if is_root:
            os.seteuid(NOBODY)
        try:
            yield folder
        finally:
            if is_root:
                os.seteuid(0)


# ---- look_up


def test_look_up__says_what_stands_where(root: Path) -> None:
    make(root, {"a/f.txt": "four", "empty": ""})
    assert kinds(root, "", "a", "a/f.txt", "none", "a/none", "none/x") == [
        "directory",
        "directory",
        "file",
        "missing",
        "missing",
        "missing",
    ]
    entries = look_up(root, ["a/f.txt", "empty"])
    assert entries["a/f.txt"] == Entry(
        path="a/f.txt", kind=EntryKind.FILE, real_path="a/f.txt", size_bytes=4
    )
    assert entries["empty"].size_bytes == 0


def test_look_up__is_case_sensitive(root: Path) -> None:
    make(root, {"agents.md": "x"})
    assert kinds(root, "AGENTS.md", "Agents.md", "agents.md") == ["missing", "missing", "file"]


@pytest.mark.parametrize(
    "path", ["../x", "a/../x", "/etc/passwd", "a//b", "./a", "a/", "a\0b", "\ud800"]
)
def test_look_up__refuses_what_is_no_path_of_the_root(root: Path, path: str) -> None:
    make(root, {"x": "", "a/b": ""})
    entry = look_up(root, [path])[path]
    assert (entry.kind, entry.problem) == (EntryKind.ERROR, "EINVAL")
    assert read_file(root, path, limit_bytes=9) == Unreadable("not-a-file")


def test_look_up__follows_links_that_stay_inside(root: Path) -> None:
    make(root, {"real/in/f.txt": "x"})
    (root / "folder").symlink_to("real/in")
    (root / "file").symlink_to("folder/f.txt")
    (root / "real/up").symlink_to("../file")
    (root / "absolute").symlink_to(root / "real")
    (root / "dots").symlink_to("./real/./in/../in//f.txt")
    (root / "self").symlink_to(".")
    found = look_up(root, ["folder/f.txt", "file", "real/up", "absolute/in/f.txt", "dots"])
    assert {entry.real_path for entry in found.values()} == {"real/in/f.txt"}
    assert found["file"].link_text == "folder/f.txt"
    assert found["folder/f.txt"].link_text is None
    assert look_up(root, ["self"])["self"].real_path == ""
    assert kinds(root, "self/self/self/real", "folder") == ["directory", "directory"]


@pytest.mark.parametrize(
    "target",
    [
        "../outside",
        "../outside/f",
        "a/../../outside",
        "/etc/passwd",
        "/",
        "..",
        "../root-too",
        "../root/../outside/f",
    ],
)
def test_look_up__never_leaves_the_root(root: Path, target: str) -> None:
    make(root.parent, {"outside/f": "secret", "root-too": "secret"})
    make(root, {"a/f": ""})
    (root / "link").symlink_to(target)
    (root / "two").symlink_to("link")
    for path in ("link", "link/f", "two"):
        entry = look_up(root, [path])[path]
        assert entry.kind is EntryKind.OUTSIDE_LINK
        assert entry.real_path is None
        assert read_at(root, path) != b"secret"


def test_look_up__does_not_take_a_longer_name_for_the_root(root: Path) -> None:
    make(root.parent, {"root-too/f": "secret"})
    (root / "link").symlink_to(root.parent / "root-too/f")
    (root / "escape").symlink_to(f"{root}/../root-too/f")
    assert kinds(root, "link", "escape") == ["outside-link", "outside-link"]


def test_look_up__ends_at_dead_links_and_loops(root: Path) -> None:
    make(root, {"f": ""})
    (root / "dead").symlink_to("nowhere/x")
    (root / "a").symlink_to("b")
    (root / "b").symlink_to("a")
    (root / "parent").symlink_to(".")
    (root / "through").symlink_to("f/x")
    found = look_up(root, ["dead", "a", "dead/x", "through", "f/x", "parent/none"])
    assert found["dead"].kind is EntryKind.DANGLING_LINK
    assert found["dead"].link_text == "nowhere/x"
    assert found["dead/x"].kind is EntryKind.DANGLING_LINK
    assert (found["a"].kind, found["a"].problem) == (EntryKind.ERROR, "ELOOP")
    assert (found["through"].kind, found["through"].problem) == (EntryKind.ERROR, "ENOTDIR")
    assert (found["f/x"].kind, found["f/x"].problem) == (EntryKind.ERROR, "ENOTDIR")
    assert found["parent/none"].kind is EntryKind.MISSING


def test_look_up__follows_forty_links_and_no_more(root: Path) -> None:
    make(root, {"l0": ""})
    for number in range(1, 42):
        (root / f"l{number}").symlink_to(f"l{number - 1}")
    assert kinds(root, "l40", "l41") == ["file", "error"]


def test_look_up__names_too_long_are_errors(root: Path) -> None:
    assert look_up(root, ["x" * 256])["x" * 256].problem == "ENAMETOOLONG"
    assert kinds(root, "x" * 255) == ["missing"]


def test_look_up__opens_no_fifo_socket_or_device(root: Path) -> None:
    os.mkfifo(root / "fifo")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(root / "socket"))
        assert kinds(root, "fifo", "socket") == ["other", "other"]
        for name in ("fifo", "socket"):
            assert read_at(root, name) == Unreadable("not-a-file")
            assert read_file(root, name, limit_bytes=9) == Unreadable("not-a-file")
    assert look_up(root, ["fifo/x"])["fifo/x"].problem == "ENOTDIR"


def test_look_up__of_a_root_that_is_gone_says_so(root: Path) -> None:
    root.rmdir()
    with pytest.raises(UsageError) as caught:
        look_up(root, [""])
    assert caught.value.code == "path-missing"


def test_look_up__tells_forbidden_from_missing(open_to_all: Path) -> None:
    root = open_to_all
    make(root, {"closed/f": "x", "secret": "x"})
    (root / "closed").chmod(0)
    (root / "secret").chmod(0)
    assert look_up(root, ["closed/f"])["closed/f"].problem == "EACCES"
    assert read_file(root, "secret", limit_bytes=9) == Unreadable("EACCES")
    (root / "closed").chmod(0o100)
    assert kinds(root, "closed/f", "closed/none") == ["file", "missing"]
    (root / "closed").chmod(0o700)


def test_look_up__opens_shared_folders_once(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(root, {"a/b/c/f": ""})
    opened: list[object] = []
    real_open = os.open

    def counting(path: object, *rest: object, **options: object) -> int:
        opened.append(path)
        return real_open(path, *rest, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", counting)
    look_up(root, [f"a/b/c/f{number}" for number in range(100)])
    assert len(opened) == 4


def test_look_up__goes_3000_folders_deep_with_few_descriptors(deep: Path) -> None:
    path = "/".join(["d"] * 3_000)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (200, hard))
    try:
        assert kinds(deep, path, f"{path}/AGENTS.md", "d/d") == ["directory", "file", "directory"]
        assert read_file(deep, f"{path}/AGENTS.md", limit_bytes=9) == b""
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_look_up__leaves_no_descriptor_open(root: Path) -> None:
    make(root, {f"d{number}/f": "x" for number in range(100)})
    before = open_descriptors()
    names = [f"d{number}/f" for number in range(100)]
    look_up(root, [*names, "none", "d1/f/x"])
    list_under(root, [""], max_depth=5, max_entries=1_000)
    for name in (*names[:3], "none", "d1"):
        read_file(root, name, limit_bytes=0)
    assert open_descriptors() == before


# ---- reading


def test_read_file__takes_exactly_the_limit_and_no_byte_more(root: Path) -> None:
    make(root, {"f": "12345"})
    assert read_file(root, "f", limit_bytes=5) == b"12345"
    assert read_file(root, "f", limit_bytes=4) == Unreadable("size-limit")
    assert read_file(root, "none", limit_bytes=4) == Unreadable("missing")
    assert read_file(root, "", limit_bytes=4) == Unreadable("not-a-file")


def test_read_file__refuses_a_sparse_giant_before_reading(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (root / "AGENTS.md").open("wb") as file:
        file.truncate(10 << 30)
    monkeypatch.setattr(os, "read", lambda *_: pytest.fail("it was read"))
    assert read_file(root, "AGENTS.md", limit_bytes=1 << 20) == Unreadable("size-limit")


def test_read_file__never_goes_through_a_link(root: Path) -> None:
    make(root.parent, {"outside/f": "secret"})
    make(root, {"real/f": "x"})
    (root / "file").symlink_to("real/f")
    (root / "folder").symlink_to("real")
    (root / "out").symlink_to("../outside")
    for path in ("file", "folder/f", "out/f"):
        assert isinstance(read_file(root, path, limit_bytes=9), Unreadable)
    assert read_at(root, "file") == read_at(root, "folder/f") == b"x"


def test_read_authorized__reads_where_the_links_led_then(root: Path) -> None:
    make(root, {"a": "harmless", ".env": "secret"})
    (root / "notes.md").symlink_to("a")
    entry = look_up(root, ["notes.md"])["notes.md"]
    (root / "notes.md").unlink()
    (root / "notes.md").symlink_to(".env")
    granted = [Authorized(entry=entry, grant="test")]
    assert read_authorized(root, granted, limit_bytes=99) == {"notes.md": b"harmless"}


def test_read_authorized__notices_a_file_of_another_size(root: Path) -> None:
    make(root, {"f": "old"})
    entry = look_up(root, ["f"])["f"]
    make(root, {"f": "newer"})
    granted = [Authorized(entry=entry, grant="test")]
    assert read_authorized(root, granted, limit_bytes=99) == {
        "f": Unreadable("changed-during-read")
    }


@pytest.mark.parametrize("change", ["grow", "shrink", "same size"])
def test_read_file__notices_a_change_while_it_reads(
    root: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    (root / "f").write_bytes(b"a" * 3_000_000)
    os.utime(root / "f", ns=(1, 1))
    real_read = os.read
    calls = 0

    def meddling(descriptor: int, size: int) -> bytes:
        nonlocal calls
        calls += 1
        if calls == 2:
            with (root / "f").open("r+b") as file:
                file.seek(2_500_000)
                if change == "shrink":
                    file.truncate()
                else:
                    file.write(b"b" * (900_000 if change == "grow" else 100))
        return real_read(descriptor, size)

    monkeypatch.setattr(os, "read", meddling)
    found = read_file(root, "f", limit_bytes=10_000_000)
    assert found == Unreadable("changed-during-read")


def test_read_file__is_whole_where_another_file_takes_its_name(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "f").write_bytes(b"a" * 3_000_000)
    (root / "new").write_bytes(b"b" * 10)
    real_read = os.read
    calls = 0

    def replacing(descriptor: int, size: int) -> bytes:
        nonlocal calls
        calls += 1
        if calls == 2:
            (root / "new").replace(root / "f")
        return real_read(descriptor, size)

    monkeypatch.setattr(os, "read", replacing)
    assert read_file(root, "f", limit_bytes=10_000_000) == b"a" * 3_000_000


def test_read_file__gives_nothing_of_a_link_that_is_swapped_in(root: Path) -> None:
    make(root.parent, {"outside": "secret"})
    make(root, {"keep": "good"})
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            for make_it in (
                lambda path: path.symlink_to("../outside"),
                os.mkfifo,
                lambda path: os.link(root / "keep", path),
            ):
                spare = root / "spare"
                make_it(spare)
                spare.rename(root / "AGENTS.md")

    os.link(root / "keep", root / "AGENTS.md")
    thread = threading.Thread(target=swap)
    thread.start()
    try:
        results = [read_file(root, "AGENTS.md", limit_bytes=99) for _ in range(2_000)]
    finally:
        stop.set()
        thread.join()
    assert {content for content in results if isinstance(content, bytes)} <= {b"good"}
    assert b"good" in results


def test_read_file__gives_nothing_of_a_folder_that_is_swapped(root: Path) -> None:
    make(root.parent, {"outside/f": "secret"})
    make(root, {"real/f": "good"})
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            (root / "pkg").symlink_to("../outside")
            (root / "pkg").unlink()
            (root / "real").rename(root / "pkg")
            (root / "pkg").rename(root / "real")

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        results = [read_at(root, "pkg/f") for _ in range(2_000)]
    finally:
        stop.set()
        thread.join()
    assert {content for content in results if isinstance(content, bytes)} <= {b"good"}


# ---- list_under


def listed(root: Path, *folders: str, max_depth: int = 9, max_entries: int = 99) -> list[str]:
    found = list_under(root, folders, max_depth=max_depth, max_entries=max_entries)
    return [entry.path for entry in found.entries]


def test_list_under__names_files_links_and_other_things(root: Path) -> None:
    make(root, {"s/a/SKILL.md": "skill", "s/b": "", "other": "", "s/.git/config": ""})
    (root / "s/link").symlink_to("../other")
    (root / "s/out").symlink_to("/etc")
    os.mkfifo(root / "s/fifo")
    found = list_under(root, ["s"], max_depth=5, max_entries=99)
    assert [(entry.path, entry.kind.value) for entry in found.entries] == [
        ("s/a/SKILL.md", "file"),
        ("s/b", "file"),
        ("s/fifo", "other"),
        ("s/link", "link"),
        ("s/out", "link"),
    ]
    assert found.entries[0].size_bytes == 5
    assert found.entries[4].link_text == "/etc"
    assert not found.truncated


def test_list_under__a_folder_that_is_a_link_keeps_the_name_asked_for(root: Path) -> None:
    make(root, {"skills/pdf/SKILL.md": "x"})
    make(root.parent, {"outside/f": "x"})
    (root / ".agents").mkdir()
    (root / ".agents/skills").symlink_to("../skills")
    (root / "out").symlink_to("../outside")
    (entry,) = list_under(root, [".agents/skills", "out"], max_depth=5, max_entries=9).entries
    assert (entry.path, entry.real_path) == (".agents/skills/pdf/SKILL.md", "skills/pdf/SKILL.md")


def test_list_under__ends_in_a_folder_that_links_to_itself(root: Path) -> None:
    make(root, {"a/f": ""})
    (root / "a/again").symlink_to(".")
    (root / "a/up").symlink_to("..")
    inner = ["a/again/again", "a/again/f", "a/again/up"]
    assert listed(root, "a", "a/again") == ["a/again", *inner, "a/f", "a/up"]


def test_list_under__adds_overlapping_folders_once_and_missing_ones_never(root: Path) -> None:
    make(root, {"a/b/f": "", "g": ""})
    assert listed(root, "a", "a/b", "a", "none", "g") == ["a/b/f"]
    assert listed(root, "") == ["a/b/f", "g"]


def test_list_under__says_where_its_depth_ends(root: Path) -> None:
    make(root, {"f0": "", "a/f1": "", "a/b/f2": ""})
    assert listed(root, "", max_depth=0) == ["f0"]
    assert listed(root, "", max_depth=1) == ["a/f1", "f0"]
    assert list_under(root, [""], max_depth=1, max_entries=9).truncated
    assert not list_under(root, [""], max_depth=2, max_entries=9).truncated


def test_list_under__says_where_its_number_ends(root: Path) -> None:
    make(root, {f"f{number}": "" for number in range(5)})
    exact = list_under(root, [""], max_depth=1, max_entries=5)
    assert (len(exact.entries), exact.truncated) == (5, False)
    over = list_under(root, [""], max_depth=1, max_entries=4)
    assert (len(over.entries), over.truncated) == (4, True)


def test_list_under__ends_among_empty_folders(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(50):
        (root / f"d{number}").mkdir()
    assert not list_under(root, [""], max_depth=9, max_entries=20).truncated
    monkeypatch.setattr(folder_walk, "MAX_NAMES", 40)
    found = list_under(root, [""], max_depth=9, max_entries=20)
    assert found.entries == ()
    assert found.truncated


def test_list_under__keeps_names_that_are_not_utf8_apart(root: Path) -> None:
    (root / os.fsdecode(b"d\xff")).mkdir()
    for name in (b"d\xff/f", b"bad\xfe", b"new\nline"):
        (root / os.fsdecode(name)).touch()
    found = list_under(root, [""], max_depth=9, max_entries=20)
    assert [entry.path for entry in found.entries] == ["new\nline"]
    assert found.unnamable == (b"bad\xfe", b"d\xff/f")


def test_list_under__goes_3000_folders_deep(deep: Path) -> None:
    found = list_under(deep, [""], max_depth=5_000, max_entries=5_000)
    assert len(found.entries) == 1
    assert not found.truncated
    assert list_under(deep, [""], max_depth=64, max_entries=5_000).truncated


def test_list_under__names_a_folder_that_it_may_not_list(open_to_all: Path) -> None:
    root = open_to_all
    make(root, {"closed/f": "", "open/f": ""})
    (root / "closed").chmod(0o100)
    found = list_under(root, [""], max_depth=9, max_entries=9)
    assert [(entry.path, entry.problem) for entry in found.entries] == [
        ("closed", "EACCES"),
        ("open/f", None),
    ]
    (root / "closed").chmod(0o700)


# ---- files of the host


def test_read_host_file__follows_links_to_regular_files_only(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("12345")
    (tmp_path / "link").symlink_to("f")
    os.mkfifo(tmp_path / "fifo")
    assert read_host_file(tmp_path / "link", limit_bytes=5) == b"12345"
    for name, limit, code in [
        ("f", 4, "size-limit"),
        ("none", 9, "path-missing"),
        ("f/x", 9, "path-missing"),
        ("fifo", 9, "path-unreadable"),
        (".", 9, "path-unreadable"),
        ("x" * 256, 9, "path-unreadable"),
    ]:
        with pytest.raises(UsageError) as caught:
            read_host_file(tmp_path / name, limit_bytes=limit)
        assert caught.value.code == code, name
    with pytest.raises(UsageError):
        read_host_file(Path("/dev/zero"), limit_bytes=9)


def test_write_file_atomically__replaces_the_whole_and_leaves_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "f.json"
    write_file_atomically(path, b"one")
    write_file_atomically(path, b"two")
    assert path.read_bytes() == b"two"
    assert names_in(tmp_path) == ["f.json"]
    assert path.stat().st_mode & 0o111 == 0


def test_write_file_atomically__replaces_a_link_and_not_what_it_names(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("old")
    (tmp_path / "link").symlink_to("victim")
    write_file_atomically(tmp_path / "link", b"new")
    assert (tmp_path / "victim").read_text() == "old"
    assert not (tmp_path / "link").is_symlink()


def test_write_file_atomically__keeps_the_old_file_when_it_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UsageError) as caught:
        write_file_atomically(path, b"new")
    assert caught.value.code == "path-unwritable"
    assert path.read_bytes() == b"old"
    assert names_in(tmp_path) == ["f"]


def test_write_file_atomically__without_its_folder_is_missing(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        write_file_atomically(tmp_path / "none/f", b"x")
    assert caught.value.code == "path-missing"
