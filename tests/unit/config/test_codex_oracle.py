"""Random configurations, by this program and by a real Codex that `CODEX_BIN` names."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from assembler.config.codex import (
    CodexSettings,
    ConfigFile,
    ProjectFile,
    layer_trust_of,
    read_settings,
    trust_of,
    with_project_layers,
)
from assembler.config.codex_known import KNOWN
from assembler.errors import ConfigError
from assembler.model.chain import clean_fallbacks
from tests.builders.codex_oracle import CodexOracle

RUNS = int(os.environ.get("CODEX_RUNS", "200"))
SEED = int(os.environ.get("CODEX_SEED", "1"))
SHAPES = dict(line.split(" ", 1) for line in KNOWN.splitlines())
OURS = (
    "project_doc_max_bytes",
    "project_doc_fallback_filenames",
    "project_root_markers",
    "projects.*.trust_level",
    "projects.*",
    "projects",
)
SCALARS = ('"a"', '""', "7", "-1", "0", "1.5", "true", "70000", "5000000000", '"trusted"', "nan")
OTHERS = ("{}", "9223372036854775807", '"none"', '"auto"', "-5000000000", "65536")
LISTS = ("[]", '["a"]', '["a", 2]', "[[1]]")
NOT_COMPARED = (
    "agents.",
    "experimental_thread_store",
    "features.",
    "model_providers.*.",
    "otel.",
    "profiles.*.features.",
    "shell_environment_policy.",
    "tui.",
)
"""Tables that Codex reads by a form of its own: some of their values differ."""
PIECES = (
    *("a", "b.c", "=", " = ", "1", "-", "_", "1_0", "0x1F", "1.5", "1e3", "true", "inf", "tru"),
    *("'x'", '"x"', '"', "'", "'''", '"""', "\n", "\n", "\r\n", "\r", " ", "\t", "#", "# c", "["),
    *("]", "[[", "]]", "{", "}", ",", ".", "[a]\n", "[a.b]\n", "[[a]]\n", "a = 1\n", "a.b = 2\n"),
    *("\\", "\\u0041", "\\q", "\x00", "\x7f", "é", "\U0001f600", "\ufeff", "1979-05-27", "07:32"),
    *("{a=1,b=2}", "{\n a=1,\n}", "[\n1,\n]", "99999999999999999999", "0d1", "1__2", ".5"),
)


@pytest.fixture
def oracle(tmp_path: Path) -> Iterator[CodexOracle]:
    binary = os.environ.get("CODEX_BIN")
    if not binary:
        pytest.skip("CODEX_BIN names no Codex to compare with")
    codex = CodexOracle(binary, tmp_path)
    yield codex
    codex.close()


def read(text: str, path: Path) -> tuple[str, CodexSettings | None]:
    """The place of the error, or the settings."""
    try:
        first = read_settings(user=ConfigFile(str(path), text.encode()))
        return "", with_project_layers(first, ())
    except ConfigError as error:
        return (error.where or "").removeprefix(f"{path}").removeprefix(":"), None


def test_toml__is_refused_where_codex_refuses_it(oracle: CodexOracle) -> None:
    chance = random.Random(SEED)
    for _ in range(RUNS):
        text = "".join(chance.choice(PIECES) for _ in range(chance.randint(1, 8)))
        if chance.random() < 0.5:
            text = f"qx = {text}"
        codex = oracle.ask(text)
        place, settings = read(text, oracle.user_file)
        if codex.place or settings is None:
            assert (codex.refused, codex.place) == (settings is None, place), repr(text)


def test_settings__are_refused_where_codex_refuses_them(oracle: CodexOracle) -> None:
    chance = random.Random(SEED)
    for _ in range(RUNS):
        text = random_settings(chance)
        codex = oracle.ask(text)
        if codex.misses_a_file:
            continue
        place, settings = read(text, oracle.user_file)
        assert codex.refused == (settings is None), (text, codex.message, place)
        if codex.place:
            assert place == codex.place, (text, codex.message)
        if settings is not None:
            assert settings.limit_bytes == codex.config["project_doc_max_bytes"], text
            assert list(settings.markers) == codex.config["project_root_markers"], text
            fallbacks = codex.config["project_doc_fallback_filenames"]
            assert list(settings.fallbacks) == fallbacks, text


def random_settings(chance: random.Random) -> str:
    root: list[str] = []
    tables: list[str] = []
    variants = {name for name, shape in SHAPES.items() if "variant" in shape}
    names = [
        name
        for name in SHAPES
        if "[]" not in name
        and not name.startswith(NOT_COMPARED)
        and not any(name.startswith(f"{variant}.") for variant in variants)
    ]
    for _ in range(chance.randint(1, 5)):
        path = chance.choice(OURS) if chance.random() < 0.5 else chance.choice(names)
        right = chance.random() < 0.6
        # A list for a table is read as its members in order, which is not modelled.
        wrong = SCALARS + OTHERS + (LISTS if "list" in SHAPES[path] else ())
        value = right_value(SHAPES[path], chance) if right else chance.choice(wrong)
        *above, last = path.replace("*", f"n{chance.randint(0, 9)}").split(".")
        if not above or chance.random() < 0.3:
            root.append(f"{'.'.join([*above, last])} = {value}")
        else:
            tables.append(f"[{'.'.join(above)}]\n{last} = {value}")
    if chance.random() < 0.2:
        root.append("unknown = 1")
    return "\n".join([*root, *tables, ""])


