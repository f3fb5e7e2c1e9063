"""What Codex's configuration says of skills: layers, places, paths of rules, models."""

from __future__ import annotations

import json

from assembler.config.codex import ProjectFile, read_settings, with_project_layers
from assembler.config.codex_models import read_models
from assembler.config.codex_skills import SkillRule, SkillSettings, read_skill_settings
from assembler.model.agent import ConfigFile

USER = "/home/me/.codex/config.toml"


def settings(
    user: str = "", *, overrides: tuple[str, ...] = (), project: str | None = None
) -> SkillSettings:
    found = read_settings(user=ConfigFile(USER, user.encode()), overrides=overrides)
    files = [] if project is None else [ConfigFile("/work/.codex/config.toml", project.encode())]
    found = with_project_layers(found, [ProjectFile(file, "trusted") for file in files])
    return read_skill_settings(found, cwd="/work/sub", home="/home/me")


def rule(selector: str, *, enabled: str = "false") -> str:
    return f"[[skills.config]]\n{selector}\nenabled = {enabled}\n"


def test_settings__are_the_usual_ones_where_nothing_is_written() -> None:
    assert read_skill_settings(None, cwd="/", home="/") == SkillSettings()
    assert settings() == SkillSettings()


def test_settings__say_where_they_are_written() -> None:
    found = settings(
        'model = "m"\nmodel_context_window = 5\n[skills]\ninclude_instructions = false\n',
        overrides=("features.omit_skill_descriptions=true",),
        project="[skills.bundled]\nenabled = false\n",
    )

    assert (found.has_list, found.uses_bundled, found.omits_descriptions) == (False, False, True)
    assert (found.model, found.window_tokens) == ("m", 5)
    assert found.places == {
        "model": f"{USER}:1",
        "model_context_window": f"{USER}:2",
        "skills.include_instructions": f"{USER}:4",
        "skills.bundled.enabled": "/work/.codex/config.toml:2",
        "features.omit_skill_descriptions": "-c",
    }


def test_rules__have_absolute_paths_by_their_letters() -> None:
    found = settings(
        rule('path = "x/../y/SKILL.md"') + rule('path = "~/z/SKILL.md"') + rule('path = "//a//b"'),
        overrides=('skills.config=[{path="../k/SKILL.md",enabled=true}]',),
    )

    assert [item.path for item in found.rules] == [
        "/home/me/.codex/y/SKILL.md",
        "/home/me/z/SKILL.md",
        "/a/b",
        "/work/k/SKILL.md",
    ]


def test_rules__need_one_selector_and_come_from_the_user() -> None:
    found = settings(
        rule('name = " a "') + rule('name = ""') + rule('name = "a"\npath = "/b"') + rule(""),
        project=rule('name = "p"'),
    )

    assert [item.is_complete for item in found.rules] == [True, False, False, False]
    assert found.rules[0] == SkillRule(None, "a", is_enabled=False, written_in=USER)


def test_models__stand_by_priority_and_hidden_ones_last() -> None:
    models = [
        {"slug": "c", "visibility": "hide", "priority": 0},
        {"slug": "b", "visibility": "list", "priority": 2, "context_window": 7},
        {"slug": "a", "visibility": "list", "priority": 1, "max_context_window": 9},
        {"slug": 3},
    ]
    found = read_models(json.dumps({"models": models}).encode())

    assert [model.slug for model in found] == ["a", "b", "c"]
    assert [model.window_tokens for model in found] == [9, 7, 0]
    assert read_models(b"[]") == read_models(b"x") == read_models(b"[" * 100_000) == ()
