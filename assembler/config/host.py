"""`assembler/host/1`: the host's word, outside the repository; a profile inside only narrows."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from assembler.config.profile import Executor
from assembler.config.records import Meta, Struct, field
from assembler.model.server import Endpoint, Launch, ServerAddress

SCHEMA: Final = "assembler/host/1"

Digest = Annotated[str, Meta(pattern=r"^sha256:[0-9a-f]{64}$")]
Folder = Annotated[str, Meta(pattern=r"^(/|~$|~/)")]


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
    """What the host says of skills."""

    roots: list[Annotated[str, Meta(min_length=1)]] = []
    """Folders of skills outside any repository that a profile may name: `~/…` or absolute."""
    pins: dict[str, Digest] = {}
    """`sha256:…` of a skill's folder, by the skill's name; obeyed before the lock file."""


VariableName = Annotated[str, Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
Url = Annotated[str, Meta(pattern=r"^https?://[^/?#@\s]+([/?#]\S*)?$")]
"""An address without a name and a password in it: those stand in `headers`, by variables."""


class HostServer(Struct, frozen=True, forbid_unknown_fields=True):
    """An MCP server that the host knows: started by a command, or asked at an address."""

    allow: list[str]
    """Exact names of tools that may enter."""
    command: list[Annotated[str, Meta(min_length=1)]] = []
    """Program and arguments, `${NAME}` for variables; started only for a live listing."""
    url: Url | None = None
    """Where it answers over streamable HTTP; asked only for a live listing."""
    headers: dict[str, str] = {}
    """Headers of each request to `url`, `${NAME}` for variables."""
    environment: list[VariableName] = []
    """Names of the variables that the server, its arguments and its headers may have."""
    catalog: Digest | None = None
    """`sha256:…` of the catalog; obeyed before the pin in the repository."""

    def __post_init__(self) -> None:
        """Refuse two ways to one server."""
        if self.command and self.url is not None:
            raise ValueError("has `command` and `url`: one server is reached one way")
        if self.headers and self.url is None:
            raise ValueError("has `headers` without a `url` to send them to")

    @property
    def address(self) -> ServerAddress | None:
        """How the server is reached; None: nobody said."""
        names = tuple(sorted(set(self.environment)))
        if self.url is not None:
            return Endpoint(self.url, dict(self.headers), names)
        return Launch(tuple(self.command), names) if self.command else None


class HostRepositories(Struct, frozen=True, forbid_unknown_fields=True):
    """Whose skills are used: the deepest of these folders that holds a repository decides."""

    trusted: list[Folder] | None = None
    """Folders of repositories to trust: `~/…` or absolute; where given, all others are not."""
    untrusted: list[Folder] = []
    """Folders of repositories not to trust."""


class HostRevisions(Struct, frozen=True, forbid_unknown_fields=True):
    """Which revisions of a repository the host trusts."""

    trusted: list[Annotated[str, Meta(min_length=1)]] | None = None
    """Names of branches, tags and commits, or globs over names; where given, a file of another
    content than they have is untrusted."""


class Host(Struct, frozen=True, forbid_unknown_fields=True, rename={"schema_": "schema"}):
    """What this machine grants at most."""

    schema_: Literal["assembler/host/1"]
    read: HostRead = HostRead()
    """The widest read grant."""
    instructions: HostInstructions = HostInstructions()
    """The host's own instructions."""
    skills: HostSkills = HostSkills()
    """Folders of skills outside any repository, and pins."""
    tools: list[str] | None = None
    """Resident tools that may enter; left out: every one that a profile defines."""
    servers: dict[str, HostServer] = {}
    """MCP servers that the host knows."""
    executor: Executor = Executor()
    """The widest executor grant."""
    repositories: HostRepositories = HostRepositories()
    """Which repositories' skills are used."""
    revisions: HostRevisions = HostRevisions()
    """Which revisions' files have the trust of the repository."""


NO_MANIFEST: Final = Host(schema_=SCHEMA)
"""Without a manifest: read all but the default denies, no server, nothing wider."""
