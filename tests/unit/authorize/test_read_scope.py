from __future__ import annotations

import pytest

from assembler.adapters.patterns import compile_grant, compile_patterns
from assembler.authorize.read_scope import (
    GrantLayer,
    ReadScope,
    authorize_evidence,
    authorize_policy,
)
from assembler.config.defaults import DEFAULT_DENY
from assembler.model.tree import Authorized, Denied, Entry, EntryKind


def layer(name: str, deny: tuple[str, ...] = (), allow: tuple[str, ...] = ("**",)) -> GrantLayer:
    return GrantLayer(
        name=name,
        deny=compile_patterns(deny, where=name),
        allow=compile_grant(allow, where=name),
    )


def entry(path: str, real_path: str | None = None) -> Entry:
    return Entry(path=path, kind=EntryKind.FILE, real_path=real_path or path)


HOST = layer("host", deny=DEFAULT_DENY)


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        (".env", "host-deny:*.env"),
        (".env.production", "host-deny:.env.*"),
        ("deploy/.env.local", "host-deny:.env.*"),
        (".ENV", "host-deny:*.env"),
        ("infra/urls.env", "host-deny:*.env"),
        (".envrc", "host-deny:.envrc"),
        ("certs/server.PEM", "host-deny:*.pem"),
        ("home/.ssh/id_rsa", "host-deny:.ssh/"),
        (".git/config", "host-deny:.git"),
        ("home/.aws/credentials", "host-deny:**/.aws/credentials"),
        ("home/.ssh/config", "host-deny:.ssh/"),
        ("odd\nname/.env", "host-deny:*.env"),
        (".env.example", None),
        ("src/env.py", None),
        ("docs/keys.md", None),
    ],
)
def test_defaults__deny_secrets_and_keep_templates(path: str, rule: str | None) -> None:
    assert ReadScope((HOST,)).deny_rule(path) == rule


def test_deny__wins_over_any_allow() -> None:
    scope = ReadScope((HOST, layer("profile", allow=(".env.production", "src/**"))))
    assert scope.deny_rule(".env.production") == "host-deny:.env.*"
    profile = layer("profile", deny=("src/secret/**",))
    assert ReadScope((HOST, profile)).deny_rule("src/secret/a") == "profile-deny:src/secret/**"


def test_profile__cannot_lift_what_the_host_denies() -> None:
    scope = ReadScope((HOST, layer("profile", deny=("!.env",))))
    assert scope.deny_rule(".env") == "host-deny:*.env"


def test_allow__outside_every_list_is_closed() -> None:
    scope = ReadScope((HOST, layer("profile", allow=("src/**",))))
    assert scope.deny_rule("src/a.py") is None
    assert scope.deny_rule("docs/a.md") == "not-in:profile-allow"


def test_link__is_judged_by_its_name_and_by_where_it_leads() -> None:
    scope = ReadScope((HOST,))
    assert isinstance(authorize_evidence(entry("notes.txt", ".env"), scope), Denied)
    assert isinstance(authorize_evidence(entry(".env", "notes.txt"), scope), Denied)
    assert isinstance(authorize_evidence(entry("a.txt", "b.txt"), scope), Authorized)


def test_policy__has_roots_of_its_own_but_no_way_around_a_deny() -> None:
    scope = ReadScope((HOST, layer("profile", allow=("src/**",), deny=("AGENTS.md",))))
    assert isinstance(authorize_policy(entry("docs/AGENTS.override.md"), scope, "i"), Authorized)
    denied = authorize_policy(entry("AGENTS.md"), scope, "i")
    assert denied == Denied("AGENTS.md", "profile-deny:AGENTS.md")


def test_policy__link_is_judged_by_where_it_leads_too() -> None:
    scope = ReadScope((HOST,))
    assert isinstance(authorize_policy(entry("AGENTS.md", ".env"), scope, "i"), Denied)
