"""`assembler/host/1`: the host's word, outside the repository; a profile inside only narrows."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct, field

from assembler.config.profile import Executor

SCHEMA: Final = "assembler/host/1"

DEFAULT_DENY: Final = (
    ".env",
    ".env.*",
    "*.env",
    ".envrc",
    "!.env.example",
    "!.env.sample",
    "!.env.template",
    "!.env.dist",
    "!example.env",
    "!sample.env",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".ssh/",
    ".gnupg/",
    "*.ppk",
    ".htpasswd",
    "**/.aws/credentials",
    "**/.docker/config.json",
    "**/.kube/config",
    "secrets.y*ml",
    "credentials.json",
    "*.tfstate",
    "*.tfstate.*",
    ".git",
)
"""Secrets by name; templates of them stay readable. Denied before anything is opened."""


class HostRead(Struct, frozen=True, forbid_unknown_fields=True):
    """The widest read grant; the default denies stand before it, and can be lifted by `!`."""

    allow: list[str] = field(default_factory=lambda: ["**"])
    """Patterns of what may be read."""
    deny: list[str] = []
    """Patterns that stay closed; `!` lifts a default deny."""


class HostInstructions(
    Struct, frozen=True, forbid_unknown_fields=True, rename={"global_": "global"}
):
    """The host's own instructions."""

    global_: str | None = None
    """A file: `~/…`, absolute, or relative to the manifest."""
    links: list[Annotated[str, Meta(min_length=1)]] = []
    """Files or folders outside a repository that links of its instruction files may lead to:
    `~/…` or absolute."""


class HostSkills(Struct, frozen=True, forbid_unknown_fields=True):
    """Skills outside any repository."""

    roots: list[Annotated[str, Meta(min_length=1)]] = []
    """Folders of skills that a profile may name: `~/…` or absolute."""


class HostServer(Struct, frozen=True, forbid_unknown_fields=True):
    """An MCP server that the host knows."""

    allow: list[str]
    """Exact names of tools that may enter."""
    command: list[str] = []
    """Started only when a live listing is asked for."""
    catalog: Annotated[str, Meta(pattern=r"^sha256:[0-9a-f]{64}$")] | None = None
    """`sha256:…` of the catalog; obeyed before the pin in the repository."""


class Host(Struct, frozen=True, forbid_unknown_fields=True, rename={"schema_": "schema"}):
    """What this machine grants at most."""

    schema_: Literal["assembler/host/1"]
    read: HostRead = HostRead()
    """The widest read grant."""
    instructions: HostInstructions = HostInstructions()
    """The host's own instructions."""
    skills: HostSkills = HostSkills()
    """Skills outside any repository."""
    tools: list[str] | None = None
    """Resident tools that may enter; left out: every one that a profile defines."""
    servers: dict[str, HostServer] = {}
    """MCP servers that the host knows."""
    executor: Executor = Executor()
    """The widest executor grant."""


NO_MANIFEST: Final = Host(schema_=SCHEMA)
"""Without a manifest: read all but the default denies, no server, nothing wider."""
