"""Settings of the right shape that Codex refuses all the same, or whose effect is not known here.

In: the merged table and its layers. Out: `ConfigError`, or what the caller must look at.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from assembler.config.codex_layers import COMMAND_LINE, Layer, refusal
from assembler.config.codex_toml import Table

PROVIDERS: Final = frozenset({"amazon-bedrock", "gcp", "lmstudio", "ollama", "openai"})
PERMISSIONS: Final = frozenset({":danger-full-access", ":read-only", ":workspace"})
NEEDED_FILES: Final = (
    "experimental_compact_prompt_file",
    "model_catalog_json",
    "model_instructions_file",
)


class NeededFile(NamedTuple):
    """A file that a setting names; Codex does not start where it can't be read."""

    key: str
    path: str
    """As written; relative to the folder of the layer's file, on the command line to the cwd."""
    layer_path: str
    """The file that names it; `-c` for the command line."""


def check_meaning(merged: Table, layers: Sequence[Layer]) -> None:
    """Refuse what Codex refuses once every value has its right shape.

    Raises:
        ConfigError: with the file that says so; Codex tells no line here.
    """
    for key in ("profile", "experimental_thread_store_endpoint"):
        if key in merged:
            raise _refused(layers, key, "is a setting that Codex no longer takes")
    if merged.get("approval_policy") == "untrusted":
        raise _refused(layers, "approval_policy", "has a word that Codex no longer takes")
    if merged.get("model") == "":
        raise _refused(layers, "model", "is empty")
    provider = merged.get("model_provider")
    if (
        provider is not None
        and provider not in PROVIDERS | merged.get("model_providers", {}).keys()
    ):
        raise _refused(layers, "model_provider", "names a provider that is not there")
    _check_permissions(merged, layers)
    _check_profile_file(layers)


def own_permissions(merged: Table) -> str | None:
    """The user's own permission profile that is in force.

    What it does not let Codex read is missing from the instructions without a word, or stops
    it; which of the two, and of which files, is not known here.
    """
    name = merged.get("default_permissions")
    return name if isinstance(name, str) and not name.startswith(":") else None


def needed_files(merged: Table, layers: Sequence[Layer]) -> tuple[NeededFile, ...]:
    """The files that must be there."""
    return tuple(
        NeededFile(key, merged[key], _strongest(layers, key))
        for key in NEEDED_FILES
        if key in merged
    )


def _check_permissions(merged: Table, layers: Sequence[Layer]) -> None:
    key = "default_permissions"
    name = merged.get(key)
    own = merged.get("permissions", {})
    if name is None:
        if own:
            raise _refused(layers, "permissions", f"has profiles, and `{key}` is missing")
    elif name not in (PERMISSIONS if name.startswith(":") else own):
        raise _refused(layers, key, "names a profile that is not there")


def _check_profile_file(layers: Sequence[Layer]) -> None:
    for profile in layers:
        if profile.kind != "profile":
            continue
        name = profile.path.rpartition("/")[2].removesuffix(".config.toml")
        for layer in layers:
            if layer.kind == "user" and name in layer.table.get("profiles", {}):
                message = f"`profiles.{name}` can't stand beside a profile file of that name"
                raise refusal(message, layer.path)


def _strongest(layers: Sequence[Layer], key: str) -> str:
    paths = [layer.path for layer in layers if key in layer.table]
    return paths[-1] if paths else COMMAND_LINE


def _refused(layers: Sequence[Layer], key: str, problem: str) -> Exception:
    return refusal(f"`{key}` {problem}", _strongest(layers, key))
