"""What holds where nothing is configured, and where files are looked for.

Apart from the records of their formats, so that what needs these alone does not load msgspec.
"""

from __future__ import annotations

from typing import Final

COUNTER: Final = "o200k_base"
"""What is counted, and by which vocabulary."""

DEFINITIONS: Final = ".assembler/tools.json"
"""Where resident tools are defined."""

DEFAULT_PROFILE: Final = ".assembler/profile.yaml"
"""The profile of a run that names none."""

LOCK: Final = ".assembler/lock.json"

INDEX: Final = ".assembler/artifacts.json"
"""The artifact index of a profile that names none."""

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
