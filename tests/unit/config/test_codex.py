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


@pytest.mark.parametrize(
    "text",
    [
        'profile = "x"',
        'profile = ""',
        'experimental_thread_store_endpoint = "x"',
        'model = ""',
        'approval_policy = "untrusted"',
        'model_provider = "nobody"',
        'default_permissions = "x"',
        'default_permissions = ""',
        'default_permissions = ":nothing"',
        'default_permissions = "x"\n[permissions.y]',
        "[permissions.x]",
    ],
)
def test_value__of_the_right_shape_is_refused_for_its_meaning(text: str) -> None:
    assert refusal(text).where == HOME
    assert (
        refusal("", text.replace("[permissions.x]", "permissions={x={}}").split("\n")[0]).where
        == "-c"
    )


@pytest.mark.parametrize(
    "text",
    [
        'model_provider = "ollama"',
        'model_provider = "x"\n[model_providers.x]\nname = "y"',
        'default_permissions = ":read-only"\n[permissions.x]',
        'default_permissions = "x"\n[permissions.x]',
        "[profiles.x]\nmodel = 'a'",
    ],
)
def test_value__that_has_a_meaning_is_taken(text: str) -> None:
    assert settings(text).limit_bytes == 32768


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('[model_providers.openai]\nname = "x"', "1:2"),
        ('[model_providers.x]\nname = ""', "1:2"),
        ("[mcp_servers.x]", "1:1"),
        ('[mcp_servers.x]\ncommand = "a"\nurl = "b"', "1:1"),
        ('[plugins."a@b"]\nenabled = 3', "1:2"),
        ("[plugins._default]\nenabled = 3", "2:11"),
        ("[agents]\nmax_depth = 'a'", "2:13"),
        ('[mcp_servers.x]\nurl = "a"\nargs = []', "1:1"),
        ('approval_policy = "granular"', "1:19"),
        ("[[skills.config]]\npath = '/a'", "1:1"),
        ("project_doc_max_bytes.x = 7", "1:1"),
        ("[project_doc_max_bytes.x]\ny = 1", "1:2"),
        ("[[project_doc_max_bytes]]", "1:1"),
        ("[features]\ngoals = true\nhooks = 1", "3:9"),
        ("[history]\npersistence = 'zz'", "2:15"),
    ],
)
def test_table__that_is_wrong_as_a_whole_is_told_where_codex_tells_it(
    text: str, where: str
) -> None:
    assert place(text) == where


def test_permissions__of_the_user_are_reported_and_not_modelled() -> None:
    assert settings('default_permissions = "x"\n[permissions.x]').own_permissions == "x"
    assert settings('default_permissions = ":read-only"').own_permissions is None


def test_needed_files__are_told_with_the_layer_that_names_them() -> None:
    found = settings("model_instructions_file = 'a.md'", 'model_catalog_json="b"').needed_files
    assert [(file.key, file.path, file.layer_path) for file in found] == [
        ("model_catalog_json", "b", "-c"),
        ("model_instructions_file", "a.md", HOME),
    ]


def test_ignored__are_the_unknown_settings_of_each_layer() -> None:
    found = settings("zz = 1\n'q.r' = {t = 1}\n[history]\nx = [1]\n[features]\nqq = true\n", "yy=1")
    assert [(entry.path, entry.key) for entry in found.ignored] == [
        ("-c", "yy"),
        (HOME, "features.qq"),
        (HOME, "history.x"),
        (HOME, "q.r"),
        (HOME, "zz"),
    ]
    assert {entry.reason for entry in found.ignored} == {"unknown"}


def test_managed__is_stronger_than_the_command_line_and_than_every_project() -> None:
    managed = b"project_doc_max_bytes = 3\nproject_root_markers = ['q']\n"
    found = read_settings(
        managed=ConfigFile("/etc/codex/managed_config.toml", managed),
        overrides=["project_doc_max_bytes=9", "project_root_markers=['w']"],
    )
    assert (found.limit_bytes, found.markers) == (3, ("q",))
    project = ProjectFile(
        ConfigFile("/r/.codex/config.toml", b"project_doc_max_bytes = 5"), "trusted"
    )
    assert with_project_layers(found, [project]).limit_bytes == 3


def test_profile__is_stronger_than_the_user_and_weaker_than_a_project() -> None:
    found = read_settings(
        user=ConfigFile(HOME, b"project_doc_max_bytes = 5"),
        profile=ConfigFile("/h/.codex/x.config.toml", b"project_doc_max_bytes = 7"),
    )
    assert with_project_layers(found, ()).limit_bytes == 7
    project = ProjectFile(
        ConfigFile("/r/.codex/config.toml", b"project_doc_max_bytes = 6"), "trusted"
    )
    assert with_project_layers(found, [project]).limit_bytes == 6


def test_profile__can_not_stand_beside_an_old_one_of_its_name() -> None:
    found = read_settings(
        user=ConfigFile(HOME, b"[profiles.x]"), profile=ConfigFile("/h/.codex/x.config.toml", b"")
    )
    with pytest.raises(ConfigError) as caught:
        with_project_layers(found, ())
    assert caught.value.where == HOME


def test_files__are_read_strictly_in_order_of_strength() -> None:
    with pytest.raises(ConfigError) as caught:
        settings("project_doc_max_bytes = 'a'", system="\nmodel = 3")
    assert caught.value.where == "/etc/codex/config.toml:2:9"


def test_date__is_a_text_in_all_layers_together_and_none_in_a_file() -> None:
    assert settings("model = 2020-01-01").limit_bytes == 32768
    assert place("model = 2020-01-01\nproject_doc_max_bytes = -1") == "1:9"


def test_error__does_not_tell_a_value() -> None:
    for text in (
        'project_doc_max_bytes = "secret"',
        "history.persistence = 'secret'",
        "x = secret",
    ):
        assert "secret" not in str(refusal(text))
