"""Files beside a skill that change how Codex lists it: its author's policy, and a plugin's name.

In: the bytes of `agents/openai.yaml`, of `.codex-plugin/plugin.json`. Out: a policy, a name.
Never here: an error. Codex passes over a file that it can't read, and so does this.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from assembler.adapters.codex_yaml import Shape, YamlProblemError, read_shape
from assembler.model.chain import WHITE_SPACE

_TEXT: Final = Shape("text", is_optional=True)
_PRODUCTS: Final = frozenset({"chatgpt", "codex", "atlas", "CHATGPT", "CODEX", "ATLAS"})


def _texts(*names: str) -> dict[str, Shape]:
    return dict.fromkeys(names, _TEXT)


# A value of a wrong form anywhere in these makes Codex pass over the whole file.
_POLICY_FILE: Final = Shape(
    "fields",
    fields={
        "interface": Shape(
            "fields",
            is_optional=True,
            fields=_texts(
                "display_name",
                "short_description",
                "icon_small",
                "icon_large",
                "brand_color",
                "default_prompt",
            ),
        ),
        "dependencies": Shape(
            "fields",
            is_optional=True,
            fields={
                "tools": Shape(
                    "list",
                    items=Shape(
                        "fields",
                        fields=_texts(
                            "type", "value", "description", "transport", "command", "url"
                        ),
                    ),
                )
            },
        ),
        "policy": Shape(
            "fields",
            is_optional=True,
            fields={
                "allow_implicit_invocation": Shape("boolean", is_optional=True),
                "products": Shape("list", items=Shape("word", words=_PRODUCTS)),
            },
        ),
    },
)


class SkillPolicy(NamedTuple):
    """What the author says of a skill's use."""

    is_offered: bool = True
    """Whether the model may choose it unasked: only then it is in the list."""
    products: tuple[str, ...] = ()
    """Whose skill it is, in lower case; empty: anybody's."""


def read_policy(data: bytes) -> SkillPolicy:
    """The policy of a file; the usual one of a file that can't be read."""
    try:
        values = read_shape(data.decode("utf-8"), _POLICY_FILE)
    except (YamlProblemError, UnicodeDecodeError):
        return SkillPolicy()
    policy = values.get("policy") or {}
    products = policy.get("products") or ()
    return SkillPolicy(
        is_offered=policy.get("allow_implicit_invocation") is not False,
        products=tuple(sorted({product.lower() for product in products})),
    )


def read_plugin_name(data: bytes, folder_name: str) -> str | None:
    """The name in a plugin's manifest, the folder's where it is blank; None: no manifest."""
    try:
        # What is passed over may hold any bytes; the name itself may not.
        value = json.loads(
            data.decode("utf-8", "surrogateescape"),
            object_pairs_hook=_Members,
            parse_constant=_refuse,
        )
    except (ValueError, RecursionError):
        return None
    name = _name_of(value)
    if name is None:
        return None
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return None
    return name if name.strip(WHITE_SPACE) else folder_name


class _Members(list[tuple[str, Any]]):
    """An object's members in order, so that one that stands twice is seen."""


def _refuse(constant: str) -> Any:
    raise ValueError(constant)


def _name_of(value: Any) -> str | None:
    """The manifest's name: a member of an object, or the only item of a list."""
    if isinstance(value, _Members):
        names: Sequence[Any] = [member for key, member in value if key == "name"]
    elif isinstance(value, list):
        names = value
    else:
        return None
    if len(names) > 1:
        return None
    name = names[0] if names else ""
    return name if isinstance(name, str) else None
