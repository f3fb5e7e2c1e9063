"""Forms of secrets that say by their beginning what they are; a hit keeps a text out.

RE2 syntax, each rule from the issuer's own documentation of its tokens. What has no form of its
own (a password, a random string) is nobody's to guess: a rule for it would refuse digests.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple


class SecretHit(NamedTuple):
    """A place that has the form of a secret; never the text itself."""

    rule: str
    line: int
    """From 1."""


SECRET_RULES: Final = {
    "age-key": r"\bAGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58}\b",
    "anthropic-key": r"\bsk-ant-[a-z0-9]{2,10}-[A-Za-z0-9_-]{40,}",
    "atlassian-token": r"\bATATT3[A-Za-z0-9_=-]{60,}",
    "aws-access-key-id": r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b",
    "aws-secret-access-key": r"(?i:aws_?secret_?access_?key)[\"'` ]{0,3}[:=]{1,2}[\"'` ]{0,3}"
    r"[A-Za-z0-9/+]{40}(?:[^A-Za-z0-9/+=]|$)",
    "azure-storage-key": r"(?i:AccountKey)=[A-Za-z0-9+/]{86}==",
    "databricks-token": r"\bdapi[0-9a-f]{32}\b",
    "digitalocean-token": r"\bdo[opr]_v1_[a-f0-9]{64}\b",
    "discord-token": r"\b[MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}",
    "github-token": r"\bgh[oprsu]_[A-Za-z0-9]{36,}\b",
    "github-fine-grained-token": r"\bgithub_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}\b",
    "gitlab-token": r"\bgl(?:pat|dt|rt|ptt|cbt|oas|soat)-[A-Za-z0-9_-]{20,}",
    "google-key": r"\b(?:AIza[A-Za-z0-9_-]{35}|GOCSPX-[A-Za-z0-9_-]{28}|ya29\.[A-Za-z0-9_-]{30,})",
    "huggingface-token": r"\bhf_[A-Za-z0-9]{34,}\b",
    "json-web-token": r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{16,}",
    "npm-token": r"\bnpm_[A-Za-z0-9]{36}\b",
    "openai-key": r"\bsk-[A-Za-z0-9_-]{20,}T3BlbkFJ[A-Za-z0-9_-]{20,}",
    "private-key": r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----",
    "pypi-token": r"\bpypi-AgE[A-Za-z0-9_-]{40,}",
    "sendgrid-key": r"\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}",
    "shopify-token": r"\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\b",
    "slack-token": r"\b(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,}",
    "slack-webhook": r"hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9+/]{40,}",
    "stripe-key": r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}",
    "telegram-token": r"\b[0-9]{8,10}:AA[A-Za-z0-9_-]{33}",
    "twilio-key": r"\b(?:SK|AC)[0-9a-f]{32}\b",
    "vault-token": r"\bhv[bsr]\.[A-Za-z0-9_-]{24,}",
}
"""Pattern by rule."""

MIN_DISTINCT: Final = 8
"""Different characters of a hit: `ghp_xxxx…` in a document is a picture of a token."""
EXAMPLE_WORDS: Final = ("EXAMPLE", "example", "XXXX", "xxxx", "0000000000")
"""What issuers write into the examples of their documentation."""


def is_picture(text: str) -> bool:
    """Whether a hit only shows what a token looks like."""
    return len(set(text)) < MIN_DISTINCT or any(word in text for word in EXAMPLE_WORDS)


HINTS: Final = (
    b"AGE-SECRET-KEY-", b"sk-", b"ATATT3", b"AKIA", b"ASIA", b"ABIA", b"ACCA", b"dapi", b"_v1_",
    b"ghp_", b"gho_", b"ghr_", b"ghs_", b"ghu_", b"github_pat_", b"AIza", b"GOCSPX-", b"ya29.",
    b"hf_", b"eyJ", b"npm_", b"PRIVATE KEY", b"pypi-AgE", b"SG.", b"shpat_", b"shpca_", b"shppa_",
    b"shpss_", b"xox", b"xapp-", b"hooks.slack.com", b"k_live_", b"k_test_", b":AA", b"hvb.",
    b"hvs.", b"hvr.",
)  # fmt: skip
"""What every hit of most rules holds."""
LOWER_HINTS: Final = (b"access_key", b"accesskey", b"accountkey=")
"""The same for rules that read both cases, of the text in lower case."""
LOOSE_RULES: Final = ("discord-token", "gitlab-token", "twilio-key")
"""Rules without a beginning that is rare; their patterns are looked for in any case."""
_LOOSE: Final = re.compile(
    rb"[MNO][A-Za-z0-9_-]{23,25}\.|gl[a-z]{2,4}-[A-Za-z0-9_-]{20}|(?:SK|AC)[0-9a-f]{32}"
)


def may_hold_secret(data: bytes) -> bool:
    """Whether a look by the rules could find something; False is certain for visible ASCII.

    Cheap, and without RE2: most instructions hold none of it.
    """
    if not data.isascii():
        return True
    for hint in HINTS:  # a plain loop takes half of what `any` does, and each file is looked at
        if hint in data:
            return True
    lower = data.lower()
    return any(hint in lower for hint in LOWER_HINTS) or _LOOSE.search(data) is not None
