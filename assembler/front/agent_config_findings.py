"""What there is to say about an agent's configuration: settings and folders that do not hold."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from assembler.model.finding import Finding, make_finding

if TYPE_CHECKING:
    from assembler.config.codex import CodexSettings, Ignored
    from assembler.model.agent import Trust

_WHY_IGNORED: Final = {
    "unknown": "is no setting that the agent knows",
    "not-for-projects": "has no effect in a project",
}


def about_permissions(settings: CodexSettings, path: str) -> list[Finding]:
    """The user's own permission profile may keep files from the agent; which is not known here."""
    name = settings.own_permissions
    if name is None:
        return []
    return [
        make_finding(
            "ASM126",
            path,
            f"the permission profile {name} may keep instruction files from the agent, and what it "
            "does is not known here",
            fix="ask the agent itself: --confirm",
            data={"profile": name},
        )
    ]


def about_ignored(settings: CodexSettings) -> list[Finding]:
    """Settings that look as if they held."""
    unknown = sum(1 for item in settings.ignored if item.reason == "unknown")
    return [
        _about_setting(item, unknown)
        for item in settings.ignored
        if item.key and item.reason in _WHY_IGNORED
    ]


def _about_setting(item: Ignored, unknown: int) -> Finding:
    fix = "correct or remove it"
    if item.reason != "unknown":
        fix = "move it to the user's configuration"
    return make_finding(
        "ASM119",
        item.path,
        f"`{item.key}` {_WHY_IGNORED[item.reason]}: ignored",
        fix=fix,
        data={
            "key": item.key,
            "layer": item.kind,
            "reason": item.reason,
            "unknown_settings": unknown,
        },
    )


def about_closed(closed: Mapping[Path, Trust | None]) -> list[Finding]:
    """Configuration folders of the project that count for nothing here."""
    found = []
    for place, trust in closed.items():
        why = "is marked untrusted" if trust is not None else "has no trust entry"
        found.append(
            make_finding(
                "ASM119",
                str(place),
                f"the project {why}: settings in this folder do not hold (its skills still load)",
                fix="a trust entry in the user's configuration, if the project deserves it",
                data={"trust": trust, "reason": "untrusted" if trust else "no-trust"},
            )
        )
    return found
