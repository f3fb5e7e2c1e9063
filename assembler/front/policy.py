"""Load profile and host manifest, and make one grant of both.

A profile in the repository only narrows what the host grants; asking for more is refused, and
the widening named. One outside it, the user's, a built-in one, or one of the revision that the
invoker named for the policy is the host's word.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from assembler.adapters.filesystem import read_host_file
from assembler.adapters.patterns import compile_grant, compile_patterns
from assembler.assess.trust import combine_trust
from assembler.authorize.read_scope import GrantLayer, ReadScope
from assembler.config import host as host_config
from assembler.config.decoding import decode
from assembler.config.defaults import DEFAULT_DENY, LOCK
from assembler.config.host import NO_MANIFEST, Host
from assembler.config.profile import Executor, Profile, to_plain
from assembler.errors import RefusedError, UsageError
from assembler.front.places import Workplace, config_folder, home_folder
from assembler.front.profiles import MAX_CONFIG_BYTES, LoadedProfile, load_profile, read_document
from assembler.front.skill_roots import outside_roots, root_label
from assembler.front.trees import PolicyRevision, named_in
from assembler.model.paths import normal_path
from assembler.ports import SourceTree

if TYPE_CHECKING:
    from assembler.model.chain import WalkRules
    from assembler.model.run import GlobalInstructions

MAX_INSTRUCTION_BYTES: Final = 8 * 1024 * 1024


class Policy(NamedTuple):
    """Profile and host together."""

    loaded: LoadedProfile
    host: Host
    host_place: Path | None
    trust: dict[str, str]
    executor: Executor
    policy_from: PolicyRevision | None = None
    """Where the invoker has policy from, if not from where the evidence is."""

    @property
    def profile(self) -> Profile:
        """The profile."""
        return self.loaded.profile

    @property
    def walk_rules(self) -> WalkRules:
        """How the profile has instruction files walked."""
        from assembler.model.chain import WalkRules, clean_fallbacks

        instructions = self.profile.instructions
        return WalkRules(
            fallbacks=clean_fallbacks(instructions.fallbacks),
            limit_bytes=instructions.limit_bytes,
            on_overflow=instructions.on_overflow,
        )

    def host_path(self, named: str, environment: Mapping[str, str]) -> Path:
        """A path that the manifest names: `~/…`, absolute, or relative to the manifest.

        Raises:
            UsageError: `home-missing`.
        """
        if named == "~" or named.startswith("~/"):
            home = home_folder(environment)
            if home is None:
                raise UsageError("home-missing", f"{named} needs HOME", where=named)
            return home / named[2:]
        assert self.host_place is not None  # only a manifest names a file
        return self.host_place.parent / named

    def read_scope(self) -> ReadScope:
        """The read grant: the host's layer and the profile's.

        Raises:
            ConfigError: a pattern that is none.
        """
        profile = self.profile.read
        return ReadScope(
            (
                _host_layer(self.host),
                GrantLayer(
                    name="profile",
                    deny=compile_patterns(profile.deny, where=f"{self.loaded.place}: read.deny"),
                    allow=compile_grant(profile.allow, where=f"{self.loaded.place}: read.allow"),
                ),
            )
        )


def load_policy(
    workplace: Workplace,
    tree: SourceTree,
    *,
    profile: str | None,
    host: Path | None,
    base: Path,
    environment: Mapping[str, str],
    policy_from: PolicyRevision | None = None,
) -> Policy:
    """Profile and host manifest of a run.

    Args:
        workplace: the repository.
        tree: where a profile inside the repository is read from.
        profile: a name or a file, as given; None: the default one.
        host: the manifest's file, as given; None: the usual place.
        base: what relative files are relative to.
        environment: for the user's folders.
        policy_from: the revision of `tree`, where the invoker named it as that of the policy:
            a profile found there is the host's word.

    Raises:
        UsageError: a named profile or manifest is missing.
        ConfigError: it does not say what it must.
        RefusedError: `profile-widens-host`.
    """
    manifest, host_place = _load_host(host, environment)
    # A plain folder is nobody's but the user's, who may work at home.
    is_inside = host_place is not None and host_place.resolve().is_relative_to(workplace.root)
    if is_inside and workplace.is_repository:
        raise UsageError(
            "host-inside-repository",
            "the host manifest lies inside the repository, which could grant itself anything",
            where=str(host_place),
            next_step="keep it outside, for example in ~/.config/assembler/host.yaml",
        )
    with named_in(policy_from):
        loaded = load_profile(
            workplace,
            tree,
            profile,
            base=base,
            environment=environment,
            scope=ReadScope((_host_layer(manifest),)),
            policy_from=policy_from,
        )
    if not loaded.is_host_word:
        _refuse_widening(loaded, manifest)
    return Policy(
        loaded=loaded,
        host=manifest,
        host_place=host_place,
        trust=combine_trust(
            {name: str(word) for name, word in _as_mapping(to_plain(loaded.profile.trust)).items()},
            may_widen=loaded.is_host_word,
        ),
        executor=_intersect(loaded.profile.executor, manifest.executor)
        if host_place is not None
        else loaded.profile.executor,
        policy_from=policy_from,
    )


def configuration_files(policy: Policy) -> tuple[str, ...]:
    """The files that the policy is made of beside instructions, skills and pins."""
    tools = policy.profile.tools
    listings = (server.listing for _, server in sorted(tools.servers.items()))
    named = (
        policy.loaded.repository_path,
        LOCK,
        tools.definitions if tools.resident else None,
        *listings,
    )
    # A path that leaves the repository is refused where it is read.
    return tuple(dict.fromkeys(path for path in named if path and normal_path(path) == path))


def host_read_scope(host: Path | None, environment: Mapping[str, str]) -> ReadScope:
    """The host's grant alone: what governs the paths of an inventory's contents.

    Raises:
        UsageError, ConfigError: the manifest is missing or says nothing usable.
    """
    manifest, _ = _load_host(host, environment)
    return ReadScope((_host_layer(manifest),))


def _host_layer(host: Host) -> GrantLayer:
    return GrantLayer(
        name="host",
        deny=compile_patterns(host.read.deny, where="host: read.deny", before=DEFAULT_DENY),
        allow=compile_grant(host.read.allow, where="host: read.allow"),
    )


def open_instructions(
    policy: Policy, workplace: Workplace, tree: SourceTree, environment: Mapping[str, str]
) -> SourceTree | None:
    """The tree with the links out of it that the host allows; None where it allows none.

    Only files on disk have such links: a commit is the same on every machine.
    """
    named = policy.host.instructions.links
    if not named or tree.at != "worktree":
        return None
    from assembler.adapters.allowed_links import AllowedLinks

    return AllowedLinks(
        tree, workplace.root, [policy.host_path(place, environment) for place in named]
    )


def load_global_instructions(
    policy: Policy, environment: Mapping[str, str]
) -> GlobalInstructions | None:
    """The host's global instruction file, where the profile asks for it and the host has one.

    Raises:
        UsageError: the manifest names a file that is not there.
    """
    named = policy.host.instructions.global_
    if not policy.profile.instructions.global_ or named is None:
        return None
    from assembler.model.run import GlobalInstructions

    path = policy.host_path(named, environment)
    label = named if named.startswith(("~", "/")) else f"./{named}"
    data = read_host_file(path, limit_bytes=MAX_INSTRUCTION_BYTES)
    return GlobalInstructions(label=label, data=data) if data.strip() else None


def _load_host(named: Path | None, environment: Mapping[str, str]) -> tuple[Host, Path | None]:
    path = named
    if path is None and environment.get("ASSEMBLER_HOST"):
        path = Path(environment["ASSEMBLER_HOST"])
    if path is None:
        folder = config_folder(environment)
        path = None if folder is None else folder / "host.yaml"
        # What is there and can't be read is refused below: no manifest would grant more.
        if path is None or not os.path.lexists(path):
            return NO_MANIFEST, None
    data = read_host_file(path, limit_bytes=MAX_CONFIG_BYTES)
    document = read_document(data, path.name)
    manifest = decode(document, Host, path=path.name, schema=host_config.SCHEMA)
    return manifest, path


def _refuse_widening(loaded: LoadedProfile, host: Host) -> None:
    """Refuse a profile of the repository that asks for more than the host grants."""
    profile = loaded.profile
    wider: list[str] = []
    if host.tools is not None:
        wider += [
            f"tools.resident: {name}" for name in profile.tools.resident if name not in host.tools
        ]
    for server, asked in sorted(profile.tools.servers.items()):
        granted = host.servers.get(server)
        if granted is None:
            wider.append(f"tools.servers: {server}")
            continue
        wider += [
            f"tools.servers.{server}.allow: {name}"
            for name in asked.allow
            if name not in granted.allow
        ]
    granted_roots = {root_label(root) for root in host.skills.roots}
    wider += [
        f"skills.roots: {root}" for root in outside_roots(profile) if root not in granted_roots
    ]
    for member in ("write", "hosts", "tools"):
        asked_for = getattr(profile.executor, member)
        has = set(getattr(host.executor, member))
        if member == "tools" and host.tools is None:
            has |= set(profile.tools.resident)
        wider += [f"executor.{member}: {item}" for item in asked_for if item not in has]
    if wider:
        raise RefusedError(
            "profile-widens-host",
            f"{loaded.place} asks for more than the host grants: {'; '.join(wider)}",
            detail={"widens": wider},
            where=loaded.place,
            next_step="grant it in the host manifest (~/.config/assembler/host.yaml), or narrow "
            "the profile",
        )


def _intersect(asked: Executor, granted: Executor) -> Executor:
    return Executor(
        write=[item for item in asked.write if item in granted.write],
        hosts=[item for item in asked.hosts if item in granted.hosts],
        tools=[item for item in asked.tools if item in granted.tools],
    )


def _as_mapping(value: object) -> dict[str, object]:
    assert isinstance(value, dict)  # a Struct becomes one
    return value