MARKS = {"flat", "named", "open", "required", "variant"}


def right_value(shape: str, chance: random.Random) -> str:
    kind = chance.choice([kind for kind in shape.split("|") if kind not in MARKS])
    if kind.startswith("("):
        return f'"{chance.choice(kind[1:-1].split(","))}"'
    values = {"bool": "true", "name": '"a"', "table": "{}", "list": "[]", "empty": "[]"}
    return values.get(kind, '"a"' if kind == "text" else "7")


LIMITS = ("0", "1", "45", "1_0", "0x20", '"x"', "-1", "9223372036854775807", "1.0", " 60 ")
NAMES = ("[]", "['FALL.md']", "['NO.md', ' FALL.md ']", "['x/FALL.md']", "'FALL.md'", "[1]")
MARKERS = ("[]", "['MARK']", "['.git']", "['no', '.git']", "['']", "['../.git']", "3")


def test_block__has_what_the_settings_say(oracle: CodexOracle) -> None:
    root, cwd = oracle.root, oracle.root / "sub"
    (root / ".git").mkdir()
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (cwd / ".codex").mkdir(parents=True)
    (cwd / "MARK").touch()
    (root / ".codex").mkdir()
    (root / "AGENTS.md").write_text("r" * 50)
    (cwd / "FALL.md").write_text("s" * 50)
    chance = random.Random(SEED)
    for _ in range(max(1, RUNS // 4)):
        user, project, inner = (settings_text(chance, root) for _ in range(3))
        overrides = override_arguments(chance, root)
        oracle.user_file.write_text(user)
        (root / ".codex" / "config.toml").write_text(project)
        (cwd / ".codex" / "config.toml").write_text(inner)
        told = (user, project, inner, overrides)
        try:
            expected = expected_block(oracle, overrides, root, cwd)
        except ConfigError:
            with pytest.raises(subprocess.CalledProcessError):
                pytest.fail(repr((told, oracle.block(as_arguments(overrides), cwd))))
            continue
        assert oracle.block(as_arguments(overrides), cwd) == expected, told


def settings_text(chance: random.Random, root: Path) -> str:
    lines = []
    for key, values in (
        ("project_doc_max_bytes", LIMITS),
        ("project_doc_fallback_filenames", NAMES),
        ("project_root_markers", MARKERS),
    ):
        if chance.random() < 0.4:
            # Wrong values seldom, or hardly anything would be accepted.
            end = len(values) if chance.random() < 0.1 else 3
            lines.append(f"{key} = {chance.choice(values[:end])}")
    for folder in (root, root / "sub"):
        if chance.random() < 0.4:
            word = chance.choice(("trusted", "trusted", "untrusted"))
            lines.append(f"[projects.'{folder}']\ntrust_level = '{word}'")
    return "\n".join([*lines, ""])


def override_arguments(chance: random.Random, root: Path) -> list[str]:
    found = []
    if chance.random() < 0.3:
        found.append(f"project_doc_max_bytes={chance.choice(LIMITS)}")
    if chance.random() < 0.3:
        found.append(f"project_root_markers={chance.choice(MARKERS)}")
    if chance.random() < 0.2:
        found.append(f"projects={{'{root}'={{trust_level='trusted'}}}}")
    return found


def as_arguments(overrides: list[str]) -> list[str]:
    return [part for override in overrides for part in ("-c", override)]


def expected_block(oracle: CodexOracle, overrides: list[str], root: Path, cwd: Path) -> str | None:
    user = ConfigFile(str(oracle.user_file), oracle.user_file.read_bytes())
    first = read_settings(user=user, overrides=overrides)
    top = find_top(first, cwd, root)
    files = []
    for folder in (root, cwd) if top == root else (cwd,):
        path = folder / ".codex" / "config.toml"
        trust = layer_trust_of(first, str(folder), str(top), str(root))
        files.append(ProjectFile(ConfigFile(str(path), path.read_bytes()), trust))
    settings = with_project_layers(first, files)
    if trust_of(settings, str(cwd), str(root)) == "untrusted":
        return None
    texts = []
    left = settings.limit_bytes
    if top == root:
        texts.append((root / "AGENTS.md").read_text()[:left])
        left -= len(texts[0])
    if "FALL.md" in clean_fallbacks(settings.fallbacks):
        texts.append((cwd / "FALL.md").read_text()[:left])
    return "\n\n".join(text for text in texts if text) or None


def find_top(settings: CodexSettings, cwd: Path, root: Path) -> Path:
    for folder in (cwd, root, *root.parents):
        if any((folder / marker).exists() for marker in settings.markers):
            return folder
    return cwd
