"""What profile and host say of tools; where neither says anything, nothing of them is loaded.

Reading configuration costs a command about tools more than all that it does with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from assembler.authorize.read_scope import ReadScope
from assembler.config.defaults import COUNTER, DEFINITIONS
from assembler.front.default_grant import DEFAULT_LAYER, is_configured
from assembler.front.places import Workplace
from assembler.ports import SourceTree

if TYPE_CHECKING:
    from assembler.config.host import HostServer
    from assembler.config.profile import Server
    from assembler.front.policy import Policy


class ToolPolicy(NamedTuple):
    """What is said of tools; a test holds that saying nothing means what the defaults say."""

    loaded: Policy | None = None
    """None: neither profile nor host manifest is there."""

    @property
    def profile_name(self) -> str:
        """The name of the profile."""
        return "built-in" if self.loaded is None else self.loaded.loaded.name

    @property
    def counter(self) -> str:
        """What is counted, and by which vocabulary."""
        return COUNTER if self.loaded is None else self.loaded.profile.counter

    @property
    def resident(self) -> Sequence[str]:
        """The resident tools that the profile names, whoever grants them."""
        return () if self.loaded is None else self.loaded.profile.tools.resident

    @property
    def definitions(self) -> str:
        """The file that defines them."""
        return DEFINITIONS if self.loaded is None else self.loaded.profile.tools.definitions

    @property
    def servers(self) -> Mapping[str, Server]:
        """The servers that the profile names."""
        return {} if self.loaded is None else self.loaded.profile.tools.servers

    @property
    def host_place(self) -> Path | None:
        """The host manifest, where there is one."""
        return None if self.loaded is None else self.loaded.host_place

    @property
    def granted(self) -> Sequence[str] | None:
        """The resident tools that the host grants; None: all."""
        return None if self.loaded is None else self.loaded.host.tools

    @property
    def host_servers(self) -> Mapping[str, HostServer]:
        """The servers that the host knows."""
        return {} if self.loaded is None else self.loaded.host.servers

    def skill_roots(self) -> tuple[str, ...]:
        """The profile's folders of skills in the repository.

        Raises:
            ConfigError: `path-outside`.
        """
        if self.loaded is None:
            return ()
        from assembler.front.skill_roots import inside_roots

        return inside_roots(self.loaded.profile)

    @property
    def looks_outside(self) -> bool:
        """Whether a run looks for skills outside the repository."""
        if self.loaded is None:
            return False
        from assembler.front.skill_roots import outside_roots

        return bool(outside_roots(self.loaded.profile))

    def read_scope(self) -> ReadScope:
        """The read grant; its denies hold whatever is there.

        Raises:
            ConfigError: a pattern that is none.
        """
        return ReadScope((DEFAULT_LAYER,)) if self.loaded is None else self.loaded.read_scope()

    def is_granted(self, name: str) -> bool:
        """Whether the host grants a resident tool."""
        return self.granted is None or name in self.granted


def load_tool_policy(
    workplace: Workplace,
    tree: SourceTree,
    *,
    profile: str | None,
    host: Path | None,
    base: Path,
    environment: Mapping[str, str],
) -> ToolPolicy:
    """What profile and host say, where one of them is there.

    Args and errors as of `load_policy`.
    """
    if not is_configured(tree, environment, profile=profile, host=host):
        return ToolPolicy()
    from assembler.front.policy import load_policy

    return ToolPolicy(
        load_policy(workplace, tree, profile=profile, host=host, base=base, environment=environment)
    )
