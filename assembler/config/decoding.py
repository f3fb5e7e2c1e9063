"""Decode a document into a typed record, with the path, line and column of what is wrong.

msgspec says what is wrong and where in the value; the document says where in the text.
"""

from __future__ import annotations

import re
from typing import Any, Final, TypeVar

from assembler.config.records import msgspec
from assembler.errors import ConfigError
from assembler.model.document import Document, DocumentPath

Record = TypeVar("Record")

_UNKNOWN_FIELD: Final = re.compile(r"Object contains unknown field `([^`]*)`")
_MISSING_FIELD: Final = re.compile(r"Object missing required field `([^`]*)`")
_ENUM_VALUE: Final = re.compile(r"Invalid enum value .*\Z", re.DOTALL)
_AT: Final = re.compile(r" - at `(?:key in )?(\$[^`]*)`\Z")
_STEP: Final = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]|\[\.\.\.\]")


def decode(document: Document, record: type[Record], *, path: str, schema: str) -> Record:
    """The typed record of a document.

    Args:
        document: what the text held.
        record: the msgspec Struct to make of it.
        path: the file's name, for messages.
        schema: the word that `schema:` must hold.

    Raises:
        ConfigError: `config-schema`, `config-unknown-key`, `config-missing-key` or
            `config-type`, with `PATH:LINE:COLUMN`.
    """
    name = schema.split("/")[1]
    value = document.value
    if not isinstance(value, dict) or value.get("schema") != schema:
        raise ConfigError(
            "config-schema",
            f"{path} does not begin with `schema: {schema}`",
            where=f"{path}:{document.where(('schema',))}",
            next_step=f"write `schema: {schema}` in its first line",
        )
    try:
        return msgspec.convert(value, record, strict=True)
    except msgspec.ValidationError as error:
        raise _translate(str(error), document, record, path, name) from None


def config_error(
    document: Document,
    path: str,
    at: DocumentPath,
    message: str,
    *,
    code: str = "config-value",
    next_step: str | None = None,
) -> ConfigError:
    """An error at a place of a document that the type alone could not tell."""
    return ConfigError(
        code,
        f"`{spell_path(at)}` {message}",
        where=f"{path}:{document.where(at)}",
        next_step=next_step,
    )


def spell_path(at: DocumentPath) -> str:
    """`evidence[0].file`, as an author would write it."""
    text = ""
    for step in at:
        text += f"[{step}]" if isinstance(step, int) else f".{step}"
    return text.removeprefix(".") or "the document"


def _translate(
    message: str, document: Document, record: type[Any], path: str, schema_name: str
) -> ConfigError:
    unknown = _UNKNOWN_FIELD.search(message)
    at = _resolve(_read_path(message), document, None if unknown is None else unknown.group(1))
    help_text = f"All keys: assembler schema {schema_name}"
    if unknown is not None:
        import difflib

        key = (*at, unknown.group(1))
        near = difflib.get_close_matches(unknown.group(1), _known_keys(record, at), n=1)
        hint = f"did you mean `{near[0]}`? " if near else ""
        return ConfigError(
            "config-unknown-key",
            f"unknown key `{spell_path(key)}`",
            where=f"{path}:{document.where(key)}",
            next_step=hint + help_text,
        )
    missing = _MISSING_FIELD.search(message)
    if missing is not None:
        return ConfigError(
            "config-missing-key",
            f"no key `{spell_path((*at, missing.group(1)))}`",
            where=f"{path}:{document.where(at)}",
            next_step=f"add it. {help_text}",
        )
    problem = _ENUM_VALUE.sub(_words_of(record, at), _AT.sub("", message))
    # The commonest slip: one entry where a list is meant.
    wants_list = problem.startswith("Expected `array`")
    form = f"write a list, `{spell_path(at)}: [...]`. " if wants_list else ""
    return ConfigError(
        "config-type",
        f"`{spell_path(at)}`: {problem[:1].lower()}{problem[1:]}",
        where=f"{path}:{document.where(at)}",
        next_step=form + help_text,
    )


_ANY: Final = "[...]"


def _resolve(at: DocumentPath, document: Document, key: str | None) -> DocumentPath:
    """The path with its free keys named: msgspec writes `[...]` for a key of a mapping."""
    if _ANY not in at:
        return at
    wanted = at if key is None else (*at, key)
    for known in sorted(document.positions, key=lambda path: document.positions[path]):
        if len(known) == len(wanted) and all(
            step in (other, _ANY) for step, other in zip(wanted, known, strict=True)
        ):
            return known[: len(at)]
    return at[: at.index(_ANY)]


def _read_path(message: str) -> DocumentPath:
    """The path in msgspec's message."""
    match = _AT.search(message)
    if match is None:
        return ()
    steps: list[str | int] = []
    for step in _STEP.finditer(match.group(1)):
        if step.group(1) is not None:
            steps.append(step.group(1))
        elif step.group(2) is not None:
            steps.append(int(step.group(2)))
        else:
            steps.append(_ANY)
    return tuple(steps)


def _words_of(record: type[Any], at: DocumentPath) -> str:
    """The words that the value at a path may be."""
    info = msgspec.inspect.type_info(record)
    for step in at:
        info = _descend(info, step)
    if isinstance(info, msgspec.inspect.LiteralType):
        return "not one of " + ", ".join(str(word) for word in info.values)
    return "not one of the words it may be"


def _known_keys(record: type[Any], at: DocumentPath) -> list[str]:
    """The keys that the record at a path has, for a suggestion."""
    info = msgspec.inspect.type_info(record)
    for step in at:
        info = _descend(info, step)
    while isinstance(info, msgspec.inspect.UnionType):
        info = next(
            (kind for kind in info.types if isinstance(kind, msgspec.inspect.StructType)),
            msgspec.inspect.AnyType(),
        )
    if not isinstance(info, msgspec.inspect.StructType):
        return []
    return [field.encode_name for field in info.fields]


def _descend(info: msgspec.inspect.Type, step: str | int) -> msgspec.inspect.Type:
    kinds = info.types if isinstance(info, msgspec.inspect.UnionType) else (info,)
    for kind in kinds:
        if isinstance(kind, msgspec.inspect.StructType) and isinstance(step, str):
            for field in kind.fields:
                if field.encode_name == step:
                    return field.type
        if isinstance(kind, msgspec.inspect.CollectionType) and isinstance(step, int):
            return kind.item_type
        if isinstance(kind, msgspec.inspect.DictType):
            return kind.value_type
    return msgspec.inspect.AnyType()
