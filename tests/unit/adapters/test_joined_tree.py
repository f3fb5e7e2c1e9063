"""A repository's tree with folders of other places beside it."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from assembler.adapters.joined_tree import JoinedTree
from assembler.authorize.read_scope import ReadScope, authorize_policy
from assembler.model.tree import Authorized, Beginning, Entry, EntryKind, Unreadable
from tests.builders.trees import FIFO, Link, write_tree


class Places:
    """A repository and a home beside it, joined under `~/skills`."""

    def __init__(self, base: Path) -> None:
        self.repository, self.home = base / "repository", base / "home"
        self.repository.mkdir()
        self.home.mkdir()

    def join(self, repository: dict[str, object], home: dict[str, object]) -> JoinedTree:
        tree = write_tree(self.repository, repository)
        write_tree(self.home, home)
        return JoinedTree(tree, self.repository, {"~/skills": self.home / "skills"})


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path)


def read(tree: JoinedTree, path: str) -> bytes | Unreadable:
    return tree.read([permit(tree, path)], limit_bytes=100)[path]


def permit(tree: JoinedTree, path: str) -> Authorized:
    found = authorize_policy(tree.look_up([path])[path], ReadScope(()), "skills")
    assert isinstance(found, Authorized)
    return found


def test_paths__of_both_places_are_told_apart(places: Places) -> None:
    tree = places.join({"skills/a": "one"}, {"skills/a": "two"})

    assert read(tree, "skills/a") == b"one"
    assert read(tree, "~/skills/a") == b"two"
    assert tree.look_up(["~/skills/a"])["~/skills/a"].real_path == "~/skills/a"
    listed = tree.list_under(["skills", "~/skills"], max_depth=3, max_entries=9)
    assert [entry.path for entry in listed.entries] == ["skills/a", "~/skills/a"]


def test_folder__of_the_repository_called_like_a_home_is_its_own(places: Places) -> None:
    tree = places.join({"~/other/a": "mine"}, {"skills/a": "home"})

    assert read(tree, "~/other/a") == b"mine"


@pytest.mark.parametrize("kind", ["missing", "file", "loop"])
def test_place__that_is_no_folder_holds_nothing_and_says_why(tmp_path: Path, kind: str) -> None:
    place = tmp_path / "place"
    if kind == "file":
        place.write_text("x")
    elif kind == "loop":
        place.symlink_to(place)
    (tmp_path / "r").mkdir()
    tree = JoinedTree(write_tree(tmp_path / "r", {}), tmp_path / "r", {"~/p": place})

    entry = tree.look_up(["~/p", "~/p/x"])
    listed = tree.list_under(["~/p"], max_depth=3, max_entries=9).entries

    assert entry["~/p/x"].kind is EntryKind.MISSING
    if kind == "missing":
        assert (entry["~/p"].kind, listed) == (EntryKind.MISSING, ())
    else:
        assert entry["~/p"].kind is EntryKind.ERROR
        assert entry["~/p"].problem == {"file": "ENOTDIR", "loop": "ELOOP"}[kind]
        assert listed == (entry["~/p"],)


def test_link__from_one_place_into_another_is_followed(places: Places) -> None:
    tree = places.join(
        {"x/a": "ours", ".agents/skills": Link("../../home/skills")},
        {"skills/b/f": "theirs", "skills/in": Link("../../repository/x")},
    )

    listed = tree.list_under([".agents/skills", "~/skills/in"], max_depth=3, max_entries=9)
    found = {entry.path: entry for entry in listed.entries}

    assert found[".agents/skills/b/f"].real_path == "~/skills/b/f"
    assert found["~/skills/in/a"].real_path == "x/a"
    assert read(tree, "~/skills/in/a") == b"ours"
    assert read(tree, ".agents/skills/b/f") == b"theirs"


@pytest.mark.parametrize("target", ["../../../outside", "../../outside/f", "/etc/passwd", "./"])
def test_link__that_leads_elsewhere_is_never_followed(places: Places, target: str) -> None:
    write_tree(places.home.parent, {"outside/f": "SECRET"})
    tree = places.join({"a": "x"}, {"skills/s/link": Link(target)})

    entry = tree.look_up(["~/skills/s/link", "~/skills/s/link/f"])

    if target == "./":
        assert entry["~/skills/s/link"].kind is EntryKind.DIRECTORY
    else:
        assert entry["~/skills/s/link"].kind in (EntryKind.OUTSIDE_LINK, EntryKind.DANGLING_LINK)
        assert entry["~/skills/s/link/f"].kind is not EntryKind.FILE


def test_label__is_no_way_out(places: Places) -> None:
    write_tree(places.home.parent, {"home/secret": "SECRET"})
    tree = places.join({}, {"skills/a": "x"})

    for path in ("~/skills/../secret", "~/skills/./../secret", "~/skillsx/a"):
        assert tree.look_up([path])[path].kind is not EntryKind.FILE


def test_file__that_became_a_link_after_it_was_looked_at_is_not_read(places: Places) -> None:
    write_tree(places.home.parent, {"secret": "SECRET"})
    tree = places.join({}, {"skills/a": "x"})
    asked = permit(tree, "~/skills/a")
    (places.home / "skills/a").unlink()
    (places.home / "skills/a").symlink_to("../../secret")

    assert isinstance(tree.read([asked], limit_bytes=100)["~/skills/a"], Unreadable)


def test_things__that_are_no_files_are_never_opened(places: Places) -> None:
    tree = places.join({}, {"skills/fifo": FIFO})
    # A socket's path may not be long, so it is made from inside.
    here = Path.cwd()
    os.chdir(places.home / "skills")
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind("socket")
    finally:
        os.chdir(here)

    for name in ("fifo", "socket"):
        path = f"~/skills/{name}"
        entry = Entry(path, EntryKind.FILE, real_path=path)
        found = tree.read([Authorized(entry, "skills")], limit_bytes=100)[path]
        assert found == Unreadable("not-a-file")


def test_beginning__of_a_large_file_is_read_and_its_size_told(places: Places) -> None:
    tree = places.join({"a": "0123456789"}, {"skills/a": "0123456789"})

    asked = [permit(tree, "a"), permit(tree, "~/skills/a")]

    assert tree.read_beginnings(asked, most_bytes=4) == dict.fromkeys(
        ("a", "~/skills/a"), Beginning(b"0123", 10)
    )
    assert tree.read_beginnings(asked, most_bytes=10)["a"] == b"0123456789"
