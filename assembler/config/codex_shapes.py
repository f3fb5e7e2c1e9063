"""What each setting of Codex may be: one measured shape a path, and the check against it.

In: a table that was read. Out: the first value of a wrong shape, or the settings that Codex does
not know. The shapes themselves stand in `codex_known`; `tools/measure_codex_settings.py` measures
them on a binary.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, Final, NamedTuple

from assembler.config.codex_known import KNOWN
from assembler.config.codex_scalars import TomlTime
from assembler.config.codex_toml import Array, Table

SettingPath = tuple[str | int, ...]

_RANGES: Final = {
    "u8": (0, 2**8 - 1),
    "u16": (0, 2**16 - 1),
    "u32": (0, 2**32 - 1),
    "u64": (0, 2**64 - 1),
    "i64": (-(2**63), 2**63 - 1),
    "positive-u8": (1, 2**8 - 1),
    "positive-u16": (1, 2**16 - 1),
    "positive-u32": (1, 2**32 - 1),
    "positive-u64": (1, 2**64 - 1),
}
_INTEGERS: Final = frozenset(_RANGES)
RESERVED_PROVIDERS: Final = frozenset({"lmstudio", "ollama", "openai"})
EXTENSIBLE_PROVIDERS: Final = frozenset({"amazon-bedrock", "gcp"})
"""`model_providers` may add some settings to these and no name."""

MAX_SECONDS: Final = 2**64
NAMING_TABLES: Final = frozenset({("agents",), ("apps",), ("plugins",)})
"""Tables with free members whose named members are told by Codex all the same."""
NOT_WITH_COMMAND: Final = (
    "url",
    "bearer_token",
    "bearer_token_env_var",
    "env_http_headers",
    "http_headers",
    "http_headers_helper",
    "oauth",
    "oauth_resource",
)
NOT_WITH_URL: Final = ("args", "bearer_token", "cwd", "env")


class Problem(NamedTuple):
    """A value of a wrong shape."""

    path: SettingPath
    offset: int
    """Where the value starts in its text, or the table that Codex names instead of it."""
    message: str


class _Shape(NamedTuple):
    kinds: frozenset[str] = frozenset()
    words: tuple[str, ...] = ()
    children: dict[str, _Shape] = {}

    @property
    def is_closed(self) -> bool:
        """Whether a table has named members and nothing else."""
        return "table" in self.kinds and not {"open", "any"} & self.kinds


@cache
def _shapes() -> _Shape:
    root = _Shape(frozenset({"table"}), (), {})
    for line in KNOWN.split("\n"):
        path, _, spelled = line.partition(" ")
        if not path:
            continue
        steps = path.split(".")
        parent = root
        for step in steps[:-1]:
            parent = parent.children[step]
        kinds = spelled.split("|")
        words = [kind for kind in kinds if kind.startswith("(")]
        listed = tuple(words[0][1:-1].split(",")) if words else ()
        parent.children[steps[-1]] = _Shape(frozenset(kinds).difference(words), listed, {})
    return root


def find_problem(table: Table) -> Problem | None:
    """The first value of a wrong shape in what all layers make together."""
    return _check(table, _shapes(), (), 0, in_file=False)


def find_problem_in_file(table: Table) -> Problem | None:
    """The first value of a wrong shape in one file, in its order.

    In a file Codex takes a date for a table, in all layers together for a text.
    """
    return _check(table, _shapes(), (), 0, in_file=True)


def find_problem_at(table: Table, key: str) -> Problem | None:
    """The first value of a wrong shape in one setting of what all layers make together."""
    if key not in table:
        return None
    shape = _shapes().children[key]
    return _check(table[key], shape, (key,), table.starts.get(key, 0), in_file=False)


def find_unknown(table: Table) -> tuple[SettingPath, ...]:
    """The settings that Codex passes over, sorted by their names as it sorts them."""
    return tuple(sorted(_unknown(table, _shapes(), ()), key=lambda path: tuple(map(str, path))))


def spell_path(path: SettingPath) -> str:
    """The path as Codex writes it: its parts with dots between, quotes left out."""
    return ".".join(map(str, path))


def _check(
    value: Any, shape: _Shape, path: SettingPath, offset: int, *, in_file: bool
) -> Problem | None:
    wrong = _wrong(value, shape, in_file=in_file)
    if wrong is not None:
        return Problem(path, offset, wrong)
    found: Problem | None = None
    if isinstance(value, Table):
        found = _check_members(value, shape, path, offset, in_file=in_file)
    elif isinstance(value, Array) and "[]" in shape.children:
        for index, inner in enumerate(value):
            found = _check(
                inner, shape.children["[]"], (*path, index), value.starts[index], in_file=in_file
            )
            if found is not None:
                break
    if found is not None and "flat" in shape.kinds and not _is_named(found.path, path, shape):
        # Codex tells no free member of such a table, but the table.
        return found._replace(offset=_features_offset(value, offset, path))
    return found


def _check_members(
    table: Table, shape: _Shape, path: SettingPath, offset: int, *, in_file: bool
) -> Problem | None:
    for key, inner in table.items():
        child = shape.children.get(key) or shape.children.get("*")
        if child is not None:
            found = _check(
                inner, child, (*path, key), table.starts.get(key, offset), in_file=in_file
            )
            if found is not None:
                return found
    for key, child in shape.children.items():
        if "required" in child.kinds and key not in table:
            return Problem(path, offset, f"has no `{key}`")
    special = _special(table, path)
    return None if special is None else Problem(path, offset, special)


def _is_named(found: SettingPath, path: SettingPath, shape: _Shape) -> bool:
    """Whether a wrong value stands below a member that the table itself names."""
    return path in NAMING_TABLES and found[len(path)] in shape.children


def _features_offset(value: Any, offset: int, path: SettingPath) -> int:
    """Of features Codex names the first that is not true or false, wrong or not."""
    if path == ("features",) and isinstance(value, Table):
        for key, inner in value.items():
            if not isinstance(inner, bool):
                return value.starts.get(key, offset)
    return offset


def _special(table: Table, path: SettingPath) -> str | None:
    """What is wrong with a table whose members are right each by itself."""
    if path == ("model_providers",):
        if RESERVED_PROVIDERS & table.keys():
            return "redefines a provider that Codex brings along"
        for name, provider in table.items():
            if name not in EXTENSIBLE_PROVIDERS and not str(provider.get("name", "")).strip():
                return f"has `{name}` without a name"
    if len(path) == 2 and path[0] == "mcp_servers":
        if "command" not in table and "url" not in table:
            return "has neither `command` nor `url`"
        for key in ("startup_timeout_sec", "tool_timeout_sec"):
            if not 0 <= table.get(key, 0) < MAX_SECONDS:
                return f"has a `{key}` that is no time"
        wrong = NOT_WITH_COMMAND if "command" in table else NOT_WITH_URL
        for key in wrong:
            if key in table:
                return f"has `{key}`, which its kind of server does not take"
    return None


def _wrong(value: Any, shape: _Shape, *, in_file: bool) -> str | None:
    """Why a value does not fit, its members aside."""
    kinds = shape.kinds
    if "any" in kinds:
        return None
    if isinstance(value, bool):
        fits = "bool" in kinds
    elif isinstance(value, int):
        ranges = [_RANGES[kind] for kind in kinds & _INTEGERS]
        if ranges and not any(low <= value <= high for low, high in ranges):
            return "is out of the range that it may have"
        fits = bool(ranges) or "float" in kinds
    elif isinstance(value, float):
        fits = "float" in kinds
    elif isinstance(value, TomlTime) and in_file:
        fits = "table" in kinds
    elif isinstance(value, str):
        takes_data = value in shape.children and bool(shape.children[value].children)
        if shape.words and (value not in shape.words or takes_data) and "text" not in kinds:
            return "is not one of " + ", ".join(shape.words)
        fits = bool(shape.words) or "text" in kinds or ("name" in kinds and bool(value))
    elif isinstance(value, Table):
        fits = "table" in kinds or ("variant" in kinds and len(value) == 1)
        if fits and "table" not in kinds and not value.keys() <= set(shape.words):
            return "has a key that is not one of " + ", ".join(shape.words)
    else:
        fits = "list" in kinds or ("empty" in kinds and not value)
    return None if fits else f"is {_spell_kind(value)} and must be {_spell_kinds(shape)}"


_KIND_NAMES: Final = {
    "bool": "true or false",
    "float": "a number",
    "list": "a list",
    "name": "a text that is not empty",
    "table": "a table",
    "text": "a text",
}


def _spell_kind(value: Any) -> str:
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int):
        return "an integer"
    if isinstance(value, float):
        return "a number with a point"
    if isinstance(value, str):
        return "a date" if isinstance(value, TomlTime) else "a text"
    return "a table" if isinstance(value, Table) else "a list"


def _spell_kinds(shape: _Shape) -> str:
    kinds = shape.kinds - {"required"}
    names = {_KIND_NAMES[kind] for kind in kinds if kind in _KIND_NAMES}
    if kinds & _INTEGERS:
        lowest = min(_RANGES[kind][0] for kind in kinds & _INTEGERS)
        names.add("an integer" if lowest < 0 else f"an integer from {lowest}")
    if shape.words:
        names.add("one of " + ", ".join(shape.words))
    return " or ".join(sorted(names))


def _unknown(value: Any, shape: _Shape, path: SettingPath) -> Iterator[SettingPath]:
    if isinstance(value, Table):
        for key, inner in value.items():
            child = shape.children.get(key)
            free = shape.children.get("*")
            if child is None and ("named" in shape.kinds or (free is None and shape.is_closed)):
                yield (*path, key)
            elif child is not None or free is not None:
                yield from _unknown(inner, child or free or shape, (*path, key))
    elif isinstance(value, Array) and "[]" in shape.children:
        for index, inner in enumerate(value):
            yield from _unknown(inner, shape.children["[]"], (*path, index))
