"""Trust, and what it does to a project's configuration; measured on Codex 0.171.0."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import pytest

from assembler.config.codex import (
    CodexSettings,
    ConfigFile,
    ProjectFile,
    Trust,
    find_gitdir,
    is_root_marker,
    layer_trust_of,
    read_settings,
    trust_of,
    with_project_layers,
)
from assembler.errors import ConfigError
from assembler.model.tree import Unreadable


def with_trust(entries: Mapping[str, Trust]) -> CodexSettings:
    text = "".join(f"[projects.'{key}']\ntrust_level = '{word}'\n" for key, word in entries.items())
    return with_project_layers(read_settings(user=ConfigFile("/h/c.toml", text.encode())), ())


def project(content: bytes | Unreadable, trust: Trust | None) -> CodexSettings:
    file = ProjectFile(ConfigFile("/r/.codex/config.toml", content), trust)
    return with_project_layers(read_settings(), [file])


def test_trust__of_the_folder_comes_before_that_of_the_repository() -> None:
    settings = with_trust({"/r": "untrusted", "/r/a": "trusted"})
    assert trust_of(settings, "/r/a", "/r") == "trusted"
    assert trust_of(settings, "/r/b", "/r") == "untrusted"


def test_trust__of_folders_between_and_of_parents_does_not_count() -> None:
    settings = with_trust({"/r/a": "untrusted"})
    assert trust_of(settings, "/r/a/b", "/r") is None
    assert trust_of(settings, "/r/a/b", None) is None


def test_trust__of_the_real_folder_comes_before_that_of_its_link() -> None:
    settings = with_trust({"/r": "trusted", "/link": "untrusted"})
    assert trust_of(settings, "/r", None, cwd_as_named="/link") == "trusted"
    assert trust_of(settings, "/other", None, cwd_as_named="/link") == "untrusted"


@pytest.mark.parametrize("key", ["/r/", "/r/.", "//r", "/R", ".", "", "/r*"])
def test_key__is_taken_literally(key: str) -> None:
    assert trust_of(with_trust({key: "untrusted"}), "/r", "/r") is None


def test_layer_trust__asks_the_root_too_that_trust_of_files_does_not() -> None:
    settings = with_trust({"/r": "trusted"})
    assert layer_trust_of(settings, "/r/a", "/r", None) == "trusted"
    assert trust_of(settings, "/r/a", None) is None
    assert layer_trust_of(settings, "/r/a", "/r/a", "/main") is None


@pytest.mark.parametrize("trust", ["untrusted", None])
def test_project_file__that_does_not_count_may_hold_anything(trust: Trust | None) -> None:
    for content in (b"project_doc_max_bytes = 1", b"project_doc_max_bytes = 'a'", b"a ="):
        settings = project(content, trust)
        reason: Literal["untrusted", "no-trust"] = "untrusted" if trust else "no-trust"
        assert settings.limit_bytes == 32768
        assert [(found.key, found.reason) for found in settings.ignored] == [("", reason)]


@pytest.mark.parametrize("trust", ["trusted", "untrusted", None])
def test_project_file__must_be_readable_and_utf8(trust: Trust | None) -> None:
    assert project(Unreadable("missing"), trust).ignored == ()
    for content in (Unreadable("not-a-file"), Unreadable("ELOOP"), b"a = '\xff'"):
        with pytest.raises(ConfigError) as caught:
            project(content, trust)
        assert caught.value.where == "/r/.codex/config.toml"


@pytest.mark.parametrize(
    ("content", "where"), [(b"project_doc_max_bytes=\n", "1:23"), (b"x=1\nmodel=3\n", "2:7")]
)
def test_project_file__that_counts_is_checked(content: bytes, where: str) -> None:
    with pytest.raises(ConfigError) as caught:
        project(content, "trusted")
    assert caught.value.where == f"/r/.codex/config.toml:{where}"


def test_denied_keys__are_dropped_before_they_are_checked() -> None:
    settings = project(b"otel = 3\nprofile = 3\nfeatures.respect_system_proxy = 3\n", "trusted")
    assert [(found.key, found.reason) for found in settings.ignored] == [
        ("features.respect_system_proxy", "not-for-projects"),
        ("otel", "not-for-projects"),
        ("profile", "not-for-projects"),
    ]


def test_denied_keys__tell_the_place_if_another_value_is_wrong() -> None:
    with pytest.raises(ConfigError) as caught:
        project(b"otel=3\nmodel=3\n", "trusted")
    assert caught.value.where == "/r/.codex/config.toml:1:6"


def test_git_folder__is_a_root_of_the_configuration_with_a_head_only() -> None:
    assert is_root_marker(".git", is_folder=True, holds_head=True)
    assert not is_root_marker(".git", is_folder=True, holds_head=False)
    assert is_root_marker(".git", is_folder=False, holds_head=False)
    assert is_root_marker("sub/../.git", is_folder=True, holds_head=False)
    assert is_root_marker("MARK", is_folder=True, holds_head=False)


@pytest.mark.parametrize(
    ("content", "gitdir"),
    [
        (b"gitdir: /m/.git/worktrees/w\n", "/m/.git/worktrees/w"),
        (b"\n  gitdir:   ../w  \n", "../w"),
        (b"gitdir:/m", "/m"),
        (b"gitdir: /m\nmore\n", "/m\nmore"),
        (b"gitdir:\n", None),
        (b"garbage", None),
        (b"", None),
    ],
)
def test_git_file__names_a_folder(content: bytes, gitdir: str | None) -> None:
    assert find_gitdir(content) == gitdir
