"""The public Python functions: what the commands do, as frozen records with the JSON's names.

They print nothing and never exit. Clock and environment are arguments; without an environment
the user's folders are found from the password database, and no variable is read.
"""

from __future__ import annotations

import json
import pwd
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assembler.adapters.clock import utc_now
from assembler.bind.request import require_carried
from assembler.config.profile import Executor
from assembler.config.task import Task
from assembler.front.assembling import assemble_repository
from assembler.front.chain import report_chain
from assembler.front.chain_report import ChainReport
from assembler.front.continuing import Continuation, check_reason
from assembler.front.inventories import compile_inventory_file
from assembler.front.recording import RecordedRun, Wanted
from assembler.model.decision import Budget
from assembler.model.finding import Finding
from assembler.model.rendered import Request
from assembler.ports import Sender
from assembler.record.package import Package

if TYPE_CHECKING:
    from assembler.front.catalog_session import CatalogSession
    from assembler.model.catalog import Pin
    from assembler.model.catalog_event import CatalogEvent


class Record(Mapping[str, Any]):
    """A JSON object whose members are attributes too; read only."""

    __slots__ = ("_members",)

    def __init__(self, members: Mapping[str, Any]) -> None:
        object.__setattr__(self, "_members", dict(members))

    def __getattr__(self, name: str) -> Any:
        try:
            return self._members[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"records are read only: {name}")

    def __getitem__(self, name: str) -> Any:
        return self._members[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __repr__(self) -> str:
        return f"Record({self._members!r})"


class PreparedRequest:
    """The request body of a run, and the check that a body is that one."""

    def __init__(self, package: Package) -> None:
        self._package = package

    @property
    def body(self) -> bytes:
        """The body's bytes, as recorded."""
        return self._package.request.body

    def require_carried(self, body: bytes) -> None:
        """Refuse a body that does not carry exactly the rendered text.

        Raises:
            RequestError: `request-mismatch`, naming the pointer.
        """
        prepared = Request(body=body, segments=self._package.request.segments)
        require_carried(
            prepared,
            self._package.rendering,
            adapter=self._package.inventory.adapter,
            contents=self._package.objects,
        )


class Run:
    """A compiled run."""

    def __init__(
        self,
        recorded: RecordedRun,
        *,
        findings: tuple[Finding, ...] = (),
        executor: Executor | None = None,
    ) -> None:
        package = recorded.package
        self.number: int = recorded.number
        self.budget: Budget = package.selection.budget
        self.rendered = Record({**package.manifest["rendered"], "data": package.rendering.data})
        self.identities = Record(
            {name: package.manifest[name] for name in ("package_id", "trace_id", "content_id")}
        )
        self.ledger: tuple[Record, ...] = tuple(Record(row) for row in package.rows)
        self.request = PreparedRequest(package)
        self.answer: object = recorded.answer
        """What the sender gave back; None without one."""
        self.findings = findings
        self.executor = executor
        """None where the host did its own discovery: its grants are its own."""


def assemble(
    directory: str | Path,
    task: Task,
    *,
    profile: str | None = None,
    host: str | Path | None = None,
    at: str = "worktree",
    policy_from: str | None = None,
    targets: Sequence[str] = (),
    now: str | None = None,
    api: str = "text",
    model: str | None = None,
    locked: bool = False,
    out: str | Path | None = None,
    continue_run: int | str | None = None,
    because: str | None = None,
    sender: Sender | None = None,
    environment: Mapping[str, str] | None = None,
    clock: Callable[[], str] = utc_now,
) -> Run:
    """Compile and record the input of one run; the arguments are the options of the command.

    With a `sender`, its `send` gets the recorded body once the run is whole and on record, and
    is never reached otherwise.

    Raises:
        AssemblerError: `Refused` where the run is refused, another one for bad input.
    """
    _check_types(task, targets, sender)
    cwd = Path(directory).resolve()
    run = assemble_repository(
        cwd,
        task,
        environment=_environment(environment),
        at=at,
        policy_from=policy_from,
        targets=targets,
        profile=profile,
        host=None if host is None else cwd / host,
        now=now,
        api=api,
        model=model,
        locked=locked,
        wanted=Wanted(
            out=None if out is None else cwd / out,
            continued=_continuation(continue_run, because),
            sender=sender,
            clock=clock,
        ),
    )
    return Run(run.recorded, findings=run.offer.findings, executor=run.policy.executor)


def compile_inventory(
    inventory: bytes | Mapping[str, Any] | str | Path,
    *,
    directory: str | Path = ".",
    host: str | Path | None = None,
    out: str | Path | None = None,
    continue_run: int | str | None = None,
    because: str | None = None,
    sender: Sender | None = None,
    environment: Mapping[str, str] | None = None,
    clock: Callable[[], str] = utc_now,
) -> Run:
    """Compile and record an explicit inventory: what `assemble --inventory` does.

    Args:
        inventory: its value, its bytes (JSON or YAML), or the path of a file.
        directory: what the paths of contents are read under.
        host: the host manifest.
        out: a folder for the package, new or empty.
        continue_run: the run whose pins are kept.
        because: why other pins may enter.
        sender: gets the recorded body; never where the run is refused.
        environment: for the user's folders.
        clock: gives the time of each event.

    Raises:
        AssemblerError: `Refused` where the run is refused, another one for bad input.
    """
    _check_sender(sender)
    cwd = Path(directory).resolve()
    data: bytes | None = None
    path: Path | None = None
    if isinstance(inventory, bytes):
        data = inventory
    elif isinstance(inventory, Mapping):
        data = json.dumps(inventory).encode("utf-8", "surrogatepass")
    elif isinstance(inventory, str | Path):
        path = cwd / inventory
    else:
        raise TypeError("an inventory is its value, its bytes, or the path of a file")
    recorded = compile_inventory_file(
        path,
        data,
        cwd=cwd,
        environment=_environment(environment),
        host=None if host is None else cwd / host,
        wanted=Wanted(
            out=None if out is None else cwd / out,
            continued=_continuation(continue_run, because),
            sender=sender,
            clock=clock,
        ),
    )
    return Run(recorded)


def chain(
    directory: str | Path,
    *,
    cwd: str = ".",
    at: str = "worktree",
    targets: Sequence[str] = (),
    profile: str | None = None,
    host: str | Path | None = None,
    agent: str | None = None,
    agent_config: Sequence[str] = (),
    agent_system_dir: str | Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> ChainReport:
    """The instruction chain that an agent started in `cwd` would load.

    Args:
        directory: of the project.
        cwd: where the agent starts, relative to it.
        at: `worktree`, `index` or a revision.
        targets: paths whose own instructions are told too where the walk misses them.
        profile: a name or a file; its `instructions` and denies count.
        host: the host manifest.
        agent: its name, such as `codex`: what it loads on this machine, byte for byte, by its own
            configuration; `at`, `profile` and `host` say nothing then.
        agent_config: `KEY=VALUE`, as the agent's command line takes them.
        agent_system_dir: in place of the agent's configuration folder of this machine.
        environment: variables; None: the account's own home and nothing else.

    Raises:
        AssemblerError: what was named is missing or says nothing usable.
        ValueError: `agent` together with what has no meaning for it, or the other way round.
    """
    folder = (Path(directory) / cwd).resolve()
    if agent is not None:
        if at != "worktree" or profile is not None or host is not None:
            raise ValueError("an agent reads files as they are, by its own configuration")
        from assembler.front.agent_chain import report_agent_chain

        return report_agent_chain(
            agent,
            folder,
            environment=_environment(environment),
            overrides=tuple(agent_config),
            system_folder=None if agent_system_dir is None else Path(agent_system_dir),
            targets=targets,
        )
    if agent_config or agent_system_dir is not None:
        raise ValueError("agent_config and agent_system_dir need an agent")
    return report_chain(
        folder,
        environment=_environment(environment),
        at=at,
        targets=targets,
        profile=profile,
        host=None if host is None else folder / host,
    )


def catalog_session(
    directory: str | Path,
    server: str,
    *,
    profile: str | None = None,
    host: str | Path | None = None,
    at: str = "worktree",
    timeout_seconds: float = 20.0,
    log: str | Path | None = None,
    on_event: Callable[[CatalogEvent], object] | None = None,
    environment: Mapping[str, str] | None = None,
    clock: Callable[[], str] = utc_now,
) -> CatalogSession:
    """A server's catalog in a host's event loop, held to the pin that the repository has now.

    Nothing is started before its `run` is.

    Args:
        directory: of the project.
        server: its name in profile and host manifest.
        profile: a name or a file; what it and the host allow may be admitted.
        host: the host manifest, which says how the server is reached.
        at: where profile and pin are read.
        timeout_seconds: for each start and each listing of the server.
        log: a file that every event is added to.
        on_event: told of every event, once it is in the log.
        environment: variables; the server is given PATH, HOME and those that the manifest names.
        clock: gives the time of each event.

    Raises:
        AssemblerError: there is no pin to hold it to, or the host does not name the server.
    """
    from assembler.front.catalog_session import CatalogSession
    from assembler.front.catalog_source import find_address, require_timeout
    from assembler.front.tool_place import open_tool_work, require_server_name
    from assembler.front.tool_terms import allowed_tools, require_trusted_pin

    require_server_name(server)
    variables = _environment(environment)
    cwd = Path(directory).resolve()
    named = None if host is None else cwd / host
    with open_tool_work(cwd, environment=variables, at=at, profile=profile, host=named) as work:
        asked = work.policy.servers.get(server)
        address, folder = find_address(server, work.policy)
        return CatalogSession(
            require_trusted_pin(server, work.place),
            allowed=allowed_tools(server, asked, work.policy),
            address=address,
            environment=variables,
            folder=folder,
            clock=clock,
            timeout_seconds=require_timeout(timeout_seconds),
            log=None if log is None else cwd / log,
            on_event=on_event,
        )


def read_pin(directory: str | Path, server: str, *, at: str = "worktree") -> Pin:
    """The pin of a server as the repository has it, for a transition of a session.

    Raises:
        AssemblerError: there is none, or none to rely on.
    """
    from assembler.front.tool_place import open_tool_work, require_server_name
    from assembler.front.tool_terms import require_trusted_pin

    require_server_name(server)
    cwd = Path(directory).resolve()
    with open_tool_work(cwd, environment=_environment(None), at=at) as work:
        return require_trusted_pin(server, work.place)


def _check_types(task: object, targets: object, sender: object) -> None:
    """Say at once what would else fail deep inside, or mean something else.

    Raises:
        TypeError: one of the three is of another type.
    """
    if not isinstance(task, Task):
        raise TypeError("task is an assembler.Task")
    if isinstance(targets, str | bytes):
        raise TypeError("targets is a list of paths, not one string")
    _check_sender(sender)


def _check_sender(sender: object) -> None:
    if sender is not None and not callable(getattr(sender, "send", None)):
        raise TypeError("a sender has a method send(body)")


def _continuation(run: int | str | None, reason: str | None) -> Continuation | None:
    name = None if run is None else str(run)
    check_reason(reason, run=name)
    return None if name is None else Continuation(run=name, reason=reason)


def _environment(given: Mapping[str, str] | None) -> Mapping[str, str]:
    if given is not None:
        return given
    import os

    return {"HOME": pwd.getpwuid(os.getuid()).pw_dir}
