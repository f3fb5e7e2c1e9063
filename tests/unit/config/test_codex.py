"""Rules of Codex's configuration; every expectation was measured on Codex 0.171.0."""

from __future__ import annotations

import pytest

from assembler.config.codex import (
    CodexSettings,
    ConfigFile,
    ProjectFile,
    Trust,
    read_settings,
    trust_of,
    with_project_layers,
)
from assembler.errors import ConfigError
from assembler.model.tree import Unreadable

HOME = "/h/.codex/config.toml"


def settings(user: str = "", *overrides: str, system: str | None = None) -> CodexSettings:
    """Both steps, with no project."""
    return with_project_layers(first_step(user, *overrides, system=system), ())


def first_step(user: str = "", *overrides: str, system: str | None = None) -> CodexSettings:
    return read_settings(
        system=None if system is None else ConfigFile("/etc/codex/config.toml", system.encode()),
        user=ConfigFile(HOME, user.encode()),
        overrides=overrides,
    )


def in_project(user: str, *contents: str, trust: Trust | None = "trusted") -> CodexSettings:
    files = [
        ProjectFile(ConfigFile(f"/r{'/s' * depth}/.codex/config.toml", text.encode()), trust)
        for depth, text in enumerate(contents)
    ]
    return with_project_layers(first_step(user), files)


def refusal(user: str, *overrides: str) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        settings(user, *overrides)
    assert caught.value.code == "agent-config"
    return caught.value


def place(user: str, *overrides: str) -> str | None:
    return (refusal(user, *overrides).where or "").removeprefix(f"{HOME}:")


def test_settings__have_codex_defaults() -> None:
    found = settings()
    assert (found.limit_bytes, found.fallbacks, found.markers) == (32768, (), (".git",))
    assert found.projects == {}
    assert found.ignored == ()


def test_precedence__is_command_line_then_nearest_project_then_user_then_system() -> None:
    key = "project_doc_max_bytes"
    assert settings(system=f"{key} = 1").limit_bytes == 1
    assert settings(f"{key} = 2", system=f"{key} = 1").limit_bytes == 2
    assert in_project(f"{key} = 2", f"{key} = 3").limit_bytes == 3
    assert in_project(f"{key} = 2", f"{key} = 3", f"{key} = 4").limit_bytes == 4
    assert settings(f"{key} = 2", f"{key}=5").limit_bytes == 5


def test_lists__are_replaced_and_tables_merged() -> None:
    user = '[projects."/a"]\ntrust_level = "untrusted"\n'
    found = settings(user, 'projects={"/b"={trust_level="trusted"}}')
    assert found.projects == {"/a": "untrusted", "/b": "trusted"}
    names = "project_doc_fallback_filenames"
    assert in_project(f"{names} = ['a']", f"{names} = ['b']").fallbacks == ("b",)


def test_markers__come_from_no_project() -> None:
    found = in_project("", "project_root_markers = []")
    assert found.markers == (".git",)
    assert [(entry.key, entry.reason) for entry in found.ignored] == [
        ("project_root_markers", "not-for-projects")
    ]


def test_projects__of_a_trusted_project_count_for_its_own_files() -> None:
    found = in_project("", 'projects = {"/r" = {trust_level = "untrusted"}}')
    assert trust_of(found, "/r", "/r") == "untrusted"


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('project_doc_max_bytes = "x"\n', "1:25"),
        ("\n\n  project_doc_max_bytes = -1\n", "3:27"),
        ("project_doc_max_bytes = 1.5", "1:25"),
        ("project_doc_max_bytes=9223372036854775808", "1:23"),
        ("project_root_markers=[1]", "1:23"),
        ('project_root_markers="M"', "1:22"),
        ('project_doc_fallback_filenames=["a", 1]\n', "1:38"),
        ('[projects."/x"]\ntrust_level = "no"\n', "2:15"),
        ('[projects]\n"/x" = "untrusted"\n', "2:8"),
        ("a = \n", "1:5"),
        ("project_doc_max_bytes=5\nproject_doc_max_bytes=6\n", "2:1"),
        ("project_doc_max_bytes=5\rx=1\n", "1:25"),
        ("# é\nproject_doc_max_bytes='a' ", "2:23"),
    ],
)
def test_wrong_value__is_told_at_codex_place(text: str, where: str) -> None:
    assert place(text) == where


def test_wrong_value__that_is_replaced_is_none() -> None:
    assert settings('project_doc_max_bytes = "a"\n', "project_doc_max_bytes=5").limit_bytes == 5


def test_place__is_the_first_wrong_value_of_the_first_file() -> None:
    first = 'project_root_markers = 3\nproject_doc_max_bytes = "a"\n'
    assert place(first) == "1:24"
    turned = 'project_doc_max_bytes = "a"\nproject_root_markers = 3\n'
    assert place(turned) == "1:25"


def test_unreadable__is_refused_unless_missing() -> None:
    assert read_settings(user=ConfigFile(HOME, Unreadable("missing"))).layers[0].kind == "override"
    for reason in ("not-a-file", "ELOOP", "EACCES"):
        with pytest.raises(ConfigError, match=reason):
            read_settings(user=ConfigFile(HOME, Unreadable(reason)))


def test_trust__is_that_of_the_folder_before_the_repository() -> None:
    found = settings("", 'projects={"/r"={trust_level="untrusted"},"/r/a"={trust_level="trusted"}}')
    assert trust_of(found, "/r/a", "/r") == "trusted"
    assert trust_of(found, "/r/b", "/r") == "untrusted"
    assert trust_of(found, "/r/a/b", None) is None
