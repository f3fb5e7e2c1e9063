"""The layers of Codex's configuration: read, merged, and the error of a wrong value.

In: bytes of configuration files. Out: `Layer`, one merged table, or `ConfigError`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, NamedTuple, TypeAlias

from assembler.config.codex_scalars import TomlError
from assembler.config.codex_shapes import Problem, find_problem_in_file, spell_path
from assembler.config.codex_toml import Table, line_and_column, read_toml
from assembler.errors import ConfigError
from assembler.model.agent import ConfigFile
from assembler.model.tree import Unreadable

LayerKind: TypeAlias = Literal["system", "user", "profile", "project", "override", "managed"]

CODE: Final = "agent-config"
COMMAND_LINE: Final = "-c"
DENIED_IN_PROJECTS: Final = (
    "openai_base_url",
    "chatgpt_base_url",
    "apps_mcp_product_sku",
    "responses_api_metadata",
    "model_provider",
    "model_providers",
    "notify",
    "profile",
    "profiles",
    "experimental_realtime_webrtc_call_base_url",
    "experimental_realtime_ws_base_url",
    "otel",
)
"""Keys of a project's configuration that Codex drops before it checks them, in the order of its
warning; `DENIED_FEATURE` comes last."""
DENIED_FEATURE: Final = "respect_system_proxy"


class Layer(NamedTuple):
    """One source of settings that was read."""

    kind: LayerKind
    path: str
    """Of the file; `-c` for the command line."""
    table: Table
    """As written, whatever of it counts."""
    text: str | None
    """None for the command line."""


def read_layer(kind: LayerKind, file: ConfigFile) -> Layer | None:
    """A layer; None where there is no file.

    Raises:
        ConfigError: not readable, not UTF-8 or no TOML.
    """
    text = read_text(file)
    return None if text is None else Layer(kind, file.path, parse(file.path, text), text)


def read_text(file: ConfigFile) -> str | None:
    """The text of a file; None where there is none, dead links included.

    Codex refuses everything else: folders, FIFOs, loops, no permission, bytes that are not
    UTF-8; in a project too, trusted or not.

    Raises:
        ConfigError: with the file as its place.
    """
    if isinstance(file.content, Unreadable):
        if file.content.reason == "missing":
            return None
        raise refusal(f"Codex can't read this file ({file.content.reason})", file.path)
    try:
        return file.content.decode()
    except UnicodeDecodeError as error:
        raise refusal(f"the file is not UTF-8 from byte {error.start} on", file.path) from None


def parse(path: str, text: str) -> Table:
    """The table of a text.

    Raises:
        ConfigError: no TOML, with `PATH:LINE:COLUMN`.
    """
    try:
        return read_toml(text)
    except TomlError as error:
        place = _spell_place(path, text, error.offset)
        raise refusal(f"no valid TOML: {error.problem}", place) from None


def merge_layers(layers: Iterable[Layer]) -> Table:
    """One table of all, the strongest layer last.

    Tables are merged key by key; everything else, lists too, is replaced whole.
    """
    merged = Table()
    for layer in layers:
        _merge_into(merged, _without_denied(layer))
    return merged


def _merge_into(table: Table, other: Table) -> None:
    for key, value in other.items():
        if isinstance(value, Table):
            if not isinstance(table.get(key), Table):
                table[key] = Table()
            _merge_into(table[key], value)
        else:
            table[key] = value


def _without_denied(layer: Layer) -> Table:
    """What of a layer counts."""
    if layer.kind != "project":
        return layer.table
    table = Table()
    for key, value in layer.table.items():
        if key not in DENIED_IN_PROJECTS:
            table[key] = value
    features = table.get("features")
    if isinstance(features, Table) and DENIED_FEATURE in features:
        table["features"] = Table()
        for key, value in features.items():
            if key != DENIED_FEATURE:
                table["features"][key] = value
    return table


def denied_keys(table: Table) -> tuple[str, ...]:
    """The keys of a project's table that are dropped, in the order of Codex's warning."""
    features = table.get("features")
    denied = [key for key in DENIED_IN_PROJECTS if key in table]
    if isinstance(features, Table) and DENIED_FEATURE in features:
        denied.append(f"features.{DENIED_FEATURE}")
    return tuple(denied)


def wrong_value(layers: Iterable[Layer], problem: Problem) -> ConfigError:
    """The error of a wrong value in the merged table.

    All layers together are checked, so that a wrong value which a stronger layer replaces is
    none. But the place told is that of the first wrong value in the weakest file that has one.
    """
    for layer in layers:
        if layer.text is None:
            continue
        found = find_problem_in_file(layer.table)
        if found is not None:
            place = _spell_place(layer.path, layer.text, found.offset)
            return refusal(f"`{spell_path(found.path)}` {found.message}", place)
    return refusal(f"`{spell_path(problem.path)}` {problem.message}", COMMAND_LINE)


def refusal(message: str, where: str | None) -> ConfigError:
    """The error of a configuration that Codex does not start with."""
    return ConfigError(
        CODE, message, where=where, next_step="mend it: Codex does not start with it"
    )


def _spell_place(path: str, text: str, offset: int) -> str:
    line, column = line_and_column(text, offset)
    return f"{path}:{line}:{column}"
